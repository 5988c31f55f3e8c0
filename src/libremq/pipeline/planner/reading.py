"""Turn what people write into values: numbers with k, M, G, yes and no, words, log addresses; and say what is wrong.

For sizes a suffix is the size itself, in binary: `--log-dataset-mb 4G` is 4096 MB and `--message-bytes 5k` is 5120
bytes. For counts and rates it is a decimal factor: `--users 10k` is 10,000.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable
from typing import Any

from libremq.pipeline.planner.plan import Input, Value

_NUMBER = re.compile(
    r"([+-]?(?:\d{1,3}(?:,\d{3})+|\d[\d_]*)?(?:\.\d*)?(?:e[+-]?\d+)?)\s*([kmgt]?)(i?b)?", re.IGNORECASE
)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE_UNITS = {"bytes": 0, "KB": 1, "MB": 2, "GB": 3}
_YES = ("yes", "y", "true", "on", "1")
_NO = ("no", "n", "false", "off", "0")
_SHOWN_MAX = 60


class PlanError(ValueError):
    """What was given cannot be planned with; the text is for the user, one line."""


def read_value(each: Input, given: Any) -> Value:
    """A checked value from a text or from what a YAML or JSON file holds; PlanError says what is wrong with it."""
    match each.kind:
        case "flag":
            return _flag(each, given)
        case "word":
            return _word(each, given)
        case "address":
            return _address(each, given)
    return _in_range(each, _number(each, given))


def nearest(name: str, names: Iterable[str]) -> str:
    """Names that may have been meant, as the end of a sentence; empty if none is near."""
    known = sorted(set(names))
    close = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.6)
    close += [each for each in known if name and name.lower() in each and each not in close][: 3 - len(close)]
    return f"; did you mean {', '.join(close)}?" if close else ""


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= _SHOWN_MAX else text[: _SHOWN_MAX - 3] + "..."


def _wrong(each: Input, given: Any, wanted: str) -> PlanError:
    return PlanError(f"{each.name} must be {wanted}, not {_shown(given)} ({each.meaning})")


def _number(each: Input, given: Any) -> float:
    wanted = f"a number of {each.unit}" if each.unit else "a number"
    if isinstance(given, bool) or not isinstance(given, (int, float, str)):
        raise _wrong(each, given, wanted)
    if isinstance(given, str):
        return _number_of_text(each, given, wanted)
    try:
        number = float(given)
    except OverflowError:
        raise _wrong(each, given, f"at most {each.highest:g}") from None
    if not math.isfinite(number):
        raise _wrong(each, given, wanted)
    return number


def _number_of_text(each: Input, given: str, wanted: str) -> float:
    found = _NUMBER.fullmatch(given.strip())
    try:
        if found is None:
            raise ValueError
        number = float(found.group(1).replace(",", "").replace("_", ""))
    except ValueError:
        raise _wrong(each, given, f"{wanted} (k, M and G may follow)") from None
    power = _POWERS[found.group(2).lower()]
    base = _SIZE_UNITS.get(each.unit.partition("/")[0])
    if base is None:
        if found.group(3):
            raise _wrong(each, given, wanted)
        return number * 1000.0**power
    if not found.group(2):
        # A bare number is in the unit of the input; `5000 B` and `5000B` are bytes whatever it is.
        return number / 1024.0**base if found.group(3) else number
    return number * 1024.0 ** (power - base)


def _in_range(each: Input, number: float) -> float:
    shown = int(number) if number.is_integer() else number
    if each.positive and number <= 0:
        raise _wrong(each, shown, "more than 0")
    if number < each.lowest:
        raise _wrong(each, shown, f"at least {each.lowest:g}")
    if number > each.highest:
        raise _wrong(each, shown, f"at most {each.highest:g}")
    if each.whole and not number.is_integer():
        raise _wrong(each, shown, "a whole number")
    return number


def _flag(each: Input, given: Any) -> bool:
    if isinstance(given, bool):
        return given
    text = str(given).strip().lower()
    if text in _YES:
        return True
    if text in _NO:
        return False
    raise _wrong(each, given, "yes or no")


def _word(each: Input, given: Any) -> str:
    if not isinstance(given, str):
        raise _wrong(each, given, f"one of {', '.join(each.choices)}" if each.choices else "a word")
    text = given.strip()
    if not each.choices:
        return text
    for choice in each.choices:
        if choice.lower() == text.lower():
            return choice
    if len(each.choices) <= 4:
        raise _wrong(each, given, f"one of: {'; '.join(each.choices)}")
    inside = [choice for choice in each.choices if text and text.lower() in choice.lower()]
    near = difflib.get_close_matches(text.lower(), [choice.lower() for choice in each.choices], n=3)
    meant = inside or [choice for choice in each.choices if choice.lower() in near]
    raise _wrong(each, given, f"one of: {'; '.join(meant or each.choices)}" + ("; or others" if meant else ""))


def _address(each: Input, given: Any) -> float:
    """A log address: hexadecimal, as messages print it; X'..' and 0x are allowed."""
    text = str(given).strip().upper().removeprefix("0X").removeprefix("X'").removesuffix("'").replace(".", "")
    if isinstance(given, bool) or not re.fullmatch(r"[0-9A-F]{1,16}", text):
        raise _wrong(each, given, "a log address in hexadecimal, such as 00003E022000 (in a file, in quotes)")
    return float(int(text, 16))
