"""The writer makes real records again, byte for byte, from their values (only where real dumps are at hand)."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from libremq.pipeline.generator.dump_writer import Moment, Origin, framed, marker, record
from libremq.pipeline.generator.shapes import INTERNAL_BYTES
from libremq.pipeline.generator.structures import block, clock

DUMPS = Path(os.environ.get("LIBREMQ_SMF_DUMPS", "/nonexistent"))
CANDIDATES = [DUMPS, *(parent / "shared" / "data" / "smf" for parent in Path(__file__).resolve().parents)]
FOLDER = next((folder for folder in CANDIDATES if folder.is_dir()), None)
LAYOUT = json.loads(resources.files("libremq.pipeline.smf").joinpath("layout.json").read_text(encoding="ascii"))
NUMBERS = {
    "uint8": ">B", "int8": ">b", "uint16": ">H", "int16": ">h", "uint32": ">I", "int32": ">i",
    "uint64": ">Q", "int64": ">q", "stck": ">Q", "stckdur": ">Q", "usec64": ">Q",
}  # fmt: skip

pytestmark = pytest.mark.skipif(FOLDER is None, reason="no folder of real dumps")


def joined(data: bytes) -> Iterator[tuple[bytes, list[int]]]:
    """Whole records, each with the places at which it was cut."""
    at, pieces, cuts = 0, b"", []
    while at < len(data):
        length, code = struct.unpack_from(">HB", data, at)
        if code in (0, 1):
            pieces, cuts = data[at : at + length], []
        else:
            cuts.append(len(pieces))
            pieces += data[at + 4 : at + length]
        at += length
        if code in (0, 2):
            yield pieces, cuts


def values(name: str, raw: bytes, base: int = 0, names: frozenset[str] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in LAYOUT["structures"][name]["fields"]:
        if names is not None and field["name"] not in names:
            continue
        places = [field["offset"]]
        for count, stride in field.get("dims", ()):
            places = [place + number * stride for place in places for number in range(count)]
        pattern = NUMBERS.get(field["type"])
        if places[-1] + (struct.calcsize(pattern) if pattern else field["length"]) > len(raw):
            continue
        got = [
            struct.unpack_from(pattern, raw, base + place)[0]
            if pattern
            else raw[base + place : base + place + field["length"]]
            for place in places
        ]
        found[field["name"]] = got if len(places) > 1 else got[0]
    return found


def again(name: str, raw: bytes, release: str) -> bytes:
    made = block(name, release)
    if not made.slot_count:
        return made.section(values(name, raw))
    rows = [values(name, raw, number * made.slot_bytes, made.slot_names) for number in range(made.slot_count)]
    return made.table(rows)


def local_time(whole: bytes) -> datetime:
    hundredths, date = struct.unpack_from(">I4s", whole, 6)
    digits = date.hex()
    day = datetime(1900 + 100 * int(digits[:2]) + int(digits[2:4]), 1, 1, tzinfo=UTC)
    return day + timedelta(days=int(digits[4:7]) - 1, milliseconds=10 * hundredths)


def rewritten(whole: bytes) -> bytes:
    record_type, local = whole[5], local_time(whole)
    if record_type in (2, 3):
        return marker(2 if record_type == 2 else 3, whole[14:18].decode("cp037"), local)
    (subtype,) = struct.unpack_from(">H", whole, 22)
    release = ".".join(whole[24:27].decode("cp037"))
    (place, _, _) = struct.unpack_from(">IHH", whole, 28)
    head = values("qwhs", whole[place:][: struct.unpack_from(">H", whole, place)[0]])
    sections: dict[str, list[bytes]] = {}
    for entry in LAYOUT["record_types"][str(record_type)][str(subtype)]:
        at, length, count = struct.unpack_from(">IHH", whole, 28 + 8 * entry["triplet"])
        if entry["triplet"] >= head["qwhsnsda"] + (record_type == 115 and subtype == 231):
            continue
        sections[entry["structure"]] = [
            again(entry["structure"], whole[at + n * length : at + (n + 1) * length], release) for n in range(count)
        ]
    internal = {}
    for number in INTERNAL_BYTES.get((record_type, subtype), {}):
        at, length, _ = struct.unpack_from(">IHH", whole, 28 + 8 * number)
        internal[number] = whole[at : at + length]
    return record(
        record_type,
        subtype,
        sections,
        Origin(whole[14:18].decode("cp037"), whole[18:22].decode("cp037"), release),
        Moment(local),
        task=values("qwhc", whole[place + 36 :]) if record_type == 116 and head["qwhslen"] == 36 else None,
        header=head,
        internal=internal,
    )


@pytest.mark.parametrize("name", ["TEST115", "TEST116", "TESTCHL"])
def test_real_records_are_written_again_byte_for_byte(name: str) -> None:
    assert FOLDER is not None
    data = (FOLDER / f"{name}.dat").read_bytes()
    records = list(joined(data))
    assert len(records) > 3
    for number, (whole, cuts) in enumerate(records):
        made = rewritten(whole)
        assert framed(made, cuts)[4:] == framed(whole, cuts)[4:], f"record {number}, type {whole[5]}"
    assert b"".join(framed(rewritten(whole), cuts) for whole, cuts in records) == data


def test_duration_and_interval_start_come_from_the_interval() -> None:
    """The header the writer makes by itself has the same relations as the real one."""
    assert FOLDER is not None
    for whole, _ in joined((FOLDER / "TESTCHL.dat").read_bytes()):
        if whole[5] != 115:
            continue
        (subtype,) = struct.unpack_from(">H", whole, 22)
        (place,) = struct.unpack_from(">I", whole, 28)
        head = values("qwhs", whole[place:])
        unit = 4096 if subtype == 231 else 1
        cut = datetime(1900, 1, 1, tzinfo=UTC) + timedelta(microseconds=head["qwhsstck"] // 4096)
        duration = timedelta(microseconds=head["qwhsdurn"] // unit)
        offset = timedelta(hours=round((clock(local_time(whole)) - head["qwhsstck"]) / 4096 / 3.6e9))
        origin = Origin("MPX1", "QML1", "8.0.0", local_offset=offset)
        blank = {"qjst": [block("qjst", "8.0.0").blank]} if subtype == 1 else {}
        made = record(115, subtype, blank, origin, Moment(cut, duration))
        (at,) = struct.unpack_from(">I", made, 28)
        mine = values("qwhs", made[at:])
        assert abs(mine["qwhstime"] - head["qwhstime"]) < 4096 * 1_000_000
        assert mine["qwhsdurn"] // unit == head["qwhsdurn"] // unit
        constant = ("qwhslen", "qwhstyp", "qwhsrmid", "qwhsiid", "qwhsnsda", "qwhsrn")
        assert [mine[key] for key in constant] == [head[key] for key in constant]
