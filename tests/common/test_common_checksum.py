"""Checksums are those of zlib, whichever library computes them: what is on disk does not depend on the machine."""

from __future__ import annotations

import random
import subprocess
import sys
import zlib

from libremq.common.checksum import crc32


def test_they_are_those_of_zlib() -> None:
    chance = random.Random(17)
    for length in (0, 1, 3, 4, 15, 16, 63, 64, 65, 372, 2048, 4056, 70_001):
        data = chance.randbytes(length)
        begun = chance.getrandbits(32)
        assert crc32(data) == zlib.crc32(data)
        assert crc32(memoryview(data)[1:], begun) == zlib.crc32(data[1:], begun)


def test_without_zlib_ng_they_are_zlibs_own() -> None:
    program = (
        "import sys; sys.modules['zlib_ng'] = sys.modules['zlib_ng.zlib_ng'] = None\n"
        "import zlib; from libremq.common import checksum; assert checksum.crc32 is zlib.crc32"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
