"""PCF: bytes by hand, round trips of whole parameter lists, and messages that lie about their lengths."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.pcf import (
    GROUP_DEPTH_MAX,
    MQCFBF,
    MQCFBS,
    MQCFGR,
    MQCFH,
    MQCFIF,
    MQCFIL,
    MQCFIL64,
    MQCFIN,
    MQCFIN64,
    MQCFSF,
    MQCFSL,
    MQCFST,
    MQEPH,
    PCFParameter,
    pack_message,
    pack_parameters,
    unpack_message,
    unpack_parameters,
)

ONE_OF_EACH: list[PCFParameter] = [
    MQCFIN(Parameter=C.MQIA_Q_TYPE, Value=-7),
    MQCFIN64(Parameter=C.MQIAMO64_BYTES, Value=2**40),
    MQCFIF(Parameter=C.MQIA_CURRENT_Q_DEPTH, Operator=C.MQCFOP_GREATER, FilterValue=5),
    MQCFST(Parameter=C.MQCA_Q_NAME, String="ORDERS"),
    MQCFST(Parameter=C.MQCA_Q_DESC, String="ü", CodedCharSetId=1208),
    MQCFBS(Parameter=C.MQBACF_MSG_ID, String=b"\0\1\2 "),
    MQCFIL(Parameter=C.MQIACF_Q_ATTRS, Values=[1, -2, 3]),
    MQCFIL64(Parameter=C.MQIAMO64_PUT_BYTES, Values=[2**40, -1]),
    MQCFSL(Parameter=C.MQCACF_Q_NAMES, Strings=["A", "BCD", ""]),
    MQCFSF(Parameter=C.MQCA_Q_DESC, Operator=C.MQCFOP_LIKE, FilterValue="pay*"),
    MQCFBF(Parameter=C.MQBACF_GENERIC_CONNECTION_ID, Operator=C.MQCFOP_EQUAL, FilterValue=b"xyz"),
    MQCFGR(Parameter=C.MQGACF_Q_STATISTICS_DATA, Parameters=[MQCFIN(Value=1), MQCFGR(), MQCFST(String="x")]),
    MQCFIN(Parameter=99),
]


def test_an_inquiry_byte_by_byte() -> None:
    header = MQCFH(Command=C.MQCMD_INQUIRE_Q)
    data = pack_message(header, [MQCFST(Parameter=C.MQCA_Q_NAME, String="A.B*X"), MQCFIN(Parameter=20, Value=1)])
    assert data == (
        struct.pack("<9i", 1, 36, 1, 13, 1, 1, 0, 0, 2)
        + struct.pack("<5i8s", 4, 28, 2016, 0, 5, b"A.B*X\0\0\0")
        + struct.pack("<4i", 3, 16, 20, 1)
    )
    assert header.ParameterCount == 0  # the caller's header is left alone


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize("charset", ["latin-1", "cp500"])
def test_every_kind_of_parameter_round_trips(big_endian: bool, charset: str) -> None:
    header = MQCFH(Type=C.MQCFT_RESPONSE, Version=3, Command=C.MQCMD_INQUIRE_Q)
    data = pack_message(header, ONE_OF_EACH, big_endian=big_endian, charset=charset)
    again, parameters = unpack_message(data, big_endian=big_endian, charset=charset)
    assert again == header
    assert again.ParameterCount == len(ONE_OF_EACH)
    assert parameters == ONE_OF_EACH
    assert pack_message(again, parameters, big_endian=big_endian, charset=charset) == data


def test_strings_of_a_list_have_one_length() -> None:
    data = MQCFSL(Strings=["A", "BCD"]).pack()
    assert data == struct.pack("<6i8s", 6, 32, 0, 0, 2, 3, b"A  BCD\0\0")


def test_a_group_counts_as_one_parameter() -> None:
    group = MQCFGR(Parameter=8001, Parameters=[MQCFIN(Parameter=1), MQCFIN(Parameter=2)])
    data = pack_parameters([group, MQCFIN(Parameter=3)])
    assert data[:16] == struct.pack("<4i", 20, 16, 8001, 2)
    parameters, end = unpack_parameters(data, 0, 2)
    assert parameters == [group, MQCFIN(Parameter=3)]
    assert end == len(data)
    assert MQCFGR.unpack(data) == group


def test_embedded_pcf_header() -> None:
    header = MQEPH(Format="MQSTR", Parameters=ONE_OF_EACH)
    data = header.pack(big_endian=True, charset="cp500")
    again = MQEPH.unpack(data + b"message", big_endian=True, charset="cp500")
    assert again.StrucLength == len(data)
    assert again.PCFHeader.ParameterCount == len(ONE_OF_EACH)
    assert again.Parameters == ONE_OF_EACH
    assert again == header


BROKEN = [
    (MQCFIN().pack()[:12], C.MQRC_CFIN_ERROR),
    (b"", C.MQRC_PCF_ERROR),
    (struct.pack("<4i", 3, 15, 1, 1), C.MQRC_CFIN_ERROR),
    (struct.pack("<4i", 3, 17, 1, 1), C.MQRC_PCF_ERROR),
    (struct.pack("<4i", 77, 16, 1, 1), C.MQRC_PCF_ERROR),
    (struct.pack("<5i4s", 4, 24, 1, 0, 5, b"abcd"), C.MQRC_CFST_ERROR),
    (struct.pack("<5i4s", 4, 24, 1, 0, -1, b"abcd"), C.MQRC_CFST_ERROR),
    (struct.pack("<5i4s", 4, 2**31 - 1, 1, 0, 4, b"abcd"), C.MQRC_CFST_ERROR),
    (struct.pack("<5i", 5, 20, 1, 2, 7), C.MQRC_CFIL_ERROR),
    (struct.pack("<5i", 5, 20, 1, -1, 7), C.MQRC_CFIL_ERROR),
    (struct.pack("<5i", 5, 20, 1, 2**31 - 1, 7), C.MQRC_CFIL_ERROR),
    (struct.pack("<6i4s", 6, 28, 1, 0, 2**31 - 1, 2**31 - 1, b"abcd"), C.MQRC_CFSL_ERROR),
    (struct.pack("<6i", 6, 24, 1, 0, 2**31 - 1, 0), C.MQRC_CFSL_ERROR),
    (struct.pack("<6i", 6, 24, 1, 0, -1, -1), C.MQRC_CFSL_ERROR),
    (struct.pack("<4i", 9, 16, 1, 1), C.MQRC_CFBS_ERROR),
    (struct.pack("<4i", 20, 16, 1, 1), C.MQRC_PCF_ERROR),
    (struct.pack("<4i", 20, 16, 1, -1), C.MQRC_PCF_ERROR),
    (struct.pack("<5i", 15, 20, 1, 1, 4), C.MQRC_CFBF_ERROR),
    (struct.pack("<6i", 14, 24, 1, 1, 0, 4), C.MQRC_CFSF_ERROR),
]


@pytest.mark.parametrize(("data", "reason"), BROKEN)
def test_parameters_that_lie_about_their_length(data: bytes, reason: int) -> None:
    with pytest.raises(MQError) as caught:
        unpack_parameters(data, 0, 1)
    assert caught.value.reason == reason


def test_groups_cannot_be_nested_without_end() -> None:
    data = struct.pack("<4i", 20, 16, 1, 1) * 5000
    with pytest.raises(MQError) as caught:
        unpack_parameters(data, 0, 1)
    assert caught.value.reason == C.MQRC_CFGR_ERROR
    deepest = MQCFGR()
    for _ in range(GROUP_DEPTH_MAX - 1):
        deepest = MQCFGR(Parameters=[deepest])
    assert MQCFGR.unpack(deepest.pack()) == deepest


def test_a_header_that_counts_too_many() -> None:
    data = MQCFH(ParameterCount=1).pack()
    with pytest.raises(MQError) as caught:
        unpack_message(data)
    assert caught.value.reason == C.MQRC_PCF_ERROR
    with pytest.raises(MQError) as caught:
        unpack_message(data[:35])
    assert caught.value.reason == C.MQRC_CFH_ERROR


LONG = st.integers(-(2**31), 2**31 - 1)
TEXT = st.text(st.characters(codec="latin-1", exclude_characters="\0"), max_size=20).map(
    lambda value: value.rstrip(" ")
)
LEAVES: st.SearchStrategy[PCFParameter] = st.one_of(
    st.builds(MQCFIN, Parameter=LONG, Value=LONG),
    st.builds(MQCFIN64, Parameter=LONG, Value=st.integers(-(2**63), 2**63 - 1)),
    st.builds(MQCFST, Parameter=LONG, String=TEXT),
    st.builds(MQCFBS, Parameter=LONG, String=st.binary(max_size=20)),
    st.builds(MQCFIL, Parameter=LONG, Values=st.lists(LONG, max_size=4)),
    st.builds(MQCFSL, Parameter=LONG, Strings=st.lists(TEXT, max_size=4)),
)
PARAMETERS: st.SearchStrategy[PCFParameter] = st.recursive(
    LEAVES, lambda inner: st.builds(MQCFGR, Parameter=LONG, Parameters=st.lists(inner, max_size=3)), max_leaves=8
)


@given(st.lists(PARAMETERS, max_size=4), st.booleans(), st.sampled_from(["latin-1", "cp500"]))
def test_parameter_lists_round_trip(parameters: list[PCFParameter], big_endian: bool, charset: str) -> None:
    data = pack_parameters(parameters, big_endian=big_endian, charset=charset)
    again, end = unpack_parameters(data, 0, len(parameters), big_endian=big_endian, charset=charset)
    assert end == len(data)
    assert again == parameters


@given(st.data())
def test_damaged_messages_give_an_mq_error_or_parameters(data: st.DataObject) -> None:
    message = bytearray(pack_message(MQCFH(), ONE_OF_EACH))
    for _ in range(data.draw(st.integers(1, 3))):
        message[data.draw(st.integers(0, len(message) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(message)))
    try:
        unpack_message(bytes(message[:cut]))
    except MQError as error:
        assert error.reason > 2000
