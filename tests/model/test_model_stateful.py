"""Random calls from several connections, on the product and on the reference model: same results, same reasons.

Two machines share the steps of `model_machine.py`. The first is about single messages: priorities, ids, browsing,
locks, marks, units of work, expiry, waits, restarts. The second is about groups and segments, where most of the calls
of the first would only be in the way. Hypothesis chooses for each step the kind of call, from a list that has the
frequent ones several times, and a seed for its parameters (with one for the whole run, because it likes small numbers
too much); so it can leave steps out when it shrinks a failure, and the notes show what is left of the calls. Both run
once more, shorter, on a served queue manager over TCP.
LIBREMQ_HYPOTHESIS=explore tries new calls each time; LIBREMQ_MODEL_EXAMPLES sets how many runs.
"""

from __future__ import annotations

import os
from random import Random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from id_collisions import colliding
from model_machine import CONNECTIONS_MAX, HANDLES_MAX, SideBySide
from model_parts import NO_ID, GetRequest, Handle, PutRequest, Queue
from model_served import ServedHarness

from libremq.mqi import constants as C

EXAMPLES = int(os.environ.get("LIBREMQ_MODEL_EXAMPLES", "240"))
STEPS = 100

# Ids that a hash cannot tell apart, and one that it can
IDS = [*colliding(3), b"another id".ljust(24, b".")]

seeds = st.integers(0, 2**32 - 1)

PUT_SYNCPOINT = [C.MQPMO_NO_SYNCPOINT] * 3 + [C.MQPMO_SYNCPOINT] * 2
GET_SYNCPOINT = [C.MQGMO_NO_SYNCPOINT] * 3 + [C.MQGMO_SYNCPOINT] * 2 + [C.MQGMO_SYNCPOINT_IF_PERSISTENT]
PERSISTENCE = [C.MQPER_NOT_PERSISTENT, C.MQPER_PERSISTENT, C.MQPER_PERSISTENCE_AS_Q_DEF]
BROWSES = [C.MQGMO_BROWSE_FIRST] * 2 + [C.MQGMO_BROWSE_NEXT] * 5 + [C.MQGMO_BROWSE_MSG_UNDER_CURSOR]
BUFFERS = [None] * 7 + [0, 5, 40]
WAITS = [0, 250, 1000, 1000, 60_000, C.MQWI_UNLIMITED]
ACCESS = [
    C.MQOO_INPUT_SHARED | C.MQOO_BROWSE | C.MQOO_OUTPUT,
    C.MQOO_INPUT_SHARED | C.MQOO_BROWSE | C.MQOO_CO_OP | C.MQOO_OUTPUT,
    C.MQOO_INPUT_SHARED,
    C.MQOO_INPUT_EXCLUSIVE | C.MQOO_BROWSE,
    C.MQOO_INPUT_AS_Q_DEF | C.MQOO_OUTPUT,
    C.MQOO_BROWSE | C.MQOO_CO_OP,
    C.MQOO_OUTPUT,
]
MARKS = [
    C.MQGMO_MARK_BROWSE_HANDLE,
    C.MQGMO_MARK_BROWSE_CO_OP,
    C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_UNMARKED_BROWSE_MSG,
    C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_UNMARKED_BROWSE_MSG,
    C.MQGMO_MARK_BROWSE_CO_OP | C.MQGMO_UNMARKED_BROWSE_MSG,
    C.MQGMO_MARK_BROWSE_CO_OP | C.MQGMO_UNMARKED_BROWSE_MSG,
    C.MQGMO_UNMARKED_BROWSE_MSG,
    C.MQGMO_UNMARK_BROWSE_HANDLE,
    C.MQGMO_UNMARK_BROWSE_CO_OP,
    C.MQGMO_UNMARK_BROWSE_HANDLE | C.MQGMO_MARK_BROWSE_CO_OP,
]
WRONG_PUTS: list[dict[str, int]] = [
    {"priority": -2},
    {"persistence": 3},
    {"expiry": 0},
    {"expiry": -7},
    {"options": C.MQPMO_SYNCPOINT | C.MQPMO_NO_SYNCPOINT},
]
GROUP_FLAGS = [
    0,
    C.MQMF_SEGMENTATION_ALLOWED,
    C.MQMF_MSG_IN_GROUP,
    C.MQMF_MSG_IN_GROUP,
    C.MQMF_LAST_MSG_IN_GROUP,
    C.MQMF_SEGMENT,
    C.MQMF_LAST_SEGMENT,
    C.MQMF_MSG_IN_GROUP | C.MQMF_SEGMENT,
    C.MQMF_MSG_IN_GROUP | C.MQMF_LAST_SEGMENT,
    C.MQMF_LAST_MSG_IN_GROUP | C.MQMF_SEGMENT,
    C.MQMF_LAST_MSG_IN_GROUP | C.MQMF_LAST_SEGMENT,
    C.MQMF_MSG_IN_GROUP | C.MQMF_SEGMENTATION_ALLOWED,
]
GROUP_OPTIONS = [
    0,
    C.MQGMO_LOGICAL_ORDER,
    C.MQGMO_LOGICAL_ORDER,
    C.MQGMO_LOGICAL_ORDER | C.MQGMO_ALL_MSGS_AVAILABLE,
    C.MQGMO_LOGICAL_ORDER | C.MQGMO_ALL_SEGMENTS_AVAILABLE,
    C.MQGMO_LOGICAL_ORDER | C.MQGMO_COMPLETE_MSG,
    C.MQGMO_COMPLETE_MSG,
    C.MQGMO_ALL_MSGS_AVAILABLE,
    C.MQGMO_ALL_SEGMENTS_AVAILABLE,
]


def calls(**weights: int) -> st.SearchStrategy[str]:
    """The names of calls, each as often as its weight."""
    return st.sampled_from([name for name, weight in weights.items() for _ in range(weight)])


class Calls(SideBySide):
    """The calls of both machines; each chooses its parameters by the random numbers it is given."""

    run = 0

    @initialize(run=seeds)
    def begin(self, run: int) -> None:
        self.run = run

    def call(self, name: str, seed: int) -> None:
        getattr(self, name)(Random(f"{self.run} {name} {seed}"))

    def handle(self, chance: Random) -> Handle | None:
        handles = self.idle_handles()
        return chance.choice(handles) if handles else None

    def patient_handle(self, chance: Random) -> Handle | None:
        """One to wait with: rather on a queue where there is nothing to get."""
        handles = self.idle_handles()
        empty = [handle for handle in handles if not handle.queue.here(self.model.now_ms)]
        return chance.choice(empty or handles) if handles else None

    def some_id(self, chance: Random) -> bytes:
        return chance.choice([NO_ID, *IDS])

    def ask(self, chance: Random, handle: Handle, options: int, **more: Any) -> GetRequest:
        """A get for any message, or for one in one of several ways."""
        messages = handle.queue.messages
        how = chance.randrange(9)
        if how == 0 and messages:
            message = chance.choice(messages)
            match = C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID | C.MQMO_MATCH_GROUP_ID
            return GetRequest(options, match, message.msg_id, message.correl_id, message.group_id, **more)
        if how == 1 and messages:
            message = chance.choice(messages)
            match = chance.choice([C.MQMO_MATCH_GROUP_ID, C.MQMO_MATCH_MSG_SEQ_NUMBER, C.MQMO_MATCH_OFFSET])
            return GetRequest(
                options, match, group_id=message.group_id, sequence=message.sequence, offset=message.offset, **more
            )
        match = chance.choice([C.MQMO_MATCH_MSG_ID, C.MQMO_MATCH_CORREL_ID, 3]) if how < 5 else C.MQMO_NONE
        return GetRequest(options, match, self.some_id(chance), self.some_id(chance), **more)

    def connect_another(self, chance: Random) -> None:
        if len(self.model.connections) < CONNECTIONS_MAX:
            connection = self.connect()
            self.open(connection, self.some_queue(chance.randrange(9)), chance.choice(ACCESS))

    def disconnect_one(self, chance: Random) -> None:
        connections = self.idle_connections()
        if len(connections) > 1:
            self.disconnect(chance.choice(connections))

    def open_another(self, chance: Random) -> None:
        connections = [one for one in self.idle_connections() if len(one.handles) < HANDLES_MAX]
        if connections:
            self.open(chance.choice(connections), self.some_queue(chance.randrange(9)), chance.choice(ACCESS))

    def close_one(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            self.close(handle)

    def commit_one(self, chance: Random) -> None:
        connections = self.idle_connections()
        if connections:
            self.commit(chance.choice(connections))

    def back_out_one(self, chance: Random) -> None:
        connections = self.idle_connections()
        if connections:
            self.backout(chance.choice(connections))

    def wait_a_little(self, chance: Random) -> None:
        self.advance(chance.choice([125, 250, 1000, 6000]))

    def end_and_start_again(self, chance: Random) -> None:
        self.restart(clean=chance.random() < 0.5)

    def take_checkpoint(self, chance: Random) -> None:
        self.harness.checkpoint()

    def look_at_everything(self, chance: Random) -> None:
        self.audit()

    def get_under_cursor(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            options = C.MQGMO_MSG_UNDER_CURSOR | chance.choice(GET_SYNCPOINT) | chance.choice([0, C.MQGMO_WAIT])
            self.get(handle, GetRequest(options, buffer=chance.choice(BUFFERS), wait_ms=1000))

    def unlock(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            self.get(handle, GetRequest(C.MQGMO_UNLOCK))


class Messages(Calls):
    """Single messages."""

    def define_queues(self) -> None:
        self.queue(Queue("MODEL.PRIORITY", max_depth=9, max_length=1600, default_priority=4))
        fifo = Queue("MODEL.FIFO", max_depth=7, max_length=700, fifo=True, default_persistence=C.MQPER_PERSISTENT)
        fifo.keeps_nonpersistent = fifo.default_exclusive = True
        self.queue(fifo)

    @rule(
        name=calls(
            put_message=60, put_one_message=8, put_wrongly=2, get_message=20, get_and_wait=20, browse_message=30,
            browse_and_mark=20, get_under_cursor=12, unlock=4, get_with_any_options=8, inhibit=2, allow=10,
            alter_queue=2, scan_for_expired=2, commit_one=20, back_out_one=16, wait_a_little=8, open_another=5,
            close_one=3, connect_another=3, disconnect_one=2, take_checkpoint=2, end_and_start_again=1,
            look_at_everything=8,
        ),
        seed=seeds,
    )  # fmt: skip
    def step(self, name: str, seed: int) -> None:
        self.call(name, seed)

    def put_message(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            request = PutRequest(
                self.text(chance.choice([0, 3, 20, 20, 100, 100, 600, 690, 690, 1000, 1601])),
                chance.choice(PUT_SYNCPOINT),
                self.some_id(chance),
                self.some_id(chance),
                priority=chance.choice([C.MQPRI_PRIORITY_AS_Q_DEF, 0, 4, 9, 9, 12]),
                persistence=chance.choice(PERSISTENCE),
                expiry=chance.choice([C.MQEI_UNLIMITED] * 5 + [2, 8]),
            )
            self.put(handle, request)

    def put_one_message(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            more = chance.choice([0, C.MQPMO_NEW_MSG_ID, C.MQPMO_NEW_CORREL_ID, C.MQPMO_LOGICAL_ORDER])
            request = PutRequest(
                self.text(30),
                chance.choice(PUT_SYNCPOINT) | more,
                self.some_id(chance),
                self.some_id(chance),
                persistence=chance.choice(PERSISTENCE),
            )
            self.put(handle, request, put1=True)

    def put_wrongly(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            given: dict[str, Any] = {"data": b"wrong", "options": C.MQPMO_NO_SYNCPOINT}
            self.put(handle, PutRequest(**{**given, **chance.choice(WRONG_PUTS)}))

    def get_message(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            options = chance.choice(GET_SYNCPOINT) | chance.choice([0, C.MQGMO_ACCEPT_TRUNCATED_MSG])
            self.get(handle, self.ask(chance, handle, options, buffer=chance.choice(BUFFERS)))

    def get_and_wait(self, chance: Random) -> None:
        handle = self.patient_handle(chance)
        if handle is not None:
            browse = chance.choice([0, 0, 0, C.MQGMO_BROWSE_NEXT, C.MQGMO_BROWSE_NEXT | C.MQGMO_LOCK])
            options = C.MQGMO_WAIT | (browse or chance.choice(GET_SYNCPOINT))
            wait, buffer = chance.choice(WAITS), chance.choice(BUFFERS)
            self.get(handle, self.ask(chance, handle, options, wait_ms=wait, buffer=buffer))

    def browse_message(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            options = chance.choice(BROWSES) | chance.choice([0, 0, C.MQGMO_LOCK])
            options |= chance.choice([0, C.MQGMO_ACCEPT_TRUNCATED_MSG])
            self.get(handle, self.ask(chance, handle, options, buffer=chance.choice(BUFFERS)))

    def browse_and_mark(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            self.get(handle, GetRequest(chance.choice(BROWSES) | chance.choice(MARKS)))

    def get_with_any_options(self, chance: Random) -> None:
        """Mostly combinations that are refused."""
        handle = self.handle(chance)
        if handle is not None:
            places = [C.MQGMO_BROWSE_FIRST, C.MQGMO_BROWSE_NEXT, C.MQGMO_MSG_UNDER_CURSOR, C.MQGMO_UNLOCK]
            others = [C.MQGMO_LOCK, C.MQGMO_WAIT, *MARKS, *GROUP_OPTIONS, *GET_SYNCPOINT, *places]
            options = 0
            for _ in range(chance.randrange(1, 4)):
                options |= chance.choice(others)
            self.get(handle, GetRequest(options, wait_ms=chance.choice([0, 0, -3])))

    def inhibit(self, chance: Random) -> None:
        self.set_inhibited(self.some_queue(chance.randrange(9)), get=chance.random() < 0.5, inhibited=True)

    def allow(self, chance: Random) -> None:
        for queue in self.model.queues.values():
            if queue.get_inhibited:
                self.set_inhibited(queue, get=True, inhibited=False)
            if queue.put_inhibited:
                self.set_inhibited(queue, get=False, inhibited=False)

    def alter_queue(self, chance: Random) -> None:
        queue = self.some_queue(chance.randrange(9))
        priority, persistence = chance.randrange(10), chance.randrange(2)
        self.alter(queue, fifo=chance.random() < 0.5, default_priority=priority, default_persistence=persistence)

    def scan_for_expired(self, chance: Random) -> None:
        self.scan_expired()


class Groups(Calls):
    """Groups and segments."""

    max_uncommitted = 12

    def define_queues(self) -> None:
        self.queue(Queue("MODEL.GROUPS", max_depth=16, max_length=700))
        self.queue(Queue("MODEL.SMALL", max_depth=12, max_length=32, fifo=True))

    @rule(
        name=calls(
            put_in_logical_order=20, put_group=20, put_numbered=36, put_large=8, get_of_group=20, get_run=14,
            browse_group=16, browse_run=14, browse_under_cursor=6, take_under_cursor=8, wait_for_group=10, unlock=2,
            commit_one=16, back_out_one=10, wait_a_little=4, open_another=2, close_one=3, connect_another=2,
            disconnect_one=2, take_checkpoint=2, end_and_start_again=1, look_at_everything=6,
        ),
        seed=seeds,
    )  # fmt: skip
    def step(self, name: str, seed: int) -> None:
        self.call(name, seed)

    def put_in_logical_order(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            options = C.MQPMO_LOGICAL_ORDER | chance.choice(PUT_SYNCPOINT)
            size = chance.choice([0, 16, 16, 16, 50, 100])
            persistence = int(chance.random() < 0.2)
            flags = chance.choice(GROUP_FLAGS)
            self.put(handle, PutRequest(self.text(size), options, flags=flags, persistence=persistence))

    def put_group(self, chance: Random) -> None:
        """A group of one to three messages of one or two segments, sometimes without its end."""
        handle = self.handle(chance)
        count, segments, last = chance.randrange(1, 4), chance.randrange(1, 3), chance.random() < 0.8
        options = C.MQPMO_LOGICAL_ORDER | chance.choice(PUT_SYNCPOINT)
        persistence = chance.randrange(2)
        for number in range(1, count + 1):
            for segment in range(1, segments + 1):
                if handle is None:
                    return
                flags = C.MQMF_LAST_MSG_IN_GROUP if last and number == count else C.MQMF_MSG_IN_GROUP
                if segments > 1:
                    flags |= C.MQMF_LAST_SEGMENT if segment == segments else C.MQMF_SEGMENT
                self.put(handle, PutRequest(self.text(16), options, flags=flags, persistence=persistence))

    def put_numbered(self, chance: Random) -> None:
        """The application numbers by itself, in any order, with gaps and doubles."""
        handle = self.handle(chance)
        if handle is not None:
            flags = chance.choice([0, C.MQMF_MSG_IN_GROUP, C.MQMF_LAST_MSG_IN_GROUP])
            segment = chance.randrange(4)
            if segment:
                flags |= C.MQMF_LAST_SEGMENT if segment == 3 else C.MQMF_SEGMENT
            request = PutRequest(
                self.text(16),
                chance.choice(PUT_SYNCPOINT),
                self.some_id(chance),
                self.some_id(chance),
                chance.choice([NO_ID, *IDS[:2]]),
                chance.randrange(1, 4),
                16 * max(0, segment - 1),
                flags,
                persistence=int(chance.random() < 0.3),
                priority=chance.choice([0, 0, 0, 5]),
                expiry=chance.choice([C.MQEI_UNLIMITED, C.MQEI_UNLIMITED, C.MQEI_UNLIMITED, 5]),
            )
            self.put(handle, request)

    def put_large(self, chance: Random) -> None:
        """More than the small queue takes in one piece."""
        handle = self.handle(chance)
        if handle is not None:
            flags = C.MQMF_SEGMENTATION_ALLOWED | chance.choice([0, 0, C.MQMF_MSG_IN_GROUP, C.MQMF_LAST_MSG_IN_GROUP])
            options = chance.choice(PUT_SYNCPOINT) | chance.choice([0, C.MQPMO_LOGICAL_ORDER])
            size, persistence = chance.choice([33, 64, 70, 130]), chance.randrange(2)
            self.put(handle, PutRequest(self.text(size), options, flags=flags, persistence=persistence))

    def get_of_group(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            options = chance.choice(GET_SYNCPOINT) | chance.choice(GROUP_OPTIONS)
            self.get(handle, self.ask(chance, handle, options, buffer=chance.choice(BUFFERS)))

    def get_run(self, chance: Random) -> None:
        handle = self.handle(chance)
        options = chance.choice(GET_SYNCPOINT) | chance.choice(GROUP_OPTIONS)
        for _ in range(chance.randrange(2, 5)):
            if handle is not None:
                self.get(handle, GetRequest(options))

    def browse_group(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            options = chance.choice(BROWSES) | chance.choice(GROUP_OPTIONS) | chance.choice([0, 0, C.MQGMO_LOCK])
            self.get(handle, self.ask(chance, handle, options, buffer=chance.choice(BUFFERS)))

    def browse_run(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            options = chance.choice(GROUP_OPTIONS)
            self.get(handle, GetRequest(C.MQGMO_BROWSE_FIRST | options))
            for _ in range(chance.randrange(1, 7)):
                self.get(handle, GetRequest(C.MQGMO_BROWSE_NEXT | options))

    def browse_under_cursor(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            options = chance.choice(GROUP_OPTIONS) | chance.choice([0, C.MQGMO_LOCK])
            self.get(handle, GetRequest(C.MQGMO_BROWSE_MSG_UNDER_CURSOR | options))

    def take_under_cursor(self, chance: Random) -> None:
        handle = self.handle(chance)
        if handle is not None:
            options = chance.choice(GROUP_OPTIONS) | chance.choice(GET_SYNCPOINT)
            self.get(handle, GetRequest(C.MQGMO_MSG_UNDER_CURSOR | options))

    def wait_for_group(self, chance: Random) -> None:
        handle = self.patient_handle(chance)
        if handle is not None:
            options = C.MQGMO_WAIT | chance.choice(GET_SYNCPOINT) | chance.choice(GROUP_OPTIONS)
            self.get(handle, self.ask(chance, handle, options, wait_ms=chance.choice(WAITS)))


class MessagesOverTcp(Messages):
    harness_factory = ServedHarness


class GroupsOverTcp(Groups):
    harness_factory = ServedHarness


def _case(machine: type[RuleBasedStateMachine], examples: int = EXAMPLES) -> type:
    case = machine.TestCase
    case.settings = settings(settings.default, max_examples=examples, stateful_step_count=STEPS)
    return case


TestMessages = _case(Messages)
TestGroups = _case(Groups)
TestMessagesOverTcp = _case(MessagesOverTcp, max(1, EXAMPLES // 20))
TestGroupsOverTcp = _case(GroupsOverTcp, max(1, EXAMPLES // 20))
