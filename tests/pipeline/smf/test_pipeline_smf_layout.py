"""The layout file is sound in itself, and says what the layout facts say where these are at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from libremq.pipeline.smf.smf_columns import columns_of, row_length, schema_of
from libremq.pipeline.smf.smf_layout import HEADER_STRUCTURES, TRIPLETS_MAX, layout, structure

CANDIDATES = [
    Path(os.environ.get("LIBREMQ_FACTS", "/nonexistent")),
    *(parent / "shared" / "facts" for parent in Path(__file__).resolve().parents),
]
FACTS = next((folder / "smf-layout.json" for folder in CANDIDATES if (folder / "smf-layout.json").is_file()), None)


@pytest.mark.parametrize("name", sorted(layout().structures))
def test_fields_lie_inside_their_structure_and_do_not_overlap(name: str) -> None:
    shape = structure(name)
    end = 0
    for field in sorted(shape.fields, key=lambda entry: (entry.offset, -entry.end)):
        assert field.end <= shape.length
        interleaved = field.dims or (name, field.name) in (("wtas", "correl"), ("wtas", "wtasstrt"))
        part_of_it = name == "wtas" and 8 <= field.offset < 24
        assert field.offset >= end or interleaved or part_of_it, field.name
        if not field.dims:
            end = max(end, field.end)
    assert shape.minimum <= shape.length
    assert row_length(name) <= shape.length


@pytest.mark.parametrize("name", sorted(layout().structures))
def test_each_column_has_a_name_of_its_own(name: str) -> None:
    names = columns_of(name).schema.names
    assert len(set(names)) == len(names)
    assert all(column == column.lower() and column.isidentifier() for column in names)


def test_every_structure_is_reached_by_a_triplet_or_comes_with_the_header() -> None:
    reached = {section.structure for sections in layout().sections.values() for section in sections}
    assert reached | set(HEADER_STRUCTURES) == set(layout().structures)
    assert all(0 < s.triplet < TRIPLETS_MAX for sections in layout().sections.values() for s in sections)


def test_gates_name_fields_that_exist() -> None:
    for shape in layout().structures.values():
        names = {field.name for field in shape.fields}
        for field in shape.fields:
            assert field.longer_than is None or shape.length_field in names
            assert field.version is None or shape.version_field in names
            assert field.only_if is None or field.only_if[0] in names
            assert field.enum is None or field.enum in layout().enums


def test_an_unknown_structure_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no SMF structure 'qxyz'; there are .*qpst"):
        structure("qxyz")


def test_quarantine_and_counts_have_columns_too() -> None:
    assert schema_of("quarantine").names[:4] == ["source_file", "source_offset", "length", "reason"]
    assert schema_of("counts").names[-1] == "records"


@pytest.mark.skipif(FACTS is None, reason="no layout facts beside the project (shared/facts) or in LIBREMQ_FACTS")
def test_offsets_types_and_gates_are_those_of_the_facts() -> None:
    assert FACTS is not None
    facts: dict[str, Any] = json.loads(FACTS.read_text(encoding="utf-8"))
    compared = 0
    for name, shape in layout().structures.items():
        ours = {field.name: field for field in shape.fields}
        for fact in facts["structs"][name.upper()]["fields"]:
            if fact["type"] == "reserved":
                continue
            field = ours[fact["name"].lower().replace(".", "_")]
            kind = {"flags8": "uint8", "flags16": "uint16", "flags32": "uint32"}.get(fact["type"], fact["type"])
            assert (field.offset, field.length, field.type) == (fact["offset"], fact["length"], kind), field.name
            since = fact.get("since", {})
            if "len_gt" in since:
                assert field.longer_than == since["len_gt"]
            if "ver_ge" in since:
                assert field.version == since["ver_ge"]
            compared += 1
    assert compared > 900
