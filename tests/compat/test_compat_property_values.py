"""Message properties: values, lengths, names, and what happens when they do not fit."""

from __future__ import annotations

import pytest
from helper_compat import CMHO, IMPO, PD, SMPO, done, gmo, md, od, packed, pmo

from libremq.compat import ibmmqc, pymqe
from libremq.mqi import constants as C
from libremq.mqi.structs import MQDMHO, MQDMPO, MQIMPO

NAME = b"test_name"
TEXT = "zażółć gęślą jaźń"


def sent(hconn: int, value: object, type: int, length: int) -> int:
    """A handle with the properties of a message that was put with one, and got again."""
    hmsg = done(pymqe.MQCRTMH(hconn, CMHO))
    assert pymqe.MQSETMP(hconn, hmsg, SMPO, NAME, PD, type, value, length) == (0, 0)
    hobj, _ = done(pymqe.MQOPEN(hconn, od("Q1"), C.MQOO_INPUT_SHARED | C.MQOO_OUTPUT))
    done(pymqe.MQPUT(hconn, hobj, md(), pmo(OriginalMsgHandle=hmsg), b""))
    received: int = done(pymqe.MQCRTMH(hconn, CMHO))
    done(pymqe.MQGET(hconn, hobj, md(), gmo(Options=C.MQGMO_PROPERTIES_IN_HANDLE, MsgHandle=received), 0))
    return received


@pytest.mark.parametrize(
    ("type", "value", "length", "size"),
    [
        (C.MQTYPE_STRING, TEXT, C.MQVL_NULL_TERMINATED, 26),
        (C.MQTYPE_STRING, "abc", 3, 3),
        (C.MQTYPE_BYTE_STRING, b"\0\1\2", 3, 3),
        (C.MQTYPE_BOOLEAN, 1, 4, 4),
        (C.MQTYPE_INT8, -127, 1, 1),
        (C.MQTYPE_INT16, -32768, 2, 2),
        (C.MQTYPE_INT32, -2147483647, 4, 4),
        (C.MQTYPE_INT64, -(1 << 63), 8, 8),
        (C.MQTYPE_FLOAT32, 1.1754943508222875e-38, 4, 4),
        (C.MQTYPE_FLOAT64, 2.2250738585072014e-308, 8, 8),
        (C.MQTYPE_NULL, object(), 0, 0),
    ],
)
def test_a_value_of_each_type(hconn: int, type: int, value: object, length: int, size: int) -> None:
    hmsg = sent(hconn, value, type, length)
    expected = None if type == C.MQTYPE_NULL else value
    assert pymqe.MQINQMP(hconn, hmsg, C.MQIMPO_INQ_FIRST, NAME, 0, C.MQTYPE_AS_SET, 64) == (expected, size, 0, 0)
    found = ibmmqc.MQINQMP(hconn, hmsg, IMPO, NAME, PD, C.MQTYPE_AS_SET, 64)
    assert found == (expected, size, None, 0, 0)
    assert not isinstance(found[0], bool)


def test_a_string_is_cut_at_its_length_in_bytes(hconn: int) -> None:
    hmsg = done(pymqe.MQCRTMH(hconn, CMHO))
    assert pymqe.MQSETMP(hconn, hmsg, SMPO, "n", PD, C.MQTYPE_STRING, "żółw", 4) == (0, 0)  # type: ignore[arg-type]
    assert pymqe.MQINQMP(hconn, hmsg, 0, "n", 0, 0, 64)[0] == "żó"  # type: ignore[arg-type]
    assert pymqe.MQSETMP(hconn, hmsg, SMPO, b"n", PD, C.MQTYPE_STRING, "one\0two", -1) == (0, 0)
    assert pymqe.MQINQMP(hconn, hmsg, 0, b"n", 0, 0, 64)[0] == "one"


def test_a_value_that_is_too_long_says_how_long_it_is(hconn: int) -> None:
    hmsg = sent(hconn, "x" * 100, C.MQTYPE_STRING, -1)
    value, length, comp_code, reason = pymqe.MQINQMP(hconn, hmsg, 0, NAME, 0, 0, 64)
    assert (value, length, reason) == ("x" * 64, 100, C.MQRC_PROPERTY_VALUE_TOO_BIG)
    assert comp_code != C.MQCC_OK


def test_what_is_not_there(hconn: int) -> None:
    hmsg = done(ibmmqc.MQCRTMH(hconn, CMHO))
    absent = (None, 0, C.MQCC_FAILED, C.MQRC_PROPERTY_NOT_AVAILABLE)
    assert pymqe.MQINQMP(hconn, hmsg, 0, b"no", 0, 0, 64) == absent
    assert ibmmqc.MQINQMP(hconn, hmsg, IMPO, b"no", PD, 0, 64) == (None, 0, None, *absent[-2:])
    assert ibmmqc.MQINQMP(hconn, 5, IMPO, b"no", PD, 0, 64)[-1] == C.MQRC_HMSG_ERROR
    bad = b"XXXX" + IMPO[4:]
    assert ibmmqc.MQINQMP(hconn, hmsg, bad, b"no", PD, 0, 64)[-1] == C.MQRC_IMPO_ERROR


def test_wildcards_bring_names(hconn: int) -> None:
    hmsg = done(ibmmqc.MQCRTMH(hconn, CMHO))
    for name, value in ((b"one", 1), (b"two", 2)):
        assert ibmmqc.MQSETMP(hconn, hmsg, SMPO, name, PD, C.MQTYPE_INT32, value, 4) == (0, 0)
    following = packed(MQIMPO, Options=C.MQIMPO_INQ_NEXT | C.MQIMPO_CONVERT_VALUE)
    names = []
    answer = ibmmqc.MQINQMP(hconn, hmsg, IMPO, b"usr.%", PD, 0, 64)
    while answer[-1] == 0:
        names.append((answer[2], answer[0]))
        answer = ibmmqc.MQINQMP(hconn, hmsg, following, b"usr.%", PD, 0, 64)
    assert answer[-1] == C.MQRC_PROPERTY_NOT_AVAILABLE
    assert [name.rpartition(".")[2] for name, _ in names if name] == ["one", "two"]
    assert [value for _, value in names] == [1, 2]


def test_deleting(hconn: int) -> None:
    hmsg = done(ibmmqc.MQCRTMH(hconn, CMHO))
    assert ibmmqc.MQSETMP(hconn, hmsg, SMPO, b"n", PD, C.MQTYPE_NULL, None, 0) == (0, 0)
    assert ibmmqc.MQDLTMP(hconn, hmsg, packed(MQDMPO), b"n") == (0, 0)
    assert ibmmqc.MQDLTMP(hconn, hmsg, packed(MQDMPO), b"n") == (C.MQCC_FAILED, C.MQRC_PROPERTY_NOT_AVAILABLE)
    assert ibmmqc.MQDLTMH(hconn, hmsg, packed(MQDMHO)) == (0, 0)
    assert ibmmqc.MQDLTMH(hconn, hmsg, packed(MQDMHO)) == (C.MQCC_FAILED, C.MQRC_HMSG_ERROR)


@pytest.mark.parametrize(
    ("type", "value"),
    [(C.MQTYPE_STRING, 5), (C.MQTYPE_INT32, "five"), (C.MQTYPE_BYTE_STRING, "five"), (C.MQTYPE_INT8, 1000)],
)
def test_a_value_of_another_type_is_an_outcome(hconn: int, type: int, value: object) -> None:
    hmsg = done(ibmmqc.MQCRTMH(hconn, CMHO))
    assert ibmmqc.MQSETMP(hconn, hmsg, SMPO, b"n", PD, type, value, 4)[0] == C.MQCC_FAILED
    assert ibmmqc.MQINQMP(hconn, hmsg, IMPO, b"n", PD, 0, 64)[-1] == C.MQRC_PROPERTY_NOT_AVAILABLE
