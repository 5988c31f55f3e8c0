"""Message properties: names, types, the stored form, and what MQGET shows of them."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helper_rows import over_rows
from libremq.kernel.properties.message_properties import Properties, Property
from libremq.kernel.properties.property_delivery import extract, insert, present, to_rfh2
from libremq.kernel.properties.property_types import convert
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.rfh2 import Folder, Rfh2, parse_chain
from libremq.mqi.structs import MQDLH


def reason_of(call: Any, *args: Any, **kwargs: Any) -> int:
    with pytest.raises(MQError) as caught:
        call(*args, **kwargs)
    return caught.value.reason


# ---- names


@pytest.mark.parametrize(
    "name",
    [
        "color",
        "usr.color",
        "_x",
        "$y",
        "été",
        "a.b.c",
        "mq_usr.a.b",
        "mq.x",
        "mqfoo",
        "JMSType",
        "JMSCorrelationID",
        "nullable",
        "a" * 4095,
    ],
)
def test_allowed_names(name: str) -> None:
    properties = Properties({name: 1})
    assert name in properties
    assert properties[name] == 1


@pytest.mark.parametrize(
    "name",
    ["1a", "a b", "a..b", ".a", "a.", "a-b", "JMSFoo", "JMSMessageID", "usr.JMSType", "usr.a.b", "null", "Between",
     "usr.AND", "mq.a.b", "MQx.a.b", "Root.MQMD.Priority", "Root.x", "Body.x", "a.1", "a" + ".a" * 200],
)  # fmt: skip
def test_names_that_break_the_rules(name: str) -> None:
    assert reason_of(Properties().set, name, 1) == C.MQRC_PROPERTY_NAME_ERROR


def test_name_lengths() -> None:
    assert reason_of(Properties().set, "", 1) == C.MQRC_PROPERTY_NAME_LENGTH_ERR
    assert reason_of(Properties().set, "a" * 4096, 1) == C.MQRC_PROPERTY_NAME_LENGTH_ERR


def test_synonyms_are_one_property() -> None:
    properties = Properties({"color": "red"})
    properties["usr.color"] = "blue"
    assert properties.as_dict() == {"color": "blue"}
    properties["JMSType"] = "t"
    assert properties["mcd.Type"] == "t"
    assert len(properties) == 2


def test_a_name_is_a_value_or_a_group() -> None:
    properties = Properties({"a.b": 1})
    assert reason_of(properties.set, "a.b.c", 1) == C.MQRC_MIXED_CONTENT_NOT_ALLOWED
    properties = Properties({"a.b.c": 1, "a.bb": 1, "a": 1})
    assert reason_of(properties.set, "a.b", 1) == C.MQRC_MIXED_CONTENT_NOT_ALLOWED
    assert list(properties) == ["a.b.c", "a.bb", "a"]


# ---- types


@pytest.mark.parametrize(
    ("value", "mqtype"),
    [
        ("x", C.MQTYPE_STRING),
        (True, C.MQTYPE_BOOLEAN),
        (1, C.MQTYPE_INT32),
        (-(2**31), C.MQTYPE_INT32),
        (2**31, C.MQTYPE_INT64),
        (1.5, C.MQTYPE_FLOAT64),
        (b"x", C.MQTYPE_BYTE_STRING),
        (None, C.MQTYPE_NULL),
    ],
)
def test_python_values_have_types(value: object, mqtype: int) -> None:
    entry = Properties().set("a", value)
    assert (entry.value, entry.type) == (value, mqtype)


def test_values_that_do_not_fit() -> None:
    for value, mqtype in [(2**63, None), (object(), None), (128, C.MQTYPE_INT8), ("x", C.MQTYPE_INT32), (1, 77),
                          (b"", C.MQTYPE_STRING), (1, C.MQTYPE_STRING)]:  # fmt: skip
        assert reason_of(Properties().set, "a", value, mqtype) == C.MQRC_PROPERTY_TYPE_ERROR
    assert reason_of(Properties().set, "a", "\ud800") == C.MQRC_PROP_VALUE_NOT_CONVERTED


ALL_TYPES = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
CONVERTIBLE = {
    C.MQTYPE_BOOLEAN: {1024, 16, 32, 64, 128},
    C.MQTYPE_BYTE_STRING: {1024},
    C.MQTYPE_INT8: {1024, 32, 64, 128},
    C.MQTYPE_INT16: {1024, 64, 128},
    C.MQTYPE_INT32: {1024, 128},
    C.MQTYPE_INT64: {1024},
    C.MQTYPE_FLOAT32: {1024, 512},
    C.MQTYPE_FLOAT64: {1024},
    C.MQTYPE_STRING: {4, 16, 32, 64, 128, 256, 512},
    C.MQTYPE_NULL: set(),
}
SAMPLE: dict[int, Any] = {2: None, 4: True, 8: b"\xab", 16: 1, 32: 1, 64: 1, 128: 1, 256: 0.5, 512: 0.5, 1024: "1"}


@over_rows("actual", ALL_TYPES)
@over_rows("wanted", ALL_TYPES)
def test_conversion_table(actual: int, wanted: int) -> None:
    if actual == wanted or wanted in CONVERTIBLE[actual]:
        convert(SAMPLE[actual], actual, wanted)
    else:
        assert reason_of(convert, SAMPLE[actual], actual, wanted) == C.MQRC_PROP_CONV_NOT_SUPPORTED


def test_conversion_values() -> None:
    assert convert(True, 4, 1024) == "TRUE"
    assert convert(False, 4, 64) == 0
    assert convert(b"\xab\x01", 8, 1024) == "AB01"
    assert convert(" -12", 1024, 64) == -12
    assert convert("1.5e1", 1024, 512) == 15.0
    assert convert("FALSE", 1024, 4) is False
    for text, wanted in [("x", 64), ("300", 16), ("maybe", 4), ("", 512)]:
        assert reason_of(convert, text, 1024, wanted) == C.MQRC_PROP_NUMBER_FORMAT_ERROR


# ---- order and duplicates


def test_new_properties_join_their_folder() -> None:
    properties = Properties({"a": 1, "x.y": 2})
    properties.set("b", 3)
    assert list(properties) == ["a", "b", "x.y"]


def test_duplicates_keep_their_order_and_the_first_answers() -> None:
    properties = Properties({"a": 1, "b": 2})
    properties.add(Property("a", 3, C.MQTYPE_INT32))
    assert [(entry.name, entry.value) for entry in properties.entries()] == [("a", 1), ("b", 2), ("a", 3)]
    assert properties["a"] == 1
    del properties["a"]
    assert properties["a"] == 3
    assert reason_of(properties.__delitem__, "zz") == C.MQRC_PROPERTY_NOT_AVAILABLE


def test_a_copy_is_independent() -> None:
    original = Properties({"a": 1})
    copied = original.copy()
    copied["a"] = 2
    assert original["a"] == 1


def test_copy_options_choose() -> None:
    properties = Properties()
    properties.set("plain", 1)
    properties.set("reply", 1, copy_options=C.MQCOPY_REPLY)
    properties.set("all", 1, copy_options=C.MQCOPY_ALL)
    properties.set("none", 1, copy_options=C.MQCOPY_NONE)
    assert list(properties.for_copy(C.MQCOPY_REPLY)) == ["reply", "all"]
    assert list(properties.for_copy(C.MQCOPY_FORWARD)) == ["plain", "all"]


# ---- the stored form


def test_stored_bytes_are_fixed() -> None:
    properties = Properties({"a": 1, "b": "é"})
    assert (
        properties.encode().hex() == "01" + "02" + "06" + "01" + "61" + "01000000" + "03" + "01" + "62" + "02" + "c3a9"
    )
    assert Properties().encode() == b""
    assert len(Properties.decode(b"")) == 0


values = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.binary(max_size=200),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
)  # fmt: skip
property_sets = st.dictionaries(
    st.from_regex(r"(x\.|mq_usr\.g\.|jms\.)?p[a-z]{1,3}", fullmatch=True), values, max_size=8
).map(Properties)


def described(properties: Properties) -> list[tuple[Any, ...]]:
    return [(e.name, e.value, e.type, e.support, e.context, e.copy_options) for e in properties.entries()]


@given(property_sets, st.integers(0, 31), st.sampled_from([1, 1024, 1048576]))
def test_what_is_encoded_is_decoded(properties: Properties, copy_options: int, support: int) -> None:
    properties.set("last", "x", support=support, context=C.MQPD_USER_CONTEXT, copy_options=copy_options)
    stored = properties.encode()
    assert described(Properties.decode(stored)) == described(properties)
    assert Properties.decode(stored).encode() == stored


@given(property_sets, st.data())
def test_damaged_bytes_are_refused_or_read_as_properties(properties: Properties, data: st.DataObject) -> None:
    stored = bytearray(properties.encode())
    position = data.draw(st.integers(0, len(stored)))
    stored[position : position + 1] = data.draw(st.binary(max_size=3))
    try:
        Properties.decode(bytes(stored))
    except MQError as error:
        assert error.reason == C.MQRC_UNEXPECTED_ERROR


def test_unknown_version_is_refused() -> None:
    assert reason_of(Properties.decode, b"\x02\x00") == C.MQRC_UNEXPECTED_ERROR


def test_names_without_validation_are_checked_when_stored() -> None:
    properties = Properties()
    properties.set("between", 1, validate=False)
    assert Properties.decode(properties.encode())["between"] == 1
    properties.set("a<b", 1, validate=False)
    assert reason_of(properties.encode) == C.MQRC_PROPERTY_NAME_ERROR


def test_data_length() -> None:
    assert Properties({"ab": "é", "c": 1, "d": True, "e": None}).data_length == 2 + 2 + 1 + 4 + 1 + 4 + 1


# ---- MQRFH2


def test_folders_made_of_properties() -> None:
    properties = Properties(
        {"color": "a<b", "n": 5, "jms.Dst": "queue:///Q", "my.group.deep": None, "my.group.b": b"\xff"}
    )
    properties.set("mq.x", True, support=C.MQPD_SUPPORT_REQUIRED)
    properties.set("z", "", context=C.MQPD_USER_CONTEXT, copy_options=C.MQCOPY_REPLY | C.MQCOPY_PUBLISH)
    assert [folder.text for folder in to_rfh2(properties).folders] == [
        "<usr><color>a&lt;b</color><n dt='i4'>5</n><z context='user' copy='reply,publish'></z></usr>",
        "<jms><Dst>queue:///Q</Dst></jms>",
        "<my content='properties'><group><deep xsi:nil='true'></deep><b dt='bin.hex'>ff</b></group></my>",
        "<mq><x dt='boolean' sr='required'>1</x></mq>",
    ]


@given(property_sets, st.sampled_from([C.MQENC_NATIVE, C.MQENC_NORMAL]), st.sampled_from([1208, 819, 500]))
def test_properties_survive_an_rfh2(properties: Properties, encoding: int, ccsid: int) -> None:
    data, *description = insert(properties, b"body", "MQSTR", ccsid, encoding)
    assert description == ["MQHRF2", 1208, encoding]
    found, body, *rest = extract(data, *description)
    assert body == b"body"
    assert rest == ["MQSTR", ccsid, encoding]
    by_name = {entry[0]: entry[1:] for entry in described(found)}
    assert by_name == {entry[0]: entry[1:] for entry in described(properties)}


def rfh2(*folders: str, format: str = "MQSTR", ccsid: int = 819) -> bytes:
    return Rfh2([Folder(text) for text in folders], ccsid=ccsid, format=format).build()


USR = "<usr><color>red</color><n dt='i4'>7</n></usr>"


def test_folders_that_are_no_properties_stay() -> None:
    data = rfh2("<psc><Command>Publish</Command></psc>", USR, "<app content='properties'><k>v</k></app>") + b"body"
    found, rest, *description = extract(data, "MQHRF2", 1208, 546)
    assert found.as_dict() == {"color": "red", "n": 7, "app.k": "v"}
    chain = parse_chain(rest, *description)
    assert [folder.text for folder in chain.headers[0].folders] == ["<psc><Command>Publish</Command></psc>"]
    assert rest[chain.body_offset :] == b"body"
    assert (chain.format, chain.ccsid) == ("MQSTR", 819)


def test_what_cannot_be_parsed_stays_as_it_is() -> None:
    for data in (b"", b"RFH " + b"\xff" * 40, rfh2("<usr><a>")):
        assert extract(data, "MQHRF2", 1208, 546) == (Properties(), data, "MQHRF2", 1208, 546)


def test_elements_nobody_could_name_are_left_out() -> None:
    found = extract(rfh2("<usr><a.b>1</a.b><c>2</c></usr>"), "MQHRF2", 1208, 546)[0]
    assert found.as_dict() == {"c": "2"}


def test_properties_are_merged_into_the_header_that_is_there() -> None:
    data, *description = insert(Properties({"n": 8, "new": 1}), rfh2(USR, "<psc></psc>") + b"body", "MQHRF2", 1208, 546)
    chain = parse_chain(data, *description)
    assert len(chain.headers) == 1
    assert [folder.name for folder in chain.headers[0].folders] == ["usr", "psc"]
    assert extract(data, *description)[0].as_dict() == {"n": 8, "new": 1, "color": "red"}


def test_the_header_goes_behind_a_dead_letter_header() -> None:
    dlh = MQDLH(Format="MQSTR", CodedCharSetId=819, Encoding=546).pack()
    data, format, ccsid, encoding = insert(Properties({"a": 1}), dlh + b"body", "MQDEAD", 1208, 546)
    assert (format, ccsid, encoding) == ("MQDEAD", 1208, 546)
    front = MQDLH.unpack(data)
    assert (front.Format, front.CodedCharSetId) == ("MQHRF2", 1208)
    chain = parse_chain(data[len(dlh) :], "MQHRF2", 1208, 546)
    assert (chain.format, chain.ccsid) == ("MQSTR", 819)
    found, rest, *_ = extract(data, format, ccsid, encoding)
    assert found.as_dict() == {"a": 1}
    assert rest == dlh + b"body"


# ---- what MQGET shows

USER = Properties({"color": "red"})
OTHER = Properties({"my.prop": "x"})
IN_DATA = rfh2(USR) + b"body"


def shown(properties: Properties | None, data: bytes = b"body", format: str = "MQSTR", **how: Any) -> tuple[str, Any]:
    """Where the properties are: 'data' or 'no data' properties, and what the handle gets."""
    new_data, new_format, ccsid, encoding, for_handle = present(properties, format, 819, 546, data, **how)
    in_data, body, *_ = extract(new_data, new_format, ccsid, encoding)
    assert body == b"body"
    return ",".join(in_data), None if for_handle is None else ",".join(for_handle)


@pytest.mark.parametrize(
    ("propctl", "handle", "user", "other"),
    [
        (C.MQPROP_COMPATIBILITY, False, ("color", None), ("", None)),
        (C.MQPROP_COMPATIBILITY, True, ("", "color"), ("", "my.prop")),
        (C.MQPROP_NONE, False, ("", None), ("", None)),
        (C.MQPROP_NONE, True, ("", "color"), ("", "my.prop")),
        (C.MQPROP_ALL, False, ("color", None), ("my.prop", None)),
        (C.MQPROP_ALL, True, ("", "color"), ("", "my.prop")),
        (C.MQPROP_FORCE_MQRFH2, False, ("color", None), ("my.prop", None)),
        (C.MQPROP_FORCE_MQRFH2, True, ("color", None), ("my.prop", None)),
        (C.MQPROP_V6COMPAT, False, ("", None), ("", None)),
        (C.MQPROP_V6COMPAT, True, ("", "color"), ("", "my.prop")),
    ],
)
def test_the_queue_decides(propctl: int, handle: bool, user: object, other: object) -> None:
    assert shown(USER, propctl=propctl, has_handle=handle) == user
    assert shown(OTHER, propctl=propctl, has_handle=handle) == other


@pytest.mark.parametrize(
    ("option", "handle", "user", "other"),
    [
        (C.MQGMO_PROPERTIES_FORCE_MQRFH2, True, ("color", None), ("my.prop", None)),
        (C.MQGMO_NO_PROPERTIES, True, ("", None), ("", None)),
        (C.MQGMO_PROPERTIES_IN_HANDLE, True, ("", "color"), ("", "my.prop")),
        (C.MQGMO_PROPERTIES_COMPATIBILITY, True, ("color", None), ("", None)),
    ],
)
@pytest.mark.parametrize("propctl", [0, 1, 2, 3, 4])
def test_the_get_options_overrule_the_queue(
    option: int, handle: bool, user: object, other: object, propctl: int
) -> None:
    how = {"gmo_options": option | C.MQGMO_WAIT, "has_handle": handle, "propctl": propctl}
    assert shown(USER, **how) == user
    assert shown(OTHER, **how) == other


def test_options_that_make_no_sense() -> None:
    args = (USER, "MQSTR", 819, 546, b"body")
    assert reason_of(present, *args, gmo_options=C.MQGMO_PROPERTIES_IN_HANDLE) == C.MQRC_HMSG_ERROR
    both = C.MQGMO_PROPERTIES_IN_HANDLE | C.MQGMO_NO_PROPERTIES
    assert reason_of(present, *args, gmo_options=both, has_handle=True) == C.MQRC_OPTIONS_ERROR


def test_without_properties_nothing_is_touched() -> None:
    data = b"body"
    for properties in (None, Properties()):
        result = present(properties, "MQSTR", 819, 546, data)
        assert result[0] is data
        assert result[1:] == ("MQSTR", 819, 546, None)
    handed = present(None, "MQSTR", 819, 546, data, has_handle=True)[4]
    assert handed is not None and not handed


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, ("color,n", None)),
        ({"propctl": C.MQPROP_NONE}, ("", None)),
        ({"propctl": C.MQPROP_ALL}, ("color,n", None)),
        ({"has_handle": True}, ("", "color,n")),
        ({"gmo_options": C.MQGMO_NO_PROPERTIES}, ("", None)),
        ({"propctl": C.MQPROP_V6COMPAT, "has_handle": True}, ("color,n", "")),
    ],
)
def test_an_rfh2_that_the_sender_put(how: dict[str, Any], expected: object) -> None:
    assert shown(None, IN_DATA, "MQHRF2", **how) == expected


def test_a_senders_rfh2_comes_back_byte_for_byte() -> None:
    assert present(None, "MQHRF2", 1208, 546, IN_DATA)[0] is IN_DATA
    broken = b"RFH " + struct.pack("<i", 9) + b"x" * 40
    for option in (0, C.MQGMO_NO_PROPERTIES, C.MQGMO_PROPERTIES_FORCE_MQRFH2):
        assert present(None, "MQHRF2", 1208, 546, broken, gmo_options=option)[:2] == (broken, "MQHRF2")


def test_both_kinds_together() -> None:
    assert shown(Properties({"n": 9, "z": 1}), IN_DATA, "MQHRF2", has_handle=True) == ("", "n,z,color")
    assert shown(OTHER, IN_DATA, "MQHRF2") == ("my.prop,color,n", None)
