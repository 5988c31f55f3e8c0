"""The agent that sends: it empties a transmission queue, batch by batch.

A batch is a unit of work that gets messages until it is full (BATCHSZ, BATCHLIM), or the queue is empty and BATCHINT
has passed. Then it is prepared, in the log, and the other end is asked to confirm: from that moment on it is in doubt,
until the answer commits it here. With a pipeline the next batch is under way meanwhile, but it is never in doubt itself
before the one before it is certain. Fast messages are in no batch.

When the channel starts, both ends say what the last batch was; a batch that was in doubt is committed if the other end
has it, and backed out if not.
"""

from __future__ import annotations

from dataclasses import replace

from libremq.admin.operations import ChannelInstance
from libremq.channels.agent import Agent, ChannelError, End
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.exits import Suppressed
from libremq.channels.negotiation import in_words, knows_routes, next_sequence
from libremq.channels.transit import Transit, microseconds_queued
from libremq.channels.transport import Peer, Transport
from libremq.channels.undelivered import Undeliverable
from libremq.common.clock import elapsed
from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.channel_definitions import Sender, Server
from libremq.kernel.objects.channel_sync_record import NO_LUWID, SENDER, ChannelSync
from libremq.kernel.state.batch_identity import BatchIdentity
from libremq.kernel.state.queue_state import QueueState
from libremq.kernel.units import channel_batches
from libremq.kernel.units.channel_batches import Batch
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD
from libremq.wire import message_channel as flows
from libremq.wire.message_channel import Resync, StatusData
from libremq.wire.protocol import CAP3_MSG_PROP, ProtocolError, Status, Type
from libremq.wire.segments import NO_LUWID as NO_LUWID_BYTES
from libremq.wire.segments import Flow
from libremq.wire.session_flows import InitialData

_QUANTUM = 16  # messages at a time: others want their turn, and the other end gets to work on these meanwhile
_PERSISTENT = C.MQPER_PERSISTENT


class SendingAgent(Agent):
    """The sending end: of a sender channel, or of a server channel."""

    sends = True
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
        self._in_doubt: BatchIdentity | None = None  # from before this start
        self._resyncing = False
        self._resetting = False  # the other end has to follow RESET CHANNEL
        self._reset_asked = False  # and was told so
        self._sequence = 0  # of the last message that was sent in a batch
        self._certain = 0  # of the last batch that is committed at both ends
        self._last_luwid = NO_LUWID
        self._batch: Batch | None = None  # under way
        self._waiting: Batch | None = None  # in doubt
        self._doubtful = 0  # messages in it
        self._batch_began = 0.0
        self._batch_messages = 0
        self._batch_bytes = 0
        self._numbered = 0  # of them with a sequence number: the others are fast
        self._buried = 0  # messages of the batch that went to the dead-letter queue here
        self._asked_confirm = 0.0
        self._checking = False  # a heartbeat is under way whose answer the end of the batch waits for
        self._idle_since = 0.0
        self._awake = False
        self._sent_away = False  # the other end wants no more batches

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

    def _negotiated(self) -> None:
        """Say what the last batch was, and which one is in doubt."""
        core, agreed = self.environment.manager.core, self.agreed
        assert agreed is not None
        self._transit = Transit(
            self.environment, self.channel, self._hconn, xmitq=self.xmitq, max_message=agreed.max_message,
            partner_ccsid=self.partner_ccsid or core.catalogue.qmgr.ccsid,
            knows_properties=bool(agreed.capabilities[2] & CAP3_MSG_PROP), knows_routes=knows_routes(agreed),
            partner=self.partner, connection_name=self.peer.address,
        )  # fmt: skip
        mine = (self.name, self.partner, self.xmitq)
        for one in channel_batches.in_doubt(core):
            if one.channel != self.name and one.xmitq != self.xmitq:
                continue
            if (one.channel, one.partner, one.xmitq) != mine:
                message = amq(9507, one.channel, one.words)
                raise ChannelError(End("failed", message), Status.CHANNEL_UNAVAILABLE)
            self._in_doubt = one
        sync = channel_batches.sync_of(core, SENDER, *mine)
        if sync is not None:
            self._certain, self._last_luwid = sync.sequence, sync.luwid
        self._resetting = sync is not None and sync.reset > 0
        self._resyncing = True
        self.substate = C.MQCHSSTATE_RESYNCHING
        doubt = self._in_doubt
        # What was put in doubt is on disk before anybody hears of it
        self._send(
            Resync(
                self._certain,
                bytes.fromhex(self._last_luwid),
                doubt.last if doubt is not None else 0,
                bytes.fromhex(doubt.luwid) if doubt is not None else NO_LUWID_BYTES,
            ).pack(),
            core.log.tail - 1,
        )

    def _resynchronised(self, other: Resync) -> None:
        manager = self.environment.manager
        doubt = self._in_doubt
        if doubt is not None:
            arrived = other.luwid.hex() == doubt.luwid
            channel_batches.resolve(manager, doubt, arrived, self.peer.address)
            if arrived:
                self._certain, self._last_luwid = doubt.last, doubt.luwid
                self._resetting = False
        if self._resetting:
            self._reset_asked, self._last_luwid = True, other.luwid.hex()  # which is the last one of both from now on
            self._send(flows.pack_reset(next_sequence(self._certain, self.channel.seqwrap)))
            return
        expected = next_sequence(other.sequence, self.channel.seqwrap)
        mine = next_sequence(self._certain, self.channel.seqwrap)
        if mine != expected:
            raise ChannelError(End("retry", amq(9526, self.name, expected, mine)), Status.MSG_SEQUENCE_ERROR, mine)
        self._run()

    def _run(self) -> None:
        self._sequence = self._certain
        self._resyncing = False
        self.state, self.substate = C.MQCHS_RUNNING, C.MQCHSSTATE_IN_MQGET
        self._idle_since = self._now()
        assert self._queue is not None
        self._queue.notified = self._arrived
        self._begin_messages()
        self.on_running(self)
        self._pump()

    def _last_sequence(self) -> int:
        return self._certain

    # Flows

    def _take_other(self, flow: Flow) -> None:
        if flow.kind == Type.RESYNC_DATA and self._resyncing and not self._reset_asked:
            self._resynchronised(Resync.unpack(flow))
        else:
            super()._take_other(flow)

    def _batch_status(self, status: StatusData) -> None:
        if self._reset_asked and status.accepted:
            self._resetting = self._reset_asked = False
            self._note_reset()
            self._run()
            return
        batch = self._waiting
        if batch is None or not status.accepted or status.luwid.hex() != batch.identity.luwid:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, f"batch {status.luwid.hex()} is confirmed; none is open")
        manager, counters = self.environment.manager, self.counters
        channel_batches.commit(manager, batch, batch.identity.sync(self.connection_name, manager.core.clock.now()))
        self._waiting = None
        self._certain, self._last_luwid = batch.identity.last, batch.identity.luwid
        counters.batches += 1
        counters.network_time.add((elapsed() - self._asked_confirm) * 1e6)
        self._idle_since = self._now()
        self._pump()

    def _note_reset(self) -> None:
        """Both ends have the same number again, and the same last batch: that of the other one."""
        manager = self.environment.manager
        sync = ChannelSync.make(
            SENDER, self.name, self.partner, self.xmitq, luwid=self._last_luwid, sequence=self._certain,
            now=manager.core.clock.now(), conname=self.connection_name,
        )  # fmt: skip
        channel_batches.followed(manager, sync)

    def _heartbeat_came(self) -> None:
        """The other end cannot answer just now, as it tries a message again, but it is there."""
        self._heartbeat_answered()

    def _heartbeat_answered(self) -> None:
        super()._heartbeat_answered()
        if self._checking:
            self._checking = False
            self._confirm()
        self._pump()

    # Messages

    def _arrived(self) -> None:
        """There is something on the queue: from any call of the kernel, so nothing is done about it here."""
        if not self._awake:
            self._awake = True
            self.transport.wake()

    def _pump(self) -> None:
        if self.state not in (C.MQCHS_RUNNING, C.MQCHS_STOPPING) or self._resyncing:
            return
        self._awake = True  # nobody needs to wake it while it looks by itself
        self._send_some()
        if self.ended is None:
            self._set_deadline()

    def _send_some(self) -> None:
        transport = self.transport
        for _ in range(_QUANTUM):
            if self._checking or transport.is_full():
                return
            if self._batch_is_full() or (self.state == C.MQCHS_STOPPING and not self._between_batches()):
                if not self._end_batch():
                    return
                if self._waiting is None:
                    continue
                if self.environment.pipeline_length < 2:
                    return
                break  # the question leaves before the next batch goes on
            if self._waiting is not None and (self.environment.pipeline_length < 2 or self.state == C.MQCHS_STOPPING):
                return
            if self.state == C.MQCHS_STOPPING:
                self._close()
                return
            if not self._send_next():
                self._queue_is_empty()
                return
        transport.wake()

    def _between_batches(self) -> bool:
        return not self._batch_messages and not self._buried

    def _batch_is_full(self) -> bool:
        assert self.agreed is not None
        count, limit = self._batch_messages + self._buried, self.channel.batchlim
        if not count:
            return False
        if count >= self.agreed.batch_size or (limit and self._batch_bytes >= limit * 1000):
            return True
        # Reports on messages are part of the batch, too
        batch, most = self._batch, self.environment.manager.core.catalogue.qmgr.maxumsgs
        return batch is not None and batch.unit.message_count >= most

    def _send_next(self) -> bool:
        """Get a message and send it; False if there is none."""
        batch = self._batch or self._begin_batch()
        manager, hconn = self.environment.manager, self._hconn
        # Properties stay in their MQRFH2, as they lie on the queue
        options = C.MQGMO_FAIL_IF_QUIESCING | C.MQGMO_PROPERTIES_FORCE_MQRFH2
        options |= C.MQGMO_SYNCPOINT_IF_PERSISTENT if self.fast else C.MQGMO_SYNCPOINT
        try:
            found = manager.get_plain(hconn, self._hobj, options)
            if found is not None:
                md, data = found[0].md, found[0].data
            else:
                md = MQMD(Version=C.MQMD_VERSION_2)
                gmo = MQGMO(Version=C.MQGMO_VERSION_4, Options=options)
                got = manager.get(hconn, self._hobj, md, gmo)
                data = got.data  # type: ignore[union-attr]  # it does not wait
        except MQError as error:
            if error.reason in (C.MQRC_NO_MSG_AVAILABLE, C.MQRC_Q_MGR_QUIESCING):
                return False  # the end of the queue manager is told by `stop`; this batch is still to be confirmed
            if error.reason == C.MQRC_GET_INHIBITED:
                end = End("retry", amq(9549, self.name, self.xmitq))
                raise ChannelError(end, Status.CHANNEL_UNAVAILABLE) from error
            raise ChannelError(End("retry", amq(9510, self.xmitq, error)), Status.QM_UNAVAILABLE) from error
        self.substate = C.MQCHSSTATE_SENDING
        self._send_message(batch, md, data)
        return True

    def _begin_batch(self) -> Batch:
        manager = self.environment.manager
        luwid = manager.core.identifiers.next_id()[-8:].hex()
        first = next_sequence(self._sequence, self.channel.seqwrap)
        identity = BatchIdentity(self.name, self.partner, self.xmitq, luwid, first, self._sequence)
        self._batch = channel_batches.begin(manager, self._connection, identity)
        return self._batch

    def _send_message(self, batch: Batch, md: MQMD, data: bytes) -> None:
        counters = self.counters
        fast = self.fast and md.Persistence != _PERSISTENT
        if not self._batch_messages and not self._buried:
            self._batch_began = self._now()
            counters.queue_time.add(microseconds_queued(md, self.environment.manager.core.clock.now()))
        ready = self._prepared(md, data, fast=fast)
        if ready is None:
            self._buried += not fast
            self._note_exit_time()
            return
        data, compressed = ready, 0
        if self.compressor.active:
            data, compressed = self.compressor.compress(data)
            counters.compression_time.add(self.compressor.microseconds)
            counters.compression_rate.add(self.compressor.percent)
        if fast:
            sequence, luwid = 0, NO_LUWID_BYTES
        else:
            self._sequence = sequence = next_sequence(self._sequence, self.channel.seqwrap)
            batch.sent(sequence)
            self._numbered += 1
            luwid = batch.luwid
        assert self._transit is not None
        segments = flows.pack_message(
            data, sequence=sequence, luwid=luwid, max_segment=self.max_segment, compressed=compressed,
            encoding=self._transit.encoding, ccsid=self._transit.ccsid,
        )  # fmt: skip
        lsn = self._queue.visible_lsn if fast else 0  # type: ignore[union-attr]  # a batch is confirmed after its log
        for segment in segments:
            self._send(segment, lsn)
        self._batch_messages += 1
        self._batch_bytes += len(data)
        counters.messages += 1
        counters.last_message = self.environment.manager.core.clock.now()
        self._note_exit_time()

    def _prepared(self, md: MQMD, data: bytes, *, fast: bool) -> bytes | None:
        """The message as it travels; None if it went to the dead-letter queue instead."""
        transit, exits = self._transit, self._exits
        assert transit is not None and exits is not None
        try:
            ready = transit.prepare(md, data, syncpoint=not fast)
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
        if self._waiting is not None:
            self.substate = C.MQCHSSTATE_END_OF_BATCH
            return False
        interval = self.channel.batchhb
        if interval and self._numbered and self._now() - self._heard > interval / 1000:
            self._checking = True
            self._asked = self._now()
            self._send(flows.heartbeat())
            self.substate = C.MQCHSSTATE_HEARTBEATING
            return False
        self._confirm()
        return True

    def _confirm(self) -> None:
        batch, manager = self._batch, self.environment.manager
        assert batch is not None
        numbered, buried = self._numbered, self._buried
        size = self._batch_messages
        self._batch_messages = self._batch_bytes = self._numbered = self._buried = 0
        if not numbered:
            # Nothing that the other end has to confirm, or counts: fast messages, or some that never left
            self._idle_since = self._now()
            if buried:
                self._batch = None
                channel_batches.commit_unsent(manager, batch)
            return
        self.counters.batch_size.add(size)
        lsn = channel_batches.prepare(manager, batch)
        self._batch, self._waiting, self._doubtful = None, batch, numbered
        self.substate = C.MQCHSSTATE_END_OF_BATCH
        self._asked_confirm = elapsed()
        self._send(flows.confirm_request(batch.luwid), lsn)

    # The empty queue, and time

    def _queue_is_empty(self) -> None:
        self._awake = False
        self.substate = C.MQCHSSTATE_IN_MQGET if self._waiting is None else C.MQCHSSTATE_END_OF_BATCH
        over = self._now() >= self._batch_began + self.channel.batchint / 1000
        if not self._between_batches() and over and self._end_batch():
            self._idle_since = self._now()

    def _set_deadline(self) -> None:
        assert self.agreed is not None
        times = []
        heartbeat = self.agreed.heartbeat_s
        if self._checking:
            times.append(self._asked + self.channel.batchhb / 1000)  # type: ignore[operator]
        elif self._asked is not None:
            times.append(self._asked + self._patience())
        elif heartbeat:
            times.append(self._heard + heartbeat + (self._patience() if self._waiting is not None else 0))
        if self._waiting is None and self._between_batches():
            if self.channel.discint:
                times.append(self._idle_since + self.channel.discint)
        elif self._waiting is None and not self._checking and not self.transport.is_full():
            # Otherwise the end of the batch waits for something else
            times.append(self._batch_began + self.channel.batchint / 1000)
        self._deadline = min(times, default=None)

    def _time_passed(self, now: float) -> None:
        assert self.agreed is not None
        where, heartbeat = self.peer.address, self.agreed.heartbeat_s
        if self._checking and now >= self._asked + self.channel.batchhb / 1000:  # type: ignore[operator]
            message = amq(9540, self.name, f"{where} did not answer the heartbeat at its end (BATCHHB)")
            raise ChannelError(End("retry", message), Status.TIMEOUT_EXPIRED)
        if self._asked is not None and now >= self._asked + self._patience():
            raise ChannelError(End("retry", amq(9259, where, round(now - self._heard))), Status.TIMEOUT_EXPIRED)
        silent = now - self._heard
        if heartbeat and self._waiting is not None and silent >= heartbeat + self._patience():
            raise ChannelError(End("retry", amq(9259, where, round(silent))), Status.TIMEOUT_EXPIRED)
        idle = self._waiting is None and self._between_batches()
        if idle and 0 < self.channel.discint <= now - self._idle_since:
            self.environment.say(amq(9545, self.name))
            self._close()
            return
        if heartbeat and self._asked is None and self._waiting is None and silent >= heartbeat:
            self._asked = now
            self.substate = C.MQCHSSTATE_HEARTBEATING
            self._send(flows.heartbeat())
        self._pump()

    # The end

    def _close_requested(self) -> None:
        self._sent_away = True
        if self.state not in (C.MQCHS_RUNNING, C.MQCHS_STOPPING):
            self._close()  # nothing was begun yet
            return
        self.state = C.MQCHS_STOPPING
        self._quiesce()

    def _quiesce(self) -> None:
        if self._resyncing:
            self._close()
        else:
            self._pump()

    def _close(self) -> None:
        if self._sent_away:
            end = End("retry", amq(9546, self.name, self.peer.address, in_words(Status.USER_CLOSED)))
        else:
            end = End("closed")
        self._finish(end, flows.close_channel())

    def _give_back(self) -> None:
        if self._transit is not None:
            self._transit.undelivered.tell()
        queue, self._queue = self._queue, None
        if queue is not None and queue.notified == self._arrived:
            queue.notified = None
        batch, self._batch = self._batch, None
        try:
            if batch is not None:
                channel_batches.back_out(self.environment.manager, batch)
        finally:
            super()._give_back()

    # What it shows

    def instance(self) -> ChannelInstance:
        batch, messages = self._waiting, self._doubtful
        if batch is None and not self._between_batches():
            batch, messages = self._batch, self._batch_messages
        return replace(
            super().instance(),
            xmitq=self.xmitq,
            batch_sizes=self.counters.batch_size.shown,
            queue_time=self.counters.queue_time.shown,
            network_time=self.counters.network_time.shown,
            current_luwid=batch.identity.luwid if batch is not None else NO_LUWID,
            current_messages=messages if batch is not None else 0,
            current_sequence=batch.identity.last if batch is not None else self._certain,
            last_luwid=self._last_luwid,
            last_sequence=self._certain,
            in_doubt=self._waiting is not None,
            queued=len(self._queue.store.chains) if self._queue is not None else 0,
        )
