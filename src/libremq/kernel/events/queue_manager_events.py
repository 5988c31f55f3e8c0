"""Queue manager events: start and stop, refused calls, inhibited queues, names that lead nowhere.

This is also the front of all events: who has something to tell calls a function of this module, which looks whether
anybody wants to hear of it (AUTHOREV, INHIBTEV, LOCALEV, REMOTEEV, STRSTPEV, CHLEV, SSLEV, CONFIGEV, CMDEV, LOGGEREV,
PERFMEV of the queue manager), makes the message and forgets about it. None of them ever fails.
"""

from __future__ import annotations

from collections.abc import Sequence

from libremq.common.names.host_name import host_name
from libremq.kernel.events.channel_events import channel_event
from libremq.kernel.events.command_events import command_event
from libremq.kernel.events.configuration_events import object_changed, refresh_objects
from libremq.kernel.events.event_messages import QMGR_EVENT, if_elsewhere, number, put_event, text
from libremq.kernel.events.logger_events import logger_event
from libremq.kernel.events.performance_events import QueueFigures, queue_figures, reset_queue_statistics
from libremq.kernel.objects.object_types import AliasQueue, Queue
from libremq.kernel.state.connection import Connection, Destination, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.event_state import EventContext
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import MQCFSL, PCFParameter

__all__ = [
    "CLOSE", "COMMAND", "CONNECT", "OPEN", "SUBSCRIBE", "SUBSCRIPTION_QUEUE", "EventContext", "QueueFigures",
    "channel_event", "command_event", "get_inhibited", "logger_event", "name_not_resolved", "not_authorized",
    "object_changed", "put_inhibited", "queue_figures", "queue_manager_started", "queue_manager_stopping",
    "refresh_objects", "reset_queue_statistics",
]  # fmt: skip


# Start and stop


def queue_manager_started(core: Core, *, activated: bool = False) -> None:
    """The queue manager is there; `activated`: it was a backup until now."""
    if not core.catalogue.qmgr.strstpev:
        return
    qualifier = C.MQRQ_STANDBY_ACTIVATED if activated else C.MQRQ_FAILOVER_NOT_PERMITTED
    parameters: list[PCFParameter] = [
        text(C.MQCA_Q_MGR_NAME, core.qmgr_name),
        number(C.MQIACF_REASON_QUALIFIER, qualifier),
        text(C.MQCACF_HOST_NAME, host_name()),
    ]
    put_event(core, QMGR_EVENT, C.MQRC_Q_MGR_ACTIVE, parameters)


def queue_manager_stopping(core: Core, *, quiescing: bool) -> None:
    """It was asked to end; told once, in the way that was asked for first."""
    if core.events.stop_told or not core.catalogue.qmgr.strstpev:
        return
    core.events.stop_told = True
    qualifier = C.MQRQ_Q_MGR_QUIESCING if quiescing else C.MQRQ_Q_MGR_STOPPING
    name = text(C.MQCA_Q_MGR_NAME, core.qmgr_name)
    put_event(core, QMGR_EVENT, C.MQRC_Q_MGR_NOT_ACTIVE, [name, number(C.MQIACF_REASON_QUALIFIER, qualifier)])


# Authority

CONNECT = 1
OPEN = 2
CLOSE = 3
COMMAND = 4
SUBSCRIBE = 5
SUBSCRIPTION_QUEUE = 6
_QUALIFIERS = {
    CONNECT: C.MQRQ_CONN_NOT_AUTHORIZED,
    OPEN: C.MQRQ_OPEN_NOT_AUTHORIZED,
    CLOSE: C.MQRQ_CLOSE_NOT_AUTHORIZED,
    COMMAND: C.MQRQ_CMD_NOT_AUTHORIZED,
    SUBSCRIBE: C.MQRQ_SUB_NOT_AUTHORIZED,
    SUBSCRIPTION_QUEUE: C.MQRQ_SUB_DEST_NOT_AUTHORIZED,
}
_NAME_PARAMETERS = {
    C.MQOT_PROCESS: C.MQCA_PROCESS_NAME,
    C.MQOT_NAMELIST: C.MQCA_NAMELIST_NAME,
    C.MQOT_TOPIC: C.MQCA_TOPIC_NAME,
    C.MQOT_Q_MGR: C.MQCACF_OBJECT_Q_MGR_NAME,
}


def not_authorized(
    core: Core,
    kind: int,
    *,
    user: str,
    application: str = "",
    application_type: int = C.MQAT_UNIX,
    qualifier: int = 0,
    object_type: int = C.MQOT_Q,
    object_name: str = "",
    object_qmgr: str = "",
    options: int = 0,
    command: int = C.MQCMD_NONE,
    connection_name: str = "",
    csp_user: str = "",
    topic_string: str = "",
    admin_topics: Sequence[str] = (),
) -> None:
    """A call or command was refused with MQRC_NOT_AUTHORIZED: events of type 1 to 6, as `kind` says.

    CONNECT takes `csp_user`, and as `qualifier` MQRQ_SYS_CONN_NOT_AUTHORIZED or MQRQ_CSP_NOT_AUTHORIZED where it was
    not the authority to connect that was missing; OPEN takes `options`, `object_type`, `object_name` and
    `object_qmgr` (what the object descriptor says); CLOSE takes `object_name`; COMMAND takes `command` (MQCMD_*);
    SUBSCRIBE and SUBSCRIPTION_QUEUE take `options` (MQSO_*), `topic_string`, `admin_topics`, the latter also the
    names of the queue. `connection_name` is the address of a client.
    """
    if not core.catalogue.qmgr.authorev:
        return
    parameters: list[PCFParameter] = [
        text(C.MQCA_Q_MGR_NAME, core.qmgr_name),
        number(C.MQIACF_REASON_QUALIFIER, qualifier or _QUALIFIERS[kind]),
    ]
    caller: list[PCFParameter] = [
        text(C.MQCACF_USER_IDENTIFIER, user),
        number(C.MQIA_APPL_TYPE, application_type),
        text(C.MQCACF_APPL_NAME, application),
    ]
    if kind == COMMAND:
        parameters += [number(C.MQIACF_COMMAND, command), caller[0]]
    elif kind == CONNECT:
        parameters += caller
    elif kind == CLOSE:
        parameters += [*caller, text(C.MQCA_Q_NAME, object_name)]
    elif kind == OPEN:
        name = text(_NAME_PARAMETERS.get(object_type, C.MQCA_Q_NAME), object_name)
        parameters += [number(C.MQIACF_OPEN_OPTIONS, options), *caller, *if_elsewhere(core, object_qmgr), name]
        if object_type == C.MQOT_TOPIC:
            parameters += _topics(topic_string, admin_topics)
    else:
        parameters += [number(C.MQIACF_SUB_OPTIONS, options), *caller, *_topics(topic_string, admin_topics)]
        if kind == SUBSCRIPTION_QUEUE:
            parameters += [*if_elsewhere(core, object_qmgr), text(C.MQCA_Q_NAME, object_name)]
    if connection_name and kind != COMMAND:
        parameters.append(text(C.MQCACH_CONNECTION_NAME, connection_name))
    if csp_user and kind == CONNECT:
        parameters.append(text(C.MQCACF_CSP_USER_IDENTIFIER, csp_user))
    put_event(core, QMGR_EVENT, C.MQRC_NOT_AUTHORIZED, parameters)


def _topics(topic_string: str, admin_topics: Sequence[str]) -> list[PCFParameter]:
    return [
        text(C.MQCA_TOPIC_STRING, topic_string),
        MQCFSL(
            Parameter=C.MQCACF_ADMIN_TOPIC_NAMES,
            Strings=[name.ljust(C.MQ_TOPIC_NAME_LENGTH) for name in admin_topics],
        ),
    ]


# Inhibited queues


def _application(connection: Connection) -> list[PCFParameter]:
    return [
        number(C.MQIA_APPL_TYPE, connection.application_type),
        text(C.MQCACF_APPL_NAME, connection.application),
    ]


def put_inhibited(core: Core, handle: ObjectHandle, destination: Destination) -> None:
    """A put failed with MQRC_PUT_INHIBITED."""
    # A distribution list has no name of its own
    name = destination.path[0].name if handle.destinations else handle.object_name
    _inhibited(core, handle, name, C.MQRC_PUT_INHIBITED, if_elsewhere(core, handle.object_qmgr))


def get_inhibited(core: Core, handle: ObjectHandle) -> None:
    """A get failed with MQRC_GET_INHIBITED, at once or while it waited."""
    _inhibited(core, handle, handle.object_name, C.MQRC_GET_INHIBITED, [])


def _inhibited(core: Core, handle: ObjectHandle, name: str, reason: int, more: Sequence[PCFParameter]) -> None:
    if core.catalogue.qmgr.inhibtev:
        parameters = [
            text(C.MQCA_Q_MGR_NAME, core.qmgr_name),
            text(C.MQCA_Q_NAME, name),
            *_application(handle.connection),
            *more,
        ]
        put_event(core, QMGR_EVENT, reason, parameters)


# Names that lead nowhere: local events and remote events

_LOCAL = frozenset({C.MQRC_UNKNOWN_OBJECT_NAME, C.MQRC_UNKNOWN_ALIAS_BASE_Q, C.MQRC_ALIAS_BASE_Q_TYPE_ERROR})
_WRONG_TYPE = frozenset({C.MQRC_XMIT_Q_TYPE_ERROR, C.MQRC_DEF_XMIT_Q_TYPE_ERROR})
_TRANSMISSION = _WRONG_TYPE | {
    C.MQRC_UNKNOWN_XMIT_Q, C.MQRC_UNKNOWN_DEF_XMIT_Q, C.MQRC_XMIT_Q_USAGE_ERROR, C.MQRC_DEF_XMIT_Q_USAGE_ERROR,
}  # fmt: skip
_REMOTE = _TRANSMISSION | {C.MQRC_UNKNOWN_REMOTE_Q_MGR, C.MQRC_REMOTE_Q_NAME_ERROR, C.MQRC_Q_TYPE_ERROR}


def name_not_resolved(
    core: Core,
    connection: Connection,
    error: MQError,
    object_name: str,
    object_qmgr: str = "",
    object_type: int = C.MQOT_Q,
) -> None:
    """MQOPEN or MQPUT1 failed; if that was because of a name, somebody may want to know. Other errors are no events."""
    reason, qmgr = error.reason, core.catalogue.qmgr
    if not (qmgr.localev if reason in _LOCAL else reason in _REMOTE and qmgr.remoteev):
        return
    application, elsewhere = _application(connection), if_elsewhere(core, object_qmgr)
    name = text(_NAME_PARAMETERS.get(object_type, C.MQCA_Q_NAME), object_name)
    parameters: list[PCFParameter] = [text(C.MQCA_Q_MGR_NAME, core.qmgr_name)]
    if reason == C.MQRC_UNKNOWN_OBJECT_NAME:
        parameters += [*application, name, *elsewhere]
    elif reason in _LOCAL:
        alias = core.catalogue.find_queue(object_name)
        base = alias.target if isinstance(alias, AliasQueue) else ""
        parameters += [name, text(C.MQCA_BASE_OBJECT_NAME, base)]
        if reason == C.MQRC_ALIAS_BASE_Q_TYPE_ERROR:
            parameters += [*_queue_type(core, base), *application, *elsewhere]
        else:
            parameters += [*application, *elsewhere, number(C.MQIA_BASE_TYPE, C.MQOT_Q)]
    else:
        parameters.append(name)
        if reason in _TRANSMISSION:
            parameters.append(text(C.MQCA_XMIT_Q_NAME, error.object_name))
        if reason in _WRONG_TYPE:
            parameters += _queue_type(core, error.object_name)
        parameters += [*application, *elsewhere]
    put_event(core, QMGR_EVENT, reason, parameters)


def _queue_type(core: Core, name: str) -> list[PCFParameter]:
    queue = core.catalogue.find_queue(name)
    return [number(C.MQIA_Q_TYPE, queue.qtype)] if isinstance(queue, Queue) else []
