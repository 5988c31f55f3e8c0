"""Messages in a file: what is written comes back as it was, in both forms, and what makes no sense is told by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.mqi.structs import MQMD
from libremq.tools.message_copy import Selection, parse_range
from libremq.tools.message_file import (
    FIELDS,
    FiledMessage,
    FileOptions,
    MessageFileError,
    first_lines,
    read_messages,
    written,
)

names = st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
descriptors = st.builds(
    MQMD,
    Version=st.just(2),
    Report=st.integers(-(2**31), 2**31 - 1),
    Expiry=st.integers(-1, 2**31 - 1),
    MsgId=st.binary(min_size=24, max_size=24),
    CorrelId=st.binary(min_size=24, max_size=24),
    Format=st.text(alphabet="MQSTR2 ", max_size=8),
    ReplyToQ=names,
    UserIdentifier=names,
    ApplIdentityData=names,
    AccountingToken=st.binary(min_size=32, max_size=32),
)
messages = st.builds(
    FiledMessage, descriptors, st.binary(max_size=300) | st.text().map(str.encode), st.binary(max_size=40)
)
options = st.builds(
    FileOptions, st.sampled_from(["text", "json"]), text=st.booleans(), columns=st.booleans(), header=st.booleans(),
    numbers=st.booleans(), descriptor=st.just(True), width=st.integers(1, 100),
)  # fmt: skip


def same(one: FiledMessage, other: FiledMessage) -> bool:
    def of(message: FiledMessage) -> list[object]:
        values = [getattr(message.md, field) for field in FIELDS.values()]
        return [value.rstrip() if isinstance(value, str) else value for value in values]

    return (of(one), one.data, one.properties) == (of(other), other.data, other.properties)


@given(st.lists(messages, max_size=4), options)
def test_what_is_written_comes_back(given_messages: list[FiledMessage], how: FileOptions) -> None:
    text = first_lines(how, "queue Q") + "".join(
        written(message, number, how, ["a comment"]) for number, message in enumerate(given_messages, 1)
    )
    found = list(read_messages(line + b"\n" for line in text.encode("utf-8", "surrogatepass").split(b"\n")))
    assert len(found) == len(given_messages)
    assert all(same(one, other) for one, other in zip(given_messages, found, strict=True))


def read(text: str) -> list[FiledMessage]:
    return list(read_messages(text.encode().splitlines(keepends=True)))


def test_a_file_written_by_hand() -> None:
    (one, two) = read('* mine\nN\nA FMT MQSTR\nA PRI 4\nA AID " led"\nT "tea\\n"\nX 0a 0B * ..\nT "x"\n\nN\n')
    assert (one.data, one.md.Format, one.md.Priority, one.md.ApplIdentityData) == (b"tea\n\n\x0bx", "MQSTR", 4, " led")
    assert (two.data, two.md.Priority) == (b"", -1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello\n", "line 1: this is no message file"),
        ("* LibreMQ message file, version 9\nN\n", "line 1: this release reads version 1"),
        ("* x\nA FMT MQSTR\n", "line 2: A before the first N"),
        ("N\nA NOPE 1\n", "line 2: 'NOPE' is no field; use one of RPT"),
        ("N\nA PRI high\n", "line 2: PRI (Priority) cannot be 'high'"),
        ("N\nA PRI 99999999999\n", "line 2: PRI (Priority) cannot be"),
        ("N\nA MSI 0" + "1" * 99 + "\n", "line 2: MSI (MsgId) cannot be"),
        ("N\nA MSI xyz\n", "line 2: MSI (MsgId) cannot be 'xyz'"),
        ("N\nX 0\n", "line 2: '0'... is no hexadecimal data"),
        ("N\nT tea\n", "line 2: text stands in quotes"),
        ("N\nT 12\n", "line 2: text stands in quotes"),
        ("N\nQ 1\n", "line 2: 'Q' is not known"),
        ("{\n", "line 1 is no JSON"),
        ('{"a": 1}\n', 'line 1: a message of version 1 has "libremq_message": 1'),
        ('{"libremq_message": 1, "colour": 2}\n', "line 1: 'colour' is no field of a message"),
        ('{"libremq_message": 1, "data": 2}\n', "is no hexadecimal data"),
    ],
)
def test_what_makes_no_sense_is_named(text: str, expected: str) -> None:
    with pytest.raises(MessageFileError) as caught:
        read(text)
    assert expected in str(caught.value)


def test_bytes_that_are_no_text() -> None:
    with pytest.raises(MessageFileError, match="line 1 is no UTF-8"):
        list(read_messages([b"\xff\xfe\n"]))


@given(st.binary(max_size=200))
def test_any_file_is_read_or_refused(data: bytes) -> None:
    try:
        list(read_messages(data.splitlines(keepends=True)))
    except MessageFileError:
        pass


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3", (3, 3)), ("3..7", (3, 7)), ("3..", (3, None)), ("..7", (1, 7)), ("3#5", (3, 7)), ("#5", (1, 5))],
)
def test_ranges(text: str, expected: tuple[int, int | None]) -> None:
    assert parse_range(text) == expected


@pytest.mark.parametrize("text", ["", "x", "0", "7..3", "#", "3#", "#0", "-1", "1..2..3", "9" * 12])
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(ValueError):
        parse_range(text)


def test_a_selection_that_says_nothing_fits_all() -> None:
    from datetime import UTC, datetime

    assert Selection().fits(FiledMessage(MQMD(), b""), datetime.now(UTC))
