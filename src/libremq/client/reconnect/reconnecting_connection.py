"""A connection that outlives its socket: when that breaks, another one takes its place, and the application goes on.

The idea is to keep what the application has, and to tell the truth about what was under way. Handles, cursors and
consumers are opened again. A call whose effect is the same if it is made twice is made again. One that belongs to a
unit of work ends with MQRC_BACKED_OUT, since the unit of work is gone. One whose reply was lost, and that would do
something twice if it were repeated, ends with MQRC_CALL_INTERRUPTED: nobody knows whether it took effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from libremq.client.reconnect.reconnect_cursor import BROWSES
from libremq.client.reconnect.reconnect_handles import OpenObject
from libremq.client.reconnect.reconnect_recovery import TRIES, Connect, Recovery
from libremq.client.reconnect.reconnect_waits import Wait
from libremq.client.remote.remote_connection import RemoteConnection
from libremq.client.remote.remote_message_handles import RemoteMessageHandles
from libremq.host.binding import GetCall, GotItem, PutCall, PutItem, Received
from libremq.host.message_calls import MessageCalls
from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQOR, MQPMO, MQPMR, MQRR, MQSTS

if TYPE_CHECKING:
    from libremq.kernel.recovery.restart import Say

_T = TypeVar("_T")

_PASSES = C.MQPMO_PASS_IDENTITY_CONTEXT | C.MQPMO_PASS_ALL_CONTEXT
_BY_VERBS = _PASSES | C.MQPMO_LOGICAL_ORDER
_GROUPED = C.MQMF_MSG_IN_GROUP | C.MQMF_LAST_MSG_IN_GROUP
_SEGMENTED = C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT
_UNDER_CURSOR = C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
_DELETES = C.MQCO_DELETE | C.MQCO_DELETE_PURGE


class ReconnectingConnection(Recovery, RemoteMessageHandles, MessageCalls):
    """hconn. It has a RemoteConnection at a time, and what is needed to make the next one like it."""

    def __init__(
        self, first: RemoteConnection, connect: Connect, *, timeout_s: float, alone: bool, say: Say | None
    ) -> None:
        """`connect` makes another connection, and MQError says why it cannot; `alone`: to one address only."""
        Recovery.__init__(self, first, connect, timeout_s=timeout_s, alone=alone, say=say)
        self._message_handles = first._message_handles  # they are the client's

    @property
    def qmgr_name(self) -> str:
        return self._name

    @property
    def connected(self) -> bool:
        """Also while it reconnects: what is called then waits."""
        return not self._ended and self._failed is None and (self._current.connected or self._current.lost)

    # MQDISC

    def end_waits(self) -> None:
        self._leaving = True
        self._wake.set()
        try:
            self._current.end_waits()
        except MQError:
            pass  # a broken connection has none

    def disconnect(self) -> None:
        """MQDISC: commits. MQRC_BACKED_OUT if the unit of work was lost before, MQRC_CALL_INTERRUPTED if just now."""
        if self._ended:
            raise mq_error(C.MQRC_HCONN_ERROR, self._name, "the connection is not open, or was ended")
        self._ended = self._leaving = True
        self._starts += 1
        self._started = 0
        self._wake.set()
        current = self._current
        try:
            if current.lost:
                self._note_loss(current)
                current.let_go()
            else:
                self._disconnect(current)
        finally:
            self._objects.clear()
            self._consumers.clear()
        if self._unit_lost:
            raise self._backed_out()

    def _disconnect(self, current: RemoteConnection) -> None:
        unit = self._unit
        try:
            current.disconnect()
        except MQError as error:
            if not current.broken_by(error):
                raise
            self._note_loss(current)
            self._unit_lost = False
            if unit:
                raise self._interrupted("the commit at the end of the connection", error) from error

    # Objects

    def open(self, od: MQOD, options: int, records: Sequence[MQOR] = ()) -> int:
        asked = od.copy()
        tries = 0

        def call(current: RemoteConnection) -> tuple[RemoteConnection, int]:
            nonlocal tries
            tries += 1
            return current, current.open(od, options, records)

        try:
            current, there = self._drive(call)
        except MQError as error:
            if tries > 1 and error.reason == C.MQRC_OBJECT_ALREADY_EXISTS:
                raise self._interrupted("the open that makes a dynamic queue", error) from error
            raise
        opened = OpenObject(next(self._numbers), asked, options, records)
        opened.opened(current, there, od)
        self._objects[opened.number] = opened
        return opened.number

    def responses(self, hobj: int) -> list[MQRR]:
        opened = self._object(hobj)
        return self._drive(lambda current: current.responses(self._place(opened, current)))

    def close(self, hobj: int, options: int = C.MQCO_NONE) -> int:
        """MQCLOSE. With the connection its handles are closed, so this succeeds on one that is lost."""
        opened = self._object(hobj)
        current = self._current
        if not options & _DELETES and (current.lost or opened.connection is not current):
            self._check()
            self._forget(hobj)
            return C.MQRC_NONE
        try:
            reason = self._drive(lambda current: current.close(self._place(opened, current), options))
        except MQError as error:
            if error.reason == C.MQRC_HOBJ_ERROR:
                self._forget(hobj)
            raise
        if reason != C.MQRC_READ_AHEAD_MSGS:
            self._forget(hobj)
        return reason

    def _forget(self, hobj: int) -> None:
        opened = self._objects.pop(hobj, None)
        if opened is not None:
            opened.closed = True
        self._consumers.pop(hobj, None)

    def inquire(self, hobj: int, selectors: Sequence[int]) -> tuple[list[int | str], int]:
        opened = self._object(hobj)
        return self._drive(lambda current: current.inquire(self._place(opened, current), selectors))

    def set(self, hobj: int, values: Mapping[int, int | str]) -> None:
        opened = self._object(hobj)
        self._drive(lambda current: current.set(self._place(opened, current), values))

    def status(self, kind: int, sts: MQSTS) -> None:
        """MQSTAT. Asynchronous puts that a loss has overtaken count as failed with MQRC_CALL_INTERRUPTED."""
        if kind in (C.MQSTAT_TYPE_RECONNECTION, C.MQSTAT_TYPE_RECONNECTION_ERROR):
            self._reconnection_status(kind, sts)
            return
        self._drive(lambda current: current.status(kind, sts))
        if kind == C.MQSTAT_TYPE_ASYNC_ERROR:
            self._unanswered = 0
            lost, self._unanswered_lost = self._unanswered_lost, 0
            if lost:
                sts.PutFailureCount += lost
                if sts.CompCode != C.MQCC_FAILED:
                    sts.CompCode, sts.Reason = C.MQCC_FAILED, C.MQRC_CALL_INTERRUPTED

    def _reconnection_status(self, kind: int, sts: MQSTS) -> None:
        sts.CompCode, sts.Reason = C.MQCC_OK, C.MQRC_NONE
        sts.ObjectType, sts.ObjectName, sts.ObjectQMgrName = C.MQOT_Q_MGR, self._name, self._name
        if self._failed is not None:
            sts.CompCode, sts.Reason = C.MQCC_FAILED, self._failed.reason
        elif kind == C.MQSTAT_TYPE_RECONNECTION:
            self._current.look(0)
            if self._current.lost:
                sts.CompCode, sts.Reason = C.MQCC_WARNING, C.MQRC_RECONNECTING
        elif self._problems:
            sts.CompCode = C.MQCC_FAILED
            sts.Reason, sts.ObjectName = self._problems[0]
            sts.ObjectType = C.MQOT_Q

    # Putting

    def put(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, records: Sequence[MQPMR] = ()) -> int:
        opened = self._object(hobj)
        options = pmo.Options
        unit = bool(options & C.MQPMO_SYNCPOINT)
        logical = bool(options & C.MQPMO_LOGICAL_ORDER)
        if opened.group_broken:
            opened.check_group(logical)

        def call(current: RemoteConnection) -> int:
            there = self._place(opened, current)
            if options & _PASSES:
                return self._passing_context(pmo, current, lambda: current.put(there, md, pmo, data, records))
            return current.put(there, md, pmo, data, records)

        reason = self._drive(call, unit=unit, once="a put")
        if unit:
            self._unit = True
        else:
            if options & C.MQPMO_ASYNC_RESPONSE and not records:
                self._unanswered += 1
            if logical:
                opened.in_group = _is_unfinished(md.MsgFlags)
        return reason

    def put1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> int:
        unit = bool(pmo.Options & C.MQPMO_SYNCPOINT)
        passes = pmo.Options & _PASSES

        def call(current: RemoteConnection) -> int:
            if passes:
                return self._passing_context(pmo, current, lambda: current.put1(od, md, pmo, data))
            return current.put1(od, md, pmo, data)

        reason = self._drive(call, unit=unit, once="a put")
        if unit:
            self._unit = True
        return reason

    def _passing_context(self, pmo: MQPMO, current: RemoteConnection, put: Callable[[], int]) -> int:
        """The handle that context is passed from is one of ours in an MQPMO as well."""
        number = pmo.Context
        opened = self._objects.get(number)
        if opened is None:
            raise mq_error(C.MQRC_CONTEXT_HANDLE_ERROR, self._name, "MQPMO.Context is no open handle")
        pmo.Context = self._place(opened, current)
        try:
            return put()
        finally:
            pmo.Context = number

    def put_message(
        self,
        hobj: int,
        put: PutCall,
        data: bytes,
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
        properties: Mapping[str, object] | None = None,
    ) -> bytes:
        options = put.pmo.Options
        if options & (_BY_VERBS | C.MQPMO_ASYNC_RESPONSE):
            return super().put_message(hobj, put, data, message_id, correlation_id, properties)
        opened = self._object(hobj)
        unit = bool(options & C.MQPMO_SYNCPOINT)
        made = self._drive(
            lambda current: current.put_message(
                self._place(opened, current), put, data, message_id, correlation_id, properties
            ),
            unit=unit,
            once="a put",
        )
        if unit:
            self._unit = True
        return made

    def put1_message(
        self,
        od: MQOD,
        put: PutCall,
        data: bytes,
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
        properties: Mapping[str, object] | None = None,
    ) -> bytes:
        options = put.pmo.Options
        if options & _BY_VERBS:
            return super().put1_message(od, put, data, message_id, correlation_id, properties)
        unit = bool(options & C.MQPMO_SYNCPOINT)
        made = self._drive(
            lambda current: current.put1_message(od, put, data, message_id, correlation_id, properties),
            unit=unit,
            once="a put",
        )
        if unit:
            self._unit = True
        return made

    def put_many(self, hobj: int, items: Sequence[PutItem]) -> None:
        opened = self._object(hobj)
        if any(item.pmo.Options & _PASSES for item in items):
            for item in items:
                self.put(hobj, *item)
            return
        units = {bool(item.pmo.Options & C.MQPMO_SYNCPOINT) for item in items}
        unit = units == {True}
        self._drive(
            lambda current: current.put_many(self._place(opened, current), items),
            unit=unit,
            once=f"the put of {len(items)} messages",
        )
        if True in units:
            self._unit = True

    def put_messages(
        self,
        hobj: int,
        puts: Sequence[tuple[PutCall, bytes]],
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
    ) -> list[bytes]:
        opened = self._object(hobj)
        if any(put.pmo.Options & _BY_VERBS for put, _ in puts):
            return super().put_messages(hobj, puts, message_id, correlation_id)
        units = {bool(put.pmo.Options & C.MQPMO_SYNCPOINT) for put, _ in puts}
        made = self._drive(
            lambda current: current.put_messages(self._place(opened, current), puts, message_id, correlation_id),
            unit=units == {True},
            once=f"the put of {len(puts)} messages",
        )
        if True in units:
            self._unit = True
        return made

    # Getting

    def get(self, hobj: int, md: MQMD, gmo: MQGMO, buffer_length: int | None = None) -> Got:
        """MQGET. One that waits outside syncpoint, or browses, is made again after a loss, for the rest of its wait."""
        opened = self._object(hobj)
        got = self._get_one(opened, gmo, lambda current, there: current.get(there, md, gmo, buffer_length))
        self._note_got(opened, gmo.Options, GotItem(md, gmo, got, {}))
        return got

    def get_message(
        self, hobj: int, get: GetCall, message_id: bytes | None = None, correlation_id: bytes | None = None
    ) -> Received:
        opened = self._object(hobj)
        clock = get.gmo.copy()

        def call(current: RemoteConnection, there: int) -> Received:
            return current.get_message(there, get.for_the_rest(clock), message_id, correlation_id)

        found = self._get_one(opened, clock, call)
        self._note_got(opened, clock.Options, found)
        return found

    def _get_one(self, opened: OpenObject, gmo: MQGMO, call: Callable[[RemoteConnection, int], _T]) -> _T:
        options = gmo.Options
        browses = options & BROWSES
        cursor = opened.cursor
        if opened.group_broken and not browses:
            opened.check_group(bool(options & C.MQGMO_LOGICAL_ORDER))

        def placed(current: RemoteConnection) -> _T:
            there = self._place(opened, current)
            if options & _UNDER_CURSOR and cursor is not None and cursor.displaced:
                raise mq_error(C.MQRC_NO_MSG_UNDER_CURSOR, opened.name, "the message that was browsed is gone")
            return call(current, there)

        return self._get(placed, gmo, repeatable=bool(browses or options & C.MQGMO_UNLOCK))

    def _note_got(self, opened: OpenObject, options: int, found: Received) -> None:
        if found.reason == C.MQRC_TRUNCATED_MSG_FAILED:
            return
        cursor = opened.cursor
        if options & BROWSES:
            if cursor is not None:
                cursor.note(found.md, found.gmo, options)
        elif options & C.MQGMO_UNLOCK:
            if cursor is not None:
                cursor.unlock()
        elif self._is_in_unit(options, [found]):
            self._unit = True
        elif options & C.MQGMO_LOGICAL_ORDER:
            gmo = found.gmo
            opened.in_group = gmo.GroupStatus == C.MQGS_MSG_IN_GROUP or gmo.SegmentStatus == C.MQSS_SEGMENT

    def get_many(self, hobj: int, md: MQMD, gmo: MQGMO, count: int) -> list[GotItem]:
        opened = self._object(hobj)
        found = self._get(
            lambda current: current.get_many(self._place(opened, current), md, gmo, count), gmo, repeatable=False
        )
        self._unit = self._unit or self._is_in_unit(gmo.Options, found)
        return found

    def get_messages(
        self, hobj: int, get: GetCall, count: int, message_id: bytes | None = None, correlation_id: bytes | None = None
    ) -> Sequence[Received]:
        opened = self._object(hobj)
        clock = get.gmo.copy()

        def call(current: RemoteConnection) -> Sequence[Received]:
            there = self._place(opened, current)
            return current.get_messages(there, get.for_the_rest(clock), count, message_id, correlation_id)

        found = self._get(call, clock, repeatable=False)
        self._unit = self._unit or self._is_in_unit(clock.Options, found)
        return found

    @staticmethod
    def _is_in_unit(options: int, found: Sequence[Received]) -> bool:
        """Do messages that were got so belong to a unit of work?"""
        return bool(options & C.MQGMO_SYNCPOINT) or (
            bool(options & C.MQGMO_SYNCPOINT_IF_PERSISTENT)
            and any(message.md.Persistence == C.MQPER_PERSISTENT for message in found)
        )

    def _get(self, call: Callable[[RemoteConnection], _T], gmo: MQGMO, *, repeatable: bool) -> _T:
        options = gmo.Options
        unit = bool(options & C.MQGMO_SYNCPOINT) and not repeatable
        if unit or not (options & C.MQGMO_WAIT and gmo.WaitInterval):
            return self._drive(call, unit=unit, once="" if repeatable else "a get")
        with Wait(gmo) as wait:
            while True:
                current = self._ready()
                wait.go_on()
                try:
                    return call(current)
                except MQError as error:
                    if not current.broken_by(error):
                        raise
                    self._note_loss(current)

    # Units of work

    def begin(self) -> int:
        self._ready(unit=True)
        return self._drive(lambda current: current.begin())

    def commit(self) -> None:
        """MQCMIT. MQRC_BACKED_OUT: nothing was committed, do it again. MQRC_CALL_INTERRUPTED: the outcome is unknown.

        After MQRC_CALL_INTERRUPTED everything in the unit of work was done, or nothing. It is never repeated here.
        """
        for _ in range(TRIES):
            current = self._ready(unit=True)
            unit = self._unit
            try:
                current.commit()
            except MQError as error:
                if error.reason == C.MQRC_BACKED_OUT:
                    self._unit = False
                if not current.broken_by(error):
                    raise
                self._note_loss(current)
                self._unit_lost = False
                if unit:
                    raise self._interrupted("a commit", error) from error
            else:
                self._unit = False
                return
        raise self._backed_out()

    def backout(self) -> None:
        """MQBACK. On a connection that is lost it has been done, so this succeeds."""
        self._check()
        current = self._current
        if not current.lost:
            try:
                current.backout()
            except MQError as error:
                if not current.broken_by(error):
                    raise
        if current.lost:
            self._note_loss(current)
        self._unit = self._unit_lost = False

    # The verbs of a transaction manager

    def xa_start(self, xid: bytes) -> None:
        self._ready(unit=True)
        self._drive(lambda current: current.xa_start(xid))
        self._branch, self._lost_branch = xid, None

    def xa_end(self, xid: bytes) -> None:
        """MQRC_BACKED_OUT if the branch was lost with its connection."""
        if self._current.lost:
            self._note_loss(self._current)
        if self._lost_branch == xid:
            if self._unit_lost:
                raise self._backed_out()
            return  # it was told of that already
        self._drive(lambda current: current.xa_end(xid), unit=True)
        self._branch, self._unit = None, False

    def xa_prepare(self, xid: bytes) -> None:
        self._check_branch(xid)
        self._drive(lambda current: current.xa_prepare(xid), once="the preparation of a branch")

    def xa_commit(self, xid: bytes, *, one_phase: bool = False) -> None:
        self._check_branch(xid)
        self._drive(lambda current: current.xa_commit(xid, one_phase=one_phase), once="the commit of a branch")

    def _check_branch(self, xid: bytes) -> None:
        if self._lost_branch == xid:
            self._lost_branch = None
            raise self._backed_out()

    def xa_rollback(self, xid: bytes) -> None:
        """Rolling back what is rolled back already succeeds, if a lost connection is the reason."""
        before = self.reconnections
        lost = self._lost_branch == xid
        try:
            self._drive(lambda current: current.xa_rollback(xid))
        except MQError as error:
            if error.reason != C.MQRC_UOW_NOT_AVAILABLE or not (lost or before != self.reconnections):
                raise
        if lost:
            self._lost_branch, self._unit_lost = None, False

    def xa_recover(self) -> list[bytes]:
        return self._drive(lambda current: current.xa_recover())

    def xa_forget(self, xid: bytes) -> None:
        self._drive(lambda current: current.xa_forget(xid))


def _is_unfinished(flags: int) -> bool:
    """Does a message with these flags leave a group, or a message in segments, to be continued?"""
    if flags & _GROUPED and not flags & C.MQMF_LAST_MSG_IN_GROUP:
        return True
    return bool(flags & _SEGMENTED) and not flags & C.MQMF_LAST_SEGMENT
