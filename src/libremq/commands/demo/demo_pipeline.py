"""The fifth part of `make demo`: dumps of a simulated site become findings, a forecast and a report.

It types the commands that a user would type, one after the other, in one process, so that Spark starts once.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
import time
from pathlib import Path

from libremq.commands import main as cli

REPORT = "demo-report.html"
SICK = ("log-buffers-short", "pool-short", "adapters-busy")


def main() -> int:
    started = time.monotonic()
    report = Path(REPORT).absolute()
    print("\nLibreMQ demo, fifth part: what is wrong with these queue managers, and when will they run out?\n")
    with tempfile.TemporaryDirectory(prefix="libremq-demo-") as folder:
        os.chdir(folder)
        try:
            for words in _commands(report):
                print(f"$ libremq {shlex.join(words)}", flush=True)
                code = cli.main(words)
                print(flush=True)
                if code:
                    return code
        finally:
            os.chdir(report.parent)
    print(f"{time.monotonic() - started:.0f} seconds in all. Open {REPORT} in a browser; it needs no network.")
    return 0


def _commands(report: Path) -> list[list[str]]:
    sick = [word for name in SICK for word in ("--sick", name)]
    return [
        ["pipeline", "generate", "site", "--days", "15", "--queue-managers", "4", "--interval", "60", *sick],
        ["pipeline", "ingest", "site/dumps", "--quiet"],
        ["pipeline", "findings", "--site", "site/site.json", "--severity", "warning"],
        ["pipeline", "ask", "log-ceiling", "--site", "site/site.json", "--qmgr", "QM01"],
        ["plan", "log", "--message-bytes", "4096", "--messages-per-second", "500"],
        ["pipeline", "report", "--site", "site/site.json", "-o", str(report)],
    ]


if __name__ == "__main__":
    sys.exit(main())
