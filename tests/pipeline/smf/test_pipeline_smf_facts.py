"""A second, slow decoder that knows nothing but the layout facts agrees with ours on every field of random records.

It reads `smf-layout.json` itself, takes one field at a time with `int.from_bytes`, and shares no code and no data with
the package. Every subtype the facts name is generated, at each length and version they name, framed in each way.
Runs where the facts are (shared/facts beside the project, or LIBREMQ_FACTS).
"""

from __future__ import annotations

import gzip
import json
import os
import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from helper_smf_encoder import MOMENT, Header, bare, ebcdic, marker, record, spanned

from libremq.pipeline.smf.decode import decode, plain
from libremq.pipeline.smf.files import read_piece
from libremq.pipeline.smf.smf_columns import TextDecoder
from libremq.pipeline.smf.survey import survey

CANDIDATES = [
    Path(os.environ.get("LIBREMQ_FACTS", "/nonexistent")),
    *(parent / "shared" / "facts" for parent in Path(__file__).resolve().parents),
]
FACTS = next((folder / "smf-layout.json" for folder in CANDIDATES if (folder / "smf-layout.json").is_file()), None)
pytestmark = pytest.mark.skipif(FACTS is None, reason="no layout facts (shared/facts or LIBREMQ_FACTS)")

Rows = dict[str, list[dict[str, Any]]]
SHORTENED = {(116, 1), (116, 2)}
"""Subtypes with as many triplets as are needed."""


@cache
def facts() -> dict[str, Any]:
    assert FACTS is not None
    return json.loads(FACTS.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def column(name: str) -> str:
    return name.lower().replace(".", "_")


def number_at(data: bytes, offset: int, length: int, signed: bool = False) -> int:
    return int.from_bytes(data[offset : offset + length], "big", signed=signed)


def value_at(field: dict[str, Any], data: bytes, offset: int) -> Any:
    """One value as the facts describe its type."""
    raw = data[offset : offset + field["length"]]
    kind = field["type"]
    if "replace" in field and raw == bytes.fromhex(field["replace"]["value"]):
        return None
    if kind == "ebcdic":
        return raw.decode("cp037").rstrip(" \0")
    if kind == "bytes":
        return raw
    number = int.from_bytes(raw, "big", signed=kind.startswith("int"))
    if kind == "stck":
        if number in (0, 2**64 - 1):
            return None
        microseconds = number // 4096 - int(facts()["about"]["stck_1970"], 16) // 4096
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    if kind == "stckdur":
        return number // 4096
    if kind == "usec64":
        return number if number < 2**63 else None
    return Decimal(number) if kind == "uint64" else number


def table_at(field: dict[str, Any], dims: list[dict[str, int]], data: bytes, offset: int) -> Any:
    if not dims:
        return value_at(field, data, offset)
    first, *inner = dims
    return [table_at(field, inner, data, offset + n * first["stride"]) for n in range(first["n"])]


def row_of(name: str, data: bytes) -> dict[str, Any]:
    """The values of one structure in `data`, which is as long as its section."""
    known = facts()["structs"][name]
    by_name = {field["name"]: field for field in known["fields"]}

    def own(key: str | None) -> int | None:
        return None if key is None else number_at(data, by_name[key]["offset"], by_name[key]["length"])

    length, version = own(known.get("length_field")), own(known.get("version_field"))
    row: dict[str, Any] = {}
    for field in known["fields"]:
        if field["type"] == "reserved":
            continue
        dims = [] if "row_per" in known else [dim for dim in field.get("dims", []) if dim["n"] > 1]
        end = field["offset"] + field["length"] + sum((dim["n"] - 1) * dim["stride"] for dim in dims)
        since = field.get("since", {})
        gone = end > len(data)
        gone |= "len_gt" in since and length is not None and length <= since["len_gt"]
        gone |= "ver_ge" in since and version is not None and version < since["ver_ge"]
        if "only_if" in field:
            switch = by_name[field["only_if"]["field"]]
            gone |= not number_at(data, switch["offset"], switch["length"]) & int(field["only_if"]["mask"], 16)
        row[column(field["name"])] = None if gone else table_at(field, dims, data, field["offset"])
        for bit, mask in field.get("bits", {}).items():
            on = number_at(data, field["offset"], field["length"]) & int(mask, 16)
            row[column(bit)] = None if gone else bool(on)
    return row


def lengths_of(name: str) -> list[int]:
    known = facts()["structs"][name]
    gates = {field["since"]["len_gt"] for field in known["fields"] if "len_gt" in field.get("since", {})}
    seen = set(known.get("section_length_seen", {}).values()) | {each for _, each in known.get("length_by_release", [])}
    return sorted({known["length"]} if name in ("QCTDNS", "QEST") else gates | seen | {known["length"]})


def section(name: str, length: int, source: random.Random) -> bytes:
    """A section of random bytes, with what the facts say must be there."""
    known = facts()["structs"][name]
    data = bytearray(source.randbytes(length))
    by_name = {field["name"]: field for field in known["fields"]}
    if known["eyecatcher"]:
        data[4:8] = ebcdic(known["eyecatcher"], 4)
    if known.get("length_field"):
        at = by_name[known["length_field"]]["offset"]
        data[at : at + 2] = length.to_bytes(2, "big")
    if known.get("version_field"):
        at, size = (by_name[known["version_field"]][key] for key in ("offset", "length"))
        gates = {field["since"]["ver_ge"] for field in known["fields"] if "ver_ge" in field.get("since", {})}
        version = source.choice([*gates, *(gate - 1 for gate in gates), max(gates) + 1])
        data[at : at + size] = version.to_bytes(size, "big")
    for field in known["fields"]:
        at = field["offset"]
        if field["type"] == "stck" and not field.get("dims") and at + 8 <= length:
            data[at : at + 8] = source.choice(
                [bytes(8), b"\xff" * 8, (0xE2 << 56 | source.getrandbits(55)).to_bytes(8)]
            )
        if "replace" in field and at + 4 <= length and source.random() < 0.3:
            data[at : at + 4] = bytes.fromhex(field["replace"]["value"])
    if name == "QEST":
        for slot in range(64):
            data[8 + slot * 64] = source.choice([0, 0xC1, 0xD8])
    return bytes(data)


def rows_of(name: str, data: bytes) -> list[dict[str, Any]]:
    per = facts()["structs"][name].get("row_per")
    if per is None:
        return [row_of(name, data)]
    slots = (data[8 + slot * per["stride"] : 8 + (slot + 1) * per["stride"]] for slot in range(per["n"]))
    return [row_of(name, data[:8] + slot) for slot in slots if slot[0] >= 0x40]


def generated(seed: int) -> tuple[list[bytes], Rows]:
    """A record of each subtype, and the rows that the facts make of it."""
    source = random.Random(seed)
    records: list[bytes] = []
    rows: Rows = {}
    for kind, subtypes in facts()["subtypes"].items():
        for subtype, entries in subtypes.items():
            wanted = [entry for entry in entries if entry["triplet"] and entry["struct"]]
            sections: dict[int, list[bytes]] = {}
            for entry in wanted:
                length = source.choice(lengths_of(entry["struct"]))
                count = source.randrange(1, 4) if entry["repeats"] else 1
                sections[entry["triplet"]] = [section(entry["struct"], length, source) for _ in range(count)]
            if not wanted:
                continue
            new = source.random() < 0.5
            header = Header(
                qmgr=source.choice(["QM01", "CSQ9"]),
                release="946" if new else source.choice(["800", "930"]),
                moment=MOMENT + timedelta(hours=source.randrange(2000)),
                group="QSG1" if new else None,
            )
            triplets = (
                None if (int(kind), int(subtype)) in SHORTENED else max(entry["triplet"] for entry in entries) + 1
            )
            records.append(record(int(kind), int(subtype), sections, header, triplets))
            for entry in wanted:
                for data in sections[entry["triplet"]]:
                    for row in rows_of(entry["struct"], data):
                        expected = {"qmgr": header.qmgr, "smf_time": header.moment, "qsg": header.group, **row}
                        rows.setdefault(column(entry["struct"]), []).append(expected)
            if (kind, subtype) in (("116", "1"), ("116", "2")):
                rows["wtid"][-1]["correl"] = sections[3 if subtype == "1" else 2][-1][16:32]
    return records, rows


def framed(records: list[bytes], form: str, source: random.Random) -> bytes:
    whole = [marker(2), *records, marker(3)]
    if form == "bare":
        return b"".join(map(bare, whole))
    if form == "spanned":
        cut = [spanned(each, *sorted(source.sample(range(20, len(each)), 3))) for each in whole[1:-1]]
        return b"".join([whole[0], *cut, whole[-1]])
    return gzip.compress(b"".join(whole)) if form == "gzip" else b"".join(whole)


@pytest.mark.parametrize("form", ["rdw", "spanned", "bare", "gzip"])
@pytest.mark.parametrize("seed", range(6))
def test_a_slow_decoder_from_the_facts_agrees_on_every_field(tmp_path: Path, seed: int, form: str) -> None:
    records, expected = generated(seed * 10 + len(form))
    path = tmp_path / "dump"
    path.write_bytes(framed(records, form, random.Random(seed)))
    found: Rows = {}
    for piece in survey(str(path), 3000).pieces:
        for chunk in read_piece(piece):
            result = decode(chunk, str(path), TextDecoder())
            assert result.quarantine == []
            for name, batch in result.batches.items():
                found.setdefault(name, []).extend(plain(batch, name).to_pylist())
    compared = 0
    for name, rows in expected.items():
        assert len(found[name]) == len(rows), name
        for ours, theirs in zip(found[name], rows):
            assert {key: ours[key] for key in theirs} == theirs, name
            compared += len(theirs)
    assert set(expected) == {column(name) for name in facts()["structs"]} - {"qwhs", "qwhc", "qwhx"}
    assert compared > 2000
