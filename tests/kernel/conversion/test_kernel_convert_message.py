"""Data conversion: known bytes, header chains against the MQI structures, and data that is wrong in every way."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helper_rows import over_rows
from libremq.common.ccsid import codec, known_ccsids
from libremq.kernel.conversion.convert_headers import HEADERS
from libremq.kernel.conversion.convert_headers import MQTM as TRIGGER
from libremq.kernel.conversion.convert_headers import MQTMC2 as TRIGGER_TEXT
from libremq.kernel.conversion.convert_message import (
    Converted,
    convert,
    convert_characters,
    integers_big_endian,
    native_encoding,
)
from libremq.mqi import constants as C
from libremq.mqi import structs as S
from libremq.mqi.pcf import pack_message, unpack_message

Representation = tuple[int, int]
"""CCSID and encoding."""

LITTLE, BIG = C.MQENC_REVERSED, C.MQENC_NORMAL
OK, WARNING, FAILED = C.MQCC_OK, C.MQCC_WARNING, C.MQCC_FAILED

# The same examples in every run; a slow machine is no failure.
SEEDED = settings(max_examples=300)

HELLO_37 = bytes.fromhex("c8859393966b40e696999384")
HELLO = b"Hello, World"

REPRESENTATIONS = [(819, LITTLE), (819, BIG), (37, BIG), (500, LITTLE), (1047, BIG), (1208, LITTLE)]
EVERY_WAY = [(a, b) for a in REPRESENTATIONS for b in REPRESENTATIONS if a != b]


def charset(ccsid: int) -> str:
    found = codec(ccsid)
    assert found is not None
    return found.name


def pack(structure: Any, representation: Representation) -> bytes:
    ccsid, encoding = representation
    return structure.pack(big_endian=integers_big_endian(encoding), charset=charset(ccsid))


def text(string: str, representation: Representation) -> bytes:
    return string.encode(charset(representation[0]))


def run(data: bytes, format: str, source: Representation, target: Representation, **options: Any) -> Converted:
    return convert(data, format, source[1], source[0], target[1], target[0], **options)


def assert_converted(result: Converted, data: bytes, target: Representation) -> None:
    assert result == Converted(data, target[0], target[1], OK, C.MQRC_NONE)


def assert_refused(result: Converted, data: bytes, source: Representation, reason: int) -> None:
    assert result == Converted(data, source[0], source[1], WARNING, reason)


# --- strings ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source_ccsid", "data", "target_ccsid", "expected"),
    [
        (819, HELLO.hex(), 37, HELLO_37.hex()),
        (37, HELLO_37.hex(), 819, HELLO.hex()),
        (37, "4a5abababb", 500, "b04f4a4a5a"),  # cent, !, [, [, ]
        (500, "4a5a", 1047, "adbd"),
        (819, "e9", 1208, "c3a9"),
        (1208, "c3a9e282ac", 819, "e91a"),  # the euro sign is not in ISO 8859-1
        (1208, "e282ac", 923, "a4"),
        (1208, "41e298ba42", 37, "c13fc2"),  # nor a smile in EBCDIC
        (1208, "e697a5", 943, "93fa"),
        (943, "93fa", 1208, "e697a5"),
        (943, "93fa", 954, "c6fc"),
        (1252, "80", 858, "d5"),
        (37, "c11525c2", 819, "410a0a42"),  # NL and LF both end a line
        (37, "c115c2", 1208, "410a42"),
        (37, "c115c2", 500, "c115c2"),  # within EBCDIC NL stays NL
        (819, "410a42", 37, "c125c2"),
        (367, "41ff", 819, "411a"),  # a byte that stands for nothing
        (367, "41ff", 1208, "41efbfbd"),
    ],
)
def test_string(source_ccsid: int, data: str, target_ccsid: int, expected: str) -> None:
    result = run(bytes.fromhex(data), "MQSTR   ", (source_ccsid, LITTLE), (target_ccsid, LITTLE))
    assert result.data.hex() == expected
    assert (result.ccsid, result.encoding, result.comp_code, result.reason) == (target_ccsid, LITTLE, OK, 0)


@pytest.mark.parametrize("format", ["MQSTR", "MQCMD1", "MQCMD2", "MQSTR\0\0\0", "MQSTR   "])
def test_text_formats(format: str) -> None:
    assert_converted(run(HELLO, format, (819, LITTLE), (37, BIG)), HELLO_37, (37, BIG))


@pytest.mark.parametrize(
    ("source", "target", "data", "expected"),
    [
        ((1208, LITTLE), (1200, LITTLE), "41", "4100"),
        ((1208, LITTLE), (1200, BIG), "41", "0041"),
        ((1200, LITTLE), (1200, BIG), "41003dd800de", "0041d83dde00"),
        ((13488, BIG), (1208, LITTLE), "004120ac", "41e282ac"),
        ((1200, C.MQENC_S390), (37, BIG), "0041", "c1"),
        ((1202, BIG), (819, BIG), "4100", "41"),
    ],
)
def test_utf_16_has_the_byte_order_of_the_encoding(
    source: Representation, target: Representation, data: str, expected: str
) -> None:
    assert_converted(run(bytes.fromhex(data), "MQSTR", source, target), bytes.fromhex(expected), target)


def test_only_the_encoding_of_a_string_differs() -> None:
    assert_converted(run(HELLO, "MQSTR", (819, LITTLE), (819, BIG)), HELLO, (819, BIG))


@pytest.mark.parametrize(
    ("data", "source", "target", "reason"),
    [
        (HELLO, (99999, LITTLE), (819, LITTLE), C.MQRC_SOURCE_CCSID_ERROR),
        (HELLO, (C.MQCCSI_EMBEDDED, LITTLE), (819, LITTLE), C.MQRC_SOURCE_CCSID_ERROR),
        (HELLO, (C.MQCCSI_APPL, LITTLE), (819, LITTLE), C.MQRC_SOURCE_CCSID_ERROR),
        (HELLO, (819, LITTLE), (99999, LITTLE), C.MQRC_TARGET_CCSID_ERROR),
        (HELLO, (819, LITTLE), (C.MQCCSI_EMBEDDED, LITTLE), C.MQRC_TARGET_CCSID_ERROR),
        (b"\0A", (1200, 0x110), (819, LITTLE), C.MQRC_SOURCE_INTEGER_ENC_ERROR),
        (HELLO, (819, LITTLE), (1200, 7), C.MQRC_TARGET_INTEGER_ENC_ERROR),
        (b"A\xff", (1208, LITTLE), (819, LITTLE), C.MQRC_NOT_CONVERTED),
        (b"A\xc3", (1208, LITTLE), (37, LITTLE), C.MQRC_NOT_CONVERTED),
        (b"\0A\0", (1200, BIG), (1208, LITTLE), C.MQRC_NOT_CONVERTED),
        (b"\xd8\x00", (1200, BIG), (1200, LITTLE), C.MQRC_NOT_CONVERTED),
        (b"\x81", (943, LITTLE), (1208, LITTLE), C.MQRC_NOT_CONVERTED),
    ],
)
def test_string_that_cannot_be_converted(
    data: bytes, source: Representation, target: Representation, reason: int
) -> None:
    assert_refused(run(data, "MQSTR", source, target), data, source, reason)


def test_an_encoding_nobody_needs_is_not_an_error() -> None:
    assert_converted(run(HELLO, "MQSTR", (819, 0), (37, 0)), HELLO_37, (37, 0))


def test_an_unknown_ccsid_on_both_sides_is_not_an_error() -> None:
    assert_converted(run(HELLO, "MQSTR", (99999, LITTLE), (99999, BIG)), HELLO, (99999, BIG))


def test_q_mgr_ccsid_stands_for_that_of_the_queue_manager() -> None:
    result = run(HELLO, "MQSTR", (819, LITTLE), (C.MQCCSI_Q_MGR, LITTLE), q_mgr_ccsid=37)
    assert_converted(result, HELLO_37, (37, LITTLE))
    result = run(HELLO_37, "MQSTR", (C.MQCCSI_Q_MGR, LITTLE), (819, LITTLE), q_mgr_ccsid=37)
    assert_converted(result, HELLO, (819, LITTLE))


@SEEDED
@given(st.text(st.characters(codec="utf-8"), max_size=60), st.sampled_from([1200, 1202, 1208, 5488, 13488]), st.data())
def test_unicode_round_trip(string: str, first: int, data: st.DataObject) -> None:
    second = data.draw(st.sampled_from([1200, 1202, 1208, 5488, 17584]))
    source, target = (
        (first, data.draw(st.sampled_from([LITTLE, BIG]))),
        (second, data.draw(st.sampled_from([LITTLE, BIG]))),
    )
    one = codec(first)
    assert one is not None
    start = one.encode(string, big_endian=source[1] == BIG)
    there = run(start, "MQSTR", source, target)
    back = run(there.data, "MQSTR", target, source)
    assert there.comp_code == back.comp_code == OK
    assert back.data == start


@SEEDED
@given(st.binary(max_size=80), st.sampled_from([37, 273, 277, 278, 280, 284, 285, 297, 500, 871, 1047, 819]), st.data())
def test_latin_1_round_trip(data: bytes, first: int, draws: st.DataObject) -> None:
    # All of these hold the same 256 characters. NL is left out: outside EBCDIC it becomes LF, for good.
    second = draws.draw(st.sampled_from([37, 273, 277, 278, 280, 284, 285, 297, 500, 871, 1047, 819]))
    data = data.replace(b"\x15", b"").replace(b"\x85", b"")
    there = run(data, "MQSTR", (first, LITTLE), (second, LITTLE))
    assert there.comp_code == OK
    assert len(there.data) == len(data)
    back = run(there.data, "MQSTR", (second, LITTLE), (first, LITTLE))
    if b"\x85" not in there.data and b"\x15" not in there.data:
        assert back.data == data


# --- nothing to do, and formats we do not know -----------------------------------------------------------


@pytest.mark.parametrize("format", ["", "MQSTR", "MYFORMAT", "MQDEAD", "MQADMIN"])
def test_nothing_to_do(format: str) -> None:
    same = (819, LITTLE)
    assert_converted(run(HELLO, format, same, same), HELLO, same)
    assert_converted(run(b"", format, same, (37, BIG)), b"", same)
    assert_converted(run(HELLO, format, same, (37, BIG), buffer_length=0), HELLO, same)


@pytest.mark.parametrize("format", ["", "        ", "MYFORMAT", "MQCHCOM", "MQAMQP", "mqstr"])
def test_format_that_is_not_converted(format: str) -> None:
    assert_refused(run(HELLO, format, (819, LITTLE), (37, LITTLE)), HELLO, (819, LITTLE), C.MQRC_FORMAT_ERROR)
    assert_refused(run(HELLO, format, (819, LITTLE), (819, BIG)), HELLO, (819, LITTLE), C.MQRC_FORMAT_ERROR)


# --- the buffer ------------------------------------------------------------------------------------------


def test_converted_message_too_big() -> None:
    data = "ééé".encode("latin-1")
    result = run(data, "MQSTR", (819, LITTLE), (1208, LITTLE), buffer_length=5)
    assert_refused(result, data, (819, LITTLE), C.MQRC_CONVERTED_MSG_TOO_BIG)
    assert_converted(
        run(data, "MQSTR", (819, LITTLE), (1208, LITTLE), buffer_length=6), b"\xc3\xa9" * 3, (1208, LITTLE)
    )


@pytest.mark.parametrize(
    ("target_ccsid", "length", "expected"),
    [(1208, 5, "c3a9c3a9"), (1208, 4, "c3a9c3a9"), (1208, 1, ""), (1200, 3, "e900"), (5488, 5, "a8a6a8a6")],
)
def test_truncation_accepted_never_halves_a_character(target_ccsid: int, length: int, expected: str) -> None:
    data = "ééé".encode("latin-1")
    result = run(data, "MQSTR", (819, LITTLE), (target_ccsid, LITTLE), buffer_length=length, accept_truncated=True)
    assert result == Converted(bytes.fromhex(expected), target_ccsid, LITTLE, WARNING, C.MQRC_TRUNCATED_MSG_ACCEPTED)


def test_truncation_behind_a_header_and_in_it() -> None:
    source, target = (819, LITTLE), (1208, LITTLE)
    dlh = S.MQDLH(CodedCharSetId=819, Encoding=LITTLE, Format="MQSTR")
    data = pack(dlh, source) + b"\xe9\xe9"
    dlh.CodedCharSetId = 1208
    for length, expected in ((175, pack(dlh, target) + b"\xc3\xa9"), (100, pack(dlh, target)[:100])):
        result = run(data, "MQDEAD", source, target, buffer_length=length, accept_truncated=True)
        assert (result.data, result.reason) == (expected, C.MQRC_TRUNCATED_MSG_ACCEPTED)


def test_text_cut_before_conversion() -> None:
    data = "aé日".encode()
    assert run(data[:-1], "MQSTR", (1208, LITTLE), (819, LITTLE), truncated=True).data == b"a\xe9" + data[3:-1]
    assert run(data[:2], "MQSTR", (1208, LITTLE), (819, LITTLE), truncated=True).data == b"a\xc3"
    assert run(b"\0a\0", "MQSTR", (1200, BIG), (819, LITTLE), truncated=True).data == b"a\0"


# --- headers, one at a time ------------------------------------------------------------------------------


def fixed_headers(following: Representation, format: str = "MQSTR") -> dict[str, Any]:
    """One of every header that describes what follows, each with unlike values in all its fields."""
    ccsid, encoding = following
    describes: dict[str, Any] = {"Format": format, "CodedCharSetId": ccsid, "Encoding": encoding}
    token = bytes(range(24))
    return {
        "MQDEAD": S.MQDLH(
            Reason=2053,
            DestQName="ORDERS.IN",
            DestQMgrName="QM1",
            PutApplType=6,
            PutApplName="amqsput",
            PutDate="20240229",
            PutTime="12345678",
            **describes,
        ),
        "MQXMIT": S.MQXQH(
            RemoteQName="ORDERS",
            RemoteQMgrName="QM2",
            MsgDesc=S.MQMD1(
                Report=1,
                MsgType=1,
                Expiry=600,
                Feedback=2,
                Priority=7,
                Persistence=1,
                MsgId=token,
                CorrelId=token[::-1],
                BackoutCount=3,
                ReplyToQ="REPLIES",
                ReplyToQMgr="QM1",
                UserIdentifier="mqm",
                AccountingToken=bytes(range(32)),
                ApplIdentityData="identity",
                PutApplType=28,
                PutApplName="an application",
                PutDate="20240101",
                PutTime="00000001",
                ApplOriginData="ORIG",
                **describes,
            ),
        ),
        "MQHMDE": S.MQMDE(Flags=1, GroupId=token, MsgSeqNumber=2, Offset=3, MsgFlags=4, OriginalLength=5, **describes),
        "MQHWIH": S.MQWIH(Flags=1, ServiceName="SERVICE", ServiceStep="STEP", MsgToken=bytes(range(16)), **describes),
        "MQHRF": S.MQRFH(Flags=3, NameValueString="OPT_APP_GRP group OPT_MSG_TYPE type", **describes),
        "MQHRF2": S.MQRFH2(Flags=3, NameValueData=["<usr><a>é</a></usr>", "<mcd><Msd>jms</Msd></mcd>"], **describes),
        "MQHREF": S.MQRMH(
            Flags=1,
            ObjectType="FLATFILE",
            ObjectInstanceId=token,
            DataLogicalLength=1,
            DataLogicalOffset=2,
            DataLogicalOffset2=3,
            SrcEnv="/src",
            SrcName="source.file",
            DestEnv="/destination",
            DestName="to",
            **describes,
        ),
        "MQHDIST": S.MQDH(
            Flags=1,
            PutMsgRecFields=C.MQPMRF_MSG_ID | C.MQPMRF_FEEDBACK | C.MQPMRF_ACCOUNTING_TOKEN,
            ObjectRecords=[S.MQOR(ObjectName="Q1", ObjectQMgrName="A"), S.MQOR(ObjectName="Q2", ObjectQMgrName="B")],
            PutMsgRecords=[S.MQPMR(MsgId=token, Feedback=258), S.MQPMR(AccountingToken=b"\1\2\3\4", Feedback=1)],
            **describes,
        ),
        "MQHEPCF": S.MQEPH(
            Flags=0,
            PCFHeader=S.MQCFH(Type=C.MQCFT_USER, Command=5),
            Parameters=[S.MQCFIN(Parameter=7, Value=8), S.MQCFST(Parameter=9, String="text")],
            **describes,
        ),
    }


DESCRIBING = sorted(fixed_headers((819, LITTLE)))


def test_every_describing_header_is_tested() -> None:
    assert {name for name, header in HEADERS.items() if not header.describes_format_only} == set(DESCRIBING)


@pytest.mark.parametrize("format", DESCRIBING)
@over_rows(("source", "target"), EVERY_WAY)
def test_header_and_string(format: str, source: Representation, target: Representation) -> None:
    data = pack(fixed_headers(source)[format], source) + text(" Hello [World] ", source)
    expected = pack(fixed_headers(target)[format], target) + text(" Hello [World] ", target)
    assert_converted(run(data, format, source, target), expected, target)


@over_rows(("source", "target"), EVERY_WAY)
def test_ims_and_cics_headers_share_their_representation_with_the_data(
    source: Representation, target: Representation
) -> None:
    # Their CodedCharSetId and Encoding mean nothing; the values put in here must not be believed, nor changed.
    for format, header in (
        (
            "MQIMS",
            S.MQIIH(
                CodedCharSetId=99,
                Encoding=98,
                Format="MQIMSVS",
                Flags=1,
                LTermOverride="LTERM",
                MFSMapName="MAP",
                ReplyToFormat="MQIMSVS",
                Authenticator="SECRET",
                TranInstanceId=bytes(range(16)),
                TranState="C",
            ),
        ),
        (
            "MQCICS",
            S.MQCIH(
                CodedCharSetId=99,
                Encoding=98,
                Format="MQIMSVS",
                Facility=bytes(range(8)),
                Function="GET",
                TransactionId="TRAN",
                CursorPosition=5,
                ReturnCode=3,
            ),
        ),
    ):
        big_source, big_target = integers_big_endian(source[1]), integers_big_endian(target[1])
        strings = [("TRAN one", b"\x03\x00"), ("", b"\0\0"), ("x", b"\0\1")]
        data = pack(header, source) + ims_strings(strings, source, big_source)
        expected = pack(header, target) + ims_strings(strings, target, big_target)
        assert_converted(run(data, format, source, target), expected, target)


def ims_strings(strings: Sequence[tuple[str, bytes]], representation: Representation, big_endian: bool) -> bytes:
    order = ">h" if big_endian else "<h"
    return b"".join(
        struct.pack(order, 4 + len(text(string, representation))) + flags + text(string, representation)
        for string, flags in strings
    )


def test_cics_header_version_1() -> None:
    header = S.MQCIH(Version=1, TransactionId="TRAN", Format="MQSTR")
    source, target = (37, BIG), (819, LITTLE)
    data = header.pack(version=1, big_endian=True, charset="cp037")
    assert len(data) == 164
    expected = header.pack(version=1, charset="latin-1") + HELLO
    assert_converted(run(data + HELLO_37, "MQCICS", source, target), expected, target)


@over_rows(("source", "target"), EVERY_WAY)
def test_trigger_messages(source: Representation, target: Representation) -> None:
    trigger = S.MQTM(
        QName="Q", ProcessName="P", TriggerData="data", ApplType=6, ApplId="/bin/prog", EnvData="e", UserData="u"
    )
    assert_converted(run(pack(trigger, source), "MQTRIG", source, target), pack(trigger, target), target)
    in_text = S.MQTMC2(QName="Q", ApplType="   6", ApplId="/bin/prog", QMgrName="QM1")
    assert_converted(run(pack(in_text, source), "MQTRIG", source, target), pack(in_text, target), target)


def test_layouts_have_the_lengths_of_the_structures() -> None:
    for format, structure in (
        ("MQDEAD", S.MQDLH), ("MQXMIT", S.MQXQH), ("MQHMDE", S.MQMDE), ("MQHRF", S.MQRFH), ("MQHRF2", S.MQRFH2),
        ("MQIMS", S.MQIIH), ("MQCICS", S.MQCIH), ("MQHWIH", S.MQWIH), ("MQHREF", S.MQRMH), ("MQHDIST", S.MQDH),
    ):  # fmt: skip
        for version, layout in HEADERS[format].versions.items():
            assert layout.length == structure.size(version), (format, version)
    assert {version: layout.length for version, layout in TRIGGER.versions.items()} == {1: 684}
    assert {version: layout.length for version, layout in TRIGGER_TEXT.versions.items()} == {1: 684, 2: 732}


# --- chains ----------------------------------------------------------------------------------------------


@over_rows(("source", "target"), EVERY_WAY)
def test_chain_with_a_representation_for_each_part(source: Representation, target: Representation) -> None:
    inner, body = (500, BIG), (1208, LITTLE)
    mde = {"Format": "MQHRF2", "CodedCharSetId": inner[0], "Encoding": inner[1]}
    rfh2 = {"Format": "MQSTR", "CodedCharSetId": body[0], "Encoding": body[1]}
    data = (
        pack(S.MQDLH(Format="MQHMDE", CodedCharSetId=source[0], Encoding=source[1], DestQName="Q"), source)
        + pack(S.MQMDE(MsgSeqNumber=3, **mde), source)
        + pack(S.MQRFH2(NameValueData=["<usr/>"], **rfh2), inner)
        + "Grüße".encode()
    )
    describes = {"CodedCharSetId": target[0], "Encoding": target[1]}
    expected = (
        pack(S.MQDLH(Format="MQHMDE", DestQName="Q", **describes), target)
        + pack(S.MQMDE(Format="MQHRF2", MsgSeqNumber=3, **describes), target)
        + pack(S.MQRFH2(Format="MQSTR", NameValueData=["<usr/>"], **describes), target)
        + text("Grüße", target)
    )
    assert_converted(run(data, "MQDEAD", source, target), expected, target)


@pytest.mark.parametrize("ccsid", [C.MQCCSI_INHERIT, C.MQCCSI_UNDEFINED])
def test_inherited_ccsid_becomes_explicit(ccsid: int) -> None:
    source, target = (37, BIG), (819, LITTLE)
    data = pack(S.MQRFH2(Format="MQSTR", CodedCharSetId=ccsid, Encoding=BIG), source) + HELLO_37
    expected = pack(S.MQRFH2(Format="MQSTR", CodedCharSetId=819, Encoding=LITTLE), target) + HELLO
    assert_converted(run(data, "MQHRF2", source, target), expected, target)


def test_data_without_format_behind_a_header_stays_and_is_still_described() -> None:
    source, target = (37, BIG), (819, LITTLE)
    for ccsid, described in ((C.MQCCSI_INHERIT, 37), (1208, 1208), (0, 0)):
        data = pack(S.MQDLH(CodedCharSetId=ccsid, Encoding=BIG), source) + b"\1\2\3"
        expected = pack(S.MQDLH(CodedCharSetId=described, Encoding=BIG), target) + b"\1\2\3"
        assert_converted(run(data, "MQDEAD", source, target), expected, target)


def test_header_without_data() -> None:
    source, target = (37, BIG), (819, LITTLE)
    data = pack(S.MQDLH(Format="MQSTR", CodedCharSetId=1208, Encoding=BIG), source)
    expected = pack(S.MQDLH(Format="MQSTR", CodedCharSetId=1208, Encoding=BIG), target)
    assert_converted(run(data, "MQDEAD", source, target), expected, target)


def test_unknown_format_behind_a_header() -> None:
    source, target = (37, BIG), (819, LITTLE)
    data = pack(S.MQDLH(Format="MYFORMAT", CodedCharSetId=37, Encoding=BIG), source) + b"mine"
    assert_refused(run(data, "MQDEAD", source, target), data, source, C.MQRC_FORMAT_ERROR)
    # Already as asked for: only the header needs work.
    data = pack(S.MQDLH(Format="MYFORMAT", CodedCharSetId=819, Encoding=LITTLE), source) + b"mine"
    expected = pack(S.MQDLH(Format="MYFORMAT", CodedCharSetId=819, Encoding=LITTLE), target) + b"mine"
    assert_converted(run(data, "MQDEAD", source, target), expected, target)


def test_body_is_converted_although_the_descriptor_matches_already() -> None:
    same = (819, LITTLE)
    data = pack(S.MQDLH(Format="MQSTR", CodedCharSetId=37, Encoding=BIG), same) + HELLO_37
    expected = pack(S.MQDLH(Format="MQSTR", CodedCharSetId=819, Encoding=LITTLE), same) + HELLO
    assert_converted(run(data, "MQDEAD", same, same), expected, same)


@pytest.mark.parametrize(
    ("dlh", "body", "reason"),
    [
        ({"CodedCharSetId": 99999}, HELLO, C.MQRC_SOURCE_CCSID_ERROR),
        ({"CodedCharSetId": 1208}, b"\xff", C.MQRC_NOT_CONVERTED),
        ({"Format": "MQADMIN", "Encoding": 0x110}, bytes(36), C.MQRC_SOURCE_INTEGER_ENC_ERROR),
        ({"Format": "MQADMIN", "CodedCharSetId": 37}, bytes(36), C.MQRC_FORMAT_ERROR),
    ],
)
def test_the_whole_message_stays_as_it_was_when_its_body_fails(dlh: dict[str, Any], body: bytes, reason: int) -> None:
    source, target = (819, LITTLE), (37, BIG)
    fields = {"Format": "MQSTR", "CodedCharSetId": 819, "Encoding": LITTLE, **dlh}
    data = pack(S.MQDLH(**fields), source) + body
    assert_refused(run(data, "MQDEAD", source, target), data, source, reason)


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ((99999, LITTLE), (37, LITTLE), C.MQRC_SOURCE_CCSID_ERROR),
        ((1200, LITTLE), (37, LITTLE), C.MQRC_SOURCE_CCSID_ERROR),
        ((819, LITTLE), (99999, LITTLE), C.MQRC_TARGET_CCSID_ERROR),
        ((819, 0), (37, LITTLE), C.MQRC_SOURCE_INTEGER_ENC_ERROR),
        ((819, LITTLE), (37, 3), C.MQRC_TARGET_INTEGER_ENC_ERROR),
        ((37, LITTLE), (819, LITTLE), C.MQRC_FORMAT_ERROR),  # the header is in ASCII
        ((819, BIG), (819, LITTLE), C.MQRC_FORMAT_ERROR),  # and little-endian
    ],
)
def test_header_in_a_representation_that_cannot_be(source: Representation, target: Representation, reason: int) -> None:
    data = pack(S.MQDLH(Format="MQSTR", CodedCharSetId=819, Encoding=LITTLE), (819, LITTLE)) + HELLO
    assert_refused(run(data, "MQDEAD", source, target), data, source, reason)


@pytest.mark.parametrize("encoding", [LITTLE, BIG])
def test_headers_do_not_go_to_utf_16(encoding: int) -> None:
    source = (37, BIG)
    data = pack(S.MQRFH2(Format="MQSTR", CodedCharSetId=37, Encoding=BIG, NameValueData=["<usr/>"]), source) + HELLO_37
    result = run(data, "MQHRF2", source, (1200, encoding), q_mgr_ccsid=819)
    header = S.MQRFH2(Format="MQSTR", CodedCharSetId=1200, Encoding=encoding, NameValueData=["<usr/>"])
    body = HELLO.decode().encode("utf-16-be" if encoding == BIG else "utf-16-le")
    expected = pack(header, (819, native_encoding())) + body
    assert result == Converted(expected, 819, native_encoding(), WARNING, C.MQRC_PARTIALLY_CONVERTED)


# --- strings in fixed fields -----------------------------------------------------------------------------


def test_text_grows_into_the_blanks_of_its_field() -> None:
    source, target = (819, LITTLE), (1208, LITTLE)
    name = "é" * 14
    data = pack(S.MQDLH(PutApplName=name), source)
    assert run(data, "MQDEAD", source, target).data == pack(S.MQDLH(PutApplName=name), target)
    back = run(pack(S.MQDLH(PutApplName=name), target), "MQDEAD", target, source)
    assert back.data == data


def test_text_grows_over_what_follows_a_null() -> None:
    source, target = (819, LITTLE), (1208, LITTLE)
    data = bytearray(pack(S.MQDLH(), source))
    data[128:156] = "é".encode("latin-1") + b"\0" + b"\xe9" * 26
    result = run(bytes(data), "MQDEAD", source, target)
    assert result.comp_code == OK
    assert result.data[128:156] == "é".encode().ljust(28)
    # The other way round the rest need not even be text.
    data[128:156] = "é".encode() + b"\0" + b"\xff" * 25
    result = run(bytes(data), "MQDEAD", target, source)
    assert result.data[128:156] == b"\xe9".ljust(28)


def test_text_too_long_for_its_field() -> None:
    source, target = (819, LITTLE), (1208, LITTLE)
    data = pack(S.MQDLH(PutApplName="é" * 15), source)
    for accept in (False, True):
        result = run(data, "MQDEAD", source, target, accept_truncated=accept)
        assert_refused(result, data, source, C.MQRC_CONVERTED_STRING_TOO_BIG)


def test_broken_text_in_a_field() -> None:
    source = (1208, LITTLE)
    data = bytearray(pack(S.MQDLH(), source))
    data[128] = 0xFF
    assert_refused(run(bytes(data), "MQDEAD", source, (819, LITTLE)), bytes(data), source, C.MQRC_NOT_CONVERTED)


# --- headers with a variable part ------------------------------------------------------------------------


def test_rfh_string_grows_and_stays_aligned() -> None:
    source, target = (819, LITTLE), (1208, LITTLE)
    describes: dict[str, Any] = {"Format": "MQSTR", "CodedCharSetId": 819, "Encoding": LITTLE}
    data = pack(S.MQRFH(NameValueString="key éé", **describes), source) + b"x"
    assert data[32:40] == b"key \xe9\xe9  "
    result = run(data, "MQHRF", source, target)
    assert result.comp_code == OK
    assert result.data[32:] == "key éé".encode().ljust(12) + b"x"
    assert S.MQRFH.unpack(result.data).StrucLength == 44
    back = run(result.data, "MQHRF", target, source)
    assert back.data[32:] == b"key \xe9\xe9".ljust(12) + b"x"
    assert S.MQRFH.unpack(back.data).StrucLength == 44


def test_rfh2_in_utf_16_is_turned_with_its_header() -> None:
    folders = ["<usr><a>é</a></usr>", "<b/>"]
    for source, target in (((819, LITTLE), (37, BIG)), ((37, BIG), (819, LITTLE))):
        data = pack(S.MQRFH2(NameValueCCSID=1200, NameValueData=folders, CodedCharSetId=1), source)
        expected = pack(S.MQRFH2(NameValueCCSID=1200, NameValueData=folders, CodedCharSetId=1), target)
        assert_converted(run(data, "MQHRF2", source, target), expected, target)


def test_rmh_strings_grow_and_move() -> None:
    source, target = (819, LITTLE), (1208, BIG)
    strings = {"SrcEnv": "é", "SrcName": "source-é", "DestEnv": "", "DestName": "dést"}
    data = pack(S.MQRMH(CodedCharSetId=819, Encoding=LITTLE, Format="MQSTR", **strings), source) + b"\xe9"
    result = run(data, "MQHREF", source, target)
    new = S.MQRMH.unpack(result.data, big_endian=True, charset="utf-8")
    assert {name: getattr(new, name) for name in strings} == strings
    assert new.StrucLength % 4 == 0
    assert result.data[new.StrucLength :] == "é".encode()
    assert (new.CodedCharSetId, new.Encoding) == target


def test_rmh_strings_that_share_bytes() -> None:
    source = (819, LITTLE)
    data = bytearray(pack(S.MQRMH(SrcEnv="abcd", SrcName="efgh"), source))
    struct.pack_into("<i", data, 76, 110)  # SrcNameOffset, in the middle of SrcEnv
    result = run(bytes(data), "MQHREF", source, (37, BIG))
    assert_refused(result, bytes(data), source, C.MQRC_FORMAT_ERROR)


def test_ims_string_that_outgrows_its_length() -> None:
    source, target = (819, LITTLE), (1208, LITTLE)
    data = struct.pack("<h", 20004) + b"\0\0" + b"\xe9" * 20000
    assert_refused(run(data, "MQIMSVS", source, target), data, source, C.MQRC_CONVERTED_STRING_TOO_BIG)
    small = struct.pack("<h", 5) + b"\0\7\xe9"
    assert_converted(run(small, "MQIMSVS", source, target), struct.pack("<h", 6) + b"\0\7\xc3\xa9", target)


@pytest.mark.parametrize(
    ("format", "at", "values"),
    [
        ("MQDEAD", 0, [b"DLX "]),
        ("MQDEAD", 4, [0, 2, -1]),
        ("MQXMIT", 4, [2]),
        ("MQHMDE", 8, [0, 71, 73, -1, 2**31 - 1]),
        ("MQHWIH", 8, [119, 121]),
        ("MQHRF", 4, [2]),
        ("MQHRF", 8, [0, 31, 100000, -32]),
        ("MQHRF2", 4, [1]),
        ("MQHRF2", 8, [35, 100000, -1, 39]),
        ("MQHRF2", 36, [-1, 100000, 2**31 - 1, 3]),
        ("MQHREF", 8, [107, 100000]),
        ("MQHREF", 64, [-1, 1000, 2**31 - 1]),
        ("MQHREF", 68, [1, 107, 1000, -1, 2**31 - 1]),
        ("MQHDIST", 8, [47, 100000]),
        ("MQHDIST", 32, [32, -1]),
        ("MQHDIST", 36, [-1, 3, 2**31 - 1]),
        ("MQHDIST", 40, [-1, 47, 2**31 - 1]),
        ("MQHDIST", 44, [-1, 47, 2**31 - 1]),
        ("MQHEPCF", 8, [31, 100000]),
        ("MQHEPCF", 32, [0, 11, 24, 99]),
        ("MQHEPCF", 36, [-1, 0, 35, 1000]),
    ],
)
@pytest.mark.parametrize("truncated", [False, True])
def test_wrong_field_in_a_header(format: str, at: int, values: Sequence[int], truncated: bool) -> None:
    source, target = (819, LITTLE), (37, BIG)
    for value in values:
        data = bytearray(pack(fixed_headers(source)[format], source) + HELLO)
        data[at : at + 4] = value if isinstance(value, bytes) else struct.pack("<i", value)
        result = run(bytes(data), format, source, target, truncated=truncated)
        if not truncated:
            assert_refused(result, bytes(data), source, C.MQRC_FORMAT_ERROR)
        # The same message for someone who wants it as it is: nothing to complain about.
        assert run(bytes(data), format, source, source).comp_code == OK


@pytest.mark.parametrize("format", [*DESCRIBING, "MQTRIG", "MQADMIN"])
def test_message_cut_at_every_byte(format: str) -> None:
    source, target = (819, LITTLE), (37, BIG)
    structure = S.MQTM(QName="Q") if format == "MQTRIG" else fixed_headers(source, "MQSTR").get(format)
    whole = pcf_message(source) if structure is None else pack(structure, source)
    if format not in ("MQTRIG", "MQADMIN"):
        whole += HELLO
    complete = run(whole, format, source, target)
    assert complete.comp_code == OK
    for length in range(1, len(whole)):
        cut = whole[:length]
        result = run(cut, format, source, target)
        if result.comp_code != OK:
            assert_refused(result, cut, source, C.MQRC_FORMAT_ERROR)
        result = run(cut, format, source, target, truncated=True)
        if length >= 8:
            assert (result.comp_code, result.ccsid, result.encoding) == (OK, *target), length
            assert len(result.data) == length  # between single-byte sets nothing changes its length
            if format in ("MQDEAD", "MQXMIT", "MQHMDE", "MQHWIH", "MQTRIG") and length >= 12:
                assert result.data[:8] == complete.data[:8]
        elif format != "MQADMIN":
            assert result.data == cut  # too little to see what it is


def test_report_with_the_first_100_bytes() -> None:
    source, target = (37, BIG), (819, LITTLE)
    dlh = S.MQDLH(Reason=2053, DestQName="ORDERS", DestQMgrName="QM1", Format="MQSTR")
    result = run(pack(dlh, source)[:100], "MQDEAD", source, target, truncated=True)
    # The queue manager name reaches to byte 108: it is not whole, so it is not converted.
    assert result.data[:60] == pack(dlh, target)[:60]
    assert result.data[60:] == pack(dlh, source)[60:100]
    assert (result.ccsid, result.encoding, result.comp_code) == (819, LITTLE, OK)


# --- PCF -------------------------------------------------------------------------------------------------


def pcf_message(representation: Representation, ccsid: int = 0, string: str = "Grüße", **header: Any) -> bytes:
    encoding = representation[1]
    parameters = [
        S.MQCFIN(Parameter=1, Value=-2),
        S.MQCFIN64(Parameter=2, Value=-3),
        S.MQCFIL(Parameter=3, Values=[1, 2, 3]),
        S.MQCFIL64(Parameter=4, Values=[2**40, -1]),
        S.MQCFST(Parameter=5, CodedCharSetId=ccsid, String=string),
        S.MQCFSL(Parameter=6, CodedCharSetId=ccsid, Strings=["one", string, "x"]),
        S.MQCFBS(Parameter=7, String=b"\1\2\3"),
        S.MQCFIF(Parameter=8, Operator=1, FilterValue=5),
        S.MQCFSF(Parameter=9, Operator=2, CodedCharSetId=ccsid, FilterValue=string + "*"),
        S.MQCFBF(Parameter=10, Operator=3, FilterValue=b"\4\5"),
        S.MQCFGR(Parameter=11, Parameters=[S.MQCFIN(Parameter=12, Value=13)]),
    ]
    return pack_message(
        S.MQCFH(**header), parameters, big_endian=integers_big_endian(encoding), charset=charset(representation[0])
    )


@pytest.mark.parametrize("format", ["MQADMIN", "MQEVENT", "MQPCF"])
@over_rows(("source", "target"), EVERY_WAY)
def test_pcf(format: str, source: Representation, target: Representation) -> None:
    data = pcf_message(source, Type=C.MQCFT_EVENT, Command=44, Reason=2222, Version=1)
    expected = pcf_message(target, Type=C.MQCFT_EVENT, Command=44, Reason=2222, Version=1)
    result = run(data, format, source, target)
    if source[0] != 1208:
        assert_converted(result, expected, target)
        return
    # From UTF-8 the blanks that fill a list stay, so its strings are longer than those packed anew.
    assert (result.ccsid, result.encoding, result.comp_code) == (*target, OK)
    options = {"big_endian": integers_big_endian(target[1]), "charset": charset(target[0])}
    assert unpack_message(result.data, **options) == unpack_message(expected, **options)


def test_pcf_list_gets_the_length_of_its_longest_string() -> None:
    def packed(text: str, **options: Any) -> bytes:
        return pack_message(S.MQCFH(), [S.MQCFSL(Parameter=6, Strings=["a", text])], **options)

    result = run(packed("éé"), "MQADMIN", (819, LITTLE), (1208, LITTLE))
    assert_converted(result, packed("éé", charset="utf-8"), (1208, LITTLE))
    assert result.data[36:] == struct.pack("<6i", 6, 32, 6, 0, 2, 4) + "a   éé".encode()
    back = run(result.data, "MQADMIN", (1208, LITTLE), (819, LITTLE))
    assert back.data[36:] == struct.pack("<6i", 6, 32, 6, 0, 2, 4) + b"a   \xe9\xe9  "


@pytest.mark.parametrize("type_", sorted({1, 2, 7, 8, 10, 12, 16, 17, 18, 19, 21, 22, 26, 27}))
def test_every_kind_of_pcf_header(type_: int) -> None:
    data = S.MQCFH(Type=type_, Command=3).pack()
    expected = S.MQCFH(Type=type_, Command=3).pack(big_endian=True)
    assert_converted(run(data, "MQPCF", (819, LITTLE), (819, BIG)), expected, (819, BIG))


def test_pcf_strings_with_their_own_ccsid() -> None:
    # Text in Latin 1 in a message whose descriptor says UTF-8, or leaves the CCSIDs to the strings.
    big_819 = pack_message(
        S.MQCFH(), [S.MQCFST(Parameter=5, CodedCharSetId=819, String="é")], big_endian=True, charset="latin-1"
    )
    for ccsid in (1208, C.MQCCSI_EMBEDDED):
        result = run(big_819, "MQADMIN", (ccsid, BIG), (37, LITTLE))
        assert (result.ccsid, result.encoding, result.comp_code) == (37, LITTLE, OK)
        _, parameters = unpack_message(result.data, charset="cp037")
        assert (parameters[0].CodedCharSetId, parameters[0].String) == (37, "é")


def test_pcf_strings_to_and_from_utf_16() -> None:
    for encoding, name in ((LITTLE, "utf-16-le"), (BIG, "utf-16-be")):
        parameters = [S.MQCFST(Parameter=5, String="é€"), S.MQCFSL(Parameter=6, Strings=["é", "abc"])]
        data = pack_message(S.MQCFH(), parameters, charset="utf-8")
        there = run(data, "MQEVENT", (1208, LITTLE), (1200, encoding))
        assert there.comp_code == OK
        _, unpacked = unpack_message(there.data, big_endian=encoding == BIG, charset=name)
        assert (unpacked[0].String, list(unpacked[1].Strings)) == ("é€", ["é", "abc"])
        back = run(there.data, "MQEVENT", (1200, encoding), (1208, LITTLE))
        assert unpack_message(back.data, charset="utf-8") == unpack_message(data, charset="utf-8")


def test_pcf_strings_without_any_ccsid() -> None:
    data = pack_message(S.MQCFH(), [S.MQCFST(Parameter=5, String="text")])
    source = (C.MQCCSI_EMBEDDED, LITTLE)
    assert_refused(run(data, "MQADMIN", source, (37, BIG)), data, source, C.MQRC_SOURCE_CCSID_ERROR)


def test_pcf_without_strings_needs_no_ccsid() -> None:
    data = pack_message(S.MQCFH(), [S.MQCFIN(Parameter=1, Value=2), S.MQCFST(Parameter=3)])
    expected = pack_message(S.MQCFH(), [S.MQCFIN(Parameter=1, Value=2), S.MQCFST(Parameter=3)], big_endian=True)
    assert_converted(run(data, "MQADMIN", (99999, LITTLE), (12345, BIG)), expected, (12345, BIG))


def test_pcf_list_of_many_empty_strings() -> None:
    data = S.MQCFH().pack() + struct.pack("<6i", C.MQCFT_STRING_LIST, 24, 1, 0, 2**31 - 1, 0)
    assert run(data, "MQADMIN", (819, LITTLE), (37, BIG)).comp_code == OK


@pytest.mark.parametrize(
    "values",
    [
        (3, 16, 1),  # shorter than it says
        (3, 12, 1, 1),
        (3, 0, 1, 1),
        (3, -16, 1, 1),
        (3, 2**31 - 1, 1, 1),
        (99, 16, 1, 1),
        (0, 16, 1, 1),
        (23, 16, 1, 1),  # a 64-bit integer without its value
        (5, 16, 1, 1),  # a list of one with none in it
        (5, 20, 1, -1, 0),
        (5, 20, 1, 2**30, 0),
        (4, 20, 1, 0, 4),
        (4, 24, 1, 0, -4, 0),
        (6, 28, 1, 0, 2, 4, 0),
        (6, 28, 1, 0, 2**30, 2**30, 0),
        (6, 28, 1, 0, -1, -4, 0),
        (9, 16, 1, 1),
        (14, 24, 1, 0, 0, 5),
    ],
)
def test_wrong_pcf_structure(values: Sequence[int]) -> None:
    source, target = (819, LITTLE), (37, BIG)
    data = S.MQCFH().pack() + struct.pack(f"<{len(values)}i", *values)
    assert_refused(run(data, "MQADMIN", source, target), data, source, C.MQRC_FORMAT_ERROR)


# --- anything at all -------------------------------------------------------------------------------------

FORMATS = [*HEADERS, "MQSTR", "MQADMIN", "MQTRIG", "MQIMSVS", "", "OTHER"]
ANY_REPRESENTATION = st.tuples(
    st.sampled_from([*known_ccsids(), 0, -1, -2, -3, 99999]), st.sampled_from([LITTLE, BIG, C.MQENC_S390, 0, -1, 5])
)


def assert_sound(result: Converted, data: bytes, source: Representation) -> None:
    """Either a converted message, or the message as it was; nothing between."""
    if result.comp_code == OK:
        assert result.reason == C.MQRC_NONE
    elif result.reason not in (C.MQRC_PARTIALLY_CONVERTED, C.MQRC_TRUNCATED_MSG_ACCEPTED):
        assert result == Converted(data, source[0], source[1], WARNING, result.reason)
        assert result.reason in {
            C.MQRC_FORMAT_ERROR,
            C.MQRC_SOURCE_CCSID_ERROR,
            C.MQRC_TARGET_CCSID_ERROR,
            C.MQRC_SOURCE_INTEGER_ENC_ERROR,
            C.MQRC_TARGET_INTEGER_ENC_ERROR,
            C.MQRC_NOT_CONVERTED,
            C.MQRC_CONVERTED_MSG_TOO_BIG,
            C.MQRC_CONVERTED_STRING_TOO_BIG,
        }


@SEEDED
@given(
    st.binary(max_size=300),
    st.sampled_from(FORMATS),
    ANY_REPRESENTATION,
    ANY_REPRESENTATION,
    st.booleans(),
    st.none() | st.integers(0, 400),
)
def test_any_bytes_in_any_format(
    data: bytes, format: str, source: Representation, target: Representation, truncated: bool, buffer_length: int | None
) -> None:
    result = run(data, format, source, target, truncated=truncated, buffer_length=buffer_length)
    assert_sound(result, data, source)
    if buffer_length and result.comp_code == OK and result.data != data:
        assert len(result.data) <= buffer_length


@SEEDED
@given(st.sampled_from([*DESCRIBING, "MQADMIN"]), st.data())
def test_good_messages_with_some_bytes_changed(format: str, draws: st.DataObject) -> None:
    source = draws.draw(st.sampled_from(REPRESENTATIONS))
    target = draws.draw(st.sampled_from([*REPRESENTATIONS, (1200, BIG), (943, LITTLE)]))
    inner = draws.draw(st.sampled_from(DESCRIBING))
    if format == "MQADMIN":
        data = bytearray(pcf_message(source))
    else:
        data = bytearray(
            pack(fixed_headers(source, inner)[format], source) + pack(fixed_headers(source)[inner], source)
        )
        data += text("body", source)
    for _ in range(draws.draw(st.integers(0, 3))):
        at = draws.draw(st.integers(0, len(data) - 1))
        data[at] = draws.draw(st.integers(0, 255))
    del data[draws.draw(st.integers(0, len(data))) if draws.draw(st.booleans()) else len(data) :]
    result = run(bytes(data), format, source, target, truncated=draws.draw(st.booleans()))
    assert_sound(result, bytes(data), source)


@SEEDED
@given(st.sampled_from(DESCRIBING), st.sampled_from(DESCRIBING), st.sampled_from(EVERY_WAY))
def test_chains_come_back(first: str, second: str, way: tuple[Representation, Representation]) -> None:
    source, target = way
    data = pack(fixed_headers(source, second)[first], source) + pack(fixed_headers(source)[second], source)
    data += text("body", source)
    there = run(data, first, source, target)
    assert (there.comp_code, there.ccsid, there.encoding) == (OK, *target)
    assert_converted(run(there.data, first, target, source), data, source)


# --- characters ------------------------------------------------------------------------------------------


def test_convert_characters() -> None:
    result = convert_characters(HELLO, 819, 37)
    assert (result.data, result.comp_code, result.reason) == (HELLO_37, OK, 0)
    assert convert_characters(HELLO, 819, C.MQCCSI_Q_MGR, q_mgr_ccsid=37).data == HELLO_37
    assert convert_characters(HELLO, 819, 37, C.MQDCC_DEFAULT_CONVERSION).data == HELLO_37


def test_characters_of_utf_16_need_a_byte_order() -> None:
    little, big = C.MQDCC_TARGET_ENC_REVERSED, C.MQDCC_TARGET_ENC_NORMAL
    assert convert_characters(b"A", 819, 1200, little).data == b"A\0"
    assert convert_characters(b"A", 819, 1200, big).data == b"\0A"
    assert convert_characters(b"\0A", 1200, 1200, C.MQDCC_SOURCE_ENC_NORMAL | little).data == b"A\0"
    failed = convert_characters(b"A", 819, 1200)
    assert (failed.data, failed.comp_code, failed.reason) == (b"", FAILED, C.MQRC_TARGET_INTEGER_ENC_ERROR)
    failed = convert_characters(b"\0A", 1200, 819, big)
    assert (failed.comp_code, failed.reason) == (FAILED, C.MQRC_SOURCE_INTEGER_ENC_ERROR)


@pytest.mark.parametrize(
    ("data", "source", "target", "options", "reason"),
    [
        (b"A", 99999, 819, 0, C.MQRC_SOURCE_CCSID_ERROR),
        (b"A", 819, 99999, 0, C.MQRC_TARGET_CCSID_ERROR),
        (b"A", 819, 37, 0x10000, C.MQRC_OPTIONS_ERROR),
        (b"A", 819, 37, C.MQDCC_FILL_TARGET_BUFFER, C.MQRC_OPTIONS_ERROR),  # no buffer to fill
        (b"\xff", 1208, 37, 0, C.MQRC_DBCS_ERROR),
    ],
)
def test_characters_that_cannot_be_converted(data: bytes, source: int, target: int, options: int, reason: int) -> None:
    result = convert_characters(data, source, target, options)
    assert (result.data, result.comp_code, result.reason) == (b"", FAILED, reason)


def test_characters_in_a_buffer() -> None:
    data = "éé  ".encode("latin-1")
    result = convert_characters(data, 819, 1208, target_length=5)
    assert (result.data, result.comp_code, result.reason) == ("éé ".encode(), WARNING, C.MQRC_CONVERTED_MSG_TOO_BIG)
    result = convert_characters(data, 819, 1208, target_length=3)
    assert (result.data, result.reason) == ("é".encode(), C.MQRC_CONVERTED_MSG_TOO_BIG)
    assert convert_characters(data, 819, 1208, target_length=9).data == "éé  ".encode()


def test_characters_that_fill_a_buffer() -> None:
    data = "éé  ".encode("latin-1")
    fill = C.MQDCC_FILL_TARGET_BUFFER
    for length, expected in ((5, "éé "), (4, "éé"), (9, "éé     ")):
        result = convert_characters(data, 819, 1208, fill, target_length=length)
        assert (result.data, result.comp_code) == (expected.encode(), OK)
    result = convert_characters(data, 819, 1208, fill, target_length=3)
    assert (result.data, result.reason) == ("é".encode(), C.MQRC_CONVERTED_MSG_TOO_BIG)
    after_null = convert_characters(b"\xe9\0rest", 819, 1208, fill, target_length=4)
    assert (after_null.data, after_null.comp_code) == ("é  ".encode(), OK)
    assert convert_characters(b"A", 819, 37, fill, target_length=3).data == b"\xc1\x40\x40"


# --- encodings -------------------------------------------------------------------------------------------


def test_encodings() -> None:
    assert native_encoding() == 546
    assert [integers_big_endian(e) for e in (273, 546, 785, 1041, 1, 2, 0)] == [
        True,
        False,
        True,
        True,
        True,
        False,
        False,
    ]


# EBCDIC with one and two bytes


def test_text_between_unicode_and_shifted_ebcdic() -> None:
    words = "日本 A\n"
    shifted = bytes.fromhex("0e456245660f40c125")
    utf_8 = words.encode()
    assert run(utf_8, "MQSTR", (1208, LITTLE), (939, BIG)).data == shifted
    assert run(shifted, "MQSTR", (939, BIG), (1208, LITTLE)).data == utf_8
    assert run(shifted, "MQSTR", (939, BIG), (1200, BIG)).data == words.encode("utf-16-be")
    # The ends of a line are those of EBCDIC: both become LF on the way out
    assert run(b"\xc1\x15\xc1\x25", "MQSTR", (939, BIG), (1208, LITTLE)).data == b"A\nA\n"
    assert run(b"\xc1\x15", "MQSTR", (939, BIG), (37, BIG)).data == b"\xc1\x15"
    # Half a character is no text
    broken = b"\x0e\x45"
    assert_refused(run(broken, "MQSTR", (939, BIG), (1208, LITTLE)), broken, (939, BIG), C.MQRC_NOT_CONVERTED)


@pytest.mark.parametrize("length", range(3, 14))
def test_shifted_ebcdic_that_is_cut_to_the_buffer_is_closed(length: int) -> None:
    words = "a日本語b"
    result = run(
        words.encode(), "MQSTR", (1208, LITTLE), (939, BIG), buffer_length=length, accept_truncated=True
    )
    assert len(result.data) <= length
    assert words.startswith(result.data.decode("ccsid939"))
    assert result.data.count(b"\x0e") == result.data.count(b"\x0f")
