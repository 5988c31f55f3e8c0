"""The agent that sends: it empties a transmission queue, batch by batch.

A batch is a unit of work that gets messages until it is full (BATCHSZ, BATCHLIM), or the queue is empty and BATCHINT
has passed. Then it is prepared, in the log, and the other end is asked to confirm: from that moment on it is in doubt,
until the answer commits it here. With a pipeline the next batch is under way meanwhile, but it is never in doubt itself
before the one before it is certain. Fast messages are in no batch.

When the channel starts, both ends say what the last batch was; a batch that was in doubt is committed if the other end
has it, and backed out if not. What may happen when is in `SENDER` of `agent_states.py`.
"""

from __future__ import annotations

from dataclasses import replace
from secrets import token_bytes

from libremq.admin.operations import ChannelInstance
from libremq.channels.agent import Agent
from libremq.channels.agent_states import IS_CHECKING, IS_IN_DOUBT, SENDER, Event
from libremq.channels.batch_progress import DoubtfulBatch, OpenBatch, SequenceNumbers
from libremq.channels.channel_end import ChannelError, End, StopReason
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.exits import Suppressed
from libremq.channels.negotiation import in_words, next_sequence
from libremq.channels.transit import Transit, microseconds_queued
from libremq.channels.transport import Peer, Transport
from libremq.channels.undelivered import Undeliverable
from libremq.common.clock import elapsed
from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.channel_definitions import Sender, Server
from libremq.kernel.objects.channel_sync_record import NO_LUWID, ChannelSync
from libremq.kernel.objects.channel_sync_record import SENDER as SENDER_ROLE
from libremq.kernel.state.batch_identity import BatchIdentity
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.units import channel_batches
from libremq.kernel.units.channel_batches import Batch
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD
from libremq.store.stored_message import Origin
from libremq.wire import message_channel as flows
from libremq.wire.message_channel import NONCE_BYTES, Resync, StatusData
from libremq.wire.protocol import ProtocolError, Status
from libremq.wire.segments import NO_LUWID as NO_LUWID_BYTES
from libremq.wire.segments import Flow
from libremq.wire.session_flows import InitialData

_QUANTUM = 16  # messages at a time: others want their turn, and the other end gets to work on these meanwhile
_PERSISTENT = C.MQPER_PERSISTENT


class SendingAgent(Agent):
    """The sending end: of a sender channel, or of a server channel."""

    sends = True
    table = SENDER
    channel: Sender | Server

    def __init__(
        self,
        environment: ChannelEnvironment,
        channel: Sender | Server,
        transport: Transport,
        peer: Peer,
        *,
        called: InitialData | None = None,
    ) -> None:
        super().__init__(environment, channel, transport, peer, called=called)
        self.xmitq = channel.xmitq
        self._hobj = 0
        self._queue: QueueState | None = None
        self._transit: Transit | None = None
        self._left_in_doubt: BatchIdentity | None = None  # from before this start
        self._sequence = SequenceNumbers()
        self._batch = OpenBatch()
        self._doubt: DoubtfulBatch | None = None
        self._idle_since = 0.0
        self._is_awake = False  # it is going to look at the queue: nobody needs to wake it

    # The beginning

    def _connect(self) -> None:
        manager = self.environment.manager
        self._hconn = manager.connect("", self.name, C.MQAT_QMGR)
        od = MQOD(ObjectName=self.xmitq)
        try:
            self._hobj = manager.open(self._hconn, od, C.MQOO_INPUT_EXCLUSIVE | C.MQOO_FAIL_IF_QUIESCING)
        except MQError as error:
            raise ChannelError(End("retry", amq(9509, self.xmitq, error)), Status.CHANNEL_UNAVAILABLE) from error
        queue = manager.handle(self._hconn, self._hobj).queue
        assert queue is not None
        self._queue = queue
        if not queue.definition.is_transmission_queue:
            raise ChannelError(End("failed", amq(9531, self.xmitq, self.name)), Status.CHANNEL_UNAVAILABLE)

    def _resynchronise(self) -> None:
        """Say what the last batch was, and which one is in doubt."""
        manager, negotiated = self.environment.manager, self.negotiated
        self._transit = Transit(
            self.environment, self.channel, self._hconn, xmitq=self.xmitq, max_message=negotiated.max_message,
            partner_ccsid=negotiated.partner_ccsid or manager.definitions.qmgr.ccsid,
            knows_properties=negotiated.knows_properties, knows_routes=negotiated.knows_routes,
            partner=self.partner, connection_name=self.peer.address,
        )  # fmt: skip
        for one in manager.channel_records.in_doubt():
            if one.channel != self.name and one.xmitq != self.xmitq:
                continue
            if (one.channel, one.partner, one.xmitq) != (self.name, self.partner, self.xmitq):
                message = amq(9507, one.channel, one.words)
                raise ChannelError(End("failed", message), Status.CHANNEL_UNAVAILABLE)
            self._left_in_doubt = one
        sync, numbers, doubt = self._sync(), self._sequence, self._left_in_doubt
        self._check_no_older(sync)
        if sync is not None:
            numbers.certain, numbers.luwid = sync.sequence, sync.luwid
        self.substate = C.MQCHSSTATE_RESYNCHING
        if negotiated.is_fresh:
            self._nonce = token_bytes(NONCE_BYTES)
        # What was put in doubt is on disk before anybody hears of it
        self._send(
            Resync(
                numbers.certain,
                bytes.fromhex(numbers.luwid),
                doubt.last if doubt is not None else 0,
                bytes.fromhex(doubt.luwid) if doubt is not None else NO_LUWID_BYTES,
                nonce=self._nonce,
            ).pack(),
            manager.last_lsn,
        )

    def _sync(self) -> ChannelSync | None:
        return self.environment.manager.channel_records.sync_of(SENDER_ROLE, self.name, self.partner, self.xmitq)

    def _compare(self, flow: Flow) -> None:
        """The other end says what its last batch was: that decides what becomes of one in doubt."""
        other, numbers, doubt = Resync.unpack(flow), self._sequence, self._left_in_doubt
        if self.negotiated.is_fresh:
            self._check_fresh(other)  # before anything is decided by it
            self._send(Resync(numbers.certain, bytes.fromhex(numbers.luwid), heard=other.nonce).pack())
        if doubt is not None:
            arrived = other.luwid.hex() == doubt.luwid
            channel_batches.resolve(self.environment.manager, doubt, arrived, self.peer.address)
            if arrived:
                numbers.certain, numbers.luwid = doubt.last, doubt.luwid
        sync = self._sync()
        if sync is not None and sync.reset:
            self._happens(Event.RESET_NEEDED, other)
            return
        expected = next_sequence(other.sequence, self.channel.seqwrap)
        mine = next_sequence(numbers.certain, self.channel.seqwrap)
        if mine != expected:
            if other.luwid.hex() == numbers.luwid != NO_LUWID:
                # Nothing was lost and nothing came twice, for both have the same last batch: only the count differs
                self.environment.say(amq(9593, self.name, self.peer.address, expected, mine))
                self._happens(Event.RESET_NEEDED, other)
                return
            raise ChannelError(End("retry", amq(9526, self.name, expected, mine)), Status.MSG_SEQUENCE_ERROR, mine)
        self._happens(Event.SYNCHRONISED)

    def _ask_reset(self, other: Resync) -> None:
        numbers = self._sequence
        numbers.luwid = other.luwid.hex()  # which is the last one of both from now on
        self._send(flows.pack_reset(next_sequence(numbers.certain, self.channel.seqwrap)))

    def _reset_confirmed(self, status: StatusData) -> None:
        """Both ends have the same number again, and the same last batch: that of the other one."""
        manager, numbers = self.environment.manager, self._sequence
        sync = ChannelSync.make(
            SENDER_ROLE, self.name, self.partner, self.xmitq, luwid=numbers.luwid, sequence=numbers.certain,
            now=manager.clock.now(), conname=self.connection_name, fresh=self.negotiated.is_fresh,
        )  # fmt: skip
        channel_batches.followed(manager, sync)
        self._run()

    def _run(self) -> None:
        self._sequence.last = self._sequence.certain
        self.substate = C.MQCHSSTATE_IN_MQGET
        self._idle_since = self._now()
        assert self._queue is not None
        self._queue.notified = self._arrived
        self._begin_messages()
        self.on_running(self)
        self._pump()

    def _last_sequence(self) -> int:
        return self._sequence.certain

    # Flows

    def _sync_of(self, identity: BatchIdentity) -> ChannelSync:
        now = self.environment.manager.clock.now()
        return identity.sync(self.connection_name, now, fresh=self.negotiated.is_fresh)

    def _commit(self, status: StatusData) -> None:
        """The other end has the batch."""
        doubt, manager, counters = self._doubt, self.environment.manager, self.counters
        assert doubt is not None
        identity = doubt.unit.identity
        if status.luwid.hex() != identity.luwid:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, self._no_such_batch(status))
        channel_batches.commit(manager, doubt.unit, self._sync_of(identity))
        self._doubt = None
        self._sequence.certain, self._sequence.luwid = identity.last, identity.luwid
        counters.batches += 1
        counters.network_time.add((elapsed() - doubt.asked) * 1e6)
        self._idle_since = self._now()
        self._pump()

    def _no_such_batch(self, status: StatusData) -> str:
        return f"batch {status.luwid.hex()} is confirmed; none is open"

    def _take_heartbeat(self, flow: Flow) -> None:
        """Also one that asks is an answer: the other end tries a message again, but it is there."""
        super()._take_heartbeat(flow)
        self._heartbeats.asked = None
        self._pump()

    def _check_answered(self, flow: Flow) -> None:
        """It is there: the batch can end."""
        super()._take_heartbeat(flow)
        self._heartbeats.asked = None
        self._confirm()
        self._pump()

    # Messages

    def _arrived(self) -> None:
        """There is something on the queue: from any call of the kernel, so nothing is done about it here."""
        if not self._is_awake:
            self._is_awake = True
            self.transport.wake()

    def _pump(self) -> None:
        if self.state.is_binding:
            return
        self._is_awake = True
        self._send_some()
        if self.ended is None:
            self._set_deadline()

    def _send_some(self) -> None:
        transport, pipelines = self.transport, self.environment.pipeline_length > 1
        for _ in range(_QUANTUM):
            if self.state in IS_CHECKING or transport.is_full():
                return
            is_stopping = self.state.is_stopping
            if self._batch_is_full() or (is_stopping and not self._batch.is_empty):
                if not self._end_batch():
                    return
                if self._doubt is None:
                    continue
                if not pipelines:
                    return
                break  # the question leaves before the next batch goes on
            if self._doubt is not None and (is_stopping or not pipelines):
                return
            if is_stopping:
                self._close()
                return
            if not self._send_next():
                self._queue_is_empty()
                return
        transport.wake()

    def _batch_is_full(self) -> bool:
        batch, limit = self._batch, self.channel.batchlim
        count = batch.messages + batch.buried
        if not count:
            return False
        if count >= self.negotiated.batch_size or (limit and batch.bytes >= limit * 1000):
            return True
        # Reports on messages are part of the batch, too
        most = self.environment.manager.definitions.qmgr.maxumsgs
        return batch.unit is not None and batch.unit.unit.message_count >= most

    def _send_next(self) -> bool:
        """Get a message and send it; False if there is none, or none is found yet: then it is told to look again."""
        unit = self._batch.unit or self._begin_batch()
        manager, hconn = self.environment.manager, self._hconn
        # Properties stay in their MQRFH2, as they lie on the queue
        options = C.MQGMO_FAIL_IF_QUIESCING | C.MQGMO_PROPERTIES_FORCE_MQRFH2
        options |= C.MQGMO_SYNCPOINT_IF_PERSISTENT if self.negotiated.fast else C.MQGMO_SYNCPOINT
        try:
            found = manager.get_plain(hconn, self._hobj, options)
            if found:
                md, data, origin = found[0].md, found[0].message.data, found[0].message.origin
            else:
                md = MQMD(Version=C.MQMD_VERSION_2)
                gmo = MQGMO(Version=C.MQGMO_VERSION_4, Options=options)
                got = manager.get_if_found(hconn, self._hobj, md, gmo)
                if got is None:
                    return False
                data, origin = got.data, got.origin
        except MQError as error:
            if error.reason in (C.MQRC_NO_MSG_AVAILABLE, C.MQRC_Q_MGR_QUIESCING):
                return False  # the end of the queue manager is told by `stop`; this batch is still to be confirmed
            if error.reason == C.MQRC_GET_INHIBITED:
                end = End("retry", amq(9549, self.name, self.xmitq))
                raise ChannelError(end, Status.CHANNEL_UNAVAILABLE) from error
            raise ChannelError(End("retry", amq(9510, self.xmitq, error)), Status.QM_UNAVAILABLE) from error
        self.substate = C.MQCHSSTATE_SENDING
        self._send_message(unit, md, data, origin)
        return True

    def _begin_batch(self) -> Batch:
        manager = self.environment.manager
        luwid = manager.new_id()[-8:].hex()
        last = self._sequence.last
        first = next_sequence(last, self.channel.seqwrap)
        identity = BatchIdentity(self.name, self.partner, self.xmitq, luwid, first, last)
        self._batch.unit = unit = channel_batches.begin(manager, self._connection, identity)
        return unit

    def _send_message(self, unit: Batch, md: MQMD, data: bytes, origin: Origin | None) -> None:
        counters, batch, negotiated = self.counters, self._batch, self.negotiated
        fast = negotiated.fast and md.Persistence != _PERSISTENT
        if not batch.messages and not batch.buried:
            batch.began = self._now()
            counters.queue_time.add(microseconds_queued(md, self.environment.manager.clock.now()))
        ready = self._prepared(md, data, origin, fast=fast)
        if ready is None:
            batch.buried += not fast
            self._note_exit_time()
            return
        data, compressed = ready, 0
        compressor = negotiated.compressor
        if compressor.active:
            data, compressed = compressor.compress(data)
            counters.compression_time.add(compressor.microseconds)
            counters.compression_rate.add(compressor.percent)
        if fast:
            sequence, luwid = 0, NO_LUWID_BYTES
        else:
            self._sequence.last = sequence = next_sequence(self._sequence.last, self.channel.seqwrap)
            unit.sent(sequence)
            batch.numbered += 1
            luwid = unit.luwid
        assert self._transit is not None
        segments = flows.pack_message(
            data, sequence=sequence, luwid=luwid, max_segment=negotiated.max_segment, compressed=compressed,
            encoding=self._transit.encoding, ccsid=self._transit.ccsid,
        )  # fmt: skip
        lsn = self._queue.visible_lsn if fast else 0  # type: ignore[union-attr]  # a batch is confirmed after its log
        for segment in segments:
            self._send(segment, lsn)
        batch.messages += 1
        batch.bytes += len(data)
        counters.messages += 1
        counters.last_message = self.environment.manager.clock.now()
        self._note_exit_time()

    def _prepared(self, md: MQMD, data: bytes, origin: Origin | None, *, fast: bool) -> bytes | None:
        """The message as it travels; None if it went to the dead-letter queue instead."""
        transit, exits = self._transit, self._exits
        assert transit is not None and exits is not None
        try:
            ready = transit.prepare(md, data, syncpoint=not fast, origin=origin)
            if ready is not None and exits.any_message:
                passed = exits.message(ready, encoding=transit.encoding, ccsid=transit.ccsid)
                if isinstance(passed, Suppressed):
                    transit.suppress(md, ready, passed.feedback, f"{passed.exit}: {passed.words}", syncpoint=not fast)
                    return None
                ready = passed.data if transit.still_fits(md, passed.data, syncpoint=not fast) else None
        except Undeliverable as error:
            end = End("retry" if error.retry else "failed", error.message)
            raise ChannelError(end, Status.CHANNEL_UNAVAILABLE) from error
        return ready

    # The end of a batch

    def _end_batch(self) -> bool:
        """Ask the other end to confirm; False if that has to wait."""
        if self.state in IS_IN_DOUBT:
            self.substate = C.MQCHSSTATE_END_OF_BATCH
            return False
        interval = self.channel.batchhb
        if interval and self._batch.numbered and self._now() - self._heartbeats.heard > interval / 1000:
            self._happens(Event.CHECK)
            return False
        self._confirm()
        return True

    def _ask_heartbeat(self) -> None:
        self._heartbeats.asked = self._now()
        self._send(flows.heartbeat())
        self.substate = C.MQCHSSTATE_HEARTBEATING

    def _confirm(self) -> None:
        manager, batch = self.environment.manager, self._batch
        unit = batch.unit
        assert unit is not None
        if batch.numbered:
            self.counters.batch_size.add(batch.messages)
            self._batch = OpenBatch(unit)
            self._happens(Event.PREPARED, unit, batch.numbered, channel_batches.prepare(manager, unit))
            return
        # Nothing that the other end has to confirm, or counts: fast messages, or some that never left
        self._idle_since = self._now()
        if batch.buried:
            self._batch = OpenBatch()
            channel_batches.commit_unsent(manager, unit)
        else:
            self._batch = OpenBatch(unit)

    def _ask_to_confirm(self, unit: Batch, messages: int, lsn: int) -> None:
        self._batch = OpenBatch()
        self._doubt = DoubtfulBatch(unit, messages, elapsed())
        self.substate = C.MQCHSSTATE_END_OF_BATCH
        self._send(flows.confirm_request(unit.luwid), lsn)

    # The empty queue, and time

    def _queue_is_empty(self) -> None:
        self._is_awake = False
        self.substate = C.MQCHSSTATE_IN_MQGET if self._doubt is None else C.MQCHSSTATE_END_OF_BATCH
        batch = self._batch
        over = self._now() >= batch.began + self.channel.batchint / 1000
        if not batch.is_empty and over and self._end_batch():
            self._idle_since = self._now()

    def _set_deadline(self) -> None:
        times = []
        heartbeat, heard, asked = self.negotiated.heartbeat_s, self._heartbeats.heard, self._heartbeats.asked
        is_checking, is_certain = self.state in IS_CHECKING, self._doubt is None
        if asked is not None:
            times.append(asked + (self.channel.batchhb / 1000 if is_checking else self._patience()))
        elif heartbeat:
            times.append(heard + heartbeat + (0 if is_certain else self._patience()))
        if is_certain and self._batch.is_empty:
            if self.channel.discint:
                times.append(self._idle_since + self.channel.discint)
        elif is_certain and not is_checking and not self.transport.is_full():
            # Otherwise the end of the batch waits for something else
            times.append(self._batch.began + self.channel.batchint / 1000)
        self._deadline = min(times, default=None)

    def _time_passed(self, now: float) -> None:
        where, heartbeat = self.peer.address, self.negotiated.heartbeat_s
        asked, is_certain = self._heartbeats.asked, self._doubt is None
        if asked is not None and self.state in IS_CHECKING and now >= asked + self.channel.batchhb / 1000:
            message = amq(9540, self.name, f"{where} did not answer the heartbeat at its end (BATCHHB)")
            raise ChannelError(End("retry", message), Status.TIMEOUT_EXPIRED)
        silent = now - self._heartbeats.heard
        if asked is not None and now >= asked + self._patience():
            raise ChannelError(End("retry", amq(9259, where, round(silent))), Status.TIMEOUT_EXPIRED)
        if heartbeat and not is_certain and silent >= heartbeat + self._patience():
            raise ChannelError(End("retry", amq(9259, where, round(silent))), Status.TIMEOUT_EXPIRED)
        if is_certain and self._batch.is_empty and 0 < self.channel.discint <= now - self._idle_since:
            self.environment.say(amq(9545, self.name))
            self._close()
            return
        if heartbeat and asked is None and is_certain and silent >= heartbeat:
            self._ask_heartbeat()
        self._pump()

    # The end

    def _follow_close_request(self, status: StatusData) -> None:
        """The other end wants no more batches."""
        self.stop_reasons |= StopReason.PARTNER
        self._pump()

    def _close_at_once(self, status: StatusData) -> None:
        self.stop_reasons |= StopReason.PARTNER
        self._close()

    def _close(self) -> None:
        if StopReason.PARTNER in self.stop_reasons:
            end = End("retry", amq(9546, self.name, self.peer.address, in_words(Status.USER_CLOSED)))
        else:
            end = End("closed")
        self._end(end, flows.close_channel())

    def _give_back(self) -> None:
        if self._transit is not None:
            self._transit.undelivered.tell()
        queue, self._queue = self._queue, None
        if queue is not None and queue.notified == self._arrived:
            queue.notified = None
        unit, self._batch = self._batch.unit, OpenBatch()
        try:
            if unit is not None:
                channel_batches.back_out(self.environment.manager, unit)
        finally:
            super()._give_back()

    # What it shows

    def instance(self) -> ChannelInstance:
        doubt, batch = self._doubt, self._batch
        unit, messages = (doubt.unit, doubt.messages) if doubt is not None else (None, 0)
        if doubt is None and not batch.is_empty:
            unit, messages = batch.unit, batch.messages
        certain = self._sequence.certain
        return replace(
            super().instance(),
            xmitq=self.xmitq,
            batch_sizes=self.counters.batch_size.shown,
            queue_time=self.counters.queue_time.shown,
            network_time=self.counters.network_time.shown,
            current_luwid=unit.identity.luwid if unit is not None else NO_LUWID,
            current_messages=messages,
            current_sequence=unit.identity.last if unit is not None else certain,
            last_luwid=self._sequence.luwid,
            last_sequence=certain,
            in_doubt=doubt is not None,
            queued=len(self._queue.store.chains) if self._queue is not None else 0,
        )
