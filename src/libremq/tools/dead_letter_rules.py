"""The rules table of the dead-letter queue handler: from text to rules, and which rule a message fits.

A table is lines of `KEYWORD(value)`: control data first, if at all, then a rule a line. `+` and `-` continue a line, an
asterisk in column one makes a comment. Every fault is found in one go; each names its keyword and its line. Keywords
are rows of a table: what a value may be, and which field of a message it is compared with.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from libremq.common.messages.amq_messages import AmqMessage, amq
from libremq.mqi import constants as C
from libremq.mqi.constant_names import value_of
from libremq.mqi.structs import MQDLH, MQMD

NUMBER_MAX = 999_999_999
ACTIONS = ("DISCARD", "IGNORE", "RETRY", "FWD")
RETRY_INTERVAL_S = 60
_NAME_LENGTH = C.MQ_Q_NAME_LENGTH
_TABLE_CHARACTERS_MAX = 4 << 20
_TOKEN = re.compile(
    r"[\s,]*(?P<keyword>[A-Za-z]+)[ \t]*\([ \t]*(?:'(?P<quoted>(?:[^']|'')*)'|(?P<plain>[^()']*))[ \t]*\)"
)
_BLANK = re.compile(r"[\s,]*")
_SHOWN = 40

# Numbers of AMQ messages
_NO_RULES, _TOO_LONG, _DUPLICATE, _SYNTAX, _VALUE, _TOGETHER = 8750, 8752, 8753, 8755, 8757, 8759


class RulesError(ValueError):
    """A rules table that cannot be used; `problems` has a message for each fault."""

    def __init__(self, problems: list[AmqMessage]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class Pattern(NamedTuple):
    """A keyword that chooses messages."""

    field: Callable[[MQMD, MQDLH], str | int | None]
    """What it is compared with; None fits only an asterisk."""
    prefix: str = ""
    """Of the names of numbers (MQRC); text if empty."""
    length: int = _NAME_LENGTH


PATTERNS: Mapping[str, Pattern] = {
    "APPLIDAT": Pattern(lambda md, dlh: md.ApplIdentityData, length=32),
    "APPLNAME": Pattern(lambda md, dlh: md.PutApplName, length=28),
    "APPLTYPE": Pattern(lambda md, dlh: md.PutApplType, "MQAT"),
    "DESTQ": Pattern(lambda md, dlh: dlh.DestQName),
    "DESTQM": Pattern(lambda md, dlh: dlh.DestQMgrName),
    "FEEDBACK": Pattern(lambda md, dlh: md.Feedback if md.MsgType == C.MQMT_REPORT else None, "MQFB"),
    "FORMAT": Pattern(lambda md, dlh: dlh.Format, length=8),
    "MSGTYPE": Pattern(lambda md, dlh: md.MsgType, "MQMT"),
    "PERSIST": Pattern(lambda md, dlh: md.Persistence, "MQPER"),
    "REASON": Pattern(lambda md, dlh: dlh.Reason, "MQRC"),
    "REPLYQ": Pattern(lambda md, dlh: md.ReplyToQ),
    "REPLYQM": Pattern(lambda md, dlh: md.ReplyToQMgr),
    "USERID": Pattern(lambda md, dlh: md.UserIdentifier, length=12),
}
_OTHER_PREFIXES = {"MQRC": ("MQRC", "MQFB"), "MQFB": ("MQFB", "MQRC")}
"""The Reason of a header may be a feedback code, and the Feedback of a report a reason code."""
_CONTROL = ("INPUTQ", "INPUTQM", "RETRYINT", "WAIT")
_ACTION_KEYWORDS = ("ACTION", "FWDQ", "FWDQM", "HEADER", "PUTAUT", "RETRY")
_FORWARD_ONLY = ("FWDQ", "FWDQM", "HEADER")


class Control(NamedTuple):
    """The control data of a table."""

    input_queue: str = ""
    """Empty: that of the command, else the DEADQ of the queue manager."""
    input_manager: str = ""
    retry_interval_s: int = RETRY_INTERVAL_S
    wait_s: float = float("inf")
    """How long to wait for more messages; 0 ends when nothing is left to do."""


class Rule(NamedTuple):
    """One rule: which messages, and what to do with them."""

    line: int
    action: str
    patterns: tuple[tuple[str, int | re.Pattern[str]], ...] = ()
    forward_queue: str = ""
    """A name, or &DESTQ or &REPLYQ."""
    forward_manager: str = ""
    """A name, or &DESTQM or &REPLYQM; empty is the queue manager of the handler."""
    keep_header: bool = True
    as_context_user: bool = False
    """PUTAUT(CTX): with the authority of the user in the message."""
    attempts: int = 1

    def fits(self, md: MQMD, dlh: MQDLH) -> bool:
        for keyword, wanted in self.patterns:
            found = PATTERNS[keyword].field(md, dlh)
            if isinstance(wanted, int):
                if found != wanted:
                    return False
            elif not isinstance(found, str) or wanted.fullmatch(found.rstrip(" \0")) is None:
                return False
        return True

    def destination(self, md: MQMD, dlh: MQDLH) -> tuple[str, str]:
        """Queue and queue manager that a message is put to."""
        if self.action == "RETRY":
            return dlh.DestQName.strip(), dlh.DestQMgrName.strip()
        symbols = {
            "&DESTQ": dlh.DestQName, "&REPLYQ": md.ReplyToQ, "&DESTQM": dlh.DestQMgrName, "&REPLYQM": md.ReplyToQMgr,
        }  # fmt: skip
        queue, manager = self.forward_queue, self.forward_manager
        return symbols.get(queue, queue).strip(), symbols.get(manager, manager).strip()


class RulesTable(NamedTuple):
    control: Control
    rules: tuple[Rule, ...]

    def matching(self, md: MQMD, dlh: MQDLH) -> Iterator[Rule]:
        """The rules that a message fits, from the top."""
        return (rule for rule in self.rules if rule.fits(md, dlh))


def parse_rules(text: str) -> RulesTable:
    """The table that a text describes. RulesError names all that is wrong with it."""
    if len(text) > _TABLE_CHARACTERS_MAX:
        raise RulesError([amq(_NO_RULES, f"a rules table of more than {_TABLE_CHARACTERS_MAX} characters is none")])
    problems: list[AmqMessage] = []
    control = Control()
    rules: list[Rule] = []
    first = True
    for number, line in _entries(text):
        before = len(problems)
        given = _keywords(line, number, problems)
        if len(problems) > before:
            pass
        elif any(keyword in _CONTROL for keyword in given):
            if not first:
                problems.append(amq(_TOGETHER, number, "control data comes once, before the first rule"))
            control = _control(given, number, problems)
        else:
            rules += _rule(given, number, problems)
        first = False
    if not rules and not problems:
        problems.append(amq(_NO_RULES, "it has no rule"))
    if problems:
        raise RulesError(problems)
    return RulesTable(control, tuple(rules))


# From lines to keywords


def _entries(text: str) -> Iterator[tuple[int, str]]:
    """Each entry with the number of its first line, comments left out and continued lines joined."""
    number, entry, continued = 0, "", ""
    for at, raw in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        line = raw.rstrip(" \t\r")
        if line.startswith("*") or not (line.strip() or continued):
            continue
        if not continued:
            number, entry = at, ""
        entry += line.lstrip(" \t") if continued == "+" else line
        continued = entry[-1:] if entry[-1:] in ("+", "-") else ""
        if continued:
            entry = entry[:-1]
        else:
            yield number, entry
    if continued and entry.strip():
        yield number, entry


def _keywords(line: str, number: int, problems: list[AmqMessage]) -> dict[str, str]:
    """The keywords of an entry with their values."""
    given: dict[str, str] = {}
    known = (*PATTERNS, *_CONTROL, *_ACTION_KEYWORDS)
    at = 0
    while (at := _after_blanks(line, at)) < len(line):
        found = _TOKEN.match(line, at)
        if found is None:
            problems.append(amq(_SYNTAX, number, f"KEYWORD(value) is expected at {_cut(line[at:])!r}"))
            break
        at = found.end()
        keyword = found["keyword"].upper()
        if keyword not in known:
            problems.append(amq(_SYNTAX, number, f"{_cut(keyword)} is no keyword of a rules table"))
        elif keyword in given:
            problems.append(amq(_DUPLICATE, keyword, number))
        else:
            quoted = found["quoted"]
            given[keyword] = found["plain"].strip() if quoted is None else quoted.replace("''", "'")
    return given


def _after_blanks(line: str, at: int) -> int:
    found = _BLANK.match(line, at)
    return found.end() if found else at


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


# From keywords to rules


def _control(given: dict[str, str], number: int, problems: list[AmqMessage]) -> Control:
    for keyword in given:
        if keyword not in _CONTROL:
            problems.append(amq(_TOGETHER, number, f"{keyword} does not go with control data"))
    for keyword in ("INPUTQ", "INPUTQM"):
        _check_length(keyword, given.get(keyword, ""), _NAME_LENGTH, number, problems)
    interval = _number("RETRYINT", given.get("RETRYINT", str(RETRY_INTERVAL_S)), number, problems)
    word = given.get("WAIT", "YES").upper()
    if word in ("YES", "NO"):
        wait = float("inf") if word == "YES" else 0.0
    else:
        wait = float(_number("WAIT", word, number, problems, lowest=0, words=", YES or NO"))
    return Control(given.get("INPUTQ", "").strip(), given.get("INPUTQM", "").strip(), interval, wait)


def _rule(given: dict[str, str], number: int, problems: list[AmqMessage]) -> list[Rule]:
    before = len(problems)
    patterns = []
    for keyword, text in given.items():
        pattern = PATTERNS.get(keyword)
        if pattern is not None and text.strip() != "*":
            wanted = _wanted(keyword, pattern, text, number, problems)
            if wanted is not None:
                patterns.append((keyword, wanted))
    action = given.get("ACTION", "").upper()
    if not action:
        problems.append(amq(_TOGETHER, number, "a rule needs ACTION"))
    else:
        _choice("ACTION", action, ACTIONS, number, problems)
    for keyword in _FORWARD_ONLY:
        if keyword in given and action in ACTIONS and action != "FWD":
            problems.append(amq(_TOGETHER, number, f"{keyword} goes with ACTION(FWD) only"))
    if action == "FWD" and not given.get("FWDQ", "").strip():
        problems.append(amq(_TOGETHER, number, "ACTION(FWD) needs FWDQ"))
    queue = _place("FWDQ", given.get("FWDQ", ""), ("&DESTQ", "&REPLYQ"), number, problems)
    manager = _place("FWDQM", given.get("FWDQM", ""), ("&DESTQM", "&REPLYQM"), number, problems)
    header = _choice("HEADER", given.get("HEADER", "YES").upper(), ("YES", "NO"), number, problems)
    authority = _choice("PUTAUT", given.get("PUTAUT", "DEF").upper(), ("DEF", "CTX"), number, problems)
    attempts = _number("RETRY", given.get("RETRY", "1"), number, problems)
    if len(problems) > before:
        return []
    return [Rule(number, action, tuple(patterns), queue, manager, header == "YES", authority == "CTX", attempts)]


def _wanted(
    keyword: str, pattern: Pattern, text: str, number: int, problems: list[AmqMessage]
) -> int | re.Pattern[str] | None:
    """What a field must be: a number, or a text with * and ? in it."""
    if not pattern.prefix:
        _check_length(keyword, text, pattern.length, number, problems)
        return _text_pattern(text.rstrip(" "))
    word = text.strip().upper()
    if re.fullmatch(r"-?[0-9]{1,10}", word):
        return int(word)
    for prefix in _OTHER_PREFIXES.get(pattern.prefix, (pattern.prefix,)):
        value = value_of(word) if word.startswith(f"{prefix}_") else None
        if isinstance(value, int):
            return value
    problems.append(amq(_VALUE, keyword, number, f"{_cut(word)!r} is no number and no name {pattern.prefix}_..."))
    return None


def _text_pattern(text: str) -> re.Pattern[str]:
    """* is any text, ? one character. What stands between two asterisks is never looked for twice (atomic groups)."""
    first, *parts = (re.escape(part).replace(r"\?", ".") for part in text.split("*"))
    if not parts:
        return re.compile(first, re.DOTALL)
    middle = "".join(f"(?>.*?{part})" for part in parts[:-1] if part)
    return re.compile(f"{first}{middle}.*{parts[-1]}", re.DOTALL)


def _place(keyword: str, text: str, symbols: tuple[str, str], number: int, problems: list[AmqMessage]) -> str:
    text = text.strip()
    if text.startswith("&"):
        return _choice(keyword, text.upper(), symbols, number, problems)
    _check_length(keyword, text, _NAME_LENGTH, number, problems)
    return text


def _check_length(keyword: str, text: str, longest: int, number: int, problems: list[AmqMessage]) -> None:
    if len(text.rstrip(" ")) > longest:
        problems.append(amq(_TOO_LONG, keyword, longest, number))


def _choice(keyword: str, word: str, choices: tuple[str, ...], number: int, problems: list[AmqMessage]) -> str:
    if word not in choices:
        problems.append(amq(_VALUE, keyword, number, f"{_cut(word)!r} is not one of {', '.join(choices)}"))
    return word


def _number(
    keyword: str, text: str, number: int, problems: list[AmqMessage], *, lowest: int = 1, words: str = ""
) -> int:
    value = int(text) if re.fullmatch(r"[0-9]{1,9}", text) else -1
    if value < lowest:
        problems.append(amq(_VALUE, keyword, number, f"{_cut(text)!r} is not {lowest} to {NUMBER_MAX}{words}"))
    return value
