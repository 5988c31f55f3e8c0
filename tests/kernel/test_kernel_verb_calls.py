"""Every answer waits for what its verb has logged: the connection's log position moves with the verb, and only then."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from helper_qmgr import Session

from libremq.kernel.state.verb_result import UNSAID, Answer
from libremq.kernel.state.waiting_gets import Got, Waiter
from libremq.kernel.verb_calls import VerbCalls, connection_verb
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCBD, MQGMO, MQMD, MQOD, MQOR, MQPMO

PERSISTENT = C.MQPER_PERSISTENT
XID = b"a branch"
Step = Callable[[], object]


class Site(Session):
    """QM1 with Q and REPLIES, an application, and another one."""

    def __init__(self) -> None:
        super().__init__()
        self.queue("Q")
        self.queue("REPLIES")
        self.qm.define("QMODEL", "MODEL", {"DEFTYPE": "PERMDYN"})
        self.connection = self.qm.connection(self.hconn)
        self.other = self.qm.connect("bob", "other")

    def put_by_other(self, *, queue: str = "Q", syncpoint: bool = False, **fields: int | str) -> None:
        md = MQMD(Version=2, Persistence=PERSISTENT, **fields)  # type: ignore[arg-type]
        pmo = MQPMO(Options=C.MQPMO_SYNCPOINT if syncpoint else C.MQPMO_NO_SYNCPOINT)
        self.qm.put1(self.other, MQOD(ObjectName=queue), md, pmo, b"data")

    def persistent(self, **fields: int | str) -> MQMD:
        return MQMD(Version=2, Persistence=PERSISTENT, **fields)  # type: ignore[arg-type]


# Each prepares what it needs, and returns the verb that is looked at


def put(site: Site, **fields: int | str) -> Step:
    hobj = site.open("Q", C.MQOO_OUTPUT)
    md, pmo = site.persistent(**fields), MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
    return lambda: site.qm.put(site.hconn, hobj, md, pmo, b"data")


def put_that_nobody_waits_for(site: Site) -> Step:
    hobj = site.open("Q", C.MQOO_OUTPUT)
    pmo = MQPMO(Options=C.MQPMO_NO_SYNCPOINT | C.MQPMO_ASYNC_RESPONSE)
    return lambda: site.qm.put(site.hconn, hobj, site.persistent(), pmo, b"data")


def put_with_report_on_arrival(site: Site) -> Step:
    return put(site, Report=C.MQRO_COA, ReplyToQ="REPLIES")


def put_in_segments(site: Site) -> Step:
    site.qm.alter("QLOCAL", "Q", {"MAXMSGL": "16"})
    hobj = site.open("Q", C.MQOO_OUTPUT)
    md, pmo = site.persistent(MsgFlags=C.MQMF_SEGMENTATION_ALLOWED), MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
    return lambda: site.qm.put(site.hconn, hobj, md, pmo, b"data" * 10)


def put1(site: Site) -> Step:
    return lambda: site.put("Q", Persistence=PERSISTENT)


def put_to_a_list(site: Site) -> Step:
    records = [MQOR(ObjectName="Q"), MQOR(ObjectName="REPLIES")]
    hobj = site.qm.open(site.hconn, MQOD(Version=2), C.MQOO_OUTPUT, records)
    site.qm.alter("QLOCAL", "REPLIES", {"PUT": "DISABLED"})
    pmo = MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
    return lambda: site.qm.put(site.hconn, hobj, site.persistent(), pmo, b"data")


def get(site: Site, options: int = C.MQGMO_NO_SYNCPOINT) -> Step:
    site.put_by_other()
    hobj = site.open("Q", C.MQOO_INPUT_SHARED | C.MQOO_BROWSE)
    return lambda: site.qm.get(site.hconn, hobj, MQMD(Version=2), MQGMO(Options=options))


def get_with_report_on_delivery(site: Site) -> Step:
    site.put_by_other(Report=C.MQRO_COD, ReplyToQ="REPLIES")
    hobj = site.open_input("Q")
    return lambda: site.qm.get(site.hconn, hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_NO_SYNCPOINT))


def plain_get(site: Site) -> Step:
    site.put_by_other()
    hobj = site.open_input("Q")
    return lambda: site.qm.get_plain(site.hconn, hobj, C.MQGMO_NO_SYNCPOINT)


def consumer(site: Site) -> Step:
    hobj = site.open_input("Q")
    gmo = MQGMO(Options=C.MQGMO_NO_SYNCPOINT)
    cbd = MQCBD(CallbackType=C.MQCBT_MESSAGE_CONSUMER)
    site.qm.callback(site.hconn, C.MQOP_REGISTER, cbd, print, hobj, MQMD(Version=2), gmo)
    site.qm.control(site.hconn, C.MQOP_START)
    site.put_by_other()
    return lambda: site.qm.next_delivery(site.hconn)


def commit(site: Site) -> Step:
    site.put("Q", syncpoint=True, Persistence=PERSISTENT)
    return lambda: site.qm.commit(site.hconn)


def backout(site: Site) -> Step:
    site.put("Q", syncpoint=True, Persistence=PERSISTENT)
    return lambda: site.qm.backout(site.hconn)


def disconnect(site: Site) -> Step:
    site.put("Q", syncpoint=True, Persistence=PERSISTENT)
    return lambda: site.qm.disconnect(site.hconn)


def mqset(site: Site) -> Step:
    hobj = site.open("Q", C.MQOO_SET)
    return lambda: site.qm.set(site.hconn, hobj, {C.MQIA_INHIBIT_PUT: C.MQQA_PUT_INHIBITED})


def open_model(site: Site) -> Step:
    return lambda: site.qm.open(site.hconn, MQOD(ObjectName="MODEL", DynamicQName="DYN"), C.MQOO_INPUT_SHARED)


def close_with_delete(site: Site) -> Step:
    hobj = site.qm.open(site.hconn, MQOD(ObjectName="MODEL", DynamicQName="DYN"), C.MQOO_INPUT_SHARED)
    return lambda: site.qm.close(site.hconn, hobj, C.MQCO_DELETE)


def _branch(site: Site) -> None:
    site.qm.xa_start(site.hconn, XID)
    site.put("Q", syncpoint=True, Persistence=PERSISTENT)
    site.qm.xa_end(site.hconn, XID)


def xa_prepare(site: Site) -> Step:
    _branch(site)
    return lambda: site.qm.xa_prepare(site.hconn, XID)


def xa_commit(site: Site) -> Step:
    _branch(site)
    site.qm.xa_prepare(site.hconn, XID)
    return lambda: site.qm.xa_commit(site.hconn, XID)


def xa_rollback(site: Site) -> Step:
    _branch(site)
    return lambda: site.qm.xa_rollback(site.hconn, XID)


LOGGED = [
    put, put_that_nobody_waits_for, put_with_report_on_arrival, put_in_segments, put1, put_to_a_list, get,
    get_with_report_on_delivery, plain_get, consumer, commit, backout, disconnect, mqset, open_model, close_with_delete,
    xa_prepare, xa_commit, xa_rollback,
]  # fmt: skip


def _named(function: Callable[..., object]) -> str:
    return function.__name__


@pytest.mark.parametrize("prepare", LOGGED, ids=_named)
def test_an_answer_waits_for_the_last_record_of_its_verb(prepare: Callable[[Site], Step]) -> None:
    site = Site()
    verb = prepare(site)
    before = site.core.log.tail
    verb()
    assert before <= site.connection.lsn < site.core.log.tail


# What others have logged


def test_a_get_waits_for_the_put_that_it_sees() -> None:
    site = Site()
    verb = get(site, C.MQGMO_BROWSE_FIRST)
    seen = site.qm.connection(site.other).lsn
    assert seen > site.connection.lsn
    verb()
    assert site.connection.lsn == seen


def test_a_get_waits_for_the_commit_that_made_the_message_visible() -> None:
    site = Site()
    site.put_by_other(syncpoint=True)
    before = site.core.log.tail
    site.qm.commit(site.other)
    hobj = site.open("Q", C.MQOO_BROWSE)
    site.qm.get(site.hconn, hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_BROWSE_FIRST))
    assert before <= site.connection.lsn == site.qm.connection(site.other).lsn


@pytest.mark.parametrize("options", [C.MQGMO_SYNCPOINT, C.MQGMO_BROWSE_FIRST])
def test_a_get_that_waited_waits_for_the_put_that_ended_it(options: int) -> None:
    site = Site()
    hobj = site.open("Q", C.MQOO_INPUT_SHARED | C.MQOO_BROWSE)
    gmo = MQGMO(Options=options | C.MQGMO_WAIT, WaitInterval=C.MQWI_UNLIMITED)
    waiter = site.qm.get(site.hconn, hobj, MQMD(Version=2), gmo)
    assert isinstance(waiter, Waiter)
    assert site.connection.lsn == 0
    site.put_by_other()
    assert waiter.result is not None
    assert site.connection.lsn == site.qm.connection(site.other).lsn > 0


# What depends on nothing


def test_a_put_in_a_unit_of_work_waits_for_nothing() -> None:
    site = Site()
    site.put("Q", syncpoint=True, Persistence=PERSISTENT)
    assert site.connection.lsn == 0


def test_a_message_from_hand_to_hand_waits_for_nothing() -> None:
    site = Site()
    hobj = site.open_input("Q")
    gmo = MQGMO(Options=C.MQGMO_NO_SYNCPOINT | C.MQGMO_WAIT, WaitInterval=C.MQWI_UNLIMITED)
    waiter = site.qm.get(site.hconn, hobj, MQMD(Version=2), gmo)
    assert isinstance(waiter, Waiter)
    site.put_by_other()
    assert waiter.result is not None
    assert (site.connection.lsn, site.qm.connection(site.other).lsn) == (0, 0)


# The boundary itself


def test_a_result_that_does_not_say_what_it_depends_on_is_no_answer() -> None:
    site = Site()

    @connection_verb
    def forgetful(manager: VerbCalls, got: Got) -> Answer[Got]:
        return got, got.lsn, site.connection

    assert Got(b"", 0).lsn == UNSAID
    with pytest.raises(AssertionError):
        forgetful(site.qm, Got(b"", 0))


def test_a_call_that_is_made_again_waits_for_what_its_first_try_has_logged() -> None:
    site = Site()
    log = site.core.log
    extent_bytes = log.config.extent_bytes
    while log.tail // extent_bytes == log.head // extent_bytes:  # else a checkpoint has nothing to free
        site.put("Q", bytes(2_000), Persistence=PERSISTENT)
        site.get("Q")
    tries: list[int] = []

    @connection_verb
    def twice(manager: VerbCalls) -> Answer[None]:
        tries.append(site.core.log.tail)
        if len(tries) == 1:
            site.put_by_other()  # stands for a part of the verb that is not done again
            raise LogFull("no room")
        return None, 0, site.connection

    twice(site.qm)
    assert len(tries) == 2
    assert site.connection.lsn >= tries[0]
