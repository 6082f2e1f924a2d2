"""The `/` commands, pasted kernels and completion, shared by the app and the line REPL."""

from assistant.slash.commands import COMMANDS, Command, help_text, is_command, parse
from assistant.slash.complete import Candidate, complete
from assistant.slash.outcomes import Changed, Copied, Left, Opened, Outcome, Said, Shown, Work
from assistant.slash.request import InputsNeeded, Request, is_options, is_source, pasted
from assistant.slash.running import Ran, Started, run_request
from assistant.slash.session import Session, describe

__all__ = [
    "COMMANDS",
    "Candidate",
    "Changed",
    "Command",
    "Copied",
    "InputsNeeded",
    "Left",
    "Opened",
    "Outcome",
    "Ran",
    "Request",
    "Said",
    "Session",
    "Shown",
    "Started",
    "Work",
    "complete",
    "describe",
    "help_text",
    "is_command",
    "is_options",
    "is_source",
    "parse",
    "pasted",
    "run_request",
]
