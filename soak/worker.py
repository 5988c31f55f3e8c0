"""The worker process: starts the queue manager, lists what is there, then works until it is killed.

    python -m soak.worker FOLDER CONFIGURATION RUN SEED

It says `starting` and `ready` on its standard output, and waits for `go` before it changes anything: what it listed
is what the restart left. `end` on its standard input ends it in good order; the end of that file kills it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from urllib.parse import quote

import libremq
from libremq import QueueManager
from soak.configurations import CONFIGURATIONS
from soak.queues import QUEUES
from soak.thread import identify
from soak.workload import Workload

NAME = "SOAK"


def main(folder: Path, configuration_name: str, run: int, seed: int) -> None:
    configuration = CONFIGURATIONS[configuration_name]
    data = folder / "data"
    _tell("starting")
    began = time.monotonic()
    qm = libremq.connect(
        f"embedded:{NAME}?create=1&data={quote(str(data))}",
        application="soak",
        log_config=configuration.log_config(data),
        limits=configuration.limits,
        say=lambda text: print(text, file=sys.stderr, flush=True),
    )
    restart_s = time.monotonic() - began
    define_queues(qm)
    branches = observe(qm, folder / "seen.json", restart_s)
    _tell("ready")
    if _told() != "go":
        os._exit(2)
    workload = Workload(qm, folder / "ledger" / str(run), run, seed, configuration.message_bytes_max)
    workload.start(branches)
    if _told() != "end":
        os._exit(2)
    workload.stop()
    qm.close()


def define_queues(qm: QueueManager) -> None:
    """Make the queues that are not there yet."""
    known = set(qm.queue_names("SOAK.*"))
    for queue in QUEUES.values():
        if queue.name not in known:
            qm.define_local(
                queue.name,
                msgdlvsq="fifo" if queue.fifo else "priority",
                npmclass="high" if queue.keeps_nonpersistent else "normal",
                maxdepth=queue.depth_max,
            )


def observe(qm: QueueManager, path: Path, restart_s: float = 0.0) -> list[str]:
    """List all queues, and the units of work in doubt, in a file; the names of those."""
    branches = sorted(xid.decode() for xid in qm.in_doubt())
    queues = {}
    now = time.monotonic_ns()
    for name in QUEUES:
        with qm.queue(name) as queue, queue.browse() as messages:
            queues[name] = [[*identify(one, name), one.priority, one.persistent] for one in messages]
    listing = {"time": now, "restart_s": restart_s, "branches": branches, "queues": queues}
    new = path.with_suffix(".new")
    new.write_text(json.dumps(listing))
    new.replace(path)
    return branches


def _tell(what: str) -> None:
    print(what, flush=True)


def _told() -> str:
    return sys.stdin.readline().strip()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
