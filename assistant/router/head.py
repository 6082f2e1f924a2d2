"""The "head" router: a linear read-out of the host's hidden states picks the call pattern.

The host reads the message with its numbers replaced (`skeleton`); the average of its hidden
states at a few layers, standardised, goes through one matrix to a score for each call pattern.
The matrix is fitted on generated questions at `assistant build` (multinomial logistic
regression) and kept beside the host, named for everything that it depends on.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import prompts
from assistant.hosts import store
from assistant.router import examples
from assistant.router.numbers import read
from assistant.router.patterns import Pattern, Unfit, shortened
from assistant.router.routed import Call, Routed, too_long
from assistant.router.skeleton import skeleton

if TYPE_CHECKING:
    import torch

NAME = "head"
_HERE = Path(__file__).parent
_DECAY = 1e-3
_STEPS = 120
# What a question may hold: characters in all, and words and marks once its numbers are replaced.
_MOST_CHARACTERS = 20_000
_MOST_WORDS = 150
_WORDS = re.compile(r"\w+|[^\w\s]")


class DamagedHead(Exception):
    """The file of a saved head is not what was written."""


class Features(Protocol):
    """What the head needs of a host."""

    name: str
    digest: str
    router_layers: Sequence[int]

    def features(self, texts: Sequence[str], progress: Any = None) -> torch.Tensor: ...


@dataclass
class Head:
    """Scores are ((features - mean) / scale) @ weight + bias, one column a pattern."""

    patterns: list[str]
    mean: torch.Tensor
    scale: torch.Tensor
    weight: torch.Tensor
    bias: torch.Tensor

    def probabilities(self, features: torch.Tensor) -> torch.Tensor:
        """[texts, hidden] to [texts, patterns]."""
        scores = (features - self.mean) / self.scale @ self.weight + self.bias
        return scores.softmax(dim=-1)

    def save(self, path: Path, key: str) -> None:
        from safetensors.torch import save_file

        tensors = {"mean": self.mean, "scale": self.scale, "weight": self.weight.half(),
                   "bias": self.bias}  # fmt: skip
        tensors = {name: tensor.contiguous() for name, tensor in tensors.items()}
        patterns = json.dumps(self.patterns)
        metadata = {"key": key, "patterns": patterns, "sha256": _sha256(patterns, tensors)}
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        os.close(handle)
        try:
            save_file(tensors, draft, metadata)
            os.replace(draft, path)
        finally:
            Path(draft).unlink(missing_ok=True)

    @classmethod
    def load(cls, path: Path, key: str) -> Head | None:
        """The saved head, or None when there is none for `key`. Raises `DamagedHead`."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="pt") as file:
                metadata = file.metadata()
                if metadata.get("key") != key:
                    return None
                kept = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            if _sha256(metadata["patterns"], kept) != metadata["sha256"]:
                raise DamagedHead
            t = {name: tensor.float() for name, tensor in kept.items()}
            patterns = json.loads(metadata["patterns"])
            return cls(patterns, t["mean"], t["scale"], t["weight"], t["bias"])
        except FileNotFoundError:
            return None
        except (OSError, SafetensorError, AttributeError, KeyError, ValueError):
            raise DamagedHead from None


def _sha256(patterns: str, tensors: dict[str, torch.Tensor]) -> str:
    """Over the patterns and the bytes of every tensor, by name."""
    digest = hashlib.sha256(patterns.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.numpy().tobytes())
    return digest.hexdigest()


def fit(features: torch.Tensor, labels: Sequence[str]) -> Head:
    """Multinomial logistic regression with a quadratic penalty, by L-BFGS; deterministic."""
    import torch

    patterns = sorted(set(labels))
    target = torch.tensor([patterns.index(label) for label in labels])
    mean, scale = features.mean(0), features.std(0) + 1e-6
    inputs = (features - mean) / scale
    weight = torch.zeros(features.shape[1], len(patterns), requires_grad=True)
    bias = torch.zeros(len(patterns), requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [weight, bias], max_iter=_STEPS, history_size=10, line_search_fn="strong_wolfe"
    )

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        error = torch.nn.functional.cross_entropy(inputs @ weight + bias, target)
        total = error + _DECAY * weight.square().sum()
        total.backward()
        return total

    optimiser.step(loss)
    return Head(patterns, mean, scale, weight.detach(), bias.detach())


@dataclass(frozen=True)
class Fitted:
    """What a fit was made from and how it does on phrasings that it was not shown."""

    examples: int
    phrasings: int
    held_out: float
    held_out_total: int


def key_for(host: Features, per_pattern: int, seed: int) -> str:
    """Names everything that the head depends on: host, layers, amounts, phrasings, this code."""
    parts = [host.digest, str(list(host.router_layers)), str(per_pattern), str(seed)]
    parts.append(prompts.text("phrasings.yaml"))
    parts += [path.read_text(encoding="utf-8") for path in sorted(_HERE.glob("*.py"))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def path_for(cache: Path, host: Features) -> Path:
    """Beside the host that it reads; `key_for` tells whether it is for that very host."""
    return store.folder(cache, host.name) / store.ROUTER


def build(
    host: Features, cache: Path, per_pattern: int, seed: int,
    progress: Callable[[int, int | None], None] | None = None,
) -> tuple[Head, Fitted]:  # fmt: skip
    """Fits and saves the head. One phrasing in five is held out once, to measure."""
    import random

    made = examples.generate(per_pattern, seed)
    features = host.features([skeleton(read(e.question)) for e in made], progress)
    labels = [e.pattern for e in made]
    phrasings = sorted({(e.pattern, e.phrasing) for e in made})
    random.Random(seed).shuffle(phrasings)
    hidden = set(phrasings[: len(phrasings) // 5])
    shown = [i for i, e in enumerate(made) if (e.pattern, e.phrasing) not in hidden]
    unseen = [i for i, e in enumerate(made) if (e.pattern, e.phrasing) in hidden]
    trial = fit(features[shown], [labels[i] for i in shown])
    chosen = trial.probabilities(features[unseen]).argmax(dim=-1).tolist()
    right = sum(trial.patterns[c] == labels[i] for c, i in zip(chosen, unseen, strict=True))
    head = fit(features, labels)
    head.save(path_for(cache, host), key_for(host, per_pattern, seed))
    return head, Fitted(len(made), len(phrasings), right / len(unseen), len(unseen))


class HeadRouter:
    """Routes one question: one forward pass of the host, one small matrix product."""

    def __init__(self, host: Features, head: Head, threshold: float) -> None:
        self._host = host
        self._head = head
        self._threshold = threshold

    def route(self, question: str) -> Routed:
        if len(question) > _MOST_CHARACTERS:
            return too_long(NAME, f"{len(question):,} characters, at most {_MOST_CHARACTERS:,}")
        reading = read(question)
        asked = skeleton(reading)
        words = len(_WORDS.findall(asked))
        if words > _MOST_WORDS:
            return too_long(NAME, f"{words:,} words and marks, at most {_MOST_WORDS}")
        probabilities = self._head.probabilities(self._host.features([asked]))[0]
        best = int(probabilities.argmax())
        confidence = float(probabilities[best])
        pattern = Pattern.parse(self._head.patterns[best])

        def declined(reason: str) -> Routed:
            return Routed("unsure", (), NAME, confidence, reason)

        if pattern.kernel == "none":
            return Routed("chat", (), NAME, confidence)
        if pattern.kernel == "other":
            return declined("this looks like a calculation that no single kernel here does")
        try:
            arguments = pattern.fill(reading)
        except Unfit as unfit:
            return declined(f"this looks like {pattern.kernel}, but {unfit}")
        call = Call(
            pattern.kernel,
            tuple(a.value for a in arguments),
            tuple(a.spans for a in arguments),
        )
        if confidence < self._threshold:
            return declined(f"my best reading is {shortened(str(call), 200)}, at {confidence:.0%}")
        return Routed("calls", (call,), NAME, confidence)
