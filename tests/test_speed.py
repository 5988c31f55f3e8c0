"""The compiled functions of libremq-speed give the bytes that their references give, and read nothing beyond them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import zlib
from array import array
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from helper_speed import built, loaded
from libremq import speed
from libremq.kernel.state import journal
from libremq.log import records
from libremq.mqi import structs
from libremq.store import space_handles, stored_message
from libremq.wire import calls_alike, messages

_ROOT = Path(__file__).resolve().parent.parent
_LENGTHS = (0, 1, 15, 16, 63, 64, 65, 127, 128, 2048, 4056, 70_001)
assert calls_alike and journal and messages and records and space_handles and stored_message  # they fill `REFERENCE`


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("speed")).parent


@pytest.fixture(scope="session")
def compiled(folder: Path) -> ModuleType:
    return loaded(next(folder.glob("libremq_speed*")))


def test_every_reference_is_compiled_for_the_same_contract(compiled: ModuleType) -> None:
    assert compiled.CONTRACT == speed.CONTRACT
    assert set(speed.REFERENCE) == {name for name in dir(compiled) if name.islower() and name[0] != "_"} - {"crc32"}


@pytest.mark.parametrize("seed", range(4))
def test_checksums(compiled: ModuleType, seed: int) -> None:
    rng = random.Random(seed)
    for length in (*range(300), *_LENGTHS):
        data, before = rng.randbytes(length), rng.getrandbits(32)
        assert compiled.crc32(data) == zlib.crc32(data)
        assert compiled.crc32(data, before) == zlib.crc32(data, before)


def _put(rng: random.Random, head: bytes, behind: bytes, length: int, *, claimed: int = -1, size: int = -1) -> bytes:
    claimed = length if claimed < 0 else claimed
    size = 596 + claimed if size < 0 else size
    return b"".join(
        (b"TSHM", (size & 0xFFFFFFFF).to_bytes(4, "big"), head, rng.randbytes(48), behind,
         claimed.to_bytes(4, "little"), rng.randbytes(length))
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_puts_are_taken_out_of_what_came(compiled: ModuleType, seed: int) -> None:
    rng = random.Random(seed)
    head, behind = rng.randbytes(92), rng.randbytes(444)
    reference = speed.REFERENCE["parse_puts"]
    for _ in range(30):
        pieces = [b"x" * rng.randrange(9)]
        for _ in range(rng.randrange(6)):
            pieces.append(_put(rng, head, behind, rng.choice((0, 5, 700))))
        odd = rng.randrange(6)
        if odd == 0:
            pieces.append(_put(rng, head, behind, 5, claimed=0xFFFFFFFF))
        elif odd == 1:
            pieces.append(_put(rng, head, behind, 5, claimed=6))
        elif odd == 2:
            pieces.append(_put(rng, head, behind, 5, size=rng.choice((0, 4, 596, 602, 0xFFFFFFFF))))
        elif odd == 3:
            pieces.append(_put(rng, head[::-1], behind, 5))
        elif odd == 4:
            pieces.append(_put(rng, head, behind[::-1], 5))
        pieces.append(_put(rng, head, behind, 9)[: rng.randrange(606)])
        data = b"".join(pieces)
        end = rng.choice((len(data), len(data), rng.randrange(len(data) + 1), 0))
        for start in {len(pieces[0]), 0, len(data), rng.randrange(len(data) + 1)}:
            limits = rng.choice((600, 1 << 20)), rng.choice((0, 2, 64)), rng.choice((0, 1000, 1 << 16))
            arguments = data, start, end, head, behind, *limits
            assert compiled.parse_puts(*arguments) == reference(*arguments)


@pytest.mark.parametrize("seed", range(10))
def test_records(compiled: ModuleType, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        payloads = [
            tuple(rng.randbytes(rng.choice(_LENGTHS)) for _ in range(rng.randrange(4)))
            for _ in range(rng.randrange(5))
        ]  # fmt: skip
        txn = rng.choice((0, 1, rng.getrandbits(64)))
        position = rng.getrandbits(50)
        started = rng.choice((-1, 0, position // 4056))
        arguments = rng.getrandbits(8), rng.getrandbits(8), txn, rng.getrandbits(50), position, started, payloads
        assert compiled.build_run(*arguments) == speed.REFERENCE["build_run"](*arguments)


@pytest.mark.parametrize("seed", range(10))
def test_records_of_puts(compiled: ModuleType, seed: int) -> None:
    rng = random.Random(seed)
    slots = [rng.getrandbits(31) for _ in range(rng.randrange(9))]
    pairs = [(rng.randbytes(372), rng.randbytes(rng.randrange(99))) for _ in slots]
    arguments = (
        rng.getrandbits(32), slots, rng.getrandbits(62), rng.randrange(10), rng.choice((0, rng.getrandbits(50))),
        [front for front, _ in pairs], [data for _, data in pairs],
    )  # fmt: skip
    assert compiled.put_run_parts(*arguments) == speed.REFERENCE["put_run_parts"](*arguments)


@pytest.mark.parametrize("seed", range(10))
def test_fronts_of_images(compiled: ModuleType, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        count = rng.randrange(6)
        head, tail = rng.randbytes(rng.choice((0, 40))), rng.randbytes(rng.choice((0, 268)))
        ids = [rng.randbytes(48) for _ in range(count)]
        data = [rng.randbytes(rng.choice(_LENGTHS)) for _ in range(count)]
        fronts = compiled.fronts_of(head, ids, tail, data)
        assert fronts == speed.REFERENCE["fronts_of"](head, ids, tail, data)


@pytest.mark.parametrize("seed", range(20))
def test_images_are_taken_apart(compiled: ModuleType, seed: int) -> None:
    rng = random.Random(seed)
    lengths = set()
    for _ in range(20):
        data, offsets, sizes, hashes = bytearray(rng.randbytes(rng.randrange(9))), [], [], []
        for _ in range(rng.randrange(7)):
            md = structs.MQMD(Version=2, MsgId=rng.randbytes(24), CorrelId=rng.randbytes(24))
            origin = rng.choice((None,) * 6 + (stored_message.Origin("eve", proven=True),))
            properties = rng.choice((b"",) * 6 + (b"some",))
            image = bytearray(
                stored_message.Message(md, properties, rng.randbytes(rng.choice(_LENGTHS)), origin).to_image()
            )
            if rng.randrange(6) == 0:
                image[rng.choice((0, 4, 6, 12, 60, len(image) - 1))] ^= rng.choice((1, 128))
            claimed = len(image) + rng.choice((0,) * 8 + (1, -1, -len(image)))
            offsets.append(len(data))
            sizes.append(claimed)
            hashes.append((zlib.crc32(md.MsgId), zlib.crc32(md.CorrelId) ^ rng.choice((0,) * 8 + (1,))))
            data += image + bytes(-len(image) % 64)
        del data[len(data) - rng.choice((0, 0, 1, 500)) :]
        arguments = bytes(data), offsets, sizes, [one for one, _ in hashes], [other for _, other in hashes]
        found = compiled.plain_images(*arguments)
        assert found == speed.REFERENCE["plain_images"](*arguments)
        lengths.add(len(found))
    assert len(lengths) > 2


@pytest.mark.parametrize("seed", range(10))
def test_frames_of_messages(compiled: ModuleType, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        count = rng.randrange(6)
        front = messages.frames_front(rng.randrange(99), b"Q" * rng.randrange(1, 49), 1, rng.getrandbits(32), 5)
        arguments = (
            front, rng.choice((1, 0xFFFFFFFE, rng.getrandbits(33))),
            [rng.randbytes(356) for _ in range(count)],
            [rng.randbytes(16) for _ in range(count)],
            [rng.randbytes(rng.choice(_LENGTHS)) for _ in range(count)],
        )  # fmt: skip
        assert compiled.message_frames(*arguments) == speed.REFERENCE["message_frames"](*arguments)


@pytest.mark.parametrize("seed", range(10))
def test_rows_of_handles(compiled: ModuleType, seed: int) -> None:
    rng = random.Random(seed)
    tables = []
    slots = rng.sample(range(40), rng.randrange(1, 20))
    ids = [rng.randbytes(48) for _ in slots]
    numbers = rng.getrandbits(16), rng.getrandbits(40), rng.getrandbits(40), rng.choice((0, 77))
    for function in (compiled.fill_rows, speed.REFERENCE["fill_rows"]):
        columns = [array(code, range(40)) for code in "HqIIqq"]
        function(slots, ids, *numbers, *columns)
        tables.append(columns)
    assert tables[0] == tables[1]


def _columns(rows: int) -> list[array[int]]:
    return [array(code, bytes(rows * array(code).itemsize)) for code in "HqIIqq"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("parse_puts", (b"x" * 600, -1, 600, bytes(92), bytes(444), 9, 9, 9)),
        ("parse_puts", (b"x" * 600, 0, 601, bytes(92), bytes(444), 9, 9, 9)),
        ("parse_puts", (b"x" * 600, 0, 600, bytes(91), bytes(444), 9, 9, 9)),
        ("parse_puts", (b"x" * 600, 0, 600, bytes(92), bytes(445), 9, 9, 9)),
        ("parse_puts", (b"x" * 600, sys.maxsize, 600, bytes(92), bytes(444), 9, 9, sys.maxsize)),
        ("parse_puts", (bytearray(600), 0, 600, bytes(92), bytes(444), 9, 9, 9)),
        ("message_frames", (bytes(87), 0, [bytes(356)], [bytes(16)], [b""])),
        ("message_frames", (bytes(99), 0, [bytes(356)], [bytes(15)], [b""])),
        ("message_frames", (bytes(99), 0, [bytes(356)], [], [b""])),
        ("message_frames", (bytes(99), 0, [bytes(356)], [bytes(16)], [memoryview(b"")])),
        ("message_frames", (bytes(99), -1, [], [], [])),
        ("build_run", (1, 0, 0, 0, 0, 0, [[b""]])),
        ("build_run", (1, 0, 0, 0, 0, 0, [(b"", "text")])),
        ("build_run", (256, 0, 0, 0, 0, 0, [(b"",)])),
        ("build_run", (1, 0, 1 << 64, 0, 0, 0, [])),
        ("build_run", (1, 0, 0, 0, 0, 0, ((b"",),))),
        ("put_run_parts", (1, [1], 1, 1, 0, [b""], [])),
        ("put_run_parts", (1, [-1], 1, 1, 0, [b""], [b""])),
        ("put_run_parts", (1, [1 << 32], 1, 1, 0, [b""], [b""])),
        ("put_run_parts", (1 << 32, [1], 1, 1, 0, [b""], [b""])),
        ("put_run_parts", (1, [1], sys.maxsize, 1, 0, [b""], [b""])),
        ("put_run_parts", (1, [1], 1, 256, 0, [b""], [b""])),
        ("put_run_parts", (1, [1], 1, 1, 0, [""], [b""])),
        ("fronts_of", (b"", [bytes(48)], b"", [])),
        ("fronts_of", (b"", [None], b"", [b""])),
        ("fill_rows", ([3], [bytes(48)], 0, 0, 0, 0, *_columns(3))),
        ("fill_rows", ([-1], [bytes(48)], 0, 0, 0, 0, *_columns(3))),
        ("fill_rows", ([1 << 70], [bytes(48)], 0, 0, 0, 0, *_columns(3))),
        ("fill_rows", ([0], [bytes(47)], 0, 0, 0, 0, *_columns(3))),
        ("fill_rows", ([0], [bytes(48)], 0, 0, 0, 0, *_columns(3)[::-1])),
        ("fill_rows", ([2], [bytes(48)], 0, 0, 0, 0, *_columns(3)[:5], array("q", [1, 2]))),
        ("fill_rows", ([0], [bytes(48)], 0, 0, 0, 0, *_columns(3)[:5], bytes(24))),
        ("fill_rows", ([0], [bytes(48)], 0, 0)),
        ("crc32", ("text",)),
    ],
)
def test_what_does_not_fit_is_refused(compiled: ModuleType, name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError, IndexError, BufferError)):
        getattr(compiled, name)(*arguments)


def test_columns_are_let_go(compiled: ModuleType) -> None:
    """An array that somebody holds cannot grow."""
    columns = _columns(3)
    with pytest.raises(IndexError):
        compiled.fill_rows([3], [bytes(48)], 0, 0, 0, 0, *columns)
    compiled.fill_rows([2], [bytes(48)], 0, 0, 0, 0, *columns)
    for column in columns:
        column.append(1)


def _python(folder: Path, *arguments: str, **environment: str) -> str:
    paths = os.pathsep.join((str(_ROOT / "src"), str(folder)))
    variables = {**os.environ, "PYTHONPATH": paths, **environment}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


_ASK = "from libremq import speed; print(speed.is_in_use())"


def test_it_is_used_where_it_is_found_and_can_be_switched_off(folder: Path) -> None:
    assert _python(folder, "-c", _ASK, LIBREMQ_SPEED="") == "True\n"
    assert _python(folder, "-c", _ASK, LIBREMQ_SPEED="no") == "False\n"


def test_one_that_is_made_for_another_contract_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "libremq_speed.py").write_text(f"CONTRACT = {speed.CONTRACT + 1}\n", encoding="ascii")
    assert _python(tmp_path, "-c", _ASK, LIBREMQ_SPEED="") == "False\n"


def test_runs_of_messages_are_the_same_with_it(folder: Path) -> None:
    tests = [str(_ROOT / "tests" / name) for name in ("kernel/state/test_kernel_runs.py", "log/test_log_records.py")]
    _python(folder, "-m", "pytest", "-n", "0", *tests, LIBREMQ_SPEED="")
