"""Every example runs, says what it should, and leaves nothing behind; and runs again on what it left."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"

OUTPUT = {
    "administration": [
        "DEFINE QLOCAL(ORDERS): done",
        "DEFINE QALIAS(KITCHEN): done",
        "DEFINE QLOCAL(DEAD): done",
        "ALTER QMGR: done",
        "ORDERS: 2 of 3, orders from the tables",
        "AMQ8409I: Queue details.",
        "   QUEUE(KITCHEN)                          TYPE(QALIAS)",
        "   TARGET(ORDERS)",
        "syntax: MAXDEPHT in column 22 is not a parameter of ALTER QLOCAL; did you mean MAXDEPTH?",
        "failed: AMQ8143E: LibreMQ queue ORDERS is not empty.",
    ],
    "asyncio_service": ["squares: ['4', '9', '16', '25', '36', '49', '64', '81']"],
    "asyncio_consumer": [
        "squares: ['9', '144', '12321']",
        "journal: ['squared 111', 'squared 12', 'squared 3']",
        "nothing more in the journal",
        "backed out, changed my mind: 0",
        "MQRC_UNKNOWN_OBJECT_NAME NOWHERE",
    ],
    "backup_queue_manager": [
        "replayed some records: True",
        "it is a backup queue manager",
        "the backup has taken over: ['tea', 'cake', 'biscuits', 'jam']",
    ],
    "batch": [
        "1000 readings put",
        "sums of up to 300: ['44850', '134850', '224850', '94950']",
    ],
    "browse": [
        "on the shelf: ['umbrella', 'glove', 'bicycle', 'other glove']",
        "taken: glove",
        "taken: other glove",
        "still there: ['umbrella', 'bicycle']",
    ],
    "channel_exits": [
        "the channel is defined: done",
        "'two espressos, table 7' with priority 7",
        "one decaf: to the dead-letter queue, reason 70001: we do not serve that",
    ],
    "consumer": [
        "clean: tea",
        "clean: cake",
        "rejected: café ['attempt 1: UnicodeDecodeError', 'attempt 2: UnicodeDecodeError']",
    ],
    "dead_letter": [
        "order: {'what': 'tea', 'cups': 2}",
        "dead: 'two cups of tea' {'sender': 'grandfather'}, reason 65537, for ORDERS",
    ],
    "groups": [
        "the novel: ['Marley was dead', 'The first spirit', 'The end of it']",
        "the next group: ['1: Call me Ishmael', '2: The carpet-bag']",
    ],
    "hello": [
        "for table 8: b'one tea'",
        r"two espressos {'table': 7} <time>",
        r"one cake {} <time>",
    ],
    "local_server": [
        "the worker is at wash",
        "it was killed: True",
        "wash again, backed out 1 time; done: 0",
        "then ['iron', 'fold']",
    ],
    "log_advice": [
        "10 persistent puts outside syncpoint: put several in one transaction",
        "secondary extents in use, 2 primaries are not enough: raise LogPrimaryFiles",
        "bytes logged are written to disk with some to spare: True",
        "orders: 50",
    ],
    "media_recovery": [
        "image of ORDERS recorded",
        "its file is overwritten with zeros",
        "MQRC_OBJECT_DAMAGED: ORDERS",
        "recovered: 21 orders, the last one is 'order 20, after the image'",
    ],
    "plan": [
        "a message of 4 KB, put and got, logs 5696 bytes",
        "active logs: 58",
    ],
    "reconnect": [
        "the queue manager was killed, and is started again",
        "the client has heard: it goes on",
    ],
    "request_reply": ["3 squared is 9", "12 squared is 144", "111 squared is 12321"],
    "request_reply_processes": [
        "3 squared is 9, say the squares",
        "12 squared is 144, say the squares",
        "111 squared is 12321, say the squares",
    ],
    "selector": [
        "weight > 100                        ['piano']",
        "city = 'Lyon' AND express IS NULL   ['books']",
        "express                             ['letter']",
    ],
    "server_and_client": [
        "two espressos, ordered by waiter",
        "on the bill: ['table 7: 6.40']",
    ],
    "transaction": [
        "backed out: invalid literal for int() with base 10: 'a lot'",
        "'a lot' failed before: set aside",
        "2 booked: ['booked 10', 'booked 20']",
        "payments left: 0",
    ],
    "triggering": [
        "WORKER is called for JOBS: start 'work' (gently)",
        "  done: wash",
        "  done: iron",
        "WORKER is called for JOBS: start 'work' (gently)",
        "  done: fold",
    ],
    "two_queue_managers": [
        "two espressos for London, with our compliments",
        "one tea for London, with our compliments",
        "channel LONDON.PARIS to PARIS is RUNNING: 3 messages",
    ],
    "xa": [
        "decided in the north, and then the lights go out in the south",
        "in doubt after the restart: [b'transfer-4711']",
        "in the south: [b'100 crowns']",
    ],
}
ELSEWHERE = {"smf_findings", "testing_with_pytest"}
"""`tests/pipeline/test_pipeline_example.py` runs the first one, where Spark is; the other one is below."""
WITHOUT_QUEUE_MANAGER = ("plan",)

_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00:00")


def run(script: str | Path, home: Path, **environment: str) -> list[str]:
    """Run a program, or the text of one, as a user with an empty home would; the lines it prints."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("LIBREMQ", "PYTEST"))}
    temporary = home / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    ran = subprocess.run(
        [sys.executable, str(script)] if isinstance(script, Path) else [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=home,
        env={**clean, "HOME": str(home), "TMPDIR": str(temporary), "PYTHONUTF8": "1", **environment},
        timeout=1800,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stderr == ""
    return [_TIME.sub("<time>", line) for line in ran.stdout.splitlines()]


def test_every_example_is_known_here() -> None:
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    assert names == {*OUTPUT, *ELSEWHERE}


@pytest.mark.parametrize("name", OUTPUT)
def test_an_example(name: str, tmp_path: Path) -> None:
    assert run(EXAMPLES / f"{name}.py", tmp_path) == OUTPUT[name]
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == ["tmp"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples, as somebody has it who tries one after the other."""
    return tmp_path_factory.mktemp("data")


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, id=name) for name in OUTPUT),
        *(pytest.param(name, id=f"{name} again") for name in reversed(OUTPUT)),
    ],
)
def test_an_example_runs_again_on_the_data_that_it_and_others_left(name: str, tmp_path: Path, data: Path) -> None:
    """Once each, and once more in the opposite order: so each comes before and after each."""
    assert run(EXAMPLES / f"{name}.py", tmp_path, LIBREMQ_DATA=str(data)) == OUTPUT[name]
    assert (data / "qmgrs").is_dir() or name in WITHOUT_QUEUE_MANAGER


def test_the_example_for_pytest(tmp_path: Path) -> None:
    for _ in range(2):
        lines = run(EXAMPLES / "testing_with_pytest.py", tmp_path, LIBREMQ_DATA=str(tmp_path / "data"))
        assert any("3 passed" in line for line in lines)


def test_the_pair_of_the_examples_is_defined_twice(tmp_path: Path) -> None:
    """To run the files again changes nothing, and all that they name is understood."""
    for city in ("LONDON", "PARIS"):
        script = (EXAMPLES / f"channels_{city.lower()}.mqsc").read_text(encoding="utf-8")
        code = f"import libremq\nwith libremq.connect('embedded:{city}?create=1') as qm:\n"
        code += f"    for _ in range(2):\n        print([one.state for one in qm.mqsc({script!r})])"
        assert run(code, tmp_path / city) == [str(["done"] * 6)] * 2
