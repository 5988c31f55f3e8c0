"""What the reference model and the product once disagreed on: each a short script, named for what MQ promises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from model_harness import EmbeddedHarness, Pending

from libremq.kernel.state.waiting_gets import Got
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO

ALL = C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT | C.MQOO_BROWSE
GROUP, LAST = C.MQMF_MSG_IN_GROUP, C.MQMF_LAST_MSG_IN_GROUP
SEGMENT, LAST_SEGMENT = C.MQMF_SEGMENT, C.MQMF_LAST_SEGMENT
LOGICAL = C.MQGMO_LOGICAL_ORDER


class Application:
    """One connection with one queue open."""

    def __init__(self, harness: EmbeddedHarness, access: int = ALL, queue: str = "Q") -> None:
        self.harness = harness
        self.binding = harness.connect()
        self.hobj = self.binding.open(MQOD(ObjectName=queue), access)
        self.md = MQMD()

    def put(self, data: bytes, options: int = 0, **fields: Any) -> int:
        self.md = MQMD(Version=2, **fields)
        return self.binding.put(self.hobj, self.md, MQPMO(Options=options | C.MQPMO_NO_SYNCPOINT), data)

    def put_in_unit(self, data: bytes, options: int = 0, **fields: Any) -> int:
        self.md = MQMD(Version=2, **fields)
        return self.binding.put(self.hobj, self.md, MQPMO(Options=options | C.MQPMO_SYNCPOINT), data)

    def get(self, options: int = 0, match: int = C.MQMO_NONE, **fields: Any) -> bytes:
        return self.got(options, match, **fields).data

    def got(self, options: int = 0, match: int = C.MQMO_NONE, wait_ms: int = 0, **fields: Any) -> Got:
        result = self.start(options, match, wait_ms, **fields)
        assert isinstance(result, Got)
        return result

    def start(self, options: int = 0, match: int = C.MQMO_NONE, wait_ms: int = 0, **fields: Any) -> Got | Pending:
        self.md = MQMD(Version=2, **fields)
        gmo = MQGMO(Version=2, Options=options, MatchOptions=match, WaitInterval=wait_ms)
        return self.harness.start_get(self.binding, self.hobj, self.md, gmo, None)

    def wait(self, options: int = 0, match: int = C.MQMO_NONE, **fields: Any) -> Pending:
        result = self.start(options | C.MQGMO_WAIT, match, C.MQWI_UNLIMITED, **fields)
        assert not isinstance(result, Got)
        return result


def refused(call: Any, *arguments: Any, **more: Any) -> int:
    with pytest.raises(MQError) as caught:
        call(*arguments, **more)
    return caught.value.reason


@pytest.fixture
def harness() -> Iterator[EmbeddedHarness]:
    made = EmbeddedHarness()
    made.define("Q", {"share": C.MQQA_SHAREABLE, "defsopt": C.MQOO_INPUT_SHARED})
    yield made
    made.end()


@pytest.fixture
def one(harness: EmbeddedHarness) -> Application:
    return Application(harness)


@pytest.fixture
def other(harness: EmbeddedHarness) -> Application:
    return Application(harness)


# Browsing, locks and marks


def test_a_browse_without_lock_unlocks_the_message_it_returns(one: Application, other: Application) -> None:
    one.put(b"message")
    one.get(C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK)
    assert refused(other.get) == C.MQRC_NO_MSG_AVAILABLE
    one.get(C.MQGMO_BROWSE_MSG_UNDER_CURSOR)
    assert other.get() == b"message"


def test_a_browse_that_finds_nothing_unlocks(one: Application, other: Application) -> None:
    one.put(b"message")
    one.get(C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK)
    assert refused(one.get, C.MQGMO_BROWSE_NEXT) == C.MQRC_NO_MSG_AVAILABLE
    assert other.get() == b"message"


def test_a_browse_that_waits_unlocks_before_it_waits(one: Application, other: Application) -> None:
    one.put(b"message")
    one.get(C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK)
    one.wait(C.MQGMO_BROWSE_NEXT)
    assert other.get() == b"message"


def test_a_lock_on_a_complete_message_holds_all_segments(one: Application, other: Application) -> None:
    one.put(b"first", C.MQPMO_LOGICAL_ORDER, MsgFlags=SEGMENT)
    one.put(b"second", C.MQPMO_LOGICAL_ORDER, MsgFlags=LAST_SEGMENT)
    assert one.get(C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK | C.MQGMO_COMPLETE_MSG) == b"firstsecond"
    assert refused(other.get) == C.MQRC_NO_MSG_AVAILABLE
    one.get(C.MQGMO_UNLOCK)
    assert other.get() == b"first"


def test_a_locked_segment_makes_the_message_incomplete_for_others(one: Application, other: Application) -> None:
    one.put(b"first", C.MQPMO_LOGICAL_ORDER, MsgFlags=SEGMENT)
    one.put(b"second", C.MQPMO_LOGICAL_ORDER, MsgFlags=LAST_SEGMENT)
    one.get(C.MQGMO_BROWSE_FIRST | C.MQGMO_LOCK, C.MQMO_MATCH_OFFSET, Offset=5)
    assert refused(other.get, C.MQGMO_COMPLETE_MSG) == C.MQRC_NO_MSG_AVAILABLE
    assert one.get(C.MQGMO_COMPLETE_MSG) == b"firstsecond"


def test_a_wait_is_ignored_under_the_cursor(one: Application) -> None:
    one.put(b"message")
    one.get(C.MQGMO_BROWSE_FIRST)
    assert one.got(C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_WAIT, wait_ms=1000).data == b"message"
    assert refused(one.got, C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_WAIT, wait_ms=1000) == C.MQRC_NO_MSG_UNDER_CURSOR


def test_an_expired_message_is_no_longer_under_the_cursor(harness: EmbeddedHarness, one: Application) -> None:
    one.put(b"message", Expiry=10)
    one.get(C.MQGMO_BROWSE_FIRST)
    harness.advance(1)
    assert refused(one.get, C.MQGMO_MSG_UNDER_CURSOR) == C.MQRC_NO_MSG_UNDER_CURSOR
    assert refused(one.get, C.MQGMO_BROWSE_MSG_UNDER_CURSOR) == C.MQRC_NO_MSG_UNDER_CURSOR


def test_unlock_needs_no_open_for_browse_and_no_other_option(harness: EmbeddedHarness) -> None:
    getter = Application(harness, C.MQOO_INPUT_SHARED)
    assert getter.got(C.MQGMO_UNLOCK).reason == C.MQRC_NO_MSG_LOCKED
    assert refused(getter.get, C.MQGMO_UNLOCK | C.MQGMO_WAIT) == C.MQRC_OPTIONS_ERROR


@pytest.mark.parametrize(
    "options",
    [
        C.MQGMO_UNMARK_BROWSE_HANDLE,
        C.MQGMO_UNMARK_BROWSE_HANDLE | C.MQGMO_UNMARKED_BROWSE_MSG | C.MQGMO_BROWSE_FIRST,
        C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_UNMARK_BROWSE_HANDLE | C.MQGMO_BROWSE_FIRST,
        C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_LOCK | C.MQGMO_BROWSE_FIRST,
        C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_LOGICAL_ORDER | C.MQGMO_BROWSE_FIRST,
        C.MQGMO_MARK_BROWSE_CO_OP | C.MQGMO_BROWSE_FIRST,
        C.MQGMO_UNMARK_BROWSE_CO_OP | C.MQGMO_BROWSE_FIRST,
        C.MQGMO_SYNCPOINT_IF_PERSISTENT | C.MQGMO_COMPLETE_MSG,
        C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_BROWSE_FIRST,
    ],
)
def test_options_that_exclude_each_other(one: Application, options: int) -> None:
    one.put(b"message")
    assert refused(one.get, options) == C.MQRC_OPTIONS_ERROR


def test_a_mark_does_not_survive_a_get_that_is_backed_out(harness: EmbeddedHarness, other: Application) -> None:
    marker = Application(harness, ALL | C.MQOO_CO_OP)
    marker.put(b"message")
    marker.get(C.MQGMO_BROWSE_FIRST | C.MQGMO_MARK_BROWSE_HANDLE | C.MQGMO_MARK_BROWSE_CO_OP)
    unmarked = C.MQGMO_BROWSE_FIRST | C.MQGMO_UNMARKED_BROWSE_MSG
    assert refused(marker.get, unmarked) == C.MQRC_NO_MSG_AVAILABLE
    other.get(C.MQGMO_SYNCPOINT)
    other.binding.backout()
    assert marker.get(unmarked) == b"message"


# Waiting


@pytest.mark.parametrize("queue", ["Q", "ALIAS"])
def test_a_wait_ends_when_gets_are_inhibited(harness: EmbeddedHarness, one: Application, queue: str) -> None:
    harness.embedded.admin(lambda: harness.manager.define("QALIAS", "ALIAS", {"targq": "Q"}))
    waiting = Application(harness, C.MQOO_INPUT_SHARED, queue).wait()
    harness.alter("QLOCAL" if queue == "Q" else "QALIAS", queue, {"get": C.MQQA_GET_INHIBITED})
    outcome = waiting.outcome()
    assert isinstance(outcome, MQError) and outcome.reason == C.MQRC_GET_INHIBITED


@pytest.mark.parametrize("specific", [C.MQGMO_NO_SYNCPOINT, C.MQGMO_SYNCPOINT])
def test_who_waits_for_certain_messages_comes_first(
    harness: EmbeddedHarness, one: Application, other: Application, specific: int
) -> None:
    wanted = b"wanted".ljust(24)
    first = one.wait(specific, C.MQMO_MATCH_CORREL_ID, CorrelId=wanted)
    second = other.wait()
    Application(harness, C.MQOO_OUTPUT).put(b"message", CorrelId=wanted)
    outcome = first.outcome()
    assert isinstance(outcome, Got) and outcome.data == b"message"
    assert second.outcome() is None


# Groups


def _put_group(application: Application, *data: bytes, **fields: Any) -> None:
    for number, part in enumerate(data, 1):
        flags = LAST if number == len(data) else GROUP
        application.put(part, C.MQPMO_LOGICAL_ORDER, MsgFlags=flags, **fields)


def test_the_last_of_a_group_is_also_in_the_group(one: Application) -> None:
    one.put(b"only", MsgFlags=LAST | LAST_SEGMENT)
    one.get()
    assert one.md.MsgFlags == LAST | GROUP | LAST_SEGMENT | SEGMENT


def test_a_message_that_may_be_segmented_gets_a_group_id(one: Application) -> None:
    one.put(b"small", MsgFlags=C.MQMF_SEGMENTATION_ALLOWED)
    made = one.md.GroupId
    assert made != C.MQGI_NONE
    assert one.get(0, C.MQMO_MATCH_GROUP_ID, GroupId=made) == b"small"


def test_leaving_a_group_in_the_middle_is_a_warning(one: Application) -> None:
    one.put(b"first", C.MQPMO_LOGICAL_ORDER, MsgFlags=GROUP)
    assert one.put(b"plain") == C.MQRC_INCOMPLETE_GROUP
    one.put(b"first again", C.MQPMO_LOGICAL_ORDER, MsgFlags=GROUP)
    assert one.binding.close(one.hobj) == C.MQRC_INCOMPLETE_GROUP


def test_a_get_that_leaves_a_group_in_the_middle_is_a_warning(one: Application) -> None:
    _put_group(one, b"1", b"2", b"3")
    one.put(b"plain", Priority=9)
    assert one.get(LOGICAL, C.MQMO_MATCH_GROUP_ID, GroupId=C.MQGI_NONE) == b"plain"
    assert one.get(LOGICAL) == b"1"
    got = one.got(0, C.MQMO_MATCH_MSG_SEQ_NUMBER, MsgSeqNumber=3)
    assert (got.data, got.reason) == (b"3", C.MQRC_INCOMPLETE_GROUP)


def test_an_application_may_take_up_a_group_and_go_on_in_logical_order(one: Application) -> None:
    group = b"begun before".ljust(24)
    one.put(b"second", MsgFlags=GROUP, GroupId=group, MsgSeqNumber=2)
    one.put(b"third", C.MQPMO_LOGICAL_ORDER, MsgFlags=LAST)
    assert (one.md.GroupId, one.md.MsgSeqNumber) == (group, 3)


def test_a_backout_restores_the_place_in_the_group(one: Application) -> None:
    one.put_in_unit(b"lost", C.MQPMO_LOGICAL_ORDER, MsgFlags=GROUP)
    one.binding.backout()
    assert one.put(b"plain", C.MQPMO_LOGICAL_ORDER) == C.MQRC_NONE
    one.get()
    _put_group(one, b"1", b"2")
    assert one.get(LOGICAL | C.MQGMO_SYNCPOINT) == b"1"
    one.binding.backout()
    assert one.get(LOGICAL | C.MQGMO_SYNCPOINT) == b"1"


def test_a_group_is_got_inside_the_unit_of_work_or_outside(one: Application) -> None:
    _put_group(one, b"1", b"2")
    one.get(LOGICAL | C.MQGMO_SYNCPOINT)
    assert refused(one.get, LOGICAL) == C.MQRC_INCONSISTENT_UOW
    assert one.get(LOGICAL | C.MQGMO_SYNCPOINT) == b"2"


def test_all_segments_of_a_message_are_of_one_place_in_the_group(one: Application) -> None:
    one.put(b"1", C.MQPMO_LOGICAL_ORDER, MsgFlags=GROUP | SEGMENT)
    assert refused(one.put, b"2", C.MQPMO_LOGICAL_ORDER, MsgFlags=LAST | SEGMENT) == C.MQRC_INCOMPLETE_MSG


def test_match_options_cannot_change_what_comes_next(one: Application) -> None:
    _put_group(one, b"1", b"2")
    one.get(LOGICAL)
    wrong = b"some id".ljust(24)
    assert refused(one.get, LOGICAL, C.MQMO_MATCH_MSG_ID, MsgId=wrong) == C.MQRC_MATCH_OPTIONS_ERROR
    assert refused(one.get, LOGICAL, C.MQMO_MATCH_MSG_SEQ_NUMBER, MsgSeqNumber=1) == C.MQRC_MATCH_OPTIONS_ERROR
    assert one.get(LOGICAL, C.MQMO_MATCH_MSG_SEQ_NUMBER, MsgSeqNumber=2) == b"2"


def test_browsing_and_getting_a_group_do_not_disturb_each_other(one: Application) -> None:
    _put_group(one, b"1", b"2", b"3")
    assert one.get(C.MQGMO_BROWSE_FIRST | LOGICAL) == b"1"
    assert one.get(LOGICAL) == b"1"
    assert one.get(C.MQGMO_BROWSE_NEXT | LOGICAL) == b"2"
    assert one.get(C.MQGMO_BROWSE_NEXT | LOGICAL) == b"3"
    assert one.get(LOGICAL) == b"2"


def test_a_browse_in_logical_order_follows_groups_wherever_they_lie(one: Application) -> None:
    """The physical order is Y1 Z2 Y2 Z1 and a message that is in no group."""
    y, z = b"Y" * 24, b"Z" * 24
    for group, number, flags in ((y, 1, GROUP), (z, 2, LAST), (y, 2, LAST), (z, 1, GROUP)):
        one.put(group[:1] + b"%d" % number, MsgFlags=flags, GroupId=group, MsgSeqNumber=number)
    one.put(b"plain")
    seen = [one.get(C.MQGMO_BROWSE_FIRST | LOGICAL)]
    for _ in range(4):
        seen.append(one.get(C.MQGMO_BROWSE_NEXT | LOGICAL))
    assert seen == [b"Y1", b"Y2", b"Z1", b"Z2", b"plain"]
    assert refused(one.get, C.MQGMO_BROWSE_NEXT) == C.MQRC_INCONSISTENT_BROWSE


def test_a_segment_that_has_expired_is_missing(harness: EmbeddedHarness, one: Application) -> None:
    one.put(b"1", C.MQPMO_LOGICAL_ORDER, MsgFlags=SEGMENT)
    one.put(b"2", C.MQPMO_LOGICAL_ORDER, MsgFlags=LAST_SEGMENT, Expiry=10)
    harness.advance(1)
    assert refused(one.get, C.MQGMO_COMPLETE_MSG) == C.MQRC_NO_MSG_AVAILABLE


def test_a_complete_message_is_not_got_from_behind_its_first_segment(one: Application) -> None:
    one.put(b"1", C.MQPMO_LOGICAL_ORDER, MsgFlags=SEGMENT)
    one.put(b"2", C.MQPMO_LOGICAL_ORDER, MsgFlags=LAST_SEGMENT)
    one.get(C.MQGMO_BROWSE_FIRST, C.MQMO_MATCH_OFFSET, Offset=1)
    reason = refused(one.get, C.MQGMO_MSG_UNDER_CURSOR | C.MQGMO_COMPLETE_MSG)
    assert reason == C.MQRC_INVALID_MSG_UNDER_CURSOR


def test_a_persistent_message_in_segments_needs_the_unit_of_work_that_is_there(
    harness: EmbeddedHarness, one: Application
) -> None:
    one.put(b"1", C.MQPMO_LOGICAL_ORDER, MsgFlags=SEGMENT, Persistence=1)
    one.put(b"2", C.MQPMO_LOGICAL_ORDER, MsgFlags=LAST_SEGMENT, Persistence=1)
    one.put_in_unit(b"under way")
    assert refused(one.get, C.MQGMO_COMPLETE_MSG) == C.MQRC_UOW_NOT_AVAILABLE
    assert one.get(C.MQGMO_COMPLETE_MSG | C.MQGMO_SYNCPOINT) == b"12"
    harness.alter("QLOCAL", "Q", {"maxmsgl": 32})
    reason = refused(one.put, b"x" * 40, MsgFlags=C.MQMF_SEGMENTATION_ALLOWED)
    assert reason == C.MQRC_UOW_NOT_AVAILABLE


# Putting


def test_options_that_belong_to_the_other_put_verb(one: Application) -> None:
    pmo = MQPMO(Options=C.MQPMO_LOGICAL_ORDER)
    assert refused(one.binding.put1, MQOD(ObjectName="Q"), MQMD(Version=2), pmo, b"") == C.MQRC_OPTIONS_ERROR
    assert refused(one.put, b"", C.MQPMO_ALTERNATE_USER_AUTHORITY) == C.MQRC_OPTIONS_ERROR


def test_the_defaults_of_a_queue_are_those_of_the_moment_of_the_put(harness: EmbeddedHarness, one: Application) -> None:
    harness.alter("QLOCAL", "Q", {"defprty": 7, "defpsist": C.MQPER_PERSISTENT})
    one.put(b"message", Priority=C.MQPRI_PRIORITY_AS_Q_DEF, Persistence=C.MQPER_PERSISTENCE_AS_Q_DEF)
    assert (one.md.Priority, one.md.Persistence) == (7, C.MQPER_PERSISTENT)
