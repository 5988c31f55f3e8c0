"""As whom a receiving channel puts: the queue manager itself, a privileged user, or one who needs authorities."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_partners import Partner

import libremq
from libremq.testing.serving import Served, served_queue_manager
from libremq.wire.protocol import Status


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def served(tmp_path: Path, said: list[str]) -> Iterator[Served]:
    """As a new queue manager is: nobody has authorities."""
    with served_queue_manager(folder=tmp_path / "libremq", say=said.append, secured=True) as served:
        yield served


def define(served: Served, user: str, *more: str) -> None:
    with libremq.connect(served.url("local")) as qm:
        for command in (f"DEFINE CHANNEL(TO.QM1) CHLTYPE(RCVR) MCAUSER('{user}')", *more):
            (answer,) = qm.mqsc(command)
            assert answer.state == "done", answer


@pytest.mark.parametrize("user", [" ", "mqm"])
def test_the_queue_manager_and_privileged_users_need_no_authorities(served: Served, user: str) -> None:
    define(served, user)
    with Partner(served.port) as partner:
        partner.agree()
        (link,) = served.event_loop.message_links
        assert link.agent is not None and link.agent.hconn


def test_others_need_to_connect(served: Served, said: list[str]) -> None:
    define(served, "nobody")
    with Partner(served.port) as partner:
        partner.bind()
        assert partner.refused().code == Status.SECURITY_FAILURE
    assert any("AMQ9501E" in line and "AUTHADD(CONNECT)" in line for line in said), said


def test_others_who_may_connect(served: Served) -> None:
    define(served, "nobody", "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('nobody') AUTHADD(CONNECT)")
    with Partner(served.port) as partner:
        partner.agree()
