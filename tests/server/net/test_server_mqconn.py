"""Many connections that do nothing: how much memory each takes of a server process, and that others are served."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from helper_peers import Peer, resident_bytes, wait_until
from helper_server import NAME
from helper_server import served as server_process

import libremq
from libremq.mqi import constants as C

IDLE = 2000
BYTES_MAX = 60_000
FILES_NEEDED = IDLE + 200
WARM_UP = 200
QUEUE = "IDLE.Q"


@contextmanager
def open_files(wanted: int) -> Iterator[None]:
    """As many open files as are needed, for this process and those that it starts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"the limit on open files is {hard}; {IDLE} connections need {wanted}")
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def threads_of(process: int) -> int:
    return len(os.listdir(f"/proc/{process}/task"))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory of a process is read from /proc")
def test_two_thousand_idle_connections(tmp_path: Path) -> None:
    """Each has its own socket, has connected, and has a queue open."""
    with open_files(FILES_NEEDED), server_process(tmp_path / "qmgrs" / NAME) as process:
        run = process.start()
        port, server = run.ports[0], run.process_id
        with libremq.connect(f"local:{NAME}?data={tmp_path}") as qm:
            qm.define_local(QUEUE)
            queue = qm.queue(QUEUE)
            for _ in range(WARM_UP):
                queue.put("x")
                assert queue.get().text == "x"
            peers: list[Peer] = []
            try:
                before, threads = resident_bytes(server), 0
                for number in range(IDLE):
                    if number == IDLE // 2:
                        threads = threads_of(server)  # those that do the work of others have all been needed by now
                    peer = Peer(port).connect()
                    peers.append(peer)
                    if number % 2:
                        peer.open(QUEUE, C.MQOO_OUTPUT)
                each = (resident_bytes(server) - before) / IDLE
                assert each < BYTES_MAX, f"{each:.0f} bytes"
                assert threads_of(server) == threads  # none of its own for a connection
                for _ in range(WARM_UP):
                    queue.put("among many")
                    assert queue.get().text == "among many"
                with libremq.connect(f"mq://127.0.0.1:{port}/{NAME}") as another:
                    assert another.queue(QUEUE).depth == 0
            finally:
                for peer in peers:
                    peer.socket.close()
            wait_until(lambda: connections_of(server) < 20, "all of them are gone")
            assert queue.depth == 0


def connections_of(process: int) -> int:
    """Sockets that the process has open."""
    count = 0
    for name in os.listdir(f"/proc/{process}/fd"):
        try:
            count += os.readlink(f"/proc/{process}/fd/{name}").startswith("socket:")
        except OSError:
            continue
    return count
