"""`python -m assistant`."""

import sys


def main() -> int:
    """The command line's exit status. Ctrl-C may come while it is still being imported."""
    try:
        from assistant.cli import main as run

        return run()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr, flush=True)
        return 130


if __name__ == "__main__":
    sys.exit(main())
