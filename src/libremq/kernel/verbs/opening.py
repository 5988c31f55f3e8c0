"""MQOPEN and MQCLOSE: from names to handles, dynamic queues made and ended on the way."""

from __future__ import annotations

from libremq.common.names.object_names import dynamic_name
from libremq.kernel.authority import object_authority
from libremq.kernel.events import configuration_events, queue_manager_events
from libremq.kernel.messages import message_context, name_resolution
from libremq.kernel.messages.field_checks import check_object_descriptor
from libremq.kernel.objects.object_types import AliasQueue, LocalQueue, ModelQueue, MQObject, from_model
from libremq.kernel.properties.selector import compile_selector
from libremq.kernel.state import object_changes
from libremq.kernel.state.connection import Connection, Destination, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.verb_result import Positioned
from libremq.kernel.state.waiting_gets import cancel_waits
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQOD, MQPMO

_INPUT = C.MQOO_INPUT_AS_Q_DEF | C.MQOO_INPUT_SHARED | C.MQOO_INPUT_EXCLUSIVE
_CONTEXT = C.MQOO_PASS_IDENTITY_CONTEXT | C.MQOO_PASS_ALL_CONTEXT | C.MQOO_SET_IDENTITY_CONTEXT | C.MQOO_SET_ALL_CONTEXT
_ACCESS = _INPUT | C.MQOO_BROWSE | C.MQOO_OUTPUT | C.MQOO_INQUIRE | C.MQOO_SET
_LOCAL_ONLY = _INPUT | C.MQOO_BROWSE | C.MQOO_SAVE_ALL_CONTEXT
_BIND = C.MQOO_BIND_ON_OPEN | C.MQOO_BIND_NOT_FIXED | C.MQOO_BIND_ON_GROUP
_READ_AHEAD = C.MQOO_READ_AHEAD | C.MQOO_NO_READ_AHEAD
_KNOWN = (
    _ACCESS | _CONTEXT | _BIND | _READ_AHEAD | C.MQOO_SAVE_ALL_CONTEXT | C.MQOO_ALTERNATE_USER_AUTHORITY
    | C.MQOO_FAIL_IF_QUIESCING | C.MQOO_CO_OP | C.MQOO_RESOLVE_LOCAL_Q | C.MQOO_RESOLVE_NAMES
    | C.MQOO_NO_MULTICAST | C.MQOO_READ_AHEAD
)  # fmt: skip
_OBJECT_KINDS = {C.MQOT_Q_MGR: "QMGR", C.MQOT_PROCESS: "PROCESS", C.MQOT_NAMELIST: "NAMELIST"}
_DYNAMIC_CLOSE = C.MQCO_DELETE | C.MQCO_DELETE_PURGE
_KNOWN_CLOSE = _DYNAMIC_CLOSE | C.MQCO_IMMEDIATE | C.MQCO_QUIESCE


def open_object(core: Core, connection: Connection, od: MQOD, options: int) -> Positioned[ObjectHandle]:
    """MQOPEN. On success the descriptor names what was resolved, as MQ returns it."""
    check_options(od, options)
    if connection.open_count >= core.catalogue.qmgr.maxhands:
        raise mq_error(
            C.MQRC_HANDLE_NOT_AVAILABLE, od.ObjectName, f"this connection has MAXHANDS({connection.open_count}) open"
        )
    if core.quiescing and options & C.MQOO_FAIL_IF_QUIESCING:
        raise mq_error(C.MQRC_Q_MGR_QUIESCING, core.qmgr_name)
    if od.ObjectType == C.MQOT_Q or od.ObjectType in _OBJECT_KINDS:
        open_it = _open_queue if od.ObjectType == C.MQOT_Q else _open_other
        try:
            handle, lsn = open_it(core, connection, od, options)
        except MQError as error:
            queue_manager_events.name_not_resolved(
                core, connection, error, od.ObjectName, od.ObjectQMgrName, od.ObjectType
            )
            raise
        handle.object_qmgr = od.ObjectQMgrName
        _count(handle, od)
    elif od.ObjectType == C.MQOT_TOPIC:
        raise mq_error(C.MQRC_FUNCTION_NOT_SUPPORTED, od.ObjectName, "this release has no publish/subscribe")
    else:
        raise mq_error(C.MQRC_OBJECT_TYPE_ERROR, od.ObjectName, f"object type {od.ObjectType} cannot be opened")
    if options & C.MQOO_ALTERNATE_USER_AUTHORITY:
        handle.alternate_user = od.AlternateUserId
    connection.keep(handle)
    return handle, lsn


def _count(handle: ObjectHandle, od: MQOD) -> None:
    """What a distribution list counts, of one queue: is it here or elsewhere? Other objects are no destinations."""
    if od.Version < C.MQOD_VERSION_2:
        return
    remote = handle.destination is not None and handle.destination.is_remote
    od.KnownDestCount = int(od.ObjectType == C.MQOT_Q and not remote)
    od.UnknownDestCount, od.InvalidDestCount = int(remote), 0


def put1_options(pmo: MQPMO) -> int:
    """How an MQPUT1 opens its queue."""
    options = C.MQOO_OUTPUT
    if pmo.Options & C.MQPMO_ALTERNATE_USER_AUTHORITY:
        options |= C.MQOO_ALTERNATE_USER_AUTHORITY
    return options | message_context.open_options(pmo)  # what an open for the same would have needed


def check_put1(core: Core, od: MQOD) -> None:
    """MQPUT1 puts to a queue that exists."""
    check_object_descriptor(od)
    if od.ObjectType != C.MQOT_Q:
        raise mq_error(C.MQRC_OBJECT_TYPE_ERROR, od.ObjectName, "MQPUT1 puts to a queue")
    if od.ObjectQMgrName in ("", core.qmgr_name) and isinstance(core.catalogue.find_queue(od.ObjectName), ModelQueue):
        raise mq_error(C.MQRC_Q_TYPE_ERROR, od.ObjectName, "a model queue holds no messages; open it to make a queue")


def check_options(od: MQOD, options: int) -> None:
    """Is the descriptor's version known, and do the options make sense together?"""
    check_object_descriptor(od)
    if not 1 <= od.Version <= C.MQOD_CURRENT_VERSION:
        raise mq_error(C.MQRC_OD_ERROR, od.ObjectName, f"MQOD version {od.Version} is not known")
    if not options & (_ACCESS | C.MQOO_PASS_ALL_CONTEXT) or options & ~_KNOWN:
        raise mq_error(C.MQRC_OPTIONS_ERROR, od.ObjectName, "no access is asked for, or an unknown option is set")
    inputs = options & _INPUT
    if inputs & (inputs - 1):
        raise mq_error(C.MQRC_OPTIONS_ERROR, od.ObjectName, "only one MQOO_INPUT_* option may be given")
    if (options & _READ_AHEAD) == _READ_AHEAD or (options & _BIND) & ((options & _BIND) - 1):
        raise mq_error(C.MQRC_OPTIONS_ERROR, od.ObjectName, "options exclude each other")
    if options & C.MQOO_SAVE_ALL_CONTEXT and not inputs:
        raise mq_error(C.MQRC_OPTIONS_ERROR, od.ObjectName, "MQOO_SAVE_ALL_CONTEXT needs an MQOO_INPUT_* option")
    if options & _CONTEXT and not options & C.MQOO_OUTPUT:
        raise mq_error(C.MQRC_OPTIONS_ERROR, od.ObjectName, "context options need MQOO_OUTPUT")
    if options & C.MQOO_CO_OP and not options & C.MQOO_BROWSE:
        raise mq_error(C.MQRC_OPTIONS_ERROR, od.ObjectName, "MQOO_CO_OP needs MQOO_BROWSE")


def new_handle(connection: Connection, obj: MQObject | None, options: int, name: str) -> ObjectHandle:
    """A handle with the next number, which it keeps if the open goes well (`Connection.keep`)."""
    return ObjectHandle(connection, connection.next_hobj, obj, options, name)


def _open_other(core: Core, connection: Connection, od: MQOD, options: int) -> Positioned[ObjectHandle]:
    """A process, a namelist or the queue manager: for inquiry only."""
    kind = _OBJECT_KINDS[od.ObjectType]
    if options & _ACCESS & ~C.MQOO_INQUIRE:
        raise mq_error(C.MQRC_OPTION_NOT_VALID_FOR_TYPE, od.ObjectName, "such an object can only be inquired")
    if kind == "QMGR":
        if od.ObjectName not in ("", core.qmgr_name):
            raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, od.ObjectName, f"this queue manager is {core.qmgr_name}")
        obj: MQObject | None = core.catalogue.qmgr
    else:
        obj = core.catalogue.find(kind, od.ObjectName)
    if obj is None:
        raise mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, od.ObjectName, f"no {kind} of this name is defined")
    object_authority.check_object(core, connection, od, options, obj)
    return new_handle(connection, obj, options, obj.name), 0


def _open_queue(core: Core, connection: Connection, od: MQOD, options: int) -> Positioned[ObjectHandle]:
    local = od.ObjectQMgrName in ("", core.qmgr_name)
    obj = name_resolution.named_queue(core, od.ObjectName) if local else None
    if isinstance(obj, ModelQueue):
        return _open_model(core, connection, od, options, obj)
    if not local and options & (C.MQOO_INQUIRE | C.MQOO_SET):
        raise mq_error(
            C.MQRC_OPTION_NOT_VALID_FOR_TYPE, od.ObjectName, "a queue of another queue manager has no attributes here"
        )
    object_authority.check_queue(core, connection, od, options, obj)
    handle = new_handle(connection, obj, options, od.ObjectName)
    if options & _LOCAL_ONLY or (isinstance(obj, LocalQueue) and not options & C.MQOO_OUTPUT):
        handle.queue = _local_target(core, od.ObjectName, obj)
    if options & C.MQOO_OUTPUT:
        destination = name_resolution.destination_of(core, od.ObjectName, od.ObjectQMgrName)
        handle.destination = destination
        if destination.is_remote and not options & C.MQOO_RESOLVE_LOCAL_Q:
            resolved = destination.remote_queue, destination.remote_qmgr
        else:
            resolved = destination.queue.name, core.qmgr_name
    elif handle.queue is not None and options & _LOCAL_ONLY:
        resolved = handle.queue.name, core.qmgr_name
    else:
        resolved = "", ""
    _take_defaults(handle, obj)
    _use(core, handle, od)
    od.ResolvedQName, od.ResolvedQMgrName = resolved
    return handle, 0


def _local_target(core: Core, name: str, obj: MQObject | None) -> QueueState:
    """The local queue that gets and browses work on."""
    if isinstance(obj, AliasQueue):
        obj = name_resolution.base_of(core, obj)
    if isinstance(obj, LocalQueue):
        return core.local_queue(obj)
    raise mq_error(C.MQRC_OPTION_NOT_VALID_FOR_TYPE, name, "messages of a remote queue cannot be got or browsed here")


def _take_defaults(handle: ObjectHandle, obj: MQObject | None) -> None:
    """How properties are returned comes from the first definition in the path, as MQ has it."""
    first = obj if obj is not None else (handle.destination.path[0] if handle.destination else None)
    if isinstance(first, LocalQueue | AliasQueue):
        handle.propctl = first.propctl


def _use(core: Core, handle: ObjectHandle, od: MQOD) -> None:
    """Count the handle in, refusing a second exclusive or a wrongly shared one, and compile its selector."""
    queue = handle.queue
    if od.Version >= C.MQOD_VERSION_4 and od.SelectionString:
        if not handle.options & (_INPUT | C.MQOO_BROWSE):
            raise mq_error(
                C.MQRC_SELECTOR_INVALID_FOR_TYPE, od.ObjectName, "a selector needs an open for input or browse"
            )
        handle.selector = compile_selector(od.SelectionString)
    if queue is not None and handle.is_input:
        _take_input(queue, handle)
    if queue is not None:
        queue.open_handles.add(handle)
        if isinstance(handle.obj, AliasQueue):
            core.alias_handles.setdefault(handle.obj.name, set()).add(handle)
    if handle.destination is not None and not handle.destination.is_remote:
        handle.destination.queue.open_handles.add(handle)
        handle.destination.queue.output_count += 1
    elif handle.destination is not None:
        handle.destination.queue.open_handles.add(handle)


def _take_input(queue: QueueState, handle: ObjectHandle) -> None:
    definition = queue.definition
    option = handle.options & _INPUT
    if option == C.MQOO_INPUT_AS_Q_DEF:
        option = definition.defsopt
    if definition.share == C.MQQA_NOT_SHAREABLE:
        option = C.MQOO_INPUT_EXCLUSIVE
    exclusive = option == C.MQOO_INPUT_EXCLUSIVE
    if queue.exclusive or (exclusive and queue.input_count):
        raise mq_error(
            C.MQRC_OBJECT_IN_USE,
            queue.name,
            "it is open for exclusive input" if queue.exclusive else "others have it open for input",
        )
    queue.exclusive = exclusive
    queue.input_count += 1


def _open_model(
    core: Core, connection: Connection, od: MQOD, options: int, model: ModelQueue
) -> Positioned[ObjectHandle]:
    """Make the dynamic queue and open it; the descriptor gets its name."""
    object_authority.check_model(core, connection, od, options, model)
    name = dynamic_name(od.DynamicQName, core.identifiers.next_unique())
    if core.catalogue.find_queue(name) is not None:
        raise mq_error(C.MQRC_OBJECT_ALREADY_EXISTS, name, "a queue of the name in DynamicQName exists")
    definition = from_model(model, name, core.clock.now())
    queue, lsn = object_changes.add_dynamic(core, definition)
    handle = new_handle(connection, definition, options, name)
    handle.created_queue = True
    handle.queue = queue
    if options & C.MQOO_OUTPUT:
        handle.destination = Destination(queue, path=(definition,))
    _take_defaults(handle, definition)
    try:
        user = od.AlternateUserId if options & C.MQOO_ALTERNATE_USER_AUTHORITY else connection.user
        lsn = max(lsn, object_authority.own_dynamic_queue(core, connection, queue, user))
        _use(core, handle, od)
    except (MQError, LogFull):
        delete_dynamic(core, queue)
        raise
    configuration_events.object_changed(core, None, definition, _context(connection))
    od.ObjectName = name
    od.ObjectQMgrName = core.qmgr_name
    od.ResolvedQName, od.ResolvedQMgrName = name, core.qmgr_name
    return handle, lsn


def _context(connection: Connection) -> queue_manager_events.EventContext:
    """Who is behind a dynamic queue."""
    return queue_manager_events.EventContext(connection.user, C.MQEVO_INTERNAL)


def close_object(core: Core, connection: Connection, handle: ObjectHandle, options: int) -> int:
    """MQCLOSE. A temporary dynamic queue ends with the handle that made it, whatever is on it. The log position."""
    if options & ~_KNOWN_CLOSE or options & _DYNAMIC_CLOSE == _DYNAMIC_CLOSE:
        raise mq_error(C.MQRC_OPTIONS_ERROR, handle.object_name, "unknown or conflicting close options")
    queue = handle.queue or (handle.destination.queue if handle.destination is not None else None)
    deletes = False
    if options & _DYNAMIC_CLOSE:
        deletes = _check_delete(core, handle, queue, options)
    release_handle(core, connection, handle)
    if queue is None or queue.deleted:
        return 0
    if deletes or (queue.definition.is_temporary and handle.created_queue):
        return _end_dynamic(core, connection, queue)
    return 0


def _check_delete(core: Core, handle: ObjectHandle, queue: QueueState | None, options: int) -> bool:
    """MQCO_DELETE and MQCO_DELETE_PURGE: for a permanent dynamic queue, or a temporary one by the handle that made it.

    Others may have the queue open: their next call is told that it is gone.
    """
    if queue is not None and queue.deleted:
        return False
    if queue is None or handle.obj is not queue.definition or not queue.definition.is_dynamic:
        raise mq_error(
            C.MQRC_OPTION_NOT_VALID_FOR_TYPE, handle.object_name, "only a dynamic queue is deleted by a close"
        )
    if queue.definition.is_temporary:
        if not handle.created_queue:
            raise mq_error(
                C.MQRC_OPTION_NOT_VALID_FOR_TYPE, queue.name, "a temporary queue ends with the handle that made it"
            )
        return True
    if not handle.created_queue:
        object_authority.check_close(core, handle.connection, handle, queue)
    if object_changes.has_uncommitted(core, queue):
        raise mq_error(C.MQRC_Q_NOT_EMPTY, queue.name, "messages on it belong to unfinished units of work")
    if options & C.MQCO_DELETE and queue.store.depth:
        raise mq_error(
            C.MQRC_Q_NOT_EMPTY, queue.name, "it holds messages; MQCO_DELETE_PURGE deletes them with the queue"
        )
    return True


def delete_dynamic(core: Core, queue: QueueState) -> int:
    """The queue and the authority of its maker go together."""
    if not queue.definition.is_temporary:
        object_authority.remove_records_of(core, C.MQOT_Q, queue.name)
    return object_changes.delete_queue(core, queue)


def _end_dynamic(core: Core, connection: Connection, queue: QueueState) -> int:
    for waiter in list(queue.waiters):
        waiter.fail(mq_error(C.MQRC_Q_DELETED, queue.name, "the dynamic queue was deleted"))
    lsn = delete_dynamic(core, queue)
    configuration_events.object_changed(core, queue.definition, None, _context(connection))
    for handle in queue.open_handles:
        core.woken.add(handle.connection.wake)  # a consumer hears of it, too
    return lsn


def release_handle(core: Core, connection: Connection, handle: ObjectHandle) -> None:
    """Give back what a handle holds: counts, cursor, locks, marks, waits."""
    connection.drop(handle)
    cancel_waits(handle)
    queue = handle.queue
    if queue is not None:
        queue.drop_cursor(handle.cursor)
        queue.drop_cursor(handle.group_cursor)
        for slot in list(handle.locked):
            queue.release_lock(slot)
        for slot in list(handle.marks):
            queue.unmark(slot, handle)
        if handle.is_input:
            queue.input_count -= 1
            queue.exclusive = False
        queue.open_handles.discard(handle)
        if isinstance(handle.obj, AliasQueue):
            _leave_alias(core, handle, handle.obj.name)
    for destination in (handle.destination, *handle.destinations):
        if destination is not None:
            destination.queue.open_handles.discard(handle)
            if not destination.is_remote:
                destination.queue.output_count -= 1


def _leave_alias(core: Core, handle: ObjectHandle, alias: str) -> None:
    handles = core.alias_handles[alias]
    handles.discard(handle)
    if not handles:
        del core.alias_handles[alias]
