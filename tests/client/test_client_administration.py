"""Commands through the Python API: define, alter, delete, clear, display, statistics."""

from __future__ import annotations

import threading

import pytest

import libremq
from libremq import QueueManager
from libremq.client.kept_attributes import NoEffectYet
from libremq.mqi import constants as C
from libremq.mqi import structs as S
from libremq.tools.configuration_dump import definitions


def test_define_takes_words_and_numbers(queue_manager: QueueManager) -> None:
    queue_manager.define_local("ORDERS", maxdepth=7, defpsist="yes", descr="what people want")
    shown = queue_manager.display("qlocal", "ORDERS")[0]
    assert (shown["queue"], shown["type"], shown["maxdepth"], shown["defpsist"], shown["descr"]) == (
        "ORDERS",
        "QLOCAL",
        7,
        "YES",
        "what people want",
    )


def test_display_counts_live(queue_manager: QueueManager) -> None:
    queue_manager.define_local("ORDERS")
    queue = queue_manager.queue("ORDERS")
    queue.put("x")
    queue.put("y")
    shown = queue_manager.display("queue", "ORD*")[0]
    assert (shown["curdepth"], shown["opprocs"], shown["ipprocs"]) == (2, 1, 0)


def test_every_kind_of_object(queue_manager: QueueManager) -> None:
    queue_manager.define_local("XMIT", usage="xmitq")
    queue_manager.define_local("BASE")
    queue_manager.define_alias("NICK", "BASE")
    queue_manager.define_remote("FAR", rname="THERE", rqmname="QM2", xmitq="XMIT")
    queue_manager.define_model("FORM", deftype="permdyn")
    queue_manager.define_process("PROC", applicid="/bin/true")
    queue_manager.define_namelist("LIST", ["BASE", "NICK"], descr="two")
    queue_manager.define("QLOCAL", "COPY", like="BASE")
    assert queue_manager.queue_names() == ["BASE", "COPY", "FAR", "FORM", "NICK", "XMIT"]
    assert queue_manager.display("qalias", "NICK")[0]["target"] == "BASE"
    assert queue_manager.display("qremote", "FAR")[0]["rqmname"] == "QM2"
    assert queue_manager.display("qmodel", "FORM")[0]["deftype"] == "PERMDYN"
    assert queue_manager.display("process", "PROC")[0]["applicid"] == "/bin/true"
    assert queue_manager.display("namelist", "LIST")[0]["names"] == ("BASE", "NICK")
    queue_manager.put("NICK", "through the alias")
    assert queue_manager.queue("BASE").get().text == "through the alias"


def test_an_object_is_not_defined_twice_unless_it_is_replaced(queue_manager: QueueManager) -> None:
    queue_manager.define_local("Q", maxdepth=7)
    queue_manager.put("Q", "stays")
    with pytest.raises(libremq.ObjectExists) as caught:
        queue_manager.define_local("Q", maxdepth=8)
    assert caught.value.reason == C.MQRCCF_OBJECT_ALREADY_EXISTS
    queue_manager.define_local("Q", maxdepth=8, replace=True)
    assert queue_manager.display("qlocal", "Q")[0]["maxdepth"] == 8
    assert queue_manager.queue("Q").depth == 1


def test_alter_changes_what_is_given(queue_manager: QueueManager) -> None:
    queue_manager.define_local("Q", maxdepth=7, descr="old")
    queue_manager.alter("qlocal", "Q", descr="new")
    shown = queue_manager.display("qlocal", "Q")[0]
    assert (shown["maxdepth"], shown["descr"]) == (7, "new")


def test_the_queue_manager_itself(queue_manager: QueueManager) -> None:
    queue_manager.alter("qmgr", descr="shop", deadq="SYSTEM.DEAD.LETTER.QUEUE")
    attributes = queue_manager.attributes
    assert (attributes["qmname"], attributes["descr"]) == ("QM1", "shop")
    assert attributes["deadq"] == "SYSTEM.DEAD.LETTER.QUEUE"


def test_delete(queue_manager: QueueManager) -> None:
    queue_manager.define_local("Q")
    queue = queue_manager.queue("Q")
    queue.put("x")
    with pytest.raises(libremq.QueueNotEmpty):
        queue_manager.delete("qlocal", "Q")
    queue_manager.delete("qlocal", "Q", purge=True)
    with pytest.raises(libremq.UnknownObject):
        queue.put("y")
    queue_manager.define_local("Q")
    queue.put("z")
    assert queue.get().text == "z"


def test_a_queue_that_another_thread_uses_is_not_deleted(queue_manager: QueueManager) -> None:
    queue_manager.define_local("Q")
    queue = queue_manager.queue("Q")
    getter = threading.Thread(target=lambda: queue.get(wait=float("inf")))
    getter.start()
    while not queue_manager.statistics().waiting_gets:
        pass
    with pytest.raises(libremq.ObjectInUse):
        queue_manager.delete("qlocal", "Q")
    with pytest.raises(libremq.ObjectInUse):
        queue_manager.clear("Q")
    queue.put("go")
    getter.join(60)


def test_clear(queue_manager: QueueManager) -> None:
    queue_manager.define_local("Q")
    queue = queue_manager.queue("Q")
    queue.put("x", persistent=True)
    queue.put("y")
    queue_manager.clear("Q")
    assert queue.depth == 0
    with pytest.raises(libremq.UnknownObject):
        queue_manager.clear("NOTHING")


def test_names(queue_manager: QueueManager) -> None:
    for name in ("A.1", "A.2", "B.1"):
        queue_manager.define_local(name)
    assert queue_manager.queue_names("A*") == ["A.1", "A.2"]
    assert queue_manager.queue_names() == ["A.1", "A.2", "B.1"]
    assert "SYSTEM.DEFAULT.LOCAL.QUEUE" in queue_manager.queue_names("SYSTEM.*")


@pytest.mark.parametrize(
    ("kind", "name", "attributes", "error"),
    [
        ("qlocal", "BAD NAME", {}, libremq.InvalidName),
        ("qlocal", "X" * 49, {}, libremq.InvalidName),
        ("qlocal", "", {}, libremq.InvalidName),
        ("qlocal", "Q", {"colour": "red"}, libremq.InvalidAttribute),
        ("qlocal", "Q", {"maxdepth": -1}, libremq.InvalidAttribute),
        ("qlocal", "Q", {"maxdepth": True}, libremq.InvalidAttribute),
        ("qlocal", "Q", {"put": "perhaps"}, libremq.InvalidAttribute),
        ("qlocal", "Q", {"curdepth": 5}, libremq.InvalidAttribute),
        ("topic", "T", {}, libremq.InvalidAttribute),
        ("stgclass", "Q", {}, libremq.ObjectTypeError),
        ("qlocal", "Q", {"like": "NOTHING"}, libremq.UnknownObject),
    ],
)
def test_a_wrong_definition_is_refused_and_nothing_is_made(
    queue_manager: QueueManager, kind: str, name: str, attributes: dict[str, object], error: type[libremq.MQError]
) -> None:
    with pytest.raises(error) as caught:
        queue_manager.define(kind, name, **attributes)  # type: ignore[arg-type]
    assert caught.value.comp_code == C.MQCC_FAILED
    assert queue_manager.queue_names() == []


def test_an_unknown_kind_cannot_be_shown(queue_manager: QueueManager) -> None:
    with pytest.raises(libremq.ObjectTypeError):
        queue_manager.display("stgclass")


def test_statistics_count(queue_manager: QueueManager) -> None:
    queue_manager.define_local("Q")
    before = queue_manager.statistics()
    with queue_manager.transaction():
        queue_manager.put("Q", "x", persistent=True)
        assert queue_manager.statistics().units_of_work == 1
    after = queue_manager.statistics()
    assert after.units_of_work == 0
    assert after.messages == before.messages + 1
    assert after.log.records > before.log.records
    assert after.log.forces > before.log.forces


def test_checkpoint(queue_manager: QueueManager) -> None:
    queue_manager.define_local("Q")
    before = queue_manager.statistics().log.checkpoint
    queue_manager.put("Q", "x", persistent=True)
    queue_manager.checkpoint()
    assert queue_manager.statistics().log.checkpoint > before


def test_channels_and_listeners(queue_manager: QueueManager) -> None:
    with pytest.warns(NoEffectYet, match="COMPMSG"):
        queue_manager.define("channel", "APP.SVRCONN", chltype="svrconn", mcauser="app", compmsg="RLE,NONE")
    queue_manager.define("channel", "APP.TOO", chltype="svrconn", like="APP.SVRCONN", sendexit=["x(y)"])
    queue_manager.alter("channel", "APP.TOO", hbint=5)
    (shown,) = queue_manager.display("channel", "APP.TOO")
    assert {key: shown[key] for key in ("channel", "chltype", "mcauser", "hbint", "compmsg", "sendexit")} == {
        "channel": "APP.TOO",
        "chltype": "SVRCONN",
        "mcauser": "app",
        "hbint": 5,
        "compmsg": ("RLE", "NONE"),
        "sendexit": ("x(y)",),
    }
    with pytest.raises(libremq.ObjectExists):
        queue_manager.define("channel", "APP.TOO", chltype="svrconn")
    queue_manager.define("channel", "APP.TOO", chltype="svrconn", replace=True)
    assert [one["hbint"] for one in queue_manager.display("channel", "APP.*")] == [300, 300]
    queue_manager.delete("channel", "APP.TOO")
    with pytest.raises(libremq.UnknownObject):
        queue_manager.alter("channel", "APP.TOO", hbint=5)
    with pytest.raises(libremq.InvalidAttribute, match="CHLTYPE is missing"):
        queue_manager.define("channel", "APP.TOO")
    queue_manager.define("listener", "L", port=1515, control="qmgr")
    (listener,) = queue_manager.display("listener", "L")
    assert (listener["trptype"], listener["port"], listener["control"]) == ("TCP", 1515, "QMGR")


def test_the_password_in_sslcryp_is_shown_nowhere(queue_manager: QueueManager) -> None:
    [answer] = queue_manager.mqsc("ALTER QMGR SSLCRYP('GSK_PKCS11=/lib/x.so;token;hush;SYMMETRIC_CIPHER_ON;')")
    assert answer.state == "done", answer.lines
    shown = "GSK_PKCS11=/lib/x.so;token;xxxxxx;SYMMETRIC_CIPHER_ON;"
    [answer] = queue_manager.mqsc("DISPLAY QMGR SSLCRYP")
    assert answer.rows[0]["sslcryp"] == shown
    assert queue_manager.display("qmgr", "*")[0]["sslcryp"] == shown
    # It cannot be guessed letter by letter either
    assert queue_manager.mqsc("DISPLAY QMGR WHERE(SSLCRYP LK 'GSK_PKCS11=/lib/x.so;token;h*')")[0].rows == []
    mqi = queue_manager.mqi
    handle = mqi.MQOPEN(S.MQOD(ObjectType=C.MQOT_Q_MGR), C.MQOO_INQUIRE)
    found = mqi.MQINQ(handle, [C.MQCA_SSL_CRYPTO_HARDWARE])
    assert "hush" not in str(found) and "xxxxxx" in str(found)
    assert "hush" not in str(list(definitions(queue_manager, every=True)))
