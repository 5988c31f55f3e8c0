"""Selectors, against tables and against a naive evaluator that shares no code with the compiled one."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.kernel.properties import selector_like
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.selector import SELECTOR_DEPTH_MAX, compile_selector
from libremq.kernel.properties.selector_like import compile_like
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD

ID_TEXT = "ID:414D5120514D31202020202020202020A1B2C3D4E5F60718"
ID_BYTES = bytes.fromhex(ID_TEXT[3:])


def selects(text: str, md: MQMD | None = None, **values: object) -> bool:
    return compile_selector(text).matches(md or MQMD(), Properties(values))


def reason_of(text: str) -> int:
    with pytest.raises(MQError) as caught:
        compile_selector(text)
    return caught.value.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n = 5", True),
        ("n <> 5", False),
        ("n = 5.0", True),
        ("n = '5'", False),
        ("n <> '5'", True),
        ("n + 2 * 3 = 11", True),
        ("(n + 2) * 3 = 21", True),
        ("n - 1 - 1 = 3", True),
        ("n / 2 = 2", True),
        ("n / 2.0 = 2.5", True),
        ("-n = -5 AND +n = 5 AND - - n = 5", True),
        ("n * -1 / 2 = -2", True),
        ("n / 0 = 1", False),
        ("n / 0 IS NULL", None),
        ("n BETWEEN 5 AND 6", True),
        ("n NOT BETWEEN 6 AND 9", True),
        ("n > 4 AND n >= 5 AND n < 6 AND n <= 5", True),
        ("n = 0x5 AND n = 05 AND n = 5L AND n = 0.5e1 AND n = 5.", True),
        ("color = 'red'", True),
        ("color = 'RED'", False),
        ("usr.color = 'red'", True),
        ("quoted = 'it''s'", True),
        ("color IN ('blue', 'red')", True),
        ("color NOT IN ('blue', 'green')", True),
        ("n IN (1, 5, -7)", True),
        ("color LIKE 'r%' AND color LIKE '_ed' AND color LIKE '%'", True),
        ("color NOT LIKE 'r_'", True),
        ("under LIKE 'a\\_%' ESCAPE '\\'", True),
        ("color LIKE 'r\\_d' ESCAPE '\\'", False),
        ("yes", True),
        ("NOT no", True),
        ("yes = TRUE AND no = false", True),
        ("yes = 1", False),
        ("yes IN (1)", False),
        ('raw = "0x0AFC23"', True),
        ('raw = "0X0afc23"', True),
        ('raw = "0x0AFC2300"', False),
        ("mq_usr.group.name = 'deep'", True),
        ("color", False),
        ("absent IS NULL AND n IS NOT NULL", True),
        ("empty IS NULL", True),
        ("not (n=1)or n=1", True),
        ("n\t=\r\n5", True),
        ("Order = 1 OR Notable = 2 OR island = 3 OR n = 5", True),
    ],
)
def test_expressions(text: str, expected: bool | None) -> None:
    properties = Properties(
        {"n": 5, "color": "red", "yes": True, "no": False, "raw": b"\x0a\xfc\x23", "quoted": "it's", "under": "a_b"}
    )
    properties["mq_usr.group.name"] = "deep"
    properties["empty"] = None
    if expected is None:
        assert reason_of(text) == C.MQRC_SELECTOR_SYNTAX_ERROR
    else:
        assert compile_selector(text).matches(MQMD(), properties) is expected


# Three-valued logic: T, F and U (a boolean property that is absent).
@pytest.mark.parametrize(
    ("left", "right", "conjunction", "disjunction"),
    [
        ("T", "T", "T", "T"),
        ("T", "F", "F", "T"),
        ("T", "U", "U", "T"),
        ("F", "T", "F", "T"),
        ("F", "F", "F", "F"),
        ("F", "U", "F", "U"),
        ("U", "T", "U", "T"),
        ("U", "F", "F", "U"),
        ("U", "U", "U", "U"),
    ],
)
def test_null_logic_tables(left: str, right: str, conjunction: str, disjunction: str) -> None:
    def truth(text: str) -> str:
        if selects(text, T=True, F=False):
            return "T"
        return "F" if selects(f"NOT ({text})", T=True, F=False) else "U"

    assert truth(f"{left} AND {right}") == conjunction
    assert truth(f"{left} OR {right}") == disjunction
    assert truth(f"NOT {left}") == {"T": "F", "F": "T", "U": "U"}[left]


@pytest.mark.parametrize(
    "text", ["U = 1", "U <> 1", "U > 1", "U + 1 = 2", "U BETWEEN 1 AND 2", "U IN ('a')", "U LIKE '%'", "-U = 1"]
)
def test_null_makes_everything_unknown(text: str) -> None:
    assert not selects(text)
    assert not selects(f"NOT ({text})")


def test_header_fields() -> None:
    md = MQMD(
        MsgId=ID_BYTES,
        CorrelId=b"\x01" * 24,
        Priority=7,
        Persistence=C.MQPER_PERSISTENT,
        PutDate="20240229",
        PutTime="12345678",
        UserIdentifier="alice",
        PutApplName="app",
        BackoutCount=2,
        ReplyToQ="REPLY",
        ReplyToQMgr="QM1",
        Format="MQSTR",
        GroupId=b"\x02" * 24,
        MsgSeqNumber=3,
        MsgFlags=C.MQMF_MSG_IN_GROUP,
    )
    for text in [
        f"JMSMessageID = '{ID_TEXT}'",
        f"JMSMessageID IN ('{ID_TEXT}', 'x')",
        f"JMSCorrelationID = 'ID:{'01' * 24}'",
        "JMSPriority = 7",
        "JMSDeliveryMode = 'PERSISTENT'",
        "JMSTimestamp = 1709210096780",
        "JMSExpiration = 0",
        "JMSXUserID = 'alice' AND JMSXAppID = 'app'",
        "JMSXDeliveryCount = 3 AND JMSRedelivered",
        "JMSReplyTo = 'queue://QM1/REPLY'",
        f"JMSXGroupID = 'ID:{'02' * 24}' AND JMSXGroupSeq = 3",
        "JMSType IS NULL AND JMSDestination IS NULL",
        "Root.MQMD.Format = 'MQSTR' AND Root.MQMD.Priority BETWEEN 5 AND 9",
        f'Root.MQMD.MsgId = "0x{ID_BYTES.hex()}"',
        "Root.MQMD.PutDate LIKE '2024%'",
    ]:
        assert selects(text, md), text
    assert not selects("JMSDeliveryMode = 'NON_PERSISTENT'", md)
    assert not selects("JMSDeliveryMode <> 'PERSISTENT'", md)


def test_header_fields_from_the_jms_folder() -> None:
    properties = Properties(
        {"JMSType": "order", "JMSXGroupID": "g1", "JMSCorrelationID": "mine", "JMSReplyTo": "queue:///Q"}
    )
    text = "JMSType = 'order' AND JMSXGroupID = 'g1' AND JMSCorrelationID = 'mine' AND JMSReplyTo LIKE '%/Q'"
    assert compile_selector(text).matches(MQMD(), properties)
    assert compile_selector("mcd.Type = 'order' AND jms.Gid = 'g1'").matches(MQMD(), properties)


def test_an_absent_identifier_is_null() -> None:
    assert selects("JMSCorrelationID IS NULL")
    assert not selects(f"JMSCorrelationID <> '{ID_TEXT}'")
    assert selects(f'Root.MQMD.CorrelId <> "0x{ID_BYTES.hex()}"')


@pytest.mark.parametrize(
    ("text", "msg_id", "correl_id"),
    [
        (f"JMSMessageID = '{ID_TEXT}'", ID_BYTES, None),
        (f"('{ID_TEXT}' = JMSMessageID)", ID_BYTES, None),
        (f"JMSCorrelationID='{ID_TEXT.lower().replace('id:', 'ID:')}'", None, ID_BYTES),
        (f'Root.MQMD.CorrelId = "0x{ID_BYTES.hex()}"', None, ID_BYTES),
        (f"JMSMessageID <> '{ID_TEXT}'", None, None),
        (f"NOT JMSMessageID = '{ID_TEXT}'", None, None),
        (f"JMSMessageID = '{ID_TEXT}' AND JMSPriority = 4", None, None),
        ("JMSMessageID = 'ID:00'", None, None),
        (f"JMSMessageID = 'ID:{'0' * 48}'", None, None),
        (f'MsgId = "0x{ID_BYTES.hex()}"', None, None),
    ],
)
def test_what_an_index_can_answer(text: str, msg_id: bytes | None, correl_id: bytes | None) -> None:
    selector = compile_selector(text)
    assert (selector.msg_id, selector.correl_id) == (msg_id, correl_id)
    if msg_id or correl_id:
        assert not selector.needs_properties
        assert selector.matches(MQMD(MsgId=ID_BYTES, CorrelId=ID_BYTES), None)
        assert not selector.matches(MQMD(), None)


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("a = 1", True),
        ("JMSPriority = 4", False),
        ("JMSType = 'a'", True),
        ("Root.MQMD.Expiry = -1 OR b", True),
        ("1 = 1", False),
    ],
)
def test_needs_properties(text: str, needed: bool) -> None:
    assert compile_selector(text).needs_properties is needed


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("color =", 8),
        ("= 3", 1),
        ("'a'", 1),
        ("5", 1),
        ("n + 1", 1),
        ("color > 'red'", 9),
        ("color ! 3", 7),
        ("a = 'x", 5),
        ("(a = 1", 7),
        ("a = 1)", 6),
        ("a AND", 6),
        ("a b", 3),
        ("a = b = c", 7),
        ("09 = n", 1),
        ('raw = "0xABC"', 7),
        ('raw = "abc"', 7),
        ("n = 9223372036854775809", 5),
        ("n = " + "9" * 5000, 5),
        ("a LIKE 'x!' ESCAPE '!'", 8),
        ("a LIKE 'x' ESCAPE '!!'", 8),
        ("a LIKE b", 8),
        ("5 IN (5)", 1),
        ("a IN (TRUE)", 7),
        ("a IN ()", 7),
        ("a + 1 IS NULL", 1),
        ("NULL = 1", 1),
        ("a = NULL", 5),
        ("'a' + 1 = 2", 1),
        ("NOT 5 = 5 AND 'x'", 15),
        ("Root.MQMD.StrucId = 'MD'", 1),
        ("Root.MQMD.msgid IS NULL", 1),
        ("JMSBogus = 1", 1),
        ("a. = 1", 2),
        ("a != 1", 3),
    ],
)
def test_syntax_errors_point_at_the_place(text: str, position: int) -> None:
    with pytest.raises(MQError) as caught:
        compile_selector(text)
    assert caught.value.reason == C.MQRC_SELECTOR_SYNTAX_ERROR
    first, shown, caret = caught.value.detail.split("\n")
    assert first == f"at character {position}"
    column = caret.index("^")
    if position <= len(text):
        assert shown[column] == text[position - 1]


def test_other_reasons() -> None:
    assert reason_of("1 = 2") == C.MQRC_SELECTOR_ALWAYS_FALSE
    assert reason_of("TRUE AND FALSE") == C.MQRC_SELECTOR_ALWAYS_FALSE
    assert reason_of("a = '" + "x" * 10240 + "'") == C.MQRC_SELECTION_STRING_ERROR
    assert reason_of("a = '" + "\u20ac" * 4000 + "'") == C.MQRC_SELECTION_STRING_ERROR
    assert selects("") and selects("  \n") and selects("TRUE <> FALSE")


def test_compiled_selectors_are_kept() -> None:
    assert compile_selector("kept = 1") is compile_selector("kept = 1")


@pytest.mark.parametrize(
    "text",
    [
        "a = 1" + " OR a = 1" * 1100,
        "a = 1" + " AND a = 1" * 1000,
        "NOT " * 2500 + "a",
        "a = " + "-" * 10000 + "1",
        "a" + "+1" * 5000 + " = 1",
        "a" + "*9" * 5000 + " = 1",
        "(" * 5000 + "a" + ")" * 5000,
        "a IN ('x'" + ",'x'" * 2500 + ")",
        "a LIKE '" + "%a" * 5000 + "'",
        "a = 1 OR a = 1 AND " * 500 + "a = 1",
    ],
)
def test_long_input_needs_no_deep_stack(text: str) -> None:
    selector = compile_selector(text)
    selector.matches(MQMD(), Properties({"a": 1}))
    selector.matches(MQMD(), Properties({"a": "a" * 20000 + "b"}))


def test_nesting_has_a_limit() -> None:
    def nested(depth: int) -> str:
        return "(" * depth + "(a = 1)" + " = TRUE)" * depth

    assert selects(nested(SELECTOR_DEPTH_MAX - 5), a=1)
    assert reason_of(nested(SELECTOR_DEPTH_MAX + 5)) == C.MQRC_SELECTOR_SYNTAX_ERROR


# ---- against a naive evaluator


IDENTIFIERS = ["a", "b", "flag", "text", "absent"]

numbers = st.one_of(
    st.integers(0, 9).map(lambda n: ("literal", n)), st.sampled_from([0.5, 2.0]).map(lambda n: ("literal", n))
)
strings = st.sampled_from(["", "x", "it's", "%", "xyx"]).map(lambda s: ("literal", s))
names = st.sampled_from(IDENTIFIERS).map(lambda n: ("name", n))
arithmetic = st.recursive(
    st.one_of(numbers, names),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*", "/"]), inner, inner), st.tuples(st.just("neg"), inner)
    ),
    max_leaves=4,
)
operands = st.one_of(arithmetic, strings, st.booleans().map(lambda b: ("literal", b)))
predicates = st.one_of(
    st.tuples(st.sampled_from(["=", "<>"]), operands, operands),
    st.tuples(st.sampled_from(["<", "<=", ">", ">="]), arithmetic, arithmetic),
    st.tuples(st.just("between"), arithmetic, arithmetic, arithmetic),
    st.tuples(st.just("in"), names, st.lists(st.one_of(strings, numbers), min_size=1, max_size=3)),
    st.tuples(st.just("like"), names, st.text("x%_y", max_size=4)),
    st.tuples(st.just("null"), names),
    names,
)
conditions = st.recursive(
    predicates,
    lambda inner: st.one_of(st.tuples(st.sampled_from(["and", "or"]), inner, inner), st.tuples(st.just("not"), inner)),
    max_leaves=6,
)


def write(tree: Any) -> str:
    kind, *parts = tree
    if kind == "literal":
        value = parts[0]
        if isinstance(value, str):
            return "'" + value.replace("'", "''") + "'"
        return str(value).upper()
    if kind == "name":
        return str(parts[0])
    if kind == "neg":
        return f"-({write(parts[0])})"
    if kind == "not":
        return f"NOT ({write(parts[0])})"
    if kind == "null":
        return f"{write(parts[0])} IS NULL"
    if kind == "like":
        return f"{write(parts[0])} LIKE '{parts[1]}'"
    if kind == "in":
        return f"{write(parts[0])} IN ({', '.join(map(write, parts[1]))})"
    if kind == "between":
        return f"({write(parts[0])}) BETWEEN ({write(parts[1])}) AND ({write(parts[2])})"
    return f"({write(parts[0])}) {kind.upper()} ({write(parts[1])})"


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def same(one: object, other: object) -> bool:
    kinds = {bool: "bool", int: "number", float: "number", str: "string"}
    return kinds[type(one)] == kinds[type(other)] and one == other


def naive(tree: Any, values: dict[str, Any]) -> Any:
    kind, *parts = tree
    if kind == "literal":
        return parts[0]
    if kind == "name":
        return values.get(parts[0])
    if kind in ("and", "or"):
        answers = [answer if isinstance(answer, bool) else None for answer in (naive(part, values) for part in parts)]
        decisive = kind == "or"
        return decisive if decisive in answers else None if None in answers else not decisive
    if kind == "not":
        answer = naive(parts[0], values)
        return not answer if isinstance(answer, bool) else None
    if kind == "null":
        return naive(parts[0], values) is None
    if kind == "like":
        value = naive(parts[0], values)
        pattern = parts[1].replace("%", ".*").replace("_", ".")
        return None if value is None else isinstance(value, str) and re.fullmatch(pattern, value, re.DOTALL) is not None
    if kind == "in":
        value = naive(parts[0], values)
        return None if value is None else any(same(value, naive(item, values)) for item in parts[1])
    if kind == "between":
        return naive(("and", (">=", parts[0], parts[1]), ("<=", parts[0], parts[2])), values)
    if kind == "neg":
        value = naive(parts[0], values)
        return -value if is_number(value) else None
    one, other = (naive(part, values) for part in parts)
    if kind in "+-*/":
        if not is_number(one) or not is_number(other):
            return None
        if kind != "/":
            return {"+": one + other, "-": one - other, "*": one * other}[kind]
        if other == 0:
            return None
        both_exact = isinstance(one, int) and isinstance(other, int)
        return int(one / other) if both_exact else one / other
    if one is None or other is None:
        return None
    if kind in ("=", "<>"):
        return same(one, other) is (kind == "=")
    if not is_number(one) or not is_number(other):
        return False
    return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[kind]


def mentions_a_name(tree: Any) -> bool:
    if isinstance(tree, tuple):
        return tree[0] == "name" or any(map(mentions_a_name, tree))
    return isinstance(tree, list) and any(map(mentions_a_name, tree))


@given(
    conditions.filter(mentions_a_name),
    st.fixed_dictionaries(
        {},
        optional={
            "a": st.integers(-3, 9),
            "b": st.one_of(st.floats(-2, 2), st.none()),
            "flag": st.booleans(),
            "text": st.sampled_from(["", "x", "xyx", "it's", "y\nx"]),
        },
    ),
)
def test_compiled_agrees_with_naive(tree: Any, values: dict[str, Any]) -> None:
    selector = compile_selector(write(tree))
    assert selector.matches(MQMD(), Properties(values)) is (naive(tree, values) is True)


WORDS = ["a", "b.c", "AND", "OR", "NOT", "BETWEEN", "IN", "LIKE", "ESCAPE", "IS", "NULL", "TRUE", "(", ")", ",", "=",
         "<>", "<", "+", "-", "*", "/", "'x'", "'", '"0x00"', '"', "1", "0x", "1.", "1e", "9e999", "JMSType",
         "Root.MQMD.MsgId", "\0", "\u00e9", "$", "''"]  # fmt: skip


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join),
        st.lists(st.sampled_from(WORDS), max_size=25).map("".join),
    )
)
def test_no_input_raises_anything_but_an_mq_error(text: str) -> None:
    try:
        selector = compile_selector(text)
    except MQError as error:
        assert error.reason in (
            C.MQRC_SELECTOR_SYNTAX_ERROR,
            C.MQRC_SELECTION_STRING_ERROR,
            C.MQRC_SELECTOR_ALWAYS_FALSE,
        )
        assert str(error)
        return
    for values in ({}, {"a": 1}, {"a": "x"}, {"a": b"\0"}, {"a": 1e308}, {"a": True}, {"a": 2**63 - 1}):
        selector.matches(MQMD(), Properties(values))


@given(st.text("ab%_!", max_size=8), st.text("ab", max_size=10), st.sampled_from([None, "!", "a"]))
def test_like_agrees_with_a_regular_expression(pattern: str, text: str, escape: str | None) -> None:
    expression = ""
    rest = list(pattern)
    while rest:
        character = rest.pop(0)
        if character == escape:
            if not rest:
                with pytest.raises(ValueError):
                    compile_like(pattern, escape)
                return
            expression += re.escape(rest.pop(0))
        else:
            expression += {"%": ".*", "_": "."}.get(character, re.escape(character))
    assert compile_like(pattern, escape)(text) is (re.fullmatch(expression, text) is not None)


@pytest.mark.parametrize("seed", range(3))
def test_like_with_a_long_text_compares_all_places_at_once(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selector_like, "_COMPARED_MAX", 0)
    chance = random.Random(seed)
    for _ in range(2000):
        pattern = "".join(chance.choice("ab_%") for _ in range(chance.randrange(8)))
        text = "".join(chance.choice("abc") for _ in range(chance.randrange(12)))
        expression = pattern.replace("_", ".").replace("%", ".*")
        assert compile_like(pattern, None)(text) is (re.fullmatch(expression, text) is not None), (pattern, text)


def test_like_is_done_with_a_long_pattern_and_a_long_text() -> None:
    """Character by character these are four thousand million comparisons."""
    matches = compile_like("%" + "x_" * 2000 + "y%", None)
    assert not matches("x" * 1_000_000)
    assert matches("x" * 1_000_000 + "y")


def test_what_it_is_worth_to_evaluate_it_grows_with_the_selector() -> None:
    short, long = compile_selector("JMSPriority = 1"), compile_selector(" OR ".join(["JMSPriority = 1"] * 500))
    assert long.cost > 100 and short.cost <= 1
    assert compile_selector("a LIKE '%x_y%'").compares and not compile_selector("a LIKE '%xy%'").compares


def test_a_program_that_selects_nothing_does_not_load_the_parser() -> None:
    """And whoever has loaded it ahead has no more to load with the first selector."""
    program = (
        "import sys; from libremq.kernel.properties import selector; assert 'lark' not in sys.modules;"
        "selector.load_parser(); loaded = set(sys.modules); selector.compile_selector('b > 2 AND c LIKE \\'x%\\'');"
        "assert 'lark' in loaded and set(sys.modules) == loaded and selector._parser.cache_info().misses == 1"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
