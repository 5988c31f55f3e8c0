"""What a start says while it replays the log: little when it is short, how far it is when it is long."""

from __future__ import annotations

import re

from helper_qmgr import Session

from libremq.host import lifecycle
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.testing.virtual_clock import VirtualClock


class SlowClock(VirtualClock):
    """Each look at it takes three seconds."""

    def monotonic(self) -> float:
        self.advance(3.0)
        return super().monotonic()


def restarted(session: Session, clock: VirtualClock) -> list[str]:
    session.qm.core.log.force()
    session.qm.abandon()
    said: list[str] = []
    lifecycle.start(session.core.files, "qm", "QM1", clock, say=said.append).abandon()
    return said


def test_a_short_replay_says_what_it_did_and_no_more() -> None:
    session = Session()
    session.queue("A")
    for number in range(10):
        session.put("A", b"%d" % number, Persistence=C.MQPER_PERSISTENT)
    said = restarted(session, session.clock)
    numbers = [text.split(":")[0] for text in said if text.startswith("AMQ")]
    assert numbers == ["AMQ7229I", "AMQ7230I", "AMQ7231I", "AMQ7232I"]
    assert "starting" in said[0] and "started" in said[-1]


def test_a_long_replay_tells_count_share_and_time_left() -> None:
    session = Session(LogConfig(file_pages=1024))
    session.queue("A", MAXDEPTH=9000)
    for number in range(9000):
        session.put("A", b"", syncpoint=True, Persistence=C.MQPER_PERSISTENT)
        if number % 200 == 199:
            session.qm.commit(session.hconn)
    said = restarted(session, SlowClock(session.clock.now()))
    on_the_way = [text for text in said if "left" in text and text.startswith("AMQ7229I")]
    assert on_the_way
    for text in on_the_way:
        found = re.search(r"(\d+) log records .* (\d+)% of the log; about (\d+) seconds left", text)
        assert found and 0 < int(found[2]) < 100
