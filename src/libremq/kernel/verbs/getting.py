"""MQGET: check the call, try, wait, and try again when something has come.

`get` returns a result, or a Waiter that a later event completes: a message that comes, or a search that takes more than
a slice and goes on in its turn (`searching`, `state.turns`). What one try does, and why it cannot lose a message, is in
`taking`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from libremq.kernel.events import queue_manager_events
from libremq.kernel.objects.object_types import AliasQueue, LocalQueue, MQObject
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import FAILURES, PASSING, as_mq_error, unexpected
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.waiting_gets import (
    BROWSES,
    GENERAL,
    SPECIFIC,
    WHATEVER_COMES,
    Got,
    Ids,
    PackReply,
    Waiter,
    no_message,
)
from libremq.kernel.verbs.matching import GROUP_OPTIONS, Wanted, takes_any
from libremq.kernel.verbs.searching import Search
from libremq.kernel.verbs.taking import BROWSE, MOVING, PROPERTIES, UNDER_CURSOR, Unfinished, attempt, packed
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD

_SYNCPOINTS = C.MQGMO_SYNCPOINT | C.MQGMO_NO_SYNCPOINT | C.MQGMO_SYNCPOINT_IF_PERSISTENT
_PLACES = BROWSE | C.MQGMO_MSG_UNDER_CURSOR
_MARKS = C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_MARK_BROWSE_CO_OP
_UNMARKS = C.MQGMO_UNMARK_BROWSE_CO_OP | C.MQGMO_UNMARK_BROWSE_HANDLE
_ALL_MARKS = _MARKS | _UNMARKS | C.MQGMO_UNMARKED_BROWSE_MSG
_HANDLE_MARKS = C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_UNMARK_BROWSE_HANDLE
_CO_OP_MARKS = C.MQGMO_MARK_BROWSE_CO_OP | C.MQGMO_UNMARK_BROWSE_CO_OP
_KNOWN = (
    _SYNCPOINTS | BROWSE | _MARKS | _UNMARKS | PROPERTIES | C.MQGMO_WAIT | C.MQGMO_ACCEPT_TRUNCATED_MSG
    | C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_LOCK | C.MQGMO_UNLOCK | C.MQGMO_FAIL_IF_QUIESCING | C.MQGMO_CONVERT
    | C.MQGMO_LOGICAL_ORDER | C.MQGMO_COMPLETE_MSG | C.MQGMO_ALL_MSGS_AVAILABLE | C.MQGMO_ALL_SEGMENTS_AVAILABLE
    | C.MQGMO_UNMARKED_BROWSE_MSG
)  # fmt: skip
# These with one of the syncpoint options need no look at what they may be combined with
_SIMPLE = C.MQGMO_WAIT | C.MQGMO_FAIL_IF_QUIESCING | C.MQGMO_CONVERT | C.MQGMO_ACCEPT_TRUNCATED_MSG | PROPERTIES
_ONE_SYNCPOINT = (C.MQGMO_SYNCPOINT, C.MQGMO_NO_SYNCPOINT, C.MQGMO_SYNCPOINT_IF_PERSISTENT)
_MATCHES = (
    C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID | C.MQMO_MATCH_GROUP_ID | C.MQMO_MATCH_MSG_SEQ_NUMBER
    | C.MQMO_MATCH_OFFSET | C.MQMO_MATCH_MSG_TOKEN
)  # fmt: skip


def get(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    md: MQMD,
    gmo: MQGMO,
    buffer_length: int | None = None,
    pack: PackReply | None = None,
) -> Got | Waiter:
    """MQGET. A buffer length of None means that any message fits; `pack` makes the `reply` of the result."""
    queue = _checked(core, handle, md, gmo)
    options = gmo.Options
    if options & C.MQGMO_UNLOCK:
        unlocked = _unlock(core, handle, queue)
        if pack is not None:
            unlocked.reply = packed(pack, handle, queue, md, gmo, unlocked)
        return unlocked
    if options & C.MQGMO_SYNCPOINT:
        core.syncpoint_unit(connection)  # a unit of work that is full says so before the message is looked for
    search = _search_for(core, handle, queue, md, gmo)
    result = attempt(core, connection, handle, queue, md, gmo, buffer_length, search, pack=pack)
    if isinstance(result, Got):
        return result
    waits = bool(options & C.MQGMO_WAIT and gmo.WaitInterval)
    if isinstance(result, Unfinished):
        waiter = _waiter(core, handle, queue, md, gmo, buffer_length, search, pack, waits=waits)
        _go_on_later(core, waiter)
        return waiter
    _leave_lock(core, handle, queue, options)
    if waits:
        return _waiter(core, handle, queue, md, gmo, buffer_length, search, pack)
    raise no_message(queue)


def get_if_found(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    md: MQMD,
    gmo: MQGMO,
    buffer_length: int | None = None,
    search: Search | None = None,
    pack: PackReply | None = None,
) -> Got | Search | Unfinished:
    """MQGET for one who looks again by itself, as channels and consumers do, instead of waiting.

    If it is unfinished, the next time is to be told how it searched: one slice follows the other.
    """
    queue = _checked(core, handle, md, gmo)
    if gmo.Options & C.MQGMO_SYNCPOINT:
        core.syncpoint_unit(connection)
    search = search or _search_for(core, handle, queue, md, gmo)
    result = attempt(core, connection, handle, queue, md, gmo, buffer_length, search, pack=pack)
    if result is None:
        _leave_lock(core, handle, queue, gmo.Options)
        raise no_message(queue)
    return search if isinstance(result, Unfinished) and search is not None else result


def _search_for(core: Core, handle: ObjectHandle, queue: QueueState, md: MQMD, gmo: MQGMO) -> Search | None:
    """How the message is looked for; None if it is the first there is, or the one under the cursor."""
    if gmo.Options & UNDER_CURSOR or takes_any(handle, md, gmo):
        return None
    return Search(core, handle, queue, md, gmo)


def _leave_lock(core: Core, handle: ObjectHandle, queue: QueueState, options: int) -> None:
    """Nothing was found, and the cursor was to leave the locked message."""
    if handle.locked and options & MOVING:
        _release(core, handle, queue)


def _waiter(
    core: Core,
    handle: ObjectHandle,
    queue: QueueState,
    md: MQMD,
    gmo: MQGMO,
    buffer_length: int | None,
    search: Search | None,
    pack: PackReply | None,
    *,
    waits: bool = True,
) -> Waiter:
    if search is None and not gmo.Options & BROWSE:
        return Waiter(core, handle, queue, md, gmo, buffer_length, GENERAL, WHATEVER_COMES, pack=pack, waits=waits)
    search = search or Search(core, handle, queue, md, gmo)
    wanted = search.wanted
    ids: Ids | None = None
    if not gmo.Options & GROUP_OPTIONS and wanted.token is None:  # else one message may make another one available
        told = wanted.ids
        if told != WHATEVER_COMES:
            ids = told
    return Waiter(core, handle, queue, md, gmo, buffer_length, _rank(wanted), ids, search, pack, waits=waits)


def _rank(wanted: Wanted) -> int:
    """Whose turn it is when a message comes; a browse that locks takes the message from others like a get."""
    if wanted.options & BROWSE and not wanted.options & C.MQGMO_LOCK:
        return BROWSES
    return SPECIFIC if wanted.specific else GENERAL


def _checked(core: Core, handle: ObjectHandle, md: MQMD, gmo: MQGMO) -> QueueState:
    """Everything that can be wrong with the call itself."""
    name, options = handle.object_name, gmo.Options
    queue = handle.queue
    if not 1 <= gmo.Version <= C.MQGMO_CURRENT_VERSION:
        raise mq_error(C.MQRC_GMO_ERROR, name, f"MQGMO version {gmo.Version} is not known")
    if md.Version not in (C.MQMD_VERSION_1, C.MQMD_VERSION_2):
        raise mq_error(C.MQRC_MD_ERROR, name, f"MQMD version {md.Version} is not known")
    if options & ~_KNOWN:
        raise mq_error(C.MQRC_OPTIONS_ERROR, name, f"unknown get options {options & ~_KNOWN:#x}")
    _check_together(handle, gmo, name)
    if options & _PLACES and not handle.has(C.MQOO_BROWSE):
        raise mq_error(C.MQRC_NOT_OPEN_FOR_BROWSE, name, "open it with MQOO_BROWSE to browse")
    may_read = handle.is_input or (options & (BROWSE | C.MQGMO_UNLOCK) and handle.has(C.MQOO_BROWSE))
    if queue is None or not may_read:
        raise mq_error(C.MQRC_NOT_OPEN_FOR_INPUT, name, "open it with an MQOO_INPUT_* option to get")
    if options & C.MQGMO_BROWSE_NEXT and handle.browse_logical not in (None, bool(options & C.MQGMO_LOGICAL_ORDER)):
        raise mq_error(
            C.MQRC_INCONSISTENT_BROWSE, name, "the browse changes between logical and physical order: begin it anew"
        )
    if queue.deleted:
        raise mq_error(C.MQRC_Q_DELETED, name, "the dynamic queue no longer exists")
    if core.quiescing and options & C.MQGMO_FAIL_IF_QUIESCING:
        raise mq_error(C.MQRC_Q_MGR_QUIESCING, core.qmgr_name)
    inhibited = get_inhibited(handle, queue)
    if inhibited:
        queue_manager_events.get_inhibited(core, handle)
        raise mq_error(C.MQRC_GET_INHIBITED, inhibited, "GET(DISABLED) on this definition")
    if gmo.WaitInterval < 0 and gmo.WaitInterval != C.MQWI_UNLIMITED and options & C.MQGMO_WAIT:
        raise mq_error(C.MQRC_WAIT_INTERVAL_ERROR, name, f"wait interval {gmo.WaitInterval} is negative")
    return queue


def get_inhibited(handle: ObjectHandle, queue: QueueState) -> str:
    """The name of the definition that forbids gets, or an empty string."""
    if queue.definition.get == C.MQQA_GET_INHIBITED:
        return queue.name
    obj = handle.obj
    if isinstance(obj, AliasQueue) and obj.get == C.MQQA_GET_INHIBITED:
        return obj.name
    return ""


def _check_together(handle: ObjectHandle, gmo: MQGMO, name: str) -> None:
    """Options that exclude or need each other."""
    options = gmo.Options
    if options & ~_SIMPLE and options & ~_SIMPLE not in _ONE_SYNCPOINT:
        places, syncpoints, browse = options & _PLACES, options & _SYNCPOINTS, options & BROWSE
        wrong = (
            places & (places - 1)
            or syncpoints & (syncpoints - 1)
            or (browse and options & (C.MQGMO_SYNCPOINT | C.MQGMO_SYNCPOINT_IF_PERSISTENT))
            or (options & C.MQGMO_COMPLETE_MSG and options & C.MQGMO_SYNCPOINT_IF_PERSISTENT)
            or (options & (C.MQGMO_LOCK | _ALL_MARKS) and not browse)
            or (options & C.MQGMO_UNLOCK and options & ~(C.MQGMO_UNLOCK | C.MQGMO_NO_SYNCPOINT))
            or (options & _ALL_MARKS and options & (C.MQGMO_LOCK | GROUP_OPTIONS))
            or (options & _UNMARKS and options & C.MQGMO_UNMARKED_BROWSE_MSG)
            or options & _HANDLE_MARKS == _HANDLE_MARKS
            or options & _CO_OP_MARKS == _CO_OP_MARKS
            or (options & _CO_OP_MARKS and not handle.has(C.MQOO_CO_OP))
        )
        if wrong:
            raise mq_error(C.MQRC_OPTIONS_ERROR, name, "get options exclude each other, or one needs another")
    if gmo.Version >= C.MQGMO_VERSION_2 and gmo.MatchOptions & ~_MATCHES:
        raise mq_error(C.MQRC_MATCH_OPTIONS_ERROR, name, f"match options {gmo.MatchOptions:#x} are not all known")
    if gmo.Version < C.MQGMO_VERSION_3 and gmo.Version >= 2 and gmo.MatchOptions & C.MQMO_MATCH_MSG_TOKEN:
        raise mq_error(C.MQRC_MATCH_OPTIONS_ERROR, name, "a match by message token needs MQGMO version 3")


# The lock of a browse


def _release(core: Core, handle: ObjectHandle, queue: QueueState) -> None:
    for slot in list(handle.locked):
        queue.release_lock(slot)
    core.on_arrival({queue: ()})


def _unlock(core: Core, handle: ObjectHandle, queue: QueueState) -> Got:
    if not handle.locked:
        return Got(b"", 0, C.MQCC_WARNING, C.MQRC_NO_MSG_LOCKED, lsn=0)
    _release(core, handle, queue)
    return Got(b"", 0, lsn=0)


# Waking those who wait


def cancel_inhibited(core: Core, definition: MQObject | None) -> None:
    """A definition changed: a wait ends when gets are inhibited, whatever is on the queue."""
    waiters: list[Waiter] = []
    if isinstance(definition, LocalQueue) and definition.name in core.queues:
        waiters = list(core.queues[definition.name].waiters)
    elif isinstance(definition, AliasQueue):
        waiters = [waiter for handle in core.alias_handles.get(definition.name, ()) for waiter in handle.waiters]
    for waiter in waiters:
        inhibited = get_inhibited(waiter.handle, waiter.queue)
        if inhibited:
            queue_manager_events.get_inhibited(waiter.core, waiter.handle)
            waiter.fail(mq_error(C.MQRC_GET_INHIBITED, inhibited, "GET(DISABLED) was set while the get waited"))


def serve_waiters(core: Core, queue: QueueState, slots: Sequence[int] = ()) -> None:
    """Let the waiting gets try, each in its turn: the messages in these slots became available, or none knows which.

    Whoever waits has found nothing, so nothing but what has just come can be for it. Whoever is still looking hears of
    it by itself. When the work of a slice is done, those who follow go on in theirs, in the same order.
    """
    left = core.turns.slice
    for waiter in _in_turn(queue, slots):
        if not len(queue.store.chains):
            return
        if waiter.done or waiter.unfinished:
            continue
        search = _search_of(waiter)
        if search is not None:
            if slots:
                search.note_all(slots)
            else:
                search.begin_anew()
        if left <= 0:
            _go_on_later(core, waiter)
            continue
        try:
            result = _attempt(core, waiter, left)
        except PASSING as error:
            waiter.fail(as_mq_error(error, core.qmgr_name))
            continue
        if search is not None:
            left = search.left
        if isinstance(result, Unfinished):
            _go_on_later(core, waiter)


def _search_of(waiter: Waiter) -> Search | None:
    search = waiter.search
    assert search is None or isinstance(search, Search)
    return search


def _attempt(core: Core, waiter: Waiter, left: int | None = None) -> Got | Unfinished | None:
    """One try of a waiting get, which ends it if it comes to a result, or goes wrong."""
    handle = waiter.handle
    waiter.tries = True
    try:
        result = attempt(
            core, handle.connection, handle, waiter.queue, waiter.md, waiter.gmo, waiter.buffer_length,
            _search_of(waiter), left, waiter.pack,
        )  # fmt: skip
    except MQError as error:
        waiter.fail(error)
        return None
    except FAILURES:
        raise
    except Exception as error:
        waiter.fail(unexpected(error, waiter.queue.name))  # it is not the fault of whoever has put the message
        return None
    finally:
        waiter.tries = False
    if isinstance(result, Got):
        waiter.complete(result)
    return result


def _go_on_later(core: Core, waiter: Waiter) -> None:
    """It has more to look at than this call may take: the rest has its turn. Those who take any have one in common."""
    search = _search_of(waiter)
    if search is not None:
        search.watch()
        waiter.turn = SearchTurn(core, waiter)
        core.turns.add(waiter.turn)
    elif waiter.queue.takers_turn is None:
        waiter.queue.takers_turn = TakersTurn(core, waiter.queue)
        core.turns.add(waiter.queue.takers_turn)


class SearchTurn:
    """The search of one get, in slices."""

    __slots__ = ("_core", "_waiter")

    def __init__(self, core: Core, waiter: Waiter) -> None:
        self._core = core
        self._waiter = waiter

    def go_on(self) -> bool:
        waiter = self._waiter
        result = _attempt(self._core, waiter)
        if waiter.done:
            return False
        if isinstance(result, Unfinished):
            return True
        waiter.turn = None
        _leave_lock(self._core, waiter.handle, waiter.queue, waiter.gmo.Options)
        if not waiter.waits and not waiter.done:
            waiter.give_up()
        return False

    def fail(self, error: MQError) -> None:
        self._waiter.fail(error)


@dataclass(frozen=True)
class TellAgain:
    """Whoever empties a queue by itself is to look again, when others had their turn."""

    core: Core
    queue: QueueState

    def go_on(self) -> bool:
        self.core.woken.add(self.queue.notified)
        return False

    def fail(self, error: MQError) -> None:
        """Nothing in it can fail."""


class TakersTurn:
    """Those who take whatever comes first from a queue, when too much before it has expired."""

    __slots__ = ("_core", "_queue")

    def __init__(self, core: Core, queue: QueueState) -> None:
        self._core = core
        self._queue = queue

    def go_on(self) -> bool:
        queue = self._queue
        for waiter in queue.waiters.takers():
            result = None if waiter.done else _attempt(self._core, waiter)
            if isinstance(result, Unfinished):
                return True
            if result is None and not waiter.done and not queue.locks:
                break  # nothing is left for the others either
        queue.takers_turn = None
        for waiter in queue.waiters.takers():
            if not waiter.waits:
                waiter.give_up()
        return False

    def fail(self, error: MQError) -> None:
        self._queue.takers_turn = None
        for waiter in self._queue.waiters.takers():
            waiter.fail(error)


def _in_turn(queue: QueueState, slots: Sequence[int]) -> Iterator[Waiter]:
    waiters = queue.waiters
    if queue.locks:
        return iter(waiters.everybody())  # what is locked for one is there for the handle that has locked it
    if not slots or len(slots) > len(waiters):
        return waiters.in_turn()
    handles = queue.store.handles
    return waiters.in_turn([(handles.message_hash[slot], handles.correl_hash[slot]) for slot in slots])
