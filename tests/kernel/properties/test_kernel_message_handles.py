"""Message handles: one behaviour of MQCRTMH, MQSETMP, MQINQMP, MQDLTMP, MQBUFMH, MQMHBUF at a time."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from libremq.kernel.properties.message_handles import MessageHandles, resolve_put_properties
from libremq.kernel.properties.message_properties import Properties
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.rfh2 import parse_chain
from libremq.mqi.structs import MQBMHO, MQCMHO, MQDMHO, MQDMPO, MQIMPO, MQMD, MQMHBO, MQPD, MQPMO, MQSMPO


def reason_of(call: Any, *args: Any, **kwargs: Any) -> int:
    with pytest.raises(MQError) as caught:
        call(*args, **kwargs)
    return caught.value.reason


class Bench:
    """A table with one handle, and calls that leave out what a test does not care about."""

    def __init__(self, options: int = 0, **values: object) -> None:
        self.handles = MessageHandles(connection=3)
        self.hmsg = self.handles.create(MQCMHO(Options=options))
        for name, value in values.items():
            self.handles.get(self.hmsg).properties[name] = value

    def set(
        self, name: str, value: object, type: int = C.MQTYPE_STRING, options: int = 0, pd: MQPD | None = None
    ) -> None:
        self.handles.set(self.hmsg, MQSMPO(Options=options), name, pd, type, value)

    def inquire(self, name: str, options: int = 0, type: int = 0, max_length: int | None = None) -> Any:
        return self.handles.inquire(self.hmsg, MQIMPO(Options=options), name, None, type, max_length)

    def delete(self, name: str, options: int = 0) -> None:
        self.handles.delete_property(self.hmsg, MQDMPO(Options=options), name)

    @property
    def names(self) -> list[str]:
        return [entry.name for entry in self.handles.get(self.hmsg).properties.entries()]

    def all_names(self, pattern: str) -> list[str]:
        found = []
        options = C.MQIMPO_INQ_FIRST
        while True:
            try:
                found.append(self.inquire(pattern, options).returned_name)
            except MQError as error:
                assert error.reason == C.MQRC_PROPERTY_NOT_AVAILABLE
                return found
            options = C.MQIMPO_INQ_NEXT


# ---- MQCRTMH, MQDLTMH


def test_handles_are_numbers_of_their_connection() -> None:
    one, other = MessageHandles(connection=1), MessageHandles(connection=2)
    first, second = one.create(), one.create()
    assert len({first, second, 0, -1}) == 4
    assert reason_of(other.get, first) == C.MQRC_HMSG_ERROR
    one.delete(first, MQDMHO())
    assert reason_of(one.get, first) == C.MQRC_HMSG_ERROR
    assert reason_of(one.delete, first) == C.MQRC_HMSG_ERROR
    assert one.get(second).properties == Properties()


def test_handles_have_a_limit() -> None:
    handles = MessageHandles(handles_max=2)
    first = handles.create()
    handles.create()
    assert reason_of(handles.create) == C.MQRC_HANDLE_NOT_AVAILABLE
    handles.delete(first)
    handles.create()


def test_a_handle_that_a_wait_holds_is_in_use() -> None:
    bench = Bench()
    bench.handles.get(bench.hmsg).in_use = True
    assert reason_of(bench.inquire, "a") == C.MQRC_MSG_HANDLE_IN_USE


def test_structures_and_options_are_checked() -> None:
    bench = Bench(a=1)
    handles, hmsg = bench.handles, bench.hmsg
    assert reason_of(handles.create, MQCMHO(StrucId="XXXX")) == C.MQRC_CMHO_ERROR
    assert reason_of(handles.create, MQCMHO(Version=2)) == C.MQRC_CMHO_ERROR
    assert reason_of(handles.create, MQCMHO(Options=3)) == C.MQRC_OPTIONS_ERROR
    assert reason_of(handles.delete, hmsg, MQDMHO(StrucId="")) == C.MQRC_DMHO_ERROR
    assert reason_of(handles.set, hmsg, MQSMPO(Version=0), "a", None, 64, 1) == C.MQRC_SMPO_ERROR
    assert reason_of(bench.set, "a", "x", options=3) == C.MQRC_OPTIONS_ERROR
    assert reason_of(handles.inquire, hmsg, MQIMPO(StrucId="PD"), "a") == C.MQRC_IMPO_ERROR
    assert reason_of(bench.inquire, "a", 1) == C.MQRC_OPTIONS_ERROR
    assert reason_of(bench.inquire, "a", C.MQIMPO_INQ_NEXT | C.MQIMPO_INQ_PROP_UNDER_CURSOR) == C.MQRC_OPTIONS_ERROR
    assert reason_of(bench.inquire, "a", max_length=-1) == C.MQRC_BUFFER_LENGTH_ERROR
    assert reason_of(handles.delete_property, hmsg, MQDMPO(StrucId=""), "a") == C.MQRC_DMPO_ERROR
    assert reason_of(handles.buffer_to_handle, hmsg, MQBMHO(StrucId=""), MQMD(), b"") == C.MQRC_BMHO_ERROR
    assert reason_of(handles.handle_to_buffer, hmsg, MQMHBO(StrucId=""), "%", MQMD()) == C.MQRC_MHBO_ERROR
    assert reason_of(handles.handle_to_buffer, hmsg, MQMHBO(Options=0), "%", MQMD()) == C.MQRC_OPTIONS_ERROR
    for pd in (MQPD(StrucId=""), MQPD(Options=1), MQPD(Support=2), MQPD(Context=2), MQPD(CopyOptions=32)):
        assert reason_of(bench.set, "a", "x", pd=pd) == C.MQRC_PD_ERROR
    assert bench.inquire("a").value == 1


# ---- MQSETMP


@pytest.mark.parametrize(
    ("type", "value", "raw"),
    [
        (C.MQTYPE_STRING, "é", "é".encode()),
        (C.MQTYPE_BYTE_STRING, b"\1\2", b"\1\2"),
        (C.MQTYPE_BOOLEAN, True, struct.pack("<i", 1)),
        (C.MQTYPE_INT8, -5, b"\xfb"),
        (C.MQTYPE_INT16, 300, struct.pack("<h", 300)),
        (C.MQTYPE_INT32, 70000, struct.pack("<i", 70000)),
        (C.MQTYPE_INT64, 2**40, struct.pack("<q", 2**40)),
        (C.MQTYPE_FLOAT32, 0.5, struct.pack("<f", 0.5)),
        (C.MQTYPE_FLOAT64, 0.1, struct.pack("<d", 0.1)),
        (C.MQTYPE_NULL, None, b""),
    ],
)
def test_every_type_as_value_and_as_bytes(type: int, value: object, raw: bytes) -> None:
    bench = Bench()
    for given in (value, raw):
        bench.set("a", given, type)
        found = bench.inquire("a")
        assert (found.value, found.type, found.data_length) == (value, type, len(raw))


def test_raw_values_follow_encoding_and_ccsid() -> None:
    bench = Bench()
    smpo = MQSMPO(ValueEncoding=C.MQENC_NORMAL, ValueCCSID=1200)
    bench.handles.set(bench.hmsg, smpo, "n", None, C.MQTYPE_INT32, b"\0\0\0\5")
    bench.handles.set(bench.hmsg, smpo, "s", None, C.MQTYPE_STRING, "hé".encode("utf-16-be"))
    assert bench.inquire("n").value == 5
    assert bench.inquire("s").value == "hé"
    bad = MQSMPO(ValueCCSID=4711)
    assert reason_of(bench.handles.set, bench.hmsg, bad, "s", None, 1024, b"x") == C.MQRC_SOURCE_CCSID_ERROR
    assert reason_of(bench.set, "n", b"123", C.MQTYPE_INT32) == C.MQRC_BUFFER_LENGTH_ERROR
    assert reason_of(bench.set, "n", b"\xff", C.MQTYPE_STRING) == C.MQRC_PROP_VALUE_NOT_CONVERTED
    assert reason_of(bench.set, "n", "x", 99) == C.MQRC_PROPERTY_TYPE_ERROR


def test_places_relative_to_the_cursor() -> None:
    bench = Bench(a=1, b=2, c=3)
    for options in (C.MQSMPO_SET_PROP_UNDER_CURSOR, C.MQSMPO_SET_PROP_AFTER_CURSOR, C.MQSMPO_SET_PROP_BEFORE_CURSOR):
        assert reason_of(bench.set, "x", "y", options=options) == C.MQRC_PROPERTY_NOT_AVAILABLE
    bench.inquire("b")
    bench.set("before", "x", options=C.MQSMPO_SET_PROP_BEFORE_CURSOR)
    bench.set("after", "x", options=C.MQSMPO_SET_PROP_AFTER_CURSOR)
    bench.set("ignored", "new", options=C.MQSMPO_SET_PROP_UNDER_CURSOR)
    bench.set("a", "again", options=C.MQSMPO_APPEND_PROPERTY)
    assert bench.names == ["a", "before", "b", "after", "c", "a"]
    assert bench.inquire("b").value == "new"
    assert bench.inquire("a").value == 1
    assert bench.inquire("a", C.MQIMPO_INQ_NEXT).value == "again"


def test_names_are_validated_unless_the_handle_says_no() -> None:
    assert reason_of(Bench().set, "not", "x") == C.MQRC_PROPERTY_NAME_ERROR
    free = Bench(C.MQCMHO_NO_VALIDATION)
    free.set("not", "x")
    assert free.inquire("not").value == "x"
    free.set("a b", "x")
    assert reason_of(free.handles.get(free.hmsg).properties.encode) == C.MQRC_PROPERTY_NAME_ERROR


def test_descriptor_comes_back() -> None:
    bench = Bench()
    bench.set(
        "a", "x", pd=MQPD(Support=C.MQPD_SUPPORT_REQUIRED, Context=C.MQPD_USER_CONTEXT, CopyOptions=C.MQCOPY_REPLY)
    )
    pd = bench.inquire("a").pd
    assert (pd.Support, pd.Context, pd.CopyOptions) == (C.MQPD_SUPPORT_REQUIRED, C.MQPD_USER_CONTEXT, C.MQCOPY_REPLY)


# ---- MQINQMP


def test_absent_property() -> None:
    assert reason_of(Bench().inquire, "a") == C.MQRC_PROPERTY_NOT_AVAILABLE
    assert reason_of(Bench().inquire, "") == C.MQRC_PROPERTY_NAME_LENGTH_ERR
    assert reason_of(Bench().inquire, "a%b") == C.MQRC_PROPERTY_NAME_ERROR
    assert reason_of(Bench().inquire, "a", C.MQIMPO_INQ_PROP_UNDER_CURSOR) == C.MQRC_PROPERTY_NOT_AVAILABLE


def test_iteration_with_a_wildcard() -> None:
    bench = Bench(color="red", colour="rot", JMSType="t")
    bench.set("my.group.x", "1")
    assert bench.all_names("%") == ["color", "colour", "JMSType", "my.group.x"]
    assert bench.all_names("col%") == ["color", "colour"]
    assert bench.all_names("usr.%") == ["color", "colour"]
    assert bench.all_names("my.%") == ["my.group.x"]
    assert bench.all_names("mcd.%") == bench.all_names("JMS%") == ["JMSType"]
    assert bench.all_names("zz%") == []
    assert "Root.MQMD.Priority" in bench.all_names("Root.MQMD.%")
    assert bench.all_names("Root.MQMD.Put%") == [f"Root.MQMD.Put{x}" for x in ("ApplType", "ApplName", "Date", "Time")]


def test_iteration_goes_on_after_a_deletion() -> None:
    bench = Bench(a=1, b=2, c=3)
    bench.inquire("%")
    bench.inquire("%", C.MQIMPO_INQ_NEXT)
    bench.delete("", C.MQDMPO_DEL_PROP_UNDER_CURSOR)
    assert bench.names == ["a", "c"]
    assert reason_of(bench.inquire, "%", C.MQIMPO_INQ_PROP_UNDER_CURSOR) == C.MQRC_PROPERTY_NOT_AVAILABLE
    bench.delete("a")
    assert bench.inquire("%", C.MQIMPO_INQ_NEXT).returned_name == "c"
    assert reason_of(bench.inquire, "%", C.MQIMPO_INQ_NEXT) == C.MQRC_PROPERTY_NOT_AVAILABLE


def test_a_long_value_is_cut_with_a_warning_and_the_cursor_is_on_it() -> None:
    bench = Bench(s="é" * 40, raw=b"x" * 70)
    found = bench.inquire("s", max_length=63)
    assert (found.comp_code, found.reason) == (C.MQCC_WARNING, C.MQRC_PROPERTY_VALUE_TOO_BIG)
    assert (found.value, found.data_length) == ("é" * 31, 80)
    again = bench.inquire("", C.MQIMPO_INQ_PROP_UNDER_CURSOR, max_length=found.data_length)
    assert (again.value, again.reason) == ("é" * 40, C.MQRC_NONE)
    assert bench.inquire("raw", max_length=64).value == b"x" * 64
    assert bench.inquire("raw", max_length=70).reason == C.MQRC_NONE


def test_query_length() -> None:
    found = Bench(s="abc").inquire("s", C.MQIMPO_QUERY_LENGTH, max_length=0)
    assert (found.value, found.data_length, found.reason) == (None, 3, C.MQRC_NONE)


def test_type_conversion() -> None:
    bench = Bench(n=5, s="12", word="twelve", b=True)
    assert bench.inquire("n", type=C.MQTYPE_STRING).value == 5
    found = bench.inquire("n", C.MQIMPO_CONVERT_TYPE, C.MQTYPE_STRING)
    assert (found.value, found.type, found.data_length) == ("5", C.MQTYPE_STRING, 1)
    assert bench.inquire("s", C.MQIMPO_CONVERT_TYPE, C.MQTYPE_INT16).value == 12
    assert bench.inquire("b", C.MQIMPO_CONVERT_TYPE, C.MQTYPE_INT64).value == 1
    assert bench.inquire("n", C.MQIMPO_CONVERT_TYPE, C.MQTYPE_AS_SET).type == C.MQTYPE_INT32
    wrong = (bench.inquire, "word", C.MQIMPO_CONVERT_TYPE, C.MQTYPE_INT32)
    assert reason_of(*wrong) == C.MQRC_PROP_NUMBER_FORMAT_ERROR
    assert reason_of(bench.inquire, "n", C.MQIMPO_CONVERT_TYPE, C.MQTYPE_INT16) == C.MQRC_PROP_CONV_NOT_SUPPORTED
    assert reason_of(bench.inquire, "n", C.MQIMPO_CONVERT_TYPE, 3) == C.MQRC_PROPERTY_TYPE_ERROR


def test_value_conversion_to_a_code_page() -> None:
    bench = Bench(s="é€")
    impo = MQIMPO(Options=C.MQIMPO_CONVERT_VALUE, RequestedCCSID=1200)
    found = bench.handles.inquire(bench.hmsg, impo, "s")
    assert (found.data_length, impo.ReturnedCCSID, impo.ReturnedName) == (4, 1200, "s")
    impo = MQIMPO(Options=C.MQIMPO_CONVERT_VALUE, RequestedCCSID=819)
    found = bench.handles.inquire(bench.hmsg, impo, "s")
    assert (found.reason, found.comp_code) == (C.MQRC_PROP_VALUE_NOT_CONVERTED, C.MQCC_WARNING)
    assert (found.value, impo.ReturnedCCSID) == ("é€", 1208)


def test_fields_of_the_descriptor_are_properties() -> None:
    bench = Bench()
    bench.handles.get(bench.hmsg).receive(
        MQMD(Priority=4, Format="MQSTR", MsgId=b"\1" * 24, BackoutCount=1), Properties()
    )
    assert bench.inquire("Root.MQMD.Priority").value == 4
    assert bench.inquire("Root.MQMD.Format").value == "MQSTR"
    assert bench.inquire("JMSMessageID").value == "ID:" + "01" * 24
    assert bench.inquire("JMSRedelivered").value is True
    assert bench.inquire("JMSDeliveryMode").value == 1
    assert reason_of(bench.inquire, "Root.MQMD.StrucId") == C.MQRC_PROPERTY_NOT_AVAILABLE
    assert reason_of(bench.inquire, "JMSCorrelationID") == C.MQRC_PROPERTY_NOT_AVAILABLE
    bench.set("Root.MQMD.Priority", 6, C.MQTYPE_INT32)
    bench.set("Root.MQMD.CorrelId", b"abc", C.MQTYPE_BYTE_STRING)
    md = bench.handles.get(bench.hmsg).md
    assert (md.Priority, md.CorrelId) == (6, b"abc".ljust(24, b"\0"))
    assert reason_of(bench.set, "Root.MQMD.Priority", "6") == C.MQRC_PROPERTY_TYPE_ERROR
    assert reason_of(bench.set, "Root.MQMD.ReplyToQ", "x" * 49) == C.MQRC_PROPERTY_TYPE_ERROR
    assert reason_of(bench.set, "Root.MQMD.Version", 1, C.MQTYPE_INT32) == C.MQRC_PROPERTY_NAME_ERROR
    assert reason_of(bench.delete, "Root.MQMD.Priority") == C.MQRC_PROPERTY_NAME_ERROR
    assert bench.names == []


def test_jms_names() -> None:
    bench = Bench()
    bench.set("JMSCorrelationID", "ID:" + "ab" * 24)
    bench.set("JMSXGroupSeq", 3, C.MQTYPE_INT32)
    assert bench.names == ["jms.Cid", "jms.Seq"]
    assert bench.handles.get(bench.hmsg).md.CorrelId == b"\xab" * 24
    assert reason_of(bench.set, "JMSXGroupSeq", "3") == C.MQRC_PROPERTY_TYPE_ERROR
    assert reason_of(bench.set, "JMSPriority", 3, C.MQTYPE_INT32) == C.MQRC_PROPERTY_NAME_ERROR


def test_receive_replaces_what_was_there() -> None:
    bench = Bench(a=1)
    bench.inquire("a")
    bench.handles.get(bench.hmsg).receive(MQMD(), Properties({"b": 2}))
    assert bench.names == ["b"]
    assert reason_of(bench.inquire, "", C.MQIMPO_INQ_PROP_UNDER_CURSOR) == C.MQRC_PROPERTY_NOT_AVAILABLE


# ---- MQDLTMP


def test_delete() -> None:
    bench = Bench(a=1, b=2)
    bench.delete("usr.a")
    assert bench.names == ["b"]
    assert reason_of(bench.delete, "a") == C.MQRC_PROPERTY_NOT_AVAILABLE
    assert reason_of(bench.delete, "%") == C.MQRC_PROPERTY_NAME_ERROR
    assert reason_of(bench.delete, "", C.MQDMPO_DEL_PROP_UNDER_CURSOR) == C.MQRC_PROPERTY_NOT_AVAILABLE


# ---- MQBUFMH, MQMHBUF


def test_to_a_buffer_and_back() -> None:
    bench = Bench(color="red", n=5)
    md = MQMD(Format="MQSTR", CodedCharSetId=819, Encoding=C.MQENC_NORMAL)
    made = bench.handles.handle_to_buffer(bench.hmsg, MQMHBO(), "%", md)
    assert (made.md.Format, made.md.Encoding, md.Format) == ("MQHRF2", C.MQENC_NORMAL, "MQSTR")
    assert bench.names == ["color", "n"]
    chain = parse_chain(made.buffer, "MQHRF2", made.md.CodedCharSetId, made.md.Encoding)
    assert (chain.body_offset, chain.format, chain.ccsid) == (made.data_length, "MQSTR", 819)
    other = Bench(gone=1)
    described, data = other.handles.buffer_to_handle(other.hmsg, MQBMHO(), made.md, made.buffer + b"body")
    assert other.names == ["color", "n"]
    assert (data, described.Format, described.CodedCharSetId, described.Encoding) == (
        b"body",
        "MQSTR",
        819,
        C.MQENC_NORMAL,
    )
    kept = other.handles.buffer_to_handle(other.hmsg, MQBMHO(Options=0), made.md, made.buffer + b"body")
    assert kept == (made.md, made.buffer + b"body")


def test_to_a_buffer_by_name_with_deletion() -> None:
    bench = Bench(color="red", colour="rot", n=5)
    small = bench.handles.handle_to_buffer(bench.hmsg, MQMHBO(Options=3), "col%", MQMD(), 10)
    assert (small.buffer, small.comp_code, small.reason) == (b"", C.MQCC_FAILED, C.MQRC_PROPERTY_VALUE_TOO_BIG)
    assert bench.names == ["color", "colour", "n"]
    made = bench.handles.handle_to_buffer(bench.hmsg, MQMHBO(Options=3), "col%", MQMD(), small.data_length)
    assert len(made.buffer) == small.data_length
    assert bench.names == ["n"]
    assert reason_of(bench.handles.handle_to_buffer, bench.hmsg, None, "col%", MQMD()) == C.MQRC_PROPERTY_NOT_AVAILABLE


def test_a_bad_buffer_leaves_the_handle_alone() -> None:
    bench = Bench(a=1)
    bad = (bench.handles.buffer_to_handle, bench.hmsg, None, MQMD(Format="MQHRF2"), b"RFH nonsense")
    assert reason_of(*bad) == C.MQRC_RFH_ERROR
    assert bench.names == ["a"]
    described, data = bench.handles.buffer_to_handle(bench.hmsg, None, MQMD(Format="MQSTR"), b"plain")
    assert (described.Format, data, bench.names) == ("MQSTR", b"plain", [])


# ---- MQPUT


def put_names(handles: MessageHandles, **pmo: int) -> dict[str, object]:
    stored, data = resolve_put_properties(handles, MQPMO(Version=3, **pmo), MQMD(), b"data")
    assert data == b"data"
    return dict(Properties.decode(stored).as_dict())


def test_put_without_handles() -> None:
    data = b"data"
    stored, same = resolve_put_properties(MessageHandles(), MQPMO(Version=3), MQMD(), data)
    assert (stored, same is data) == (b"", True)
    assert resolve_put_properties(MessageHandles(), MQPMO(Version=1, NewMsgHandle=5), MQMD(), data)[0] == b""


def test_put_combines_the_handles_by_action() -> None:
    handles = MessageHandles()
    original, new = handles.create(), handles.create()
    source = handles.get(original).properties
    source.set("fwd", 1)
    source.set("reply", 1, copy_options=C.MQCOPY_REPLY)
    source.set("gone", 1, copy_options=C.MQCOPY_ALL)
    changes = handles.get(new).properties
    changes.set("fwd", 2)
    changes.set("gone", None)
    changes.set("extra", 3)
    assert put_names(handles, NewMsgHandle=new) == {"fwd": 2, "gone": None, "extra": 3}
    assert put_names(handles, OriginalMsgHandle=original) == {"fwd": 1, "reply": 1, "gone": 1}
    both = {"OriginalMsgHandle": original, "NewMsgHandle": new}
    assert put_names(handles, Action=C.MQACTP_FORWARD, **both) == {"fwd": 2, "extra": 3}
    assert put_names(handles, Action=C.MQACTP_REPLY, **both) == {"fwd": 2, "extra": 3, "reply": 1}
    assert put_names(handles, Action=C.MQACTP_REPLY, OriginalMsgHandle=original) == {"reply": 1, "gone": 1}
    assert source.as_dict() == {"fwd": 1, "reply": 1, "gone": 1}


def test_put_refuses() -> None:
    handles = MessageHandles()
    hmsg = handles.create()
    handles.get(hmsg).properties["a"] = "x" * 50

    def put(max_length: int = -1, **pmo: int) -> object:
        return resolve_put_properties(handles, MQPMO(Version=3, **pmo), MQMD(), b"", max_length)

    assert reason_of(put, NewMsgHandle=99) == C.MQRC_HMSG_ERROR
    assert reason_of(put, Action=C.MQACTP_REPLY, NewMsgHandle=hmsg) == C.MQRC_HMSG_ERROR
    assert reason_of(put, Action=9, OriginalMsgHandle=hmsg) == C.MQRC_ACTION_ERROR
    assert reason_of(put, 50, NewMsgHandle=hmsg) == C.MQRC_PROPERTIES_TOO_BIG
    put(51, NewMsgHandle=hmsg)
