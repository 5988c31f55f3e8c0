"""The queue manager as applications see it: the verbs.

All calls of the kernel come in here; those of administration and of the clock are in its bases. It finds handles,
calls the part that does the work, takes checkpoints when they are due, and turns what goes wrong below into reason
codes. It runs one verb at a time and never waits for another, for a message or for its own log record: a binding
(embedded, local or client) brings threads, sockets and the forcing of the log before an answer leaves. Where the disk
is waited for all the same, `state.core` says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from libremq.common.configuration import TuningSettings
from libremq.common.files.folder_lock import FolderLock
from libremq.common.messages.amq_messages import amq
from libremq.kernel.authority import object_authority
from libremq.kernel.events import performance_events, queue_manager_events
from libremq.kernel.manager_long_puts import LongPuts
from libremq.kernel.messages import message_context
from libremq.kernel.messages.field_checks import fitting_text
from libremq.kernel.objects.catalogue import Inquired
from libremq.kernel.objects.object_types import HeuristicOutcome
from libremq.kernel.recovery.restart import Say
from libremq.kernel.state.connection import AsyncPutStatus, Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import PASSING
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.state.unit_of_work import UnitOfWork
from libremq.kernel.state.verb_result import Answer, Positioned
from libremq.kernel.state.waiting_gets import Got, PackReply, Waiter
from libremq.kernel.units.xa_branches import Branches
from libremq.kernel.verb_calls import connection_verb, verb
from libremq.kernel.verbs import (
    consumers,
    distribution,
    getting,
    groups,
    inquiry,
    long_puts,
    opening,
    plain_gets,
    put_forms,
    putting,
    taking,
    triggers,
)
from libremq.kernel.verbs.long_puts import LongPut
from libremq.kernel.verbs.searching import Search
from libremq.log import SlotFile
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQOR, MQPMO, MQPMR, MQRR, MQSTS

_T = TypeVar("_T")


class QueueManager(LongPuts):
    """A started queue manager. Not thread-safe: the binding runs one verb at a time."""

    def __init__(
        self, core: Core, lock: FolderLock, checkpoint_file: SlotFile, say: Say, tuning: TuningSettings | None = None
    ) -> None:
        super().__init__(core, lock, checkpoint_file, say, tuning)
        self._branches = Branches(core)
        core.on_arrival = self.available
        core.on_return = self._returned
        core.deliver = partial(putting.deliver_own, core)
        core.on_put = partial(performance_events.message_put, core)
        core.on_get = partial(performance_events.message_got, core)

    # What happens when messages become available

    def available(self, arrived: Mapping[QueueState, Sequence[int]]) -> None:
        for queue, slots in arrived.items():
            if slots:
                try:
                    triggers.message_arrived(self.core, queue, slots)
                except PASSING as error:
                    self._not_triggered(queue, error)
            if queue.waiters:
                getting.serve_waiters(self.core, queue, slots)
            self._tell(queue)

    def _tell(self, queue: QueueState) -> None:
        """Those who look at the queue by themselves may find something: consumers, a channel, the command server."""
        if queue.consumed:
            consumers.message_arrived(self.core, queue)
        self.core.woken.add(queue.notified)
        if queue.serves_commands:
            self.commands_wait = True

    def _returned(self, returned: Mapping[QueueState, Sequence[int]]) -> None:
        for queue in returned:
            try:
                triggers.gets_backed_out(self.core, queue)
            except PASSING as error:
                self._not_triggered(queue, error)
        for queue, slots in returned.items():
            if queue.waiters:
                getting.serve_waiters(self.core, queue, slots)
            self._tell(queue)

    def _not_triggered(self, queue: QueueState, error: Exception) -> None:
        """What made the message available has happened and is logged: it must not seem to have failed."""
        self.say(amq(7482, queue.name, error))

    # MQCONN, MQDISC

    @verb
    def connect(
        self,
        user: str = "",
        application: str = "",
        application_type: int = C.MQAT_UNIX,
        *,
        privileged: bool = True,
        groups: frozenset[str] | None = None,
        trusted: bool = True,
        privilege_of: str | None = None,
        wake: Callable[[], None] | None = None,
        options: int = C.MQCNO_NONE,
    ) -> int:
        """MQCONN. A connection that is not privileged needs authorities: those of the user and of its groups.

        The groups are looked up if they are not given. One that is not `trusted` comes from another process;
        `privilege_of` is the user that it is privileged as, where that may end; `wake` is called when there may be
        something for its consumers.
        """
        if self.core.quiescing:
            raise mq_error(C.MQRC_Q_MGR_QUIESCING, self.name)
        user, application = fitting_text(user)[:12], fitting_text(application)[-28:]
        connection = Connection(next(self.core.hconns), user, application, application_type)
        connection.accounting_token = message_context.accounting_token(self.core.authorities.entities.number_of(user))
        connection.privileged, connection.groups_are_given = privileged, groups is not None
        connection.trusted, connection.privilege_of, connection.wake = trusted, privilege_of, wake
        connection.options = options
        if not privileged:
            connection.groups = object_authority.groups_of(self.core, user) if groups is None else groups
            object_authority.check_connect(self.core, connection)
        self.core.connections[connection.hconn] = connection
        return connection.hconn

    def end_connections(self) -> None:
        for hconn in list(self.core.connections):
            self.disconnect(hconn, back_out=True)

    @connection_verb
    def disconnect(self, hconn: int, *, back_out: bool = False) -> Answer[None]:
        """MQDISC: commits the unit of work, closes what is open. `back_out`: the application died instead.

        MQRC_BACKED_OUT if there was nothing left to commit: the connection is ended all the same.
        """
        connection = self.connection(hconn)
        long_puts.end_those_of(self.core, connection)
        consumers.end(self.core, connection)
        is_lost = connection.is_lost
        lsn = self._end_unit(connection, self.core.backout if back_out or is_lost else self.core.commit)
        branch = connection.xa_unit
        if branch is not None:
            lsn = max(lsn, self.core.backout(branch))
            connection.xa_unit = None
        for handle in list(connection.handles.values()):
            lsn = max(lsn, self._close(connection, handle, C.MQCO_NONE))
        del self.core.connections[hconn]
        if is_lost and not back_out:
            raise self._backed_out()
        return None, lsn, connection

    # MQOPEN, MQCLOSE

    @connection_verb
    def open(self, hconn: int, od: MQOD, options: int, records: Sequence[MQOR] = ()) -> Answer[int]:
        """MQOPEN. With object records it opens a distribution list; `responses` has the outcome of each."""
        connection = self.connection(hconn)
        if records:
            handle, lsn = distribution.open_list(self.core, connection, od, options, records), 0
        else:
            handle, lsn = opening.open_object(self.core, connection, od, options)
        if handle.is_input and handle.queue is not None:
            triggers.initiation_queue_opened(self.core, handle.queue)
        return handle.hobj, lsn, connection

    def responses(self, hconn: int, hobj: int) -> list[MQRR]:
        """The outcome for each destination of a distribution list, of the latest open or put."""
        return self._handle(hconn, hobj)[1].responses

    @connection_verb
    def close(self, hconn: int, hobj: int, options: int = C.MQCO_NONE) -> Answer[int]:
        """MQCLOSE. Returns the reason of a warning, or MQRC_NONE."""
        connection, handle = self._handle(hconn, hobj)
        lsn = self._close(connection, handle, options)
        return groups.unfinished([*handle.put_groups.values(), handle.get_group]), lsn, connection

    def _close(self, connection: Connection, handle: ObjectHandle, options: int) -> int:
        consumers.forget(self.core, connection, handle)
        queue = handle.queue
        has_locked = bool(handle.locked)
        lsn = opening.close_object(self.core, connection, handle, options)
        if queue is not None and not queue.deleted:
            if handle.is_input:
                triggers.queue_closed(self.core, queue)
            if has_locked and queue.waiters:
                getting.serve_waiters(self.core, queue)
            self._tell(queue)  # also of an exclusive input that has ended
        return lsn

    # MQPUT, MQPUT1, MQGET

    @connection_verb
    def put(
        self,
        hconn: int,
        hobj: int,
        md: MQMD,
        pmo: MQPMO,
        data: bytes,
        records: Sequence[MQPMR] = (),
        *,
        long_put: LongPut | None = None,
    ) -> Answer[int]:
        """MQPUT. Returns the reason of a warning, or MQRC_NONE. `long_put`: its data is logged already."""
        connection, handle = self._handle(hconn, hobj)
        self._check_backed_out(connection)
        if handle.destinations:
            reason, lsn = distribution.put(self.core, connection, handle, md, pmo, data, records)
        elif putting.is_async(handle, pmo):
            reason, lsn = C.MQRC_NONE, self._put_async(connection, handle, md, pmo, data, long_put)
        else:
            reason, lsn = putting.put(self.core, connection, handle, md, pmo, data, long_put)
        return reason, lsn, connection

    def _put_async(
        self,
        connection: Connection,
        handle: ObjectHandle,
        md: MQMD,
        pmo: MQPMO,
        data: bytes,
        long_put: LongPut | None = None,
    ) -> int:
        """Fire and forget: what went wrong is told by MQSTAT. Returns the log position."""
        status = connection.async_puts
        try:
            warning, lsn = putting.put(self.core, connection, handle, md, pmo, data, long_put)
        except MQError as error:
            if status.comp_code != C.MQCC_FAILED:
                status.comp_code, status.reason = C.MQCC_FAILED, error.reason
                status.object_name, status.object_qmgr = handle.object_name, self.name
            status.failures += 1
            return 0
        if warning:
            status.warnings += 1
            if status.comp_code == C.MQCC_OK:
                status.comp_code, status.reason = C.MQCC_WARNING, warning
                status.object_name, status.object_qmgr = handle.object_name, self.name
        else:
            status.successes += 1
        return lsn

    def note_async_failure(self, hconn: int, error: MQError) -> None:
        """A put that nobody waits for could not even be tried: MQSTAT tells of it like of the others."""
        status = self.connection(hconn).async_puts
        status.failures += 1
        if status.comp_code != C.MQCC_FAILED:
            status.comp_code, status.reason = C.MQCC_FAILED, error.reason
            status.object_name, status.object_qmgr = error.object_name, self.name

    @connection_verb
    def put1(
        self, hconn: int, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes, *, long_put: LongPut | None = None
    ) -> Answer[int]:
        """MQPUT1: open, put and close in one call. Returns the reason of a warning, or MQRC_NONE."""
        connection = self.connection(hconn)
        reason, lsn, _ = self._put1(connection, od, md, pmo, data, long_put)
        return reason, lsn, connection

    @connection_verb
    def put1_and_form(
        self, hconn: int, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes
    ) -> Answer[tuple[int, put_forms.PutForm | None]]:
        """The same, and the form of puts like it, if there is one."""
        connection = self.connection(hconn)
        reason, lsn, handle = self._put1(connection, od, md, pmo, data)
        form = None if reason else put_forms.form_of(self.core, connection, handle, md, pmo, put1=True)
        return (reason, form), lsn, connection

    def _put1(
        self,
        connection: Connection,
        od: MQOD,
        md: MQMD,
        pmo: MQPMO,
        data: bytes,
        long_put: LongPut | None = None,
    ) -> tuple[int, int, ObjectHandle]:
        self._check_backed_out(connection)
        options = opening.put1_options(pmo)
        try:
            opening.check_put1(self.core, od)
        except MQError as error:
            queue_manager_events.name_not_resolved(
                self.core, connection, error, od.ObjectName, od.ObjectQMgrName, od.ObjectType
            )
            raise
        before = (
            od.ResolvedQName, od.ResolvedQMgrName, od.KnownDestCount, od.UnknownDestCount, od.InvalidDestCount,
        )  # fmt: skip
        handle, _ = opening.open_object(self.core, connection, od, options)  # of a queue that is there
        try:
            assert handle.destination is not None
            reason, lsn = putting.put_to(
                self.core, connection, handle, handle.destination, md, pmo, data, put1=True, long_put=long_put
            )
        except MQError:
            # A call that fails fills nothing
            od.ResolvedQName, od.ResolvedQMgrName, od.KnownDestCount, od.UnknownDestCount, od.InvalidDestCount = before
            raise
        finally:
            opening.close_object(self.core, connection, handle, C.MQCO_NONE)
        return reason, lsn, handle

    @connection_verb
    def get(
        self,
        hconn: int,
        hobj: int,
        md: MQMD,
        gmo: MQGMO,
        buffer_length: int | None = None,
        pack: PackReply | None = None,
    ) -> Answer[Got | Waiter]:
        """MQGET: the result, or a waiter that will have one. `pack` makes the binding's answer of it."""
        connection, handle = self._handle(hconn, hobj)
        self._check_backed_out(connection)
        result = getting.get(self.core, connection, handle, md, gmo, buffer_length, pack)
        return result, result.lsn, connection

    @connection_verb
    def get_if_found(self, hconn: int, hobj: int, md: MQMD, gmo: MQGMO) -> Answer[Got | None]:
        """MQGET for whoever is told of arrivals (`QueueState.notified`) and empties the queue by itself.

        None: nothing is found yet, and it will be told to ask again.
        """
        connection, handle = self._handle(hconn, hobj)
        self._check_backed_out(connection)
        result = getting.get_if_found(self.core, connection, handle, md, gmo)
        if isinstance(result, Got):
            return result, result.lsn, connection
        assert handle.queue is not None
        if isinstance(result, Search):
            result.end()  # what has expired is gone; it begins from there
        self.core.turns.add(getting.TellAgain(self.core, handle.queue))
        return None, 0, connection

    def form_of(self, hconn: int, hobj: int, md: MQMD, pmo: MQPMO) -> put_forms.PutForm | None:
        """After a put that went well: the form of puts like it, if there is one."""
        connection, handle = self._handle(hconn, hobj)
        return put_forms.form_of(self.core, connection, handle, md, pmo)

    @connection_verb
    def put_like(
        self, form: put_forms.PutForm, ids: bytes, data: bytes, properties: bytes = b""
    ) -> Answer[put_forms.Filled | None]:
        """MQPUT like one before, with this MsgId and CorrelId. None, with nothing done, if it is not quite like it."""
        filled = form.put(ids, data, properties)
        return filled, filled.lsn if filled is not None else 0, form.connection

    @connection_verb
    def put_several_like(
        self, form: put_forms.PutForm, ids: list[bytes], data: list[bytes]
    ) -> Answer[list[put_forms.FilledRun]]:
        """The same of several: those that were put, the first ones."""
        done = form.put_several(ids, data)
        return done, max((run.lsn for run in done), default=0), form.connection

    @connection_verb
    def run(self, connection: Connection, calls: Callable[[], Positioned[_T]]) -> Answer[_T]:
        """Calls of one connection that are like ones before, as one. None of them may fail: what could is not run."""
        value, lsn = calls()
        return value, lsn, connection

    @connection_verb
    def get_plain(
        self,
        hconn: int,
        hobj: int,
        options: int,
        first: plain_gets.BeforeTaking = plain_gets.nothing_first,
        most: int = 1,
        *,
        ids: bytes = plain_gets.ANY,
        with_properties: bool = False,
    ) -> Answer[list[plain_gets.Plain]]:
        """MQGET of whatever comes first, so many at most; none, with nothing done, if it takes an ordinary one."""
        connection, handle = self._handle(hconn, hobj)
        found, lsn = plain_gets.take_plain(
            self.core, connection, handle, options, first, most, ids=ids, with_properties=with_properties
        )
        return found, lsn, connection

    def next_is_nonpersistent(self, hconn: int, hobj: int, md: MQMD, gmo: MQGMO) -> bool:
        """For read ahead: would this get find a message, and would no crash of the client be a loss?"""
        connection, handle = self._handle(hconn, hobj)
        return not connection.is_lost and taking.next_is_nonpersistent(self.core, handle, md, gmo)

    def cancel(self, waiter: Waiter) -> None:
        """Stop waiting. If the message has come already, the waiter keeps it."""
        if not waiter.done:
            waiter.give_up()

    # Units of work

    def _check_backed_out(self, connection: Connection) -> None:
        """Tell an application that its unit of work is gone, with all that it has put and got since in ignorance."""
        if connection.is_lost:
            self._end_unit(connection, self.core.backout)
            connection.backed_out = False
            raise self._backed_out()

    def _backed_out(self) -> MQError:
        return mq_error(C.MQRC_BACKED_OUT, self.name, "the queue manager backed out the unit of work; begin it again")

    @verb
    def begin(self, hconn: int) -> int:
        """MQBEGIN: units of work begin by themselves; no other resource manager takes part in this release."""
        connection = self.connection(hconn)
        if connection.xa_unit is not None or (connection.unit is not None and connection.unit.operations):
            raise mq_error(C.MQRC_UOW_IN_PROGRESS, self.name, "the connection has a unit of work with messages in it")
        if connection.unit is None:
            connection.unit = self.core.begin_unit()
        return C.MQRC_NO_EXTERNAL_PARTICIPANTS

    @connection_verb
    def commit(self, hconn: int) -> Answer[None]:
        """MQCMIT."""
        connection = self.connection(hconn)
        self._check_backed_out(connection)
        self._check_owner(connection)
        return None, self._end_unit(connection, self.core.commit), connection

    @connection_verb
    def backout(self, hconn: int) -> Answer[None]:
        """MQBACK."""
        connection = self.connection(hconn)
        self._check_owner(connection)
        lsn = self._end_unit(connection, self.core.backout)
        connection.backed_out = False
        return None, lsn, connection

    def _check_owner(self, connection: Connection) -> None:
        if connection.xa_unit is not None:
            raise mq_error(
                C.MQRC_ENVIRONMENT_ERROR,
                self.name,
                "a transaction manager owns the unit of work; it commits or rolls back",
            )

    def _end_unit(self, connection: Connection, end: Callable[[UnitOfWork], int]) -> int:
        """Commit or back out. If the log has no room for it, the unit of work stays with the connection."""
        unit = connection.unit
        lsn = 0
        if unit is not None:
            if unit.id in self.core.units:
                lsn = end(unit)
            connection.unit = None
        return lsn

    # The verbs of a transaction manager

    @verb
    def xa_start(self, hconn: int, xid: bytes) -> None:
        self._branches.start(self.connection(hconn), xid)

    @verb
    def xa_end(self, hconn: int, xid: bytes) -> None:
        self._branches.end(self.connection(hconn), xid)

    @connection_verb
    def xa_prepare(self, hconn: int, xid: bytes) -> Answer[None]:
        connection = self.connection(hconn)
        return None, self._branches.prepare(connection, xid), connection

    @connection_verb
    def xa_commit(self, hconn: int, xid: bytes, *, one_phase: bool = False) -> Answer[None]:
        connection = self.connection(hconn)
        return None, self._branches.commit(connection, xid, one_phase=one_phase), connection

    @connection_verb
    def xa_rollback(self, hconn: int, xid: bytes) -> Answer[None]:
        connection = self.connection(hconn)
        return None, self._branches.rollback(connection, xid), connection

    @verb
    def xa_recover(self, hconn: int, *, decided: bool = False) -> list[bytes]:
        return self._branches.recover(self.connection(hconn), decided=decided)

    @connection_verb
    def xa_forget(self, hconn: int, xid: bytes) -> Answer[None]:
        connection = self.connection(hconn)
        return None, self._branches.forget(connection, xid), connection

    @verb
    def resolve_unit(self, xid: bytes, *, commit: bool) -> int:
        """rsvmqtrn: an administrator decides a branch. The log position that the answer depends on."""
        return self._branches.resolve(xid, commit=commit)

    @verb
    def forget_unit(self, xid: bytes) -> int:
        """rsvmqtrn -f: what was decided need not be kept any longer."""
        return self._branches.forget_decided(xid)

    def heuristic_outcomes(self) -> list[HeuristicOutcome]:
        """dspmqtrn -h."""
        return self._branches.outcomes()

    # MQINQ, MQSET, MQSTAT

    @verb
    def inquire(self, hconn: int, hobj: int, selectors: Sequence[int]) -> Inquired:
        _, handle = self._handle(hconn, hobj)
        return inquiry.inquire_object(self.core, handle, selectors)

    @connection_verb
    def set(self, hconn: int, hobj: int, values: Mapping[int, int | str]) -> Answer[None]:
        connection, handle = self._handle(hconn, hobj)
        lsn = inquiry.set_object(self.core, connection, handle, values)
        return None, lsn, connection

    @verb
    def status(self, hconn: int, kind: int, sts: MQSTS) -> None:
        """MQSTAT: what became of the asynchronous puts since the last time."""
        connection = self.connection(hconn)
        if kind == C.MQSTAT_TYPE_ASYNC_ERROR:
            status = connection.async_puts
            sts.CompCode, sts.Reason = status.comp_code, status.reason
            sts.PutSuccessCount, sts.PutWarningCount = status.successes, status.warnings
            sts.PutFailureCount = status.failures
            sts.ObjectType = C.MQOT_Q
            sts.ObjectName, sts.ObjectQMgrName = status.object_name, status.object_qmgr
            sts.ResolvedObjectName, sts.ResolvedQMgrName = status.object_name, status.object_qmgr
            connection.async_puts = AsyncPutStatus()
        elif kind in (C.MQSTAT_TYPE_RECONNECTION, C.MQSTAT_TYPE_RECONNECTION_ERROR):
            raise mq_error(C.MQRC_ENVIRONMENT_ERROR, self.name, "an embedded connection never reconnects")
        else:
            raise mq_error(C.MQRC_STAT_TYPE_ERROR, self.name, f"status type {kind} is not known")

    # MQCB, MQCTL

    @verb
    def callback(
        self,
        hconn: int,
        operation: int,
        cbd: MQCBD,
        function: consumers.Callback | None,
        hobj: int = 0,
        md: MQMD | None = None,
        gmo: MQGMO | None = None,
        area: object = None,
    ) -> None:
        """MQCB: register, deregister, suspend or resume a consumer (hobj) or the event handler (hobj 0)."""
        connection = self.connection(hconn)
        handle = self._handle(hconn, hobj)[1] if hobj else None
        if operation & C.MQOP_REGISTER:
            consumers.register(self.core, connection, cbd, function, handle, md or MQMD(), gmo or MQGMO(), area)
            operation &= ~C.MQOP_REGISTER
            if not operation:
                return
        consumers.operate(self.core, connection, operation, handle)

    @verb
    def control(self, hconn: int, operation: int) -> None:
        """MQCTL."""
        consumers.control(self.core, self.connection(hconn), operation)

    @connection_verb
    def next_delivery(
        self, hconn: int, pack: consumers.PackDelivery | None = None
    ) -> Answer[consumers.Delivery | None]:
        """For the binding: the next call to a consumer of this connection, if there is one."""
        connection = self.connection(hconn)
        delivery = consumers.next_delivery(self.core, connection, pack)
        return delivery, 0 if delivery is None else delivery.lsn, connection

    def force(self, lsn: int) -> None:
        """Make the log durable up to a position. Safe from any thread; after an error the caller must call `fail`."""
        self.core.log.force(lsn)
