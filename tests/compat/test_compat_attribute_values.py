"""MQINQ and MQSET in the shapes of both modules."""

from __future__ import annotations

from helper_compat import done, od

from libremq.client.queue_manager import QueueManager
from libremq.compat import ibmmqc, pymqe
from libremq.mqi import constants as C


def inquirable(hconn: int) -> int:
    hobj: int = done(ibmmqc.MQOPEN(hconn, od("Q1"), C.MQOO_INQUIRE | C.MQOO_SET))[0]
    return hobj


def queue_manager_object(hconn: int) -> int:
    hobj: int = done(pymqe.MQOPEN(hconn, od("", ObjectType=C.MQOT_Q_MGR), C.MQOO_INQUIRE))[0]
    return hobj


def test_one_attribute_for_pymqi(hconn: int) -> None:
    hobj = queue_manager_object(hconn)
    assert done(pymqe.MQINQ(hconn, hobj, C.MQCA_Q_MGR_NAME)) == b"QM1".ljust(48)
    level = done(pymqe.MQINQ(hconn, hobj, C.MQIA_COMMAND_LEVEL))
    assert isinstance(level, int) and level >= 800
    version = done(pymqe.MQINQ(hconn, hobj, C.MQCA_VERSION))
    assert len(version) == 8 and version.isdigit()
    assert pymqe.MQINQ(hconn, hobj, 1999) == (0, C.MQCC_FAILED, C.MQRC_SELECTOR_ERROR)
    assert pymqe.MQINQ(hconn, hobj, C.MQCA_LAST) == (b"", C.MQCC_FAILED, C.MQRC_SELECTOR_ERROR)


def test_a_list_of_attributes_for_ibmmq(hconn: int, queue_manager: QueueManager) -> None:
    queue_manager.alter("QLOCAL", "Q1", descr="a queue", boqname="BACK.OUT")
    hobj = inquirable(hconn)
    selectors = [C.MQCA_Q_DESC, C.MQIA_CURRENT_Q_DEPTH, C.MQCA_BACKOUT_REQ_Q_NAME, C.MQIA_MAX_Q_DEPTH]
    integers, characters = done(ibmmqc.MQINQ(hconn, hobj, selectors, [], 2, 2, 64 + 48))
    assert integers == [0, 5000]
    assert characters == b"a queue".ljust(64) + b"BACK.OUT".ljust(48)
    assert ibmmqc.MQINQ(hconn, hobj, [C.MQIA_MAX_Q_DEPTH], [], 1, 0, 0) == ([5000], None, 0, 0)


def test_too_little_room_is_a_warning(hconn: int) -> None:
    hobj = inquirable(hconn)
    short = ibmmqc.MQINQ(hconn, hobj, [C.MQCA_Q_NAME], [], 0, 1, 1)
    assert short == ([], b"Q", C.MQCC_WARNING, C.MQRC_CHAR_ATTRS_TOO_SHORT)
    few = ibmmqc.MQINQ(hconn, hobj, [C.MQIA_MAX_Q_DEPTH], [], 0, 0, 0)
    assert few == ([], None, C.MQCC_WARNING, C.MQRC_INT_ATTR_COUNT_TOO_SMALL)


def test_set_numbers_and_text(hconn: int) -> None:
    hobj = inquirable(hconn)
    selectors = [C.MQCA_TRIGGER_DATA, C.MQIA_TRIGGER_DEPTH]
    assert ibmmqc.MQSET(hconn, hobj, selectors, [7], b"data for the trigger".ljust(64, b"\0")) == (0, 0)
    assert ibmmqc.MQINQ(hconn, hobj, selectors, [], 1, 1, 64) == ([7], b"data for the trigger".ljust(64), 0, 0)
    assert pymqe.MQSET(hconn, hobj, C.MQIA_INHIBIT_PUT, C.MQQA_PUT_INHIBITED) == (0, 0)
    assert pymqe.MQINQ(hconn, hobj, C.MQIA_INHIBIT_PUT) == (C.MQQA_PUT_INHIBITED, 0, 0)
    assert pymqe.MQSET(hconn, hobj, C.MQCA_TRIGGER_DATA, b"short") == (0, 0)
    assert pymqe.MQINQ(hconn, hobj, C.MQCA_TRIGGER_DATA) == (b"short".ljust(64), 0, 0)
    assert pymqe.MQSET(hconn, hobj, C.MQIA_MAX_Q_DEPTH, 1) == (C.MQCC_FAILED, C.MQRC_SELECTOR_ERROR)
    assert ibmmqc.MQSET(hconn, hobj, [C.MQIA_TRIGGER_DEPTH], [], b"")[0] == C.MQCC_FAILED
