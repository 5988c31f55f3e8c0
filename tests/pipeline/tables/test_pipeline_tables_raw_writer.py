"""What becomes of a piece that cannot be written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
from helper_smf_spark import dump

_WRITE = """
import resource, signal, sys
from libremq.pipeline.smf.files import Piece
from libremq.pipeline.tables.raw import write_piece
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    write_piece("f" * 64, Piece(sys.argv[1], "rdw"), sys.argv[2])
except OSError as error:
    print("refused:", error)
"""


def test_a_disk_without_room_is_one_error_and_no_noise(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(dump(1))
    ran = subprocess.run(
        [sys.executable, "-c", _WRITE, str(path), str(tmp_path / "raw")], capture_output=True, text=True, check=False
    )
    assert ran.stdout.startswith("refused:")
    assert (ran.returncode, ran.stderr) == (0, "")
