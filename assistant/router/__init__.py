"""From a message to kernel calls: what is asked (the host), and with which numbers (the lexer)."""

from assistant.router.routed import Before, Call, Routed, Router

__all__ = ["Before", "Call", "Routed", "Router"]
