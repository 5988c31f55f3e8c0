"""Look up a reason code by number or name: what it means and what to do about it.

The wording is in `reason_table`, which is loaded on the first look-up: a program that meets no error does not
pay for it. Codes that only PCF replies use (MQRCCF_*, from 3001 on) have a name but no wording here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from libremq.mqi import constants as C
from libremq.mqi.constant_names import names_of


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason code. `comp_codes` are the completion codes it comes with; none if no call returns it."""

    code: int
    name: str
    comp_codes: tuple[int, ...]
    means: str
    do: str


_HEX = re.compile(r"0x[0-9a-f]+", re.IGNORECASE)
_OTHER_NAMES = {"MQRC_TRUNCATED": 2120, "MQRC_PAGESET_FULL": 2192}
_PCF_DO = "Look at the parameters that came with the PCF reply."
# Those that a definition made from a program gets too, where the text in front of it says what is permitted
_VALUE_DO = "Give the attribute a value that is permitted."
_DEFINE_DO = {
    C.MQRCCF_ATTR_VALUE_ERROR: _VALUE_DO,
    C.MQRCCF_ATTR_VALUE_FIXED: "Delete the object and define it anew, or leave the attribute as it is.",
    C.MQRCCF_CFIN_PARM_ID_ERROR: "Correct the name of the attribute, or the type of the object.",
    C.MQRCCF_CFIN_DUPLICATE_PARM: "Give each attribute once.",
    C.MQRCCF_CFST_DUPLICATE_PARM: "Give each attribute once.",
    C.MQRCCF_CFST_STRING_LENGTH_ERR: "Make the text shorter.",
    C.MQRCCF_CFSL_COUNT_ERROR: "Give fewer names.",
    C.MQRCCF_CLUSTER_NAME_CONFLICT: _VALUE_DO,
    C.MQRCCF_REPOS_NAME_CONFLICT: _VALUE_DO,
    C.MQRCCF_CLUSTER_Q_USAGE_ERROR: _VALUE_DO,
    C.MQRCCF_CLUS_XMIT_Q_USAGE_ERROR: _VALUE_DO,
    C.MQRCCF_CELL_DIR_NOT_AVAILABLE: _VALUE_DO,
    C.MQRCCF_DEF_XMIT_Q_CLUS_ERROR: _VALUE_DO,
    C.MQRCCF_OBJECT_NAME_ERROR: "Correct the name.",
    C.MQRCCF_OBJECT_ALREADY_EXISTS: "Use another name, or replace the object.",
    C.MQRCCF_OBJECT_WRONG_TYPE: "Use the type that the object has, or another name.",
    C.MQRCCF_LIKE_OBJECT_WRONG_TYPE: "Name an object of the same type to copy from.",
    # What a channel cannot do is told in error logs too
    C.MQRCCF_CHANNEL_NOT_FOUND: "Define the channel, or correct its name.",
    C.MQRCCF_CHANNEL_NAME_ERROR: "Correct the name.",
    C.MQRCCF_WRONG_CHANNEL_TYPE: "Name a channel of a type that can do it.",
    C.MQRCCF_CHANNEL_IN_USE: "Stop the channel first.",
    C.MQRCCF_NOT_XMIT_Q: "Correct XMITQ of the channel, or USAGE of the queue.",
    C.MQRCCF_MQOPEN_FAILED: "Correct XMITQ of the channel, or remove what keeps the queue from being opened.",
    C.MQRCCF_USER_EXIT_NOT_AVAILABLE: "Blank the attribute that names the exit.",
    C.MQRCCF_CHANNEL_INITIATOR_ERROR: "Look at the error log of the queue manager.",
    C.MQRCCF_PING_DATA_COUNT_ERROR: _VALUE_DO,
    C.MQRCCF_MODE_VALUE_ERROR: _VALUE_DO,
    C.MQRCCF_INDOUBT_VALUE_ERROR: _VALUE_DO,
    C.MQRCCF_MSG_SEQ_NUMBER_ERROR: _VALUE_DO,
    C.MQRCCF_CHL_INST_TYPE_ERROR: _VALUE_DO,
    C.MQRCCF_CHANNEL_TABLE_ERROR: _VALUE_DO,
}


def find_reason(code_or_name: int | str) -> Reason | None:
    """The reason with that number or name, or None. Prefix and case of a name do not matter."""
    from libremq.mqi.reason_table import REASONS

    code = code_or_name if isinstance(code_or_name, int) else _code_of(code_or_name)
    if code is None:
        return None
    entry = REASONS.get(code)
    if entry is not None:
        return Reason(code, *entry)
    pcf_name = names_of("MQRCCF").get(code)
    if pcf_name is None:
        return None
    words = pcf_name.removeprefix("MQRCCF_").replace("_", " ").lower()
    return Reason(code, pcf_name, (2,), f"a command was refused: {words}.", _DEFINE_DO.get(code, _PCF_DO))


def reason(code_or_name: int | str) -> Reason:
    """The reason with that number or name. Raises KeyError if there is none."""
    found = find_reason(code_or_name)
    if found is None:
        raise KeyError(code_or_name)
    return found


def close_names(text: str, limit: int = 5) -> list[str]:
    """Names of reason codes that look like `text`, best first."""
    import difflib

    wanted = text.strip().upper().replace("-", "_").replace(" ", "_")
    short_names: dict[str, str] = {}
    for name in _code_by_name():  # MQRC names come first and win over MQRCCF ones with the same ending
        short_names.setdefault(name.partition("_")[2], name)
    short = wanted.partition("_")[2] if wanted.startswith(("MQRC_", "MQRCCF_")) else wanted
    if not short:
        return []
    inside = [name for key, name in short_names.items() if short in key] if len(short) > 2 else []
    close = [short_names[key] for key in difflib.get_close_matches(short, short_names, limit, 0.6)]
    return list(dict.fromkeys(close + sorted(inside, key=len)))[:limit]


def _code_by_name() -> dict[str, int]:
    from libremq.mqi.reason_table import REASONS

    names = {entry[0]: code for code, entry in REASONS.items()}
    names.update(_OTHER_NAMES)
    for code, name in names_of("MQRCCF").items():
        if isinstance(code, int):
            names[name] = code
    return names


def _code_of(text: str) -> int | None:
    text = text.strip()
    if _HEX.fullmatch(text):
        return int(text, 16)
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= 10 else None
    name = text.upper().replace("-", "_").replace(" ", "_")
    names = _code_by_name()
    for candidate in (name, "MQRC_" + name, "MQRCCF_" + name):
        if candidate in names:
            return names[candidate]
    return None
