"""What administration, channels and the server see of a queue manager besides its verbs."""

from __future__ import annotations

from helper_qmgr import Session

from libremq.kernel.objects.channel_sync_record import RECEIVER, ChannelSync
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C


def test_last_lsn_is_that_of_the_last_change() -> None:
    session = Session()
    lsn = session.qm.define("QLOCAL", "ONE", {})
    assert session.qm.last_lsn >= lsn > 0
    before = session.qm.last_lsn
    session.put("ONE", b"kept", Persistence=C.MQPER_PERSISTENT)
    assert session.qm.last_lsn > before
    session.qm.force(session.qm.last_lsn)
    assert session.qm.durable_lsn > session.qm.last_lsn


def test_definitions_are_those_of_now() -> None:
    session = Session()
    version = session.qm.definitions_version
    session.queue("ONE")
    assert session.qm.definitions_version > version
    assert session.qm.definitions.find("QLOCAL", "ONE") is session.qm.find("QLOCAL", "ONE")
    session.qm.alter("QMGR", "", {"DEADQ": "ONE"})
    assert session.qm.definitions.qmgr.deadq == "ONE"


def test_connections_come_and_go() -> None:
    session = Session()
    assert session.qm.connections[session.hconn].user == "alice"
    session.qm.disconnect(session.hconn)
    assert session.hconn not in session.qm.connections


def test_in_a_server_the_name_alone_says_what_somebody_may() -> None:
    authority = Session().qm.authority
    assert authority.sender_of("nobody.known").privileged  # inside an application: it is that application
    authority.begin_serving("owner")
    assert not authority.sender_of("nobody.known").privileged
    assert authority.is_administrator("owner") and not authority.is_administrator("nobody.known")


def test_channel_events_are_told_if_they_are_wanted() -> None:
    session = Session()
    session.qm.events.channel(C.MQRC_CHANNEL_STARTED, channel="A.TO.B")
    assert session.depth("SYSTEM.ADMIN.CHANNEL.EVENT") == 0
    session.qm.alter("QMGR", "", {"CHLEV": "ENABLED"})
    session.qm.events.channel(C.MQRC_CHANNEL_STARTED, channel="A.TO.B")
    assert session.depth("SYSTEM.ADMIN.CHANNEL.EVENT") == 1


def test_what_is_kept_of_a_channel_is_found() -> None:
    session = Session()
    records = session.qm.channel_records
    assert records.syncs_of("A.TO.B") == []
    connection = session.qm.connection(session.hconn)
    sync = ChannelSync.make(RECEIVER, "A.TO.B", "QMA", luwid="00" * 8, sequence=3, now=0.0)
    channel_batches.commit_received(session.qm, connection, sync)
    assert records.sync_of(RECEIVER, "A.TO.B", "QMA") == sync
    assert records.in_doubt("A.TO.B") == []
