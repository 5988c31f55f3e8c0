"""MQRFH2: bytes in, folders out, and back; what is malformed is refused with an MQ reason."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.rfh2 import (
    ELEMENT_DEPTH_MAX,
    Element,
    Folder,
    Rfh2,
    element_value,
    parse_chain,
    parse_elements,
    serialize,
    value_element,
)

BIG = C.MQENC_NORMAL


def folder_bytes(text: str, order: str = "<", codec: str = "utf-8") -> bytes:
    data = text.encode(codec)
    return struct.pack(order + "i", len(data)) + data


def header_bytes(*folders: str, order: str = "<", format: str = "MQSTR   ", ccsid: int = 1208) -> bytes:
    codec = "utf-8" if ccsid == 1208 else "utf-16-be" if order == ">" else "utf-16-le"
    tail = b"".join(folder_bytes(folder, order, codec) for folder in folders)
    fixed = struct.pack(order + "4s4i8s2i", b"RFH ", 2, 36 + len(tail), 546, 819, format.encode(), 0, ccsid)
    return fixed + tail


def test_a_header_is_read_field_by_field() -> None:
    header, end = Rfh2.parse(header_bytes("<usr><a>1</a></usr> ") + b"body")
    assert end == 36 + 4 + 20
    assert (header.encoding, header.ccsid, header.format, header.flags) == (546, 819, "MQSTR", 0)
    assert [folder.name for folder in header.folders] == ["usr"]
    assert header.folders[0].elements() == [Element("usr", children=[Element("a", "1")])]


@pytest.mark.parametrize(("order", "encoding"), [("<", C.MQENC_NATIVE), (">", BIG)])
@pytest.mark.parametrize("ccsid", [1208, 1200, 13488, 17584])
def test_a_header_is_built_to_the_byte(order: str, encoding: int, ccsid: int) -> None:
    text = "<usr><a>1</a></usr>"
    header = Rfh2([Folder(text)], 546, 819, "MQSTR", 0, ccsid)
    padded = text + " "
    assert header.build(encoding) == header_bytes(padded, order=order, ccsid=ccsid)


def test_folders_are_padded_to_a_multiple_of_four() -> None:
    for extra in range(8):
        data = Rfh2([Folder("<u>" + "x" * extra + "</u>"), Folder("<v></v>")]).build()
        assert len(data) % 4 == 0
        assert [folder.name for folder in Rfh2.parse(data)[0].folders] == ["u", "v"]


def test_an_ebcdic_header_is_recognised() -> None:
    data = bytearray(header_bytes(order=">"))
    data[0:4] = "RFH ".encode("cp500")
    data[20:28] = "MQSTR   ".encode("cp500")
    assert Rfh2.parse(bytes(data))[0].format == "MQSTR"


def test_a_chain_ends_where_another_format_begins() -> None:
    data = header_bytes("<usr></usr> ", format="MQHRF2  ") + header_bytes("<jms></jms> ", order=">") + b"hello"
    chain = parse_chain(data, "MQHRF2", 1208, 546)
    assert [header.folders[0].name for header in chain.headers] == ["usr", "jms"]
    assert data[chain.body_offset :] == b"hello"
    assert (chain.format, chain.ccsid, chain.encoding) == ("MQSTR", 819, 546)


def test_inherited_ccsid_is_that_of_the_header_before() -> None:
    data = Rfh2(ccsid=C.MQCCSI_INHERIT, format="MQSTR").build()
    assert parse_chain(data, "MQHRF2  ", 850, 546).ccsid == 850


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: data[:35], C.MQRC_RFH_ERROR),
        (lambda data: b"XXXX" + data[4:], C.MQRC_RFH_ERROR),
        (lambda data: data[:4] + b"\x03" + data[5:], C.MQRC_RFH_ERROR),
        (lambda data: data[:8] + struct.pack("<i", 35) + data[12:], C.MQRC_RFH_ERROR),
        (lambda data: data[:8] + struct.pack("<i", 1000) + data[12:], C.MQRC_RFH_ERROR),
        (lambda data: data[:8] + struct.pack("<i", 38) + data[12:], C.MQRC_RFH_ERROR),
        (lambda data: data[:32] + struct.pack("<i", 37) + data[36:], C.MQRC_RFH_ERROR),
        (lambda data: data[:36] + struct.pack("<i", -1) + data[40:], C.MQRC_RFH_ERROR),
        (lambda data: data[:36] + struct.pack("<i", 999) + data[40:], C.MQRC_RFH_ERROR),
        (lambda data: data[:41] + b"\xff" + data[42:], C.MQRC_RFH_FORMAT_ERROR),
    ],
)
def test_a_damaged_header_is_refused(damage: object, reason: int) -> None:
    with pytest.raises(MQError) as caught:
        Rfh2.parse(damage(header_bytes("<usr><a>1</a></usr> ")))  # type: ignore[operator]
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    "text",
    [
        "<usr>",
        "<usr></jms>",
        "</usr>",
        "<<jms></jms>",
        "<usr><a>x</usr></a>",
        "<usr>text<a/></usr>",
        "<usr><a/>text</usr>",
        "<usr/>text",
        "<a>&bogus;</a>",
        "<a>&</a>",
        "<a>&#xD800;</a>",
        "<a>&#1114112;</a>",
        '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        "<?xml version='1.0'?><a/>",
        "<!-- no --><a/>",
        "<a b=c/>",
        "<a b='<'/>",
        "<a" * 3,
        "<a>" * (ELEMENT_DEPTH_MAX + 1) + "</a>" * (ELEMENT_DEPTH_MAX + 1),
    ],
)
def test_malformed_folders_are_refused(text: str) -> None:
    with pytest.raises(MQError) as caught:
        parse_elements(text)
    assert caught.value.reason == C.MQRC_RFH_FORMAT_ERROR


def test_a_malformed_folder_does_not_spoil_the_header() -> None:
    header, _ = Rfh2.parse(header_bytes("<psc><Command>"))
    assert header.folders[0].name == "psc"
    assert header.build() == header_bytes("<psc><Command>  ")


def test_attributes_groups_and_entities() -> None:
    (folder,) = parse_elements(
        """<a content="properties"> <g><x dt='i4' copy="reply">5</x></g> <y>&lt;&#65;&#x42;&amp;</y></a>"""
    )
    assert folder.attributes == {"content": "properties"}
    assert folder.children[0] == Element("g", children=[Element("x", "5", {"dt": "i4", "copy": "reply"})])
    assert folder.children[1].text == "<AB&"


TYPED = [
    ("string", "text", "text", C.MQTYPE_STRING),
    ("boolean", "1", True, C.MQTYPE_BOOLEAN),
    ("boolean", "false", False, C.MQTYPE_BOOLEAN),
    ("bin.hex", "00ff", b"\x00\xff", C.MQTYPE_BYTE_STRING),
    ("i1", "-128", -128, C.MQTYPE_INT8),
    ("i2", "32767", 32767, C.MQTYPE_INT16),
    ("i4", "-2147483648", -(2**31), C.MQTYPE_INT32),
    ("i8", "9223372036854775807", 2**63 - 1, C.MQTYPE_INT64),
    ("int", "7", 7, C.MQTYPE_INT64),
    ("r4", "0.5", 0.5, C.MQTYPE_FLOAT32),
    ("r8", "-1e-3", -0.001, C.MQTYPE_FLOAT64),
    ("unheard.of", "5", "5", C.MQTYPE_STRING),
]


@pytest.mark.parametrize(("dt", "text", "value", "mqtype"), TYPED)
def test_dt_gives_the_type(dt: str, text: str, value: object, mqtype: int) -> None:
    found, found_type = element_value(Element("a", text, {"dt": dt}))
    assert (found, found_type) == (value, mqtype)
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("dt", "text"),
    [("i1", "128"), ("i4", "x"), ("i8", "9" * 5000), ("boolean", "2"), ("bin.hex", "abc"), ("r8", "1_0")],
)
def test_a_value_that_is_not_of_its_dt_is_refused(dt: str, text: str) -> None:
    with pytest.raises(MQError) as caught:
        element_value(Element("a", text, {"dt": dt}))
    assert caught.value.reason == C.MQRC_RFH_FORMAT_ERROR


def test_nil_is_null() -> None:
    assert element_value(parse_elements("<a xsi:nil='true'></a>")[0]) == (None, C.MQTYPE_NULL)


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
values = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])).map(lambda v: (v, C.MQTYPE_STRING)),
    st.binary(max_size=20).map(lambda v: (v, C.MQTYPE_BYTE_STRING)),
    st.booleans().map(lambda v: (v, C.MQTYPE_BOOLEAN)),
    st.integers(-(2**63), 2**63 - 1).map(lambda v: (v, C.MQTYPE_INT64)),
    st.floats(allow_nan=False).map(lambda v: (v, C.MQTYPE_FLOAT64)),
    st.floats(width=32, allow_nan=False).map(lambda v: (v, C.MQTYPE_FLOAT32)),
    st.just((None, C.MQTYPE_NULL)),
)


@given(st.lists(st.tuples(names, values), max_size=6), st.sampled_from([1208, 1200]), st.sampled_from([273, 546]))
def test_what_is_built_is_read_again(items: list[tuple[str, tuple[object, int]]], ccsid: int, encoding: int) -> None:
    folder = Element("usr", children=[value_element(name, *value) for name, value in items])  # type: ignore[arg-type]
    data = Rfh2([Folder.of(folder)], name_value_ccsid=ccsid).build(encoding)
    header, end = Rfh2.parse(data)
    assert end == len(data)
    (found,) = header.folders[0].elements()
    assert [(child.name, element_value(child)) for child in found.children] == items


@given(
    st.recursive(
        st.builds(Element, names, st.text("ab<>&'\"", min_size=1)),
        lambda children: st.builds(
            Element,
            names,
            st.just(""),
            st.dictionaries(names, st.text("a<&'\"")),
            st.lists(children, min_size=1, max_size=4),
        ),
    )
)
def test_elements_survive_their_text(element: Element) -> None:
    assert parse_elements(serialize([element])) == [element]


@given(st.text("<>/='\"& ab!?;#x0\0"))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        parse_elements(text)
    except MQError as error:
        assert error.reason == C.MQRC_RFH_FORMAT_ERROR


@given(st.binary(max_size=60), st.integers(0, 60))
def test_no_bytes_raise_anything_else(noise: bytes, offset: int) -> None:
    data = bytearray(header_bytes("<usr><a dt='i4'>1</a></usr>"))
    data[offset : offset + len(noise)] = noise
    try:
        for header in parse_chain(bytes(data), "MQHRF2", 1208, 546).headers:
            for folder in header.folders:
                folder.elements()
    except MQError as error:
        assert error.reason in (C.MQRC_RFH_ERROR, C.MQRC_RFH_FORMAT_ERROR)
