"""DISPLAY of what runs: queues in use, connections and their handles, listeners, services, the log.

Everything is a view of the books that the kernel, the log and the server keep (contract 10); nothing is counted here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from libremq.admin import command_options as options
from libremq.admin.command import Command, Outcome, Row
from libremq.admin.command_context import Context, number, word
from libremq.admin.commands_objects import not_found, not_there_yet
from libremq.admin.connection_ids import connection_name, external_name, matches_connection
from libremq.admin.display import Values, shown
from libremq.admin.queue_manager_status import queue_manager_status
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import matches
from libremq.kernel.events.queue_manager_events import reset_queue_statistics
from libremq.kernel.objects.attributes import Value
from libremq.kernel.objects.object_types import Listener, LocalQueue, Service, date_and_time
from libremq.kernel.objects.status_tables import STATUS_TABLES
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import PREPARED, UnitOfWork
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

_QUEUE_FACTS = ("QUEUE", "TYPE")


def filled(table: str, known: Mapping[str, Value]) -> Values:
    """The rows of a status with what is known; the others have their default, which shows as blank or 0."""
    return tuple((row, known.get(row.keyword, row.default)) for row in STATUS_TABLES[table])


def answer(command: Command, rows: list[Row], missing: MQError | None = None) -> Outcome:
    if not rows:
        raise missing or not_found(command)
    return Outcome([amq(command.spec.message, command.spec.words)], rows)


def moment(seconds: float) -> tuple[str, str]:
    return date_and_time(seconds) if seconds else ("", "")


# Queues


def queue_status(context: Context, command: Command) -> Outcome:
    if not command.name.endswith("*"):
        context.need(C.MQOT_Q, command.name, C.MQAUTH_DISPLAY)
    found = [
        one
        for one in context.catalogue.select("QLOCAL", command.name)
        if isinstance(one, LocalQueue) and context.may(C.MQOT_Q, one.name, C.MQAUTH_DISPLAY)
    ]
    if not found:
        raise not_found(command)
    if number(command, options.QUEUE_STATUS_TYPE, C.MQIACF_Q_STATUS) == C.MQIACF_Q_HANDLE:
        rows = shown(command, _queue_handles(context, command, found), keys=_QUEUE_FACTS)
        return Outcome([amq(command.spec.message, command.spec.words)], rows)
    values = (("QSTATUS", _queue_values(context, one)) for one in found)
    return answer(command, shown(command, values, keys=_QUEUE_FACTS, brief=("CURDEPTH",)))


def _queue_values(context: Context, definition: LocalQueue) -> Values:
    core = context.core
    queue = core.local_queue(definition)
    monitoring = definition.monq if definition.monq != C.MQMON_Q_MGR else core.catalogue.qmgr.monq
    watched = monitoring not in (C.MQMON_OFF, C.MQMON_NONE)
    put = moment(queue.statistics.last_put) if watched else ("", "")
    got = moment(queue.statistics.last_get) if watched else ("", "")
    known: dict[str, Value] = {
        "QUEUE": definition.name,
        "TYPE": C.MQIACF_Q_STATUS,
        "CURDEPTH": queue.store.depth,
        "IPPROCS": queue.input_count,
        "OPPROCS": queue.output_count,
        "MONQ": monitoring,
        "LPUTDATE": put[0],
        "LPUTTIME": put[1],
        "LGETDATE": got[0],
        "LGETTIME": got[1],
        "UNCOM": C.MQQSUM_YES if core.has_uncommitted(queue) else C.MQQSUM_NO,
        "MSGAGE": _age_of_oldest(context, queue),
        "MEDIALOG": core.log.extent_name_of(core.media[("QLOCAL", definition.name)])
        if ("QLOCAL", definition.name) in core.media
        else "",
        "CURFSIZE": queue.store.file_bytes >> 20,
    }
    return filled("QSTATUS", known)


def _age_of_oldest(context: Context, queue: QueueState) -> int:
    """Seconds since the first message of the queue was put; 0 if there is none."""
    slot = next(iter(queue.store.chains), None)
    if slot is None:
        return 0
    md = queue.store.descriptor(slot)
    try:
        put = datetime.strptime(md.PutDate + md.PutTime[:6] + "+0000", "%Y%m%d%H%M%S%z").timestamp()
    except ValueError:
        return 0
    return max(0, int(context.core.clock.now() - put))


def _queue_handles(context: Context, command: Command, found: list[LocalQueue]) -> Iterator[tuple[str, Values]]:
    kind = number(command, options.OPEN_TYPE, C.MQQSOT_ALL)
    for definition in found:
        queue = context.core.queues.get(definition.name)
        if queue is None:
            continue
        for handle in sorted(queue.open_handles, key=lambda one: (one.connection.hconn, one.hobj)):
            if kind == C.MQQSOT_INPUT and not (handle.is_input or handle.has(C.MQOO_BROWSE)):
                continue
            if kind == C.MQQSOT_OUTPUT and not handle.has(C.MQOO_OUTPUT):
                continue
            yield "QSTATUS.HANDLE", _handle_of_queue(context, definition.name, handle)


def _handle_of_queue(context: Context, queue: str, handle: ObjectHandle) -> Values:
    connection = handle.connection
    place = context.operations.place(connection.hconn)
    known: dict[str, Value] = {
        "QUEUE": queue,
        "TYPE": C.MQIACF_Q_HANDLE,
        "APPLTAG": connection.application,
        "APPLTYPE": _application_type(connection),
        "BROWSE": int(handle.has(C.MQOO_BROWSE)),
        "CHANNEL": place.channel,
        "CONNAME": place.connection_name,
        "HSTATE": _handle_state(context, handle),
        "INPUT": _input(handle),
        "INQUIRE": int(handle.has(C.MQOO_INQUIRE)),
        "OUTPUT": int(handle.has(C.MQOO_OUTPUT)),
        "SET": int(handle.has(C.MQOO_SET)),
        "PID": place.pid,
        "TID": place.thread,
        "QMURID": _unit_name(connection.unit),
        "USERID": connection.user,
        "URTYPE": _unit_type(connection),
    }
    return filled("QSTATUS.HANDLE", known)


def _application_type(connection: Connection) -> int:
    """Of all that applications say they are, DISPLAY knows the kinds of programs of MQ, and USER for the others."""
    known = STATUS_TABLES["CONN"].by_keyword["APPLTYPE"].words.values()
    return connection.application_type if connection.application_type in known else C.MQAT_USER


def _input(handle: ObjectHandle) -> int:
    if not handle.is_input:
        return C.MQQSO_NO
    exclusive = handle.has(C.MQOO_INPUT_EXCLUSIVE) or (handle.queue is not None and handle.queue.exclusive)
    return C.MQQSO_EXCLUSIVE if exclusive else C.MQQSO_SHARED


def _handle_state(context: Context, handle: ObjectHandle) -> int:
    waits = handle.queue is not None and any(waiter.handle is handle for waiter in handle.queue.waiters)
    return C.MQHSTATE_ACTIVE if waits else C.MQHSTATE_INACTIVE


def _unit_type(connection: Connection) -> int:
    """A batch of a message channel is the queue manager's own, and has no XID as long as it is here."""
    unit = connection.xa_unit
    return C.MQUOWT_XA if unit is not None and unit.xid else C.MQUOWT_Q_MGR


def _unit_name(unit: UnitOfWork | None) -> str:
    return f"0.{unit.id}" if unit is not None and unit.operations else "0.0"


def reset_statistics(context: Context, command: Command) -> Outcome:
    rows: list[Row] = []
    found = context.catalogue.select("QLOCAL", command.name)
    for one in found:
        context.need(C.MQOT_Q, one.name, C.MQAUTH_DISPLAY)
    for one in found:
        figures = reset_queue_statistics(context.core, one.name)
        known: dict[str, Value] = {
            "QUEUE": one.name,
            "RESETINT": figures.time_since_reset_s,
            "HIQDEPTH": figures.high_depth,
            "MSGSIN": figures.enqueued,
            "MSGSOUT": figures.dequeued,
        }
        rows.append(Row("QSTATS", filled("QSTATS", known)))
    return answer(command, rows)


# Connections


def connections(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_DISPLAY)
    kind = number(command, options.CONNECTION_TYPE, C.MQIACF_CONN_INFO_CONN)
    external = word(command, options.EXTCONN)
    rows: list[Row] = []
    for connection in list(context.core.connections.values()):
        if not matches_connection(command.name, connection.hconn):
            continue
        if external and external.upper() != external_name(context.manager.name).hex().upper():
            continue
        if kind in (C.MQIACF_CONN_INFO_CONN, C.MQIACF_CONN_INFO_ALL):
            values = [("CONN", _connection(context, connection))]
            brief = ("UOWLOG", "UOWSTDA", "UOWSTTI", "UOWLOGDA", "UOWLOGTI", "URTYPE", "UOWSTATE")
            rows += shown(command, values, keys=("CONN", "EXTCONN", "TYPE"), brief=brief)
        if kind in (C.MQIACF_CONN_INFO_HANDLE, C.MQIACF_CONN_INFO_ALL):
            held = (("CONN.HANDLE", _handle(context, one)) for one in connection.handles.values())
            rows += shown(command, held, keys=("CONN", "EXTCONN", "TYPE"), brief=("OBJNAME", "OBJTYPE"))
    return answer(
        command, rows, mq_error(C.MQRCCF_CONNECTION_ID_ERROR, command.name, "no application has this connection")
    )


def _identified(context: Context, connection: Connection, kind: int) -> dict[str, Value]:
    return {
        "CONN": connection_name(connection.hconn),
        "EXTCONN": external_name(context.manager.name),
        "TYPE": kind,
    }


def _connection(context: Context, connection: Connection) -> Values:
    place = context.operations.place(connection.hconn)
    unit = connection.xa_unit or connection.unit
    state = C.MQUOWST_NONE
    if unit is not None and unit.operations:
        state = C.MQUOWST_PREPARED if unit.state == PREPARED else C.MQUOWST_ACTIVE
    known: dict[str, Value] = {
        **_identified(context, connection, C.MQIACF_CONN_INFO_CONN),
        "PID": place.pid,
        "TID": place.thread,
        "APPLTAG": connection.application,
        "APPLTYPE": _application_type(connection),
        "CHANNEL": place.channel,
        "CONNAME": place.connection_name,
        "USERID": connection.user,
        "ASTATE": C.MQAS_STARTED if connection.consuming else C.MQAS_NONE,
        "URTYPE": _unit_type(connection),
        "UOWSTATE": state,
        "QMURID": _unit_name(unit),
        "UOWLOG": context.core.log.extent_name_of(unit.first_lsn) if unit is not None and unit.is_logged else "",
    }
    return filled("CONN", known)


def _handle(context: Context, handle: ObjectHandle) -> Values:
    known: dict[str, Value] = {
        **_identified(context, handle.connection, C.MQIACF_CONN_INFO_HANDLE),
        "OBJNAME": handle.object_name,
        "OBJTYPE": handle.obj.object_type if handle.obj is not None else C.MQOT_Q,
        "OPENOPTS": _open_options(handle.options),
        "HSTATE": _handle_state(context, handle),
    }
    return filled("CONN.HANDLE", known)


def _open_options(options_given: int) -> tuple[int, ...]:
    row = STATUS_TABLES["CONN.HANDLE"].find("OPENOPTS")
    return tuple(value for value in row.words.values() if value and options_given & value)


# What a server runs


def listener_status(context: Context, command: Command) -> Outcome:
    def found() -> Iterator[tuple[str, Values]]:
        for one in context.operations.listeners():
            definition = context.catalogue.find("LISTENER", one.name)
            if not matches(command.name, one.name) or not context.may(C.MQOT_LISTENER, one.name, C.MQAUTH_DISPLAY):
                continue
            day, time_of_day = moment(one.started)
            known: dict[str, Value] = {
                "LISTENER": one.name,
                "STATUS": one.status,
                "PID": one.pid,
                "STARTDA": day,
                "STARTTI": time_of_day,
                "IPADDR": one.address,
                "PORT": one.port,
                "BACKLOG": one.backlog,
                "TRPTYPE": C.MQXPT_TCP,
            }
            if isinstance(definition, Listener):
                known |= {"DESCR": definition.descr, "CONTROL": definition.control}
            yield "LSSTATUS", filled("LSSTATUS", known)

    return answer(command, shown(command, found(), keys=("LISTENER", "STATUS", "PID")))


def service_status(context: Context, command: Command) -> Outcome:
    def found() -> Iterator[tuple[str, Values]]:
        for one in context.operations.services():
            definition = context.catalogue.find("SERVICE", one.name)
            if not matches(command.name, one.name) or not isinstance(definition, Service):
                continue
            if not context.may(C.MQOT_SERVICE, one.name, C.MQAUTH_DISPLAY):
                continue
            day, time_of_day = moment(one.started)
            same = ("SERVTYPE", "CONTROL", "STARTCMD", "STARTARG", "STOPCMD", "STOPARG", "DESCR", "STDOUT", "STDERR")
            known: dict[str, Value] = {
                **{keyword: getattr(definition, keyword.lower()) for keyword in same},
                "SERVICE": one.name,
                "STATUS": one.status,
                "PID": one.pid,
                "STARTDA": day,
                "STARTTI": time_of_day,
            }
            yield "SVSTATUS", filled("SVSTATUS", known)

    return answer(command, shown(command, found(), keys=("SERVICE", "STATUS", "PID")))


def manager_status(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_DISPLAY)
    if number(command, options.STATUS_TYPE, C.MQIACF_Q_MGR_STATUS_INFO_Q_MGR) == C.MQIACF_Q_MGR_STATUS_INFO_NHA:
        return not_there_yet("DISPLAY QMSTATUS TYPE(NATIVEHA)", "Native HA")
    values = [("QMSTATUS", filled("QMSTATUS", queue_manager_status(context)))]
    words = (row.keyword for row in STATUS_TABLES["QMSTATUS"])
    groups = {"LOG": frozenset(one for one in words if "LOG" in one or one in _LOG_WORDS)}
    brief = ("CONNS", "CMDSERV", "CHINIT")
    return answer(
        command,
        shown(command, values, keys=("QMNAME", "TYPE", "STATUS"), groups=groups, all_by_default=False, brief=brief),
    )


_LOG_WORDS = frozenset({"ARCHSZ", "RECSZ", "MEDIASZ", "REUSESZ", "DISKLSN"})


# Publish/subscribe and clusters are not there yet: what there is of them can be told


def publish_subscribe(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_DISPLAY)
    known: dict[str, Value] = {
        "TYPE": C.MQPSST_LOCAL,
        "QMNAME": context.manager.name,
        "STATUS": C.MQPS_STATUS_INACTIVE,
    }
    values = [("PUBSUB", filled("PUBSUB", known))]
    return answer(command, shown(command, values, keys=("QMNAME", "TYPE", "STATUS"), all_by_default=True))


def none_of_them(context: Context, command: Command) -> Outcome:
    raise not_found(command)


def no_subscriptions(context: Context, command: Command) -> Outcome:
    raise mq_error(C.MQRC_NO_SUBSCRIPTION, command.name, "there are no subscriptions")


HANDLERS: dict[tuple[str, str], Callable[[Context, Command], Outcome]] = {
    ("DISPLAY", "QSTATUS"): queue_status,
    ("RESET", "QSTATS"): reset_statistics,
    ("DISPLAY", "CONN"): connections,
    ("DISPLAY", "LSSTATUS"): listener_status,
    ("DISPLAY", "SVSTATUS"): service_status,
    ("DISPLAY", "QMSTATUS"): manager_status,
    ("DISPLAY", "PUBSUB"): publish_subscribe,
    ("DISPLAY", "SUB"): no_subscriptions,
    ("DISPLAY", "SBSTATUS"): no_subscriptions,
    ("DISPLAY", "CLUSQMGR"): none_of_them,
}
