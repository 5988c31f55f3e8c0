"""How a client introduces itself, without the waiting: what it offers, what an answer means, what MQCONN says.

The blocking and the asyncio link differ in how they read, not in this.
"""

from __future__ import annotations

import os
import ssl

from libremq.client.urls import RECONNECT_DISABLED, ClientAddress
from libremq.common.tls.tls_errors import REVOKED, explained
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.wire import calls, session_flows
from libremq.wire.protocol import ProtocolError, Status, Type
from libremq.wire.segments import Flow, frame

_STATUS_REASONS = {
    Status.NO_CHANNEL: (C.MQRC_UNKNOWN_CHANNEL_NAME, "the queue manager has no channel of this name"),
    Status.CHANNEL_WRONG_TYPE: (C.MQRC_CHANNEL_CONFIG_ERROR, "the channel is not one for clients (SVRCONN)"),
    Status.QM_UNAVAILABLE: (C.MQRC_Q_MGR_NOT_AVAILABLE, "the queue manager is not available"),
    Status.QM_TERMINATING: (C.MQRC_Q_MGR_STOPPING, "the queue manager is ending"),
    Status.SECURITY_FAILURE: (C.MQRC_NOT_AUTHORIZED, "the queue manager refused the connection"),
    Status.CHANNEL_UNAVAILABLE: (
        C.MQRC_CHANNEL_NOT_AVAILABLE,
        "the channel was stopped (START CHANNEL helps), or a limit of channels or sockets is reached",
    ),
    Status.CLOSED_BY_EXIT: (
        C.MQRC_CHANNEL_NOT_AVAILABLE,
        "an exit of the channel ended it; the error log of the queue manager says why",
    ),
    Status.CIPHER_SPEC: (C.MQRC_SSL_INITIALIZATION_ERROR, "the channel needs TLS: use mqs:// instead of mq://"),
    Status.PEER_NAME: (
        C.MQRC_SSL_INITIALIZATION_ERROR,
        "SSLPEER of the channel does not accept the name in the certificate of this client",
    ),
    Status.CLIENT_CERTIFICATE: (
        C.MQRC_SSL_INITIALIZATION_ERROR,
        "the channel wants a certificate of this client, SSLCAUTH(REQUIRED): give cert= and key=",
    ),
    Status.USER_CLOSED: (C.MQRC_CONNECTION_QUIESCING, "an administrator ended the connection"),
}
_ABOUT_THE_CHANNEL = (
    Status.NO_CHANNEL, Status.CHANNEL_WRONG_TYPE, Status.CHANNEL_UNAVAILABLE, Status.CLOSED_BY_EXIT, Status.CIPHER_SPEC,
    Status.PEER_NAME, Status.CLIENT_CERTIFICATE,
)  # fmt: skip


def offer(address: ClientAddress) -> session_flows.InitialData:
    """The initial data that a client sends."""
    return session_flows.InitialData(
        channel="" if address.scheme == "local" else address.channel,
        queue_manager=address.name.removeprefix("*"),
        max_message=address.max_message_bytes,
        heartbeat_s=address.heartbeat_s,
        sharing=address.sharing,
        process=os.getpid(),
    )


def read_answer(address: ClientAddress, where: str, flow: Flow) -> session_flows.InitialData:
    """What the queue manager answered; MQError if it refuses, or is none."""
    if flow.kind == Type.STATUS_DATA:
        raise status_error(address, flow, starting=True)
    try:
        answer = session_flows.unpack_initial(flow.body, big_endian=flow.big_endian, charset=flow.charset)
    except ProtocolError as error:
        raise mq_error(C.MQRC_HOST_NOT_AVAILABLE, address.name, f"{where}: {error.detail}") from error
    if not answer.sharing:
        raise mq_error(
            C.MQRC_CHANNEL_CONFIG_ERROR, address.channel,
            "the channel has SHARECNV(0), which this client does not speak; set it to 1 or more",
        )  # fmt: skip
    return answer


def status_error(address: ClientAddress, flow: Flow, *, starting: bool = False) -> MQError:
    """Why the queue manager ended the channel, or did not let it start."""
    code = session_flows.unpack_status(flow.body, big_endian=flow.big_endian)
    known = {int(status): reason for status, reason in _STATUS_REASONS.items()}
    reason, detail = known.get(code, (C.MQRC_CONNECTION_BROKEN, f"the queue manager ended the channel: status {code}"))
    if code == Status.CIPHER_SPEC and address.tls is not None:
        detail = f"the channel has no TLS (SSLCIPH is blank), or another CipherSpec than {address.tls.cipher}: cipher="
    if code == Status.CLOSED_BY_EXIT and not starting:
        reason = C.MQRC_CONNECTION_BROKEN  # there was a connection
    return mq_error(reason, address.channel if code in _ABOUT_THE_CHANNEL else address.name, detail)


def tls_error(address: ClientAddress, where: str, error: ssl.SSLError) -> MQError:
    """TLS has failed, before or after the queue manager has looked at this client."""
    revoked = isinstance(error, ssl.SSLCertVerificationError) and error.verify_code == REVOKED
    reason = C.MQRC_SSL_CERTIFICATE_REVOKED if revoked else C.MQRC_SSL_INITIALIZATION_ERROR
    return mq_error(reason, address.name, f"no TLS with {where}: {explained(error)}")


def closed_at_once(address: ClientAddress, where: str) -> MQError:
    """The connection was closed before a word was said. A queue manager says why, unless it is TLS that it minds."""
    if address.tls is None:
        return mq_error(C.MQRC_HOST_NOT_AVAILABLE, address.name, f"{where} closed the connection at once")
    return mq_error(
        C.MQRC_SSL_INITIALIZATION_ERROR,
        address.name,
        f"{where} ended TLS without a word; it may not accept the certificate of this client: its error log says why",
    )


def connect_request(address: ClientAddress, number: int, user: str, application: str, *, commands: bool) -> bytes:
    """User id, credentials and MQCONN of a conversation, ready to be sent; `commands`: for administration only."""
    parts = []
    if number == 1:
        parts.append(frame(Type.USERID_DATA, session_flows.pack_user(user), 1))
    if address.password:
        credentials = session_flows.pack_credentials(address.user, address.password)
        parts.append(frame(Type.CONAUTH_INFO, credentials, number))
    name = address.name.removeprefix("*") if not address.any_name else ""
    options = session_flows.COMMANDS_ONLY if commands else session_flows.CONNX
    if address.reconnect != RECONNECT_DISABLED:
        options |= session_flows.RECONNECTABLE
    body = session_flows.pack_connect(session_flows.Connect(name, application, C.MQAT_UNIX, options))
    parts.append(frame(Type.MQCONN, calls.pack_api(0, 0, 0, len(body)) + body, number))
    return b"".join(parts)
