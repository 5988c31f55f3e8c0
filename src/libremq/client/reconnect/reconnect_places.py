"""Which of the queue managers that answer a connection may go to when it reconnects."""

from __future__ import annotations

from collections.abc import Callable

from libremq.client.remote.remote_connection import RemoteConnection
from libremq.client.remote.remote_link import RemoteLink

Fits = Callable[[RemoteLink], bool]


def named_alike(link: RemoteLink) -> bool:
    """MQCNO_RECONNECT: any that has the name that was asked for."""
    return link.address.any_name or link.agreed.queue_manager in ("", link.address.name)


def same_queue_manager(first: RemoteConnection) -> Fits:
    """MQCNO_RECONNECT_Q_MGR: the one that this connection went to, wherever it runs now."""
    name, identifier = first.qmgr_name, first.link.agreed.queue_manager_id

    def fits(link: RemoteLink) -> bool:
        agreed = link.agreed
        return agreed.queue_manager == name and agreed.queue_manager_id == identifier

    return fits
