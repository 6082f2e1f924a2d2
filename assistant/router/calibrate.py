"""How sure hosts are of the calls that they write, against how often those are right.

    python -m assistant.router.calibrate [HOST ...] [--count 100]

Asks questions of held-out phrasings, none of which is among the prompt's examples, and fits
`generate.CALIBRATION` on all of them.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence

from assistant import config
from assistant.hosts import constrained, open_host
from assistant.reading.calibration import fitted
from assistant.router import corpus, filling, generate, symbols
from assistant.router.numbers import read
from assistant.router.places import Message, message
from assistant.router.samples import held_out

HOSTS = ("smollm2-135m-instruct", "gemma-3-270m")
SEED = 2


def questions(count: int, seed: int = SEED) -> Iterator[tuple[str, Message, str]]:
    """(question, the same as it is read, the calls that are right) of `count` phrasings."""
    rng = random.Random(seed)
    known = [p for p in corpus.phrasings() if held_out(p.text) and not _leans(p)]
    for phrasing in rng.sample(known, len(known)):
        if not count:
            return
        example = next(corpus.generate(phrasing, 1, rng))
        asked = message(read(example.question))
        try:
            yield example.question, asked, generate.calls_of(example, asked)
        except symbols.Misread:
            continue
        count -= 1


def _leans(phrasing: corpus.Phrasing) -> bool:
    return phrasing.text.startswith(corpus.BEFORE) or phrasing.family == "follow"


def measured(name: str, count: int) -> list[tuple[float, bool]]:
    """For each question the probability of what the host wrote, and whether that is right."""
    host, settings = open_host(config.load({"host": name})), config.load()
    shown = generate.Shots(p for p in corpus.phrasings() if not held_out(p.text))
    router = generate.GenerateRouter(host, 0.0, settings["router.shots"], lambda: shown)
    found = []
    for question, asked, right in questions(count):
        rules = generate.grammar(asked.places, filling.signatures())
        prompt = router.prompt(question, asked)
        text, probability = constrained.write(host, prompt, rules, generate.MOST_TOKENS)
        found.append((probability, text.strip() == right))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m assistant.router.calibrate")
    parser.add_argument("hosts", nargs="*", default=HOSTS, metavar="HOST")
    parser.add_argument("--count", type=int, default=100, help="questions for each host")
    given = parser.parse_args(arguments)
    found = []
    for name in given.hosts:
        made = measured(name, given.count)
        print(f"{name}: {sum(hit for _, hit in made)} of {len(made)} right", flush=True)
        found += made
    line = fitted([p for p, _ in found], [hit for _, hit in found])
    print(f"Calibration({line.slope:.2f}, {line.shift:.2f})")


if __name__ == "__main__":
    main()
