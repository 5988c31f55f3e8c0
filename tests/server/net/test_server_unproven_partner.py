"""The README's two queue managers, with a partner that means harm: nobody obeys it, and what it is there for works.

Over real sockets: in the clear with the rules of a new queue manager, with a user for the channel, with a certificate.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from helper_peers import wait_until
from helper_tls import write
from test_channels_unproven import EVIL

import libremq
from libremq.client.queue_manager import QueueManager
from libremq.common.tls.tls_authority import Authority
from libremq.common.users_file import system_user
from libremq.mqi import constants as C
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.server.admission.key_repository import KeyRepository
from libremq.testing.serving import Served, served_queue_manager
from libremq.tools.dead_letter_handler import DeadLetterHandler
from libremq.tools.dead_letter_rules import parse_rules

COMMANDS = "SYSTEM.ADMIN.COMMAND.QUEUE"
SSL = "SSLCIPH(ANY_TLS12_OR_HIGHER)"
OWNER = system_user(os.getuid())


class Towns:
    """LONDON sends to PARIS."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.said: list[str] = []
        self._keys: dict[str, KeyRepository] = {}
        self.served: dict[str, Served] = {}
        for name in ("LONDON", "PARIS"):
            served = self.served[name] = stack.enter_context(
                served_queue_manager(
                    name,
                    folder=folder / name,
                    secured=True,
                    say=self.said.append,
                    tls=lambda name=name: self._keys[name].context(),  # type: ignore[misc]
                )
            )
            self._keys[name] = KeyRepository(served.event_loop.manager, served.event_loop.folder, self.said.append)
        urls = (served.url("local") for served in self.served.values())
        self.london, self.paris = (stack.enter_context(libremq.connect(url)) for url in urls)
        self.port = self.served["PARIS"].port

    def certificates(self, *, caller: bool = True) -> None:
        authority = Authority.create()
        for name, served in self.served.items():
            repository = Path(served.event_loop.folder, "ssl")
            repository.mkdir(exist_ok=True)
            write(repository / "trust.pem", authority)
            if caller or name == "PARIS":
                write(repository / "cert.pem", authority.issue((("CN", name),), hosts=["127.0.0.1"]))

    def connected(self, *, ssl: str = "", receiver: str = "") -> None:
        """As the README has it, with more for both ends, or for the receiving one."""
        _done(self.paris, f"DEFINE QLOCAL(ORDERS)\nDEFINE CHANNEL(LONDON.PARIS) CHLTYPE(RCVR) {ssl} {receiver}")
        _done(self.paris, "ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE) AUTHOREV(ENABLED)")
        _done(
            self.london,
            "DEFINE QLOCAL(PARIS) USAGE(XMITQ) TRIGGER INITQ(SYSTEM.CHANNEL.INITQ)\n"
            f"DEFINE CHANNEL(LONDON.PARIS) CHLTYPE(SDR) CONNAME('127.0.0.1({self.port})') XMITQ(PARIS) {ssl}\n"
            "DEFINE QREMOTE(ORDERS) RNAME(ORDERS) RQMNAME(PARIS) DEFPSIST(YES)",
        )

    def attack(self) -> None:
        """A command as the owner of the other queue manager."""
        md = MQMD(Version=2, Format=C.MQFMT_ADMIN, UserIdentifier=OWNER, MsgType=C.MQMT_DATAGRAM, Persistence=1)
        pmo = MQPMO(Options=C.MQPMO_SET_ALL_CONTEXT)
        mqi = self.london.mqi
        mqi.MQPUT1(MQOD(ObjectName=COMMANDS, ObjectQMgrName="PARIS"), md, pmo, EVIL)
        self.london.put("ORDERS", "two espressos")
        assert self.paris.queue("ORDERS").get(wait=120).text == "two espressos"

    @property
    def obeyed(self) -> bool:
        with self.served["PARIS"].event_loop.lock:
            return self.served["PARIS"].event_loop.manager.find("QUEUE", "EVIL") is not None


def _done(qm: QueueManager, text: str) -> None:
    for answer in qm.mqsc(text):
        assert answer.state == "done", answer


@pytest.fixture
def towns(tmp_path: Path) -> Iterator[Towns]:
    with ExitStack() as stack:
        yield Towns(stack, tmp_path)


def test_a_partner_runs_no_commands_over_the_channel_of_the_readme(towns: Towns) -> None:
    towns.connected()
    events = towns.paris.queue("SYSTEM.ADMIN.QMGR.EVENT")
    before = events.depth
    towns.attack()
    assert not towns.obeyed
    assert towns.paris.queue("SYSTEM.DEAD.LETTER.QUEUE").depth == 1
    assert events.depth == before + 1
    assert any("AMQ9589W" in line and COMMANDS in line for line in towns.said)
    rules = parse_rules("WAIT(NO) RETRYINT(1)\nACTION(RETRY)\nACTION(FWD) FWDQ(&DESTQ) HEADER(NO)")
    outcome = DeadLetterHandler(towns.paris, rules).run()
    assert (outcome.retried, outcome.forwarded, outcome.left) == (0, 0, 1)
    assert not towns.obeyed


def test_a_channel_with_a_user_that_may_is_believed(towns: Towns) -> None:
    towns.connected(receiver=f"MCAUSER('{OWNER}')")
    towns.attack()
    wait_until(lambda: towns.obeyed)


def test_a_channel_with_a_user_that_may_not_is_refused_by_that(towns: Towns) -> None:
    _done(
        towns.paris,
        "DEFINE QLOCAL(ORDERS)\n"
        "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('nobody') AUTHADD(CONNECT,SETALL)\n"
        "SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) PRINCIPAL('nobody') AUTHADD(PUT,SETALL)\n"
        "DELETE QLOCAL(ORDERS) AUTHREC(NO)",
    )
    towns.connected(receiver="MCAUSER('nobody')")
    towns.attack()
    assert not towns.obeyed
    assert towns.paris.queue("SYSTEM.DEAD.LETTER.QUEUE").depth == 1


def test_a_rule_that_maps_the_partner_is_enough(towns: Towns) -> None:
    towns.connected()
    _done(
        towns.paris,
        f"SET CHLAUTH(LONDON.PARIS) TYPE(QMGRMAP) QMNAME(LONDON) USERSRC(MAP) MCAUSER('{OWNER}')\n"
        "SET CHLAUTH(LONDON.PARIS) TYPE(BLOCKUSER) USERLIST('nobody')",
    )
    towns.attack()
    wait_until(lambda: towns.obeyed)


def test_a_rule_that_leaves_the_user_to_the_channel_is_not(towns: Towns) -> None:
    towns.connected()
    _done(towns.paris, "SET CHLAUTH(LONDON.PARIS) TYPE(QMGRMAP) QMNAME(LONDON) USERSRC(CHANNEL)")
    towns.attack()
    assert not towns.obeyed
    assert towns.paris.queue("SYSTEM.DEAD.LETTER.QUEUE").depth == 1


def test_a_certificate_is_enough(towns: Towns) -> None:
    towns.certificates()
    towns.connected(ssl=SSL)
    towns.attack()
    wait_until(lambda: towns.obeyed)


def test_tls_without_a_certificate_of_the_partner_is_not(towns: Towns) -> None:
    towns.certificates(caller=False)
    towns.connected(ssl=SSL, receiver="SSLCAUTH(OPTIONAL)")
    towns.attack()
    assert not towns.obeyed
    assert towns.paris.queue("SYSTEM.DEAD.LETTER.QUEUE").depth == 1
