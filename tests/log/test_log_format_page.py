"""Reads a log with nothing but docs/internals/log-format.md: offsets, sizes and types come from its tables."""

from __future__ import annotations

import random
import re
import zlib
from pathlib import Path

import pytest

from libremq.log import Log, LogConfig, RecordType
from libremq.testing import FaultyFiles

PAGE = Path(__file__).parents[2] / "docs" / "internals" / "log-format.md"
FOLDER = "/log"


def table(name: str) -> list[list[str]]:
    text = PAGE.read_text(encoding="utf-8").split(f"<!-- table: {name} -->")[1].strip().split("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:]]


class Layout:
    def __init__(self, name: str) -> None:
        rows = [row for row in table(name) if row[0]]
        self.fields = {row[2]: (int(row[0]), int(row[1]) if row[1] else None) for row in rows}

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
        assert slot.raw(copy, "magic") == b"LMQLCTL\0" and slot.number(copy, "version") == 2
        assert slot.number(copy, "checksum") == zlib.crc32(copy[:24] + payload)
        best = max(best, (slot.number(copy, "sequence"), payload))
    return best[1]


class PageReader:
    """Pages by LSN: the latest version of each, wherever it is."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.page = Layout("page")
        control = Layout("control")
        self.state = read_control(files["amqhlctl.lfh"])
        self.log_id = control.raw(self.state, "log_id")
        self.extent_bytes = control.number(self.state, "file_pages") * 4096
        count = control.number(self.state, "ring_files")
        base = control.number(self.state, "base")
        ring = control.raw(self.state, "ring")
        linear = control.number(self.state, "type") == 2
        numbers = [base + i if linear else int.from_bytes(ring[4 * i : 4 * i + 4], "little") for i in range(count)]
        self.names = {base + i: f"S{number:07}.LOG" for i, number in enumerate(numbers)}
        second = ring[0 if linear else 4 * count :]
        assert len(second) == control.number(self.state, "second_bytes")
        self.second_folder = second.decode()

    def is_whole(self, data: bytes, lsn: int) -> bool:
        page = self.page
        return (
            page.raw(data, "magic") == b"LMQ\x02"
            and page.raw(data, "log_id") == self.log_id
            and page.number(data, "lsn") == lsn
            and page.number(data, "checksum") == zlib.crc32(data[:36] + data[40:])
        )

    def read(self, lsn: int) -> bytes | None:
        found = []
        name = self.names.get(lsn // self.extent_bytes)
        if name is not None:
            found.append(self.files[name][lsn % self.extent_bytes :][:4096])
        for name in ("amqhlshd.lfh", "amqhltal.lfh"):
            content = self.files.get(name, b"")
            found += [content[at : at + 4096] for at in range(0, len(content), 4096)]
        whole = [data for data in found if self.is_whole(data, lsn)]
        return max(whole, key=lambda d: (self.page.number(d, "epoch"), self.page.number(d, "used")), default=None)


def read_log(files: dict[str, bytes]) -> list[tuple[int, int, int, int, int, bytes]]:
    """LSN, type, flags, transaction, previous LSN and payload of each record from the checkpoint on."""
    control, page, record = Layout("control"), Layout("page"), Layout("record")
    reader = PageReader(files)
    state = reader.state
    start = control.number(state, "checkpoint") or control.number(state, "head")

    # The bytes of the log as one string per run of pages that belong together, each byte with its LSN.
    runs: list[tuple[list[int], bytearray]] = []
    epoch = used = 0
    lsn = start - start % 4096
    while (data := reader.read(lsn)) is not None:
        found = page.number(data, "epoch")
        before = page.number(data, "before")
        if found < control.number(state, "epoch") and lsn >= control.number(state, "epoch_start"):
            break
        if epoch and not (before == used if found == epoch else before in (32768, 32768 + used)):
            break
        if found < epoch:
            break
        if found != epoch or used < 4096:
            runs.append(([], bytearray()))
        begin = start % 4096 if not epoch else 40
        epoch, used = found, page.number(data, "used")
        runs[-1][0].extend(range(lsn + begin, lsn + used))
        runs[-1][1].extend(data[begin:used])
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


@pytest.mark.parametrize(
    "config",
    [
        LogConfig(2, 2, 64),
        LogConfig(2, 2, 64, write_integrity="SingleWrite"),
        LogConfig(2, 2, 64, "LINEAR", log_management="Automatic"),
        LogConfig(2, 2, 64, second_folder="/second"),
    ],
    ids=["circular", "single write", "linear", "dual"],
)
def test_the_page_is_enough_to_read_a_log(config: LogConfig) -> None:
    rng = random.Random(5)
    files = FaultyFiles()
    log = Log.create(files, FOLDER, config)
    expected = []
    last: dict[int, int] = {}
    checkpoint = 0
    in_shadow = 0
    for step in range(400):
        txn = rng.randrange(5)
        sizes = (0, 5, 200) if step % 100 > 80 else (0, 5, 200, 4028, 9000)
        payload = rng.randbytes(rng.choice(sizes))
        type_ = rng.choice(list(RecordType))
        prev_lsn = last.get(txn, 0)
        last[txn] = lsn = log.append(type_, txn, prev_lsn, (payload,), flags=step % 256)
        expected.append((lsn, int(type_), step % 256, txn, prev_lsn, payload))
        if rng.random() < 0.4:
            log.force()
        if step % 40 == 30:
            checkpoint = lsn
            log.record_checkpoint(lsn, expected[-10][0])
        if step % 70 == 60 or step % 100 == 80:  # the latter: small forces only from here on, so pages are gone on in
            log.force()
            log.abandon()
            log = Log.open(files, FOLDER)
        if step % 9 == 0 or step % 100 > 90:
            log.force()
            written = [row for row in expected if row[0] >= checkpoint]
            contents = {name: files.content(f"{FOLDER}/{name}") for name in files.list(FOLDER)}
            assert read_log(contents) == written
            in_shadow += read_log({**contents, "amqhlshd.lfh": b""}) != written
    log.force()
    assert log.tail > 3 * 64 * 4096 and checkpoint > 2 * 64 * 4096
    assert (in_shadow > 0) == (config.write_integrity == "TripleWrite")
    log.abandon()
    contents = {name: files.content(f"{FOLDER}/{name}") for name in files.list(FOLDER)}
    assert read_log(contents) == [row for row in expected if row[0] >= checkpoint]
    assert PageReader(contents).second_folder == config.second_folder
    if config.second_folder:
        assert contents == {name: files.content(f"/second/{name}") for name in files.list("/second")}


def test_the_page_lists_the_record_types() -> None:
    assert {int(row[0]): row[1] for row in table("types")} == {int(t): t.name for t in RecordType}


def test_the_tables_leave_no_gaps() -> None:
    for name in ("page", "record", "slot", "control"):
        at = 0
        for row in table(name):
            assert not row[0] or int(row[0]) == at, (name, row)
            at += int(row[1] or 0)
    assert re.search(r"\b40 bytes", PAGE.read_text(encoding="utf-8"))
