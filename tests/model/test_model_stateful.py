"""Random calls from several connections, on the product and on the reference model: same results, same reasons.

Two machines share the steps of `model_machine.py`. The first is about single messages: priorities, ids, browsing,
locks, marks, units of work, expiry, waits, restarts. The second is about groups and segments, where most of the calls
of the first would only be in the way. LIBREMQ_HYPOTHESIS=explore tries new calls each time,
LIBREMQ_MODEL_EXAMPLES sets how many runs.
"""

from __future__ import annotations

import os

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from id_collisions import colliding
from libremq.mqi import constants as C
from model_machine import CONNECTIONS_MAX, HANDLES_MAX, SideBySide
from model_parts import NO_ID, GetRequest, Handle, PutRequest, Queue

EXAMPLES = int(os.environ.get("LIBREMQ_MODEL_EXAMPLES", "70"))
STEPS = 70

# Ids that a hash cannot tell apart, and one that it can
IDS = [*colliding(3), b"another id".ljust(24, b".")]

picks = st.integers(0, 255)
ids = st.sampled_from([NO_ID, NO_ID, NO_ID, *IDS])
put_syncpoint = st.sampled_from([C.MQPMO_NO_SYNCPOINT, C.MQPMO_NO_SYNCPOINT, C.MQPMO_SYNCPOINT])
get_syncpoint = st.sampled_from(
    [C.MQGMO_NO_SYNCPOINT, C.MQGMO_NO_SYNCPOINT, C.MQGMO_SYNCPOINT, C.MQGMO_SYNCPOINT, C.MQGMO_SYNCPOINT_IF_PERSISTENT]
)
persistences = st.sampled_from([C.MQPER_NOT_PERSISTENT, C.MQPER_PERSISTENT, C.MQPER_PERSISTENCE_AS_Q_DEF])
browses = st.sampled_from(
    [C.MQGMO_BROWSE_FIRST, C.MQGMO_BROWSE_NEXT, C.MQGMO_BROWSE_NEXT, C.MQGMO_BROWSE_MSG_UNDER_CURSOR]
)
buffers = st.sampled_from([None, None, None, None, 0, 5, 40])
waits = st.sampled_from([0, 250, 1000, 60_000, C.MQWI_UNLIMITED])
NO_MATCH, BY_MSG_ID, BY_CORREL_ID, BY_BOTH, BY_LIKENESS, BY_NUMBER = range(6)
matches = st.sampled_from([NO_MATCH] * 4 + [BY_MSG_ID, BY_CORREL_ID, BY_BOTH, BY_LIKENESS, BY_NUMBER])


class CommonRules(SideBySide):
    """Rules of both machines."""

    def asked(self, handle: Handle, options: int, how: int, pick: int, identifier: bytes, **more: int | None) -> GetRequest:
        """A get that asks for a message in one of several ways."""
        message = self.some_message(handle, pick)
        if how == BY_LIKENESS and message is not None:
            return GetRequest(
                options,
                C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID | C.MQMO_MATCH_GROUP_ID,
                message.msg_id, message.correl_id, message.group_id,
                **more,
            )  # fmt: skip
        if how == BY_NUMBER:
            match = (C.MQMO_MATCH_MSG_SEQ_NUMBER, C.MQMO_MATCH_OFFSET)[pick % 2]
            return GetRequest(options, match, sequence=1 + pick % 3, offset=pick % 3 * 16, **more)
        match = {
            BY_MSG_ID: C.MQMO_MATCH_MSG_ID,
            BY_CORREL_ID: C.MQMO_MATCH_CORREL_ID,
            BY_BOTH: C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID,
        }.get(how, C.MQMO_NONE)
        return GetRequest(options, match, identifier, identifier, **more)

    @rule()
    def connect_another(self) -> None:
        if len(self.model.connections) < CONNECTIONS_MAX:
            self.connect()

    @rule(pick=picks)
    def disconnect_one(self, pick: int) -> None:
        connection = self.some_connection(pick)
        if connection is not None and len(self.model.connections) > 1:
            self.disconnect(connection)

    @rule(
        pick=picks,
        access=st.sampled_from(
            [
                C.MQOO_INPUT_SHARED | C.MQOO_BROWSE | C.MQOO_OUTPUT,
                C.MQOO_INPUT_SHARED,
                C.MQOO_INPUT_EXCLUSIVE | C.MQOO_BROWSE,
                C.MQOO_INPUT_AS_Q_DEF | C.MQOO_OUTPUT,
                C.MQOO_BROWSE | C.MQOO_CO_OP,
                C.MQOO_OUTPUT,
            ]
        ),
    )
    def open_another(self, pick: int, access: int) -> None:
        connection = self.some_connection(pick)
        if connection is not None and len(connection.handles) < HANDLES_MAX:
            self.open(connection, self.some_queue(pick // 4), access)

    @rule(pick=picks)
    def close_one(self, pick: int) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            self.close(handle)

    @rule(pick=picks)
    def commit_one(self, pick: int) -> None:
        connection = self.some_connection(pick)
        if connection is not None:
            self.commit(connection)

    @rule(pick=picks)
    def back_out_one(self, pick: int) -> None:
        connection = self.some_connection(pick)
        if connection is not None:
            self.backout(connection)

    @rule(seconds=st.sampled_from([0.125, 0.25, 1.0, 1.0, 6.0]))
    def wait_a_little(self, seconds: float) -> None:
        self.advance(round(seconds * 1000))

    @rule(clean=st.booleans())
    def end_and_start_again(self, clean: bool) -> None:
        self.restart(clean=clean)

    @rule()
    def take_checkpoint(self) -> None:
        self.harness.checkpoint()

    @rule()
    def look_at_everything(self) -> None:
        self.audit()


class Messages(CommonRules):
    """Single messages."""

    def define_queues(self) -> None:
        self.queue(Queue("MODEL.PRIORITY", max_depth=9, max_length=1600, default_priority=4))
        self.queue(
            Queue(
                "MODEL.FIFO", max_depth=7, max_length=700, fifo=True, default_persistence=C.MQPER_PERSISTENT,
                keeps_nonpersistent=True, default_exclusive=True,
            )
        )  # fmt: skip

    @rule(
        pick=picks, size=st.sampled_from([0, 3, 20, 100, 600, 900, 1601]), msg_id=ids, correl_id=ids,
        priority=st.sampled_from([C.MQPRI_PRIORITY_AS_Q_DEF, 0, 4, 9, 9, 12]), persistence=persistences,
        expiry=st.sampled_from([C.MQEI_UNLIMITED, C.MQEI_UNLIMITED, C.MQEI_UNLIMITED, 2, 8]), syncpoint=put_syncpoint,
    )  # fmt: skip
    def put_message(
        self, pick: int, size: int, msg_id: bytes, correl_id: bytes, priority: int, persistence: int, expiry: int,
        syncpoint: int,
    ) -> None:  # fmt: skip
        handle = self.some_handle(pick)
        if handle is not None:
            request = PutRequest(
                self.text(size), syncpoint, msg_id, correl_id,
                priority=priority, persistence=persistence, expiry=expiry,
            )  # fmt: skip
            self.put(handle, request)

    put_message_too = put_message

    @rule(
        pick=picks, msg_id=ids, correl_id=ids, persistence=persistences, syncpoint=put_syncpoint,
        more=st.sampled_from([0, C.MQPMO_NEW_MSG_ID, C.MQPMO_NEW_CORREL_ID]),
    )  # fmt: skip
    def put_one_message(
        self, pick: int, msg_id: bytes, correl_id: bytes, persistence: int, syncpoint: int, more: int
    ) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            request = PutRequest(self.text(30), syncpoint | more, msg_id, correl_id, persistence=persistence)
            self.put(handle, request, put1=True)

    @rule(
        pick=picks,
        wrong=st.sampled_from(
            [
                {"priority": -2}, {"persistence": 3}, {"expiry": 0}, {"expiry": -7},
                {"options": C.MQPMO_SYNCPOINT | C.MQPMO_NO_SYNCPOINT},
            ]
        ),
    )  # fmt: skip
    def put_wrongly(self, pick: int, wrong: dict[str, int]) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            self.put(handle, PutRequest(**{"data": b"wrong", "options": C.MQPMO_NO_SYNCPOINT, **wrong}))

    @rule(
        pick=picks, syncpoint=get_syncpoint, how=matches, identifier=ids, buffer=buffers,
        accept=st.sampled_from([0, C.MQGMO_ACCEPT_TRUNCATED_MSG]),
    )  # fmt: skip
    def get_message(self, pick: int, syncpoint: int, how: int, identifier: bytes, buffer: int | None, accept: int) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            self.get(handle, self.asked(handle, syncpoint | accept, how, pick, identifier, buffer=buffer))

    @rule(
        pick=picks, syncpoint=get_syncpoint, how=matches, identifier=ids, buffer=buffers, wait=waits,
        browse=st.sampled_from([0, 0, 0, C.MQGMO_BROWSE_NEXT, C.MQGMO_BROWSE_NEXT | C.MQGMO_LOCK]),
    )  # fmt: skip
    def get_and_wait(
        self, pick: int, syncpoint: int, how: int, identifier: bytes, buffer: int | None, wait: int, browse: int
    ) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            options = C.MQGMO_WAIT | (browse or syncpoint)
            self.get(handle, self.asked(handle, options, how, pick, identifier, buffer=buffer, wait_ms=wait))

    @rule(
        pick=picks, browse=browses, lock=st.sampled_from([0, 0, C.MQGMO_LOCK]), how=matches, identifier=ids,
        buffer=buffers, accept=st.sampled_from([0, C.MQGMO_ACCEPT_TRUNCATED_MSG]),
    )  # fmt: skip
    def browse_message(
        self, pick: int, browse: int, lock: int, how: int, identifier: bytes, buffer: int | None, accept: int
    ) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            self.get(handle, self.asked(handle, browse | lock | accept, how, pick, identifier, buffer=buffer))

    @rule(
        pick=picks, browse=browses,
        marks=st.sampled_from(
            [
                C.MQGMO_MARK_BROWSE_HANDLE, C.MQGMO_MARK_BROWSE_CO_OP,
                C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_UNMARKED_BROWSE_MSG,
                C.MQGMO_MARK_BROWSE_CO_OP | C.MQGMO_UNMARKED_BROWSE_MSG,
                C.MQGMO_UNMARKED_BROWSE_MSG,
                C.MQGMO_UNMARK_BROWSE_HANDLE, C.MQGMO_UNMARK_BROWSE_CO_OP,
                C.MQGMO_UNMARK_BROWSE_HANDLE | C.MQGMO_MARK_BROWSE_CO_OP,
            ]
        ),
    )  # fmt: skip
    def browse_and_mark(self, pick: int, browse: int, marks: int) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            self.get(handle, GetRequest(browse | marks))

    @rule(pick=picks, syncpoint=get_syncpoint, buffer=buffers, wait=st.sampled_from([0, C.MQGMO_WAIT]))
    def get_under_cursor(self, pick: int, syncpoint: int, buffer: int | None, wait: int) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            options = C.MQGMO_MSG_UNDER_CURSOR | syncpoint | wait
            self.get(handle, GetRequest(options, buffer=buffer, wait_ms=1000))

    @rule(pick=picks)
    def unlock(self, pick: int) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            self.get(handle, GetRequest(C.MQGMO_UNLOCK))

    @rule(pick=picks, options=st.integers(0, 2**25 - 1), wait=st.sampled_from([0, 0, -3]))
    def get_with_any_options(self, pick: int, options: int, wait: int) -> None:
        """Mostly combinations that are refused."""
        handle = self.some_handle(pick)
        unknown_here = C.MQGMO_SET_SIGNAL | C.MQGMO_MARK_SKIP_BACKOUT | 0x80000 | C.MQGMO_CONVERT
        if handle is not None:
            self.get(handle, GetRequest(options & ~unknown_here, wait_ms=wait))

    @rule(pick=picks, get=st.booleans(), inhibited=st.sampled_from([True, False, False]))
    def inhibit_or_allow(self, pick: int, get: bool, inhibited: bool) -> None:
        self.inhibit(self.some_queue(pick), get=get, inhibited=inhibited)

    @rule(pick=picks, fifo=st.booleans(), priority=st.integers(0, 9), persistence=st.integers(0, 1))
    def alter_queue(self, pick: int, fifo: bool, priority: int, persistence: int) -> None:
        self.alter(self.some_queue(pick), fifo=fifo, default_priority=priority, default_persistence=persistence)

    @rule()
    def scan_for_expired(self) -> None:
        self.scan_expired()


class Groups(CommonRules):
    """Groups and segments."""

    max_uncommitted = 12

    def define_queues(self) -> None:
        self.queue(Queue("MODEL.GROUPS", max_depth=16, max_length=700))
        self.queue(Queue("MODEL.SMALL", max_depth=12, max_length=32, fifo=True))

    @rule(
        pick=picks, size=st.sampled_from([0, 16, 16, 16, 50, 100]),
        flags=st.sampled_from(
            [
                0, C.MQMF_SEGMENTATION_ALLOWED, C.MQMF_MSG_IN_GROUP, C.MQMF_MSG_IN_GROUP, C.MQMF_LAST_MSG_IN_GROUP,
                C.MQMF_SEGMENT, C.MQMF_LAST_SEGMENT, C.MQMF_MSG_IN_GROUP | C.MQMF_SEGMENT,
                C.MQMF_MSG_IN_GROUP | C.MQMF_LAST_SEGMENT, C.MQMF_LAST_MSG_IN_GROUP | C.MQMF_SEGMENT,
                C.MQMF_LAST_MSG_IN_GROUP | C.MQMF_LAST_SEGMENT, C.MQMF_MSG_IN_GROUP | C.MQMF_SEGMENTATION_ALLOWED,
            ]
        ),
        persistence=st.sampled_from([0, 0, 0, 1]), syncpoint=put_syncpoint,
    )  # fmt: skip
    def put_in_logical_order(self, pick: int, size: int, flags: int, persistence: int, syncpoint: int) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            options = C.MQPMO_LOGICAL_ORDER | syncpoint
            request = PutRequest(self.text(size), options, flags=flags, persistence=persistence, group_id=IDS[0])
            self.put(handle, request, put1=pick == 77)

    @rule(
        pick=picks, last=st.booleans(), count=st.integers(1, 3), segments=st.integers(1, 2), syncpoint=put_syncpoint,
        persistence=st.sampled_from([0, 1]),
    )  # fmt: skip
    def put_whole_group(
        self, pick: int, last: bool, count: int, segments: int, syncpoint: int, persistence: int
    ) -> None:
        handle = self.some_handle(pick)
        for number in range(1, count + 1):
            for segment in range(1, segments + 1):
                if handle is None:
                    return
                flags = C.MQMF_LAST_MSG_IN_GROUP if last and number == count else C.MQMF_MSG_IN_GROUP
                if segments > 1:
                    flags |= C.MQMF_LAST_SEGMENT if segment == segments else C.MQMF_SEGMENT
                options = C.MQPMO_LOGICAL_ORDER | syncpoint
                self.put(handle, PutRequest(self.text(16), options, flags=flags, persistence=persistence))

    @rule(
        pick=picks, group=st.sampled_from([NO_ID, *IDS[:3]]), sequence=st.integers(1, 3), segment=st.integers(0, 3),
        last_message=st.booleans(), in_group=st.booleans(), persistence=st.sampled_from([0, 0, 1]),
        priority=st.sampled_from([0, 0, 5]), expiry=st.sampled_from([C.MQEI_UNLIMITED, C.MQEI_UNLIMITED, 5]),
        syncpoint=put_syncpoint,
    )  # fmt: skip
    def put_numbered(
        self, pick: int, group: bytes, sequence: int, segment: int, last_message: bool, in_group: bool,
        persistence: int, priority: int, expiry: int, syncpoint: int,
    ) -> None:  # fmt: skip
        """The application numbers by itself, in any order, with gaps and doubles."""
        handle = self.some_handle(pick)
        if handle is not None:
            flags = 0
            if in_group:
                flags = C.MQMF_LAST_MSG_IN_GROUP if last_message else C.MQMF_MSG_IN_GROUP
            if segment:
                flags |= C.MQMF_LAST_SEGMENT if segment == 3 else C.MQMF_SEGMENT
            offset = 16 * max(0, segment - 1)
            request = PutRequest(
                self.text(16), syncpoint, IDS[pick % 4], IDS[pick % 3], group, sequence, offset, flags,
                persistence=persistence, priority=priority, expiry=expiry,
            )  # fmt: skip
            self.put(handle, request)

    options = st.sampled_from(
        [
            0, C.MQGMO_LOGICAL_ORDER, C.MQGMO_LOGICAL_ORDER, C.MQGMO_LOGICAL_ORDER | C.MQGMO_ALL_MSGS_AVAILABLE,
            C.MQGMO_LOGICAL_ORDER | C.MQGMO_ALL_SEGMENTS_AVAILABLE, C.MQGMO_LOGICAL_ORDER | C.MQGMO_COMPLETE_MSG,
            C.MQGMO_COMPLETE_MSG, C.MQGMO_ALL_MSGS_AVAILABLE, C.MQGMO_ALL_SEGMENTS_AVAILABLE,
        ]
    )  # fmt: skip

    @rule(pick=picks, syncpoint=get_syncpoint, options=options, how=matches, identifier=ids, buffer=buffers)
    def get_of_group(
        self, pick: int, syncpoint: int, options: int, how: int, identifier: bytes, buffer: int | None
    ) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            self.get(handle, self.asked(handle, syncpoint | options, how, pick, identifier, buffer=buffer))

    @rule(pick=picks, syncpoint=get_syncpoint, options=options, count=st.integers(2, 4))
    def get_some_of_group(self, pick: int, syncpoint: int, options: int, count: int) -> None:
        handle = self.some_handle(pick)
        for _ in range(count):
            if handle is not None:
                self.get(handle, GetRequest(syncpoint | options))

    @rule(
        pick=picks, browse=browses, options=options, how=matches, identifier=ids,
        lock=st.sampled_from([0, 0, C.MQGMO_LOCK]),
    )  # fmt: skip
    def browse_group(self, pick: int, browse: int, options: int, how: int, identifier: bytes, lock: int) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            self.get(handle, self.asked(handle, browse | options | lock, how, pick, identifier))

    @rule(pick=picks, options=options)
    def browse_all(self, pick: int, options: int) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            self.get(handle, GetRequest(C.MQGMO_BROWSE_FIRST | options))
            for _ in range(5):
                self.get(handle, GetRequest(C.MQGMO_BROWSE_NEXT | options))

    @rule(pick=picks, options=options, syncpoint=get_syncpoint)
    def get_under_cursor(self, pick: int, options: int, syncpoint: int) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            self.get(handle, GetRequest(C.MQGMO_MSG_UNDER_CURSOR | options | syncpoint))

    @rule(pick=picks, syncpoint=get_syncpoint, options=options, wait=waits)
    def wait_for_group(self, pick: int, syncpoint: int, options: int, wait: int) -> None:
        handle = self.some_handle(pick)
        if handle is not None:
            self.get(handle, GetRequest(C.MQGMO_WAIT | syncpoint | options, wait_ms=wait))


def _case(machine: type[RuleBasedStateMachine], examples: int) -> type:
    case = machine.TestCase
    case.settings = settings(settings.default, max_examples=examples, stateful_step_count=STEPS)
    return case


TestMessages = _case(Messages, EXAMPLES)
TestGroups = _case(Groups, EXAMPLES)
