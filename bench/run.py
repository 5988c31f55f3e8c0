"""`make bench`: speed and depth of the embedded queue manager, next to its peers and to the device, in one run.

    python bench/run.py [--quick] [--folder FOLDER] [--only speed|depth]
"""

from __future__ import annotations

import argparse
import gc
import time

import depth
import embedded
from machine import data_folder, describe


def main() -> None:
    parser = argparse.ArgumentParser(description="The benchmarks of LibreMQ: one command, one table.")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, a queue of 100 000 messages")
    parser.add_argument("--folder", help="where to keep the data meanwhile; on a disk, not in memory")
    parser.add_argument("--only", choices=("speed", "depth"), help="one half of the benchmarks")
    chosen = parser.parse_args()
    started = time.perf_counter()
    with data_folder(chosen.folder) as folder:
        print(describe(folder))
        if chosen.only != "depth":
            embedded.run(folder, rounds=5 if chosen.quick else 11, scale=0.5 if chosen.quick else 1.0)
            gc.collect()
        if chosen.only != "speed":
            depth.run(folder, 100_000 if chosen.quick else 1_000_000)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
