"""Server-connection channels: which definition a client's channel name means, and how many instances of it may run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from libremq.kernel.objects.object_types import ServerConnection
from libremq.mqi import constants as C
from libremq.server.admission.tls_peers import TlsPeer, refusal, refusal_event
from libremq.wire.protocol import MAX_MESSAGE, Status

if TYPE_CHECKING:
    from libremq.server.net.event_loop import EventLoop

LOCAL_CHANNEL = ""
"""Applications on this machine come without a channel, over the Unix-domain socket."""
ALL_CLIENTS = ""
"""What all instances of clients together are counted by: those of local applications are no channels."""
_LOCAL_SHARING = 1000


@dataclass(frozen=True, slots=True)
class Channel:
    """One running instance."""

    name: str
    max_message: int = MAX_MESSAGE
    heartbeat_s: int = 0
    sharing: int = _LOCAL_SHARING
    mca_user: str = ""
    key: tuple[str, ...] = ()  # what it counts for: all clients, the channel, and the channel from one address
    definition: ServerConnection | None = None
    """Of a channel that names exits."""
    served: ServerConnection | None = None
    """The definition of a client's channel, as it is at any moment."""

    def release(self, instances: dict[str, int]) -> None:
        for key in self.key:
            instances[key] -= 1
            if not instances[key]:
                del instances[key]


Refusal = tuple[Status, str]


def find_channel(
    event_loop: EventLoop, name: str, *, local: bool, tls: TlsPeer | None, peer: str
) -> tuple[Channel, Refusal] | tuple[None, Refusal]:
    """The channel that a client asks for, counted as an instance; or why it cannot have it."""
    fine = (Status.NO_CHANNEL, "")
    if local and name == LOCAL_CHANNEL:
        return Channel(LOCAL_CHANNEL), fine
    found = event_loop.manager.definitions.channels.get(name) if name else None
    if found is None:
        return None, (Status.NO_CHANNEL, f"there is no channel {name[:20]!r}")
    if not isinstance(found, ServerConnection):
        return None, (Status.CHANNEL_WRONG_TYPE, f"channel {name} is not a server-connection channel")
    if name in event_loop.stopped_channels:
        return None, (Status.CHANNEL_UNAVAILABLE, f"channel {name} was stopped by command; START CHANNEL lets it run")
    if refused := refusal(found, tls, peer):
        refusal_event(event_loop, refused[0], name, tls, peer)
        return None, refused
    return _counted(event_loop, found, peer, local=local)


def _not_available(event_loop: EventLoop, name: str, host: str, qualifier: int, limit: int) -> None:
    event_loop.manager.events.channel(
        C.MQRC_CHANNEL_NOT_AVAILABLE,
        channel=name,
        connection_name=host,
        qualifier=qualifier,
        limit=limit,
    )


def _counted(
    event_loop: EventLoop, found: ServerConnection, peer: str, *, local: bool
) -> tuple[Channel, Refusal] | tuple[None, Refusal]:
    name, instances, host = found.name, event_loop.instances, peer.partition("(")[0]
    of_client = f"{name} {host}"
    if instances.get(name, 0) >= found.maxinst:
        _not_available(event_loop, name, host, C.MQRQ_SVRCONN_INST_LIMIT, found.maxinst)
        return None, (Status.CHANNEL_UNAVAILABLE, f"channel {name} has MAXINST({found.maxinst}) instances already")
    if instances.get(of_client, 0) >= found.maxinstc:
        _not_available(event_loop, name, host, C.MQRQ_CLIENT_INST_LIMIT, found.maxinstc)
        return None, (
            Status.CHANNEL_UNAVAILABLE, f"channel {name} has MAXINSTC({found.maxinstc}) instances from {host} already"
        )  # fmt: skip
    if not local and (message := event_loop.initiator.no_room(name, peer)):
        return None, (Status.CHANNEL_UNAVAILABLE, message)
    keys = (name, of_client) if local else (ALL_CLIENTS, name, of_client)
    for key in keys:
        instances[key] = instances.get(key, 0) + 1
    channel = Channel(
        name,
        max_message=found.maxmsgl or MAX_MESSAGE,
        heartbeat_s=found.hbint,
        sharing=found.sharecnv,
        mca_user=found.mcauser,
        key=keys,
        definition=found if found.scyexit or found.sendexit or found.rcvexit else None,
        served=found,
    )
    return channel, (Status.NO_CHANNEL, "")
