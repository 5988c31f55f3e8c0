"""Every structure, length and version decodes to the values it was made from; times, header shapes, bad records."""

from __future__ import annotations

import io
import random
import struct
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from helper_smf_encoder import MOMENT, Header, ebcdic, filled, marker, record, stck

from libremq.pipeline.smf.decode import Decoded, decode, plain
from libremq.pipeline.smf.framing import chunks
from libremq.pipeline.smf.smf_columns import COMMON, TextDecoder, schema_of
from libremq.pipeline.smf.smf_layout import HEADER_STRUCTURES, layout, structure

TEXT = TextDecoder()


def decoded(data: bytes, **options: Any) -> Decoded:
    [chunk] = chunks(io.BytesIO(data), "rdw")
    return decode(chunk, "dump", TEXT, **options)


def rows(data: bytes, name: str) -> list[dict[str, Any]]:
    result = decoded(data)
    assert result.quarantine == []
    if name not in result.batches:
        return []
    batch = plain(result.batches[name], name)
    batch.validate(full=True)
    assert batch.schema == schema_of(name)
    return batch.to_pylist()


def triplet_of(name: str) -> tuple[int, int, int]:
    for (kind, subtype), sections in layout().sections.items():
        for section in sections:
            if section.structure == name and (name, subtype) != ("qpst", 2):
                return kind, subtype, section.triplet
    raise AssertionError(name)


def cases() -> list[tuple[str, int, int]]:
    """Each structure at each length and version at which a field comes in, and just before it."""
    found: list[tuple[str, int, int]] = []
    for name, shape in layout().structures.items():
        if name in HEADER_STRUCTURES or shape.slots is not None:
            continue
        limits = {field.longer_than for field in shape.fields if field.longer_than is not None}
        versions = {field.version for field in shape.fields if field.version is not None}
        lengths = {shape.length, shape.length + 8, *(limit for limit in limits if limit >= shape.minimum)}
        found += [(name, length, 99) for length in sorted(lengths) if name != "qctdns" or length == 48]
        found += [(name, shape.length, n) for version in sorted(versions) for n in (version - 1, version)]
    return found


@pytest.mark.parametrize(("name", "length", "version"), cases())
def test_every_field_of_every_structure_at_every_level(name: str, length: int, version: int) -> None:
    kind, subtype, triplet = triplet_of(name)
    repeats = next(s.repeats for s in layout().sections[kind, subtype] if s.triplet == triplet)
    source = random.Random(f"{name} {length} {version}")
    made = [filled(name, source, length, version) for _ in range(3 if repeats else 1)]
    parts = [data.ljust(length, b"\xff") for data, _ in made]
    count = {(115, 1): 12, (115, 2): 9, (115, 231): 6, (116, 0): 7}.get((kind, subtype))
    found = rows(marker(2) + record(kind, subtype, {triplet: parts}, triplets=count), name)
    assert len(found) == len(made)
    common = {column for column, _ in COMMON}
    for index, (row, (_, expected)) in enumerate(zip(found, made)):
        assert row["section_index"] == index
        own = {column: value for column, value in row.items() if column in expected}
        assert own == expected
        others = set(row) - set(expected) - common
        assert all(column.startswith("qwhc") or (name, column) == ("wtid", "correl") for column in others)


def test_numbers_are_unsigned_where_they_are() -> None:
    data = bytearray(filled("qcst", random.Random(5))[0])
    fields = {field.name: field for field in structure("qcst").fields}
    wide = next(field for field in fields.values() if field.type == "uint64")
    narrow = next(field for field in fields.values() if field.type == "uint32")
    data[wide.offset : wide.offset + 8] = b"\xff" * 8
    data[narrow.offset : narrow.offset + 4] = b"\xff" * 4
    [row] = rows(record(116, 10, {1: [bytes(data)]}), "qcst")
    assert row[wide.name] == Decimal(2**64 - 1)
    assert row[narrow.name] == 2**32 - 1


def test_a_slotted_structure_gives_a_row_for_each_slot_in_use() -> None:
    slots = [bytes(64)] * 64
    for number, name in ((0, "CSQ_ADMIN"), (1, "APPL1"), (63, "APPL63")):
        slots[number] = ebcdic(name, 12) + struct.pack(
            ">IIIQQIIIIII", number, 100 + number, 200, 4096 * 7, 4096 * 8 + 5, 9, 10, 11, 12, 13, 0
        )
    block = struct.pack(">HH", 0xC513, 4104) + ebcdic("QEST", 4) + b"".join(slots)
    found = rows(record(115, 2, {6: [block]}, triplets=9), "qest")
    assert [(row["section_index"], row["qeststr"]) for row in found] == [(0, "CSQ_ADMIN"), (1, "APPL1"), (63, "APPL63")]
    assert found[2]["qestcsec"] == 163
    assert (found[1]["qestsstc"], found[1]["qestmstc"], found[1]["qestmlus"]) == (7, 8, 13)
    assert {(row["qestll"], row["qesteyec"]) for row in found} == {(4104, "QEST")}


def test_local_times_become_utc() -> None:
    for zone in (timedelta(hours=-5), timedelta(0), timedelta(hours=9), timedelta(hours=5, minutes=45)):
        header = Header(zone=zone, interval=timedelta(seconds=1792, microseconds=884543))
        for kind, subtype, name in ((115, 215, "qpst"), (115, 231, "qcct"), (116, 10, "qcst")):
            [row] = rows(record(kind, subtype, {1: [filled(name, random.Random(1))[0]]}, header), name)
            assert row["smf_time"] == MOMENT
            assert row["utc_offset_minutes"] == zone // timedelta(minutes=1)
            assert row["interval_end"] == MOMENT
            assert row["interval_start"] == MOMENT - header.interval
            assert row["interval_duration"] == 1792884543


def test_a_clock_change_within_the_interval_moves_only_its_start() -> None:
    whole = bytearray(record(115, 215, {1: [filled("qpst", random.Random(1))[0]]}, Header()))
    # The header section is last; its interval start is 16 bytes from the end, and an hour behind the new local time.
    local_start = MOMENT - timedelta(hours=5, seconds=1800) - timedelta(hours=1)
    whole[-16:-8] = struct.pack(">Q", stck(local_start))
    [row] = rows(bytes(whole), "qpst")
    assert (row["smf_time"], row["interval_start"]) == (MOMENT, MOMENT - timedelta(seconds=1800))


def test_records_without_a_clock_take_the_zone_of_their_neighbours() -> None:
    pool = filled("qsph", random.Random(1))[0]
    clocked = record(115, 215, {1: [filled("qpst", random.Random(1))[0]]})
    stub, other = record(115, 5, {1: [pool]}), record(115, 5, {1: [pool]}, Header(system="SYSB"))
    found = rows(other + stub + clocked + stub, "qsph")
    assert [row["utc_offset_minutes"] for row in found] == [None, -300, -300]
    assert [row["smf_time"] for row in found] == [MOMENT - timedelta(hours=5), MOMENT, MOMENT]
    assert all(row["interval_start"] is None for row in found)


@pytest.mark.parametrize(
    ("kind", "subtype", "name", "header", "group", "release"),
    [
        (115, 215, "qpst", Header(), None, "930"),
        (115, 215, "qpst", Header(release="946", group="QSG1"), "QSG1", "100000"),
        (115, 5, "qsph", Header(release="946", group="QSG1"), "QSG1", "100000"),
        (115, 5, "qsph", Header(release="930", group="QSG1"), None, "930"),
        (116, 1, "wtid", Header(release="946", group="QSG2", long_release="100001"), "QSG2", "100001"),
        (116, 1, "wtid", Header(release="800", group="QSG2", fields={"flags": 0x40}), None, "800"),
        (116, 10, "qcst", Header(release="946", group="QSG3"), "QSG3", "100000"),
        (115, 215, "qpst", Header(shape="none"), None, "930"),
        (115, 215, "qpst", Header(shape="old"), None, "930"),
    ],
)
def test_every_shape_of_header_section(
    kind: int, subtype: int, name: str, header: Header, group: str | None, release: str
) -> None:
    [row] = rows(record(kind, subtype, {1: [filled(name, random.Random(2))[0]]}, header), name)
    assert (row["qsg"], row["release"]) == (group, release)
    assert (row["system"], row["qmgr"], row["record_type"], row["subtype"]) == ("SYSA", "QM01", kind, subtype)


def test_a_triplet_beyond_the_count_is_read_when_it_is_there() -> None:
    source = random.Random(4)
    sections = {1: [filled("qcct", source)[0]], 5: [filled("qctdns", source)[0]]}
    assert len(rows(record(115, 231, sections, Header(fields={"count": 5})), "qctdns")) == 1


def test_the_sections_length_is_the_stride() -> None:
    made = [filled("qqst", random.Random(n), 120) for n in range(3)]
    found = rows(record(115, 216, {1: [data + bytes(12) for data, _ in made]}), "qqst")
    assert [row["qqstqnam"] for row in found] == [expected["qqstqnam"] for _, expected in made]


def test_a_task_and_its_queues_share_the_correlator() -> None:
    source = random.Random(9)
    task, queue = bytearray(filled("wtas", source)[0]), bytearray(filled("wq", source)[0])
    queue[16:32] = task[8:24]
    who = filled("wtid", source)[0]
    data = record(116, 1, {1: [who], 2: [bytes(task)], 3: [bytes(queue)] * 2})
    data += record(116, 2, {1: [who], 2: [bytes(queue)]})
    wanted = bytes(task[8:24])
    assert [row["correl"] for row in rows(data, "wtid")] == [wanted, wanted]
    assert [row["correl"] for row in rows(data, "wtas")] == [wanted]
    assert [row["correl"] for row in rows(data, "wq")] == [wanted] * 3


def test_task_header_fields_go_with_small_accounting_records() -> None:
    source = random.Random(3)
    data = record(116, 0, {1: [filled("qwac", source)[0]], 2: [filled("qmac", source)[0]]}, triplets=7)
    for name in ("qwac", "qmac", "qwhc"):
        [row] = rows(data, name)
        assert (row["qwhcaid"], row["qwhccn"], row["qwhcopid"], row["qwhcatyp"]) == ("USERID", "CONN", "OPER", 4)
        assert row["qwhcnid"] == bytes(range(16))


def test_header_sections_are_a_table_of_their_own() -> None:
    data = record(115, 215, {1: [filled("qpst", random.Random(1))[0]]}) + record(
        116, 1, {1: [filled("wtid", random.Random(1))[0]]}
    )
    long, short = rows(data, "qwhs")
    assert long["qwhsstck"] == short["qwhsstck"] == MOMENT
    assert (long["qwhstime"], long["qwhsdurn"]) == (MOMENT - timedelta(seconds=1800), 1_800_000_000)
    assert (short["qwhstime"], short["qwhsdurn"]) == (None, None)


def test_values_that_stand_for_nothing_are_null() -> None:
    queue = bytearray(filled("wq", random.Random(1))[0])
    smallest = structure("wq").field("getminms").offset
    opened = structure("wq").field("opentime").offset
    closed = structure("wq").field("clostime").offset
    queue[smallest : smallest + 4] = bytes.fromhex("0fffffff")
    queue[opened : opened + 8] = bytes(8)
    queue[closed : closed + 8] = b"\xff" * 8
    who = filled("wtid", random.Random(1))[0]
    [row] = rows(record(116, 2, {1: [who], 2: [bytes(queue)]}), "wq")
    assert (row["getminms"], row["opentime"], row["clostime"]) == (None, None, None)


def test_text_of_any_code_page() -> None:
    queue = bytearray(filled("wq", random.Random(1))[0])
    name = structure("wq").field("objname").offset
    queue[name : name + 48] = "ÄRGER.ÉTÉ".ljust(48).encode("cp273")
    data = record(116, 2, {1: [filled("wtid", random.Random(1))[0]], 2: [bytes(queue)]})
    [chunk] = chunks(io.BytesIO(data), "rdw")
    batch = decode(chunk, "dump", TextDecoder("cp273")).batches["wq"]
    assert batch.column("objname").to_pylist() == ["ÄRGER.ÉTÉ"]
    with pytest.raises(ValueError, match="not a single-byte code page"):
        TextDecoder("utf-16")
    for unknown in ("nonsense", "base64", ""):
        with pytest.raises(ValueError, match="no code page"):
            TextDecoder(unknown)


def damaged(change: Any) -> bytes:
    whole = bytearray(record(115, 215, {1: [filled("qpst", random.Random(1))[0]]}))
    change(whole)
    return bytes(whole)


def patch(place: int, data: bytes) -> Any:
    def change(whole: bytearray) -> None:
        whole[place : place + len(data)] = data

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (patch(4, b"\x1e"), "no subtype"),
        (patch(10, b"\x01\x24\x40\x0f"), "date or time is not one"),
        (patch(10, b"\x01\x2a\x00\x1f"), "date or time is not one"),
        (patch(6, b"\xff"), "date or time is not one"),
        (patch(18, b"\x00\x01\x02\x03"), "queue manager name is not text"),
        (patch(34, b"\x00\x00"), "no header section"),
        (patch(28, b"\x00\x00\xff\xff"), "no header section"),
        (patch(42, b"\xff\xff"), "a section outside the record"),
        (patch(36, b"\x00\x00\xff\xff"), "a section outside the record"),
        (patch(40, b"\x00\x08"), "a section shorter than its structure"),
        (patch(40, b"\x00\x00"), "a section shorter than its structure"),
        (patch(48, b"XXXX"), "eyecatcher is wrong"),
        (patch(44 + 104, b"\x00\x07"), "header section of unknown shape"),
    ],
)
def test_a_bad_record_is_quarantined_whole_with_its_reason(change: Any, reason: str) -> None:
    good = damaged(lambda whole: None)
    bad = damaged(change)
    result = decoded(good + bad + good)
    assert [(place, length, why) for place, length, why, _, _ in result.quarantine] == [(len(good), len(bad), reason)]
    assert result.batches["qpst"].num_rows == 2
    assert sum(result.counts.values()) == 3


def test_short_records_and_other_types_are_told_apart() -> None:
    short = struct.pack(">HBBBB", 10, 0, 0, 0x5E, 115) + bytes(4)
    foreign = bytearray(marker(2))
    foreign[5] = 30
    unknown, internal = record(115, 99, {1: [bytes(8)]}), record(115, 240, {1: [bytes(8)]})
    result = decoded(marker(2) + short + bytes(foreign) + unknown + internal + marker(3))
    assert {(kind, outcome, reason): n for (kind, _, outcome, reason), n in result.counts.items()} == {
        (2, "skipped", "record type"): 1,
        (3, "skipped", "record type"): 1,
        (30, "skipped", "record type"): 1,
        (115, "quarantined", "shorter than its header"): 1,
        (115, "skipped", "unknown subtype"): 1,
        (115, "skipped", "internal subtype"): 1,
    }


def test_grouped_rows_lie_together_by_day_and_queue_manager() -> None:
    data = b""
    for day in (2, 1, 2, 1):
        for qmgr in ("QMB", "QMA"):
            header = Header(qmgr=qmgr, moment=MOMENT + timedelta(days=day))
            data += record(115, 215, {1: [filled("qpst", random.Random(day))[0]] * 2}, header)
    result = decoded(data, grouped=True)
    batch, bounds = result.batches["qpst"], result.bounds["qpst"]
    assert bounds == [0, 4, 8, 12, 16]
    for group, first, last in zip(result.groups, bounds, bounds[1:]):
        part = batch.slice(first, last - first).to_pylist()
        assert {row["qmgr"] for row in part} == {group.qmgr}
        assert {row["smf_time"].toordinal() - 719163 for row in part} == {group.day}
    assert len(result.groups) == 4
