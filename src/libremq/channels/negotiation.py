"""What the two ends of a message channel agree on before the first message, and what a status of the other end means.

The end that calls offers what its definition says; the one that was called answers with the lower of both (the longer
heartbeat interval), and both go by the answer. Nothing is kept of a call before that has gone well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from libremq.channels.channel_compression import Compressor, offered_header, offered_message
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.kernel.objects.channel_definitions import MessageChannel
from libremq.mqi import constants as C
from libremq.wire.protocol import (
    CAP1_MESSAGE_CHANNEL,
    CAP1_REQUESTER,
    CAP2_FAST_MESSAGES,
    CAP2_TRACE_ROUTE,
    CAP3_FRESH_RESYNC,
    CAP3_MSG_PROP,
    FAP_LEVEL,
    MAX_SEGMENT,
    PRODUCT_SERVER,
    Status,
)
from libremq.wire.session_flows import InitialData

# Why the other end closed: what an operator has to mend is not tried again and again
_HOPELESS = frozenset(
    {
        Status.CHANNEL_WRONG_TYPE, Status.PROTOCOL_SEGMENT_TYPE, Status.PROTOCOL_LENGTH_ERROR,
        Status.PROTOCOL_INVALID_DATA, Status.PROTOCOL_SEGMENT_ERROR, Status.PROTOCOL_ID_ERROR,
        Status.PROTOCOL_MSH_ERROR, Status.PROTOCOL_GENERAL, Status.MESSAGE_LENGTH_ERROR, Status.SEGMENT_NUMBER_ERROR,
        Status.WRAP_VALUE_ERROR, Status.CLOSED_BY_EXIT, Status.CIPHER_SPEC, Status.CCSID_NOT_SUPPORTED,
        Status.ENCODING_INVALID, Status.FAP_LEVEL, Status.NEGOTIATION_FAILED,
    }
)  # fmt: skip
_WORDS = {
    Status.NO_CHANNEL: "it has no channel of this name",
    Status.CHANNEL_WRONG_TYPE: "its channel of this name is of a type that does not fit",
    Status.QM_UNAVAILABLE: "the queue manager is not available",
    Status.MSG_SEQUENCE_ERROR: "message sequence numbers differ",
    Status.QM_TERMINATING: "the queue manager is ending",
    Status.CAN_NOT_STORE: "it could not store a message",
    Status.USER_CLOSED: "the channel was stopped there",
    Status.TIMEOUT_EXPIRED: "it heard nothing for too long",
    Status.TARGET_Q_UNKNOWN: "it does not know the target queue",
    Status.BATCH_FAILURE: "it could not commit the batch",
    Status.MESSAGE_LENGTH_ERROR: "a message is longer than was agreed",
    Status.SECURITY_FAILURE: "it does not let this queue manager in",
    Status.WRAP_VALUE_ERROR: "SEQWRAP differs",
    Status.CHANNEL_UNAVAILABLE: "its channel is stopped or in use, or a limit of its channels is reached",
    Status.CLOSED_BY_EXIT: "an exit closed the channel",
    Status.CIPHER_SPEC: "the CipherSpecs differ",
    Status.PEER_NAME: "the name in the certificate is not accepted",
    Status.CLIENT_CERTIFICATE: "it wants a certificate",
    Status.FAP_LEVEL: "it does not speak this level of the protocol",
}


def own_initial_data(
    environment: ChannelEnvironment, channel: MessageChannel, *, requests: bool = False
) -> InitialData:
    """What this end can and wants. `requests`: a requester calls, and asks the other end to send."""
    qmgr = environment.manager.definitions.qmgr
    return InitialData(
        channel=channel.name,
        queue_manager=environment.manager.name,
        fap_level=FAP_LEVEL,
        capabilities=(
            CAP1_REQUESTER if requests else CAP1_MESSAGE_CHANNEL,
            CAP2_TRACE_ROUTE | (CAP2_FAST_MESSAGES if channel.npmspeed == C.MQNPMS_FAST else 0),
            CAP3_MSG_PROP | CAP3_FRESH_RESYNC,
        ),
        max_segment=MAX_SEGMENT,
        max_message=min(channel.maxmsgl, qmgr.maxmsgl) if channel.maxmsgl else qmgr.maxmsgl,
        heartbeat_s=channel.hbint,
        sharing=0,
        product=PRODUCT_SERVER,
        queue_manager_id=getattr(qmgr, "qmid", ""),
        ccsid=qmgr.ccsid,
        batch_size=max(1, min(channel.batchsz, qmgr.maxumsgs)),
        sequence_wrap=channel.seqwrap,
        header_compression=offered_header(channel.comphdr),
        message_compression=offered_message(channel.compmsg),
    )


@dataclass(slots=True)
class Negotiated:
    """What both ends have agreed on; until they have, what the definition of this end says."""

    heartbeat_s: int
    batch_size: int
    compressor: Compressor
    max_message: int = 0
    max_segment: int = 0
    """Of what this end packs: less what its send exits add."""
    partner_ccsid: int = 0
    product: str = ""
    """Of the other end, with its version."""
    fast: bool = False
    """Do non-persistent messages travel outside of batches? Only if both ends want it."""
    knows_properties: bool = False
    """Does the other end know what message properties are?"""
    knows_routes: bool = False
    """Does it know what a trace-route message is?"""
    is_fresh: bool = False
    """Do both ends prove that they hear each other now, and not what was recorded of another connection?"""

    @classmethod
    def before(cls, channel: MessageChannel) -> Self:
        return cls(channel.hbint, channel.batchsz, Compressor())

    @classmethod
    def of(cls, agreed: InitialData, theirs: InitialData) -> Self:
        """From the answer that both go by, and what the other end has said of itself."""
        return cls(
            agreed.heartbeat_s,
            agreed.batch_size,
            Compressor(agreed.header_compression[0], agreed.message_compression[0]),
            agreed.max_message,
            agreed.max_segment,
            theirs.ccsid,
            theirs.product,
            fast=bool(agreed.capabilities[1] & CAP2_FAST_MESSAGES),
            knows_properties=bool(agreed.capabilities[2] & CAP3_MSG_PROP),
            knows_routes=bool(agreed.capabilities[1] & CAP2_TRACE_ROUTE),
            is_fresh=theirs.ours and bool(agreed.capabilities[2] & CAP3_FRESH_RESYNC),
        )


def is_hopeless(code: int) -> bool:
    return code in _HOPELESS


def in_words(code: int) -> str:
    try:
        status = Status(code)
    except ValueError:
        return f"status {code}"
    return _WORDS.get(status, status.name.lower().replace("_", " "))


def next_sequence(last: int, wrap: int) -> int:
    """Message sequence numbers begin anew at 1 behind SEQWRAP."""
    return 1 if last >= wrap else last + 1
