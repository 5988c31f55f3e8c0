"""Copies from queue to queue: what is known of a message goes with it."""

from __future__ import annotations

from pathlib import Path

import pytest

import libremq
from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.delivery import Delivery
from libremq.kernel.messages.transmission import frame
from libremq.kernel.objects.channel_definitions import ReceivingChannel
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD
from libremq.store.stored_message import Origin
from libremq.tools.message_copy import QueueSink, QueueSource, copy

_CCSID = 1208


def _arrived(qm: libremq.QueueManager) -> None:
    """A message that says it is of an administrator, over a channel that proves nobody."""
    embedded = qm._access.embedded  # type: ignore[attr-defined]
    manager = embedded.manager
    with embedded.locked():
        manager.define("RCVR", "FROM.QM2", {})
        channel = manager.core.catalogue.find("CHANNEL", "FROM.QM2")
        assert isinstance(channel, ReceivingChannel)
        hconn = manager.connect("", "FROM.QM2", C.MQAT_QMGR, privileged=True)
        delivery = Delivery(ChannelEnvironment(manager), channel, hconn, proven=False)
        md = MQMD(Version=2, UserIdentifier="mqm", Persistence=C.MQPER_PERSISTENT, Priority=0)
        delivery.put(
            frame("Q", "QM1", md, b"obey", _CCSID), syncpoint=True, attempt=0, encoding=C.MQENC_NATIVE, ccsid=_CCSID
        )
        manager.commit(hconn)


@pytest.mark.parametrize("context", ["A", "I"])
@pytest.mark.parametrize("take", [False, True])
def test_where_a_message_came_from_goes_with_it(tmp_path: Path, context: str, take: bool) -> None:
    with libremq.connect(f"embedded:QM1?create=1&data={tmp_path}") as qm:
        for name in ("Q", "OTHER"):
            qm.define_local(name)
        qm.queue("Q").put("of this queue manager")
        _arrived(qm)
        qm.queue("Q").put("of this queue manager, too")
        source = QueueSource(qm, "Q", take=take)
        done = copy(source, QueueSink(qm, "OTHER", context=context, read_through=source.handle))
        assert done.messages == 3
        store = qm._access.embedded.manager.core.queues["OTHER"].store  # type: ignore[attr-defined]
        assert [store.message(slot).origin for slot in store.chains] == [None, Origin("", False), None]
        assert [message.md.UserIdentifier.strip() for message in qm.queue("OTHER").browse()][1] == "mqm"
