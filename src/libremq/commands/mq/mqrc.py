"""The `libremq mqrc` command: say what a reason code or an AMQ message means and what to do about it."""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap

from libremq.common.messages.amq_messages import ROWS, SEVERITIES, find_number
from libremq.common.printable_text import printable
from libremq.mqi.constant_names import name_of
from libremq.mqi.reasons import Reason, close_names, find_reason

_WIDTH = 88


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "codes",
        nargs="+",
        metavar="CODE",
        help="a number (2085, 0x825), a name (UNKNOWN_OBJECT_NAME), or the id of a message (AMQ8006)",
    )
    parser.add_argument("--json", action="store_true", dest="json", help="as JSON, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print every code that is known; 1 if one is not."""
    missing = 0
    found: list[Reason | int] = []
    for code in arguments.codes:
        one: Reason | int | None = find_number(code)
        if one is None:
            one = find_reason(code)
        if one is not None:
            if found and not arguments.json:
                print()
            found.append(one)
            if not arguments.json:
                print(printable(explain(one) if isinstance(one, Reason) else explain_message(one)))
        else:
            missing += 1
            sys.stdout.flush()
            print(printable(_unknown(code)), file=sys.stderr)
    if arguments.json:
        print(json.dumps([_as_json(one) for one in found], indent=1))
    return 1 if missing else 0


def explain(found: Reason) -> str:
    lines = [f"{found.code}  0x{found.code:08x}  {found.name}"]
    if found.comp_codes:
        lines.append("  Comes with: " + " or ".join(name_of("MQCC", code) for code in found.comp_codes))
    lines.extend(_paragraph("Means: ", found.means[0].upper() + found.means[1:]))
    lines.extend(_paragraph("Do:    ", found.do))
    return "\n".join(lines)


def explain_message(number: int) -> str:
    """The same for an AMQ message; the places of its inserts are shown as <insert 1>, <insert 2>, ..."""
    row = ROWS[number]
    lines = textwrap.wrap(f"AMQ{number:04}{row.severity}: {_shown(row.template)}", _WIDTH, subsequent_indent="  ")
    lines.append(f"  Severity: {SEVERITIES[row.severity]}")
    lines.extend(_paragraph("Means: ", row.explanation))
    lines.extend(_paragraph("Do:    ", row.action))
    return "\n".join(lines)


def _shown(template: str) -> str:
    return re.sub(r"\{(\d)\}", lambda place: f"<insert {int(place[1]) + 1}>", template)


def _as_json(one: Reason | int) -> dict[str, object]:
    if isinstance(one, Reason):
        completion = [name_of("MQCC", code) for code in one.comp_codes]
        return {"code": one.code, "name": one.name, "completion": completion, "means": one.means, "do": one.do}
    row = ROWS[one]
    return {
        "id": f"AMQ{one:04}{row.severity}",
        "severity": SEVERITIES[row.severity],
        "text": _shown(row.template),
        "means": row.explanation,
        "do": row.action,
    }


def _paragraph(label: str, text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="  " + label, subsequent_indent=" " * (2 + len(label)))


def _unknown(code: str) -> str:
    shown = code if len(code) <= 60 else code[:57] + "..."
    if code[:3].upper() == "AMQ":
        return f"libremq mqrc: no message {shown!r}."
    message = f"libremq mqrc: no reason code {shown!r}."
    close = close_names(code[:100])
    return message + (f" Did you mean {', '.join(close)}?" if close else "")
