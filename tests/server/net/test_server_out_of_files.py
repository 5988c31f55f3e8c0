"""A server that can open no more files: who is connected goes on, who comes waits, and the log is not flooded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import libremq

_SERVER = """
import os, resource, sys
from libremq.server.net import event_loop
from libremq.testing.serving import served_queue_manager

event_loop._TOLD_EVERY_S = 1e9
said = []
most = resource.getrlimit(resource.RLIMIT_NOFILE)
with served_queue_manager(folder=sys.argv[1]) as served:
    served.event_loop.say = said.append
    print(served.url("mq"), flush=True)
    for line in sys.stdin:
        if line == "tight\\n":
            used = {int(name) for name in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + name)}
            lowest = next(number for number in range(len(used) + 1) if number not in used)
            resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, most[1]))
        elif line == "loose\\n":
            resource.setrlimit(resource.RLIMIT_NOFILE, most)
        print(len([text for text in said if "AMQ9213" in text]), flush=True)
"""


class Server:
    """In a process of its own, whose limit of open files can be changed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.url = self._line()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def tell(self, word: str) -> int:
        """Say it; how often it has said by then that a connection could not be accepted."""
        assert self._process.stdin is not None
        self._process.stdin.write(word + "\n")
        self._process.stdin.flush()
        return int(self._line())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Server(process)
        finally:
            process.kill()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="which files are open is asked of /proc")
def test_who_is_connected_goes_on_and_who_comes_is_let_in_later(server: Server) -> None:
    with libremq.connect(server.url) as qm:
        qm.define_local("Q", defpsist="YES")
        queue = qm.queue("Q")
        queue.put("before")
        server.tell("tight")
        for _ in range(2):
            with pytest.raises(libremq.QueueManagerNotAvailable):
                libremq.connect(f"{server.url}?connect_timeout=2")
            queue.put("meanwhile")
            assert queue.get().text in ("before", "meanwhile")
        assert server.tell("loose") == 1
        with libremq.connect(server.url) as late:
            assert late.queue("Q").get().text == "meanwhile"
