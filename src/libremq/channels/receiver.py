"""The agent that receives: it puts what comes, and commits a batch when the other end asks for it.

Messages of a batch are put under one unit of work. The request to confirm commits it together with the sync record
(number and LUWID of the batch), and the answer leaves when that is on disk: if it is lost, the record tells the sender
at the next start that the batch is here. A connection that is lost backs out what was not confirmed.

A message that cannot be put may be worth another try: the channel is PAUSED then, and what comes behind it waits.
What may happen when is in `RECEIVER` of `agent_states.py`.
"""

from __future__ import annotations

import math
import os
from collections import deque
from dataclasses import dataclass, replace
from secrets import token_bytes

from libremq.admin.operations import ChannelInstance
from libremq.channels.agent import Agent
from libremq.channels.agent_states import IS_BEFORE_AGREEMENT, IS_PAUSED, RECEIVER, Event
from libremq.channels.batch_progress import ReceivedBatch, SequenceNumbers
from libremq.channels.channel_end import ChannelError, End
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.delivery import Delivery
from libremq.channels.exits import Retry, Suppressed
from libremq.channels.negotiation import next_sequence
from libremq.channels.transport import Peer, Transport
from libremq.channels.undelivered import Undeliverable
from libremq.common.messages.amq_messages import amq
from libremq.common.users_file import system_user
from libremq.kernel.objects.channel_definitions import Receiver, Requester
from libremq.kernel.objects.channel_sync_record import NO_LUWID, ChannelSync
from libremq.kernel.objects.channel_sync_record import RECEIVER as RECEIVER_ROLE
from libremq.kernel.units import channel_batches
from libremq.kernel.verbs.channel_messages import Fate
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.wire import message_channel as flows
from libremq.wire.message_channel import NO_NONCE, NONCE_BYTES, MessageData, Resync, StatusData
from libremq.wire.protocol import ProtocolError, Status
from libremq.wire.segments import NO_LUWID as NO_LUWID_BYTES
from libremq.wire.segments import Flow
from libremq.wire.session_flows import InitialData

_PARTNERS_MAX = 10_000
_PAUSED_FLOWS_MAX = 1000  # what may wait behind a message that is being tried again; the transport stops before that


@dataclass(slots=True)
class PutRetry:
    """A message that could not be put, and is to be tried again."""

    message: MessageData
    again_at: float
    beat_at: float
    """When the sender is to hear that this end is only waiting."""
    attempts: int = 1
    """How often it could not be put."""


class ReceivingAgent(Agent):
    """The receiving end: of a receiver channel, or of a requester channel."""

    table = RECEIVER
    channel: Receiver | Requester

    def __init__(
        self,
        environment: ChannelEnvironment,
        channel: Receiver | Requester,
        transport: Transport,
        peer: Peer,
        *,
        called: InitialData | None = None,
    ) -> None:
        super().__init__(environment, channel, transport, peer, called=called)
        self.user = peer.mca_user if peer.mca_user is not None else channel.mcauser
        self._delivery: Delivery | None = None
        self._sequence = SequenceNumbers()
        self._batch = ReceivedBatch()
        self._retry: PutRetry | None = None
        self._backlog: deque[Flow] = deque()  # what waits behind that
        self._putting: MessageData | None = None  # the message that a retry exit is asked about

    # The beginning

    def _connect(self) -> None:
        manager, user = self.environment.manager, self.user
        privileged = not user or manager.authority.issuer_of(user).privileged
        self._hconn = manager.connect(user, self.name, C.MQAT_QMGR, privileged=privileged)

    def _adopt(self, user: str) -> None:
        if user != self.user:
            self.user = user
            self._give_back()
            self._connect()

    def _user(self) -> str | None:
        return self.user

    @property
    def is_proven(self) -> bool:
        return bool(self.user or self.peer.subject)  # else it may be anybody

    def _resynchronise(self) -> None:
        """Now the other end says what the last batch was."""
        sync, numbers = self._sync(), self._sequence
        self._check_no_older(sync)
        if sync is not None:
            numbers.certain, numbers.luwid = sync.sequence, sync.luwid
        elif len(self.environment.manager.channel_records.syncs_of(self.name, RECEIVER_ROLE)) >= _PARTNERS_MAX:
            # Each leaves a record for ever, and a caller may call itself what it likes
            why = f"{_PARTNERS_MAX} queue managers have used it; DELETE CHANNEL forgets them"
            raise ChannelError(End("failed", amq(9558, self.name, why)), Status.CHANNEL_UNAVAILABLE)
        numbers.last = numbers.certain
        self._delivery = Delivery(
            self.environment, self.channel, self._hconn, partner=self.partner, proven=self.is_proven
        )
        assert self._exits is not None
        if self._exits.any_retry:
            self._delivery.retry_exit = self._ask_retry_exit
        self.substate = C.MQCHSSTATE_RESYNCHING

    def _sync(self) -> ChannelSync | None:
        return self.environment.manager.channel_records.sync_of(RECEIVER_ROLE, self.name, self.partner)

    def _tell_last_batch(self, flow: Flow) -> None:
        """The sender has told its own, and decides what becomes of one that it has in doubt."""
        other = Resync.unpack(flow)
        if self.negotiated.is_fresh:
            self._happens(Event.PROOF_NEEDED, other)
        else:
            self._tell()
            self._happens(Event.SYNCHRONISED)

    def _ask_proof(self, other: Resync) -> None:
        """Nothing is taken before the sender has said back what it is told now."""
        self._nonce = token_bytes(NONCE_BYTES)
        self._tell(other.nonce)

    def _tell(self, heard: bytes = NO_NONCE) -> None:
        numbers = self._sequence
        told = Resync(numbers.certain, bytes.fromhex(numbers.luwid), nonce=self._nonce, heard=heard)
        self._send(told.pack(), self.environment.manager.last_lsn)  # what this end says it has must be on disk

    def _check_proof(self, flow: Flow) -> None:
        """The sender says back what it was told: now it can have its messages taken, or its RESET CHANNEL followed."""
        self._check_fresh(Resync.unpack(flow))
        self._happens(Event.SYNCHRONISED)

    def _run(self) -> None:
        self.substate = C.MQCHSSTATE_RECEIVING
        self._begin_messages()
        self._set_deadline()
        self.on_running(self)

    def _follow_reset(self, flow: Flow) -> None:
        """RESET CHANNEL was entered at the sending end."""
        manager, sequence, numbers = self.environment.manager, flows.unpack_reset(flow), self._sequence
        if not 1 <= sequence <= self.channel.seqwrap:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, f"a sequence number {sequence} cannot be")
        lsn = 0
        if numbers.certain != sequence - 1:
            lsn = channel_batches.reset_sequence(
                manager, RECEIVER_ROLE, self.name, self.partner, next_sequence=sequence,
                conname=self.connection_name, fresh=self.negotiated.is_fresh,
            )  # fmt: skip
            self.environment.say(amq(9003, self.name, sequence))
            numbers.last = numbers.certain = sequence - 1
        self._send(flows.confirmed(NO_LUWID_BYTES), lsn)

    def _last_sequence(self) -> int:
        return self._sequence.certain

    # Flows

    def _take_close(self, status: StatusData) -> None:
        if status.close_channel and status.code == Status.USER_CLOSED and self.state not in IS_BEFORE_AGREEMENT:
            raise ChannelError(End("closed"))
        super()._take_close(status)

    def _hold_back(self, flow: Flow) -> None:
        self._backlog.append(flow)
        if len(self._backlog) > _PAUSED_FLOWS_MAX:
            raise ChannelError(End("failed", amq(9504, self.name, self.peer.address, "it does not stop sending")))

    def _take_message(self, flow: Flow) -> None:
        negotiated = self.negotiated
        compressor = negotiated.compressor
        message = flows.unpack_message(flow, compression=compressor.flags)
        compressor.last = message.compressed
        if compressor.active:
            # Those that could not be made shorter count, too, as they do at the other end
            data = compressor.decompress(message.data, message.compressed, negotiated.max_message + 65536)
            self.counters.compression_time.add(compressor.microseconds)
            self.counters.compression_rate.add(compressor.percent)
            if message.compressed:
                message = replace(message, data=data, compressed=0)
        if message.fast:
            if not negotiated.fast:
                raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a fast message, and NPMSPEED(FAST) was not agreed")
            if message.confirm:
                raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a fast message at the end of a batch: it is in none")
        else:
            self._number(message)
        if self._exits is not None and self._exits.any_message:
            passed = self._exits.message(message.data, encoding=message.encoding, ccsid=message.ccsid)
            if isinstance(passed, Suppressed):
                self._suppress(message, passed)
            else:
                message = replace(message, data=passed.data)
                self._deliver(message)
        else:
            self._deliver(message)
        if message.confirm and self.state not in IS_PAUSED:
            self._happens(Event.CONFIRM_REQUEST, message)

    def _suppress(self, message: MessageData, passed: Suppressed) -> None:
        """A message exit does not want it to be put."""
        assert self._delivery is not None
        try:
            done = self._delivery.suppress(
                message.data, passed.feedback, f"{passed.exit}: {passed.words}", encoding=message.encoding,
                ccsid=message.ccsid, syncpoint=not message.fast,
            )  # fmt: skip
        except Undeliverable as error:
            raise self._no_place(error) from error
        self._batch.dlq_used |= done.kind is Fate.DEAD_LETTER
        self._note_exit_time()

    @staticmethod
    def _no_place(error: Undeliverable) -> ChannelError:
        return ChannelError(End("retry" if error.retry else "failed", error.message), Status.CAN_NOT_STORE)

    def _number(self, message: MessageData) -> None:
        numbers, batch = self._sequence, self._batch
        expected = next_sequence(numbers.last, self.channel.seqwrap)
        if message.sequence != expected:
            end = End("failed", amq(9526, self.name, expected, message.sequence))
            raise ChannelError(end, Status.MSG_SEQUENCE_ERROR, expected)
        if not batch.luwid:
            self._happens(Event.BATCH_BEGUN, message.luwid)
        elif message.luwid != batch.luwid:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a message of another batch before the end of this one")
        batch.messages += 1
        if batch.messages > self.negotiated.batch_size:
            what = f"a batch of more than {self.negotiated.batch_size} messages"
            raise ProtocolError(Status.BATCH_FAILURE, what)
        numbers.last = message.sequence

    def _begin_batch(self, luwid: bytes) -> None:
        self._batch.luwid = luwid

    def _deliver(self, message: MessageData, attempts: int = 0) -> bool:
        """Put it; False if it is to be tried again."""
        assert self._delivery is not None
        counters = self.counters
        self._putting = message
        try:
            done = self._delivery.put(
                message.data, encoding=message.encoding, ccsid=message.ccsid, syncpoint=not message.fast,
                attempt=attempts,
            )  # fmt: skip
        except Undeliverable as error:
            raise self._no_place(error) from error
        if done.kind is Fate.RETRY:
            self._happens(Event.CANNOT_PUT, message, done.after_ms / 1000)
            return False
        self._batch.dlq_used |= done.kind is Fate.DEAD_LETTER
        counters.messages += 1
        counters.last_message = self.environment.manager.clock.now()
        self._note_exit_time()
        return True

    def _ask_retry_exit(self, data: bytes, reason: int, attempt: int) -> int | None:
        """MREXIT: in how many milliseconds to try again; None if not."""
        assert self._exits is not None
        assert self._putting is not None
        encoding, ccsid = self._putting.encoding, self._putting.ccsid
        answer = self._exits.retry(data, attempt=attempt + 1, reason=reason, encoding=encoding, ccsid=ccsid)
        return answer.interval_ms if isinstance(answer, Retry) else None

    def _pause(self, message: MessageData, after_s: float) -> None:
        now = self._now()
        self._retry = PutRetry(message, now + after_s, now + self._beat_interval())
        self.transport.pause(True)  # also if it is stopping: the end that comes behind must not overtake it
        self._set_deadline()

    def _pause_again(self, message: MessageData, after_s: float) -> None:
        retry = self._retry
        assert retry is not None
        retry.attempts += 1
        retry.again_at = self._now() + after_s
        self._set_deadline()

    def _beat_interval(self) -> float:
        return self.negotiated.heartbeat_s / 2 if self.negotiated.heartbeat_s else math.inf

    def _put_again(self, retry: PutRetry) -> None:
        if self._deliver(retry.message, retry.attempts):
            self._happens(Event.PUT_AT_LAST, retry.message)

    def _go_on(self, message: MessageData) -> None:
        """The message is put: now for what has come behind it."""
        self._retry = None
        if message.confirm:
            self._happens(Event.CONFIRM_REQUEST, message)
        while self._backlog and self.state not in IS_PAUSED:
            self._take(self._backlog.popleft())
        if self.state not in IS_PAUSED:
            self.transport.pause(False)
        self._set_deadline()

    def _commit(self, asked: StatusData | MessageData) -> None:
        """Messages and sync record, both or neither; then the answer."""
        manager, numbers, batch = self.environment.manager, self._sequence, self._batch
        if asked.luwid != batch.luwid:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, self._no_such_batch(asked))
        sync = ChannelSync.make(
            RECEIVER_ROLE, self.name, self.partner, luwid=batch.luwid.hex(), sequence=numbers.last,
            now=manager.clock.now(), conname=self.connection_name, fresh=self.negotiated.is_fresh,
        )  # fmt: skip
        try:
            lsn = channel_batches.commit_received(manager, self._connection, sync)
        except MQError as error:
            raise ChannelError(End("retry", amq(9538, self.name, error)), Status.BATCH_FAILURE) from error
        numbers.certain, numbers.luwid = numbers.last, sync.luwid
        self.counters.batches += 1
        self._batch = ReceivedBatch()
        self._send(flows.confirmed(batch.luwid, dlq_used=batch.dlq_used), lsn)

    def _no_such_batch(self, asked: StatusData | MessageData) -> str:
        return f"the end of batch {asked.luwid.hex()}, which is not the one under way"

    def _partner_is_idle(self) -> None:
        """Whatever was kept open for the next message is let go."""
        if self._delivery is not None:
            self._delivery.release()

    # Time

    def _set_deadline(self) -> None:
        heartbeat = self.negotiated.heartbeat_s
        if self._retry is not None:
            self._deadline = min(self._retry.again_at, self._retry.beat_at)
        elif heartbeat:
            self._deadline = self._heartbeats.heard + heartbeat + self._patience()
        else:
            self._deadline = None

    def _time_passed(self, now: float) -> None:
        retry = self._retry
        if retry is not None:
            self._heartbeats.heard = now  # the sender could say nothing while nobody listened
            if now >= retry.beat_at:
                retry.beat_at = now + self._beat_interval()
                self._send(flows.heartbeat())
            if now >= retry.again_at:
                self._put_again(retry)
            else:
                self._set_deadline()
            return
        silent, heartbeat = now - self._heartbeats.heard, self.negotiated.heartbeat_s
        if heartbeat and silent >= heartbeat + self._patience():
            raise ChannelError(End("retry", amq(9259, self.peer.address, round(silent))), Status.TIMEOUT_EXPIRED)
        self._set_deadline()

    # The end

    def _ask_to_close(self) -> None:
        """The sender is asked to end its batch and to close."""
        self._send(flows.request_close())

    def _give_back(self) -> None:
        if self._delivery is not None:
            self._delivery.close()
            self._delivery = None
        super()._give_back()

    # What it shows

    def instance(self) -> ChannelInstance:
        return replace(
            super().instance(),
            user=self.user or system_user(os.getuid()),
            current_luwid=self._batch.luwid.hex() if self._batch.luwid else NO_LUWID,
            current_messages=self._batch.messages,
            current_sequence=self._sequence.last,
            last_luwid=self._sequence.luwid,
            last_sequence=self._sequence.certain,
        )
