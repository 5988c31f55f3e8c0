"""DISPLAY of what runs: queues in use, connections and their handles, listeners, services, the log.

Everything is a view of the books that the kernel, the log and the server keep (contract 10); nothing is counted here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from libremq.admin import command_options as options
from libremq.admin.command import Command, Outcome, Row
from libremq.admin.command_context import Context, number, word
from libremq.admin.commands_objects import not_found, not_there_yet
from libremq.admin.commands_queue_manager_status import queue_manager_status
from libremq.admin.connection_ids import connection_name, external_name, matches_connection
from libremq.admin.display import Values, shown
from libremq.admin.steps import LOOKED_AT, Steps
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import matches
from libremq.kernel.objects.attributes import Value
from libremq.kernel.objects.object_types import Listener, LocalQueue, Service, date_and_time
from libremq.kernel.objects.status_tables import STATUS_TABLES
from libremq.kernel.verbs.connection_status import ConnectionStatus, HandleStatus
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


def queue_status(context: Context, command: Command) -> Steps[Outcome]:
    if not command.name.endswith("*"):
        context.need(C.MQOT_Q, command.name, C.MQAUTH_DISPLAY)
    seen: list[str] = []
    queues = _queues(context, command.name, seen)
    if number(command, options.QUEUE_STATUS_TYPE, C.MQIACF_Q_STATUS) == C.MQIACF_Q_HANDLE:
        rows = yield from shown(command, _queue_handles(context, command, queues), keys=_QUEUE_FACTS)
        if not seen:
            raise not_found(command)
        return Outcome([amq(command.spec.message, command.spec.words)], rows)
    values = (None if one is None else ("QSTATUS", _queue_values(context, one)) for one in queues)
    return answer(command, (yield from shown(command, values, keys=_QUEUE_FACTS, brief=("CURDEPTH",))))


def _queues(context: Context, pattern: str, seen: list[str]) -> Iterator[LocalQueue | None]:
    """Those that are there when they are looked at, and that the issuer may see; None for each of the others."""
    for one in context.definitions.select("QLOCAL", pattern):
        queue = context.definitions.find("QLOCAL", one.name)
        if isinstance(queue, LocalQueue) and context.may(C.MQOT_Q, queue.name, C.MQAUTH_DISPLAY):
            seen.append(queue.name)
            yield queue
        else:
            yield None


def _queue_values(context: Context, definition: LocalQueue) -> Values:
    queue = context.manager.queue_status(definition)
    monitoring = definition.monq if definition.monq != C.MQMON_Q_MGR else context.definitions.qmgr.monq
    watched = queue.is_monitored
    put = moment(queue.last_put) if watched else ("", "")
    got = moment(queue.last_get) if watched else ("", "")
    known: dict[str, Value] = {
        "QUEUE": definition.name,
        "TYPE": C.MQIACF_Q_STATUS,
        "CURDEPTH": queue.depth,
        "IPPROCS": queue.input_count,
        "OPPROCS": queue.output_count,
        "MONQ": monitoring if watched else C.MQMON_OFF,
        "LPUTDATE": put[0],
        "LPUTTIME": put[1],
        "LGETDATE": got[0],
        "LGETTIME": got[1],
        "UNCOM": C.MQQSUM_YES if queue.uncommitted else C.MQQSUM_NO,
        "MSGAGE": queue.age_of_oldest_s,
        "QTIME": queue.times_on_queue if watched else (),
        "MEDIALOG": queue.media_extent,
        "CURFSIZE": _megabytes(queue.file_bytes),
        "CURMAXFS": _megabytes(queue.file_bytes_max),
    }
    return filled("QSTATUS", known)


def _megabytes(size: int) -> int:
    """Rounded up."""
    return -(-size >> 20)


def _queue_handles(
    context: Context, command: Command, found: Iterable[LocalQueue | None]
) -> Iterator[tuple[str, Values] | None]:
    kind = number(command, options.OPEN_TYPE, C.MQQSOT_ALL)
    for definition in found:
        yield None
        if definition is None:
            continue
        for handle in context.manager.handles_of_queue(definition.name):
            if kind == C.MQQSOT_INPUT and not (handle.is_input or handle.has(C.MQOO_BROWSE)):
                continue
            if kind == C.MQQSOT_OUTPUT and not handle.has(C.MQOO_OUTPUT):
                continue
            yield "QSTATUS.HANDLE", _handle_of_queue(context, definition.name, handle)


def _handle_of_queue(context: Context, queue: str, handle: HandleStatus) -> Values:
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
        "HSTATE": _handle_state(handle),
        "INPUT": _input(handle),
        "INQUIRE": int(handle.has(C.MQOO_INQUIRE)),
        "OUTPUT": int(handle.has(C.MQOO_OUTPUT)),
        "SET": int(handle.has(C.MQOO_SET)),
        "PID": place.pid,
        "TID": place.thread,
        "QMURID": connection.own_unit_name,
        "USERID": connection.user,
        "URTYPE": connection.unit_type,
    }
    return filled("QSTATUS.HANDLE", known)


def _application_type(connection: ConnectionStatus) -> int:
    """Of all that applications say they are, DISPLAY knows the kinds of programs of MQ, and USER for the others."""
    known = STATUS_TABLES["CONN"].by_keyword["APPLTYPE"].words.values()
    return connection.application_type if connection.application_type in known else C.MQAT_USER


def _input(handle: HandleStatus) -> int:
    if not handle.is_input:
        return C.MQQSO_NO
    return C.MQQSO_EXCLUSIVE if handle.is_exclusive else C.MQQSO_SHARED


def _handle_state(handle: HandleStatus) -> int:
    return C.MQHSTATE_ACTIVE if handle.waits else C.MQHSTATE_INACTIVE


def reset_statistics(context: Context, command: Command) -> Steps[Outcome]:
    rows: list[Row] = []
    found = context.definitions.select("QLOCAL", command.name)
    for one in found:
        context.need(C.MQOT_Q, one.name, C.MQAUTH_DISPLAY)
    for place, one in enumerate(found, 1):
        if place % LOOKED_AT == 0:
            yield
        if context.definitions.find("QLOCAL", one.name) is None:
            continue  # gone by now
        figures = context.manager.reset_statistics(one.name)
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


def connections(context: Context, command: Command) -> Steps[Outcome]:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_DISPLAY)
    kind = number(command, options.CONNECTION_TYPE, C.MQIACF_CONN_INFO_CONN)
    external = word(command, options.EXTCONN)
    rows: list[Row] = []
    for place, (connection, handles) in enumerate(context.manager.connection_statuses(), 1):
        if place % LOOKED_AT == 0:
            yield
        if not matches_connection(command.name, connection.hconn):
            continue
        if external and external.upper() != external_name(context.manager.name).hex().upper():
            continue
        if kind in (C.MQIACF_CONN_INFO_CONN, C.MQIACF_CONN_INFO_ALL):
            values = [("CONN", _connection(context, connection))]
            brief = ("UOWLOG", "UOWSTDA", "UOWSTTI", "UOWLOGDA", "UOWLOGTI", "URTYPE", "UOWSTATE")
            rows += yield from shown(command, values, keys=("CONN", "EXTCONN", "TYPE"), brief=brief)
        if kind in (C.MQIACF_CONN_INFO_HANDLE, C.MQIACF_CONN_INFO_ALL):
            held = (("CONN.HANDLE", _handle(context, one)) for one in handles)
            rows += yield from shown(command, held, keys=("CONN", "EXTCONN", "TYPE"), brief=("OBJNAME", "OBJTYPE"))
    return answer(
        command, rows, mq_error(C.MQRCCF_CONNECTION_ID_ERROR, command.name, "no application has this connection")
    )


def _identified(context: Context, connection: ConnectionStatus, kind: int) -> dict[str, Value]:
    return {
        "CONN": connection_name(connection.hconn),
        "EXTCONN": external_name(context.manager.name),
        "TYPE": kind,
    }


def _connection(context: Context, connection: ConnectionStatus) -> Values:
    place = context.operations.place(connection.hconn)
    started, logged = moment(connection.unit_started), moment(connection.unit_logged)
    known: dict[str, Value] = {
        **_identified(context, connection, C.MQIACF_CONN_INFO_CONN),
        "PID": place.pid,
        "TID": place.thread,
        "APPLTAG": connection.application,
        "APPLTYPE": _application_type(connection),
        "CHANNEL": place.channel,
        "CONNAME": place.connection_name,
        "USERID": connection.user,
        "ASTATE": C.MQAS_STARTED if connection.is_consuming else C.MQAS_NONE,
        "URTYPE": connection.unit_type,
        "UOWSTATE": connection.unit_state,
        "QMURID": connection.unit_name,
        "UOWLOG": connection.unit_extent,
        "UOWSTDA": started[0],
        "UOWSTTI": started[1],
        "UOWLOGDA": logged[0],
        "UOWLOGTI": logged[1],
        "EXTURID": connection.external_unit,
        "CONNOPTS": _options("CONN", "CONNOPTS", connection.options) or (C.MQCNO_STANDARD_BINDING,),
    }
    return filled("CONN", known)


def _handle(context: Context, handle: HandleStatus) -> Values:
    known: dict[str, Value] = {
        **_identified(context, handle.connection, C.MQIACF_CONN_INFO_HANDLE),
        "OBJNAME": handle.object_name,
        "OBJTYPE": handle.object_type,
        "OPENOPTS": _options("CONN.HANDLE", "OPENOPTS", handle.options),
        "HSTATE": _handle_state(handle),
    }
    return filled("CONN.HANDLE", known)


def _options(table: str, keyword: str, given: int) -> tuple[int, ...]:
    """The words for options that are given."""
    return tuple(value for value in STATUS_TABLES[table].find(keyword).words.values() if value and given & value)


# What a server runs


def listener_status(context: Context, command: Command) -> Steps[Outcome]:
    def found() -> Iterator[tuple[str, Values]]:
        for one in context.operations.listeners():
            definition = context.definitions.find("LISTENER", one.name) if one.name else None
            where = (C.MQOT_LISTENER, one.name) if one.name else (C.MQOT_Q_MGR, context.manager.name)
            if not matches(command.name, one.name) or not context.may(*where, C.MQAUTH_DISPLAY):
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

    return answer(command, (yield from shown(command, found(), keys=("LISTENER", "STATUS", "PID"))))


def service_status(context: Context, command: Command) -> Steps[Outcome]:
    def found() -> Iterator[tuple[str, Values]]:
        for one in context.operations.services():
            definition = context.definitions.find("SERVICE", one.name)
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

    return answer(command, (yield from shown(command, found(), keys=("SERVICE", "STATUS", "PID"))))


def manager_status(context: Context, command: Command) -> Steps[Outcome]:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_DISPLAY)
    if number(command, options.STATUS_TYPE, C.MQIACF_Q_MGR_STATUS_INFO_Q_MGR) == C.MQIACF_Q_MGR_STATUS_INFO_NHA:
        return not_there_yet("DISPLAY QMSTATUS TYPE(NATIVEHA)", "Native HA")
    values = [("QMSTATUS", filled("QMSTATUS", queue_manager_status(context)))]
    words = (row.keyword for row in STATUS_TABLES["QMSTATUS"])
    groups = {"LOG": frozenset(one for one in words if "LOG" in one or one in _LOG_WORDS)}
    brief = ("CONNS", "CMDSERV", "CHINIT")
    rows = yield from shown(
        command, values, keys=("QMNAME", "TYPE", "STATUS"), groups=groups, all_by_default=False, brief=brief
    )
    return answer(command, rows)


_LOG_WORDS = frozenset({"ARCHSZ", "RECSZ", "MEDIASZ", "REUSESZ", "DISKLSN"})


# Publish/subscribe and clusters are not there yet: what there is of them can be told


def publish_subscribe(context: Context, command: Command) -> Steps[Outcome]:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_DISPLAY)
    known: dict[str, Value] = {
        "TYPE": C.MQPSST_LOCAL,
        "QMNAME": context.manager.name,
        "STATUS": C.MQPS_STATUS_INACTIVE,
    }
    values = [("PUBSUB", filled("PUBSUB", known))]
    rows = yield from shown(command, values, keys=("QMNAME", "TYPE", "STATUS"), all_by_default=True)
    return answer(command, rows)


def none_of_them(context: Context, command: Command) -> Outcome:
    raise not_found(command)


def no_subscriptions(context: Context, command: Command) -> Outcome:
    raise mq_error(C.MQRC_NO_SUBSCRIPTION, command.name, "there are no subscriptions")


HANDLERS: dict[tuple[str, str], Callable[[Context, Command], Outcome | Steps[Outcome]]] = {
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
