"""`assistant bench`: how fast the machine is here."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assistant.commands.options import Json
from assistant.console import note, out, out_json


def command(
    json: Json = False,
    rounds: Annotated[
        int, typer.Option("--rounds", min=1, metavar="N", help="Runs of each; the median counts.")
    ] = 9,
) -> None:
    """Measure passes a second, programs, start-up, commands, build and memory."""
    record = collect(rounds)
    out_json(record) if json else _print(record)


def collect(rounds: int) -> dict[str, Any]:
    import vgpu
    from assistant.measure import commands, figures

    machine = vgpu.Machine(engine="sparse")
    note("passes")
    speeds = figures.passes(machine, rounds)
    note("programs")
    programs = figures.programs(machine, rounds)
    note("start-up and memory")
    startup, rss = figures.fresh(min(rounds, 5))
    note("whole commands")
    whole = commands.commands(min(rounds, 5))
    note("build")
    build = figures.build()
    note("the dense engine")
    dense = figures.dense(1)
    return {
        "passes_per_s": {lanes: speed["median"] for lanes, speed in speeds.items()},
        "passes_spread": speeds,
        "lane_instructions_per_s": {
            lanes: int(lanes) * speed["median"] for lanes, speed in speeds.items()
        },
        "programs": programs,
        "startup_s": startup["median"],
        "startup_spread": startup,
        "commands": whole,
        "build_s": sum(build.values()),
        "build": build,
        "rss_mb": rss,
        "dense_passes_per_s": {lanes: speed["median"] for lanes, speed in dense.items()},
        "rounds": rounds,
    }


def _print(record: dict[str, Any]) -> None:
    out(f"medians of {record['rounds']} runs (least to most)\n")
    out("lanes    passes/s                        lane-instructions/s    dense passes/s")
    for lanes, speed in record["passes_spread"].items():
        out(
            f"{lanes:>5} {speed['median']:>11,.0f} {_range(speed, ',.0f'):<22} "
            f"{record['lane_instructions_per_s'][lanes]:>20,.0f} "
            f"{record['dense_passes_per_s'].get(lanes, 0):>17.1f}"
        )
    out("\nprogram      lanes  passes   words  seconds")
    for name, p in record["programs"].items():
        out(
            f"{name:<12} {p['lanes']:>5} {p['passes']:>7} {p['words']:>7}  {p['seconds']:.4f} "
            f"{_range(p, '.4f')}"
        )
    parts = ", ".join(f"{name.removesuffix('_s')} {s:.1f} s" for name, s in record["build"].items())
    out(f"\nstart-up   {record['startup_s']:.2f} s {_range(record['startup_spread'], '.2f')}")
    for name, times in record["commands"].items():
        what = "to its first paint" if name == "app" else "the whole command"
        out(f"{name:<10} {times['median']:.2f} s {_range(times, '.2f')}, {what}")
    out(f"build      {record['build_s']:.1f} s ({parts})")
    out(f"memory     {record['rss_mb']:.0f} MB")


def _range(values: dict[str, float], form: str) -> str:
    return f"({values['low']:{form}} to {values['high']:{form}})"
