"""Errors and reason codes: the right class, a text that helps, and every code explained."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import pytest

from libremq.mqi import constants as C
from libremq.mqi import errors
from libremq.mqi.constant_names import names_of
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.reason_table import REASONS
from libremq.mqi.reasons import close_names, find_reason, reason

CLASSES: dict[int, type[MQError]] = {
    2003: errors.UnitOfWorkBackedOut,
    2009: errors.ConnectionBroken,
    2016: errors.GetInhibited,
    2018: errors.HandleError,
    2019: errors.HandleError,
    2026: errors.StructureError,
    2030: errors.MessageTooBig,
    2031: errors.MessageTooBig,
    2033: errors.NoMessageAvailable,
    2035: errors.NotAuthorized,
    2037: errors.NotOpenFor,
    2042: errors.ObjectInUse,
    2045: errors.OptionsError,
    2046: errors.OptionsError,
    2051: errors.PutInhibited,
    2053: errors.QueueFull,
    2059: errors.QueueManagerNotAvailable,
    2071: errors.StorageFull,
    2079: errors.TruncatedMessage,
    2080: errors.TruncatedMessage,
    2082: errors.UnknownObject,
    2085: errors.UnknownObject,
    2086: errors.UnknownObject,
    2087: errors.UnknownObject,
    2100: errors.ObjectExists,
    2102: errors.StorageFull,
    2110: errors.ConversionFailed,
    2119: errors.ConversionFailed,
    2161: errors.QueueManagerStopping,
    2162: errors.QueueManagerStopping,
    2192: errors.StorageFull,
    2202: errors.QueueManagerStopping,
    2203: errors.QueueManagerStopping,
    2218: errors.MessageTooBig,
    2459: errors.SelectorError,
    2471: errors.PropertyNotFound,
    2516: errors.SelectorError,
    2519: errors.SelectorError,
    2195: MQError,
    2067: errors.InvalidAttribute,
    4001: errors.ObjectExists,
    4002: errors.ObjectTypeError,
    4005: errors.InvalidAttribute,
    4008: errors.InvalidName,
}


@pytest.mark.parametrize(("code", "expected"), CLASSES.items())
def test_the_class_is_named_after_what_went_wrong(code: int, expected: type[MQError]) -> None:
    error = mq_error(code)
    assert type(error) is expected
    assert error.reason == code
    assert error.comp_code == C.MQCC_FAILED


def test_every_reason_of_a_class_is_a_reason_code() -> None:
    assert set(errors._CLASS_OF) <= {*REASONS, *names_of("MQRCCF")}
    assert sum(map(len, errors._REASONS_OF.values())) == len(errors._CLASS_OF)  # none in two classes


def test_an_absent_property_is_a_property_error() -> None:
    with pytest.raises(errors.PropertyError):
        raise mq_error(C.MQRC_PROPERTY_NOT_AVAILABLE)


def test_the_text_says_what_where_and_what_to_do() -> None:
    error = mq_error(C.MQRC_UNKNOWN_OBJECT_NAME, "ORDERS")
    assert error.name == "MQRC_UNKNOWN_OBJECT_NAME"
    assert str(error) == (
        "MQRC_UNKNOWN_OBJECT_NAME (2085) ORDERS: no object of that name is defined. Define it, or correct the name."
    )


def test_a_detail_replaces_the_general_meaning() -> None:
    text = str(mq_error(C.MQRC_MD_ERROR, detail="MsgType is 77"))
    assert text.startswith("MQRC_MD_ERROR (2026): MsgType is 77. ")


def test_codes_without_an_explanation_still_have_a_text() -> None:
    assert str(MQError(C.MQRCCF_HOST_NOT_AVAILABLE)).startswith("MQRCCF_HOST_NOT_AVAILABLE (4010): ")
    assert str(MQError(77777, object_name="Q")) == "MQRC (77777) Q"
    assert str(MQError(77777, detail="odd")) == "MQRC (77777): odd."


@pytest.mark.parametrize("rebuild", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])
def test_errors_survive_pickle_and_copy(rebuild: object) -> None:
    error = mq_error(C.MQRC_TRUNCATED_MSG_FAILED, "Q1", "too long", C.MQCC_WARNING)
    again = rebuild(error)  # type: ignore[operator]
    assert type(again) is errors.TruncatedMessage
    assert vars(again) == vars(error)
    assert str(again) == str(error)


# --- reason codes ----------------------------------------------------------------------------------------


def test_every_reason_code_is_explained() -> None:
    values = {value for name, value in vars(C).items() if name.startswith("MQRC_")}
    assert set(REASONS) == values
    assert len(REASONS) == 570
    for code, (name, comp_codes, means, do) in REASONS.items():
        assert getattr(C, name) == code
        assert set(comp_codes) <= {0, 1, 2}
        assert re.fullmatch(r"\S.*\w{2}.*[.]", means), name
        assert re.fullmatch(r"[A-Z].*[.]", do), name
        assert "  " not in means + do


def test_completion_codes() -> None:
    assert reason(2085).comp_codes == (C.MQCC_FAILED,)
    assert reason(2079).comp_codes == (C.MQCC_WARNING,)
    assert reason(2003).comp_codes == (C.MQCC_WARNING, C.MQCC_FAILED)
    assert reason(2224).comp_codes == ()  # an event


@pytest.mark.parametrize(
    "asked",
    [2085, "2085", "MQRC_UNKNOWN_OBJECT_NAME", "unknown_object_name", "Unknown-Object-Name", "0x00000825", " 0X825 "],
)
def test_a_reason_by_number_or_name(asked: int | str) -> None:
    assert reason(asked).code == 2085


def test_old_names_and_pcf_codes_are_found() -> None:
    assert reason("MQRC_PAGESET_FULL").code == 2192
    assert reason("truncated").code == 2120
    assert reason(4010).name == "MQRCCF_HOST_NOT_AVAILABLE"
    for code in names_of("MQRCCF"):
        assert isinstance(code, int)
        assert find_reason(code) is not None


@pytest.mark.parametrize("asked", ["", "0x", "MQRC_", "nonsense", "-1", "9" * 400, "0x" + "f" * 400, "٢٠٨٥", 77777])
def test_what_is_not_a_reason(asked: int | str) -> None:
    assert find_reason(asked) is None
    with pytest.raises(KeyError):
        reason(asked)


def test_close_names() -> None:
    assert "MQRC_UNKNOWN_OBJECT_NAME" in close_names("unknwn_object_nam")
    assert "MQRC_Q_FULL" in close_names("MQRC_QFULL")
    assert close_names("") == []
    assert close_names("zzzzzzzz") == []


def test_the_reference_page_is_in_step_with_the_table() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "reason-codes.md"
    rows = re.findall(r"^\| (\d+) \| (\w+) \| (.*) \| (.*) \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    expected = [(str(code), name, means[0].upper() + means[1:], do) for code, (name, _, means, do) in REASONS.items()]
    assert rows == expected
