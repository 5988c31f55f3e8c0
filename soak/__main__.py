"""`make soak`: kill a working queue manager again and again, and see that nothing is lost, doubled or out of order.

    python -m soak [--kills 200] [--minutes M] [--seed N] [--config NAME] [--longest 1.5] [--folder FOLDER]

The exit code is 1 if anything is wrong; the folder with the evidence is kept then.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from itertools import cycle
from pathlib import Path

from soak.checker import Finding, count
from soak.configurations import CONFIGURATIONS
from soak.life import LONGEST_S, Figures, Life

_KILLS = 200
_SHOWN_EVERY = 10
_FINDINGS_SHOWN = 20
_ALWAYS_COUNTED = ("lost", "doubled", "out of order")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="soak", description="Kill a working queue manager and check its books.")
    parser.add_argument("--kills", type=int, help=f"stop after so many kills (default {_KILLS})")
    parser.add_argument("--minutes", type=float, help="stop after so many minutes")
    parser.add_argument("--seed", type=int, help="of the workload and of the moments of the kills")
    parser.add_argument("--config", choices=sorted(CONFIGURATIONS), help="only this configuration, not all in turn")
    parser.add_argument("--longest", type=float, default=LONGEST_S, help="seconds a worker works at most")
    parser.add_argument("--folder", type=Path, help="where to keep the data meanwhile")
    chosen = parser.parse_args(arguments)
    kills = chosen.kills if chosen.kills or chosen.minutes else _KILLS
    seed = chosen.seed if chosen.seed is not None else int(time.time())
    folder = Path(tempfile.mkdtemp(prefix="libremq-soak-", dir=chosen.folder))
    names = [chosen.config] if chosen.config else list(CONFIGURATIONS)
    print(f"soak: seed {seed}, configurations {', '.join(names)}, in {folder}", flush=True)
    try:
        bad = soak(folder, names, seed, kills, chosen.minutes, chosen.longest)
    except KeyboardInterrupt:
        print(f"\ninterrupted; what there is so far is in {folder}")
        return 130
    if bad is None:
        shutil.rmtree(folder)
        return 0
    print(f"evidence is in {bad.folder}: findings.txt, the ledgers, data, and before (as the kill left it)")
    return 1


def soak(
    folder: Path, names: list[str], seed: int, kills: int | None, minutes: float | None, longest_s: float
) -> Life | None:
    """Kill until it is enough, then check all once more. The life that went wrong, if one did."""
    figures = Figures()
    started = time.monotonic()
    lives = [Life(folder / name, name, seed, figures, longest_s) for name in names]
    progress = Progress(figures)
    bad: Life | None = None
    for life in cycle(lives):
        if kills is not None and figures.kills >= kills:
            break
        if minutes is not None and time.monotonic() - started > 60 * minutes:
            break
        life.kill_once()
        progress.show(life)
        if life.findings:
            bad = life
            break
    if bad is None:
        for life in lives:
            life.check_once()
            if life.findings:
                bad = life
                break
    progress.end()
    findings = bad.findings if bad is not None else []
    for finding in findings[:_FINDINGS_SHOWN]:
        print(finding)
    if len(findings) > _FINDINGS_SHOWN:
        print(f"... and {len(findings) - _FINDINGS_SHOWN} more")
    print(summary(figures, findings))
    print(
        f"{figures.kills_in_restart} of the kills in a restart, {figures.orderly_ends} orderly ends, "
        f"{figures.in_doubt} units of work in doubt, longest restart {figures.restart_s_max * 1000:.0f} ms, "
        f"{time.monotonic() - started:.0f} s"
    )
    return bad


def summary(figures: Figures, findings: list[Finding]) -> str:
    counted = count(findings)
    kinds = [*_ALWAYS_COUNTED, *sorted(set(counted) - set(_ALWAYS_COUNTED))]
    wrong = ", ".join(f"{counted[kind]} {kind}" for kind in kinds)
    return f"{figures.kills} kills, {figures.puts} messages put, {figures.gets} got, {wrong}"


class Progress:
    """One line: in place on a terminal, else one every few kills."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._terminal = sys.stdout.isatty()
        self._next = _SHOWN_EVERY

    def show(self, life: Life) -> None:
        figures = self._figures
        line = (
            f"{figures.kills:4} kills, {figures.puts} put, {figures.gets} got, {figures.in_doubt} in doubt, "
            f"restart {figures.restart_s * 1000:.0f} ms, {life.configuration}"
        )
        if self._terminal:
            print(f"\r{line:<78}", end="", flush=True)
        elif figures.kills >= self._next:
            self._next += _SHOWN_EVERY
            print(line, flush=True)

    def end(self) -> None:
        if self._terminal:
            print()


if __name__ == "__main__":
    sys.exit(main())
