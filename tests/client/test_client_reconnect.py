"""Reconnection: what an application keeps over a lost connection, and what it is told."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_proxy import Where
from helper_site import LIMIT_S, Site, is_lost, until

import libremq
from libremq import MQError, QueueManager
from libremq.client.reconnect.reconnecting_connection import ReconnectingConnection
from libremq.client.verbs import MQCONNX, MQI
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCBC, MQCBD, MQCNO, MQGMO, MQMD, MQOD, MQPMO, MQSTS
from libremq.testing.serving import served_queue_manager

WHERE: tuple[Where, ...] = ("request", "reply")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Site(tmp_path) as found:
        yield found


@pytest.fixture
def qm(site: Site) -> Iterator[QueueManager]:
    with site.connect() as found:
        yield found


def binding_of(qm: QueueManager) -> ReconnectingConnection:
    binding = qm.mqi.binding
    assert isinstance(binding, ReconnectingConnection)
    return binding


# ---- calls ----


def test_a_connection_that_was_cut_while_nobody_used_it_is_made_again_unnoticed(site: Site, qm: QueueManager) -> None:
    queue = qm.queue("Q")
    queue.put("before")
    site.cut(qm)
    queue.put("after")
    with qm.transaction():
        queue.put("in a unit of work")
    site.cut(qm)
    assert queue.get().text == "before"
    assert binding_of(qm).reconnections == 2
    assert site.texts() == ["after", "in a unit of work"]


@pytest.mark.parametrize("where", WHERE)
def test_a_put_whose_reply_is_lost_is_in_doubt_and_never_repeated(site: Site, qm: QueueManager, where: Where) -> None:
    queue = qm.queue("Q")
    queue.put("first")
    site.proxy.arm(where, 1)
    with pytest.raises(libremq.ConnectionBroken) as caught:
        queue.put("second")
    assert caught.value.reason == C.MQRC_CALL_INTERRUPTED
    assert "nobody knows" in str(caught.value)
    queue.put("third")
    assert site.texts() == (["first", "third"] if where == "request" else ["first", "second", "third"])


@pytest.mark.parametrize("where", WHERE)
def test_a_get_that_does_not_wait_is_in_doubt(site: Site, qm: QueueManager, where: Where) -> None:
    queue = qm.queue("Q")
    queue.put("a")
    queue.put("b")
    queue.handle("input")
    site.proxy.arm(where, 1)
    with pytest.raises(libremq.ConnectionBroken) as caught:
        queue.get()
    assert caught.value.reason == C.MQRC_CALL_INTERRUPTED
    assert queue.get().text == ("a" if where == "request" else "b")


def test_a_get_that_waits_is_made_again(site: Site, qm: QueueManager) -> None:
    queue = qm.queue("Q")
    queue.handle("input")
    got: list[str] = []

    def get() -> None:
        got.append(qm.queue("Q").get(LIMIT_S).text)

    thread = threading.Thread(target=get)
    thread.start()
    with site.direct() as other:
        waiters = site.served.event_loop.manager.core.waiters
        until(lambda: waiters)
        (first,) = list(waiters)
        site.proxy.cut_all()
        until(lambda: waiters and first not in list(waiters))
        other.queue("Q").put("at last")
    thread.join(LIMIT_S)
    assert got == ["at last"]


def test_a_wait_is_not_made_longer(site: Site, qm: QueueManager) -> None:
    mqi = qm.mqi
    hobj = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    gmo = MQGMO(Options=C.MQGMO_WAIT, WaitInterval=50)
    site.proxy.arm("request", 1)
    with pytest.raises(libremq.NoMessageAvailable):
        mqi.MQGET(hobj, MQMD(), gmo)
    assert site.proxy.cuts == 1
    assert gmo.WaitInterval == 50


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("call", [1, 2])
def test_a_unit_of_work_is_gone_as_a_whole(site: Site, qm: QueueManager, where: Where, call: int) -> None:
    queue = qm.queue("Q")
    queue.put("got")
    queue.handle("input")
    site.proxy.arm(where, call)
    with pytest.raises(libremq.UnitOfWorkBackedOut), qm.transaction():
        queue.get()
        queue.put("put")
    assert site.texts() == ["got"]
    with qm.transaction():
        assert queue.get().text == "got"
        queue.put("put")
    assert site.texts() == ["put"]


def test_a_commit_that_was_not_sent_is_backed_out_for_sure(site: Site, qm: QueueManager) -> None:
    queue = qm.queue("Q")
    with pytest.raises(libremq.UnitOfWorkBackedOut), qm.transaction():
        queue.put("lost")
        site.cut(qm)
    assert site.texts() == []


@pytest.mark.parametrize("where", WHERE)
def test_a_commit_whose_reply_is_lost_is_in_doubt(site: Site, qm: QueueManager, where: Where) -> None:
    queue = qm.queue("Q")
    queue.handle("output")
    site.proxy.arm(where, 2)
    with pytest.raises(libremq.ConnectionBroken) as caught, qm.transaction():
        queue.put("maybe")
    assert caught.value.reason == C.MQRC_CALL_INTERRUPTED
    with qm.transaction():
        queue.put("surely")
    assert site.texts() == (["surely"] if where == "request" else ["maybe", "surely"])


def test_the_first_call_after_a_lost_unit_of_work_hears_of_it_and_what_was_done_since_is_undone(
    site: Site, qm: QueueManager
) -> None:
    mqi = qm.mqi
    hobj = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_OUTPUT | C.MQOO_INQUIRE)
    mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"1")
    site.cut(qm)
    assert mqi.MQINQ(hobj, [C.MQIA_CURRENT_Q_DEPTH])[0] == [0]
    mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"outside")
    with pytest.raises(libremq.UnitOfWorkBackedOut):
        mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"2")
    mqi.MQCMIT()
    assert site.texts() == ["outside"]


def test_a_backout_of_what_is_lost_succeeds(site: Site, qm: QueueManager) -> None:
    mqi = qm.mqi
    mqi.MQPUT1(MQOD(ObjectName="Q"), MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"1")
    site.proxy.arm("request", 1)
    mqi.MQBACK()
    mqi.MQPUT1(MQOD(ObjectName="Q"), MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"2")
    mqi.MQCMIT()
    assert site.texts() == ["2"]


def test_asynchronous_puts_that_a_loss_overtakes_are_told_by_mqstat(site: Site, qm: QueueManager) -> None:
    mqi = qm.mqi
    hobj = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_OUTPUT)
    pmo = MQPMO(Options=C.MQPMO_ASYNC_RESPONSE)
    for _ in range(3):
        mqi.MQPUT(hobj, MQMD(), pmo, b"x")
    site.cut(qm)
    sts = MQSTS()
    mqi.MQSTAT(C.MQSTAT_TYPE_ASYNC_ERROR, sts)
    assert (sts.CompCode, sts.Reason, sts.PutFailureCount) == (C.MQCC_FAILED, C.MQRC_CALL_INTERRUPTED, 3)
    mqi.MQPUT(hobj, MQMD(), pmo, b"y")
    mqi.MQSTAT(C.MQSTAT_TYPE_ASYNC_ERROR, sts)
    assert (sts.CompCode, sts.PutSuccessCount, sts.PutFailureCount) == (C.MQCC_OK, 1, 0)


@pytest.mark.parametrize("where", WHERE)
def test_calls_that_change_nothing_are_repeated(site: Site, qm: QueueManager, where: Where) -> None:
    mqi = qm.mqi
    with site.direct() as other:
        other.queue("Q").put("there")
    site.proxy.arm(where, 1)
    hobj = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_INQUIRE | C.MQOO_BROWSE | C.MQOO_SET)
    site.proxy.arm(where, 1)
    assert mqi.MQINQ(hobj, [C.MQIA_CURRENT_Q_DEPTH])[0] == [1]
    site.proxy.arm(where, 1)
    mqi.MQSET(hobj, {C.MQIA_INHIBIT_PUT: C.MQQA_PUT_INHIBITED})
    site.proxy.arm(where, 1)
    mqi.MQGET(hobj, MQMD(), MQGMO(Options=C.MQGMO_BROWSE_FIRST))
    site.proxy.arm(where, 1)
    mqi.MQCLOSE(hobj)
    assert site.proxy.cuts == 5
    with pytest.raises(libremq.HandleError):
        mqi.MQINQ(hobj, [C.MQIA_CURRENT_Q_DEPTH])


# ---- what is kept ----


def test_handles_keep_their_numbers(site: Site, qm: QueueManager) -> None:
    mqi = qm.mqi
    out = mqi.MQOPEN(MQOD(ObjectName="OUT"), C.MQOO_OUTPUT)
    first = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_OUTPUT)
    mqi.MQCLOSE(out)
    site.cut(qm)
    mqi.MQPUT(first, MQMD(), MQPMO(), b"to Q")
    second = mqi.MQOPEN(MQOD(ObjectName="OUT"), C.MQOO_OUTPUT)
    assert second not in (first, out)
    mqi.MQPUT(second, MQMD(), MQPMO(), b"to OUT")
    assert (site.texts(), site.texts("OUT")) == (["to Q"], ["to OUT"])


def test_a_handle_that_cannot_be_opened_again_says_why_and_is_tried_when_it_is_used(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    with site.direct() as other:
        other.define("QLOCAL", "GONE")
    with site.connect() as qm:
        gone, queue = qm.queue("GONE"), qm.queue("Q")
        gone.handle("output")
        queue.put("before")
        site.proxy.refuse(True)
        site.cut(qm)
        with site.direct() as other:
            until(lambda: not other.queue("GONE").inquire("opprocs")[0])
            other.delete("QLOCAL", "GONE")
            site.proxy.refuse(False)
            queue.put("after")
            sts = MQSTS()
            qm.mqi.MQSTAT(C.MQSTAT_TYPE_RECONNECTION_ERROR, sts)
            assert (sts.Reason, sts.ObjectName) == (C.MQRC_UNKNOWN_OBJECT_NAME, "GONE")
            assert "GONE could not be opened again" in caplog.text
            with pytest.raises(libremq.UnknownObject):
                gone.put("x")
            other.define("QLOCAL", "GONE")
            gone.put("y")
    assert site.texts("GONE") == ["y"]


def test_message_handles_are_kept(site: Site, qm: QueueManager) -> None:
    mqi = qm.mqi
    hmsg = mqi.binding.create_message_handle()
    mqi.binding.set_properties(hmsg, {"colour": "red"})
    site.cut(qm)
    pmo = MQPMO(Version=C.MQPMO_VERSION_3, NewMsgHandle=hmsg)
    mqi.MQPUT1(MQOD(ObjectName="Q"), MQMD(), pmo, b"x")
    assert mqi.binding.properties(hmsg) == {"colour": "red"}
    with site.direct() as other:
        assert other.queue("Q").get().properties == {"colour": "red"}


def test_a_temporary_queue_is_made_again_under_its_name(
    site: Site, qm: QueueManager, caplog: pytest.LogCaptureFixture
) -> None:
    replies = qm.dynamic_queue()
    name = replies.name
    replies.put("on it", persistent=False)
    site.cut(qm)
    assert replies.get_or_none() is None
    assert f"{name}: it was made again" in caplog.text
    with site.direct() as other:
        other.put(name, "reply", persistent=False)
    assert replies.get(LIMIT_S).text == "reply"
    replies.close()
    with site.direct() as other, pytest.raises(libremq.UnknownObject):
        other.put(name, "x")


def test_a_permanent_dynamic_queue_is_found_again_with_its_messages(site: Site) -> None:
    with site.direct() as other:
        other.define("QMODEL", "MODEL", deftype="PERMDYN", defpsist="YES")
    with site.connect() as qm:
        queue = qm.dynamic_queue("MODEL", "PERM.*")
        queue.put("kept")
        site.cut(qm)
        assert queue.get().text == "kept"
        site.restart()
        queue.put("again")
        assert queue.get().text == "again"


def test_exclusive_input_is_taken_again(site: Site, qm: QueueManager) -> None:
    queue = qm.queue("Q", exclusive=True)
    queue.put("x")
    site.cut(qm)
    assert queue.get().text == "x"
    with site.direct() as other, pytest.raises(MQError) as caught:
        other.queue("Q", exclusive=True)
    assert caught.value.reason == C.MQRC_OBJECT_IN_USE


# ---- cursors ----


@pytest.mark.parametrize("restart", [False, True])
def test_a_browse_goes_on_where_it_was(site: Site, qm: QueueManager, restart: bool) -> None:
    queue = qm.queue("Q")
    for number in range(6):
        queue.put(str(number))
    seen: list[str] = []
    for message in queue.browse():
        seen.append(message.text)
        if restart:
            if message.text == "2":
                site.restart()
        else:
            site.cut(qm)
    assert seen == [str(number) for number in range(6)]


def test_messages_with_the_same_ids_are_told_apart(site: Site, qm: QueueManager) -> None:
    queue = qm.queue("Q")
    for number in range(5):
        queue.put(str(number), message_id=b"same")
    seen: list[str] = []
    for message in queue.browse():
        seen.append(message.text)
        site.cut(qm)
    assert seen == ["0", "1", "2", "3", "4"]


def test_a_cursor_on_a_message_that_is_gone_stays_before_the_next_one(site: Site, qm: QueueManager) -> None:
    queue = qm.queue("Q")
    for number in range(5):
        queue.put(str(number))
    with queue.browse(take=True) as browser:
        assert [next(browser).text for _ in range(3)] == ["0", "1", "2"]
        with site.direct() as other:
            site.proxy.refuse(True)
            site.cut(qm)
            assert [other.queue("Q").get().text for _ in range(3)] == ["0", "1", "2"]
            site.proxy.refuse(False)
        with pytest.raises(MQError) as caught:
            browser.take()
        assert caught.value.reason == C.MQRC_NO_MSG_UNDER_CURSOR
        assert next(browser).text == "3"
        assert browser.take().text == "3"
    assert site.texts() == ["4"]


def test_the_message_under_the_cursor_is_never_another_one(site: Site, qm: QueueManager) -> None:
    queue = qm.queue("Q")
    for number in range(3):
        queue.put(str(number))
    with queue.browse(take=True) as browser:
        assert [next(browser).text for _ in range(2)] == ["0", "1"]
        with site.direct() as other:
            taken = other.queue("Q").get(message_id=queue_ids(site)[1])
            assert taken.text == "1"
        site.cut(qm)
        with pytest.raises(MQError) as caught:
            browser.take()
        assert caught.value.reason == C.MQRC_NO_MSG_UNDER_CURSOR
        assert next(browser).text == "2"
    assert site.texts() == ["0", "2"]


def test_a_lock_is_taken_again(site: Site, qm: QueueManager) -> None:
    queue = qm.queue("Q")
    for number in range(2):
        queue.put(str(number))
    with queue.browse(lock=True) as browser:
        assert next(browser).text == "0"
        site.cut(qm)
        assert queue.depth == 2  # reconnects
        with site.direct() as other:
            assert [message.text for message in other.queue("Q")] == ["1"]
        assert next(browser, None) is None
    assert site.texts() == ["0"]


def test_a_browse_in_logical_order_goes_on_in_its_group(site: Site, qm: QueueManager) -> None:
    queue = qm.queue("Q")
    queue.put_group(["a", "b", "c"])
    queue.put("d")
    mqi = qm.mqi
    hobj = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_BROWSE)
    seen = []
    direction = C.MQGMO_BROWSE_FIRST
    for _ in range(4):
        gmo = MQGMO(Version=2, Options=direction | C.MQGMO_LOGICAL_ORDER, MatchOptions=0)
        seen.append(mqi.MQGET(hobj, MQMD(Version=2), gmo).data)
        direction = C.MQGMO_BROWSE_NEXT
        site.cut(qm)
    assert seen == [b"a", b"b", b"c", b"d"]


def test_a_group_outside_a_unit_of_work_cannot_be_carried_over(site: Site, qm: QueueManager) -> None:
    mqi = qm.mqi
    hobj = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_OUTPUT)
    pmo = MQPMO(Options=C.MQPMO_LOGICAL_ORDER)
    mqi.MQPUT(hobj, MQMD(Version=2, MsgFlags=C.MQMF_MSG_IN_GROUP), pmo, b"1")
    site.cut(qm)
    mqi.MQPUT1(MQOD(ObjectName="OUT"), MQMD(), MQPMO(), b"reconnects")
    with pytest.raises(MQError) as caught:
        mqi.MQPUT(hobj, MQMD(Version=2, MsgFlags=C.MQMF_LAST_MSG_IN_GROUP), MQPMO(Options=C.MQPMO_LOGICAL_ORDER), b"2")
    assert caught.value.reason == C.MQRC_RECONNECT_INCOMPATIBLE


# ---- read ahead ----


def test_messages_that_were_read_ahead_are_kept(site: Site) -> None:
    with site.direct() as other:
        for number in range(10):
            other.queue("Q").put(str(number), persistent=False)
    with site.connect() as qm:
        queue = qm.queue("Q", open_options=C.MQOO_READ_AHEAD)
        found = [queue.get().text]
        site.cut(qm)
        found += [message.text for message in queue]
    assert found == [str(number) for number in range(10)]


def test_of_a_batch_outside_a_unit_of_work_what_has_arrived_is_not_lost(site: Site, qm: QueueManager) -> None:
    texts = [f"{number}" * 1000 for number in range(10)]
    queue = qm.queue("Q")
    queue.put_many(texts)
    queue.handle("input")
    site.proxy.reply_bytes = 6000
    found = [message.text for message in queue.get_many(10)]
    assert 0 < len(found) < 10
    assert found == texts[: len(found)]
    assert qm.queue("Q").depth == 0


def test_of_a_batch_in_a_unit_of_work_all_comes_again(site: Site, qm: QueueManager) -> None:
    texts = [f"{number}" * 1000 for number in range(10)]
    queue = qm.queue("Q")
    queue.put_many(texts)
    queue.handle("input")
    site.proxy.reply_bytes = 6000
    with pytest.raises(libremq.UnitOfWorkBackedOut), qm.transaction():
        queue.get_many(10)
    with qm.transaction():
        assert [message.text for message in queue.get_many(10)] == texts


# ---- consumers ----


def test_consumers_go_on_after_a_cut_and_after_a_restart(site: Site, qm: QueueManager) -> None:
    got: list[str] = []
    with qm.queue("Q").consume(lambda message: got.append(message.text)) as consumer:
        for number in range(4):
            with site.direct() as other:
                other.put("Q", str(number))
            until(lambda: str(number) in got)  # noqa: B023
            if number % 2:
                site.restart()
            else:
                site.proxy.cut_all()
        until(lambda: site.texts() == [])
        assert consumer.running
    assert list(dict.fromkeys(got)) == ["0", "1", "2", "3"]  # one whose commit was cut off may come again


def test_a_function_whose_unit_of_work_is_lost_gets_the_message_again(site: Site, qm: QueueManager) -> None:
    calls: list[tuple[str, int]] = []

    def work(message: libremq.Message) -> None:
        calls.append((message.text, message.md.BackoutCount))
        if len(calls) == 1:
            site.proxy.cut_all()
        message.reply("done")

    qm.queue("Q").put("work", reply_to="OUT")
    with qm.queue("Q").consume(work) as consumer:
        until(lambda: len(calls) == 2 and not qm.queue("Q").depth)
        assert consumer.running
    assert calls == [("work", 0), ("work", 1)]
    assert site.texts("OUT") == ["done"]


def test_a_consumer_whose_queue_is_gone_is_told(site: Site) -> None:
    with site.direct() as other:
        other.define("QLOCAL", "GONE")
    with site.connect() as qm, pytest.raises(libremq.UnknownObject), qm.queue("GONE").consume(print) as consumer:
        site.proxy.refuse(True)
        site.proxy.cut_all()
        with site.direct() as other:
            until(lambda: not other.queue("GONE").inquire("ipprocs")[0])
            other.delete("QLOCAL", "GONE")
        site.proxy.refuse(False)
        assert consumer.wait(LIMIT_S)


def test_the_event_handler_hears_of_it(site: Site, qm: QueueManager) -> None:
    events: list[int] = []
    got: list[bytes] = []

    def handle(md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
        if cbc.CallType == C.MQCBCT_EVENT_CALL:
            events.append(cbc.Reason)

    def consume(md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
        if data is not None:
            assert cbc.Hobj == hobj
            got.append(data)

    mqi = qm.mqi
    hobj = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    mqi.MQCB(C.MQOP_REGISTER, MQCBD(CallbackType=C.MQCBT_EVENT_HANDLER), 0, function=handle)
    mqi.MQCB(C.MQOP_REGISTER, MQCBD(Options=C.MQCBDO_START_CALL), hobj, MQMD(), MQGMO(), function=consume)
    mqi.MQCTL(C.MQOP_START)
    site.proxy.cut_all()
    until(lambda: events == [C.MQRC_RECONNECTING, C.MQRC_RECONNECTED])
    with site.direct() as other:
        other.put("Q", "x")
    until(lambda: got == [b"x"])
    mqi.MQCTL(C.MQOP_STOP)
    mqi.MQCLOSE(hobj)


def test_start_wait_goes_on_in_its_thread(site: Site, qm: QueueManager) -> None:
    threads: set[int] = set()
    got: list[bytes] = []
    mqi = qm.mqi

    def consume(md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
        if data is None:
            return
        threads.add(threading.get_ident())
        got.append(data)
        if len(got) == 3:
            mqi.MQCTL(C.MQOP_STOP)
        else:
            site.proxy.cut_all()

    with site.direct() as other:
        for number in range(3):
            other.put("Q", str(number))
    hobj = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
    mqi.MQCB(C.MQOP_REGISTER, MQCBD(), hobj, MQMD(), MQGMO(), function=consume)
    mqi.MQCTL(C.MQOP_START_WAIT)
    assert got == [b"0", b"1", b"2"]
    assert threads == {threading.get_ident()}


def test_a_consumer_that_browses_goes_on_where_it_was(site: Site, qm: QueueManager) -> None:
    got: list[bytes] = []
    mqi = qm.mqi

    def consume(md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
        if data is not None:
            got.append(data)
            site.proxy.cut_all()

    for number in range(4):
        qm.queue("Q").put(str(number))
    hobj = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_BROWSE)
    mqi.MQCB(C.MQOP_REGISTER, MQCBD(), hobj, MQMD(), MQGMO(Options=C.MQGMO_BROWSE_FIRST), function=consume)
    mqi.MQCTL(C.MQOP_START)
    until(lambda: len(got) == 4)
    mqi.MQCTL(C.MQOP_STOP)
    assert got == [b"0", b"1", b"2", b"3"]


def test_a_suspended_consumer_stays_suspended(site: Site, qm: QueueManager) -> None:
    got: list[str] = []
    with qm.queue("Q").consume(lambda message: got.append(message.text)) as consumer:
        consumer.suspend()
        binding = consumer._session.binding
        assert isinstance(binding, ReconnectingConnection)
        site.proxy.cut_all()
        until(lambda: binding.reconnections)
        with site.direct() as other:
            other.put("Q", "x")
        with qm.transaction():  # another connection of the same program works on
            qm.queue("OUT").put("y")
        assert got == []
        consumer.resume()
        until(lambda: got == ["x"])


def test_a_stop_does_not_wait_for_the_reconnection(site: Site, qm: QueueManager) -> None:
    consumer = qm.queue("Q").consume(print)
    site.proxy.refuse(True)
    site.proxy.cut_all()
    consumer.stop()
    assert not consumer.running
    consumer.close()
    site.proxy.refuse(False)


# ---- which queue manager, and when it ends ----


def test_it_gives_up_when_the_time_is_over(site: Site) -> None:
    with site.connect(reconnect_timeout=0.2) as qm:
        queue = qm.queue("Q")
        queue.put("x")
        site.proxy.refuse(True)
        site.cut(qm)
        for _ in range(2):
            with pytest.raises(libremq.ConnectionBroken) as caught:
                until(lambda: queue.depth and False)
            assert caught.value.reason == C.MQRC_RECONNECT_FAILED
        sts = MQSTS()
        qm.mqi.MQSTAT(C.MQSTAT_TYPE_RECONNECTION, sts)
        assert (sts.CompCode, sts.Reason) == (C.MQCC_FAILED, C.MQRC_RECONNECT_FAILED)


def test_a_consumer_hears_that_it_gave_up(site: Site) -> None:
    with site.connect(reconnect_timeout=0.2) as qm, qm.queue("Q").consume(print) as consumer:
        site.proxy.refuse(True)
        site.cut(qm)
        with pytest.raises(libremq.ConnectionBroken) as caught:
            consumer.wait(LIMIT_S)
        assert caught.value.reason == C.MQRC_RECONNECT_FAILED
        consumer.error = None


def test_another_thread_ends_it_while_it_reconnects(site: Site) -> None:
    qm = site.connect()
    queue = qm.queue("Q")
    queue.put("x")
    site.proxy.refuse(True)
    site.cut(qm)
    errors: list[int] = []
    reached = threading.Event()

    def call() -> None:
        try:
            reached.set()
            queue.depth  # noqa: B018
        except MQError as error:
            errors.append(error.reason)

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    reached.wait(LIMIT_S)
    until(lambda: qm.closed or qm.close() is None)
    for thread in threads:
        thread.join(LIMIT_S)
        assert not thread.is_alive()
    site.proxy.refuse(False)
    assert set(errors) <= {C.MQRC_HCONN_ERROR, C.MQRC_CONNECTION_BROKEN, C.MQRC_HOST_NOT_AVAILABLE}


def test_it_goes_to_the_same_queue_manager_only(site: Site, tmp_path: Path) -> None:
    with served_queue_manager("QM2", folder=tmp_path / "other") as other, libremq.connect(other.url()) as qm2:
        qm2.define("QLOCAL", "Q")
        url = f"mq://127.0.0.1:{site.proxy.port},127.0.0.1:{other.port}/*?reconnect=qmgr&reconnect_timeout=0.3"
        with libremq.connect(url) as qm:
            queue = qm.queue("Q")
            queue.put("x")
            site.proxy.refuse(True)
            site.cut(qm)
            with pytest.raises(libremq.ConnectionBroken) as caught:
                until(lambda: queue.depth and False)
            assert caught.value.reason == C.MQRC_RECONNECT_FAILED
            assert "another queue manager, QM2" in caught.value.detail


def test_it_goes_to_any_queue_manager_that_has_the_objects(site: Site, tmp_path: Path) -> None:
    with served_queue_manager("QM2", folder=tmp_path / "other") as other, libremq.connect(other.url()) as qm2:
        qm2.define("QLOCAL", "Q")
        with libremq.connect(f"mq://127.0.0.1:{site.proxy.port},127.0.0.1:{other.port}/*?reconnect=yes") as qm:
            queue = qm.queue("Q")
            queue.put("here")
            site.proxy.refuse(True)
            site.cut(qm)
            queue.put("there")
            assert qm2.queue("Q").get().text == "there"
            assert binding_of(qm).qmgr_name == "QM2"


def test_commands_reconnect_too(site: Site, qm: QueueManager) -> None:
    qm.define("QLOCAL", "ONE")
    site.restart()
    qm.define("QLOCAL", "TWO")
    assert {"ONE", "TWO"} <= {found["queue"] for found in qm.display("QLOCAL")}


def test_without_reconnect_nothing_is_hidden(site: Site) -> None:
    with site.connect(reconnect="no") as qm:
        queue = qm.queue("Q")
        queue.put("x")
        site.proxy.arm("reply", 1)
        with pytest.raises(libremq.ConnectionBroken) as caught:
            queue.put("y")
        assert caught.value.reason == C.MQRC_CONNECTION_BROKEN


def test_a_transaction_managers_branch_that_is_lost_is_rolled_back(site: Site, qm: QueueManager) -> None:
    queue = qm.queue("Q")
    queue.handle("output")
    with pytest.raises(libremq.UnitOfWorkBackedOut), qm.xa.branch(b"one"):
        queue.put("1")
        site.cut(qm)
        queue.put("2")
    with qm.xa.branch(b"two"):
        queue.put("3")
    qm.xa.prepare(b"two")
    site.cut(qm)
    assert qm.xa.recover() == [b"two"]
    qm.xa.commit(b"two")
    assert site.texts() == ["3"]


def queue_ids(site: Site) -> list[bytes]:
    with site.direct() as qm:
        return [message.md.MsgId for message in qm.queue("Q").browse()]


def test_mqconnx_asks_for_it(site: Site) -> None:
    url = f"mq://127.0.0.1:{site.proxy.port}/QM1"
    mqi: MQI = MQCONNX(url, MQCNO(Options=C.MQCNO_RECONNECT))
    try:
        assert isinstance(mqi.binding, ReconnectingConnection)
        site.proxy.cut_all()
        until(lambda: is_lost(mqi))
        mqi.MQPUT1(MQOD(ObjectName="Q"), MQMD(), MQPMO(), b"x")
    finally:
        mqi.MQDISC()
    assert site.texts() == ["x"]
