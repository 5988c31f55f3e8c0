"""The agent that receives: it puts what comes, and commits a batch when the other end asks for it.

Messages of a batch are put under one unit of work. The request to confirm commits it together with the sync record
(number and LUWID of the batch), and the answer leaves when that is on disk: if it is lost, the record tells the sender
at the next start that the batch is here. A connection that is lost backs out what was not confirmed.

A message that cannot be put may be worth another try: the channel is PAUSED then, and what comes behind it waits.
"""

from __future__ import annotations

import math
import os
from collections import deque
from dataclasses import replace

from libremq.admin.operations import ChannelInstance
from libremq.channels.agent import Agent, ChannelError, End
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.delivery import Delivery
from libremq.channels.exits import Retry, Suppressed
from libremq.channels.negotiation import next_sequence
from libremq.channels.transport import Peer, Transport
from libremq.channels.undelivered import Delivered, Fate, Undeliverable
from libremq.common.messages.amq_messages import amq
from libremq.common.users import system_user
from libremq.kernel.authority import object_authority
from libremq.kernel.objects.channel_definitions import Receiver, Requester
from libremq.kernel.objects.channel_sync_record import NO_LUWID, RECEIVER, ChannelSync
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.wire import message_channel as flows
from libremq.wire.message_channel import MessageData, Resync, StatusData
from libremq.wire.protocol import ProtocolError, Status, Type
from libremq.wire.segments import NO_LUWID as NO_LUWID_BYTES
from libremq.wire.segments import Flow
from libremq.wire.session_flows import InitialData

_MESSAGE_DATA, _RUNNING = int(Type.MESSAGE_DATA), C.MQCHS_RUNNING
_PARTNERS_MAX = 10_000
_PAUSED_FLOWS_MAX = 1000  # what may wait behind a message that is being tried again; the transport stops before that


class ReceivingAgent(Agent):
    """The receiving end: of a receiver channel, or of a requester channel."""

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
        self._sequence = 0  # of the last message that came in a batch
        self._committed = 0  # of the last batch
        self._last_luwid = NO_LUWID
        self._luwid = b""  # of the batch under way
        self._batch_messages = 0
        self._dlq_used = False
        self._retrying: MessageData | None = None
        self._attempts = 0
        self._header_form = 0, 0  # encoding and character set of the header of the message that is being put
        self._again_at = 0.0
        self._beat_at = 0.0  # when the sender is to hear that this end is only waiting
        self._backlog: deque[Flow] = deque()

    # The beginning

    def _connect(self) -> None:
        manager, user = self.environment.manager, self.user
        privileged = not user or object_authority.issuer_of(manager.core, user).privileged
        self._hconn = manager.connect(user, self.name, C.MQAT_QMGR, privileged=privileged)

    def _adopt(self, user: str) -> None:
        if user != self.user:
            self.user = user
            self._give_back()
            self._connect()

    def _user(self) -> str | None:
        return self.user

    def _negotiated(self) -> None:
        """Now the other end says what the last batch was."""
        sync = self._sync()
        if sync is not None:
            self._committed, self._last_luwid = sync.sequence, sync.luwid
        elif len(channel_batches.syncs_of(self.environment.manager.core, self.name, RECEIVER)) >= _PARTNERS_MAX:
            # Each leaves a record for ever, and a caller may call itself what it likes
            why = f"{_PARTNERS_MAX} queue managers have used it; DELETE CHANNEL forgets them"
            raise ChannelError(End("failed", amq(9558, self.name, why)), Status.CHANNEL_UNAVAILABLE)
        self._sequence = self._committed
        self._delivery = Delivery(self.environment, self.channel, self._hconn, partner=self.partner)
        assert self._exits is not None
        if self._exits.any_retry:
            self._delivery.retry_exit = self._ask_retry_exit
        self.substate = C.MQCHSSTATE_RESYNCHING

    def _sync(self) -> ChannelSync | None:
        return channel_batches.sync_of(self.environment.manager.core, RECEIVER, self.name, self.partner)

    def _resynchronise(self, other: Resync) -> None:
        manager = self.environment.manager
        # What this end says it has must be on disk; nothing else is asked for: the sender decides
        self._send(Resync(self._committed, bytes.fromhex(self._last_luwid)).pack(), manager.core.log.tail - 1)
        if self.state == C.MQCHS_BINDING:
            self.state, self.substate = C.MQCHS_RUNNING, C.MQCHSSTATE_RECEIVING
            self._begin_messages()
            self._set_deadline()
            self.on_running(self)

    def _reset(self, sequence: int) -> None:
        """RESET CHANNEL was entered at the sending end."""
        manager = self.environment.manager
        if not 1 <= sequence <= self.channel.seqwrap:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, f"a sequence number {sequence} cannot be")
        lsn = 0
        if self._committed != sequence - 1:
            lsn = channel_batches.reset_sequence(
                manager, RECEIVER, self.name, self.partner, next_sequence=sequence, conname=self.connection_name
            )
            self.environment.say(amq(9003, self.name, sequence))
            self._sequence = self._committed = sequence - 1
        self._send(flows.confirmed(NO_LUWID_BYTES), lsn)

    def _last_sequence(self) -> int:
        return self._committed

    # Flows

    def _take(self, flow: Flow) -> None:
        if flow.kind == _MESSAGE_DATA and self.state == _RUNNING and self._retrying is None:
            self._message_came(flow)  # nearly always
            return
        if self._retrying is not None and flow.kind in (Type.MESSAGE_DATA, Type.STATUS_DATA, Type.HEARTBEAT):
            self._backlog.append(flow)
            if len(self._backlog) > _PAUSED_FLOWS_MAX:
                raise ChannelError(End("failed", amq(9504, self.name, self.peer.address, "it does not stop sending")))
            return
        super()._take(flow)

    def _take_other(self, flow: Flow) -> None:
        kind = flow.kind
        if kind == Type.MESSAGE_DATA and self.state in (C.MQCHS_RUNNING, C.MQCHS_STOPPING):
            self._message_came(flow)
        elif kind == Type.RESYNC_DATA and self.state == C.MQCHS_BINDING:
            self._resynchronise(Resync.unpack(flow))
        elif kind == Type.RESET_DATA and not self._luwid and self.state == C.MQCHS_RUNNING:
            self._reset(flows.unpack_reset(flow))
        else:
            super()._take_other(flow)

    def _status_came(self, status: StatusData) -> None:
        if status.close_channel and status.code == Status.USER_CLOSED and self.agreed is not None:
            raise ChannelError(End("closed"))
        super()._status_came(status)

    def _message_came(self, flow: Flow) -> None:
        message = flows.unpack_message(flow, compression=self.compressor.flags)
        self.compressor.last = message.compressed
        if self.compressor.active:
            # Those that could not be made shorter count, too, as they do at the other end
            assert self.agreed is not None
            data = self.compressor.decompress(message.data, message.compressed, self.agreed.max_message + 65536)
            self.counters.compression_time.add(self.compressor.microseconds)
            self.counters.compression_rate.add(self.compressor.percent)
            if message.compressed:
                message = replace(message, data=data, compressed=0)
        if message.fast:
            if not self.fast:
                raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a fast message, and NPMSPEED(FAST) was not agreed")
            if message.confirm:
                raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a fast message at the end of a batch: it is in none")
        else:
            self._number(message)
        self._attempts = 0
        if self._exits is not None and self._exits.any_message:
            passed = self._exits.message(message.data, encoding=message.encoding, ccsid=message.ccsid)
            if isinstance(passed, Suppressed):
                self._suppress(message, passed)
            else:
                message = replace(message, data=passed.data)
                self._deliver(message)
        else:
            self._deliver(message)
        if message.confirm and self._retrying is None:
            self._commit(message.luwid)

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
        self._dlq_used |= done.kind is Fate.DEAD_LETTER
        self._note_exit_time()

    @staticmethod
    def _no_place(error: Undeliverable) -> ChannelError:
        return ChannelError(End("retry" if error.retry else "failed", error.message), Status.CAN_NOT_STORE)

    def _number(self, message: MessageData) -> None:
        assert self.agreed is not None
        expected = next_sequence(self._sequence, self.channel.seqwrap)
        if message.sequence != expected:
            end = End("failed", amq(9526, self.name, expected, message.sequence))
            raise ChannelError(end, Status.MSG_SEQUENCE_ERROR, expected)
        if not self._luwid:
            self._luwid = message.luwid
        elif message.luwid != self._luwid:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a message of another batch before the end of this one")
        self._batch_messages += 1
        if self._batch_messages > self.agreed.batch_size:
            raise ProtocolError(Status.BATCH_FAILURE, f"a batch of more than {self.agreed.batch_size} messages")
        self._sequence = message.sequence

    def _deliver(self, message: MessageData) -> None:
        assert self._delivery is not None
        counters, manager = self.counters, self.environment.manager
        self._header_form = message.encoding, message.ccsid
        try:
            done = self._delivery.put(
                message.data, encoding=message.encoding, ccsid=message.ccsid, syncpoint=not message.fast,
                attempt=self._attempts,
            )  # fmt: skip
        except Undeliverable as error:
            raise self._no_place(error) from error
        if done.kind is Fate.RETRY:
            self._try_again(message, done)
            return
        self._retrying = None
        self._dlq_used |= done.kind is Fate.DEAD_LETTER
        counters.messages += 1
        counters.last_message = manager.core.clock.now()
        self._note_exit_time()

    def _ask_retry_exit(self, data: bytes, reason: int, attempt: int) -> int | None:
        """MREXIT: in how many milliseconds to try again; None if not."""
        assert self._exits is not None
        encoding, ccsid = self._header_form
        answer = self._exits.retry(data, attempt=attempt + 1, reason=reason, encoding=encoding, ccsid=ccsid)
        return answer.interval_ms if isinstance(answer, Retry) else None

    def _try_again(self, message: MessageData, done: Delivered) -> None:
        self._retrying = message
        self._attempts += 1
        self._again_at = self._now() + done.after_ms / 1000
        if self.state == C.MQCHS_RUNNING:
            self.state = C.MQCHS_PAUSED
        if self._attempts == 1:
            self.transport.pause(True)  # also if it is stopping: the end that comes behind must not overtake it
            self._beat_at = self._now() + self._beat_interval()
        self._set_deadline()

    def _beat_interval(self) -> float:
        assert self.agreed is not None
        return self.agreed.heartbeat_s / 2 if self.agreed.heartbeat_s else math.inf

    def _retry(self) -> None:
        message = self._retrying
        assert message is not None
        self._deliver(message)
        if self._retrying is not None:
            return
        if self.state == C.MQCHS_PAUSED:
            self.state = C.MQCHS_STOPPING if self.stop_requested else C.MQCHS_RUNNING
        if message.confirm:
            self._commit(message.luwid)
        while self._backlog and self._retrying is None:
            self._take(self._backlog.popleft())
        if self._retrying is None:
            self.transport.pause(False)
        self._set_deadline()

    def _batch_status(self, status: StatusData) -> None:
        if not status.confirm_request or not self._luwid or status.luwid != self._luwid:
            raise ProtocolError(
                Status.PROTOCOL_INVALID_DATA, f"the end of batch {status.luwid.hex()}, which is not the one under way"
            )
        self._commit(status.luwid)

    def _commit(self, luwid: bytes) -> None:
        """Messages and sync record, both or neither; then the answer."""
        manager = self.environment.manager
        sync = ChannelSync.make(
            RECEIVER, self.name, self.partner, luwid=luwid.hex(), sequence=self._sequence,
            now=manager.core.clock.now(), conname=self.connection_name,
        )  # fmt: skip
        try:
            lsn = channel_batches.commit_received(manager, self._connection, sync)
        except MQError as error:
            raise ChannelError(End("retry", amq(9538, self.name, error)), Status.BATCH_FAILURE) from error
        self._committed, self._last_luwid = self._sequence, sync.luwid
        self.counters.batches += 1
        self._luwid, self._batch_messages = b"", 0
        dlq_used, self._dlq_used = self._dlq_used, False
        self._send(flows.confirmed(luwid, dlq_used=dlq_used), lsn)

    def _heartbeat_came(self) -> None:
        """The sender is idle: whatever was kept open for the next message is let go."""
        if self._delivery is not None:
            self._delivery.release()

    # Time

    def _set_deadline(self) -> None:
        assert self.agreed is not None
        if self._retrying is not None:
            self._deadline = min(self._again_at, self._beat_at)
        elif self.agreed.heartbeat_s:
            self._deadline = self._heard + self.agreed.heartbeat_s + self._patience()
        else:
            self._deadline = None

    def _time_passed(self, now: float) -> None:
        assert self.agreed is not None
        if self._retrying is not None:
            self._heard = now  # the sender could say nothing while nobody listened
            if now >= self._beat_at:
                self._beat_at = now + self._beat_interval()
                self._send(flows.heartbeat())
            if now >= self._again_at:
                self._retry()
            else:
                self._set_deadline()
            return
        silent = now - self._heard
        if self.agreed.heartbeat_s and silent >= self.agreed.heartbeat_s + self._patience():
            raise ChannelError(End("retry", amq(9259, self.peer.address, round(silent))), Status.TIMEOUT_EXPIRED)
        self._set_deadline()

    # The end

    def _quiesce(self) -> None:
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
            current_luwid=self._luwid.hex() if self._luwid else NO_LUWID,
            current_messages=self._batch_messages,
            current_sequence=self._sequence,
            last_luwid=self._last_luwid,
            last_sequence=self._committed,
        )
