"""Structures on the wire: the codec and an independent one made from tables agree, in every version and byte order."""

from __future__ import annotations

import struct
from typing import Any

import helper_layouts as layouts
import pytest
from helper_layouts import LAYOUTS, VERSIONS
from hypothesis import given, settings
from hypothesis import strategies as st

from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.wire import wire_structures
from libremq.wire.descriptor import pack_md, unpack_md
from libremq.wire.protocol import ProtocolError
from libremq.wire.wire_structures import GMO, OD, PMO

_NAMES = {"CCSID": "CodedCharSetId"}
"""Fields of the tables that are called something else in the structures of the MQI."""
_CLASSES: dict[str, Any] = {"MD": MQMD, "OD": MQOD, "PMO": MQPMO, "GMO": MQGMO}
_CODECS: dict[str, Any] = {"OD": OD, "PMO": PMO, "GMO": GMO}
_TEXT = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=60)


def pack(name: str, value: Any) -> bytes:
    return pack_md(value) if name == "MD" else bytes(_CODECS[name].pack(value))


def unpack(name: str, raw: bytes, offset: int = 0, **options: Any) -> tuple[Any, int]:
    if name == "MD":
        return unpack_md(raw, offset, **options)
    found, end = _CODECS[name].unpack(raw, offset, **options)
    return found, end


def is_address(field: layouts.Field) -> bool:
    """Addresses, and offsets to records, mean nothing at the other end: they travel as zeros."""
    return field.name.endswith(("Ptr", "RecOffset"))


def mqi_name(field: layouts.Field) -> str:
    return _NAMES.get(field.name, field.name)


@st.composite
def values(draw: st.DrawFn) -> tuple[str, int, dict[str, Any]]:
    """A structure, a version of it, and values for some of its fields, as the MQI has them."""
    name = draw(st.sampled_from(sorted(VERSIONS)))
    version = draw(st.sampled_from(sorted(VERSIONS[name])))
    chosen: dict[str, Any] = {}
    for field in LAYOUTS[name]:
        known = mqi_name(field)
        if field.offset + field.length > VERSIONS[name][version] or known in ("StrucId", "Version"):
            continue
        if is_address(field):
            continue
        default = getattr(_CLASSES[name], known, None)
        if default is None or draw(st.booleans()):
            continue
        if isinstance(default, str):
            # A character is not stripped, a text is
            text = draw(_TEXT)[: field.length]
            chosen[known] = text if field.length > 1 else (text or " ")
        elif isinstance(default, bytes):
            chosen[known] = draw(st.binary(min_size=field.length, max_size=field.length))
        else:
            bits = 8 * field.length
            chosen[known] = draw(st.integers(-(1 << bits - 1), (1 << bits - 1) - 1))
    return name, version, chosen


def expected(name: str, version: int, chosen: dict[str, Any], field: layouts.Field) -> Any:
    known = mqi_name(field)
    if known == "Version":
        return version
    return chosen.get(known, getattr(_CLASSES[name], known, 0))


@given(values())
def test_what_is_packed_is_what_the_tables_say(case: tuple[str, int, dict[str, Any]]) -> None:
    name, version, chosen = case
    packed = pack(name, _CLASSES[name](Version=version, **chosen))
    assert len(packed) == VERSIONS[name][version]
    decoded = layouts.decode(name, packed)
    for field in LAYOUTS[name]:
        if field.name not in decoded:
            continue
        value = expected(name, version, chosen, field)
        found = decoded[field.name]
        if isinstance(value, str):
            if isinstance(found, int):
                found = chr(found)  # the tables have single characters as numbers
            assert found.rstrip() == value.rstrip()
        elif isinstance(value, int):
            bits = 8 * field.length
            assert found % (1 << bits) == value % (1 << bits), field
        else:
            assert found == value.ljust(field.length, b"\0")


@given(values(), st.booleans(), st.sampled_from(["latin-1", "cp500", "cp037"]), st.binary(max_size=9))
def test_what_the_tables_make_is_what_is_unpacked(
    case: tuple[str, int, dict[str, Any]], big: bool, charset: str, before: bytes
) -> None:
    name, version, chosen = case
    given_values: dict[str, Any] = {}
    for field in LAYOUTS[name]:
        if field.offset + field.length > VERSIONS[name][version]:
            break
        value = expected(name, version, chosen, field)
        if isinstance(value, str) and field.kind in "iu":
            value = (value or " ").encode(charset)[0]
        given_values[field.name] = value
    raw = layouts.encode(name, given_values, big=big, charset=charset)
    found, end = unpack(name, before + raw + b"rest", len(before), big_endian=big, charset=charset)
    assert end == len(before) + len(raw)
    assert found == _CLASSES[name](Version=version, **chosen)


@given(values())
def test_packing_and_unpacking_leave_a_structure_as_it_was(case: tuple[str, int, dict[str, Any]]) -> None:
    name, version, chosen = case
    value = _CLASSES[name](Version=version, **chosen)
    assert unpack(name, pack(name, value)) == (value, VERSIONS[name][version])
    # Once more: by now both are remembered, and must not be shared
    again, _ = unpack(name, pack(name, value))
    assert again == value
    again.Version = 77
    assert unpack(name, pack(name, value))[0] == value


@pytest.mark.parametrize("name", sorted(VERSIONS))
@pytest.mark.parametrize("version", [0, -1, 99, 1 << 30])
def test_an_unknown_version_travels_in_the_longest_form(name: str, version: int) -> None:
    """The queue manager is to refuse it, with its reason code."""
    packed = pack(name, _CLASSES[name](Version=version))
    assert len(packed) == max(VERSIONS[name].values())
    assert unpack(name, packed)[0].Version == version


@pytest.mark.parametrize("name", sorted(VERSIONS))
def test_a_structure_that_is_cut_short_is_refused(name: str) -> None:
    for version, length in VERSIONS[name].items():
        packed = pack(name, _CLASSES[name](Version=version))
        for end in (0, 3, 7, 8, length // 2, length - 1):
            for big in (False, True):
                with pytest.raises(ProtocolError):
                    unpack(name, packed[:end] if not big else packed[:3][:end], big_endian=big)


@given(st.sampled_from(sorted(VERSIONS)), st.binary(max_size=450), st.booleans(), st.sampled_from(["latin-1", "cp500"]))
@settings(max_examples=500)
def test_any_bytes_are_a_structure_or_a_protocol_error(name: str, raw: bytes, big: bool, charset: str) -> None:
    try:
        found, end = unpack(name, raw, big_endian=big, charset=charset)
    except ProtocolError:
        return
    assert isinstance(found, _CLASSES[name]) and end <= len(raw)


@pytest.mark.parametrize("name", sorted(VERSIONS))
@given(st.binary(min_size=400, max_size=400))
def test_any_bytes_of_a_known_version_come_back_the_same(name: str, raw: bytes) -> None:
    """But for text behind a NUL, fields that are of the wire only, and the like: the second time nothing changes."""
    version = max(VERSIONS[name])
    eye = (name + "  ").encode()[:4]
    found, _ = unpack(name, eye + struct.pack("<i", version) + raw[8:])
    packed = pack(name, found)
    assert unpack(name, packed)[0] == found


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("MD", "MsgId", b"x" * 25), ("MD", "Format", "123456789"), ("MD", "Priority", 1 << 32),
        ("MD", "Expiry", "never"), ("MD", "ReplyToQ", "\u30ad\u30e5\u30fc"), ("MD", "MsgId", 7),
        ("OD", "ObjectName", "x" * 49),
        ("PMO", "Options", None), ("PMO", "NewMsgHandle", 1 << 63), ("GMO", "MsgToken", b"x" * 17),
        ("GMO", "WaitInterval", 1.5), ("GMO", "ResolvedQName", "x" * 49), ("OD", "AlternateSecurityId", b"x" * 41),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_not_packed(name: str, field: str, value: object) -> None:
    structure = _CLASSES[name](Version=max(VERSIONS[name]))
    setattr(structure, field, value)
    for _ in range(2):
        with pytest.raises((struct.error, ValueError, TypeError)):
            pack(name, structure)


def test_a_mask_may_be_written_without_sign() -> None:
    packed = pack_md(MQMD(Report=0xFFFFFFFF))
    assert layouts.decode("MD", packed)["Report"] == 0xFFFFFFFF
    assert unpack_md(packed, 0)[0].Report == -1


def test_texts_of_any_length_are_not_remembered() -> None:
    """An MQOD with a long selection string packs as one without."""
    plain = OD.pack(MQOD(Version=4, ObjectName="Q"))
    before = len(OD._packed)
    for number in range(50):
        assert OD.pack(MQOD(Version=4, ObjectName="Q", SelectionString=f"colour = '{number}'")) == plain
    assert len(OD._packed) == before


def test_no_table_grows_without_end() -> None:
    for number in range(5000):
        unpack("OD", OD.pack(MQOD(ObjectName=f"Q.{number}")))
        unpack("GMO", GMO.pack(MQGMO(Version=4, WaitInterval=number, MsgToken=bytes([number % 256]) * 16)))
    tables = [OD._packed, OD._unpacked, wire_structures._GMO._packed, wire_structures._GMO._unpacked]
    assert all(0 < len(table) <= 2048 for table in tables)


def test_group_and_segment_status_are_single_characters() -> None:
    gmo = MQGMO(Version=2, GroupStatus=C.MQGS_LAST_MSG_IN_GROUP, SegmentStatus=C.MQSS_SEGMENT)
    decoded = layouts.decode("GMO", GMO.pack(gmo))
    assert (chr(decoded["GroupStatus"]), chr(decoded["SegmentStatus"])) == ("L", "S")
