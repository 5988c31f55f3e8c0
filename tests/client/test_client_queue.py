"""Queue: put and get, what they take, and what they say when it is wrong."""

from __future__ import annotations

import gc
import math
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from client_starting import Start

import libremq
from libremq import Queue, QueueManager
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQPMO
from libremq.testing import VirtualClock


@pytest.fixture
def queue(queue_manager: QueueManager) -> Queue:
    queue_manager.define_local("ORDERS")
    return queue_manager.queue("ORDERS")


# Data


@pytest.mark.parametrize("data", [b"bytes", bytearray(b"bytes"), memoryview(b"bytes")])
def test_bytes_come_out_as_they_went_in(queue: Queue, data: bytes | bytearray | memoryview) -> None:
    queue.put(data)
    message = queue.get()
    assert message.data == bytes(message) == b"bytes"
    assert message.format == ""


def test_text_travels_as_utf_8(queue: Queue) -> None:
    queue.put("zwölf Grüße")
    message = queue.get()
    assert message.text == "zwölf Grüße"
    assert message.data == "zwölf Grüße".encode()
    assert (message.format, message.md.CodedCharSetId) == ("MQSTR", 1208)


def test_text_goes_in_the_character_set_that_the_descriptor_names(queue: Queue) -> None:
    queue.put("Größe", md=MQMD(Version=2, CodedCharSetId=500))
    message = queue.get()
    assert message.data == "Größe".encode("cp500")
    assert message.text == "Größe"


def test_text_that_the_character_set_lacks_is_refused(queue: Queue) -> None:
    with pytest.raises(libremq.BadValue) as caught:
        queue.put("日本", md=MQMD(CodedCharSetId=819))
    assert caught.value.reason == C.MQRC_CODED_CHAR_SET_ID_ERROR
    assert queue.depth == 0


def test_anything_else_is_a_type_error_with_advice(queue: Queue) -> None:
    with pytest.raises(TypeError, match=r"json\.dumps") as caught:
        queue.put({"order": 1})  # type: ignore[arg-type]
    assert isinstance(caught.value, libremq.MQError)
    assert caught.value.reason == C.MQRC_BUFFER_ERROR


def test_a_message_longer_than_the_queue_takes_is_refused(queue_manager: QueueManager) -> None:
    queue_manager.define_local("SMALL", maxmsgl=10)
    with pytest.raises(libremq.MessageTooBig):
        queue_manager.queue("SMALL").put(b"x" * 11)


# Options of put


def test_put_returns_the_message_id(queue: Queue) -> None:
    message_id = queue.put("x")
    assert len(message_id) == 24
    assert queue.get().message_id == message_id


def test_the_queue_decides_what_the_sender_left_open(queue_manager: QueueManager) -> None:
    queue_manager.define_local("IMPORTANT", defpsist="yes", defprty=7)
    queue = queue_manager.queue("IMPORTANT")
    queue.put("as the queue says")
    queue.put("as I say", persistent=False, priority=2)
    first, second = queue.get(), queue.get()
    assert (first.persistent, first.priority) == (True, 7)
    assert (second.persistent, second.priority) == (False, 2)


def test_higher_priority_comes_first(queue: Queue) -> None:
    for priority in (1, 9, 5):
        queue.put(str(priority), priority=priority)
    assert [message.text for message in queue] == ["9", "5", "1"]


def test_ids_may_be_text_and_are_filled_to_24_bytes(queue: Queue) -> None:
    queue.put("x", correlation_id="order-7", message_id=b"\x01\x02")
    message = queue.get()
    assert message.correlation_id == b"order-7".ljust(24, b"\0")
    assert message.message_id == b"\x01\x02".ljust(24, b"\0")


@pytest.mark.parametrize(
    ("options", "reason", "kind"),
    [
        ({"correlation_id": b"x" * 25}, C.MQRC_CORREL_ID_ERROR, ValueError),
        ({"message_id": 7}, C.MQRC_MSG_ID_ERROR, TypeError),
        ({"expiry": 0}, C.MQRC_EXPIRY_ERROR, ValueError),
        ({"expiry": -1}, C.MQRC_EXPIRY_ERROR, ValueError),
        ({"expiry": math.nan}, C.MQRC_EXPIRY_ERROR, ValueError),
        ({"expiry": "soon"}, C.MQRC_EXPIRY_ERROR, TypeError),
        ({"expiry": 1e12}, C.MQRC_EXPIRY_ERROR, ValueError),
        ({"persistent": "yes"}, C.MQRC_PERSISTENCE_ERROR, TypeError),
        ({"priority": "high"}, C.MQRC_PRIORITY_ERROR, TypeError),
        ({"priority": -2}, C.MQRC_PRIORITY_ERROR, libremq.MessageDescriptorError),
        ({"reply_to": 5}, C.MQRC_MISSING_REPLY_TO_Q, TypeError),
        ({"message_type": C.MQMT_REQUEST}, C.MQRC_MISSING_REPLY_TO_Q, libremq.MessageDescriptorError),
        ({"properties": {"a b": 1}}, C.MQRC_PROPERTY_NAME_ERROR, libremq.PropertyError),
        ({"properties": {"a": object()}}, C.MQRC_PROPERTY_TYPE_ERROR, libremq.PropertyError),
        ({"properties": [("a", 1)]}, C.MQRC_PROPERTY_TYPE_ERROR, TypeError),
        ({"md": {"Format": "X"}}, C.MQRC_MD_ERROR, TypeError),
        ({"pmo": MQGMO()}, C.MQRC_PMO_ERROR, TypeError),
        ({"properties": {"a": 1 << 70}}, C.MQRC_PROPERTY_TYPE_ERROR, libremq.PropertyError),
    ],
)
def test_a_wrong_option_is_refused_and_nothing_is_put(
    queue: Queue, options: dict[str, Any], reason: int, kind: type[Exception]
) -> None:
    with pytest.raises(kind) as caught:
        queue.put("x", **options)
    assert isinstance(caught.value, libremq.MQError)
    assert caught.value.reason == reason
    assert caught.value.comp_code == C.MQCC_FAILED
    assert queue.depth == 0


def test_properties_keep_their_types(queue: Queue) -> None:
    properties = {"s": "text", "i": 7, "big": 1 << 40, "f": 2.5, "yes": True, "raw": b"\0\1", "nothing": None}
    queue.put("x", properties=properties)
    queue.put("y")
    message = queue.get()
    assert message.properties == properties
    assert type(message.properties["yes"]) is bool
    assert message.data == b"x"
    assert queue.get().properties == {}


def test_a_property_of_another_folder_keeps_its_full_name(queue: Queue) -> None:
    queue.put("x", properties={"usr.colour": "red", "shop.till": 3, "JMSType": "order"})
    assert queue.get().properties == {"colour": "red", "shop.till": 3, "JMSType": "order"}


def test_the_descriptor_and_options_of_the_caller_are_used_and_stay_as_they_are(
    queue_manager: QueueManager, queue: Queue
) -> None:
    md, pmo = MQMD(Version=2, Format="MYFMT"), MQPMO()
    first = queue.put(b"x", md=md, pmo=pmo, priority=3)
    assert (md, pmo) == (MQMD(Version=2, Format="MYFMT"), MQPMO())
    with pytest.raises(KeyError), queue_manager.transaction():
        second = queue.put(b"y", md=md, pmo=pmo)
        raise KeyError
    assert first != second
    message = queue.get()
    assert (message.format, message.priority) == ("MYFMT", 3)
    assert queue.depth == 0


# Options of get


def test_an_empty_queue_says_so_at_once(queue: Queue) -> None:
    with pytest.raises(libremq.NoMessageAvailable) as caught:
        queue.get()
    assert caught.value.reason == C.MQRC_NO_MSG_AVAILABLE
    assert caught.value.object_name == "ORDERS"
    assert queue.get_or_none() is None


def test_get_chooses_by_ids(queue: Queue) -> None:
    first = queue.put("first", correlation_id="a")
    queue.put("second", correlation_id="b")
    queue.put("third", correlation_id="a")
    assert queue.get(correlation_id="b").text == "second"
    assert queue.get(message_id=first).text == "first"
    assert queue.get_or_none(correlation_id="c") is None
    assert [message.text for message in queue.iterate(correlation_id="a")] == ["third"]


def test_a_wait_ends_when_a_message_comes(queue: Queue) -> None:
    results: list[str] = []
    getter = threading.Thread(target=lambda: results.append(queue.get(wait=60).text))
    getter.start()
    queue.put("there")
    getter.join(60)
    assert results == ["there"]


def test_a_wait_without_end(queue: Queue) -> None:
    results: list[str] = []
    getter = threading.Thread(target=lambda: results.append(queue.get(wait=float("inf")).text))
    getter.start()
    queue.put("there")
    getter.join(60)
    assert results == ["there"]


def test_a_wait_ends_when_its_time_is_over(start: Start) -> None:
    clock = VirtualClock()
    with start(clock=clock) as qm:
        qm.define_local("Q")
        queue = qm.queue("Q")
        results: list[object] = []
        getter = threading.Thread(target=lambda: results.append(queue.get_or_none(wait=timedelta(minutes=5))))
        getter.start()
        while not qm.statistics().waiting_gets:
            pass
        clock.advance(299)
        assert qm.statistics().waiting_gets == 1
        clock.advance(1)
        getter.join(60)
        assert results == [None]


@pytest.mark.parametrize(
    ("wait", "kind"),
    [(-1, ValueError), (math.nan, ValueError), ("long", TypeError), (True, TypeError), (1e9, ValueError)],
)
def test_an_impossible_wait_is_refused(queue: Queue, wait: Any, kind: type[Exception]) -> None:
    queue.put("stays")
    with pytest.raises(kind) as caught:
        queue.get(wait=wait)
    assert isinstance(caught.value, libremq.MQError)
    assert caught.value.reason == C.MQRC_WAIT_INTERVAL_ERROR
    assert queue.depth == 1


def test_a_message_that_is_too_long_stays_on_the_queue(queue: Queue) -> None:
    queue.put(b"0123456789")
    with pytest.raises(libremq.TruncatedMessage, match="10 bytes") as caught:
        queue.get(max_length=4)
    assert caught.value.reason == C.MQRC_TRUNCATED_MSG_FAILED
    message = queue.get(max_length=4, truncate=True)
    assert (message.data, message.length) == (b"0123", 10)
    assert message.warning == C.MQRC_TRUNCATED_MSG_ACCEPTED
    assert queue.depth == 0


def test_conversion_on_request(queue: Queue) -> None:
    for _ in range(3):
        queue.put("Größe".encode("cp500"), md=MQMD(Version=2, CodedCharSetId=500, Format="MQSTR"))
    assert queue.get().data == "Größe".encode("cp500")
    assert queue.get(convert=True).data == "Größe".encode()
    assert queue.get(convert=819).data == "Größe".encode("latin-1")


def test_what_cannot_be_converted_comes_as_it_is_with_a_warning(queue: Queue) -> None:
    queue.put(b"\0\1", format="UNKNOWN", md=MQMD(Version=2, CodedCharSetId=500))
    message = queue.get(convert=True)
    assert message.data == b"\0\1"
    assert message.warning == C.MQRC_FORMAT_ERROR


def test_get_options_of_the_caller_are_used_and_stay_as_they_are(queue: Queue) -> None:
    queue.put("x", properties={"colour": "red"})
    queue.put("y")
    md, gmo = MQMD(Version=2), MQGMO(Options=C.MQGMO_PROPERTIES_FORCE_MQRFH2)
    message = queue.get(md=md, gmo=gmo)
    assert message.format == "MQHRF2"
    assert message.properties == {}
    assert message.gmo.ResolvedQName == "ORDERS"
    assert (md, gmo) == (MQMD(Version=2), MQGMO(Options=C.MQGMO_PROPERTIES_FORCE_MQRFH2))
    assert queue.get(md=md, gmo=gmo).text == "y"


# Iterating


def test_iteration_takes_what_is_there_and_ends(queue: Queue) -> None:
    for number in range(3):
        queue.put(str(number))
    assert [message.text for message in queue] == ["0", "1", "2"]
    assert list(queue) == []


def test_leaving_a_loop_loses_nothing(queue: Queue) -> None:
    for number in range(3):
        queue.put(str(number))
    for message in queue:
        assert message.text == "0"
        break
    assert [message.text for message in queue] == ["1", "2"]


# Selectors


def test_a_selector_chooses_by_properties(queue_manager: QueueManager, queue: Queue) -> None:
    for weight in (1, 2, 3):
        queue.put(str(weight), properties={"weight": weight})
    heavy = queue_manager.queue("ORDERS", selector="weight >= 2")
    assert [message.text for message in heavy.browse()] == ["2", "3"]
    assert [message.text for message in heavy] == ["2", "3"]
    assert [message.text for message in queue] == ["1"]


def test_a_selector_that_cannot_be_read_is_refused(queue_manager: QueueManager, queue: Queue) -> None:
    with pytest.raises(libremq.SelectorError):
        queue_manager.queue("ORDERS", selector="weight >=").get()


# Opening


def test_an_unknown_queue_shows_when_it_is_used(queue_manager: QueueManager) -> None:
    nothing = queue_manager.queue("NOTHING")
    with pytest.raises(libremq.UnknownObject) as caught:
        nothing.put("x")
    assert caught.value.reason == C.MQRC_UNKNOWN_OBJECT_NAME
    with pytest.raises(libremq.UnknownObject):
        nothing.get()


def test_the_name_of_a_queue_is_text(queue_manager: QueueManager) -> None:
    for attempt in (lambda: queue_manager.queue(5), lambda: queue_manager.put(5, "x")):  # type: ignore[arg-type]
        with pytest.raises(TypeError) as caught:
            attempt()
        assert isinstance(caught.value, libremq.MQError)


def test_exclusive_input_keeps_others_out(queue_manager: QueueManager, queue: Queue) -> None:
    with queue_manager.queue("ORDERS", exclusive=True) as mine:
        with pytest.raises(libremq.ObjectInUse):
            queue.get()
        queue.put("others may put")
        assert mine.get().text == "others may put"
    assert queue.get_or_none() is None


def test_exclusive_true_is_tried_at_once(queue_manager: QueueManager, queue: Queue) -> None:
    assert queue.get_or_none() is None  # it is open for input now
    with pytest.raises(libremq.ObjectInUse):
        queue_manager.queue("ORDERS", exclusive=True)


def test_what_is_inhibited_says_so(queue: Queue) -> None:
    queue.set(put="disabled")
    with pytest.raises(libremq.PutInhibited):
        queue.put("x")
    queue.set(put="enabled", get="disabled")
    queue.put("x")
    with pytest.raises(libremq.GetInhibited):
        queue.get()


def test_a_full_queue_says_so(queue_manager: QueueManager) -> None:
    queue_manager.define_local("TINY", maxdepth=1)
    tiny = queue_manager.queue("TINY")
    tiny.put("1")
    with pytest.raises(libremq.QueueFull):
        tiny.put("2")
    assert tiny.depth == 1


def test_queues_made_on_the_fly_do_not_use_up_the_handles(queue_manager: QueueManager, queue: Queue) -> None:
    handles = queue_manager.attributes["maxhands"]
    assert isinstance(handles, int)
    for _ in range(handles + 10):
        queue_manager.queue("ORDERS").put("x")
    gc.collect()
    assert queue.statistics().opens_for_output <= 1
    assert queue.depth == handles + 10


def test_a_closed_queue_object_is_refused(queue: Queue) -> None:
    queue.put("x")
    queue.close()
    queue.close()
    with pytest.raises(libremq.HandleError, match="closed") as caught:
        queue.get()
    assert caught.value.reason == C.MQRC_HOBJ_ERROR


def test_closing_a_queue_ends_the_waits_of_other_threads(queue_manager: QueueManager, queue: Queue) -> None:
    errors: list[libremq.MQError] = []

    def wait() -> None:
        try:
            queue.get(wait=float("inf"))
        except libremq.HandleError as error:
            errors.append(error)

    getter = threading.Thread(target=wait)
    getter.start()
    while not queue_manager.statistics().waiting_gets:
        pass
    queue.close()
    getter.join(60)
    assert [error.reason for error in errors] == [C.MQRC_HOBJ_ERROR]


def test_context_can_be_set_with_the_right_open_option(queue_manager: QueueManager, queue: Queue) -> None:
    moved = queue_manager.queue("ORDERS", open_options=C.MQOO_SET_ALL_CONTEXT)
    moved.put("x", md=MQMD(Version=2, UserIdentifier="bob"), pmo=MQPMO(Options=C.MQPMO_SET_ALL_CONTEXT))
    assert queue.get().user == "bob"
    with pytest.raises(libremq.NotOpenFor):
        queue.put("x", pmo=MQPMO(Options=C.MQPMO_SET_ALL_CONTEXT))


def test_open_options_are_not_for_the_access_itself(queue_manager: QueueManager) -> None:
    with pytest.raises(libremq.BadValue, match="exclusive=True"):
        queue_manager.queue("ORDERS", open_options=C.MQOO_INPUT_EXCLUSIVE)


def test_an_alternate_user_lends_authority_not_identity(queue_manager: QueueManager, queue: Queue) -> None:
    queue_manager.queue("ORDERS", alternate_user="carol").put("x")
    assert queue.get().user == queue_manager.user[:12]


# Dynamic queues


def test_a_temporary_queue_is_gone_when_it_is_closed(queue_manager: QueueManager) -> None:
    with queue_manager.dynamic_queue(name="MINE.*") as mine:
        assert mine.name.startswith("MINE.")
        assert queue_manager.queue_names("MINE.*") == [mine.name]
        queue_manager.put(mine.name, "hello")
        assert mine.get().text == "hello"
    assert queue_manager.queue_names("MINE.*") == []


def test_a_temporary_queue_is_gone_when_nobody_holds_it(queue_manager: QueueManager) -> None:
    queue_manager.dynamic_queue(name="MINE.*")
    gc.collect()
    assert queue_manager.queue_names("MINE.*") == []


def test_a_model_queue_stands_for_one_dynamic_queue(queue_manager: QueueManager) -> None:
    queue = queue_manager.queue("SYSTEM.DEFAULT.MODEL.QUEUE")
    queue.put("to myself")
    assert queue.name != "SYSTEM.DEFAULT.MODEL.QUEUE"
    assert queue.get().text == "to myself"


# Attributes


def test_inquire_by_keyword_and_by_selector(queue: Queue) -> None:
    queue.put("x")
    assert queue.inquire("curdepth", C.MQIA_MAX_Q_DEPTH, "queue") == [1, 5000, "ORDERS"]
    with pytest.raises(libremq.BadValue, match="colour"):
        queue.inquire("colour")


def test_set_refuses_what_applications_may_not_change(queue: Queue) -> None:
    with pytest.raises(libremq.MQError) as caught:
        queue.set(maxdepth=5)
    assert caught.value.reason == C.MQRC_SELECTOR_ERROR
    with pytest.raises(libremq.InvalidAttribute):
        queue.set(get="perhaps")
    with pytest.raises(libremq.BadValue):
        queue.set(colour="red")


def test_statistics_of_a_queue(queue: Queue) -> None:
    queue.put("x")
    assert queue.get_or_none(correlation_id="none") is None
    statistics = queue.statistics()
    assert (statistics.depth, statistics.depth_max) == (1, 5000)
    assert (statistics.opens_for_input, statistics.opens_for_output) == (1, 1)


def test_the_raw_handle_of_this_thread(queue_manager: QueueManager, queue: Queue) -> None:
    queue.put("x")
    got = queue_manager.mqi.MQGET(queue.handle("input"), MQMD(), MQGMO())
    assert got.data == b"x"
    with pytest.raises(libremq.BadValue, match="input"):
        queue.handle("sideways")


# The message


def test_times_of_a_message(start: Start) -> None:
    clock = VirtualClock(1_700_000_000.25)
    with start(clock=clock) as qm:
        qm.define_local("Q")
        qm.put("Q", "x", expiry=60)
        qm.put("Q", "y")
        clock.advance(20)
        first, second = qm.queue("Q").get(), qm.queue("Q").get()
    assert first.put_time == datetime.fromtimestamp(1_700_000_000.25, UTC)
    assert first.md.Expiry == 400
    assert first.expires is not None
    assert abs(first.expires - datetime.now(UTC) - timedelta(seconds=40)) < timedelta(seconds=30)
    assert second.expires is None


def test_a_message_expires(start: Start) -> None:
    clock = VirtualClock()
    with start(clock=clock) as qm:
        qm.define_local("Q")
        queue = qm.queue("Q")
        queue.put("short", expiry=1.5)
        queue.put("for ever", expiry=float("inf"))
        clock.advance(2)
        assert [message.text for message in queue] == ["for ever"]


def test_a_message_without_context_has_no_time(queue: Queue) -> None:
    queue.put("x", pmo=MQPMO(Options=C.MQPMO_NO_CONTEXT))
    message = queue.get()
    assert message.put_time is None
    assert message.user == ""


def test_data_that_is_no_text_says_so(queue: Queue) -> None:
    queue.put(b"\xff\xfe", format="MQSTR", md=MQMD(Version=2, CodedCharSetId=1208))
    queue.put(b"x", md=MQMD(Version=2, CodedCharSetId=7))
    with pytest.raises(libremq.ConversionFailed, match=r"use \.data"):
        _ = queue.get().text
    with pytest.raises(libremq.ConversionFailed, match="CCSID 7"):
        _ = queue.get().text


def test_what_a_message_looks_like(queue: Queue) -> None:
    queue.put("a" * 60, persistent=True, priority=4, properties={"colour": "red"})
    queue.put(b"\0")
    queue.put("öö")
    shown = repr(queue.get())
    assert shown == (f"<Message '{'a' * 40}'..., from ORDERS, persistent, priority 4, properties {{'colour': 'red'}}>")
    assert repr(queue.get()) == r"<Message b'\x00', from ORDERS, non-persistent, priority 0>"
    assert repr(queue.get()) == "<Message 'öö', from ORDERS, non-persistent, priority 0>"
    assert repr(queue) == "<Queue ORDERS of QM1>"


@pytest.mark.parametrize("wrong", ["correl_id", "syncpoint", "msg_id"])
def test_a_misspelt_argument_of_a_get_is_told(queue_manager: QueueManager, wrong: str) -> None:
    """It was taken for the id of a group, or for nothing."""
    queue_manager.define_local("Q")
    queue = queue_manager.queue("Q")
    for get in (queue.get, queue.browse, lambda **match: queue.get_many(3, **match)):
        with pytest.raises(TypeError, match=f"'{wrong}'"):
            list(get(**{wrong: b"x"}))  # type: ignore[arg-type]
