"""The samples of docs/reference/compat.md work as they are typed, with the queue manager of the README.

Here over stand-ins that call our modules as the packages do; `make interop` runs them with the packages themselves.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_packages import package

from helper_ports import free_port

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "compat.md"
SAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where the queue manager listens that the page names."""
    number = free_port()
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("LIBREMQ", "MQ"))}
    values = {**clean, "LIBREMQ_DATA": str(tmp_path_factory.mktemp("data")), "MQ_APP_PASSWORD": "coffee"}

    def command(*words: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "libremq.commands.main", *words], env=values, check=True, capture_output=True
        )

    command("crtmqm", "--dev", "-lf", "64", "QM1")
    command("strmqm", "-p", str(number), "QM1")
    yield number
    command("endmqm", "-i", "QM1")


def test_the_page_has_a_sample_for_each_package() -> None:
    assert [re.match(r"import (\w+)", sample) for sample in SAMPLES].count(None) == 0
    assert {re.match(r"import (\w+)", sample)[1] for sample in SAMPLES} == {"ibmmq", "pymqi"}  # type: ignore[index]


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_works_as_it_is_typed(
    sample: str, port: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = sample.split()[1]
    monkeypatch.setitem(sys.modules, name, package(name))
    exec(compile(sample.replace("localhost(1414)", f"localhost({port})"), "sample", "exec"), {})
    assert capsys.readouterr().out == "b'hello'\n"


@pytest.mark.parametrize("name", ["ibmmq", "pymqi"])
def test_a_queue_is_opened_for_what_comes_first(name: str, port: int) -> None:
    """As the page says: without open options a put is not followed by a get."""
    used = package(name)
    qmgr = used.connect("QM1", "DEV.APP.SVRCONN", f"localhost({port})", "app", "coffee")
    queue = used.Queue(qmgr, "DEV.QUEUE.2")
    queue.put(b"hello")
    with pytest.raises(used.MQMIError, match="2037"):
        queue.get()
    qmgr.disconnect()
