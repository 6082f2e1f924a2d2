"""PTX text → `Module`. The grammar is grammar.lark; positions are kept for error messages."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput, VisitError

from codegen.errors import CompileError, place
from codegen.ptx import ast, constants, tables
from codegen.ptx.complaints import check_comments, check_nesting, explain
from codegen.ptx.literals import float_bits, integer

MAX_BYTES: Final = 4 << 20
_INLINED: Final = re.compile(r"@\[ (.+?):(\d+):(\d+)(?= \]| @\[)")


def parse(text: str, name: str = "kernel.ptx") -> ast.Module:
    """The module that `text` spells.

    Raises CompileError (`name:line:column: …`) on a syntax error or a truncated file.
    """
    if len(text) > MAX_BYTES:
        raise CompileError(f"{name}: {len(text):,} characters of PTX; at most {MAX_BYTES:,}")
    if "\x00" in text:
        raise CompileError(f"{name}: not a text file")
    check_comments(text, name)
    check_nesting(text, name)
    try:
        tree = _grammar().parse(text)
        module = _Builder(text).transform(tree)
    except VisitError as error:
        if isinstance(error.orig_exc, _PtxError):
            position = error.orig_exc.position
            raise CompileError(
                place(name, position.line, position.column, str(error.orig_exc))
            ) from error
        if isinstance(error.orig_exc, RecursionError):
            raise CompileError(f"{name}: an expression is nested too deeply") from None
        if isinstance(error.orig_exc, ValueError):
            where = getattr(error.obj, "meta", None) or error.obj
            line, column = getattr(where, "line", 0) or 0, getattr(where, "column", 0) or 0
            raise CompileError(place(name, line, column, "not a number that PTX has")) from error
        raise
    except RecursionError:
        raise CompileError(f"{name}: an expression is nested too deeply") from None
    except UnexpectedInput as error:
        raise CompileError(explain(error, text, name)) from error
    assert isinstance(module, ast.Module)
    return module


class _PtxError(Exception):
    def __init__(self, token: Token, message: str) -> None:
        super().__init__(message)
        self.position = _position(token)


@cache
def _grammar() -> Lark:
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return tables.lark_of(grammar, propagate_positions=True, maybe_placeholders=True)


def _position(token: Token) -> ast.Position:
    return ast.Position(token.line or 0, token.column or 0)


def _constant(number: ast.Number) -> constants.Constant:
    return constants.constant(number.value)


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """Turns the parse tree, rule by rule, into the records of `codegen.ptx.ast`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._lines = text.split("\n")

    def start(self, *items: Any) -> ast.Module:
        module = ast.Module()
        for item in items:
            match item:
                case ("version", version):
                    module.version = version
                case ("address_size", size):
                    module.address_size = size
                case ("file", number, path):
                    module.files.setdefault(number, path)
                case ("alias", name, target):
                    module.aliases[name] = target
                case ast.Variable():
                    module.variables.append(item)
                case ast.Function():
                    module.functions.append(item)
                    for number, path in self._files:
                        module.files.setdefault(number, path)
        return module

    _files: tuple[tuple[int, str], ...] = ()

    # ---- directives ----
    def version(self, number: Token) -> tuple[str, str]:
        return ("version", str(number))

    def target(self, *names: Token) -> None:
        return None

    def address_size(self, size: Token) -> tuple[str, int]:
        if size not in ("32", "64"):
            raise _PtxError(size, "address size must be 32 or 64")
        return ("address_size", int(size))

    def file(self, number: Token, path: Token, *_: Token) -> tuple[str, int, str]:
        record = (integer(number), str(path)[1:-1])
        self._files = (*self._files, record)
        return ("file", *record)

    def alias(self, name: Token, target: Token) -> tuple[str, str, str]:
        return ("alias", str(name), str(target))

    def bank(self, _: Token) -> tuple[str, None]:
        return ("bank", None)

    def section(self, _: Token) -> None:
        return None

    def pragma(self, *_: Token) -> None:
        return None

    def loc(self, file: Token, line: Token, column: Token, *more: Any) -> ast.Loc:
        comment = self._lines[(file.line or 1) - 1]
        sites = _INLINED.findall(comment)
        calls = tuple((path, int(at), int(place)) for path, at, place in sites)
        if len(more) == 6:  # function_name L, inlined_at file line column
            at, row, place = map(integer, more[3:])
            calls = ((dict(self._files).get(at, ""), row, place),)
        return ast.Loc(integer(file), integer(line), integer(column), calls)

    # ---- declarations ----
    def linkage(self, word: Token) -> str:
        return str(word)

    def q_type(self, word: Token) -> tuple[str, str]:
        return ("type", str(word)[1:])

    def q_align(self, number: Token) -> tuple[str, int]:
        return ("align", integer(number))

    def q_pointer(self, _: Token) -> tuple[str, bool]:
        return ("pointer", True)

    def q_space(self, _: Token) -> tuple[str, None]:
        return ("space", None)

    def q_attribute(self, *_: Any) -> tuple[str, None]:
        return ("attribute", None)

    def extent(self, number: Token | None) -> int:
        return integer(number) if number is not None else 0

    def initial_list(self, *values: Any) -> tuple[ast.Operand, ...]:
        flat: list[ast.Operand] = []
        for value in values:
            flat.extend(value if isinstance(value, tuple) else [] if value is None else [value])
        return tuple(flat)

    def masked(self, mask: Token, name: ast.Name) -> ast.Operand:
        return ast.Part(name.text, name.offset, int(mask, 16))

    def generic(self, name: Token, offset: ast.Number | None) -> ast.Name:
        return ast.Name(str(name), offset.value if offset is not None else 0)

    def declarator(self, name: Token, *rest: Any) -> tuple[Token, list[int], Any]:
        return (name, list(rest[:-1]), rest[-1])

    def _variable(self, space: str, parts: tuple[Any, ...]) -> ast.Variable:
        *before, (name, extents, values) = parts
        qualifiers = [p for p in before if isinstance(p, tuple)]
        types = [value for key, value in qualifiers if key == "type"]
        scalar = [t for t in types if not t.startswith("v")]
        if not scalar:
            raise _PtxError(name, f"variable {name} has no type")
        count = 1
        for extent in extents:
            count *= extent
        count *= next((int(t[1:]) for t in types if t.startswith("v")), 1)
        if values is not None and not isinstance(values, tuple):
            values = (values,)
        if values is not None and extents and count == 0:
            count = len(values)
        element = max(1, int("".join(c for c in scalar[-1] if c.isdigit()) or 8) // 8)
        pointer = any(key == "pointer" for key, _ in qualifiers)
        # `.ptr .align n` tells of what is pointed to, not of the parameter
        aligns = [value for key, value in qualifiers if key == "align"] if not pointer else []
        return ast.Variable(
            space=space,
            type=scalar[-1],
            name=str(name),
            count=count,
            align=max([element, *aligns]),
            position=_position(name),
            values=values,
            external=".extern" in before,
            pointer=pointer,
            array=bool(extents),
        )

    def variable(self, *parts: Any) -> ast.Variable:
        at = next(i for i, p in enumerate(parts) if isinstance(p, Token))
        return self._variable(str(parts[at])[1:], parts[:at] + parts[at + 1 :])

    def param(self, space: Token, *parts: Any) -> ast.Variable:
        return self._variable(str(space)[1:], parts)

    def top(self, variable: ast.Variable) -> ast.Variable:
        return variable

    def local(self, variable: ast.Variable) -> ast.Variable:
        return variable

    def params(self, *items: ast.Variable | None) -> tuple[ast.Variable, ...]:
        return tuple(item for item in items if item is not None)

    returns = params

    def attribute(self, *_: Any) -> None:
        return None

    def function(self, *parts: Any) -> ast.Function:
        parts = tuple(p for p in parts if not isinstance(p, str) or isinstance(p, Token))
        kind, returns, name, params, *rest = parts
        body = next((item for item in rest if isinstance(item, list)), None)
        return ast.Function(
            entry=kind == ".entry",
            name=str(name),
            returns=returns or (),
            params=params or (),
            body=tuple(body) if body is not None else None,
            position=_position(name),
        )

    def body(self, *items: Any) -> list[ast.Statement]:
        flat: list[ast.Statement] = []
        for item in items:
            if isinstance(item, list):
                flat.extend(item)
            elif isinstance(item, ast.Statement):
                flat.append(item)
        return flat

    @v_args(inline=False, meta=True)
    def scope(self, meta: Any, items: list[Any]) -> list[ast.Statement]:
        opening = ast.Scope(True, ast.Position(meta.line, meta.column))
        closing = ast.Scope(False, ast.Position(meta.end_line, meta.end_column))
        return [opening, *self.body(*items), closing]

    # ---- statements ----
    def reg_name(self, name: Token, count: Token | None) -> tuple[Token, int | None]:
        return (name, integer(count) if count is not None else None)

    def registers(self, type_: Token, *names: Any) -> ast.Registers:
        if isinstance(names[0], Token):
            raise _PtxError(names[0], "vector registers are not supported")
        listed = tuple((str(name), count) for name, count in names)
        return ast.Registers(str(type_)[1:], listed, _position(type_))

    def targets(self, *names: Token) -> ast.Targets:
        return ast.Targets(tuple(str(n) for n in names), _position(names[0]))

    def prototype(self, *_: Any) -> None:
        return None

    def label(self, token: Token) -> ast.Label:
        return ast.Label(str(token)[:-1].strip(), _position(token))

    def guard(self, negation: Token | None, name: Token) -> tuple[str, bool]:
        return (str(name), negation is not None)

    @v_args(inline=False, meta=True)
    def instruction(self, meta: Any, items: list[Any]) -> ast.Instruction:
        guard, opcode, *operands = items
        text = " ".join(self._text[meta.start_pos : meta.end_pos].split())
        return ast.Instruction(
            opcode=str(opcode),
            operands=tuple(o for o in operands if o is not None),
            guard=guard[0] if guard else None,
            negated=guard[1] if guard else False,
            position=ast.Position(meta.line, meta.column),
            text=text.rstrip(";"),
        )

    # ---- operands ----
    def number(self, token: Token) -> ast.Number:
        return ast.Number(integer(token))

    def bracketed(self, number: ast.Number) -> ast.Number:
        return number

    def unary(self, sign: Token, number: ast.Number) -> ast.Number:
        return ast.Number(constants.unary(str(sign), _constant(number)).value)

    def sequence(self, *parts: ast.Number | Token) -> ast.Number:
        items: list[constants.Constant | str] = []
        for part in parts:
            if isinstance(part, ast.Number):
                items.append(_constant(part))
            elif part.type == "NEGATIVE":  # `a -4` and `a-4`: a difference
                items += ["+", constants.constant(integer(part))]
            else:
                items.append(str(part))
        try:
            return ast.Number(constants.evaluate(items).value)
        except (ZeroDivisionError, ValueError) as error:
            first = next(p for p in parts if isinstance(p, Token))
            why = "division by zero" if isinstance(error, ZeroDivisionError) else str(error)
            raise _PtxError(first, f"constant expression: {why}") from error

    def float(self, token: Token) -> ast.FloatBits:
        return float_bits(token)

    def name(self, name: Token) -> ast.Name:
        return ast.Name(str(name))

    def name_sum(self, name: Token | ast.Name, offset: ast.Number) -> ast.Name:
        if isinstance(name, ast.Name):
            return ast.Name(name.text, name.offset + offset.value)
        return ast.Name(str(name), offset.value)

    def name_less(self, name: Token, offset: Token) -> ast.Name:
        return ast.Name(str(name), integer(offset))

    def negation(self, _: Token, name: Token) -> ast.Not:
        return ast.Not(str(name))

    def pair(self, first: Token, second: Token) -> ast.Pair:
        return ast.Pair(str(first), str(second))

    def vector(self, *items: ast.Operand) -> ast.Vector:
        return ast.Vector(items)

    def group(self, *items: ast.Operand) -> ast.Group:
        return ast.Group(items)

    def texel(self, name: Token, *_: ast.Operand) -> ast.Group:
        """`[texture, {x, y}]`, which only the instructions of textures have."""
        return ast.Group((ast.Name(str(name)),))

    def at_name(self, name: Token) -> ast.Address:
        return ast.Address(str(name), 0)

    def at_sum(self, name: Token, offset: ast.Number) -> ast.Address:
        return ast.Address(str(name), offset.value)

    def at_difference(self, name: Token, offset: Token) -> ast.Address:
        return ast.Address(str(name), integer(offset))

    def at_absolute(self, offset: ast.Number) -> ast.Address:
        return ast.Address(None, offset.value)

    def address(self, address: ast.Address) -> ast.Address:
        return address
