"""Commands to a queue manager in this process: what is answered is on disk (contract 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.embedded_access import EmbeddedAccess
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.testing.faulty_files import FaultyFiles
from libremq.testing.virtual_clock import VirtualClock


@pytest.fixture
def access() -> Iterator[EmbeddedAccess]:
    embedded = EmbeddedQueueManager.start(
        "qm", "QM1", create=True, files=FaultyFiles(), clock=VirtualClock(), log_config=LogConfig(file_pages=64),
        background=False,
    )  # fmt: skip
    found = EmbeddedAccess(embedded, "qm")
    found.define("QLOCAL", "Q", {}, like=None, replace=False)
    yield found
    found.close()


def _mqsc(access: EmbeddedAccess) -> None:
    answers = access.mqsc("DEFINE QLOCAL(A)\nALTER QLOCAL(A) DESCR('b')")
    assert [answer.reason for answer in answers] == [C.MQRC_NONE] * 2


@pytest.mark.parametrize(
    "command",
    [
        _mqsc,
        lambda access: access.define("QLOCAL", "A", {}, like="Q", replace=False),
        lambda access: access.alter("QLOCAL", "Q", {"DESCR": "altered"}),
        lambda access: access.delete("QLOCAL", "Q", purge=False),
    ],
    ids=["mqsc", "define", "alter", "delete"],
)
def test_what_a_command_has_changed_is_on_disk(
    access: EmbeddedAccess, command: Callable[[EmbeddedAccess], object]
) -> None:
    log = access.embedded.manager.core.log
    before = log.tail
    command(access)
    assert log.durable >= log.tail > before
