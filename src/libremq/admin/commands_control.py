"""Commands that start, stop, refresh and reset: most are requests to the server around the kernel."""

from __future__ import annotations

from collections.abc import Callable

from libremq.admin import command_options as options
from libremq.admin.command import Command, Outcome
from libremq.admin.command_context import Context, number, word
from libremq.admin.commands_objects import done, ignores_state, not_there_yet
from libremq.admin.connection_ids import hconn_of
from libremq.admin.steps import MADE, Steps
from libremq.kernel.objects.object_types import Listener, Service
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

_DEFAULT_LISTENER = "SYSTEM.DEFAULT.LISTENER.TCP"
_STATES = (
    C.MQRCCF_LISTENER_RUNNING, C.MQRCCF_LISTENER_STOPPED, C.MQRCCF_SERVICE_RUNNING, C.MQRCCF_SERVICE_STOPPED,
    C.MQRCCF_CHANNEL_NOT_ACTIVE, C.MQRCCF_CHANNEL_IN_USE,
)  # fmt: skip


def unless_so_already(command: Command, request: Callable[[], object]) -> Outcome:
    """With IGNSTATE(YES) it is no failure that there was nothing to do."""
    try:
        request()
    except MQError as error:
        if error.reason not in _STATES or not ignores_state(command):
            raise
    return done(command, 0)


# Listeners and services


def _listener(context: Context, command: Command) -> str:
    name = command.name or _DEFAULT_LISTENER
    if not isinstance(context.definitions.find("LISTENER", name), Listener):
        raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, name, "there is no listener of this name")
    context.need(C.MQOT_LISTENER, name, C.MQAUTH_CONTROL)
    return name


def start_listener(context: Context, command: Command) -> Outcome:
    name = _listener(context, command)
    return unless_so_already(command, lambda: context.operations.start_listener(name))


def stop_listener(context: Context, command: Command) -> Outcome:
    name = _listener(context, command)
    return unless_so_already(command, lambda: context.operations.stop_listener(name))


def _service(context: Context, command: Command) -> None:
    if not isinstance(context.definitions.find("SERVICE", command.name), Service):
        raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, command.name, "there is no service of this name")
    context.need(C.MQOT_SERVICE, command.name, C.MQAUTH_CONTROL)


def start_service(context: Context, command: Command) -> Outcome:
    _service(context, command)
    return unless_so_already(command, lambda: context.operations.start_service(command.name))


def stop_service(context: Context, command: Command) -> Outcome:
    _service(context, command)
    return unless_so_already(command, lambda: context.operations.stop_service(command.name))


# The queue manager


def ping(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_DISPLAY)
    return done(command, 0)


def stop_connection(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_CHANGE)
    hconn = hconn_of(command.name, context.manager.name)
    if hconn not in context.manager.connections:
        raise mq_error(C.MQRCCF_CONNECTION_ID_ERROR, command.name, "no application has this connection")
    context.operations.stop_connection(hconn)
    return done(command, 0)


def refresh_security(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_CHANGE)
    kind = number(command, options.SECURITY_TYPE, C.MQSECTYPE_AUTHSERV)
    if kind == C.MQSECTYPE_SSL:
        context.operations.refresh_tls()
    elif kind == C.MQSECTYPE_CONNAUTH:
        context.operations.refresh_connection_authentication()
    else:
        context.manager.refresh_security()
    return done(command, 0)


_KINDS = {
    C.MQOT_Q: "QUEUE", C.MQOT_LOCAL_Q: "QLOCAL", C.MQOT_MODEL_Q: "QMODEL", C.MQOT_ALIAS_Q: "QALIAS",
    C.MQOT_REMOTE_Q: "QREMOTE", C.MQOT_Q_MGR: "QMGR", C.MQOT_CHANNEL: "CHANNEL", C.MQOT_NAMELIST: "NAMELIST",
    C.MQOT_PROCESS: "PROCESS", C.MQOT_AUTH_INFO: "AUTHINFO", C.MQOT_LISTENER: "LISTENER", C.MQOT_SERVICE: "SERVICE",
    C.MQOT_TOPIC: "TOPIC", C.MQOT_COMM_INFO: "COMMINFO", C.MQOT_CHLAUTH: "CHLAUTH", C.MQOT_AUTH_REC: "AUTHREC",
}  # fmt: skip


def refresh_manager(context: Context, command: Command) -> Steps[Outcome]:
    """REFRESH QMGR TYPE(CONFIGEV): an event for each object, as if it had just been made."""
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_CHANGE)
    if number(command, options.REFRESH_TYPE) == C.MQRT_PROXYSUB:
        return not_there_yet("REFRESH QMGR TYPE(PROXYSUB)", "publish/subscribe")
    if not context.definitions.qmgr.configev:
        detail = "there are no configuration events; ALTER QMGR CONFIGEV(ENABLED) brings them about"
        raise mq_error(C.MQRCCF_EVENTS_DISABLED, context.manager.name, detail)
    wanted, minutes = number(command, options.REFRESH_OBJECT, C.MQOT_ALL), number(command, options.INCLINT)
    pattern = word(command, options.REFRESH_NAME) or "*"
    if wanted == C.MQOT_ALL:
        found = [one for one in context.definitions if pattern == "*" or _named(one.name, pattern)]
    else:
        found = context.definitions.select(_KINDS[wanted], pattern)
    for first in range(0, len(found), MADE):
        if first:
            yield
        there = (context.definitions.find(one.kind, one.name) for one in found[first : first + MADE])
        context.manager.events.refresh_objects([one for one in there if one is not None], minutes=minutes)
    return done(command, 0)


def _named(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def reset_manager(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_CHANGE)
    kind = number(command, options.RESET_TYPE)
    log = context.manager.log
    if kind in (C.MQACT_COLLECT_STATISTICS, C.MQACT_PUBSUB):
        what = "statistics messages" if kind == C.MQACT_COLLECT_STATISTICS else "publish/subscribe"
        return not_there_yet(f"RESET QMGR TYPE({options.RESET_TYPE.word(kind)})", what)
    if not log.config.linear:
        raise mq_error(
            C.MQRCCF_LOG_TYPE_ERROR, context.manager.name, "its log is circular: extents are used again by themselves"
        )
    if kind == C.MQACT_ADVANCE_LOG:
        return done(command, context.manager.advance_log())
    if kind == C.MQACT_ARCHIVE_LOG:
        name = word(command, options.ARCHIVED)
        known = {extent.name: extent.state for extent in log.extents()}
        if known.get(name) not in ("media", "unneeded"):
            raise mq_error(
                C.MQRCCF_LOG_EXTENT_ERROR, name, "no extent of this name could have been archived: it is not full yet"
            )
        log.mark_archived(name)
    else:
        most = number(command, options.REDUCE, C.MQLR_AUTO)
        log.delete_extents(most if most > 0 else None)
    return done(command, 0)


HANDLERS: dict[tuple[str, str], Callable[[Context, Command], Outcome | Steps[Outcome]]] = {
    ("START", "LISTENER"): start_listener,
    ("STOP", "LISTENER"): stop_listener,
    ("START", "SERVICE"): start_service,
    ("STOP", "SERVICE"): stop_service,
    ("PING", "QMGR"): ping,
    ("STOP", "CONN"): stop_connection,
    ("REFRESH", "SECURITY"): refresh_security,
    ("REFRESH", "QMGR"): refresh_manager,
    ("RESET", "QMGR"): reset_manager,
}
