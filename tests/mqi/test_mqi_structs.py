"""The structures against sizes and offsets of the C headers, and round trips in every version and byte order."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helper_rows import over_rows
from libremq.mqi import constants as C
from libremq.mqi import structs
from libremq.mqi.errors import MQError
from libremq.mqi.layout import Structure
from libremq.mqi.structs import (
    MQAIR,
    MQCBD,
    MQCD,
    MQCHARV,
    MQCIH,
    MQCNO,
    MQDH,
    MQDLH,
    MQGMO,
    MQIIH,
    MQMD,
    MQMDE,
    MQOD,
    MQOR,
    MQPMO,
    MQPMR,
    MQRFH,
    MQRFH2,
    MQRMH,
    MQSCO,
    MQSD,
    MQTM,
    MQTMC2,
    MQXQH,
)

SIZES: dict[str, dict[int, int]] = {
    "MQMD1": {1: 324},
    "MQMD": {1: 324, 2: 364},
    "MQMDE": {2: 72},
    "MQOD": {1: 168, 2: 208, 3: 344, 4: 424},
    "MQGMO": {1: 72, 2: 80, 3: 100, 4: 112},
    "MQPMO": {1: 128, 2: 160, 3: 184},
    "MQSD": {1: 344},
    "MQSRO": {1: 16},
    "MQCNO": {1: 12, 2: 24, 3: 152, 4: 168, 5: 200, 6: 224, 7: 256, 8: 272},
    "MQCD": {
        1: 984,
        2: 1312,
        3: 1480,
        4: 1568,
        5: 1584,
        6: 1688,
        7: 1792,
        8: 1888,
        9: 1912,
        10: 1920,
        11: 1984,
        12: 1992,
        13: 2000,
    },
    "MQCSP": {1: 56, 2: 80, 3: 104},
    "MQSCO": {1: 536, 2: 544, 3: 560, 4: 568, 5: 632, 6: 648, 7: 672},
    "MQBNO": {1: 20},
    "MQCBD": {1: 168},
    "MQCBC": {1: 56, 2: 64},
    "MQCTLO": {1: 24},
    "MQSTS": {1: 224, 2: 280},
    "MQDLH": {1: 172},
    "MQXQH": {1: 428},
    "MQRFH": {1: 32},
    "MQRFH2": {2: 36},
    "MQIIH": {1: 84},
    "MQCIH": {1: 164, 2: 180},
    "MQTM": {1: 684},
    "MQTMC2": {1: 684, 2: 732},
    "MQEPH": {1: 68},
    "MQCFH": {1: 36, 2: 36, 3: 36},
    "MQCFIN": {0: 16},
    "MQCFST": {0: 20},
    "MQCFIL": {0: 16},
    "MQCFSL": {0: 24},
    "MQCFBS": {0: 16},
    "MQCFGR": {0: 16},
    "MQCFIF": {0: 20},
    "MQCFSF": {0: 24},
    "MQCFBF": {0: 20},
    "MQCFIN64": {0: 24},
    "MQCFIL64": {0: 16},
    "MQCMHO": {1: 12},
    "MQDMHO": {1: 12},
    "MQSMPO": {1: 20},
    "MQIMPO": {1: 64},
    "MQDMPO": {1: 12},
    "MQPD": {1: 24},
    "MQCHARV": {0: 24},
    "MQBMHO": {1: 12},
    "MQMHBO": {1: 12},
    "MQRMH": {1: 108},
    "MQDH": {1: 48},
    "MQOR": {0: 96},
    "MQRR": {0: 8},
    "MQBO": {1: 12},
    "MQAIR": {1: 328, 2: 584},
    "MQWIH": {1: 120},
}

# The reason code for bytes that are not such a structure.
ERRORS = {
    "MQMD": 2026,
    "MQOD": 2044,
    "MQBO": 2134,
    "MQDH": 2135,
    "MQCNO": 2139,
    "MQDLH": 2141,
    "MQCIH": 2142,
    "MQIIH": 2148,
    "MQPMO": 2173,
    "MQGMO": 2186,
    "MQTMC2": 2191,
    "MQRMH": 2220,
    "MQMDE": 2248,
    "MQXQH": 2260,
    "MQTM": 2265,
    "MQCD": 2277,
    "MQWIH": 2333,
    "MQRFH": 2334,
    "MQRFH2": 2334,
    "MQSCO": 2380,
    "MQEPH": 2420,
    "MQSD": 2424,
    "MQSTS": 2426,
    "MQSRO": 2438,
    "MQCBD": 2444,
    "MQCTLO": 2445,
    "MQCMHO": 2461,
    "MQDMHO": 2462,
    "MQSMPO": 2463,
    "MQIMPO": 2464,
    "MQDMPO": 2481,
    "MQPD": 2482,
    "MQBMHO": 2489,
    "MQMHBO": 2501,
    "MQCSP": 2595,
    "MQBNO": 2602,
}

SIZE_CASES = [(name, version, size) for name, sizes in SIZES.items() for version, size in sizes.items()]


def structure(name: str) -> type[Structure]:
    found: type[Structure] = getattr(structs, name)
    return found


def integer(value: int, length: int = 4) -> bytes:
    return value.to_bytes(length, "little", signed=True)


def test_every_structure_has_a_size_here() -> None:
    assert set(SIZES) == {name for name in structs.__all__ if name not in ("Structure", "MQPMR")}


@over_rows(("name", "version", "size"), SIZE_CASES)
def test_size_of_every_version(name: str, version: int, size: int) -> None:
    assert structure(name).size(version) == size
    for big_endian in (False, True):
        data = structure(name)().pack(version=version, big_endian=big_endian)
        assert len(data) == size


@over_rows(("name", "version", "size"), SIZE_CASES)
@pytest.mark.parametrize("charset", ["latin-1", "cp500"])
@pytest.mark.parametrize("big_endian", [False, True])
def test_defaults_round_trip(name: str, version: int, size: int, charset: str, big_endian: bool) -> None:
    cls = structure(name)
    data = cls().pack(version=version, big_endian=big_endian, charset=charset)
    again = cls.unpack(b"??" + data + b"rest", 2, big_endian=big_endian, charset=charset)
    assert again.pack(big_endian=big_endian, charset=charset) == data


# --- the C initial values, by hand -----------------------------------------------------------------------


def test_initial_bytes_of_the_message_descriptor() -> None:
    expected = bytearray(364)
    expected[0:4] = b"MD  "
    expected[4:8] = integer(2)
    expected[12:16] = integer(8)  # MsgType: datagram
    expected[16:20] = integer(-1)  # Expiry: unlimited
    expected[24:28] = integer(546)  # Encoding: native
    expected[32:40] = b" " * 8  # Format: none
    expected[40:44] = integer(-1)  # Priority: as the queue says
    expected[44:48] = integer(2)  # Persistence: as the queue says
    expected[348:352] = integer(1)  # MsgSeqNumber
    expected[360:364] = integer(-1)  # OriginalLength
    assert MQMD().pack(version=2, fill=b"\0") == expected
    assert MQMD().pack(fill=b"\0")[8:] == expected[8:324]


def test_initial_bytes_of_the_object_descriptor() -> None:
    expected = bytearray(424)
    expected[0:8] = b"OD  " + integer(4)
    expected[8:12] = integer(1)  # ObjectType: queue
    expected[108:113] = b"AMQ.*"  # DynamicQName
    for vstring in (344, 368, 392):
        expected[vstring + 20 : vstring + 24] = integer(-3)  # VSCCSID
    assert MQOD().pack(version=4, fill=b"\0") == expected


def test_initial_bytes_of_get_and_put_options() -> None:
    gmo = bytearray(112)
    gmo[0:8] = b"GMO " + integer(4)
    gmo[72:76] = integer(3)  # MatchOptions: message id and correlation id
    gmo[76:80] = b"    "  # GroupStatus, SegmentStatus, Segmentation, Reserved1
    gmo[100:104] = b"\0" * 4
    got = MQGMO().pack(version=4, fill=b"\0")
    assert got[:96] == gmo[:96]
    assert got[96:100] == integer(-1)  # ReturnedLength: undefined
    assert got[100:] == gmo[100:]
    pmo = bytearray(184)
    pmo[0:8] = b"PMO " + integer(3)
    pmo[12:16] = integer(-1)  # Timeout
    pmo[176:184] = struct.pack("<ii", 0, 9)  # Action, PubLevel
    assert MQPMO().pack(version=3, fill=b"\0") == pmo


def test_initial_bytes_of_the_dead_letter_header() -> None:
    expected = bytearray(172)
    expected[0:8] = b"DLH " + integer(1)
    expected[116:124] = b" " * 8
    assert MQDLH().pack(fill=b"\0") == expected


def test_fields_stand_at_their_c_offsets() -> None:
    assert MQMD(Version=2, MsgId=b"m" * 24).pack().find(b"m" * 24) == 48
    assert MQMD(Version=2, GroupId=b"g" * 24).pack().find(b"g" * 24) == 324
    assert MQMD(ReplyToQ="REPLY").pack().find(b"REPLY") == 100
    assert MQOD(Version=3, ResolvedQName="RQ").pack().find(b"RQ") == 248
    assert MQPMO(Version=1, ResolvedQName="RQ").pack().find(b"RQ") == 32
    assert MQGMO(Version=3, MsgToken=b"t" * 16).pack().find(b"t" * 16) == 80
    assert MQGMO(Version=4, MsgHandle=0x1122334455667788).pack()[104:] == bytes.fromhex("8877665544332211")
    assert MQCNO(Version=5, ConnectionId=b"c" * 24).pack().find(b"c" * 24) == 164
    assert MQXQH().pack().find(b"MD  ") == 104
    assert MQSD(SubLevel=9).pack()[312:320] == integer(9) + bytes(4)
    assert MQAIR(LDAPUserNamePtr=-1 & (2**64 - 1)).pack(version=1)[280:288] == b"\xff" * 8
    assert MQSCO(CertificateLabel="LABEL").pack(version=5).find(b"LABEL") == 564
    assert MQCBD(MaxMsgLength=77).pack()[160:164] == integer(77)


def test_connect_options_version_4_ends_in_padding_where_version_5_has_a_field() -> None:
    data = MQCNO(Version=4, ConnectionId=b"c" * 24).pack()
    assert data[164:] == bytes(4)


def test_channel_definition_version_12_leaves_out_what_version_13_added() -> None:
    cd = MQCD(Version=13, QuantumSafeAlgorithm=5, QuantumSafeRequired=6)
    data = cd.pack()
    assert data[1988:2000] == integer(5) + integer(6) + bytes(4)
    assert cd.pack(version=12)[1988:] == bytes(4)
    assert MQCD.unpack(data).QuantumSafeRequired == 6


# --- instances -------------------------------------------------------------------------------------------


def test_text_is_without_fill_characters() -> None:
    data = bytearray(MQMD(ReplyToQ="A.B").pack())
    assert MQMD.unpack(data).ReplyToQ == "A.B"
    data[100:148] = b"A.B\0garbage".ljust(48, b"x")
    assert MQMD.unpack(data).ReplyToQ == "A.B"
    assert MQMD.unpack(MQMD(ReplyToQ="A.B", Format="MQSTR").pack(fill=b"\0")).Format == "MQSTR"
    assert MQMD().Format == ""
    assert MQMD(Format=C.MQFMT_STRING).pack() == MQMD(Format="MQSTR").pack()


def test_an_instance_keeps_only_what_was_changed() -> None:
    assert vars(MQMD()) == {}
    assert vars(MQMD.unpack(MQMD(Persistence=1).pack())) == {"Persistence": 1}
    assert repr(MQMD(Persistence=1, MsgType=1)) == "MQMD(MsgType=1, Persistence=1)"
    assert repr(MQMD()) == "MQMD()"


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(TypeError, match="MQMD has no field Persistance"):
        MQMD(Persistance=1)  # type: ignore[call-arg]
    md = MQMD()
    md.Persistance = 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="MQMD has no field Persistance"):
        md.pack()


def test_equality_counts_values_not_fill() -> None:
    assert MQMD() == MQMD(Persistence=C.MQPER_PERSISTENCE_AS_Q_DEF)
    assert MQMD(Format="MQSTR") == MQMD(Format="MQSTR   ")
    assert MQMD(Format="MQSTR") != MQMD(Format="MQSTRX")
    assert MQMD() != MQOD()
    assert MQMD(Priority=1) != MQMD()


def test_copies_are_independent() -> None:
    md = MQMD(Priority=3)
    other = md.copy()
    other.Priority = 4
    assert md.Priority == 3
    header = MQXQH(RemoteQName="Q")
    header.MsgDesc.Priority = 1
    twin = header.copy()
    twin.MsgDesc.Priority = 2
    assert header.MsgDesc.Priority == 1
    assert MQXQH().MsgDesc.Priority == C.MQPRI_PRIORITY_AS_Q_DEF
    records = MQDH(ObjectRecords=[MQOR(ObjectName="A")])
    twin_records = records.copy()
    twin_records.ObjectRecords[0].ObjectName = "B"
    assert records.ObjectRecords[0].ObjectName == "A"


def test_variable_strings_are_text_with_their_addresses_in_raw() -> None:
    od = MQOD(Version=4, SelectionString="a = 1")
    assert od.pack() == MQOD(Version=4).pack()  # the text itself has no place in the bytes
    data = bytearray(MQOD(Version=4).pack())
    data[368:392] = struct.pack("<Qiiii", 0x7FFF00001234, 0, 0, 5, 1208)
    od = MQOD.unpack(data)
    assert od.SelectionString == ""
    assert dict(od.raw) == {"SelectionString": MQCHARV(VSPtr=0x7FFF00001234, VSLength=5, VSCCSID=1208)}
    assert od.pack() == bytes(data)
    assert dict(MQOD().raw) == {}


# --- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "reason"), ERRORS.items())
def test_bytes_of_something_else_give_the_reason_of_the_structure(name: str, reason: int) -> None:
    cls = structure(name)
    good = cls().pack()
    version_at = 20 if name == "MQCD" else 4
    wrong_version = bytearray(good)
    wrong_version[version_at : version_at + 4] = integer(99)
    cases = [b"", good[:3], good[:-1], bytes(wrong_version)]
    if name != "MQCD":
        cases.append(b"XXXX" + good[4:])
    for data in cases:
        with pytest.raises(MQError) as caught:
            cls.unpack(data)
        assert caught.value.reason == reason
        assert name in caught.value.detail


@pytest.mark.parametrize(
    ("md", "problem"),
    [
        (MQMD(ReplyToQ="Q" * 49), "ReplyToQ is 49 bytes long"),
        (MQMD(MsgId=b"x" * 25), "MsgId is 25 bytes long"),
        (MQMD(Version=3), "version 3 is not known"),
        (MQMD(ReplyToQ="€"), "can't encode"),
        (MQMD(Priority=2**32), "Priority is 4294967296"),
        (MQMD(Priority=-(2**31) - 1), "Priority is -2147483649"),
    ],
)
def test_values_that_do_not_fit_are_refused(md: MQMD, problem: str) -> None:
    with pytest.raises(MQError) as caught:
        md.pack()
    assert caught.value.reason == C.MQRC_MD_ERROR
    assert problem in caught.value.detail


def test_a_value_of_the_wrong_type_names_its_field() -> None:
    with pytest.raises(TypeError, match=r"MQMD\.Format"):
        MQMD(Format=b"MQSTR").pack()  # type: ignore[arg-type]


def test_unsigned_masks_are_written_as_signed_integers() -> None:
    data = MQMD(Report=C.MQRO_ACCEPT_UNSUP_MASK).pack()
    assert MQMD.unpack(data).Report == -270532353


def test_a_version_can_be_asked_for() -> None:
    data = MQMD(GroupId=b"g" * 24).pack(version=2)
    assert MQMD.unpack(data) == MQMD(Version=2, GroupId=b"g" * 24)
    assert MQTMC2().pack(version=1)[4:8] == b"   1"
    assert MQTMC2.unpack(MQTMC2(QName="Q").pack(version=1)) == MQTMC2(Version="   1", QName="Q")


def test_short_headers_take_their_length_from_their_version() -> None:
    assert MQCIH().pack(version=1)[8:12] == integer(164)
    assert MQCIH.unpack(MQCIH().pack(version=1)).StrucLength == 164
    broken = bytearray(MQMDE().pack())
    broken[8:12] = integer(71)
    with pytest.raises(MQError) as caught:
        MQMDE.unpack(broken)
    assert caught.value.reason == C.MQRC_MDE_ERROR


# --- other byte orders and charsets ----------------------------------------------------------------------


def test_a_big_endian_ebcdic_header() -> None:
    header = MQDLH(Reason=2085, DestQName="A.B", Format="MQSTR")
    data = header.pack(big_endian=True, charset="cp500")
    assert data[:4] == bytes.fromhex("c4d3c840")  # DLH and a blank
    assert data[4:12] == bytes.fromhex("0000000100000825")
    assert data[12:60] == bytes.fromhex("c14bc2") + b"\x40" * 45
    assert MQDLH.unpack(data, big_endian=True, charset="cp500") == header
    with pytest.raises(MQError):
        MQDLH.unpack(data)
    with pytest.raises(MQError):
        MQDLH.unpack(data, charset="cp500")  # its version reads 16777216


def test_single_characters_are_converted_too() -> None:
    data = MQIIH(CommitMode="1").pack(charset="cp500")
    assert data[80:84] == bytes.fromhex("40f1c340")
    assert MQIIH.unpack(data, charset="cp500").CommitMode == "1"


# --- variable parts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("big_endian", [False, True])
@pytest.mark.parametrize(("ccsid", "codec"), [(1208, "utf-8"), (1200, "utf-16")])
def test_rfh2_folders(big_endian: bool, ccsid: int, codec: str) -> None:
    folders = ["<usr><a>ü</a></usr>", "<mcd/>", ""]
    header = MQRFH2(NameValueData=folders, NameValueCCSID=ccsid, Format="MQSTR")
    data = header.pack(big_endian=big_endian)
    assert len(data) % 4 == 0
    first = folders[0].encode({"utf-16": "utf-16-be" if big_endian else "utf-16-le"}.get(codec, codec))
    assert data[40 : 40 + len(first)] == first
    again = MQRFH2.unpack(data + b"message", big_endian=big_endian)
    assert again == header
    assert list(again.NameValueData) == folders
    assert again.StrucLength == len(data)


@pytest.mark.parametrize("length", [-1, 5, 2**31 - 1])
def test_rfh2_with_a_folder_past_its_end(length: int) -> None:
    data = bytearray(MQRFH2(NameValueData=["<a/>"]).pack())
    data[36:40] = integer(length)
    with pytest.raises(MQError) as caught:
        MQRFH2.unpack(data)
    assert caught.value.reason == C.MQRC_RFH_ERROR


def test_rfh2_longer_than_the_message() -> None:
    data = bytearray(MQRFH2(NameValueData=["<a/>"]).pack())
    data[8:12] = integer(len(data) + 1)
    with pytest.raises(MQError) as caught:
        MQRFH2.unpack(data)
    assert caught.value.reason == C.MQRC_RFH_ERROR


def test_rfh_string_in_ebcdic() -> None:
    header = MQRFH(NameValueString="MQPSCommand Publish")
    data = header.pack(charset="cp500")
    assert len(data) == 32 + 20
    assert MQRFH.unpack(data, charset="cp500") == header
    with pytest.raises(MQError):
        MQRFH2.unpack(MQRFH().pack())


def test_reference_header_names() -> None:
    header = MQRMH(SrcName="/tmp/a", DestName="/tmp/b", ObjectType="FLATFILE")
    data = header.pack(big_endian=True)
    again = MQRMH.unpack(data, big_endian=True)
    assert again == header
    assert (again.SrcEnvLength, again.SrcNameOffset, again.DestNameOffset) == (0, 108, 114)
    broken = bytearray(data)
    broken[72:76] = (2**31 - 1).to_bytes(4, "big")
    with pytest.raises(MQError) as caught:
        MQRMH.unpack(broken, big_endian=True)
    assert caught.value.reason == C.MQRC_RMH_ERROR


@pytest.mark.parametrize("fields", range(32))
def test_distribution_header_records(fields: int) -> None:
    records = [MQPMR(MsgId=b"m" * 24, CorrelId=b"c" * 24, GroupId=b"g" * 24, Feedback=7), MQPMR()]
    header = MQDH(
        PutMsgRecFields=fields,
        ObjectRecords=[MQOR(ObjectName="A"), MQOR(ObjectName="B", ObjectQMgrName="QM2")],
        PutMsgRecords=records if fields else (),
    )
    data = header.pack(big_endian=True, charset="cp500")
    assert len(data) == 48 + 2 * 96 + 2 * MQPMR.record_size(fields)
    again = MQDH.unpack(data, big_endian=True, charset="cp500")
    assert [record.ObjectName for record in again.ObjectRecords] == ["A", "B"]
    if fields:
        got = again.PutMsgRecords[0]
        assert got.MsgId == (b"m" * 24 if fields & C.MQPMRF_MSG_ID else bytes(24))
        assert got.Feedback == (7 if fields & C.MQPMRF_FEEDBACK else 0)


@pytest.mark.parametrize(("offset", "value"), [(36, -1), (36, 3), (36, 2**31 - 1), (40, 4), (44, 4)])
def test_distribution_header_with_records_outside(offset: int, value: int) -> None:
    header = MQDH(PutMsgRecFields=C.MQPMRF_MSG_ID, ObjectRecords=[MQOR(ObjectName="A")], PutMsgRecords=[MQPMR()])
    data = bytearray(header.pack())
    data[offset : offset + 4] = integer(value)
    with pytest.raises(MQError) as caught:
        MQDH.unpack(data)
    assert caught.value.reason == C.MQRC_DH_ERROR


# --- hypothesis ------------------------------------------------------------------------------------------

LONG = st.integers(-(2**31), 2**31 - 1)


def text(length: int) -> st.SearchStrategy[str]:
    # Any text a single-byte charset holds, without NULs and trailing blanks, which are fill.
    letters = st.characters(codec="latin-1", exclude_characters="\0")
    return st.text(letters, max_size=length).map(lambda value: value.rstrip(" "))


MD_FIELDS = {
    "Report": LONG,
    "Expiry": LONG,
    "Priority": LONG,
    "MsgId": st.binary(min_size=24, max_size=24),
    "AccountingToken": st.binary(min_size=32, max_size=32),
    "ReplyToQ": text(48),
    "Format": text(8),
    "ApplOriginData": text(4),
}


@given(
    st.fixed_dictionaries({}, optional=MD_FIELDS),
    st.sampled_from([1, 2]),
    st.booleans(),
    st.sampled_from(["latin-1", "cp500", "cp037"]),
    st.sampled_from([b" ", b"\0"]),
)
def test_message_descriptors_round_trip(
    fields: dict[str, object], version: int, big_endian: bool, charset: str, fill: bytes
) -> None:
    md = MQMD(Version=version, **fields)  # type: ignore[arg-type]
    data = md.pack(big_endian=big_endian, charset=charset, fill=fill)
    assert MQMD.unpack(data, big_endian=big_endian, charset=charset) == md


@given(
    st.fixed_dictionaries(
        {}, optional={"QName": text(48), "TriggerData": text(64), "ApplType": LONG, "UserData": text(128)}
    ),
    st.booleans(),
)
def test_trigger_messages_round_trip(fields: dict[str, object], big_endian: bool) -> None:
    tm = MQTM(**fields)  # type: ignore[arg-type]
    assert MQTM.unpack(tm.pack(big_endian=big_endian), big_endian=big_endian) == tm


@given(st.sampled_from(sorted(SIZES)), st.binary(max_size=600), st.booleans())
def test_unpack_of_anything_is_a_structure_or_an_mq_error(name: str, data: bytes, big_endian: bool) -> None:
    cls = structure(name)
    eyecatcher = cls().pack(big_endian=big_endian)[:8]
    for candidate in (data, eyecatcher + data):
        try:
            cls.unpack(candidate, big_endian=big_endian)
        except MQError as error:
            assert error.reason > 2000
