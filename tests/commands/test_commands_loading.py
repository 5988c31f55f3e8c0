"""What a command line loads before its command works: its words, and nothing of a queue manager.

Looked at in `sys.modules` of a fresh process: times would tell of the machine.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from libremq.commands.main import COMMANDS

OF_A_QUEUE_MANAGER = (
    "libremq.admin.",
    "libremq.channels.",
    "libremq.client.queue",
    "libremq.client.session",
    "libremq.host.creation",
    "libremq.host.embedded",
    "libremq.kernel.",
    "libremq.log.",
    "libremq.server.net.",
    "libremq.server.process.server_process",
    "libremq.wire.",
)
OF_OTHERS = (
    "asyncio",
    "concurrent.futures",
    "cryptography",
    "lark",
    "multiprocessing",
    "pandas",
    "pyspark",
    "pytest",
    "rich",
    "ssl",
    "uvloop",
    "yaml",
)


def loaded(script: str, *words: str) -> set[str]:
    """The modules that are there when the script has run."""
    ran = subprocess.run(
        [sys.executable, "-c", f"{script}\nimport sys; print(*sys.modules, sep='\\n', file=sys.stderr)", *words],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return set(ran.stderr.split())


def heavy(modules: set[str]) -> list[str]:
    ours = [name for name in modules if name.startswith(OF_A_QUEUE_MANAGER)]
    return sorted(ours + [name for name in OF_OTHERS if name in modules])


RUN = "import sys; from libremq.commands.main import main; assert main(sys.argv[1:]) == 0"


@pytest.mark.parametrize(
    "words", [[], ["dspmqver"], ["mqrc", "2035"], ["mqrc", "AMQ8003"], ["completion", "bash"], ["completion", "fish"]]
)
def test_a_command_that_needs_no_queue_manager_loads_none(words: list[str]) -> None:
    assert heavy(loaded(RUN, *words)) == []


def test_no_command_loads_its_work_with_its_words() -> None:
    """All of them in one process: a name in the list is found by taking commands away."""
    script = (
        "from importlib import import_module\n"
        "from libremq.commands.exit_codes import Parser\n"
        "from libremq.commands.main import COMMANDS\n"
        "for command in COMMANDS:\n"
        "    import_module(command.module).add_arguments(Parser(conflict_handler='resolve'))\n"
    )
    modules = loaded(script)
    assert {command.module for command in COMMANDS} <= modules
    assert heavy(modules) == []


def test_a_list_of_no_queue_managers_loads_none(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("none")
    assert heavy(loaded(RUN, "dspmq", "-md", str(folder))) == []


def test_the_version_is_looked_up_when_it_is_asked_for() -> None:
    assert "importlib.metadata" not in loaded(RUN, "mqrc", "2035")
    assert "importlib.metadata" in loaded(RUN, "dspmqver")
