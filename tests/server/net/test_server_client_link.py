"""The link of a client: what it was answered is on disk (contract 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helper_peers import Peer, batch_flow, get_flow, put_flow
from helper_power_cut import PERSISTENT, Site, site

from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.wire.protocol import REPLY, Type


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Site]:
    with site("mq", tmp_path) as found:
        yield found


def _put(here: Site, options: int) -> None:
    hobj = here.open(C.MQOO_OUTPUT)
    here.reader.put(hobj, MQMD(Version=2, Persistence=PERSISTENT), MQPMO(Options=options), b"new")


def _outside_syncpoint(here: Site) -> None:
    _put(here, C.MQPMO_NO_SYNCPOINT)


def _at_once(here: Site) -> None:
    md, pmo = MQMD(Version=2, Persistence=PERSISTENT), MQPMO(Options=C.MQPMO_NO_SYNCPOINT)
    here.reader.put1(MQOD(ObjectName="Q"), md, pmo, b"new")


def _committed(here: Site) -> None:
    _put(here, C.MQPMO_SYNCPOINT)
    here.reader.commit()


@pytest.mark.parametrize("put", [_outside_syncpoint, _at_once, _committed])
def test_what_a_client_was_promised_survives(here: Site, put: Callable[[Site], None]) -> None:
    put(here)
    assert here.after_power_cut() == [b"new"]


def test_what_nobody_was_promised_may_be_lost(here: Site) -> None:
    """Else the one above would show nothing: something forced the log whatever the link does."""
    _put(here, C.MQPMO_SYNCPOINT)
    here.put(b"of another", options=C.MQPMO_NO_SYNCPOINT)
    assert here.after_power_cut() == []


@pytest.mark.parametrize(
    ("flow", "answer"),
    [
        (lambda hobj: put_flow(hobj, b"mine", persistence=PERSISTENT), Type.MQPUT + REPLY),
        (get_flow, Type.MQGET + REPLY),
        (lambda hobj: get_flow(hobj, C.MQGMO_BROWSE_FIRST), Type.MQGET + REPLY),
        (lambda hobj: batch_flow(hobj, 1), Type.ASYNC_MESSAGE),
        (lambda hobj: batch_flow(hobj, 1, C.MQGMO_BROWSE_FIRST), Type.ASYNC_MESSAGE),
    ],
    ids=["put", "get", "browse", "batch", "batch of a browse"],
)
@pytest.mark.parametrize("works", [True, False])
def test_nothing_is_told_that_is_not_on_disk(
    here: Site, flow: Callable[[int], bytes], answer: int, works: bool
) -> None:
    """The log cannot be forced: the link ends, and what it had to say with it."""
    with Peer(here.served.port) as peer:
        hobj = peer.connect().open("Q", C.MQOO_INPUT_SHARED | C.MQOO_BROWSE | C.MQOO_OUTPUT)
        here.put(b"not yet on disk")
        if not works:
            here.no_more_syncs()
        peer.send(flow(hobj))
        if works:
            assert peer.answer().kind == answer
            return
        kinds = []
        while (found := peer.receive()) is not None:
            kinds.append(found.kind)
        assert answer not in kinds
