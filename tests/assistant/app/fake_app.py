"""The app with the fake assistant, as a program: `python fake_app.py FOLDER [--continue]`."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from assistant import ending
from assistant.__main__ import main
from assistant.app import run_to_end


def run() -> int:
    import vgpu

    spec = importlib.util.spec_from_file_location("fakes", Path(__file__).with_name("conftest.py"))
    fakes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fakes)
    kept = fakes.Kept(Path(sys.argv[1]), vgpu.Machine(engine="interpreter"))
    app = kept.app(resume=kept.store.latest() if "--continue" in sys.argv else None)
    return run_to_end(app)


if __name__ == "__main__":
    ending.end_in_order()
    sys.exit(main(run))
