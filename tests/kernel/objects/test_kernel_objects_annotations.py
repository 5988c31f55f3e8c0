"""The annotations of the object classes are those that `make attributes` writes from the rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from helper_annotations import files, written

from libremq.kernel.objects import object_types
from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.objects.attributes import Attribute, AttributeTable, Kind


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_they_are_written_from_the_rows(path: Path) -> None:
    text = path.read_text()
    assert written(text, files()[path]) == text, "run `make attributes`"


@pytest.mark.parametrize(
    ("kinds", "owners"),
    [
        (("QLOCAL",), ["LocalQueue"]),
        (("QMODEL",), ["ModelQueue"]),
        (("QLOCAL", "QMODEL"), ["_StoredQueue"]),
        (("QLOCAL", "QMODEL", "QALIAS", "QREMOTE"), ["Queue"]),
        (("QMODEL", "QALIAS"), ["ModelQueue", "AliasQueue"]),
        (("PROCESS",), ["Process"]),
    ],
)
def test_a_new_row_is_a_line_in_the_most_general_class(
    monkeypatch: pytest.MonkeyPatch, kinds: tuple[str, ...], owners: list[str]
) -> None:
    row = Attribute("NOVEL", 0, Kind.NAME_LIST, (), max_length=48, max_items=3, about="new")
    for kind in kinds:
        monkeypatch.setitem(TABLES, kind, AttributeTable(kind, (*TABLES[kind].rows, row)))
    path = Path(object_types.__file__)
    before, after = path.read_text(), written(path.read_text(), files()[path])
    line = "    novel: tuple[str, ...]\n"
    classes = [text.split("(")[0] for text in after.split("\nclass ") if line in text]
    assert sorted(classes) == sorted(owners)
    compile(after, str(path), "exec")
    assert [text for text in after.split("\n") if text and text != line.rstrip()] == [*filter(None, before.split("\n"))]


def test_a_row_that_goes_takes_its_line_along(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [row for row in TABLES["PROCESS"].rows if row.keyword != "USERDATA"]
    monkeypatch.setitem(TABLES, "PROCESS", AttributeTable("PROCESS", kept))
    path = Path(object_types.__file__)
    before, after = path.read_text(), written(path.read_text(), files()[path])
    assert before.replace("    userdata: str\n", "") == after
