"""The descriptions of the conformed tables hold together: sources exist, names are sound, nothing is left out."""

from __future__ import annotations

import re

import pytest

from libremq.pipeline.smf.smf_columns import schema_of
from libremq.pipeline.smf.smf_layout import layout
from libremq.pipeline.tables.subjects import (
    COMMON_COLUMNS,
    SUBJECTS,
    Column,
    Subject,
    column,
    subject,
    subjects_reading,
)

ALL = list(SUBJECTS.values())
_SQL = {"case", "when", "then", "end", "else", "like", "and", "or", "total", "part"}
_SQL |= {
    "coalesce",
    "nullif",
    "substring",
    "try_divide",
    "greatest",
    "least",
    "aggregate",
    "try_element_at",
    "timestampdiff",
}
# Of latch waits
_SQL |= {"transform", "array_max", "place", "get", "between", "not", "bigint", "int", "as", "cast", "length"}


def test_every_subject_of_the_issue_is_there() -> None:
    wanted = (
        "queue_manager_interval buffer_pool page_set log data_manager message_manager lock db2 cf_structure smds"
        " storage channel_initiator dispatcher adapter ssl_task dns channel task_accounting queue_accounting"
    )
    assert set(wanted.split()) <= set(SUBJECTS)


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.name)
def test_every_source_is_a_field_of_the_layout(entry: Subject) -> None:
    for each in entry.columns:
        if each.structure is not None:
            kind = schema_of(each.structure).field(each.field).type
            depth = str(kind).count("list")
            assert depth - len(each.indexes) == each.type.count("array"), each


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.name)
def test_every_expression_uses_columns_of_its_table(entry: Subject) -> None:
    names = {each.name for each in entry.all_columns}
    for each in entry.columns:
        bare = re.sub(r"'[^']*'", "", each.expression or "")
        assert set(re.findall(r"[a-z_]\w*", bare)) - _SQL <= names, each


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.name)
def test_names_are_plain_and_units_agree(entry: Subject) -> None:
    for each in entry.columns:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", each.name), each
        assert each.meaning
        if each.kind == "duration":
            assert each.name.endswith(("_us", "_seconds")), each
        if each.name.endswith("_pct") and each.kind == "derived":
            assert each.type == "double", each
        assert sum(map(bool, (each.source, each.expression))) == 1 or each.name.endswith("_change"), each


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.name)
def test_rollups_name_columns_of_other_tables(entry: Subject) -> None:
    for each in entry.columns:
        if each.rollup:
            table, _, expression = (each.source or "").partition(".")
            for name in re.findall(r"[a-z_]\w*", expression):
                assert SUBJECTS[table].column(name)


def test_every_counter_of_an_interval_table_has_its_rate() -> None:
    for entry in ALL:
        if entry.grain == "interval":
            names = {each.name for each in entry.columns}
            for each in entry.columns:
                if each.kind == "counter" and not each.name.endswith("_change"):
                    assert f"{each.name}_per_second" in names, (entry.name, each.name)


def test_common_columns_come_first_and_are_not_described_twice() -> None:
    common = [each.name for each in COMMON_COLUMNS]
    for entry in ALL:
        names = [each.name for each in entry.all_columns]
        assert names[: len(common)] == common
        assert len(names) == len(set(names)), entry.name


def test_structures_without_a_table_are_known() -> None:
    told = {name for entry in ALL for name in entry.structures}
    assert set(layout().structures) - told == {"qsgm", "qwac", "qwhc", "qwhs"}


def test_lookups() -> None:
    assert column("log.log_bytes").expression == "log_pages_filled * 4096"
    assert column("log.copy2_multi_page_pages").indexes == (1, 1)
    assert [entry.name for entry in subjects_reading("wtid")] == ["task_accounting", "queue_accounting"]
    with pytest.raises(ValueError, match="no table 'bufferpool'; there are queue_manager_interval, "):
        subject("bufferpool")
    with pytest.raises(KeyError, match="no column 'buffer'"):
        column("buffer_pool.buffer")


def test_a_name_used_twice_is_refused() -> None:
    twice = Column("pages", "bigint", "gauge", "pages", "qpst.qpstnbuf")
    with pytest.raises(AssertionError, match="pages"):
        Subject("wrong", "wrong", "interval", (twice, twice))
