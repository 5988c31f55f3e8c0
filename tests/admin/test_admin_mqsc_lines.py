"""From lines to commands: comments in the middle of a command and of a value, and what shares a line."""

from __future__ import annotations

import pytest

from libremq.admin.mqsc_lines import commands_in


def texts(lines: str) -> list[str]:
    return [given.text for given in commands_in(lines) if given.text]


@pytest.mark.parametrize(
    ("lines", "command"),
    [
        ("DEFINE QL(A) DESCR('one +\n* not this\ntwo')", "DEFINE QL(A) DESCR('one two')"),
        ("DEFINE QL(A) -\n* not this\n MAXDEPTH(5)", "DEFINE QL(A)  MAXDEPTH(5)"),
        ("DEFINE QL(A) DESCR('one +\n* not +\n* this\n   two')", "DEFINE QL(A) DESCR('one two')"),
        # A value may go on with an asterisk, if it stands behind blanks, or goes on in column one
        ("DEFINE QL(A) DESCR('one -\n* two')", "DEFINE QL(A) DESCR('one * two')"),
        ("DEFINE QL(A) DESCR('one +\n  * two')", "DEFINE QL(A) DESCR('one * two')"),
        ("DEFINE QL(A) DESCR('one-\n *two')", "DEFINE QL(A) DESCR('one *two')"),
        # Between parameters every line that begins so is a comment
        ("DEFINE QL(A) +\n   * not this\n   MAXDEPTH(5)", "DEFINE QL(A) MAXDEPTH(5)"),
    ],
)
def test_comments_between_the_lines_of_a_command(lines: str, command: str) -> None:
    assert texts(lines) == [command]


def test_commands_on_one_line_know_of_each_other() -> None:
    first, second = [given for given in commands_in("DEFINE QL(A); ALTER QL(A) +\nMAXDEPTH(5)") if given.text]
    assert first.whole == second.whole == "DEFINE QL(A); ALTER QL(A) MAXDEPTH(5)"
    assert (len(first.lines), second.lines) == (2, [])
