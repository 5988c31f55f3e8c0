"""Message selectors: the conditional expressions of SQL92 that MQ and JMS use to choose messages.

A selector is compiled once, by an LALR grammar whose reductions build Python closures, and the closure is called
for each message. Logic has three values: True, False, and None for unknown (something was NULL); only True
selects. Nothing recurses on the input: chains of AND, OR, NOT and arithmetic become flat loops, and what is left
of nesting has a limit. A selector that only asks for one message or correlation id says so, and the queue can
look it up instead of searching.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Any

from libremq.kernel.properties.header_properties import JMS_SELECTOR_VALUES, JMS_WITHOUT_FOLDER, md_field, md_value
from libremq.kernel.properties.message_properties import Properties
from libremq.kernel.properties.property_names import canonical_name
from libremq.kernel.properties.selector_like import LikePatternError, compile_like
from libremq.kernel.properties.selector_logic import (
    Evaluate,
    all_true,
    always,
    any_true,
    calculation,
    equality,
    identifier_equal,
    likeness,
    membership,
    negation,
    relation,
    sign,
)
from libremq.mqi.constants import (
    MQ_SELECTOR_LENGTH,
    MQRC_SELECTION_STRING_ERROR,
    MQRC_SELECTOR_ALWAYS_FALSE,
    MQRC_SELECTOR_SYNTAX_ERROR,
)
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import MQMD

SELECTOR_DEPTH_MAX = 100
"""How deep parentheses may nest where they do not merely group a chain of one operator."""
SELECTOR_CACHE_MAX = 512

_GRAMMAR = r"""
?start: condition
?condition: conjunction
    | condition _OR conjunction -> disjunction
?conjunction: negation
    | conjunction _AND negation -> both
?negation: predicate
    | _NOT negation -> negate
?predicate: sum
    | sum COMPARISON sum -> compare
    | sum _BETWEEN sum _AND sum -> between
    | sum _NOT _BETWEEN sum _AND sum -> not_between
    | sum _IN "(" literals ")" -> within
    | sum _NOT _IN "(" literals ")" -> not_within
    | sum _LIKE STRING [_ESCAPE STRING] -> like
    | sum _NOT _LIKE STRING [_ESCAPE STRING] -> not_like
    | sum _IS _NULL -> is_null
    | sum _IS _NOT _NULL -> is_not_null
?sum: product
    | sum SIGN product -> arithmetic
?product: factor
    | product SCALE factor -> arithmetic
?factor: operand
    | SIGN factor -> signed
?operand: "(" condition ")" -> grouped
    | IDENTIFIER -> identifier
    | literal
literals: item ("," item)*
?item: literal
    | SIGN literal -> signed
?literal: STRING -> string
    | BYTES -> byte_string
    | APPROXIMATE -> approximate
    | HEXADECIMAL -> hexadecimal
    | EXACT -> exact
    | TRUE -> true
    | FALSE -> false

_OR.5: /OR(?![\w$.])/i
_AND.5: /AND(?![\w$.])/i
_NOT.5: /NOT(?![\w$.])/i
_BETWEEN.5: /BETWEEN(?![\w$.])/i
_IN.5: /IN(?![\w$.])/i
_LIKE.5: /LIKE(?![\w$.])/i
_ESCAPE.5: /ESCAPE(?![\w$.])/i
_IS.5: /IS(?![\w$.])/i
_NULL.5: /NULL(?![\w$.])/i
TRUE.5: /TRUE(?![\w$.])/i
FALSE.5: /FALSE(?![\w$.])/i
COMPARISON: /<>|<=|>=|=|<|>/
SIGN: /[+-]/
SCALE: /[*\/]/
STRING: /'[^']*(?:''[^']*)*'/
BYTES: /"[^"]*"/
APPROXIMATE.4: /(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)[fFdD]?/
HEXADECIMAL.3: /0[xX][0-9a-fA-F]+[lL]?/
EXACT.2: /[0-9]+[lL]?/
IDENTIFIER: /(?:[^\W\d]|\$)[\w$]*(?:\.(?:[^\W\d]|\$)[\w$]*)*/
%ignore /[ \t\r\n\f]+/
"""

_BYTE_LITERAL = re.compile(r'"0[xX]((?:[0-9a-fA-F]{2})+)"')
_ID_LITERAL = re.compile(r"ID:([0-9a-fA-F]{48})")
_ID_FIELDS = {"JMSMessageID": "MsgId", "JMSCorrelationID": "CorrelId", "JMSXGroupID": "GroupId"}
_EXACT_MAX = 1 << 63
_EVALUATED_BITS = 6  # 64 characters of a selection string take about a microsecond


class Selector:
    """A compiled selection string."""

    __slots__ = ("_evaluate", "compares", "correl_id", "cost", "msg_id", "names", "needs_properties", "text")

    def __init__(
        self,
        text: str,
        evaluate: Evaluate,
        needs_properties: bool,
        msg_id: bytes | None = None,
        correl_id: bytes | None = None,
        names: Iterable[str] = (),
    ) -> None:
        self.text = text
        self._evaluate = evaluate
        self.needs_properties = needs_properties
        """False when the descriptor alone decides: `matches` may then get None for the properties."""
        self.names = frozenset(names)
        """The properties that it reads, by their canonical names."""
        self.msg_id = msg_id
        """Set when the selector is true for exactly the messages with this MsgId."""
        self.correl_id = correl_id
        """Set when the selector is true for exactly the messages with this CorrelId."""
        self.cost = len(text) >> _EVALUATED_BITS
        """What it is worth to evaluate it, in units of work (see `state.turns`)."""
        self.compares = len(text) if "_" in text and "LIKE" in text.upper() else 0
        """So many characters of it may be compared with each of a long text."""

    def matches(self, md: MQMD, properties: Properties | None) -> bool:
        """Whether the selector is true (neither false nor unknown) for a message."""
        return self._evaluate(md, properties) is True

    def __repr__(self) -> str:
        return f"Selector({self.text!r})"


def compile_selector(text: str) -> Selector:
    """The selector of a selection string. Raises MQRC_SELECTOR_SYNTAX_ERROR, MQRC_SELECTION_STRING_ERROR if
    it is too long, MQRC_SELECTOR_ALWAYS_FALSE if no message can ever match. Blank text selects everything.
    """
    if len(text) > MQ_SELECTOR_LENGTH or len(text.encode("utf-8", "replace")) > MQ_SELECTOR_LENGTH:
        raise mq_error(MQRC_SELECTION_STRING_ERROR, detail=f"a selection string has {MQ_SELECTOR_LENGTH} bytes at most")
    return _compile(text)


def load_parser() -> None:
    """Have what the first selector needs. It takes a fifth of a second: a server does it where nobody waits for it."""
    _compile("a = 1")


@lru_cache(maxsize=SELECTOR_CACHE_MAX)
def _compile(text: str) -> Selector:
    if not text.strip(" \t\r\n\f"):
        return Selector(text, lambda md, properties: True, False)
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

    try:
        node: _Node = _parser().parse(text)
        _require(node, "bool", "a condition")
    except _Problem as problem:
        raise _syntax_error(text, problem.position, problem.message) from None
    except UnexpectedCharacters as error:
        raise _syntax_error(text, error.pos_in_stream or 0, "this does not belong here") from None
    except UnexpectedToken as error:
        if error.token.type == "$END":
            raise _syntax_error(text, len(text), "the expression ends early") from None
        raise _syntax_error(text, error.token.start_pos or 0, f"unexpected {str(error.token)[:40]!r}") from None
    except UnexpectedInput:
        raise _syntax_error(text, len(text), "the expression ends early") from None
    if node.constant and node.evaluate(MQMD(), None) is not True:
        raise mq_error(MQRC_SELECTOR_ALWAYS_FALSE, detail=f"no message can match: {text[:60]}")
    msg_id = node.key if node.key_field == "MsgId" else None
    correl_id = node.key if node.key_field == "CorrelId" else None
    return Selector(text, node.evaluate, node.needs_properties, msg_id, correl_id, node.names)


@cache
def _parser() -> Any:
    from lark import Lark  # here, because most programs never use a selector

    return Lark(_GRAMMAR, parser="lalr", lexer="basic", maybe_placeholders=True, transformer=_Reductions())


class _Problem(Exception):
    def __init__(self, position: int, message: str) -> None:
        super().__init__(message)
        self.position = position
        self.message = message


def _syntax_error(text: str, position: int, message: str) -> MQError:
    start = max(0, position - 40)
    shown = re.sub(r"[^ -~\u00a0-\ud7ff]", " ", text[start : position + 30])
    caret = " " * (position - start) + "^"
    return mq_error(MQRC_SELECTOR_SYNTAX_ERROR, detail=f"at character {position + 1}\n  {shown}\n  {caret} {message}")


class _Node:
    """A piece of the expression: its closure and what is known about it before any message is seen."""

    __slots__ = (
        "chain",
        "constant",
        "depth",
        "evaluate",
        "field",
        "key",
        "key_field",
        "kind",
        "literal",
        "names",
        "needs_properties",
        "operator",
        "position",
    )

    def __init__(self, evaluate: Evaluate, kind: str, position: int, *parts: _Node) -> None:
        self.evaluate = evaluate
        self.kind = kind  # bool, number, string, bytes; "any" when only the message tells
        self.position = position
        self.depth: int = 1 + max((part.depth for part in parts), default=0)
        self.constant: bool = all(part.constant for part in parts)
        self.needs_properties: bool = any(part.needs_properties for part in parts)
        self.names: set[str] = set().union(*(part.names for part in parts))
        self.operator = ""  # of a chain: OR, AND, NOT, sign, arithmetic
        self.chain: list[Any] = []
        self.literal: PropertyValue = None
        self.field = ""  # what an identifier names
        self.key_field = ""
        self.key: bytes | None = None
        if self.depth > SELECTOR_DEPTH_MAX:
            raise _Problem(position, f"more than {SELECTOR_DEPTH_MAX} levels of nesting")

    def absorb(self, part: _Node) -> None:
        """Take over what is known about one more member of the chain."""
        self.depth = max(self.depth, part.depth + 1)
        self.constant = self.constant and part.constant
        self.needs_properties = self.needs_properties or part.needs_properties
        self.names |= part.names
        if self.depth > SELECTOR_DEPTH_MAX:
            raise _Problem(part.position, f"more than {SELECTOR_DEPTH_MAX} levels of nesting")


def _require(node: _Node, kind: str, wanted: str) -> None:
    if node.kind not in (kind, "any"):
        raise _Problem(node.position, f"{wanted} is needed here")


class _Reductions:
    """One method per rule of the grammar; each gets the reduced children and returns a node."""

    # ---- logic

    def disjunction(self, parts: list[Any]) -> _Node:
        return _chain("OR", parts[0], parts[1], any_true)

    def both(self, parts: list[Any]) -> _Node:
        return _chain("AND", parts[0], parts[1], all_true)

    def negate(self, parts: list[Any]) -> _Node:
        node: _Node = parts[0]
        _require(node, "bool", "a condition")
        if node.operator == "NOT":  # NOT NOT x: turn the answer round in place
            node.chain[1] = not node.chain[1]
            node.evaluate = negation(node.chain[0], node.chain[1])
            return node
        return _negated(node)

    def grouped(self, parts: list[Any]) -> _Node:
        node: _Node = parts[0]
        return node

    # ---- predicates

    def compare(self, parts: list[Any]) -> _Node:
        left, operator, right = parts
        if operator not in ("=", "<>"):
            _require(left, "number", "a number")
            _require(right, "number", "a number")
            return _Node(relation(str(operator), left.evaluate, right.evaluate), "bool", left.position, left, right)
        if left.literal is not None and right.field:
            left, right = right, left
        by_identifier = _identifier_comparison(left, right)
        if by_identifier is not None:
            field, key = by_identifier
            zero_is_null = left.field.startswith("JMS")
            node = _Node(identifier_equal(field, key, zero_is_null), "bool", left.position)
            node.constant = False
            node.key_field, node.key = field, key
        else:
            node = _Node(
                equality(left.evaluate, right.evaluate, _normal_id(left, right.literal)),
                "bool",
                left.position,
                left,
                right,
            )
        return _negated(node) if operator == "<>" else node

    def between(self, parts: list[Any]) -> _Node:
        value, low, high = parts
        for part in parts:
            _require(part, "number", "a number")
        above = relation(">=", value.evaluate, low.evaluate)
        below = relation("<=", value.evaluate, high.evaluate)
        return _Node(all_true([above, below]), "bool", value.position, value, low, high)

    def not_between(self, parts: list[Any]) -> _Node:
        return _negated(self.between(parts))

    def within(self, parts: list[Any]) -> _Node:
        value, items = parts
        _require_identifier(value, "IN")
        literals = frozenset(_normal_id(value, item.literal) for item in items)
        return _Node(membership(value.evaluate, literals), "bool", value.position, value)

    def not_within(self, parts: list[Any]) -> _Node:
        return _negated(self.within(parts))

    def literals(self, parts: list[Any]) -> list[_Node]:
        for item in parts:
            if item.kind == "bool":
                raise _Problem(item.position, "IN compares strings, numbers or byte strings")
        return parts

    def like(self, parts: list[Any]) -> _Node:
        value, pattern, *rest = parts
        _require_identifier(value, "LIKE")
        escape = rest[0] if rest else None
        try:
            matcher = compile_like(_unquote(pattern), None if escape is None else _unquote(escape))
        except LikePatternError as error:
            raise _Problem(pattern.start_pos, str(error)) from None
        return _Node(likeness(value.evaluate, matcher), "bool", value.position, value)

    def not_like(self, parts: list[Any]) -> _Node:
        return _negated(self.like(parts))

    def is_null(self, parts: list[Any]) -> _Node:
        value: _Node = parts[0]
        _require_identifier(value, "IS NULL")
        evaluate = value.evaluate
        return _Node(lambda md, properties: evaluate(md, properties) is None, "bool", value.position, value)

    def is_not_null(self, parts: list[Any]) -> _Node:
        value: _Node = parts[0]
        _require_identifier(value, "IS NOT NULL")
        evaluate = value.evaluate
        return _Node(lambda md, properties: evaluate(md, properties) is not None, "bool", value.position, value)

    # ---- arithmetic

    def arithmetic(self, parts: list[Any]) -> _Node:
        left: _Node = parts[0]
        operator, right = parts[1:]
        _require(left, "number", "a number")
        _require(right, "number", "a number")
        # Within one chain the operators apply from left to right, whatever they are.
        if left.operator != "arithmetic":
            first = left
            left = _Node(first.evaluate, "number", first.position, first)
            left.operator = "arithmetic"
            left.chain = []
            left.evaluate = calculation(first.evaluate, left.chain)
        left.chain.append((str(operator), right.evaluate))
        left.absorb(right)
        return left

    def signed(self, parts: list[Any]) -> _Node:
        plus_or_minus, operand = parts
        node: _Node = operand
        _require(node, "number", "a number")
        if isinstance(node.literal, int | float):
            if plus_or_minus == "-":
                node.literal = -node.literal
                node.evaluate = always(node.literal)
            return node
        if node.operator != "sign":
            inner = node
            node = _Node(inner.evaluate, "number", inner.position, inner)
            node.operator = "sign"
            node.chain = [inner.evaluate, False]
        node.chain[1] ^= plus_or_minus == "-"
        node.evaluate = sign(*node.chain)
        return node

    # ---- operands

    def identifier(self, parts: list[Any]) -> _Node:
        token = parts[0]
        name = str(token)
        evaluate, needs_properties, field = _resolve(name, token.start_pos)
        node = _Node(evaluate, "any", token.start_pos)
        node.constant = False
        node.needs_properties = needs_properties
        if needs_properties:
            node.names = {canonical_name(name)}
        node.field = field
        return node

    def string(self, parts: list[Any]) -> _Node:
        return _literal(_unquote(parts[0]), "string", parts[0])

    def byte_string(self, parts: list[Any]) -> _Node:
        match = _BYTE_LITERAL.fullmatch(parts[0])
        if match is None:
            raise _Problem(parts[0].start_pos, 'double quotes hold a byte string, "0x" and pairs of hexadecimal digits')
        return _literal(bytes.fromhex(match[1]), "bytes", parts[0])

    def approximate(self, parts: list[Any]) -> _Node:
        return _literal(float(parts[0].rstrip("fFdD")), "number", parts[0])

    def hexadecimal(self, parts: list[Any]) -> _Node:
        return _integer(parts[0], 16)

    def exact(self, parts: list[Any]) -> _Node:
        return _integer(parts[0], 8 if parts[0][0] == "0" else 10)

    def true(self, parts: list[Any]) -> _Node:
        return _literal(True, "bool", parts[0])

    def false(self, parts: list[Any]) -> _Node:
        return _literal(False, "bool", parts[0])


# ---- operands


def _literal(value: PropertyValue, kind: str, token: Any) -> _Node:
    node = _Node(always(value), kind, token.start_pos)
    node.literal = value
    return node


def _integer(token: Any, base: int) -> _Node:
    digits = token.rstrip("lL")
    try:
        value = int(digits, base) if len(digits) < 80 else _EXACT_MAX + 1
    except ValueError:
        raise _Problem(token.start_pos, "a number that begins with 0 is octal") from None
    if value > _EXACT_MAX:
        raise _Problem(token.start_pos, "the number does not fit 64 bits")
    return _literal(value, "number", token)


def _unquote(token: Any) -> str:
    return str(token)[1:-1].replace("''", "'")


def _resolve(name: str, position: int) -> tuple[Evaluate, bool, str]:
    """The closure that reads a name, whether it reads the properties, and what it names."""
    header = JMS_SELECTOR_VALUES.get(name)
    if header is not None:
        return header, name not in JMS_WITHOUT_FOLDER, name
    field = md_field(name)
    if field is not None:
        known = field
        return lambda md, properties: md_value(md, known), False, name
    if name.startswith(("Root.", "Body.")):
        raise _Problem(position, f"{name[:60]} is not a field of the message descriptor")
    if name.startswith("JMS") and not name.startswith("JMS_"):
        raise _Problem(position, f"{name[:60]} is not a JMS header field")
    canonical = canonical_name(name)
    return lambda md, properties: None if properties is None else properties.value(canonical), True, name


def _require_identifier(node: _Node, operator: str) -> None:
    if not node.field:
        raise _Problem(node.position, f"{operator} needs the name of a property here")


def _normal_id(node: _Node, literal: PropertyValue) -> PropertyValue:
    """An 'ID:' literal in the case that the header fields are written in."""
    if node.field in _ID_FIELDS and isinstance(literal, str) and _ID_LITERAL.fullmatch(literal):
        return "ID:" + literal[3:].lower()
    return literal


def _identifier_comparison(left: _Node, right: _Node) -> tuple[str, bytes] | None:
    """The descriptor field and the bytes, when the comparison is one of an identifier with a constant."""
    key: bytes = b""
    if isinstance(right.literal, str) and left.field in ("JMSMessageID", "JMSCorrelationID"):
        match = _ID_LITERAL.fullmatch(right.literal)
        key = bytes.fromhex(match[1]) if match else b""
    elif isinstance(right.literal, bytes) and left.field in ("Root.MQMD.MsgId", "Root.MQMD.CorrelId"):
        key = right.literal if len(right.literal) == 24 else b""
    # All zeros means "no identifier", which no index holds: left to the general comparison.
    return (_ID_FIELDS.get(left.field) or left.field[10:], key) if any(key) else None


# ---- chains


def _chain(operator: str, left: _Node, right: _Node, build: Callable[[list[Evaluate]], Evaluate]) -> _Node:
    _require(left, "bool", "a condition")
    _require(right, "bool", "a condition")
    if left.operator != operator:
        first = left
        left = _Node(first.evaluate, "bool", first.position, first)
        left.operator = operator
        left.chain = [first.evaluate]
        left.evaluate = build(left.chain)
    left.chain.append(right.evaluate)
    left.absorb(right)
    return left


def _negated(node: _Node) -> _Node:
    negated = _Node(negation(node.evaluate, True), "bool", node.position, node)
    negated.operator = "NOT"
    negated.chain = [node.evaluate, True]
    return negated
