"""A host writes a kernel for a task: the prompt, and what is made of the text that comes back."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import prompts
from assistant.advanced import cuda_grammar, cuda_names
from assistant.advanced import extent as extents
from assistant.advanced.extent import Extent
from assistant.advanced.library import Entry
from assistant.advanced.task import Task, one_line

HEADER = re.compile(r"// gives (?P<extent>\S+); order (?P<order>free|matters)\n")
_MOST_PROBLEM = 200  # characters of a diagnostic that the host is told


@dataclass(frozen=True)
class Draft:
    """A kernel as it was written, and what its writer says of it. `whole` is False when it was cut
    off; `probability` is what the host gave the text; `after_examples`: it was shown examples."""

    source: str
    extent: Extent
    order_free: bool
    probability: float = 1.0
    whole: bool = True
    after_examples: bool = True


@dataclass(frozen=True)
class Order:
    """What is to be written, for the `number`th time. `failed` is an earlier draft with what was
    wrong with it; `serial` asks for a kernel in which one thread does all."""

    task: Task
    examples: Sequence[Entry]
    failed: tuple[Draft, str] | None = None
    temperature: float = 0.0
    seed: int = 0
    serial: bool = False
    number: int = 1


class Writer(Protocol):
    """Who writes kernels: a host, or the reference kernels of an evaluation."""

    label: str

    def load(self) -> Any: ...

    def write(self, order: Order, cancelled: threading.Event) -> Draft: ...


class HostWriter:
    """A language model, held to the grammar."""

    def __init__(self, host: Any, most_tokens: int) -> None:
        self._host, self._most = host, most_tokens
        self.label: str = host.label

    def load(self) -> Any:
        return self._host.load()

    @cached_property
    def _texts(self) -> dict[str, str]:
        return dict(prompts.parsed(prompts.text("advanced.yaml")))

    def write(self, order: Order, cancelled: threading.Event) -> Draft:
        """Raises Cancelled, and RunError when the host fails."""
        from assistant.hosts import constrained

        task = order.task
        said = [str(task.extent)] if task.extent else None
        grammar = cuda_grammar.grammar(
            task.signature,
            said or extents.choices([p.name for p in task.signature.scalars]),
            cuda_names.names_for(entry.source for entry in order.examples),
            serial=order.serial,
        )
        text, probability = constrained.write(
            self._host, self.prompt(order), grammar, self._most,
            temperature=order.temperature, seed=order.seed, cancelled=cancelled,
        )  # fmt: skip
        return read(text, task, probability)

    def prompt(self, order: Order) -> str:
        """The rules, the examples with the nearest last, what failed, and the task."""
        parts = [self._texts["rules"]]
        for entry in reversed(order.examples):
            parts.append(self._put("example", entry.wordings[0], entry.header, entry.source))
        if order.failed is not None:
            draft, problem = order.failed
            shown = self._put("failed", order.task.said, header_of(draft), draft.source)
            parts.append(shown.replace("{problem}", one_line(problem)[:_MOST_PROBLEM]))
        parts.append(self._put("task", order.task.said))
        return "\n".join(parts)

    def _put(self, name: str, task: str, header: str = "", source: str = "") -> str:
        """A text of the file with its places filled; what is filled in is not looked at again."""
        filled = {"task": task, "header": header, "source": source.strip()}
        return re.sub(r"\{(task|header|source)\}", lambda m: filled[m[1]], self._texts[name])


def header_of(draft: Draft) -> str:
    from assistant.advanced.library import header

    return header(draft.extent, draft.order_free)


def read(text: str, task: Task, probability: float) -> Draft:
    """The draft of a text that the grammar let pass, perhaps cut off."""
    head = HEADER.match(text)
    if head is None:
        return Draft(text, task.extent or Extent(), False, probability, whole=False)
    source = text[head.end() :]
    extent = extents.parse(head["extent"], [p.name for p in task.signature.scalars])
    whole = source.endswith("\n}\n")
    return Draft(source, extent, head["order"] == "free", probability, whole)
