"""The `libremq mqrc` command: say what a reason code means and what to do about it."""

from __future__ import annotations

import argparse
import sys
import textwrap

from libremq.mqi.names import name_of
from libremq.mqi.reasons import Reason, close_names, find_reason

_WIDTH = 88


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "codes", nargs="+", metavar="CODE", help="a number (2085, 0x825) or a name (UNKNOWN_OBJECT_NAME)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print every code that is known; 1 if one is not."""
    missing = 0
    first = True
    for code in arguments.codes:
        found = find_reason(code)
        if found is None:
            missing += 1
            sys.stdout.flush()
            print(_unknown(code), file=sys.stderr)
            continue
        if not first:
            print()
        first = False
        print(explain(found))
    return 1 if missing else 0


def explain(found: Reason) -> str:
    lines = [f"{found.code}  0x{found.code:08x}  {found.name}"]
    if found.comp_codes:
        lines.append("  Comes with: " + " or ".join(name_of("MQCC", code) for code in found.comp_codes))
    lines.extend(_paragraph("Means: ", found.means[0].upper() + found.means[1:]))
    lines.extend(_paragraph("Do:    ", found.do))
    return "\n".join(lines)


def _paragraph(label: str, text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="  " + label, subsequent_indent=" " * (2 + len(label)))


def _unknown(code: str) -> str:
    shown = code if len(code) <= 60 else code[:57] + "..."
    message = f"libremq mqrc: no reason code {shown!r}."
    close = close_names(code[:100])
    return message + (f" Did you mean {', '.join(close)}?" if close else "")
