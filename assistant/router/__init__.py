"""From a message to kernel calls: what is asked (the host), and with which numbers (the lexer)."""

from assistant.router.routed import Call, Routed, Router

__all__ = ["Call", "Routed", "Router"]
