"""The states of a channel agent: what may happen in each, what is done about it, and what comes next.

Everything that decides whether an event is in its place lives in these tables; how things are done lives in the agents.
A row is a state, an event, an action (a method of the agent, without its underscore) and the next state. There are
three tables: of the end that sends, of the end that receives, and of one that only pings.

Events are of two sorts:

- what the other end does: flows, and what a status flow turns out to mean. One that has no row in the present state is
  an error of the protocol, and the instance ends with words for both ends (`Agent._misplaced`);
- what this end does: commands, and what it finds out. One that has no row is a mistake in the agent.

An agent is in its next state before the action begins, so that the action can make the next thing happen: a message
that arrives may begin a batch, cannot be put, and pauses the channel, which is three rows. ENDED alone comes with the
end of the action. Some events of the other end are told in two steps, because one flow means several things: STATUS is
taken apart, and told again as CONFIRMED, CONFIRM_REQUEST, CLOSE or CLOSE_REQUEST.

Messages that wait, and time, are no events: an agent that has work to do looks at what it may do in its state.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto

from libremq.mqi import constants as C
from libremq.wire.protocol import Type


class State(Enum):
    """Where an agent is, with the status that DISPLAY CHSTATUS shows of it."""

    CONNECTED = "the connection is there, and nothing was said", C.MQCHS_BINDING
    NEGOTIATING = "initial data is exchanged", C.MQCHS_BINDING
    SECURING = "the security exits of both ends talk to each other", C.MQCHS_BINDING
    RESYNCHRONISING = "both ends say what the last batch was", C.MQCHS_BINDING
    PROVING = "the other end is to show that it is there now: nothing is taken from it yet", C.MQCHS_BINDING
    RESETTING = "the other end was told to follow RESET CHANNEL", C.MQCHS_BINDING
    PINGING = "data was sent that is to come back", C.MQCHS_BINDING

    SENDING = "no batch is in doubt; one may be under way", C.MQCHS_RUNNING
    CHECKING = "a batch is to end, and a heartbeat asks first whether the other end is there", C.MQCHS_RUNNING
    IN_DOUBT = "a batch is in doubt; the next one may be under way", C.MQCHS_RUNNING
    STOPPING_CHECKING = "as CHECKING, and no further batch is begun", C.MQCHS_STOPPING
    STOPPING_IN_DOUBT = "as IN_DOUBT, and no further batch is begun", C.MQCHS_STOPPING

    RECEIVING = "between two batches", C.MQCHS_RUNNING
    IN_BATCH = "messages of a batch have come", C.MQCHS_RUNNING
    PAUSED = "a message that is in no batch is to be put again", C.MQCHS_PAUSED
    PAUSED_IN_BATCH = "a batch is under way, and a message is to be put again", C.MQCHS_PAUSED
    STOPPING_IN_BATCH = "as IN_BATCH, and the other end was asked to close", C.MQCHS_STOPPING
    STOPPING_PAUSED = "as PAUSED, and the other end was asked to close", C.MQCHS_STOPPING
    STOPPING_PAUSED_IN_BATCH = "as PAUSED_IN_BATCH, and the other end was asked to close", C.MQCHS_STOPPING

    STOPPING = "as SENDING or RECEIVING, but the channel ends with the batch that is under way", C.MQCHS_STOPPING
    ENDED = "it is over", C.MQCHS_INACTIVE

    __hash__ = object.__hash__  # looked up for every message

    def __init__(self, words: str, status: int) -> None:
        self.words = words
        self.status = status
        self.is_binding = status == C.MQCHS_BINDING
        self.is_stopping = status == C.MQCHS_STOPPING


class Event(Enum):
    """What happens."""

    # From the other end
    INITIAL_DATA = auto()
    SECURITY_DATA = auto()
    HEARTBEAT = auto()
    PING = auto()
    RESYNC = auto()
    RESET = auto()
    MESSAGE = auto()
    STATUS = auto()
    CONFIRM_REQUEST = auto()  # commit the batch; also what a message says that ends one
    CONFIRMED = auto()
    CLOSE_REQUEST = auto()
    CLOSE = auto()

    # From this end
    CALL = auto()  # it begins, since this end has called
    CALLED = auto()  # it begins, since the other end has called
    SECURE = auto()  # security exits have to talk first
    AGREED = auto()
    RESET_NEEDED = auto()  # RESET CHANNEL was entered here, and the other end does not know yet
    PROOF_NEEDED = auto()  # the other end has to say back what it was told, before anything is taken from it
    SYNCHRONISED = auto()
    CHECK = auto()  # BATCHHB: see whether the other end is there before a batch is put in doubt
    PREPARED = auto()  # a batch is in doubt from now on
    BATCH_BEGUN = auto()
    CANNOT_PUT = auto()  # but it is worth another try
    PUT_AT_LAST = auto()
    STOP = auto()  # STOP CHANNEL MODE(QUIESCE), or the end of the queue manager
    END = auto()  # it is over, well or not: from every state

    __hash__ = object.__hash__


S, E = State, Event
Row = tuple[State, Event, str, State]
Table = dict[State, dict[Event, tuple[str, State]]]

EVENT_OF_FLOW: dict[int, Event] = {
    Type.INITIAL_DATA: E.INITIAL_DATA,
    Type.SECURITY_DATA: E.SECURITY_DATA,
    Type.HEARTBEAT: E.HEARTBEAT,
    Type.PING_DATA: E.PING,
    Type.RESYNC_DATA: E.RESYNC,
    Type.RESET_DATA: E.RESET,
    Type.MESSAGE_DATA: E.MESSAGE,
    Type.STATUS_DATA: E.STATUS,
}

IS_CHECKING = frozenset((S.CHECKING, S.STOPPING_CHECKING))
IS_IN_DOUBT = frozenset((S.IN_DOUBT, S.STOPPING_IN_DOUBT))
IS_PAUSED = frozenset((S.PAUSED, S.PAUSED_IN_BATCH, S.STOPPING_PAUSED, S.STOPPING_PAUSED_IN_BATCH))
IS_BEFORE_AGREEMENT = frozenset((S.CONNECTED, S.NEGOTIATING))


def _in(states: Iterable[State], event: Event, action: str, to: State | None = None) -> list[Row]:
    """The same row for several states, which stay as they are unless `to` says otherwise."""
    return [(state, event, action, to or state) for state in states]


def _table(*parts: Iterable[Row]) -> Table:
    """The rows by state and event; each state can end."""
    table: Table = {}
    for state, event, action, to in [row for part in parts for row in part]:
        rows = table.setdefault(state, {E.END: ("finish", S.ENDED)})
        assert event not in rows, (state, event)
        rows[event] = action, to
    table[S.ENDED] = {}
    return table


# The beginning is the same for all

_BEGINNING: list[Row] = [
    (S.CONNECTED, E.CALL, "offer", S.NEGOTIATING),
    (S.NEGOTIATING, E.INITIAL_DATA, "take_answer", S.NEGOTIATING),
    (S.NEGOTIATING, E.SECURE, "begin_security", S.SECURING),
    (S.SECURING, E.SECURITY_DATA, "take_security", S.SECURING),
    *_in((S.CONNECTED, S.NEGOTIATING, S.SECURING), E.STOP, "stop_at_once", S.ENDED),
    *_in((S.NEGOTIATING, S.SECURING), E.HEARTBEAT, "take_heartbeat"),
    *_in((S.NEGOTIATING, S.SECURING), E.STATUS, "take_status"),
    *_in((S.NEGOTIATING, S.SECURING), E.CLOSE, "take_close", S.ENDED),
]

_CALLED: list[Row] = [(S.CONNECTED, E.CALLED, "accept", S.NEGOTIATING)]

# The end that sends

_SENDS = (S.SENDING, S.IN_DOUBT, S.STOPPING, S.STOPPING_IN_DOUBT)
_SENDER_SYNCHRONISES = (S.RESYNCHRONISING, S.RESETTING)
_SENDER_AGREED = (*_SENDER_SYNCHRONISES, *_SENDS, S.CHECKING, S.STOPPING_CHECKING)

SENDER: Table = _table(
    _BEGINNING,
    _CALLED,
    [
        *_in((S.NEGOTIATING, S.SECURING), E.AGREED, "resynchronise", S.RESYNCHRONISING),
        (S.RESYNCHRONISING, E.RESYNC, "compare", S.RESYNCHRONISING),
        (S.RESYNCHRONISING, E.RESET_NEEDED, "ask_reset", S.RESETTING),
        (S.RESYNCHRONISING, E.SYNCHRONISED, "run", S.SENDING),
        (S.RESETTING, E.CONFIRMED, "reset_confirmed", S.SENDING),
    ],
    [
        (S.SENDING, E.CHECK, "ask_heartbeat", S.CHECKING),
        (S.CHECKING, E.HEARTBEAT, "check_answered", S.SENDING),
        (S.SENDING, E.PREPARED, "ask_to_confirm", S.IN_DOUBT),
        (S.IN_DOUBT, E.CONFIRMED, "commit", S.SENDING),
        (S.STOPPING, E.CHECK, "ask_heartbeat", S.STOPPING_CHECKING),
        (S.STOPPING_CHECKING, E.HEARTBEAT, "check_answered", S.STOPPING),
        (S.STOPPING, E.PREPARED, "ask_to_confirm", S.STOPPING_IN_DOUBT),
        (S.STOPPING_IN_DOUBT, E.CONFIRMED, "commit", S.STOPPING),
    ],
    [
        (S.SENDING, E.STOP, "pump", S.STOPPING),
        (S.CHECKING, E.STOP, "pump", S.STOPPING_CHECKING),
        (S.IN_DOUBT, E.STOP, "pump", S.STOPPING_IN_DOUBT),
        *_in((S.STOPPING, S.STOPPING_CHECKING, S.STOPPING_IN_DOUBT), E.STOP, "ignore"),
        *_in(_SENDER_SYNCHRONISES, E.STOP, "stop_at_once", S.ENDED),
    ],
    [
        (S.SENDING, E.CLOSE_REQUEST, "follow_close_request", S.STOPPING),
        (S.CHECKING, E.CLOSE_REQUEST, "follow_close_request", S.STOPPING_CHECKING),
        (S.IN_DOUBT, E.CLOSE_REQUEST, "follow_close_request", S.STOPPING_IN_DOUBT),
        *_in((S.STOPPING, S.STOPPING_CHECKING, S.STOPPING_IN_DOUBT), E.CLOSE_REQUEST, "follow_close_request"),
        *_in((S.NEGOTIATING, S.SECURING, *_SENDER_SYNCHRONISES), E.CLOSE_REQUEST, "close_at_once", S.ENDED),
    ],
    _in((*_SENDER_SYNCHRONISES, *_SENDS), E.HEARTBEAT, "take_heartbeat"),
    _in(_SENDER_AGREED, E.PING, "answer_ping"),
    _in(_SENDER_AGREED, E.STATUS, "take_status"),
    _in(_SENDER_AGREED, E.CLOSE, "take_close", S.ENDED),
)

# The end that receives

_TAKES_MESSAGES = (S.RECEIVING, S.IN_BATCH, S.STOPPING, S.STOPPING_IN_BATCH)
_LISTENS = (S.RESYNCHRONISING, S.PROVING, *_TAKES_MESSAGES)
_PAUSES = (S.PAUSED, S.PAUSED_IN_BATCH, S.STOPPING_PAUSED, S.STOPPING_PAUSED_IN_BATCH)

RECEIVER: Table = _table(
    _BEGINNING,
    _CALLED,
    [
        *_in((S.NEGOTIATING, S.SECURING), E.AGREED, "resynchronise", S.RESYNCHRONISING),
        (S.RESYNCHRONISING, E.RESYNC, "tell_last_batch", S.RESYNCHRONISING),
        (S.RESYNCHRONISING, E.SYNCHRONISED, "run", S.RECEIVING),
        (S.RESYNCHRONISING, E.PROOF_NEEDED, "ask_proof", S.PROVING),
        (S.PROVING, E.RESYNC, "check_proof", S.PROVING),
        (S.PROVING, E.SYNCHRONISED, "run", S.RECEIVING),
        *_in((S.RECEIVING, S.STOPPING), E.RESET, "follow_reset"),
    ],
    _in(_TAKES_MESSAGES, E.MESSAGE, "take_message"),
    [
        (S.RECEIVING, E.BATCH_BEGUN, "begin_batch", S.IN_BATCH),
        (S.IN_BATCH, E.CONFIRM_REQUEST, "commit", S.RECEIVING),
        (S.STOPPING, E.BATCH_BEGUN, "begin_batch", S.STOPPING_IN_BATCH),
        (S.STOPPING_IN_BATCH, E.CONFIRM_REQUEST, "commit", S.STOPPING),
    ],
    [
        (S.RECEIVING, E.CANNOT_PUT, "pause", S.PAUSED),
        (S.IN_BATCH, E.CANNOT_PUT, "pause", S.PAUSED_IN_BATCH),
        (S.STOPPING, E.CANNOT_PUT, "pause", S.STOPPING_PAUSED),
        (S.STOPPING_IN_BATCH, E.CANNOT_PUT, "pause", S.STOPPING_PAUSED_IN_BATCH),
        *_in(_PAUSES, E.CANNOT_PUT, "pause_again"),
        (S.PAUSED, E.PUT_AT_LAST, "go_on", S.RECEIVING),
        (S.PAUSED_IN_BATCH, E.PUT_AT_LAST, "go_on", S.IN_BATCH),
        (S.STOPPING_PAUSED, E.PUT_AT_LAST, "go_on", S.STOPPING),
        (S.STOPPING_PAUSED_IN_BATCH, E.PUT_AT_LAST, "go_on", S.STOPPING_IN_BATCH),
    ],
    # The order of what comes is kept: flows about messages wait behind the one that is to be put again
    _in(_PAUSES, E.MESSAGE, "hold_back"),
    _in(_PAUSES, E.STATUS, "hold_back"),
    _in(_PAUSES, E.HEARTBEAT, "hold_back"),
    [
        *_in((S.RESYNCHRONISING, S.PROVING), E.STOP, "stop_at_once", S.ENDED),
        (S.RECEIVING, E.STOP, "ask_to_close", S.STOPPING),
        (S.IN_BATCH, E.STOP, "ask_to_close", S.STOPPING_IN_BATCH),
        (S.PAUSED, E.STOP, "ask_to_close", S.STOPPING_PAUSED),
        (S.PAUSED_IN_BATCH, E.STOP, "ask_to_close", S.STOPPING_PAUSED_IN_BATCH),
        *_in((S.STOPPING, S.STOPPING_IN_BATCH, S.STOPPING_PAUSED, S.STOPPING_PAUSED_IN_BATCH), E.STOP, "ignore"),
    ],
    _in(_LISTENS, E.HEARTBEAT, "take_heartbeat"),
    _in(_LISTENS, E.STATUS, "take_status"),
    _in(_LISTENS, E.CLOSE, "take_close", S.ENDED),
    _in((*_LISTENS, *_PAUSES), E.PING, "answer_ping"),
)

# An end that only pings

PINGER: Table = _table(
    _BEGINNING,
    [
        *_in((S.NEGOTIATING, S.SECURING), E.AGREED, "send_ping", S.PINGING),
        (S.PINGING, E.PING, "compare", S.PINGING),
        (S.PINGING, E.HEARTBEAT, "take_heartbeat", S.PINGING),
        (S.PINGING, E.STATUS, "take_status", S.PINGING),
        (S.PINGING, E.CLOSE, "take_close", S.ENDED),
        (S.PINGING, E.STOP, "stop_at_once", S.ENDED),
    ],
)
