"""A message channel agent: one end of one instance of a channel, from the call to the end.

What both ends have in common is here: the initial data, the flows about the connection itself (heartbeats, pings,
status), time, the end, and what DISPLAY CHSTATUS shows. A sending and a receiving agent do the rest. An agent works
when it is told that something happened: a flow came, time has passed, messages wait, the connection is gone. Which
flow may come when, and what is done about it, is in the tables of `agent_states.py`; the actions named there are
methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVarTuple, Unpack

from libremq.admin.operations import ChannelInstance
from libremq.channels import negotiation
from libremq.channels.agent_states import EVENT_OF_FLOW, IS_BEFORE_AGREEMENT, Event, State, Table
from libremq.channels.channel_counters import ChannelCounters
from libremq.channels.channel_end import ChannelError, End, StopReason
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.exits import ChannelExitError, Exits, SecurityAnswer
from libremq.channels.negotiation import Negotiated
from libremq.channels.transport import Peer, Transport
from libremq.common.messages.amq_messages import amq
from libremq.common.names.object_names import is_object_name
from libremq.common.silence import patience
from libremq.kernel.objects.channel_definitions import MessageChannel
from libremq.kernel.objects.channel_sync_record import ChannelSync
from libremq.kernel.state.connection import Connection
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.wire import message_channel as flows
from libremq.wire import session_flows
from libremq.wire.message_channel import NO_NONCE, Resync, StatusData
from libremq.wire.protocol import CONFIRM_REQUEST, ERROR, WHOLE, ProtocolError, Status, Type
from libremq.wire.segments import Flow, frame_plain

_Args = TypeVarTuple("_Args")
_HANDSHAKE_S = 60.0  # from the connection to the first message
_Actions = dict[Event, tuple[Callable[..., None], State]]
_STATUS_OF = {
    C.MQRC_Q_MGR_QUIESCING: Status.QM_TERMINATING,
    C.MQRC_CONNECTION_BROKEN: Status.QM_TERMINATING,
    C.MQRC_NOT_AUTHORIZED: Status.SECURITY_FAILURE,
}


@dataclass(slots=True)
class Heartbeats:
    """When the other end was heard."""

    heard: float
    asked: float | None = None
    """When a heartbeat was sent that is not answered yet."""

    def heard_at(self, now: float) -> None:
        """It is there, though it has not answered."""
        self.heard = now
        if self.asked is not None:
            self.asked = now


class Agent(ABC):
    """One end of a running channel."""

    sends = False
    table: ClassVar[Table]
    _actions: ClassVar[dict[State, _Actions]]

    def __init_subclass__(cls) -> None:
        """The table of the class, with its methods in place of their names."""
        super().__init_subclass__()
        cls._actions = {
            state: {event: (getattr(cls, f"_{action}"), to) for event, (action, to) in rows.items()}
            for state, rows in cls.table.items()
        }

    def __init__(
        self,
        environment: ChannelEnvironment,
        channel: MessageChannel,
        transport: Transport,
        peer: Peer,
        *,
        called: session_flows.InitialData | None = None,
    ) -> None:
        self.environment = environment
        self.channel = copy(channel)  # what is altered counts from the next start: the other end has agreed on this
        self.transport = transport
        self.peer = peer
        self.partner = called.queue_manager if called is not None else ""
        self.counters = ChannelCounters(started=environment.manager.clock.now())
        self.negotiated = Negotiated.before(channel)
        self.state = State.CONNECTED
        self._rows = self._actions[State.CONNECTED]
        self.substate = C.MQCHSSTATE_OTHER
        self.stop_reasons = StopReason(0)
        self.on_end: Callable[[Agent, End], None] = lambda agent, end: None
        self.on_running: Callable[[Agent], None] = lambda agent: None
        self.ended: End | None = None
        self.ended_in = State.ENDED
        """The state in which it was before it ended."""
        self._called = called
        self._offered: session_flows.InitialData | None = None
        self._nonce = NO_NONCE  # what the other end has to say back
        self._hconn = 0
        self._exits: Exits | None = None
        self._heartbeats = Heartbeats(self._now())
        self._deadline: float | None = self._heartbeats.heard + _HANDSHAKE_S

    def _now(self) -> float:
        return self.environment.manager.clock.monotonic()

    @property
    def name(self) -> str:
        return self.channel.name

    @property
    def connection_name(self) -> str:
        """The address of the other end; if that has called, without its port, which means nothing."""
        return self.peer.host if self._called is not None else self.peer.address

    @property
    def hconn(self) -> int:
        """Its connection to the queue manager; 0 if it has none."""
        return self._hconn

    @property
    def _connection(self) -> Connection:
        return self.environment.manager.connection(self._hconn)

    @property
    def status(self) -> int:
        """MQCHS_*, as it is shown."""
        return self.state.status

    # What happens to it

    def begin(self) -> None:
        """The connection is made."""
        self._guarded(self._begin)

    def take(self, flow: Flow) -> None:
        """A flow came from the other end."""
        self._heartbeats.heard = self._now()
        self._guarded(self._take, flow)

    def heard(self) -> None:
        """The other end sends or takes bytes, though no flow is complete: it is there, however slow the line is."""
        self._heartbeats.heard_at(self._now())

    def was_away(self, seconds: float) -> None:
        """This end could not listen for so long: the other end is not blamed for its silence then."""
        self._heartbeats.heard += seconds
        if self._heartbeats.asked is not None:
            self._heartbeats.asked += seconds

    def pump(self) -> None:
        """There may be something to do: messages on the queue, or room on the way to the other end."""
        self._guarded(self._pump)

    def tick(self) -> None:
        self._guarded(self._tick)

    def stop(self, mode: int) -> None:
        """STOP CHANNEL, or the end of the queue manager."""
        self.stop_reasons |= StopReason.COMMAND
        if mode == C.MQMODE_QUIESCE:
            self._guarded(self._happens, Event.STOP)
        else:
            self._end(End("stopped"), None if mode == C.MQMODE_TERMINATE else flows.close_channel())

    def lost(self, why: str = "") -> None:
        """The connection is gone."""
        message = amq(9208, self.peer.address, why) if why else amq(9209, self.peer.address)
        self._end(End("retry", message), None, abort=True)

    def refuse(self, error: ProtocolError) -> None:
        """What came from the other end is not the protocol."""
        self._guarded(self._raise, error)

    @staticmethod
    def _raise(error: ProtocolError) -> None:
        raise error

    def _guarded(self, work: Callable[[Unpack[_Args]], None], *args: *_Args) -> None:
        """Do it; whatever goes wrong ends this instance, with words for the other end, and nothing else."""
        if self.ended is not None:
            return
        try:
            work(*args)
        except ChannelError as error:
            # A call that was never made needs no words
            status = None if self.state is State.CONNECTED and self._called is None else error.status
            self._end(error.end, None if status is None else flows.status(status, error.value))
        except ProtocolError as error:
            message = amq(9504, self.name, self.peer.address, error.detail)
            self._end(End("failed", message), flows.status(error.status))
        except ChannelExitError as error:
            self._end(End("failed", error.message), flows.status(error.status))
        except MQError as error:
            message = amq(9501, self.name, error)
            status = _STATUS_OF.get(error.reason, Status.QM_UNAVAILABLE)
            self._end(End("retry", message), flows.status(status))

    # The table

    def _take(self, flow: Flow) -> None:
        """A flow: an event of the other end."""
        event = EVENT_OF_FLOW.get(flow.kind)
        row = self._rows.get(event) if event is not None else None
        if row is None:
            raise self._misplaced(event, flow)
        action, state = row
        if state is not self.state:
            self._enter(state)
        action(self, flow)

    def _told(self, event: Event, status: StatusData) -> None:
        """What a status flow means: an event of the other end, too."""
        if event not in self._rows:
            raise self._misplaced_status(event, status)
        self._happens(event, status)

    def _happens(self, event: Event, *what: Any) -> None:
        """An event of this end, which has its place."""
        assert event in self._rows, f"{event} when {self.state}"
        action, state = self._rows[event]
        if state is not self.state:
            self._enter(state)
        action(self, *what)

    def _enter(self, state: State) -> None:
        if state is not State.ENDED:  # until the action has ended it
            self.state = state
            self._rows = self._actions[state]

    def _ignore(self) -> None:  # noqa: B027 - there is nothing to do
        """It is so already."""

    def _misplaced(self, event: Event | None, flow: Flow) -> Exception:
        """A flow that the table does not have in this state."""
        if event is Event.INITIAL_DATA:
            return ProtocolError(Status.PROTOCOL_ID_ERROR, "initial data in the middle of a session")
        if self.state in IS_BEFORE_AGREEMENT:
            return ProtocolError(Status.PROTOCOL_SEGMENT_TYPE, f"{flow!r} where initial data was to come")
        if event is Event.SECURITY_DATA:
            what = "a security flow, and no security exit waits for one here"
            return ProtocolError(Status.SECURITY_FAILURE, what)
        if self.state is State.SECURING:
            return ChannelError(End("failed", amq(9552, self.name, self.peer.address)), Status.SECURITY_FAILURE)
        return ProtocolError(Status.PROTOCOL_SEGMENT_TYPE, f"{flow!r} on a message channel")

    def _misplaced_status(self, event: Event, status: StatusData) -> ProtocolError:
        if event is Event.CLOSE_REQUEST:
            what = "only the end that receives asks the other one to close"
        else:
            what = self._no_such_batch(status)
        return ProtocolError(Status.PROTOCOL_INVALID_DATA, what)

    def _no_such_batch(self, status: StatusData) -> str:
        return "the end of a batch where none is under way"

    # The beginning

    def _begin(self) -> None:
        self._connect()
        self._exits = Exits.load(self.environment, self.channel, sending=self.sends)
        self._happens(Event.CALL if self._called is None else Event.CALLED)

    @abstractmethod
    def _connect(self) -> None:
        """Connect to the queue manager, and open what this end needs."""

    def _offer(self) -> None:
        """This end has called, and says what it wants."""
        self._offered = negotiation.own_initial_data(self.environment, self.channel, requests=not self.sends)
        self._send(frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(self._offered), flags=WHOLE))

    def _accept(self) -> None:
        """The other end has called, and hears what of it this end accepts."""
        assert self._called is not None and self._exits is not None
        own = negotiation.own_initial_data(self.environment, self.channel)
        agreed = session_flows.agree_message_channel(self._called, own)
        if agreed.fap_level < 4:
            raise ProtocolError(Status.FAP_LEVEL, f"level {agreed.fap_level} of the protocol; the lowest served is 4")
        # With a security exit this end speaks next, and the other one must know
        flags = (ERROR if session_flows.corrected(agreed) else 0) | (CONFIRM_REQUEST if self._exits.any_security else 0)
        self._send(frame_plain(Type.INITIAL_DATA, session_flows.pack_initial(agreed), flags=flags))
        if self._called.sequence_wrap != own.sequence_wrap:
            message = amq(9505, self.name, own.sequence_wrap, self._called.sequence_wrap)
            raise ChannelError(End("failed", message), Status.WRAP_VALUE_ERROR)
        self._agree(agreed, self._called)

    def _take_answer(self, flow: Flow) -> None:
        """The other end answers our initial data."""
        assert self._offered is not None  # an end that was called has agreed before anything comes
        answer = session_flows.unpack_initial(flow.body, big_endian=flow.big_endian, charset=flow.charset)
        session_flows.check_message_channel_answer(self._offered, answer)
        if answer.channel != self.name:
            raise ProtocolError(Status.NEGOTIATION_FAILED, f"the answer is about channel {answer.channel!r}")
        if not is_object_name(answer.queue_manager):
            raise ProtocolError(Status.PROTOCOL_ID_ERROR, "the answer does not name a queue manager")
        self.partner = answer.queue_manager
        self._agree(answer, answer, announced=bool(flow.flags & CONFIRM_REQUEST))

    def _agree(
        self, agreed: session_flows.InitialData, theirs: session_flows.InitialData, *, announced: bool = False
    ) -> None:
        self.negotiated = Negotiated.of(agreed, theirs)
        longest = flows.flow_limit(agreed.max_message, agreed.max_segment)
        self.transport.limit(max_segment=agreed.max_segment, max_flow=longest)
        assert self._exits is not None
        self._exits.meet(self.partner, self.peer, max_segment=agreed.max_segment, user=self._user())
        self.negotiated.max_segment -= self._exits.send_space
        if self._exits.any_security or announced:
            self._happens(Event.SECURE, announced)
        else:
            self._happens(Event.AGREED)

    def _begin_security(self, announced: bool) -> None:
        assert self._exits is not None
        self._secure(self._exits.security_begin(caller=self._called is None, announced=announced))

    def _take_security(self, flow: Flow) -> None:
        assert self._exits is not None
        self._secure(self._exits.security(flow.body))

    def _user(self) -> str | None:
        """The user that this end works as; None if it is the queue manager itself."""
        return None

    def _secure(self, answer: SecurityAnswer) -> None:
        """Security exits talk to each other until both are content."""
        if answer.user is not None:
            self._adopt(answer.user)
        if answer.send is not None:
            self._send(frame_plain(Type.SECURITY_DATA, answer.send, flags=WHOLE))
        if answer.done:
            self._happens(Event.AGREED)

    def _adopt(self, user: str) -> None:  # noqa: B027 - an end without it needs nothing
        """A security exit said who the other end is."""

    # Flows

    def _take_heartbeat(self, flow: Flow) -> None:
        if flows.unpack_heartbeat(flow):
            self._heartbeats.asked = None
        else:
            self._send(flows.heartbeat(reply=True))
            self._partner_is_idle()

    def _partner_is_idle(self) -> None:  # noqa: B027 - an end without it needs nothing
        """The other end had nothing to say, so that it sent a heartbeat."""

    def _answer_ping(self, flow: Flow) -> None:
        ping = flows.unpack_ping(flow)
        if not ping.reply:
            self._send(flows.ping(ping.data, reply=True))

    def _take_status(self, flow: Flow) -> None:
        status = flows.unpack_status(flow)
        if not status.code:
            confirmed = status.accepted if self.sends else not status.confirm_request
            self._told(Event.CONFIRMED if confirmed else Event.CONFIRM_REQUEST, status)
        else:
            self._told(Event.CLOSE_REQUEST if status.request_close else Event.CLOSE, status)

    def _take_close(self, status: StatusData) -> None:
        """The other end closes."""
        if status.code == Status.USER_CLOSED and self.state in IS_BEFORE_AGREEMENT and not self.sends:
            raise ChannelError(End("callback"))
        raise ChannelError(self._end_by_status(status))

    def _end_by_status(self, status: StatusData) -> End:
        code, name, where = status.code, self.name, self.peer.address
        if code == Status.NO_CHANNEL:
            return End("retry", amq(9520, name, where))
        if code == Status.QM_TERMINATING:
            return End("retry", amq(9525, name, where))
        if code == Status.MSG_SEQUENCE_ERROR:
            theirs, mine = status.value or 0, self._last_sequence() + 1
            return End("retry", amq(9526, name, *((theirs, mine) if self.sends else (mine, theirs))))
        message = amq(9546, name, where, negotiation.in_words(code))
        return End("failed" if negotiation.is_hopeless(code) else "retry", message)

    def _last_sequence(self) -> int:
        return 0

    def _check_fresh(self, other: Resync) -> None:
        """Has the other end heard what this one has said in this connection? A recorded one has not."""
        if other.heard != self._nonce:
            raise ChannelError(End("retry", amq(9592, self.name, self.peer.address)), Status.SECURITY_FAILURE)

    @property
    def is_proven(self) -> bool:
        """Is known who is at the other end? It has shown a certificate, or somebody has said as whom it acts."""
        return bool(self.peer.subject or self.peer.mca_user)

    def _check_no_older(self, sync: ChannelSync | None) -> None:
        """Has it shown that it is there with the last batch, and does not any more? What was recorded before cannot."""
        if sync is not None and sync.fresh and not self.negotiated.is_fresh:
            raise ChannelError(End("retry", amq(9596, self.name, self.peer.address)), Status.SECURITY_FAILURE)

    # Sending

    def _send(self, segment: bytes, lsn: int = 0) -> None:
        exits = self._exits
        if exits is not None and exits.any_send:
            segment = exits.send(segment)
        self.transport.send(segment, lsn)

    def _note_exit_time(self) -> None:
        """A message is done: whatever exits have taken since the one before was for it."""
        exits = self._exits
        if exits is not None and exits.total_microseconds:
            self.counters.note_exits(exits.total_microseconds)

    def _begin_messages(self) -> None:
        """What exits had to do until now, security and the first flows, was for no message."""
        assert self._exits is not None
        self.counters.exits_until = self._exits.total_microseconds

    def received(self, segment: bytes) -> bytes:
        """For the transport: the segment as the receive exits leave it. Only if `sees_segments`."""
        assert self._exits is not None
        try:
            return self._exits.receive(segment)
        except ChannelExitError as error:
            self._end(End("failed", error.message), flows.status(error.status))
            return b""

    @property
    def sees_segments(self) -> bool:
        return self._exits is not None and self._exits.any_receive

    # Time

    def next_deadline(self) -> float | None:
        return None if self.ended is not None else self._deadline

    def _tick(self) -> None:
        now = self._now()
        if self._deadline is None or now < self._deadline:
            return
        if self.state.is_binding:
            raise ChannelError(End("retry", amq(9259, self.peer.address, round(_HANDSHAKE_S))), Status.TIMEOUT_EXPIRED)
        self._time_passed(now)

    @abstractmethod
    def _time_passed(self, now: float) -> None:
        """The deadline of a channel that runs is here."""

    def _patience(self) -> float:
        """How long the other end may be silent after it should have said something."""
        return patience(self.negotiated.heartbeat_s)

    # The end

    def _pump(self) -> None:  # noqa: B027 - an end without it needs nothing
        """Nothing waits at this end."""

    def _stop_at_once(self) -> None:
        """Nothing was begun yet that would have to be ended first."""
        self._end(End("stopped"), flows.close_channel())

    def _end(self, end: End, words: bytes | None, *, abort: bool = False) -> None:
        """It is over, unless it was before."""
        if Event.END in self._rows:
            self._happens(Event.END, end, words, abort)

    def _finish(self, end: End, words: bytes | None, abort: bool) -> None:
        """The one way out: say why, give back what is held, tell the initiator."""
        if StopReason.COMMAND in self.stop_reasons and end.kind in ("closed", "retry"):
            end = End("stopped", None if end.kind == "closed" else end.message)
        self.ended, self.ended_in = end, self.state
        self.state, self._rows = State.ENDED, self._actions[State.ENDED]
        try:
            self._give_back()
        except MQError as error:
            self.environment.say(amq(9538, self.name, error))
            self.environment.manager.give_back_later(self._give_back)
        if self._exits is not None:
            self._exits.end()
        if words is not None:
            self.transport.send(words)
            self.transport.close()
        elif abort or end.kind == "stopped":
            self.transport.abort()
        else:
            self.transport.close()
        self.on_end(self, end)

    def _give_back(self) -> None:
        """Back out what is under way, and disconnect. A batch in doubt stays in doubt."""
        manager = self.environment.manager
        if self._hconn and self._hconn in manager.connections:
            manager.disconnect(self._hconn, back_out=True)
            self._hconn = 0

    # What it shows

    def instance(self) -> ChannelInstance:
        counters, negotiated = self.counters, self.negotiated
        compressor = None if self.state in IS_BEFORE_AGREEMENT else negotiated.compressor
        return ChannelInstance(
            channel=self.name,
            connection_name=self.connection_name,
            channel_type=self.channel.chltype,
            status=self.status,
            substate=self.substate,
            partner=self.partner,
            started=counters.started,
            last_message=counters.last_message,
            messages=counters.messages,
            batches=counters.batches,
            bytes_sent=counters.bytes_sent,
            bytes_received=counters.bytes_received,
            buffers_sent=counters.buffers_sent,
            buffers_received=counters.buffers_received,
            heartbeat_s=negotiated.heartbeat_s,
            batch_size=negotiated.batch_size,
            product=negotiated.product[:4],
            version=negotiated.product[4:],
            cipher=self.peer.cipher,
            protocol=self.peer.protocol,
            peer_name=self.peer.subject,
            issuer_name=self.peer.issuer,
            local_address=self.peer.local_address,
            stop_requested=StopReason.COMMAND in self.stop_reasons,
            fast=negotiated.fast,
            exit_time=counters.exit_time.shown,
            compression_time=counters.compression_time.shown,
            compression_rate=counters.compression_rate.shown,
            header_compression=compressor.header_shown if compressor is not None else (),
            message_compression=compressor.message_shown if compressor is not None else (),
            monitoring=self._monitoring(),
        )

    def _monitoring(self) -> int:
        """MONCHL that is in force: NONE of the queue manager counts whatever the channel says."""
        own, every = self.channel.monchl, self.environment.manager.definitions.qmgr.monchl
        return every if own == C.MQMON_Q_MGR or every == C.MQMON_NONE else own
