"""The attribute tables: consistent with themselves, with the classes, and with the reference page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, ClassVar, get_origin, get_type_hints

import pytest

from helper_rows import over_rows
from libremq.kernel.objects.attribute_tables import GENERIC_TYPES, QUEUE_TYPES, SUB_TABLE, TABLES, char_length
from libremq.kernel.objects.attributes import Attribute, AttributeTable, Kind, Source, convert
from libremq.kernel.objects.catalogue import DEFAULT_OBJECTS
from libremq.kernel.objects.object_types import CLASSES
from libremq.kernel.objects.status_tables import CHSTATUS_BY_TYPE, STATUS_TABLES
from libremq.kernel.objects.system_objects import SYSTEM_OBJECTS, SYSTEM_RULES
from libremq.mqi import constants as mq
from libremq.mqi.errors import MQError

ROWS = [pytest.param(kind, row, id=f"{kind}-{row.keyword}") for kind, table in TABLES.items() for row in table]
REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "objects.md"


@over_rows(("kind", "row"), ROWS)
def test_defaults_are_permitted(kind: str, row: Attribute) -> None:
    if row.stored and row.source is not Source.SYSTEM:
        assert convert(row, row.default) == row.default


@over_rows(("kind", "row"), ROWS)
def test_selectors_agree_with_kinds(kind: str, row: Attribute) -> None:
    if row.is_integer:
        assert mq.MQIA_FIRST <= row.selector <= mq.MQIA_LAST
        assert char_length(row.selector) == 0
    else:
        assert mq.MQCA_FIRST <= row.selector <= mq.MQCA_LAST
        assert char_length(row.selector) == row.max_length > 0


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_has_each_selector_and_slot_once(kind: str) -> None:
    table = TABLES[kind]
    assert len({row.selector for row in table}) == len(table)
    assert len({row.slot for row in table}) == len(table)
    assert all(row.slot.isidentifier() for row in table)


@pytest.mark.parametrize("kind", TABLES)
def test_classes_declare_what_the_tables_say(kind: str) -> None:
    hints = {name: hint for name, hint in get_type_hints(CLASSES[kind]).items() if get_origin(hint) is not ClassVar}
    for row in TABLES[kind]:
        if not row.stored:
            continue
        expected = type(row.default)
        if row.kind is Kind.ENUM_LIST:
            assert hints[row.slot] == tuple[int, ...]
        elif row.kind in (Kind.NAME_LIST, Kind.TEXT_LIST):
            assert hints[row.slot] == tuple[str, ...]
        else:
            assert hints[row.slot] is expected
    declared = set(hints) - {"system_level", "name"}
    assert declared == {row.slot for row in TABLES[kind] if row.stored}


def test_settable_attributes_are_those_of_mqset() -> None:
    settable = {kind: {row.selector for row in TABLES[kind] if row.settable} for kind in TABLES}
    assert settable["QLOCAL"] == {
        mq.MQIA_INHIBIT_GET,
        mq.MQIA_INHIBIT_PUT,
        mq.MQIA_TRIGGER_CONTROL,
        mq.MQIA_TRIGGER_TYPE,
        mq.MQIA_TRIGGER_DEPTH,
        mq.MQIA_TRIGGER_MSG_PRIORITY,
        mq.MQIA_DIST_LISTS,
        mq.MQCA_TRIGGER_DATA,
    }
    assert settable["QALIAS"] == {mq.MQIA_INHIBIT_GET, mq.MQIA_INHIBIT_PUT}
    assert settable["QREMOTE"] == {mq.MQIA_INHIBIT_PUT}
    assert not any(settable[kind] for kind in TABLES if kind not in QUEUE_TYPES)


def test_only_what_can_be_opened_is_for_mqinq() -> None:
    opened = {*QUEUE_TYPES, "QMGR", "PROCESS", "NAMELIST"}
    assert {kind for kind, table in TABLES.items() if any(row.inquirable for row in table)} == opened


@pytest.mark.parametrize(("name", "table"), [*STATUS_TABLES.items(), ("SUB", SUB_TABLE)])
def test_status_tables_agree_with_themselves(name: str, table: AttributeTable) -> None:
    assert len(table) == len({row.keyword for row in table}) == len({row.slot for row in table})
    assert len({row.selector for row in table if row.selector}) == sum(bool(row.selector) for row in table)
    for row in table:
        assert row.about
        assert row.source is Source.LIVE or name == "SUB"
        if row.kind is Kind.BYTES:
            assert mq.MQBACF_FIRST <= row.selector <= mq.MQBACF_LAST_USED
            assert row.default == b"" and row.max_length
        elif row.is_integer:
            assert mq.MQIA_FIRST <= row.selector <= mq.MQIA_LAST
            assert row.kind is Kind.INTEGER or row.kind is Kind.INTEGER_LIST or row.words
        elif row.selector:
            assert mq.MQCA_FIRST <= row.selector <= mq.MQCA_LAST
            assert row.max_length


def test_the_status_of_a_channel_has_what_its_type_has() -> None:
    client, sender = CHSTATUS_BY_TYPE["SVRCONN"].by_keyword, CHSTATUS_BY_TYPE["SDR"].by_keyword
    assert {"CURSHCNV", "RAPPLTAG"} <= set(client) - set(sender)
    assert {"XMITQ", "LSTSEQNO", "INDOUBT"} <= set(sender) - set(client)
    saved = STATUS_TABLES["CHSTATUS.SAVED"].by_keyword
    assert {"CHANNEL", "CONNAME", "LSTSEQNO"} <= set(saved) < set(STATUS_TABLES["CHSTATUS"].by_keyword)


def test_bytes_are_hexadecimal_digits() -> None:
    row = STATUS_TABLES["CONN"].find("CONN")
    assert convert(row, " 414D5143 ") == convert(row, b"AMQC") == b"AMQC"
    refused: tuple[tuple[Any, int], ...] = (
        ("xy", mq.MQRCCF_ATTR_VALUE_ERROR),
        (7, mq.MQRCCF_ATTR_VALUE_ERROR),
        (b"x" * 25, mq.MQRCCF_CFBS_STRING_LENGTH_ERR),
        ("00" * 25, mq.MQRCCF_CFBS_STRING_LENGTH_ERR),
    )
    for bad, reason in refused:
        with pytest.raises(MQError) as error:
            convert(row, bad)
        assert error.value.reason == reason


def test_two_numbers() -> None:
    row = STATUS_TABLES["QSTATUS"].find("QTIME")
    assert convert(row, "1,2") == convert(row, [1, 2]) == (1, 2)
    with pytest.raises(MQError):
        convert(row, [1, 2, 3])


def test_passwords_are_marked_and_never_in_an_error() -> None:
    secret = {(kind, row.keyword) for kind, table in TABLES.items() for row in table if row.secret}
    assert {("CRLLDAP", "LDAPPWD"), ("IDPWLDAP", "LDAPPWD"), ("SDR", "PASSWORD"), ("QMGR", "KEYRPWD")} <= secret
    with pytest.raises(MQError) as error:
        convert(TABLES["CRLLDAP"].find("LDAPPWD"), "hidden" * 10, "A")
    assert "hidden" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "keyword", "default"),
    [
        ("QLOCAL", "MAXDEPTH", 5000),
        ("QLOCAL", "MAXMSGL", 4194304),
        ("QLOCAL", "SHARE", mq.MQQA_SHAREABLE),
        ("QMODEL", "SHARE", mq.MQQA_NOT_SHAREABLE),
        ("QLOCAL", "DEFSOPT", mq.MQOO_INPUT_SHARED),
        ("QMODEL", "DEFSOPT", mq.MQOO_INPUT_EXCLUSIVE),
        ("QMODEL", "DEFTYPE", mq.MQQDT_TEMPORARY_DYNAMIC),
        ("QLOCAL", "DEFTYPE", mq.MQQDT_PREDEFINED),
        ("QREMOTE", "TYPE", mq.MQQT_REMOTE),
        ("QMGR", "MAXUMSGS", 10000),
        ("QMGR", "MAXHANDS", 256),
        ("QMGR", "CCSID", 1208),
        ("PROCESS", "APPLTYPE", mq.MQAT_UNIX),
        ("SVRCONN", "CHLTYPE", mq.MQCHT_SVRCONN),
        ("SVRCONN", "MAXMSGL", 4194304),
        ("SVRCONN", "HBINT", 300),
        ("SVRCONN", "KAINT", mq.MQKAI_AUTO),
        ("SVRCONN", "DISCINT", 0),
        ("SVRCONN", "SHARECNV", 10),
        ("SVRCONN", "MAXINST", 999999999),
        ("SVRCONN", "MAXINSTC", 999999999),
        ("SVRCONN", "SSLCAUTH", mq.MQSCA_REQUIRED),
        ("SVRCONN", "TRPTYPE", mq.MQXPT_TCP),
        ("SDR", "DISCINT", 6000),
        ("SDR", "BATCHSZ", 50),
        ("SDR", "LONGRTY", 999999999),
        ("SDR", "MCATYPE", mq.MQMCAT_PROCESS),
        ("CLUSSDR", "MCATYPE", mq.MQMCAT_THREAD),
        ("RCVR", "PUTAUT", mq.MQPA_DEFAULT),
        ("CLNTCONN", "AFFINITY", mq.MQCAFTY_PREFERRED),
        ("AMQP", "PORT", 5672),
        ("TOPIC", "PUB", mq.MQTA_PUB_AS_PARENT),
        ("TOPIC", "DEFPRTY", mq.MQPRI_PRIORITY_AS_PARENT),
        ("IDPWOS", "CHCKCLNT", mq.MQCHK_REQUIRED_ADMIN),
        ("IDPWOS", "CHCKLOCL", mq.MQCHK_OPTIONAL),
        ("IDPWOS", "ADOPTCTX", mq.MQADPCTX_YES),
        ("SERVICE", "CONTROL", mq.MQSVC_CONTROL_MANUAL),
        ("CHLAUTH", "USERSRC", mq.MQUSRC_MAP),
        ("QMGR", "CHLAUTH", mq.MQCHLA_ENABLED),
        ("LISTENER", "PORT", 0),
        ("LISTENER", "CONTROL", mq.MQSVC_CONTROL_MANUAL),
    ],
)
def test_well_known_defaults(kind: str, keyword: str, default: int) -> None:
    assert TABLES[kind].find(keyword).default == default


@pytest.mark.parametrize(
    ("keyword", "given", "expected"),
    [
        ("MAXDEPTH", 0, 0),
        ("MAXDEPTH", "999999999", 999999999),
        ("MAXDEPTH", " 7 ", 7),
        ("CAPEXPRY", "nolimit", -1),
        ("CAPEXPRY", -1, -1),
        ("GET", "disabled", mq.MQQA_GET_INHIBITED),
        ("GET", 0, mq.MQQA_GET_ALLOWED),
        ("TRIGGER", "NOTRIGGER", mq.MQTC_OFF),
        ("DESCR", "text  ", "text"),
        ("DESCR", "text\0more", "text"),
        ("DESCR", "ü" * 32, "ü" * 32),
        ("BOQNAME", " ", ""),
        ("BOQNAME", "A/B.c_%", "A/B.c_%"),
    ],
)
def test_values_that_are_accepted(keyword: str, given: int | str, expected: int | str) -> None:
    assert convert(TABLES["QLOCAL"].find(keyword), given) == expected


@pytest.mark.parametrize(
    ("keyword", "given", "reason"),
    [
        ("MAXDEPTH", -1, mq.MQRCCF_ATTR_VALUE_ERROR),
        ("MAXDEPTH", 1_000_000_000, mq.MQRCCF_ATTR_VALUE_ERROR),
        ("MAXDEPTH", "5x", mq.MQRCCF_ATTR_VALUE_ERROR),
        ("MAXDEPTH", "", mq.MQRCCF_ATTR_VALUE_ERROR),
        ("MAXDEPTH", "9" * 5000, mq.MQRCCF_ATTR_VALUE_ERROR),
        ("MAXDEPTH", "²", mq.MQRCCF_ATTR_VALUE_ERROR),
        ("MAXDEPTH", 5.0, mq.MQRCCF_ATTR_VALUE_ERROR),
        ("MAXDEPTH", None, mq.MQRCCF_ATTR_VALUE_ERROR),
        ("CAPEXPRY", 0, mq.MQRCCF_ATTR_VALUE_ERROR),
        ("CAPEXPRY", -2, mq.MQRCCF_ATTR_VALUE_ERROR),
        ("GET", True, mq.MQRCCF_ATTR_VALUE_ERROR),
        ("GET", 2, mq.MQRCCF_ATTR_VALUE_ERROR),
        ("GET", "0", mq.MQRCCF_ATTR_VALUE_ERROR),
        ("GET", "YES", mq.MQRCCF_ATTR_VALUE_ERROR),
        ("DESCR", 5, mq.MQRCCF_ATTR_VALUE_ERROR),
        ("DESCR", "x" * 65, mq.MQRCCF_CFST_STRING_LENGTH_ERR),
        ("DESCR", "ü" * 33, mq.MQRCCF_CFST_STRING_LENGTH_ERR),
        ("DESCR", "\ud800", mq.MQRCCF_ATTR_VALUE_ERROR),
        ("BOQNAME", "A B", mq.MQRCCF_ATTR_VALUE_ERROR),
        ("BOQNAME", "X" * 49, mq.MQRCCF_CFST_STRING_LENGTH_ERR),
    ],
)
def test_values_that_are_refused(keyword: str, given: Any, reason: int) -> None:
    with pytest.raises(MQError) as error:
        convert(TABLES["QLOCAL"].find(keyword), given, "Q1")
    assert error.value.reason == reason
    assert error.value.object_name == "Q1"
    assert keyword in error.value.detail


def test_an_error_names_the_attribute_and_the_permitted_range() -> None:
    with pytest.raises(MQError, match=re.escape("MAXDEPTH(-1)") + ".*0 to 999999999"):
        convert(TABLES["QLOCAL"].find("MAXDEPTH"), -1)
    with pytest.raises(MQError, match="PRIORITY, FIFO"):
        convert(TABLES["QLOCAL"].find("MSGDLVSQ"), "RANDOM")
    with pytest.raises(MQError, match="NOLIMIT"):
        convert(TABLES["QLOCAL"].find("CAPEXPRY"), 0)


def test_lists() -> None:
    names = TABLES["NAMELIST"].find("NAMES")
    assert convert(names, "A, B ,C") == ("A", "B", "C")
    assert convert(names, ["A", "B "]) == ("A", "B")
    assert convert(names, "") == ()
    assert convert(names, ()) == convert(names, [" "]) == ()
    assert convert(names, ["N"] * 256) == ("N",) * 256
    refused: list[tuple[Any, int]] = [
        (["A B"], mq.MQRCCF_ATTR_VALUE_ERROR),
        (["A", ""], mq.MQRCCF_ATTR_VALUE_ERROR),
        ([1], mq.MQRCCF_ATTR_VALUE_ERROR),
        (5, mq.MQRCCF_ATTR_VALUE_ERROR),
        (b"AB", mq.MQRCCF_ATTR_VALUE_ERROR),
        (["N"] * 257, mq.MQRCCF_CFSL_COUNT_ERROR),
    ]
    for bad, reason in refused:
        with pytest.raises(MQError) as error:
            convert(names, bad)
        assert error.value.reason == reason


def test_lists_of_words() -> None:
    suite_b = TABLES["QMGR"].find("SUITEB")
    assert convert(suite_b, "128_BIT,192_BIT") == (mq.MQ_SUITE_B_128_BIT, mq.MQ_SUITE_B_192_BIT)
    assert convert(suite_b, [mq.MQ_SUITE_B_NONE]) == (mq.MQ_SUITE_B_NONE,)
    assert convert(suite_b, mq.MQ_SUITE_B_128_BIT) == (mq.MQ_SUITE_B_128_BIT,)
    for bad in ("", "NONE,128_BIT", "128_BIT,128_BIT", "64_BIT"):
        with pytest.raises(MQError):
            convert(suite_b, bad)


def test_a_word_may_be_in_a_list_with_others_unless_it_excludes_them() -> None:
    headers, messages = TABLES["SVRCONN"].find("COMPHDR"), TABLES["SVRCONN"].find("COMPMSG")
    assert convert(headers, "SYSTEM,NONE") == (mq.MQCOMPRESS_SYSTEM, mq.MQCOMPRESS_NONE)
    assert convert(messages, ["zlibfast", "none"]) == (mq.MQCOMPRESS_ZLIBFAST, mq.MQCOMPRESS_NONE)
    assert convert(messages, "ANY") == (mq.MQCOMPRESS_ANY,)
    for row, bad in ((headers, "RLE"), (headers, ""), (messages, "ANY,RLE"), (messages, "RLE,RLE")):
        with pytest.raises(MQError):
            convert(row, bad)


def test_lists_of_texts() -> None:
    exits = TABLES["SVRCONN"].find("SENDEXIT")
    assert convert(exits, "lib/a(one), lib/b(two)") == ("lib/a(one)", "lib/b(two)")
    assert convert(exits, ["any (text)", "é "]) == ("any (text)", "é")
    for none in (" ", "", (), [""]):
        assert convert(exits, none) == ()
    refused: list[tuple[Any, int]] = [
        (["a", ""], mq.MQRCCF_SEND_EXIT_NAME_ERROR),
        ([1], mq.MQRCCF_SEND_EXIT_NAME_ERROR),
        (5, mq.MQRCCF_SEND_EXIT_NAME_ERROR),
        (["x" * 129], mq.MQRCCF_CFST_STRING_LENGTH_ERR),
        (["x"] * 9, mq.MQRCCF_CFSL_COUNT_ERROR),
    ]
    for bad, reason in refused:
        with pytest.raises(MQError) as error:
            convert(exits, bad)
        assert error.value.reason == reason


@pytest.mark.parametrize(
    ("kind", "keyword", "given", "words"),
    [
        (
            "SDR",
            "COMPMSG",
            ("ZLIBFAST", "zlibfast"),
            "COMPMSG(ZLIBFAST,zlibfast): ZLIBFAST is given twice; permitted is",
        ),
        ("SDR", "COMPMSG", "RLE,RLE", "COMPMSG(RLE,RLE): RLE is given twice; permitted is up to 16 of NONE, RLE"),
        ("SDR", "COMPHDR", [mq.MQCOMPRESS_SYSTEM] * 2, "COMPHDR(SYSTEM,SYSTEM): SYSTEM is given twice; permitted"),
        ("SVRCONN", "COMPMSG", ("ANY", "RLE"), "COMPMSG(ANY,RLE): ANY cannot be given with others; permitted is up"),
        (
            "QMGR",
            "SUITEB",
            [mq.MQ_SUITE_B_NONE, mq.MQ_SUITE_B_128_BIT],
            "SUITEB(NONE,128_BIT): NONE cannot be given with others; permit",
        ),
        ("SDR", "COMPMSG", (), "COMPMSG(): nothing is given; permitted is up to 16 of"),
        ("SDR", "COMPMSG", ("RLE", 99), "COMPMSG(99): permitted is up to 16 of"),
        ("NAMELIST", "NAMES", ("A", " "), "NAMES(A,' '): a blank is no name; permitted is up to 256 object names"),
        ("SDR", "SENDEXIT", ["a,b", ""], "SENDEXIT('a,b',' '): a blank is no text; permitted is up to 8 texts"),
        ("QLOCAL", "MAXDEPTH", (1, 2), "MAXDEPTH(1,2): permitted is 0 to"),
        ("QLOCAL", "DESCR", ["a", "b"], "DESCR(a,b): permitted is up to 64 bytes"),
    ],
)
def test_a_refused_list_is_shown_as_it_is_written_and_says_what_is_wrong(
    kind: str, keyword: str, given: Any, words: str
) -> None:
    with pytest.raises(MQError) as refused:
        convert(TABLES[kind].find(keyword), given)
    assert refused.value.detail.startswith(words), refused.value.detail


def test_application_types_are_words_or_user_numbers() -> None:
    row = TABLES["PROCESS"].find("APPLTYPE")
    assert convert(row, "windowsnt") == mq.MQAT_WINDOWS_NT
    assert convert(row, 65536) == 65536
    assert row.word(mq.MQAT_UNIX) == "UNIX"
    assert row.word(65536) == "65536"


def test_attributes_are_found_by_keyword_synonym_and_case() -> None:
    table = TABLES["QALIAS"]
    assert table.find("TARGQ") is table.find("target") is table.by_selector[mq.MQCA_BASE_Q_NAME]
    with pytest.raises(MQError, match="MAXDEPTH is not an attribute of QALIAS") as error:
        table.find("maxdepth", "A1")
    assert error.value.object_name == "A1"
    with pytest.raises(MQError, match=r"MAXDPTH is not an attribute of QLOCAL; did you mean MAXDEPTH\?"):
        TABLES["QLOCAL"].find("maxdpth", "Q1")


def test_the_reference_page_lists_every_attribute() -> None:
    page = REFERENCE.read_text(encoding="utf-8")
    for row in TABLES["QMGR"]:
        assert f"| {row.keyword} |" in page.split("## Queue manager")[1].split("## ")[0]
    queues = page.split("## Queues")[1].split("## ")[0]
    for kind in QUEUE_TYPES:
        for row in TABLES[kind]:
            assert f"| {row.keyword} |" in queues
    titles = {
        "PROCESS": "Processes",
        "NAMELIST": "Namelists",
        "LISTENER": "Listeners",
        "SERVICE": "Services",
        "TOPIC": "Topics",
        "COMMINFO": "Communication information",
        "CHLAUTH": "Channel authentication rules",
        "AUTHREC": "Authority records",
        **dict.fromkeys(GENERIC_TYPES["CHANNEL"], "Channels"),
        **dict.fromkeys(GENERIC_TYPES["AUTHINFO"], "Authentication information"),
    }
    assert set(titles) == set(TABLES) - {"QMGR", *QUEUE_TYPES}
    for kind, title in titles.items():
        for row in TABLES[kind]:
            assert f"| {row.keyword} |" in page.split(f"## {title}")[1].split("## ")[0]


def test_the_reference_page_lists_every_system_object_and_default_object() -> None:
    page = REFERENCE.read_text(encoding="utf-8")
    for kind, name, _ in SYSTEM_OBJECTS:
        assert f"| {kind} | {name} |" in page.split("## System objects")[1].split("## ")[0]
    for kind, name in DEFAULT_OBJECTS.items():
        assert f"| {kind} | {name} |" in page.split("## ")[0]
    for profile, rule_type, _ in SYSTEM_RULES:
        assert f"| {profile.replace('*', chr(92) + '*')} | {rule_type} |" in page
