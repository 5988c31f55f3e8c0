"""The developer configuration: what it defines, and that it leaves alone what is there."""

from __future__ import annotations

from typing import Any

import pytest
from helper_media import FOLDER, Life
from helper_qmgr import Session

from libremq.common import users_file
from libremq.host import deletion, developer_configuration, lifecycle
from libremq.kernel.objects.catalogue import to_record
from libremq.kernel.objects.object_types import (
    AuthorityRecord,
    ChannelAuthentication,
    IdpwOs,
    Listener,
    ServerConnection,
    Topic,
)
from libremq.mqi import constants as C
from libremq.mqi.errors import ObjectTypeError


def definitions(session: Session) -> list[dict[str, Any]]:
    return [to_record(one) for one in session.core.catalogue]


def test_it_has_what_tutorials_use() -> None:
    session = Session()
    lsn = developer_configuration.configure(session.qm)
    assert lsn > 0
    catalogue = session.core.catalogue
    names = ["DEV.DEAD.LETTER.QUEUE", "DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.QUEUE.3"]
    assert [one.name for one in catalogue.select("QLOCAL", "DEV.*")] == names
    assert catalogue.find("QMODEL", "DEV.APP.MODEL.QUEUE") is not None
    app, admin = catalogue.find("CHANNEL", "DEV.APP.SVRCONN"), catalogue.find("CHANNEL", "DEV.ADMIN.SVRCONN")
    assert isinstance(app, ServerConnection) and isinstance(admin, ServerConnection)
    assert (app.mcauser, admin.mcauser) == ("app", "")
    listener = catalogue.find("LISTENER", "DEV.LISTENER.TCP")
    assert isinstance(listener, Listener)
    assert (listener.effective_port, listener.control) == (1414, C.MQSVC_CONTROL_Q_MGR)
    assert listener.ipaddr == "127.0.0.1"  # until somebody decides that others may come in
    assert (catalogue.qmgr.deadq, catalogue.qmgr.connauth) == ("DEV.DEAD.LETTER.QUEUE", "DEV.AUTHINFO")
    check, topic = catalogue.find("AUTHINFO", "DEV.AUTHINFO"), catalogue.find("TOPIC", "DEV.BASE.TOPIC")
    assert isinstance(check, IdpwOs) and isinstance(topic, Topic)
    assert (check.chckclnt, check.chcklocl, check.adoptctx, topic.topicstr) == (
        C.MQCHK_REQUIRED_ADMIN, C.MQCHK_OPTIONAL, C.MQADPCTX_YES, "dev/",
    )  # fmt: skip
    session.put("DEV.QUEUE.1", b"hello")
    assert session.get("DEV.QUEUE.1")[1] == b"hello"


def test_its_users_come_in_by_its_channels_and_nobody_else() -> None:
    session = Session()
    developer_configuration.configure(session.qm)
    catalogue = session.core.catalogue
    assert {name for name in catalogue.chlauths if not name.startswith(("SYSTEM", "* BLOCKUSER"))} == {
        "* ADDRESSMAP ADDRESS('*')",
        "DEV.APP.SVRCONN ADDRESSMAP ADDRESS('*')",
        "DEV.ADMIN.SVRCONN BLOCKUSER",
        "DEV.ADMIN.SVRCONN USERMAP CLNTUSER('admin')",
    }
    given = {one.name: one.authlist for one in catalogue.authrecs.values() if isinstance(one, AuthorityRecord)}
    both = (C.MQAUTH_BROWSE, C.MQAUTH_INPUT, C.MQAUTH_INQUIRE, C.MQAUTH_OUTPUT)
    assert given == {
        "self QMGR PRINCIPAL app": (C.MQAUTH_CONNECT, C.MQAUTH_INQUIRE),
        "DEV.** QUEUE PRINCIPAL app": both,
        "DEV.** TOPIC PRINCIPAL app": (C.MQAUTH_PUBLISH, C.MQAUTH_SUBSCRIBE),
        "DEV.APP.MODEL.QUEUE QUEUE PRINCIPAL app": tuple(sorted((*both, C.MQAUTH_DISPLAY))),
    }


@pytest.mark.parametrize(("password", "check"), [(True, C.MQCHK_REQUIRED), (False, C.MQCHK_AS_Q_MGR)])
def test_an_application_needs_the_password_that_was_set(password: bool, check: int) -> None:
    rules = [
        one
        for one in developer_configuration.records(0.0, app_password=password)
        if isinstance(one, ChannelAuthentication)
    ]
    assert [one.chckclnt for one in rules if one.chlauth == "DEV.APP.SVRCONN"] == [check]


def test_rules_and_authorities_of_the_owner_stay() -> None:
    session = Session()
    mine = AuthorityRecord.make("DEV.**", C.MQOT_Q, C.MQZAET_PRINCIPAL, "app", [C.MQAUTH_BROWSE])
    session.qm.install_record(mine)
    session.qm.define("AUTHINFO", "MINE", {"AUTHTYPE": "IDPWOS"})
    session.qm.alter("QMGR", "", {"CONNAUTH": "MINE"})
    developer_configuration.configure(session.qm)
    held = session.core.catalogue.find("AUTHREC", mine.name)
    assert isinstance(held, AuthorityRecord) and held.authlist == (C.MQAUTH_BROWSE,)
    assert session.core.catalogue.qmgr.connauth == "MINE"


def test_a_second_time_changes_nothing() -> None:
    session = Session()
    developer_configuration.configure(session.qm)
    before = definitions(session)
    assert developer_configuration.configure(session.qm) == 0
    assert definitions(session) == before


def test_what_the_owner_has_defined_stays() -> None:
    session = Session()
    session.queue("DEV.QUEUE.2", maxdepth=7)
    session.queue("MY.DEAD")
    session.qm.alter("QMGR", "", {"deadq": "MY.DEAD"})
    session.qm.define("CHANNEL", "DEV.APP.SVRCONN", {"chltype": "svrconn", "mcauser": "other"})
    session.put("DEV.QUEUE.2", b"kept")
    developer_configuration.configure(session.qm)
    catalogue = session.core.catalogue
    app = catalogue.find("CHANNEL", "DEV.APP.SVRCONN")
    assert isinstance(app, ServerConnection)
    assert (app.mcauser, catalogue.qmgr.deadq) == ("other", "MY.DEAD")
    assert session.core.queues["DEV.QUEUE.2"].definition.maxdepth == 7
    assert session.get("DEV.QUEUE.2")[1] == b"kept"


def test_a_name_that_another_type_has_stops_all_of_it() -> None:
    session = Session()
    session.qm.define("QALIAS", "DEV.QUEUE.3", {"target": "X"})
    before = definitions(session)
    with pytest.raises(ObjectTypeError, match=r"QALIAS.*DEV\.QUEUE\.3|DEV\.QUEUE\.3.*QALIAS"):
        developer_configuration.configure(session.qm)
    assert definitions(session) == before


def test_it_is_there_after_a_crash() -> None:
    life = Life()
    developer_configuration.configure(life.qm)
    wanted = [to_record(one) for one in life.core.catalogue]
    life.restart(orderly=False)
    assert [to_record(one) for one in life.core.catalogue] == wanted


def test_the_users_go_with_a_backup_and_with_a_deletion() -> None:
    life = Life()
    users_file.set_password(life.files, FOLDER, "app", "secret")
    lifecycle.copy_to_backup(life.qm, "copy")
    assert users_file.check_password(life.files, "copy", "app", "secret")
    life.stop()
    deletion.delete(life.files, FOLDER, life.core.qmgr_name)
    assert not users_file.has_users(life.files, FOLDER)


def test_an_interrupted_creation_is_wiped_with_its_folders() -> None:
    life = Life()
    life.stop()
    files = life.files
    files.make_folder(f"{FOLDER}/errors")
    files.open(f"{FOLDER}/errors/AMQERR01.LOG", create=True)
    users_file.set_password(files, FOLDER, "app", "secret")
    # A deletion that was cut short after its first steps
    files.open(f"{FOLDER}/creating", create=True)
    files.remove(f"{FOLDER}/amqalchk.fil")
    lifecycle.create(files, FOLDER, "QM1", life.clock)
    assert not files.exists(f"{FOLDER}/errors")
    assert not users_file.has_users(files, FOLDER)
