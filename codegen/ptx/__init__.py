"""PTX: a grammar, a parser that keeps positions, and records for what it read."""

from codegen.ptx.ast import Module
from codegen.ptx.parser import parse

__all__ = ["Module", "parse"]
