"""The writer against the reading side: every field of every structure of every release comes back as it was written."""

from __future__ import annotations

import io
import struct
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from helper_rows import over_rows
from libremq.pipeline.generator.dump_writer import (
    Moment,
    Origin,
    bare,
    framed,
    marker,
    packed_date,
    record,
    task_records,
)
from libremq.pipeline.generator.shapes import release_of
from libremq.pipeline.generator.structures import Block, block, clock, clock_units, ebcdic, layout_data, section

pa = pytest.importorskip("pyarrow")
decode = pytest.importorskip("libremq.pipeline.smf.decode")
columns = pytest.importorskip("libremq.pipeline.smf.smf_columns")
framing = pytest.importorskip("libremq.pipeline.smf.framing")

CUT = datetime(2025, 3, 4, 12, 30, 0, 250_000, tzinfo=UTC)
MOMENT = Moment(CUT, timedelta(minutes=15))
RELEASES = ("8.0.0", "9.0.3", "9.1.2", "9.1.4", "9.3.0", "9.3.1", "9.3.2", "9.3.3", "9.3.5", "9.4.0", "9.4.3", "10.0.0")
SIGNED = {"int8": 0x40, "int16": 0x4000, "int32": 0x40000000, "int64": 0x4000000000000000}
RECORDS = [
    (int(kind), int(subtype), [entry["structure"] for entry in entries])
    for kind, subtypes in layout_data()["record_types"].items()
    for subtype, entries in subtypes.items()
    if entries
]


def read(data: bytes, form: str = "rdw") -> tuple[dict[str, list[dict[str, Any]]], Any]:
    rows: dict[str, list[dict[str, Any]]] = {}
    counts: dict[Any, int] = {}
    quarantine: list[Any] = []
    for chunk in framing.chunks(io.BytesIO(data), form):
        assert not chunk.damage
        decoded = decode.decode(chunk, "test", columns.TextDecoder())
        quarantine += decoded.quarantine
        for key, count in decoded.counts.items():
            counts[key] = counts.get(key, 0) + count
        for name, batch in decoded.batches.items():
            rows.setdefault(name, []).extend(batch.to_pylist())
    assert not quarantine
    return rows, counts


def fixed(made: Block) -> set[str]:
    """Fields whose value is not free: they say what the structure is."""
    entry = layout_data()["structures"][made.name]
    names = {entry["fields"][0]["name"]} if made.name not in ("qwac", "qctadp", "qctdsp", "qctssl", "qctdns") else set()
    names |= {entry.get("length_field"), entry.get("version_field"), "wtaswqct", "wtasstrt", "wtasmthr", "wtaswtas"}
    return names | {place.name for place in made.fields.values() if place.name.endswith(("eye", "eyec", "eid"))}


def distinct(made: Block, names: frozenset[str] | None, number: int) -> dict[str, Any]:
    """A value of its own for each element of each field, with every byte telling where it belongs."""
    values: dict[str, Any] = {}
    for position, (name, place) in enumerate(made.fields.items()):
        if name in fixed(made) or name in ("qsstdesc", "qtstdesc") or (names is not None and name not in names):
            continue
        elements = []
        for index in range(len(place.places)):
            tag = (position * 7919 + index * 31 + number * 101 + 1) & 0xFFFFFFFF
            if place.kind == "ebcdic":
                elements.append(f"T{tag:X}"[-place.length :].ljust(place.length))
            elif place.kind == "bytes":
                elements.append((struct.pack(">I", tag) * 8)[: place.length])
            elif place.kind == "stck":
                elements.append(clock(CUT + timedelta(seconds=tag)))
            elif place.kind == "stckdur":
                elements.append(clock_units(tag))
            else:
                bits = 8 * place.length
                elements.append(tag % (1 << (bits - 1)) | (SIGNED.get(place.kind, 0) if bits == 64 else 0))
        values[name] = elements if len(place.places) > 1 else elements[0]
    return values


def expected(kind: str, value: Any) -> Any:
    if isinstance(value, list):
        return [expected(kind, each) for each in value]
    if kind == "stck":
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value // 4096 - 0x7D91048BCA000000 // 4096)
    if kind == "stckdur":
        return value // 4096
    if kind == "ebcdic":
        return value.rstrip()
    return value


def flat(value: Any) -> Any:
    if isinstance(value, list):
        return [leaf for each in value for leaf in (flat(each) if isinstance(each, list) else [each])]
    return value


@pytest.mark.parametrize("release", RELEASES)
@over_rows(("kind", "subtype", "names"), RECORDS, ids=lambda value: str(value)[:12])
def test_every_field_comes_back(kind: int, subtype: int, names: list[str], release: str) -> None:
    origin = Origin("SYS1", "QM01", release, "QSG1", timedelta(hours=2))
    written: dict[str, list[dict[str, Any]]] = {}
    sections: dict[str, list[bytes]] = {}
    for name in names:
        made = block(name, release)
        repeats = next(
            entry["repeats"]
            for entry in layout_data()["record_types"][str(kind)][str(subtype)]
            if entry["structure"] == name
        )
        if made.slot_count:
            written[name] = [distinct(made, made.slot_names, number) for number in range(3)]
            sections[name] = [made.table(written[name])]
            continue
        written[name] = [distinct(made, None, number) for number in range(3 if repeats else 1)]
        if name == "wtas":
            written[name][0].pop("correl")
            sections[name] = [made.section({**written[name][0], "wtaswqct": 3})]
        else:
            sections[name] = [made.section(row) for row in written[name]]
    rows, counts = read(framed(record(kind, subtype, sections, origin, MOMENT)))
    assert sum(counts.values()) == 1
    for name, wanted in written.items():
        assert len(rows[name]) == len(wanted)
        for got, row in zip(rows[name], wanted):
            made = block(name, release)
            assert {key: flat(got[key]) for key in row if key != "qsphdspnm"} == {
                key: expected(made.fields[key].kind, value) for key, value in row.items() if key != "qsphdspnm"
            }
            assert all(got[key] is None for key in made.absent)
            assert (got["system"], got["qmgr"]) == ("SYS1", "QM01")
            if release_of(release) >= (10, 0, 0):
                assert got["qsg"] == "QSG1"


@pytest.mark.parametrize(("kind", "subtype"), [(115, 1), (115, 215), (115, 231), (116, 10)])
def test_interval_comes_back_in_utc(kind: int, subtype: int) -> None:
    name = {1: "qjst", 215: "qpst", 231: "qcct", 10: "qcst"}[subtype]
    origin = Origin("SYS1", "QM01", local_offset=timedelta(hours=-5))
    rows, _ = read(framed(record(kind, subtype, {name: [block(name).blank]}, origin, MOMENT)))
    (row,) = rows[name]
    assert row["smf_time"] == CUT
    assert row["utc_offset_minutes"] == -300
    if row["interval_start"] is not None:
        assert row["interval_start"] == CUT - timedelta(minutes=15)
        assert row["interval_duration"] == 15 * 60 * 1_000_000


def test_a_record_may_be_cut_anywhere_into_any_number_of_segments() -> None:
    whole = record(115, 215, {"qpst": [section("qpst", {"qpstpool": 7})] * 3}, Origin("SYS1", "QM01"), MOMENT)
    usual, _ = read(framed(whole))
    for cuts in ((5,), (30,), (112,), (60, 61, 62), (len(whole) - 1,), tuple(range(10, len(whole), 9))):
        data = framed(whole, cuts)
        codes = []
        at = 0
        while at < len(data):
            length, code = struct.unpack_from(">HB", data, at)
            codes.append(code)
            at += length
        assert codes == [1, *[3] * (len(cuts) - 1), 2]
        assert read(data)[0] == usual
    with pytest.raises(ValueError, match="cannot be cut"):
        framed(whole, (4,))


def test_files_without_descriptor_words() -> None:
    wholes = [record(115, 215, {"qpst": [block("qpst").blank] * n}, Origin("SYS1", "QM01"), MOMENT) for n in (1, 4, 2)]
    data = b"".join(bare(each) for each in [marker(2, "SYS1", CUT), *wholes, marker(3, "SYS1", CUT)])
    rows, _ = read(data, "bare")
    assert len(rows["qpst"]) == 7


def test_more_queues_than_a_record_holds_go_into_continuations() -> None:
    queues = [{"objname": f"Q{number}", "basename": f"Q{number}", "correl": bytes(15) + b"x"} for number in range(20)]
    made = list(task_records({}, {"correl": bytes(15) + b"x"}, queues, Origin("SYS1", "QM01"), MOMENT))
    assert [int.from_bytes(each[22:24], "big") for each in made] == [1, 2, 2]
    rows, _ = read(b"".join(map(framed, made)))
    assert [row["basename"] for row in rows["wq"]] == [f"Q{number}" for number in range(20)]
    assert rows["wtas"][0]["wtaswqct"] == 20


def test_wrong_values_are_refused_with_the_field_named() -> None:
    with pytest.raises(ValueError, match="qpstpool"):
        section("qpst", {"qpstpool": 2**31})
    with pytest.raises(ValueError, match="no field 'qpstnone'"):
        section("qpst", {"qpstnone": 1})
    with pytest.raises(ValueError, match="does not fit"):
        ebcdic("LONGNAME", 4)
    with pytest.raises(ValueError, match="has no qpst"):
        record(115, 1, {"qpst": [block("qpst").blank]}, Origin("SYS1", "QM01"), MOMENT)
    with pytest.raises(ValueError, match="more than the"):
        record(115, 216, {"qqst": [block("qqst").blank] * 60}, Origin("SYS1", "QM01"), MOMENT)


def test_fields_a_release_does_not_have_are_left_out() -> None:
    assert len(section("qmst", {"qmstspp": 5}, "8.0.0")) == 72
    assert section("qmst", {"qmstspp": 5}, "9.1.0")[72:80] == struct.pack(">q", 5)


def test_dates_are_packed_as_smf_does() -> None:
    assert packed_date(datetime(1999, 12, 31)).hex() == "0099365f"
    assert packed_date(datetime(2024, 1, 1)).hex() == "0124001f"
