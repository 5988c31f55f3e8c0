"""Puts that differ in ids, time and data only: what was checked and worked out for the first counts for the others.

A program puts the same descriptor with the same options through the same handle again and again. What a put makes of
these (`putting.put_to`) depends on them and on the definitions, and is kept as bytes: the stored descriptor, with gaps
for the two ids and the time. So the next one is three pieces joined, and the questions whose answers may have changed
since: `put_plan` has the list. If an answer has, or the put is of a kind that is decided by more than these (groups,
reports, a passed context, a remote queue), nothing is done and the put is done anew, all of it. That both
come to the same, byte for byte, is what tests/server/net/test_server_known_calls.py shows.
"""

from __future__ import annotations

from typing import NamedTuple

from libremq.kernel.messages.message_context import BLANK_STAMP, put_stamp
from libremq.kernel.messages.put_plan import APPLICATION, MAX_PRIORITY, PutPlan, plan_of
from libremq.kernel.messages.time_to_live import expires_ms
from libremq.kernel.objects.object_types import RemoteQueue
from libremq.kernel.properties.property_delivery import may_hold_properties
from libremq.kernel.state import runs
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import PASSING
from libremq.kernel.state.unit_of_work import ACTIVE, UnitOfWork
from libremq.kernel.verbs import put_to_waiting_getter, putting
from libremq.mqi import constants as C
from libremq.mqi.descriptor_bytes import IDS_END, MESSAGE_ID_AT, STAMP_AT, STAMP_END, packed_body
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQPMO
from libremq.store.stored_message import Message, fronts_of

_OPTIONS = (
    C.MQPMO_SYNCPOINT | C.MQPMO_NO_SYNCPOINT | C.MQPMO_FAIL_IF_QUIESCING | C.MQPMO_ASYNC_RESPONSE
    | C.MQPMO_SYNC_RESPONSE | C.MQPMO_NEW_MSG_ID | C.MQPMO_NEW_CORREL_ID | C.MQPMO_DEFAULT_CONTEXT
    | C.MQPMO_NO_CONTEXT
)  # fmt: skip
_NO_ID = bytes(24)
_NO_IDS = bytes(48)


class Filled(NamedTuple):
    """What a put has filled in, and on which log position its answer depends."""

    ids: bytes  # MsgId and CorrelId
    stamp: bytes  # PutDate and PutTime
    lsn: int


class FilledRun(NamedTuple):
    """The same, of several."""

    ids: list[bytes]
    stamp: bytes
    lsn: int


class PutForm:
    """Puts through one handle that are alike."""

    __slots__ = (
        "_behind_stamp", "_between", "_bytes_max", "_connection", "_core", "_expiry", "_group_id", "_handle", "_head",
        "_in_unit", "_is_async", "_is_stamped", "_new_correlation_id", "_new_message_id", "_options", "_persistent",
        "_plan", "_priority", "_put1",
    )  # fmt: skip

    def __init__(
        self,
        core: Core,
        connection: Connection,
        handle: ObjectHandle,
        plan: PutPlan,
        md: MQMD,
        options: int,
        *,
        is_async: bool,
        put1: bool,
    ) -> None:
        """`md` is the stored descriptor of such a put; `is_async`: MQSTAT tells what becomes of it.

        `put1`: the handle is that of an MQPUT1, which is closed. What its open checked holds as long as the plan does.
        """
        self._core = core
        self._connection = connection
        self._handle = handle
        self._plan = plan
        self._options = options
        self._in_unit = bool(options & C.MQPMO_SYNCPOINT)
        self._new_message_id = bool(options & C.MQPMO_NEW_MSG_ID)
        self._new_correlation_id = bool(options & C.MQPMO_NEW_CORREL_ID)
        self._is_async = is_async
        self._put1 = put1
        self._is_stamped = not options & C.MQPMO_NO_CONTEXT
        self._priority = min(md.Priority, MAX_PRIORITY)
        self._persistent = md.Persistence == C.MQPER_PERSISTENT
        # A long message that is logged is put in turns: that is not for a form
        self._bytes_max = min(plan.bytes_max, core.long_bytes - 1) if self._persistent else plan.bytes_max
        self._expiry = md.Expiry
        body = packed_body(md)
        self._head = body[:MESSAGE_ID_AT]
        self._between = body[IDS_END:STAMP_AT]
        self._behind_stamp = body[STAMP_END:]
        self._group_id = md.GroupId.strip(b"\0")

    @property
    def connection(self) -> Connection:
        return self._connection

    def put(self, ids: bytes, data: bytes, properties: bytes = b"") -> Filled | None:
        """Put one more, with this MsgId and CorrelId; None, with nothing done, if that has to be looked at anew.

        `properties` are in the form in which they are stored, which `is_stored_form` has seen.
        """
        core, connection, plan, handle = self._core, self._connection, self._plan, self._handle
        queue = plan.queue
        if (
            plan.closed_because(core, self._options)
            or len(data) > self._bytes_max
            or plan.no_room_because(len(data), len(properties))
            or (properties and core.catalogue.qmgr.maxpropl != C.MQPROP_UNRESTRICTED_LENGTH)
            or connection.is_lost
            or handle.put_groups  # a group was begun through it since
            or not (self._put1 or handle.hobj in connection.handles)
        ):
            return None
        put_before = queue.statistics.enqueued
        try:
            unit: UnitOfWork | None = None
            if self._in_unit:
                unit = connection.xa_unit or connection.unit
                if unit is None:
                    unit = core.syncpoint_unit(connection)
                if unit.state is not ACTIVE or core.unit_closed_because(unit, limited=APPLICATION.is_limited):
                    return None
            ids = self._filled_ids(ids)
            now = core.clock.now()
            stamp = put_stamp(now) if self._is_stamped else BLANK_STAMP
            message = Message.of_bytes(b"".join((self._head, ids, self._between, stamp, self._behind_stamp)), data)
            if properties:
                message.properties = properties
                message.weight += len(properties)
            if unit is None and queue.waiters and put_to_waiting_getter.to_waiting_getter(core, queue, message):
                lsn = 0
            else:
                expires = expires_ms(self._expiry, now)
                lsn = core.put(queue, message, self._priority, self._persistent, expires, unit)
        except (MQError, *PASSING):
            if queue.statistics.enqueued != put_before:
                raise  # it is there, and what followed from it failed: done anew, it would be there twice
            return None
        if unit is not None:
            unit.message_count += 1
            if not self._put1 and handle not in unit.put_groups:
                unit.put_groups[handle] = {}  # a backout restores what was before the first put
        if self._put1:
            connection.next_hobj += 1  # as an open and a close would have it
        elif self._is_async:
            connection.async_puts.successes += 1
        return Filled(ids, stamp, lsn)

    def put_run(self, ids: list[bytes], data: list[bytes]) -> FilledRun | None:
        """Put several as one step; None, with nothing done, if each has to be looked at."""
        core, connection, plan, handle = self._core, self._connection, self._plan, self._handle
        queue, count = plan.queue, len(ids)
        if (
            self._group_id
            or plan.closed_because(core, self._options)
            or max(map(len, data)) > self._bytes_max
            or plan.no_room_because(max(map(len, data)), count=count)
            or connection.is_lost
            or handle.put_groups
            or self._put1
            or handle.hobj not in connection.handles
            or not runs.may_be_put(core, queue, in_unit=self._in_unit)
        ):
            return None
        try:
            unit: UnitOfWork | None = None
            if self._in_unit:
                unit = core.syncpoint_unit(connection)
                if unit.state is not ACTIVE:
                    return None
                if core.unit_closed_because(unit, count=count):
                    return None
            if ids.count(_NO_IDS) == count and not self._new_correlation_id:  # nearly always
                ids = [message_id + _NO_ID for message_id in core.identifiers.next_ids(count)]
            else:
                ids = [self._filled_ids(both) for both in ids]
            now = core.clock.now()
            stamp = put_stamp(now) if self._is_stamped else BLANK_STAMP
            fronts = fronts_of(self._head, ids, b"".join((self._between, stamp, self._behind_stamp)), data)
            messages = list(map(Message.of_front, fronts, data))
            expires = expires_ms(self._expiry, now)
            lsn = runs.put_run(
                core, queue, messages, fronts, data, ids, self._priority, self._persistent, expires, unit
            )  # fmt: skip
        except (MQError, *PASSING):
            return None
        if lsn == runs.NOT_DONE:
            return None
        if unit is not None:
            unit.message_count += count
            if handle not in unit.put_groups:
                unit.put_groups[handle] = {}
        if self._is_async:
            connection.async_puts.successes += count
        return FilledRun(ids, stamp, lsn)

    def put_several(self, ids: list[bytes], data: list[bytes]) -> list[FilledRun]:
        """Put several as one step; or, where that cannot be, one by one up to the first that `put` does not put."""
        run = self.put_run(ids, data)
        if run is not None:
            return [run]
        done: list[FilledRun] = []
        for both, content in zip(ids, data, strict=True):
            one = self.put(both, content)
            if one is None:
                break
            done.append(FilledRun([one.ids], one.stamp, one.lsn))
        return done

    def _filled_ids(self, ids: bytes) -> bytes:
        next_id = self._core.identifiers.next_id
        if self._new_message_id or ids.startswith(_NO_ID):
            ids = next_id() + ids[24:]
        return ids[:24] + next_id() if self._new_correlation_id else ids


def form_of(
    core: Core, connection: Connection, handle: ObjectHandle, md: MQMD, pmo: MQPMO, *, put1: bool = False
) -> PutForm | None:
    """After a put that went well: the form of those like it, if it has one. `md` is as the put has filled it."""
    destination = handle.destination
    if (
        destination is None
        or destination.is_remote
        or pmo.Options & ~_OPTIONS
        or md.Version != C.MQMD_VERSION_2
        or md.Report
        or md.MsgFlags
        or handle.put_groups
        or handle.destinations
        or isinstance(core.catalogue.find_queue(md.ReplyToQ), RemoteQueue)  # stored is what the alias stands for
        or (core.catalogue.qmgr.maxpropl != C.MQPROP_UNRESTRICTED_LENGTH and may_hold_properties(md.Format))
    ):
        return None
    plan = plan_of(core, destination)
    is_async = putting.is_async(handle, pmo)
    return PutForm(core, connection, handle, plan, md, pmo.Options, is_async=is_async, put1=put1)
