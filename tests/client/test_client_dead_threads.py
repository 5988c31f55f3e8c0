"""A thread that ends leaves nothing behind: its unit of work is backed out then, whatever the others do meanwhile."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import libremq
from libremq import QueueManager
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing.serving import served_queue_manager

_PATIENCE_MS = 240_000


@pytest.fixture(params=["embedded", "mq"])
def qm(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[QueueManager]:
    if request.param == "embedded":
        with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}", log_config=LogConfig(file_pages=64)) as found:
            found.define_local("Q")
            yield found
        return
    with served_queue_manager(folder=tmp_path / "libremq") as served, libremq.connect(served.url("mq")) as found:
        found.define_local("Q")
        yield found


def _in_a_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_what_it_got_through_the_mqi_comes_back_to_one_who_waits(qm: QueueManager) -> None:
    """The one who waits makes no other call: nobody but the thread's own end can give the message back."""
    mqi = qm.mqi
    hobj = mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT)
    mqi.MQPUT(hobj, MQMD(), MQPMO(Options=C.MQPMO_NO_SYNCPOINT), b"precious")

    def get_and_die() -> None:
        own = qm.mqi
        handle = own.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_INPUT_SHARED)
        assert own.MQGET(handle, MQMD(), MQGMO(Options=C.MQGMO_SYNCPOINT), 100).data == b"precious"

    _in_a_thread(get_and_die)
    gmo = MQGMO(Options=C.MQGMO_NO_SYNCPOINT | C.MQGMO_WAIT, WaitInterval=_PATIENCE_MS)
    md = MQMD()
    assert mqi.MQGET(hobj, md, gmo, 100).data == b"precious"
    assert md.BackoutCount == 1


def test_what_it_put_is_gone_and_what_it_had_open_is_closed(qm: QueueManager) -> None:
    mqi = qm.mqi

    def put_and_die() -> None:
        own = qm.mqi
        own.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_INPUT_EXCLUSIVE)
        own.MQPUT1(MQOD(ObjectName="Q"), MQMD(), MQPMO(Options=C.MQPMO_SYNCPOINT), b"never")

    _in_a_thread(put_and_die)
    hobj = _patiently(lambda: mqi.MQOPEN(MQOD(ObjectName="Q"), C.MQOO_INPUT_EXCLUSIVE | C.MQOO_INQUIRE))
    assert mqi.MQINQ(hobj, [C.MQIA_CURRENT_Q_DEPTH]) == ([0], C.MQRC_NONE)


def _patiently(call: Callable[[], int]) -> int:
    """Until the queue is free: an open does not wait for that."""
    pause = threading.Event()
    for _ in range(24_000):
        try:
            return call()
        except libremq.MQError as error:
            assert error.reason == C.MQRC_OBJECT_IN_USE
        pause.wait(0.01)
    raise AssertionError("the queue stays in use")


def test_the_watch_does_not_keep_a_queue_manager(tmp_path: Path) -> None:
    qm = libremq.connect(f"embedded:QM1?create=1&data={tmp_path}", log_config=LogConfig(file_pages=64))
    qm.define_local("Q")
    _in_a_thread(partial(qm.put, "Q", b"data"))
    watcher = qm._dead_threads._thread
    assert watcher is not None and watcher.is_alive()
    qm.close()
    gone = weakref.ref(qm)
    del qm
    gc.collect()
    watcher.join(240)
    gc.collect()  # it may have been in the hands of the thread a moment ago
    assert gone() is None and not watcher.is_alive()
