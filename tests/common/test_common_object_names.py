"""Names: what is allowed, dynamic names, generic names, and folding to file names."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.common.names.object_names import (
    check_object_name,
    check_queue_manager_name,
    dynamic_name,
    fold,
    is_generic_name,
    is_object_name,
    matches,
    unfold,
)
from libremq.mqi.constants import MQRC_DYNAMIC_Q_NAME_ERROR, MQRC_Q_MGR_NAME_ERROR, MQRCCF_OBJECT_NAME_ERROR
from libremq.mqi.errors import MQError

OBJECT_NAMES = st.text(alphabet=string.ascii_letters + string.digits + "._/%", min_size=1, max_size=48)
FILE_NAME_CHARACTERS = set(string.ascii_letters + string.digits + "!&_%#")


@pytest.mark.parametrize("name", ["A", "a.b/c_d%e", "X" * 48, "..", "0"])
def test_valid_names(name: str) -> None:
    assert is_object_name(name)
    assert check_object_name(name) == name
    assert check_queue_manager_name(name) == name


@pytest.mark.parametrize("name", ["", " ", "A ", " A", "A B", "X" * 49, "A*", "A-B", "Ä", "A\n", "A\0", "A#"])
def test_names_that_are_refused(name: str) -> None:
    assert not is_object_name(name)
    with pytest.raises(MQError) as error:
        check_object_name(name)
    assert error.value.reason == MQRCCF_OBJECT_NAME_ERROR
    with pytest.raises(MQError) as error:
        check_queue_manager_name(name)
    assert error.value.reason == MQRC_Q_MGR_NAME_ERROR


def test_the_reason_of_a_bad_name_is_the_callers() -> None:
    with pytest.raises(MQError) as error:
        check_object_name("A B", reason=MQRC_DYNAMIC_Q_NAME_ERROR)
    assert error.value.reason == MQRC_DYNAMIC_Q_NAME_ERROR


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("ABC*", "ABC", True),
        ("ABC*", "ABCD", True),
        ("ABC*", "AB", False),
        ("*", "ANY.NAME", True),
        ("ABC", "ABC", True),
        ("ABC", "ABCD", False),
        ("abc*", "ABC", False),
        ("A*C", "ABC", False),
    ],
)
def test_generic_names(pattern: str, name: str, expected: bool) -> None:
    assert matches(pattern, name) is expected


def test_what_a_generic_name_is() -> None:
    assert is_generic_name("*")
    assert is_generic_name("X" * 48 + "*")
    assert not is_generic_name("ABC")
    assert not is_generic_name("A*B*")
    assert not is_generic_name("X" * 49 + "*")
    assert not is_generic_name("A B*")


UNIQUE = "65A1B2C320000301"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("AMQ.*", "AMQ." + UNIQUE),
        ("*", UNIQUE),
        ("A" * 32 + "*", "A" * 32 + UNIQUE),
        ("AMQ.*" + " " * 43, "AMQ." + UNIQUE),
        ("AMQ.*\0rubbish", "AMQ." + UNIQUE),
        ("MY.REPLY", "MY.REPLY"),
        ("X" * 48, "X" * 48),
    ],
)
def test_dynamic_names(pattern: str, expected: str) -> None:
    assert dynamic_name(pattern, UNIQUE) == expected


@pytest.mark.parametrize(
    "pattern", ["", "   ", "\0ABC*", "A" * 33 + "*", "A*B", "A**", "A B*", "A B", "X" * 49, "Ä*", "*A"]
)
def test_dynamic_names_that_are_refused(pattern: str) -> None:
    with pytest.raises(MQError) as error:
        dynamic_name(pattern, UNIQUE)
    assert error.value.reason == MQRC_DYNAMIC_Q_NAME_ERROR


def test_a_long_unique_part_keeps_its_end() -> None:
    name = dynamic_name("A" * 32 + "*", "0123456789ABCDEF0123")
    assert name == "A" * 32 + "456789ABCDEF0123"


@pytest.mark.parametrize("unique", ["", "A B", "*"])
def test_a_bad_unique_part_is_the_callers_mistake(unique: str) -> None:
    with pytest.raises(ValueError, match="cannot be part"):
        dynamic_name("AMQ.*", unique)


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("SYSTEM.DEFAULT.LOCAL.QUEUE", "SYSTEM!DEFAULT!LOCAL!QUEUE"),
        ("a/b", "a&b"),
        ("..", "!!"),
        ("../../etc/passwd", "!!&!!&etc&passwd"),
        ("A%B_c", "A%B_c"),
        ("!", "#21"),
        ("&", "#26"),
        ("#", "#23"),
        ("A B", "A#20B"),
        ("ü", "#c3#bc"),
        ("nul", "#6eul"),
        ("COM1", "#43OM1"),
        ("COM1.X", "COM1!X"),
        ("", "#"),
    ],
)
def test_folding(name: str, folded: str) -> None:
    assert fold(name) == folded
    assert unfold(folded) == name


@given(OBJECT_NAMES | st.text())
def test_folding_is_safe_and_can_be_undone(name: str) -> None:
    folded = fold(name)
    assert folded
    assert set(folded) <= FILE_NAME_CHARACTERS
    assert unfold(folded) == name


@given(OBJECT_NAMES)
def test_the_file_name_of_an_object_name_fits_any_file_system(name: str) -> None:
    assert len(fold(name)) <= 48 + 2


@given(st.text(alphabet="aA.!&/#0256f", max_size=8))
def test_only_folded_names_are_unfolded(file_name: str) -> None:
    try:
        name = unfold(file_name)
    except ValueError:
        return
    assert fold(name) == file_name


@pytest.mark.parametrize("file_name", ["", "a.b", "a/b", "..", "#41", "#zz", "#FF", "#ff", "NUL", "a#"])
def test_foreign_file_names_are_refused(file_name: str) -> None:
    with pytest.raises(ValueError, match="not the file name of an object"):
        unfold(file_name)
