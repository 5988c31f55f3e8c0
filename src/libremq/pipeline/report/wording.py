"""Small words of a report: names and figures as people read them, and text from dumps made harmless to look at."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from datetime import datetime

from libremq.pipeline.plain_text import shown

_UPPER = {
    "adaps": "adapters", "bsds": "BSDS", "cf": "CF", "cfcc": "CFCC", "chiadaps": "CHIADAPS", "chinit": "CHINIT",
    "cflevel": "CFLEVEL", "cpu": "CPU", "csa": "CSA", "dasd": "DASD", "db2": "Db2", "dns": "DNS", "ecdhe": "ECDHE",
    "expryint": "EXPRYINT", "ims": "IMS", "io": "I/O", "lla": "LLA", "lob": "LOB", "logload": "LOGLOAD",
    "lpar": "LPAR", "maxarch": "MAXARCH", "maxchl": "MAXCHL", "maxumsgs": "MAXUMSGS", "memlimit": "MEMLIMIT",
    "npmspeed": "NPMSPEED", "omvs": "OMVS", "outbuff": "OUTBUFF", "put1": "MQPUT1", "qbuf": "QBUF", "rba": "RBA",
    "scm": "SCM", "sharecnv": "SHARECNV", "smds": "SMDS", "ssl": "TLS", "ssltasks": "SSLTASKS", "tls": "TLS",
    "tls13": "TLS 1.3", "v6": "V6", "v8": "V8", "zedc": "zEDC", "zhpf": "zHPF", "zhyperlink": "zHyperLink",
    "zhyperwrite": "zHyperWrite", "mqi": "MQI", "tpipe": "TPIPE", "batchsz": "BATCHSZ", "minsize": "MINSIZE",
}  # fmt: skip


def titled(rule_id: str) -> str:
    """The identifier of a rule, or of a measure, as a heading.

    >>> titled("ssl-task-saturated"), titled("pool-nearly-full")
    ('TLS task saturated', 'Pool nearly full')
    """
    words = [_UPPER.get(word, word) for word in rule_id.split("-")]
    text = " ".join(words)
    return text if rule_id.split("-")[0] in _UPPER else text[:1].upper() + text[1:]


def counted(number: float, one: str, several: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "queue manager"), counted(1200, "day"), counted(2, "is", "are")
    ('1 queue manager', '1,200 days', '2 are')
    """
    return f"{shown(number)} {one if number == 1 else several or one + 's'}"


def rounded(number: float) -> str:
    """A large number as one says it.

    >>> rounded(15_234_567), rounded(2_310), rounded(4_560_000_000)
    ('15.2 million', '2,310', '4.56 billion')
    """
    for size, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if abs(number) >= size:
            return f"{number / size:,.3g} {name}"
    return shown(round(number)) if abs(number) >= 100 else shown(number)


def listed(names: Sequence[str], in_all: int | None = None) -> str:
    """Names in a row; `in_all` is how many there are, the names being the first of them.

    >>> listed(["A", "B", "C"]), listed(["A", "B"], 5), listed(["A"])
    ('A, B and C', 'A, B and 3 more', 'A')
    """
    more = (in_all or len(names)) - len(names)
    if more > 0:
        return f"{', '.join(names)} and {shown(more)} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def figure_of(value: str | None) -> str:
    """A value of the evidence, which is text: with few digits if it is a number.

    >>> figure_of("14.6666667"), figure_of("APP1"), figure_of(None)
    ('14.7', 'APP1', 'unknown')
    """
    try:
        number = float(value or "")
    except ValueError:
        return shown(value)
    return shown(number) if math.isfinite(number) else shown(value)


def day_and_time(moment: datetime) -> str:
    """
    >>> day_and_time(datetime(2026, 3, 2, 10, 30))
    'Mon 2 Mar 2026 10:30'
    """
    return f"{moment:%a} {moment.day} {moment:%b %Y %H:%M}"


def day(moment: datetime) -> str:
    """
    >>> day(datetime(2026, 3, 2, 10, 30))
    '2 Mar 2026'
    """
    return f"{moment.day} {moment:%b %Y}"


def visible(text: str) -> str:
    """Text without what a reader cannot see or what turns the line around: each such character becomes a lozenge.

    >>> visible("A\\x00B\\u202eC")
    'A\\ufffdB\\ufffdC'
    """
    if text.isprintable():
        return text
    return "".join("\ufffd" if _hidden(character) else character for character in text)


def _hidden(character: str) -> bool:
    return character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
