"""What is wrong with a PCF message, and with which reason the command server says so."""

from __future__ import annotations

import struct

import pytest
from helper_pcf import Given, command, parameters_of

from libremq.admin.pcf_structures import THINGS_MAX, BadPCF, command_code, read_header, read_parameters
from libremq.mqi import constants as C
from libremq.mqi.pcf import (
    MQCFBF,
    MQCFGR,
    MQCFH,
    MQCFIF,
    MQCFIL64,
    MQCFIN,
    MQCFIN64,
    MQCFSF,
    PCFParameter,
    pack_message,
)

NAME, DEPTH = C.MQCA_Q_NAME, C.MQIA_MAX_Q_DEPTH
ONE_OF_EACH: list[PCFParameter] = [
    *parameters_of({NAME: "A.QUEUE", DEPTH: 5, C.MQBACF_CONNECTION_ID: b"abc", C.MQCA_NAMES: ["A", "BBB"]}),
    *parameters_of({C.MQIACF_Q_ATTRS: [1, 2, 3]}),
    MQCFIN64(Parameter=1, Value=1 << 40),
    MQCFIL64(Parameter=2, Values=(1 << 40, -1)),
    MQCFIF(Parameter=3, Operator=C.MQCFOP_LESS, FilterValue=4),
    MQCFSF(Parameter=4, Operator=C.MQCFOP_LIKE, FilterValue="A*"),
    MQCFBF(Parameter=5, Operator=C.MQCFOP_EQUAL, FilterValue=b"x"),
    MQCFGR(Parameter=6, Parameters=[MQCFIN(Parameter=7, Value=8), MQCFGR(Parameter=9)]),
]


def read(data: bytes, *, big_endian: bool = False, charset: str = "utf-8") -> list[PCFParameter]:
    header = read_header(data, big_endian=big_endian)
    return read_parameters(data, header, big_endian=big_endian, charset=charset)


def refusal(data: bytes) -> tuple[int, int]:
    with pytest.raises(BadPCF) as refused:
        read(data)
    return refused.value.reason, refused.value.parameter


@pytest.mark.parametrize("big_endian", [False, True])
def test_every_structure_is_read(big_endian: bool) -> None:
    data = pack_message(MQCFH(Command=1, Version=3), ONE_OF_EACH, big_endian=big_endian)
    assert read(data, big_endian=big_endian) == ONE_OF_EACH
    assert command_code(data, big_endian=big_endian) == 1


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("Type", C.MQCFT_RESPONSE, C.MQRCCF_CFH_TYPE_ERROR),
        ("Type", 99, C.MQRCCF_CFH_TYPE_ERROR),
        ("Version", 0, C.MQRCCF_CFH_VERSION_ERROR),
        ("Version", 4, C.MQRCCF_CFH_VERSION_ERROR),
        ("MsgSeqNumber", 2, C.MQRCCF_CFH_MSG_SEQ_NUMBER_ERR),
        ("Control", C.MQCFC_NOT_LAST, C.MQRCCF_CFH_CONTROL_ERROR),
    ],
)
def test_a_header_that_is_wrong(field: str, value: int, reason: int) -> None:
    data = bytearray(command(C.MQCMD_PING_Q_MGR))
    at = ["Type", "StrucLength", "Version", "Command", "MsgSeqNumber", "Control"].index(field)
    struct.pack_into("<i", data, 4 * at, value)
    assert refusal(bytes(data)) == (reason, 0)


def test_lengths_and_counts_of_the_message() -> None:
    good = command(C.MQCMD_CLEAR_Q, {NAME: "Q"})

    def with_integer(at: int, value: int) -> bytes:
        data = bytearray(good)
        struct.pack_into("<i", data, at, value)
        return bytes(data)

    assert refusal(b"") == refusal(good[:35]) == (C.MQRCCF_MSG_LENGTH_ERROR, 0)
    assert refusal(with_integer(4, 40))[0] == C.MQRCCF_CFH_LENGTH_ERROR
    assert refusal(with_integer(32, -1))[0] == C.MQRCCF_CFH_PARM_COUNT_ERROR
    assert refusal(with_integer(32, 2))[0] == C.MQRCCF_MSG_LENGTH_ERROR
    assert refusal(with_integer(32, 0))[0] == C.MQRCCF_MSG_LENGTH_ERROR
    assert refusal(with_integer(32, 2**31 - 1))[0] == C.MQRCCF_MSG_LENGTH_ERROR
    assert refusal(good[:-4])[0] == C.MQRCCF_CFST_LENGTH_ERROR
    assert refusal(good + b"more")[0] == C.MQRCCF_MSG_LENGTH_ERROR


# A structure, the offset of one of its integers, a value for that, and what is said then
FAULTS: list[tuple[str, Given | list[PCFParameter], int, int, int]] = [
    ("type", {DEPTH: 1}, 0, 77, C.MQRCCF_STRUCTURE_TYPE_ERROR),
    ("CFIN short", {DEPTH: 1}, 4, 12, C.MQRCCF_CFIN_LENGTH_ERROR),
    ("CFIN long", {DEPTH: 1}, 4, 20, C.MQRCCF_CFIN_LENGTH_ERROR),
    ("CFIN64 short", [MQCFIN64(Parameter=DEPTH)], 4, 16, C.MQRCCF_CFIN_LENGTH_ERROR),
    ("CFST short", {NAME: "ABCD"}, 4, 16, C.MQRCCF_CFST_LENGTH_ERROR),
    ("CFST long", {NAME: "ABCD"}, 4, 4000, C.MQRCCF_CFST_LENGTH_ERROR),
    ("CFST odd", {NAME: "ABCD"}, 4, 23, C.MQRCCF_CFST_LENGTH_ERROR),
    ("CFST string", {NAME: "ABCD"}, 16, 5, C.MQRCCF_CFST_STRING_LENGTH_ERR),
    ("CFST negative", {NAME: "ABCD"}, 16, -1, C.MQRCCF_CFST_STRING_LENGTH_ERR),
    ("CFBS short", {NAME: b"ABCD"}, 4, 12, C.MQRCCF_CFBS_LENGTH_ERROR),
    ("CFBS string", {NAME: b"ABCD"}, 12, 5, C.MQRCCF_CFBS_STRING_LENGTH_ERR),
    ("CFIL short", {NAME: [1, 2]}, 4, 12, C.MQRCCF_CFIL_LENGTH_ERROR),
    ("CFIL count", {NAME: [1, 2]}, 12, 3, C.MQRCCF_CFIL_COUNT_ERROR),
    ("CFIL negative", {NAME: [1, 2]}, 12, -3, C.MQRCCF_CFIL_COUNT_ERROR),
    ("CFIL64 count", [MQCFIL64(Parameter=NAME, Values=(1,))], 12, 2, C.MQRCCF_CFIL_COUNT_ERROR),
    ("CFSL short", {NAME: ["A"]}, 4, 20, C.MQRCCF_CFSL_LENGTH_ERROR),
    ("CFSL count", {NAME: ["ABCD"]}, 16, 2, C.MQRCCF_CFSL_STRING_LENGTH_ERR),
    ("CFSL negative", {NAME: ["ABCD"]}, 16, -2, C.MQRCCF_CFSL_COUNT_ERROR),
    ("CFSL string", {NAME: ["ABCD"]}, 20, -1, C.MQRCCF_CFSL_STRING_LENGTH_ERR),
    ("CFIF length", [MQCFIF(Parameter=NAME)], 4, 16, C.MQRCCF_CFIF_LENGTH_ERROR),
    ("CFSF length", [MQCFSF(Parameter=NAME)], 4, 20, C.MQRCCF_CFSF_LENGTH_ERROR),
    ("CFSF value", [MQCFSF(Parameter=NAME)], 20, 1, C.MQRCCF_CFSF_FILTER_VAL_LEN_ERR),
    ("CFBF length", [MQCFBF(Parameter=NAME)], 4, 16, C.MQRCCF_CFBF_LENGTH_ERROR),
    ("CFBF value", [MQCFBF(Parameter=NAME)], 16, 1, C.MQRCCF_CFBF_FILTER_VAL_LEN_ERR),
    ("CFGR length", [MQCFGR(Parameter=NAME), MQCFIN()], 4, 20, C.MQRCCF_CFGR_LENGTH_ERROR),
    ("CFGR count", [MQCFGR(Parameter=NAME)], 12, 1, C.MQRCCF_CFGR_PARM_COUNT_ERROR),
    ("CFGR negative", [MQCFGR(Parameter=NAME)], 12, -1, C.MQRCCF_CFGR_PARM_COUNT_ERROR),
]


@pytest.mark.parametrize(("given", "at", "value", "reason"), [one[1:] for one in FAULTS], ids=[f[0] for f in FAULTS])
def test_a_structure_that_is_wrong(given: Given | list[PCFParameter], at: int, value: int, reason: int) -> None:
    data = bytearray(command(C.MQCMD_PING_Q_MGR, given))
    struct.pack_into("<i", data, C.MQCFH_STRUC_LENGTH + at, value)
    about = 0 if reason == C.MQRCCF_STRUCTURE_TYPE_ERROR else parameters_of(given)[0].Parameter
    assert refusal(bytes(data)) == (reason, about)


def test_text_that_is_none_in_its_character_set() -> None:
    data = command(C.MQCMD_CLEAR_Q, {NAME: "ABCD"}).replace(b"ABCD", b"\xff\xfe\xfd\xfc")
    assert refusal(data) == (C.MQRCCF_CCSID_ERROR, NAME)


def test_groups_that_are_nested_without_end() -> None:
    deep: PCFParameter = MQCFIN(Parameter=1)
    for _ in range(20):
        deep = MQCFGR(Parameter=2, Parameters=[deep])
    assert refusal(command(C.MQCMD_PING_Q_MGR, [deep]))[0] == C.MQRCCF_CFGR_PARM_COUNT_ERROR


@pytest.mark.parametrize(
    "given",
    [
        [MQCFIN(Parameter=DEPTH, Value=1)] * (THINGS_MAX + 1),
        parameters_of({C.MQIACF_Q_ATTRS: [1] * THINGS_MAX}),
        [MQCFGR(Parameter=6, Parameters=[MQCFIN(Parameter=DEPTH, Value=1)] * THINGS_MAX)],
    ],
)
def test_a_command_with_thousands_of_parameters_or_values_is_not_read_to_its_end(given: list[PCFParameter]) -> None:
    """It is read in one go: 200 000 of them held up everybody for a second."""
    data = pack_message(MQCFH(Command=1, Version=3), given)
    assert refusal(data)[0] == C.MQRCCF_PARM_COUNT_TOO_BIG


def test_a_list_of_nothings_counts_too() -> None:
    """Strings of no bytes take no room in the message."""
    data = bytearray(command(1, {C.MQCA_NAMES: ["ABCD"]}))
    struct.pack_into("<ii", data, 36 + 16, THINGS_MAX, 0)
    assert refusal(bytes(data)) == (C.MQRCCF_PARM_COUNT_TOO_BIG, C.MQCA_NAMES)


def test_as_many_as_a_command_may_need_are_read() -> None:
    names = [f"NAME.{number}" for number in range(256)]
    assert read(command(1, {NAME: "NL", C.MQCA_NAMES: names, C.MQIACF_Q_ATTRS: list(range(500))}))
