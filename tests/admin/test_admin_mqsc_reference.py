"""The page about MQSC says what the command model says.

LIBREMQ_TRANSCRIPTS=update writes the table of commands into the page; then read the difference.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from libremq.admin import command_lookup, command_table
from libremq.admin.command_spec import CommandSpec, Naming
from libremq.admin.command_table import COMMANDS
from libremq.admin.display import OPERATORS
from libremq.admin.mqsc_lines import COMMAND_MAX
from libremq.admin.mqsc_reading import read_command
from libremq.commands.mq.runmqsc import NOT_RUN, SOME_FAILED
from libremq.kernel.objects.attributes import Attribute

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "mqsc.md"
_BEGIN, _END = "<!-- commands: made by tests/admin/test_admin_mqsc_reference.py -->\n", "<!-- end of commands -->\n"
_NAMES = {Naming.NONE: "", Naming.FULL: "(name)", Naming.GENERIC: "(name\\*)", Naming.OPTIONAL: "[(name)]"}


def _option(spec: CommandSpec, row: Attribute) -> str:
    word = "/".join(row.words) if command_lookup.is_bare(row) else row.keyword
    return f"**{word}**" if row.keyword in spec.required else word


def _row(spec: CommandSpec) -> str:
    options = [_option(spec, row) for row in spec.options]
    known = {row.keyword for row in spec.options}
    needed = [f"**{keyword}**" for keyword in spec.required if keyword not in known]
    groups = list(spec.groups)
    state = f"not there yet: {spec.part}" if spec.part else ""
    takes = ", ".join([*needed, *options, *groups])
    return f"| {spec.verb} {spec.object}{_NAMES[spec.naming]} | {takes} | {state} |"


def table() -> str:
    head = "| Command | Takes (in bold: must be given) | |\n|---|---|---|\n"
    return head + "".join(f"{_row(spec)}\n" for spec in sorted(COMMANDS, key=lambda one: (one.object, one.verb)))


def test_the_page_has_the_commands_of_the_model() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, begin, rest = text.partition(_BEGIN)
    found, end, after = rest.partition(_END)
    assert begin and end
    if os.environ.get("LIBREMQ_TRANSCRIPTS") == "update":
        PAGE.write_text(before + begin + table() + end + after, encoding="utf-8")
        found = table()
    assert found == table()


def test_the_words_of_the_page_are_those_of_the_language() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"{COMMAND_MAX:,} characters" in text
    assert f"| {SOME_FAILED} |" in text
    assert f"| {NOT_RUN} |" in text
    for operator in OPERATORS:
        assert f"`{operator}`" in text
    for short in command_table.VERB_ABBREVIATIONS.values():
        assert all(f"`{word}`" in text for word in short)


def test_the_examples_of_the_page_can_be_read() -> None:
    text = PAGE.read_text(encoding="utf-8")
    example = re.search(r"## The language\n\n```\n(.*?)```", text, re.DOTALL)
    assert example is not None
    lines = [line for line in example[1].splitlines() if not line.startswith("*")]
    joined = " ".join(line.rstrip("+") for line in lines[:-1])
    assert read_command(joined).parameters["DESCR"] == "It's here, where orders come in"
    assert read_command(lines[-1]).requested == ("CURDEPTH", "IPPROCS")
