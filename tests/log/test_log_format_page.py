"""Reads a log with nothing but docs/internals/log-format.md: offsets, sizes and types come from its tables."""

from __future__ import annotations

import random
import re
import zlib
from pathlib import Path

from libremq.log import Log, LogConfig, RecordType
from libremq.testing import FaultyFiles

PAGE = Path(__file__).parents[2] / "docs" / "internals" / "log-format.md"
FOLDER = "/log"


def table(name: str) -> list[list[str]]:
    text = PAGE.read_text(encoding="utf-8").split(f"<!-- table: {name} -->")[1].strip().split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:]]


class Layout:
    def __init__(self, name: str) -> None:
        self.fields = {row[2]: (int(row[0]), int(row[1]) if row[1] else None) for row in table(name)}

    def raw(self, data: bytes, field: str) -> bytes:
        offset, size = self.fields[field]
        return data[offset : None if size is None else offset + size]

    def number(self, data: bytes, field: str) -> int:
        return int.from_bytes(self.raw(data, field), "little")


def read_control(data: bytes) -> bytes:
    slot = Layout("slot")
    best = (0, b"")
    for start in (0, 4096):
        copy = data[start : start + 4096]
        payload = slot.raw(copy, "payload")[: slot.number(copy, "length")]
        assert slot.raw(copy, "magic") == b"LMQLCTL\0" and slot.number(copy, "version") == 1
        assert slot.number(copy, "checksum") == zlib.crc32(copy[:24] + payload)
        best = max(best, (slot.number(copy, "sequence"), payload))
    return best[1]


def read_log(files: dict[str, bytes]) -> list[tuple[int, int, int, int, int, bytes]]:
    """LSN, type, flags, transaction, previous LSN and payload of each record from the checkpoint on."""
    control, page, record = Layout("control"), Layout("page"), Layout("record")
    state = read_control(files["amqhlctl.lfh"])
    ring_bytes = control.raw(state, "ring")
    ring = [int.from_bytes(ring_bytes[i : i + 4], "little") for i in range(0, len(ring_bytes), 4)]
    assert len(ring) == control.number(state, "ring_files")
    extent_bytes = control.number(state, "file_pages") * 4096
    base = control.number(state, "base")
    start = control.number(state, "checkpoint") or control.number(state, "head")

    # The bytes of the log as one string per run of pages that belong together, each byte with its LSN.
    runs: list[tuple[list[int], bytearray]] = []
    epoch = 0
    full = False
    lsn = start - start % 4096
    while base <= lsn // extent_bytes < base + len(ring):
        name = f"S{ring[lsn // extent_bytes - base]:07}.LOG"
        data = files[name][lsn % extent_bytes : lsn % extent_bytes + 4096]
        found = page.number(data, "epoch")
        good = (
            page.raw(data, "magic") == b"LMQ\x01"
            and page.raw(data, "log_id") == control.raw(state, "log_id")
            and page.number(data, "lsn") == lsn
            and page.number(data, "checksum") == zlib.crc32(data[:36] + data[40:])
            and (found == epoch or epoch == 0 or (found > epoch and page.number(data, "durable") == lsn + 40))
        )
        if not good:
            break
        if found != epoch or not full:
            runs.append(([], bytearray()))
        used = page.number(data, "used")
        begin = start % 4096 if not epoch else 40
        runs[-1][0].extend(range(lsn + begin, lsn + used))
        runs[-1][1].extend(data[begin:used])
        epoch, full = found, used == 4096
        lsn += 4096

    records = []
    for lsns, stream in runs:
        position = 0
        while position + 28 <= len(stream):
            length = record.number(bytes(stream[position : position + 28]), "length")
            whole = bytes(stream[position : position + length])
            if len(whole) < length:
                break
            payload = record.raw(whole, "payload")
            assert record.number(whole, "checksum") == zlib.crc32(whole[:24] + payload)
            names = ("type", "flags", "txn", "prev_lsn")
            type_, flags, txn, prev_lsn = (record.number(whole, name) for name in names)
            records.append((lsns[position], type_, flags, txn, prev_lsn, payload))
            position += length
    return records


def test_the_page_is_enough_to_read_a_log() -> None:
    rng = random.Random(5)
    files = FaultyFiles()
    log = Log.create(files, FOLDER, LogConfig(2, 2, 64))
    expected = []
    last: dict[int, int] = {}
    checkpoint = 0
    for step in range(300):
        txn = rng.randrange(5)
        payload = rng.randbytes(rng.choice((0, 5, 200, 4028, 9000)))
        type_ = rng.choice(list(RecordType))
        prev_lsn = last.get(txn, 0)
        last[txn] = lsn = log.append(type_, txn, prev_lsn, (payload,), flags=step % 256)
        expected.append((lsn, int(type_), step % 256, txn, prev_lsn, payload))
        if rng.random() < 0.4:
            log.force()
        if step % 40 == 30:
            checkpoint = lsn
            log.record_checkpoint(lsn, expected[-10][0])
        if step % 70 == 60:
            log.force()
            log.abandon()
            log = Log.open(files, FOLDER)
    log.force()
    assert log.statistics().file_numbers[0] != 0 and checkpoint > 2 * 64 * 4096
    log.abandon()
    contents = {name: files.content(f"{FOLDER}/{name}") for name in files.list(FOLDER)}
    assert read_log(contents) == [row for row in expected if row[0] >= checkpoint]


def test_the_page_lists_the_record_types() -> None:
    assert {int(row[0]): row[1] for row in table("types")} == {int(t): t.name for t in RecordType}


def test_the_tables_leave_no_gaps() -> None:
    for name in ("page", "record", "slot", "control"):
        at = 0
        for row in table(name):
            assert int(row[0]) == at, (name, row)
            at += int(row[1] or 0)
    assert re.search(r"\b40 bytes", PAGE.read_text(encoding="utf-8"))
