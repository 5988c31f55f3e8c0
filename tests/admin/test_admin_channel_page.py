"""docs/reference/channel-commands.md: its table has every field of DISPLAY CHSTATUS, its first example can be typed.

LIBREMQ_TRANSCRIPTS=update writes the table into the page; then read the difference.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from libremq.admin.mqsc_reading import read_command
from libremq.common.messages.amq_messages import ROWS
from libremq.kernel.objects.attributes import Kind
from libremq.kernel.objects.status_tables import CHSTATUS_BY_TYPE
from libremq.kernel.objects.status_tables_channel import CHSTATUS, MONITOR, SAVED
from libremq.mqi import constants as C

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "channel-commands.md"
_BEGIN, _END = "<!-- fields: made by tests/admin/test_admin_channel_page.py -->\n", "<!-- end of fields -->\n"
_TYPES = ("SDR", "SVR", "RCVR", "RQSTR", "SVRCONN")


def table() -> str:
    lines = ["| Field | Of | | Meaning |", "|---|---|---|---|"]
    for row in CHSTATUS:
        types = [kind for kind in _TYPES if row.keyword in CHSTATUS_BY_TYPE[kind].by_keyword]
        if not types:
            continue
        of = "all" if len(types) == len(_TYPES) else ", ".join(types)
        notes = [word for word, fields in (("SAVED", SAVED), ("MONITOR", MONITOR)) if row.keyword in fields]
        about = row.about
        if row.kind is Kind.ENUM and row.keyword not in row.words:
            about += ": " + ", ".join(row.words)
        lines.append(f"| {row.keyword} | {of} | {', '.join(notes)} | {about} |")
    return "\n".join(lines) + "\n"


def test_the_page_has_the_fields_of_the_status() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, begin, rest = text.partition(_BEGIN)
    found, end, after = rest.partition(_END)
    assert begin and end
    if os.environ.get("LIBREMQ_TRANSCRIPTS") == "update":
        PAGE.write_text(before + begin + table() + end + after, encoding="utf-8")
        found = table()
    assert found == table()


def test_the_example_is_mqsc() -> None:
    text = PAGE.read_text(encoding="utf-8")
    example = text.split("```")[1].strip().splitlines()
    assert len(example) == 5
    for line in example:
        assert read_command(line).name in ("QM2", "QM1.TO.QM2")


def test_the_messages_and_reasons_of_the_page_are_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for number, severity in re.findall(r"\bAMQ(\d{4})([A-Z])", text):
        assert ROWS[int(number)].severity == severity
    assert all(hasattr(C, name) for name in re.findall(r"\bMQRCCF_\w+", text))
