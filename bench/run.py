"""`make bench`: speed and depth of the embedded queue manager, next to its peers and to the device, in one run.

python bench/run.py [--quick] [--folder FOLDER] [--only PART]
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable

import checkpoints
import committers
import depth
import fairness
import idle
import processor
import replay
import servers
import write_integrity
from machine import data_folder, describe

import channels


def _speed(folder: str, quick: bool) -> None:
    import embedded  # the one part that needs the peers installed

    embedded.run(folder, rounds=5 if quick else 11, scale=0.5 if quick else 1.0)


def _force(folder: str, quick: bool) -> None:
    committers.run(folder, rounds=3 if quick else 9, seconds=0.2 if quick else 0.6)


def _integrity(folder: str, quick: bool) -> None:
    write_integrity.run(folder, seconds=1.0 if quick else 5.0)


def _checkpoint(folder: str, quick: bool) -> None:
    checkpoints.run(
        folder,
        messages=100_000,
        changes=10_000 if quick else 40_000,
        rounds=2 if quick else 9,
        seconds=0.5 if quick else 1.0,
    )


def _restart(folder: str, quick: bool) -> None:
    replay.run(folder, 50_000 if quick else 1_000_000)


def _depth(folder: str, quick: bool) -> None:
    depth.run(folder, 100_000 if quick else 1_000_000)


def _servers(folder: str, quick: bool) -> None:
    servers.run(folder, rounds=3 if quick else 9, seconds=0.15 if quick else 0.4)


def _idle(folder: str, quick: bool) -> None:
    idle.run(folder, rounds=3 if quick else 9, seconds=0.5 if quick else 1.0)


def _processor(folder: str, quick: bool) -> None:
    processor.run(folder, 3 if quick else 9)


def _fairness(folder: str, quick: bool) -> None:
    fairness.run(folder, fairness.QUICK if quick else fairness.FULL)


def _channels(folder: str, quick: bool) -> None:
    channels.run(folder, channels.QUICK if quick else channels.FULL)


PARTS: dict[str, Callable[[str, bool], None]] = {
    "speed": _speed,
    "force": _force,
    "integrity": _integrity,
    "checkpoint": _checkpoint,
    "restart": _restart,
    "depth": _depth,
    "servers": _servers,
    "idle": _idle,
    "processor": _processor,
    "fairness": _fairness,
    "channels": _channels,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="The benchmarks of LibreMQ: one command, one table.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, a queue of 100 000 messages")
    parser.add_argument("--folder", help="where to keep the data meanwhile; on a disk, not in memory")
    parser.add_argument("--only", choices=tuple(PARTS), help="one part of the benchmarks")
    chosen = parser.parse_args()
    started = time.perf_counter()
    with data_folder(chosen.folder) as folder:
        print(describe(folder))
        for name, part in PARTS.items():
            if chosen.only in (None, name):
                part(folder, chosen.quick)
                gc.collect()
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
