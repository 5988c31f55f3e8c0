"""The samples of docs/reference/compat.md, as they are typed, with the packages themselves."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

_PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "compat.md"
_HOST, _PORT = os.environ["PY_IBMMQ_TEST_QM_HOST"], os.environ["PY_IBMMQ_TEST_QM_PORT"]
SAMPLES = re.findall(r"```python\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_of_the_page(sample: str) -> None:
    typed = sample.replace("localhost(1414)", f"{_HOST}({_PORT})").replace('"coffee"', '"password"')
    ran = subprocess.run([sys.executable, "-c", typed], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "b'hello'\n", "")
