"""Data are parameters. A program in which they stand as literals computes nothing of them.

What the compiler could work out from literals it works out, outside the network. So a literal that
is one of the task's scalars becomes that parameter again, and a program that holds a list of the
data is refused.
"""

from __future__ import annotations

import re

from assistant.advanced.signature import OUT
from assistant.advanced.task import SMALL, Task, lists_of

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?![\w.])")
_RUN = 3  # literals in the order of the data that are taken for the data


def without_comments(source: str) -> str:
    return _COMMENT.sub(" ", source)


def lifted(source: str, task: Task) -> tuple[str, list[str]]:
    """The source with literals that are scalars of the task replaced by the parameter, where the
    parameter is not used itself; and what was replaced.

    Small numbers stay: "3 % 2" says nothing of where the 2 comes from.
    """
    at = source.find("{")
    if at < 0:
        return source, []
    head, body, found = source[:at], source[at:], []
    lengths = {len(values) for _name, values in lists_of(task.inputs)}
    for parameter in task.signature.scalars:
        value = task.inputs[parameter.name]
        if not isinstance(value, int) or value in lengths or abs(value) <= SMALL:
            continue
        if re.search(rf"\b{parameter.name}\b", body):
            continue
        changed = _replaced(body, abs(value), parameter.name)
        if changed != body:
            sign = "-" if value < 0 else ""
            body = changed.replace(f"-{parameter.name}", parameter.name) if sign else changed
            found.append(f"{value} is {parameter.name}")
    return head + body, found


def _replaced(body: str, value: int, name: str) -> str:
    return _NUMBER.sub(lambda m: name if _value(m[1]) == value else m[0], body)


def problem(source: str, task: Task) -> str:
    """Why the program's text does not read its data as parameters; empty when it may."""
    text = without_comments(source)
    body = text[text.find("{") :]
    numbers = [_value(m[1]) for m in _NUMBER.finditer(body)]
    for name, values in lists_of(task.inputs):
        if _holds(numbers, [abs(v) for v in values]):
            return f"the numbers of {name} stand in the program: read them from {name}"
    if not any(re.search(rf"\b{name}\b", body) for name in task.inputs):
        return f"the program reads none of its data ({', '.join(task.inputs)})"
    if not re.search(rf"\b{OUT}\b", body):
        return f"nothing is written to {OUT}"
    return ""


def _holds(numbers: list[int], values: list[int]) -> bool:
    """True when a piece of the data stands among the numbers in its order."""
    run = min(_RUN, len(values))
    pieces = {tuple(values[i : i + run]) for i in range(len(values) - run + 1)}
    # 0, 1, 2 in a row are in many a program.
    pieces = {piece for piece in pieces if any(v > SMALL for v in piece)}
    return any(tuple(numbers[i : i + run]) in pieces for i in range(len(numbers) - run + 1))


def _value(text: str) -> int:
    return int(text, 16) if text[:2].lower() == "0x" else int(text)
