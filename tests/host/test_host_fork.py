"""Connections over sockets in the child of a fork: they are the parent's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from libremq.testing.serving import served_queue_manager

SCRIPT = """
import os, sys, libremq
url = sys.argv[1]
qm = libremq.connect(url)
qm.define_local("Q")
queue = qm.queue("Q")
queue.put("before")
closed = libremq.connect(url)
closed.close()  # its line is known for a while, without a socket
child = os.fork()
if child == 0:
    try:
        queue.get()
    except libremq.MQError as error:
        print(error.reason, flush=True)
    qm.close()
    with libremq.connect(url) as own:
        print(own.queue("Q").get().text, flush=True)
    os._exit(0)
os.waitpid(child, 0)
queue.put("after")
print([message.text for message in queue])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("scheme", ["mq", "local"])
def test_a_fork_after_other_connections_were_closed(tmp_path: Path, scheme: str) -> None:
    with served_queue_manager(folder=tmp_path) as served:
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT, served.url(scheme)], capture_output=True, text=True, check=False
        )
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == ["2018", "before", "['after']"]
