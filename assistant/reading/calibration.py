"""From a read-out's own probability to how often a reading like it is right.

Fitted on questions whose phrasings were held out. [Platt 1999, probabilities from scores]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

_LEAST = 1e-6


@dataclass(frozen=True)
class Calibration:
    """`slope` and `shift` of the logit; 1 and 0 leave a probability as it is."""

    slope: float = 1.0
    shift: float = 0.0

    def __call__(self, probability: float) -> float:
        return 1 / (1 + math.exp(-(self.slope * _logit(probability) + self.shift)))


def _logit(probability: float) -> float:
    bounded = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded))


def fitted(probabilities: Sequence[float], right: Sequence[bool]) -> Calibration:
    """The likeliest slope and shift for what was said and what was right."""
    if len(set(right)) < 2:
        return Calibration()
    logits = torch.tensor([_logit(p) for p in probabilities], dtype=torch.float64)
    hits = torch.tensor(right, dtype=torch.float64)
    line = torch.tensor([1.0, 0.0], dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([line], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        error = torch.nn.functional.binary_cross_entropy_with_logits(
            line[0] * logits + line[1], hits
        )
        error.backward()
        return error

    optimiser.step(loss)
    return Calibration(*line.detach().tolist())


def bins(
    probabilities: Sequence[float], right: Sequence[bool], count: int = 10
) -> list[tuple[int, float, float]]:
    """(questions, mean probability, share right) of each tenth that has any."""
    found = []
    for low in range(count):
        own = [
            (p, hit)
            for p, hit in zip(probabilities, right, strict=True)
            if min(int(p * count), count - 1) == low
        ]
        if own:
            n = len(own)
            found.append((n, sum(p for p, _ in own) / n, sum(hit for _, hit in own) / n))
    return found
