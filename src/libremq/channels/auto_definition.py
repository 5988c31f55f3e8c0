"""Receiver channels that are defined when a partner first calls them: CHAD(ENABLED) of the queue manager."""

from __future__ import annotations

from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.transport import Peer
from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.channel_definitions import MessageChannel, Receiver
from libremq.kernel.objects.definitions import Definitions
from libremq.kernel.objects.object_base import new_object
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.wire.session_flows import InitialData

MODEL = "SYSTEM.AUTO.RECEIVER"


def model_of(catalogue: Definitions, name: str) -> MessageChannel | None:
    """What a channel of this name would be if a partner's call defined it; None if that is not wanted."""
    found = catalogue.channels.get(MODEL) if catalogue.qmgr.chad == C.MQCHAD_ENABLED else None
    return new_object(type(found), name, vars(found)) if isinstance(found, MessageChannel) else None


def define_receiver(environment: ChannelEnvironment, offered: InitialData, peer: Peer) -> Receiver | None:
    """The receiver that a sending partner asks for, made like SYSTEM.AUTO.RECEIVER; None if that is not wanted."""
    manager = environment.manager
    qmgr = manager.definitions.qmgr
    if qmgr.chad != C.MQCHAD_ENABLED:
        return None
    name = offered.channel
    error = None
    try:
        if qmgr.chadexit:
            raise mq_error(C.MQRCCF_USER_EXIT_NOT_AVAILABLE, name, "CHADEXIT is set, and this release does not run it")
        manager.define("RCVR", name, {}, like=MODEL)
    except MQError as caught:
        error = caught
        environment.say(amq(9501, name, f"it could not be defined automatically: {caught}"))
    manager.events.channel(
        C.MQRC_CHANNEL_AUTO_DEF_OK if error is None else C.MQRC_CHANNEL_AUTO_DEF_ERROR,
        channel=name,
        channel_type=C.MQCHT_RECEIVER,
        connection_name=peer.host,
        error=None if error is None else error.reason,
    )
    found = manager.definitions.channels.get(name)
    return found if isinstance(found, Receiver) else None
