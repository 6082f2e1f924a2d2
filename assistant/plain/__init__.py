"""The line REPL of `assistant chat --plain`: for terminals, pipes and screen readers."""
