"""Confidence: what is said, against how often it is right."""

import random

import pytest

from assistant.reading.calibration import Calibration, bins, fitted


def overconfident(count):
    """Says p; is right with probability p / 2."""
    rng = random.Random(4)
    said = [rng.uniform(0.05, 0.999) for _ in range(count)]
    return said, [rng.random() < p / 2 for p in said]


def test_an_overconfident_score_is_brought_down():
    said, right = overconfident(4000)
    calibration = fitted(said, right)
    told = [calibration(p) for p in said]
    assert sum(told) / len(told) == pytest.approx(sum(right) / len(right), abs=0.01)

    def off(scores):
        found = bins(scores, right)
        return sum(n * abs(mean - share) for n, mean, share in found) / len(right)

    assert off(told) < off(said) / 3


def test_order_is_kept_and_the_ends_are_in_range():
    calibration = fitted(*overconfident(1000))
    told = [calibration(p) for p in (0.0, 0.1, 0.5, 0.9, 1.0)]
    assert told == sorted(told) and told[0] > 0 and told[-1] < 1


def test_nothing_is_learnt_from_one_kind_of_outcome():
    assert fitted([0.5, 0.6], [True, True]) == Calibration()
