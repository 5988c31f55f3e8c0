"""From the text of a command to its meaning: values in quotes, and what WHERE compares."""

from __future__ import annotations

from pathlib import Path

import pytest

import libremq
from libremq.admin.mqsc_lines import CommandText
from libremq.admin.mqsc_reading import MqscSyntaxError, read_command
from libremq.admin.mqsc_session import check_text
from libremq.mqi import constants as C


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("DEFINE QLOCAL('X2'Y)", 19),
        ("DEFINE QLOCAL(X'Y')", 16),
        ("DEFINE QLOCAL('A''B'C)", 21),
        ("DEFINE NAMELIST(N) NAMES('A'B,C)", 29),
        ("DEFINE NAMELIST(N) NAMES(A,B'C')", 29),
        ("ALTER QMGR DESCR('it's mine')", 22),
        ("ALTER QLOCAL(Q) DESCR((a)'b')", 26),
    ],
)
def test_a_value_is_quoted_as_a_whole_or_not_at_all(text: str, column: int) -> None:
    with pytest.raises(MqscSyntaxError, match=f"quoted only in part, at column {column};"):
        read_command(text)


@pytest.mark.parametrize(
    ("text", "keyword", "value"),
    [
        ("ALTER QMGR DESCR('it''s mine')", "DESCR", "it's mine"),
        ("ALTER QMGR DESCR('')", "DESCR", ""),
        ("DEFINE NAMELIST(N) NAMES('a' 'b','c',D)", "NAMES", ("a", "b", "c", "D")),
        ("DEFINE CHANNEL(C) CHLTYPE(SDR) XMITQ(X) CONNAME(host(1414),other(1415))", "CONNAME", None),
    ],
)
def test_values_that_stand_apart(text: str, keyword: str, value: object) -> None:
    if value is None:  # two values where one is taken: the complaint is another one
        with pytest.raises(MqscSyntaxError, match="has 2 values"):
            read_command(text)
    else:
        assert read_command(text).parameters[keyword] == value


@pytest.fixture(scope="module")
def manager(tmp_path_factory: pytest.TempPathFactory) -> libremq.QueueManager:
    folder: Path = tmp_path_factory.mktemp("reading")
    return libremq.connect(f"embedded:QM1?create=1&data={folder}")


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("DIS CHANNEL(*) WHERE(CHLTYPE EQ SVRCONN)", ("channel", "SYSTEM.DEF.SVRCONN")),
        ("DIS CHANNEL(*) WHERE(TYPE EQ SVRCONN)", ("channel", "SYSTEM.DEF.SVRCONN")),
        ("DIS CHANNEL(SYSTEM.DEF.*) WHERE(CHLTYPE NE SVRCONN)", ("channel", "SYSTEM.DEF.SENDER")),
        ("DIS QUEUE(SYSTEM.DEFAULT.*) WHERE(TYPE EQ QALIAS)", ("queue", "SYSTEM.DEFAULT.ALIAS.QUEUE")),
        ("DIS QUEUE(SYSTEM.DEFAULT.*) WHERE(QTYPE EQ QALIAS)", ("queue", "SYSTEM.DEFAULT.ALIAS.QUEUE")),
        ("DIS AUTHINFO(*) WHERE(AUTHTYPE EQ OCSP)", ("authinfo", "SYSTEM.DEFAULT.AUTHINFO.OCSP")),
        ("DIS CHLAUTH(*) WHERE(TYPE EQ BLOCKUSER)", ("chlauth", "*")),
        ("DIS CONN(*) WHERE(TYPE EQ CONN)", ("type", "CONN")),
        ("DIS TOPIC(*) WHERE(TYPE EQ LOCAL)", ("topic", "SYSTEM.DEFAULT.TOPIC")),
        ("DIS QUEUE(*) WHERE(DEFTYPE EQ PREDEFINED)", ("queue", "SYSTEM.DEFAULT.LOCAL.QUEUE")),
        ("DIS QUEUE(*) WHERE(DEFTYPE NE PREDEFINED)", ("queue", "SYSTEM.DEFAULT.MODEL.QUEUE")),
    ],
)
def test_where_compares_the_type_of_everything_that_has_one(
    manager: libremq.QueueManager, command: str, shown: tuple[str, str]
) -> None:
    [answer] = manager.mqsc(command)
    assert answer.state == "done", answer.lines
    assert shown[1] in {row[shown[0]] for row in answer.rows}
    assert "SYSTEM.DEF.SVRCONN" not in str(answer.rows) or "EQ SVRCONN" in command


@pytest.mark.parametrize("value", ["'²'", "--1", "-", "'٣'", "9" * 5000, "1_0", "0x1", "''"])
def test_where_refuses_what_is_no_number(manager: libremq.QueueManager, value: str) -> None:
    [answer] = manager.mqsc(f"DIS QLOCAL(*) WHERE(CURDEPTH GT {value})")
    assert (answer.state, answer.reason) == ("failed", C.MQRCCF_ATTR_VALUE_ERROR), answer.lines


def test_where_takes_numbers_beyond_the_range(manager: libremq.QueueManager) -> None:
    for condition in ("GT -1", "LT 99999999999", "GE +0"):
        [answer] = manager.mqsc(f"DIS QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) WHERE(CURDEPTH {condition})")
        assert answer.state == "done", answer.lines


def test_only_letters_of_names_are_folded(manager: libremq.QueueManager) -> None:
    """A ligature in upper case is two letters, which make up another name than the one that was typed."""
    for name in ("\ufb01", "\u017f", "\u0131"):
        [answer] = manager.mqsc(f"DEFINE QLOCAL({name})")
        assert answer.state == "failed", answer.lines
    assert read_command("DEFINE QLOCAL(q) DESCR(straße)").parameters["DESCR"] == "STRAßE"


def test_where_refuses_what_is_not_shown() -> None:
    for command in ("DIS CHANNEL(*) WHERE(CURDEPTH GT 0)", "DIS QUEUE(*) WHERE(CLUSINFO EQ YES)"):
        with pytest.raises(MqscSyntaxError, match="is not an attribute that"):
            read_command(command)


@pytest.mark.parametrize(
    "text",
    [
        "ALTER AUTHINFO(A) AUTHTYPE(IDPWLDAP) LDAPPWD 'S3CRET'",
        "ALTER AUTHINFO(A) AUTHTYPE(IDPWLDAP) LDAPPWD=S3CRET",
        "ALTER AUTHINFO(A) AUTHTYPE(IDPWLDAP) LDAPPWD(abc)S3CRET)",
        "ALTER AUTHINFO(A) AUTHTYPE(IDPWLDAP) LDAPPWD S3CRET DESCR('x')",
        "ALTER AUTHINFO(A) AUTHTYPE(IDPWLDAP) LDAPPWD('S3CRET' S3CRET)",
        "ALTER AUTHINFO('A) AUTHTYPE(IDPWLDAP) LDAPPWD(S3CRET)",
        "ALTER QMGR SSLCRYP 'GSK_PKCS11=/lib;token;S3CRET;'",
        f"ALTER QMGR SSLCRYP('GSK_PKCS11=/lib;token;S3CRET;{'x' * 300}')",
    ],
)
def test_a_refused_command_does_not_tell_its_password(text: str) -> None:
    command, answer = check_text(CommandText([text], text, whole=text))
    assert command is None
    assert "S3CRET" not in " ".join(answer.lines)
