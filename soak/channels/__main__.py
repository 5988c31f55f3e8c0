"""Break everything around three queue managers, and see that their channels deliver once and in order.

    python -m soak.channels [--seconds 300] [--round 20] [--seed N] [--network auto] [--folder FOLDER]

The environment variable LIBREMQ_SOAK_SECONDS says how long, unless `--seconds` does. The exit code is 1 if anything is
wrong; the folder with the evidence is kept then, and the seed is printed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from soak.channels.driver import Driver
from soak.channels.network import enter_as_root
from soak.life import Trouble

_SECONDS = 300.0
_ROUND_S = 20.0
_FINDINGS_SHOWN = 20


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="soak.channels", description="Break channels and check their books.")
    default_s = float(os.environ.get("LIBREMQ_SOAK_SECONDS") or _SECONDS)
    parser.add_argument("--seconds", type=float, default=default_s, help="break things for so long in all")
    parser.add_argument("--round", type=float, default=_ROUND_S, help="check the books after so many seconds")
    parser.add_argument("--seed", type=int, help="of the workload and of the faults")
    parser.add_argument("--network", choices=("auto", "namespaces", "ports"), default="auto")
    parser.add_argument("--folder", type=Path, help="where to keep the data meanwhile")
    chosen = parser.parse_args(arguments)
    if chosen.network != "ports":
        enter_as_root([sys.executable, "-m", "soak.channels", *arguments])
    seed = chosen.seed if chosen.seed is not None else int(time.time())
    folder = Path(tempfile.mkdtemp(prefix="libremq-soak-channels-", dir=chosen.folder))
    print(f"soak of channels: seed {seed}, in {folder}", flush=True)
    try:
        driver = Driver(folder, seed, chosen.network, lambda text: print(text, flush=True))
    except OSError as error:
        print(f"no network: {error}")
        return 1
    began = time.monotonic()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # queue managers must not be left behind
    try:
        driver.create()
        left_s = chosen.seconds
        while left_s > 0 and not driver.findings:
            driver.run_round(min(left_s, chosen.round))
            left_s -= chosen.round
            figures = driver.figures
            print(
                f"round {driver.rounds}: {figures.faults.total()} faults, {figures.committed} messages committed, "
                f"{figures.unknown} commits without an answer, {len(driver.findings)} findings",
                flush=True,
            )
    except KeyboardInterrupt:
        print(f"\ninterrupted; what there is so far is in {folder}")
        return 130
    except Trouble as trouble:
        print(f"{trouble}\nseed {seed}; the evidence is in {folder}")
        return 1
    finally:
        driver.close()
    print(table(driver, time.monotonic() - began))
    if not driver.findings:
        shutil.rmtree(folder)
        return 0
    text = "\n".join(map(str, driver.findings))
    (folder / "findings.txt").write_text(f"seed {seed}, network {driver.network.name}\n{text}\n")
    for finding in driver.findings[:_FINDINGS_SHOWN]:
        print(finding)
    print(f"{len(driver.findings)} findings, seed {seed}; the evidence is in {folder}: findings.txt, ledgers, data")
    return 1


def table(driver: Driver, seconds: float) -> str:
    figures = driver.figures
    rows: list[tuple[str, object]] = [
        ("network", driver.network.name),
        ("duration", f"{seconds:.0f} s in {driver.rounds} rounds"),
        ("longest until all had arrived", f"{driver.settled_s_max:.1f} s"),
        ("faults", figures.faults.total()),
        *((f"  {kind}", count) for kind, count in sorted(figures.faults.items())),
        ("connections or cables cut", driver.network.cuts()),
        ("units of work", figures.units),
        ("  backed out", figures.undone),
        ("  commit not answered", figures.unknown),
        ("    and there", figures.unknown_arrived),
        ("messages committed", figures.committed),
        ("  persistent", figures.persistent),
        ("  not persistent", figures.others),
        ("    and arrived", figures.others_arrived),
        ("answers that came back", figures.answers),
        ("findings", len(driver.findings)),
    ]
    return "\n".join(f"{name:<34}{value}" for name, value in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
