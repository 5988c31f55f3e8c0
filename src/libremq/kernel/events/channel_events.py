"""Channel events: instances of channels that start, stop, or are kept from it, and why.

One table says for each reason which attribute of the queue manager turns the event on and what it carries, in which
order; what a caller does not know is left out. CHLEV(EXCEPTION) wants only what went wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

from libremq.kernel.events.event_messages import CHANNEL_EVENT, number, put_event, text
from libremq.kernel.state.core import Core
from libremq.mqi import constants as C
from libremq.mqi.pcf import PCFParameter

_ERROR_DATA = (
    ("error", C.MQIACF_ERROR_IDENTIFIER),
    ("aux_int_1", C.MQIACF_AUX_ERROR_DATA_INT_1),
    ("aux_int_2", C.MQIACF_AUX_ERROR_DATA_INT_2),
    ("aux_text_1", C.MQCACF_AUX_ERROR_DATA_STR_1),
    ("aux_text_2", C.MQCACF_AUX_ERROR_DATA_STR_2),
    ("aux_text_3", C.MQCACF_AUX_ERROR_DATA_STR_3),
)
_QUALIFIER = ("qualifier", C.MQIACF_REASON_QUALIFIER)
_CONVERSION = ("conversion_reason", C.MQIACF_CONV_REASON_CODE)
_CHANNEL = ("channel", C.MQCACH_CHANNEL_NAME)
_CHANNEL_TYPE = ("channel_type", C.MQIACH_CHANNEL_TYPE)
_WAY = (("xmitq", C.MQCACH_XMIT_Q_NAME), ("connection_name", C.MQCACH_CONNECTION_NAME))
_CONNECTION = _WAY[1]
_BLOCKED = (
    _QUALIFIER, _CHANNEL, ("user", C.MQCACF_USER_IDENTIFIER), _CONNECTION, ("remote_qmgr", C.MQCA_REMOTE_Q_MGR_NAME),
    ("peer_name", C.MQCACH_SSL_PEER_NAME), ("issuer_name", C.MQCA_SSL_CERT_ISSUER_NAME),
    ("client_user", C.MQCACH_CLIENT_USER_ID), ("application_type", C.MQIA_APPL_TYPE),
    ("application", C.MQCACF_APPL_NAME),
)  # fmt: skip
_HANDSHAKE = (
    ("handshake_stage", C.MQCACH_SSL_HANDSHAKE_STAGE), ("return_code", C.MQIACH_SSL_RETURN_CODE),
    ("peer_name", C.MQCACH_SSL_PEER_NAME), ("issuer_name", C.MQCA_SSL_CERT_ISSUER_NAME),
)  # fmt: skip

# By reason: the attribute that controls it, and the parameters behind the name of the queue manager
_EVENTS: dict[int, tuple[str, tuple[tuple[str, int], ...]]] = {
    C.MQRC_CHANNEL_STARTED: ("chlev", (_CHANNEL, *_WAY)),
    C.MQRC_CHANNEL_ACTIVATED: ("chlev", (_CHANNEL, *_WAY)),
    C.MQRC_CHANNEL_NOT_ACTIVATED: ("chlev", (_CHANNEL, *_WAY)),
    C.MQRC_CHANNEL_STOPPED: ("chlev", (_QUALIFIER, _CHANNEL, *_ERROR_DATA, *_WAY)),
    C.MQRC_CHANNEL_STOPPED_BY_USER: ("chlev", (_QUALIFIER, _CHANNEL)),
    C.MQRC_CHANNEL_NOT_AVAILABLE: ("chlev", (_QUALIFIER, _CHANNEL, _CONNECTION)),
    C.MQRC_CHANNEL_BLOCKED: ("chlev", _BLOCKED),
    C.MQRC_CHANNEL_BLOCKED_WARNING: ("chlev", _BLOCKED),
    C.MQRC_CHANNEL_SSL_ERROR: ("sslev", (_QUALIFIER, _CHANNEL, *_WAY, *_HANDSHAKE)),
    C.MQRC_CHANNEL_SSL_WARNING: ("sslev", (_QUALIFIER, _CHANNEL, *_WAY)),
    C.MQRC_CHANNEL_CONV_ERROR: ("chlev", (_CONVERSION, _CHANNEL, ("format", C.MQCACH_FORMAT_NAME), *_WAY)),
    C.MQRC_CHANNEL_AUTO_DEF_OK: ("chadev", (_CHANNEL, _CHANNEL_TYPE, _CONNECTION)),
    C.MQRC_CHANNEL_AUTO_DEF_ERROR: ("chadev", (_CHANNEL, _CHANNEL_TYPE, _ERROR_DATA[0], _CONNECTION, _ERROR_DATA[1])),
}
_DEFAULT_QUALIFIERS = {
    C.MQRC_CHANNEL_STOPPED: C.MQRQ_CHANNEL_STOPPED_OK,
    C.MQRC_CHANNEL_STOPPED_BY_USER: C.MQRQ_CHANNEL_STOPPED_DISABLED,
    C.MQRC_CHANNEL_SSL_ERROR: C.MQRQ_SSL_HANDSHAKE_ERROR,
    C.MQRC_CHANNEL_SSL_WARNING: C.MQRQ_SSL_UNKNOWN_REVOCATION,
    C.MQRC_CHANNEL_BLOCKED: C.MQRQ_CHANNEL_BLOCKED_NOACCESS,
    C.MQRC_CHANNEL_BLOCKED_WARNING: C.MQRQ_CHANNEL_BLOCKED_NOACCESS,
}
# Of a channel that is not available because of a limit: which one
_LIMITS = {
    C.MQRQ_MAX_ACTIVE_CHANNELS: C.MQIA_ACTIVE_CHANNELS,
    C.MQRQ_MAX_CHANNELS: C.MQIA_MAX_CHANNELS,
    C.MQRQ_SVRCONN_INST_LIMIT: C.MQIACH_MAX_INSTANCES,
    C.MQRQ_CLIENT_INST_LIMIT: C.MQIACH_MAX_INSTS_PER_CLIENT,
}


def channel_event(
    core: Core,
    reason: int,
    *,
    channel: str = "",
    channel_type: int | None = None,
    connection_name: str = "",
    xmitq: str = "",
    qualifier: int | None = None,
    error: int | None = None,
    aux_ints: tuple[int, int] = (0, 0),
    aux_texts: tuple[str, str, str] = ("", "", ""),
    user: str = "",
    client_user: str = "",
    remote_qmgr: str = "",
    application: str = "",
    application_type: int | None = None,
    handshake_stage: str = "",
    return_code: int | None = None,
    peer_name: str = "",
    issuer_name: str = "",
    limit: int | None = None,
    conversion_reason: int | None = None,
    data_format: str = "",
) -> None:
    """Something happened to a channel: `reason` is MQRC_CHANNEL_* and decides which of the other values are told.

    `qualifier` is an MQRQ_* and defaults to the usual one: stopped without error, stopped by a command, a failed
    handshake. STOPPED takes `error`, `aux_ints` and `aux_texts` (always told, zero and blank without an error);
    BLOCKED takes `user` (blocked by its name), or what else the rule looked at: `client_user`, `remote_qmgr`,
    `peer_name`, `issuer_name`; NOT_AVAILABLE takes the `limit` that was reached; SSL_ERROR takes `handshake_stage`
    and `return_code` if the handshake itself failed, and the names in the certificate if it came so far.
    """
    control, rows = _EVENTS[reason]
    if qualifier is None:
        qualifier = _DEFAULT_QUALIFIERS.get(reason)
    enabled = getattr(core.catalogue.qmgr, control)
    if not enabled or (enabled == C.MQEVR_EXCEPTION and _is_all_well(reason, qualifier)):
        return
    if reason == C.MQRC_CHANNEL_STOPPED and error is None:
        error = 0
    if qualifier == C.MQRQ_CHANNEL_BLOCKED_ADDRESS:
        channel = ""  # it is not known yet when the address is looked at
    facts = {
        "qualifier": qualifier, "channel": channel, "channel_type": channel_type, "xmitq": xmitq,
        "connection_name": connection_name, "remote_qmgr": remote_qmgr, "error": error,
        "aux_int_1": aux_ints[0], "aux_int_2": aux_ints[1],
        "aux_text_1": aux_texts[0], "aux_text_2": aux_texts[1], "aux_text_3": aux_texts[2],
        "user": user if qualifier == C.MQRQ_CHANNEL_BLOCKED_USERID else "", "client_user": client_user,
        "application_type": application_type, "application": application,
        "handshake_stage": handshake_stage, "return_code": return_code,
        "peer_name": peer_name, "issuer_name": issuer_name,
        "conversion_reason": conversion_reason, "format": data_format,
    }  # fmt: skip
    parameters = [text(C.MQCA_Q_MGR_NAME, core.qmgr_name), *_parameters(facts, rows)]
    if reason == C.MQRC_CHANNEL_NOT_AVAILABLE and limit is not None and qualifier in _LIMITS:
        parameters.append(number(_LIMITS[qualifier], limit))
    put_event(core, CHANNEL_EVENT, reason, parameters)


def _is_all_well(reason: int, qualifier: int | None) -> bool:
    return reason == C.MQRC_CHANNEL_STARTED or (
        reason == C.MQRC_CHANNEL_STOPPED and qualifier == C.MQRQ_CHANNEL_STOPPED_OK
    )


def _parameters(facts: Mapping[str, int | str | None], rows: tuple[tuple[str, int], ...]) -> list[PCFParameter]:
    found: list[PCFParameter] = []
    for name, parameter in rows:
        value = facts[name]
        if isinstance(value, int):
            found.append(number(parameter, value))
        elif value or name.startswith("aux_text"):
            found.append(text(parameter, value or ""))
    return found
