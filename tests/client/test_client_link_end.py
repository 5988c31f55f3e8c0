"""The end of a client's socket while another thread has its turn at reading."""

from __future__ import annotations

from pathlib import Path

import pytest
from helper_site import until

import libremq
from libremq.client.remote import remote_link
from libremq.client.remote.remote_link import RemoteLink
from libremq.testing.serving import served_queue_manager


def link_of(queue_manager: libremq.QueueManager) -> RemoteLink:
    """The latest link, which is that of this connection."""
    queue_manager.queue("SYSTEM.DEFAULT.LOCAL.QUEUE").depth  # noqa: B018 - it connects by that
    (found,) = [link for link in remote_link._links if link.broken is None]
    return found


@pytest.mark.parametrize("reads", [False, True])
def test_whoever_reads_last_closes_the_socket(tmp_path: Path, reads: bool) -> None:
    with served_queue_manager("QM1", folder=tmp_path) as served:
        link = link_of(libremq.connect(served.url("local")))
        if reads:  # as the thread does that looks after all links
            link._turn.acquire()
        link.close()
        if reads:
            assert link._socket.fileno() >= 0
            link._release_turn()
        until(lambda: link._socket.fileno() == -1)  # that thread may have its turn at this very moment
