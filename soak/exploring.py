"""The tests that hypothesis draws examples for, with examples that nobody has tried: `make test` repeats the same ones.

    python -m soak.exploring [--seed N] [PYTEST ARGUMENTS]

The seed is printed first; with it, the same examples come again. The exit code is that of pytest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path


def command(seed: int, more: list[str]) -> list[str]:
    """Only tests that hypothesis marks as its own; as many at a time as there are processors, unless told."""
    workers = [] if any(one.startswith("-n") for one in more) else ["-n", "auto"]
    return [sys.executable, "-m", "pytest", "-m", "hypothesis", f"--hypothesis-seed={seed}", *workers, *more]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="soak.exploring", description="Property tests with new examples.")
    parser.add_argument("--seed", type=int, help="of the examples")
    chosen, more = parser.parse_known_args(arguments)
    seed = chosen.seed if chosen.seed is not None else int(time.time())
    print(f"exploring: to try the same again, python -m soak.exploring --seed {seed}", flush=True)
    environment = {**os.environ, "LIBREMQ_HYPOTHESIS": "explore"}
    return subprocess.run(command(seed, more), env=environment, cwd=Path(__file__).parents[1]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
