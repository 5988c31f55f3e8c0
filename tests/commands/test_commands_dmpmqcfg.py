"""`libremq dmpmqcfg`: what is dumped makes the same queue manager again, in each of its forms, and tells no secrets."""

from __future__ import annotations

import getpass
import io
import json
import re
import shlex
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from helper_cli import Commands

import libremq
from libremq.common import users_file
from libremq.common.files.file_layer import RealFiles
from libremq.common.tls import tls_context
from libremq.testing.serving import Served, served_queue_manager
from libremq.tools.configuration_dump import channel_rules

SECRET = "Sup3rSecret"
ONE_OF_EVERYTHING = f"""\
ALTER QMGR DESCR('it''s "mine" + yours -') DEADQ(DLQ) MAXHANDS(77) TRIGINT(5) CHLEV(ENABLED) CONFIGEV(ENABLED) +
      CONNAUTH(CHECK) ACCTQ(ON) CUSTOM('')
DEFINE QLOCAL(DLQ) DESCR('dead letters')
DEFINE QLOCAL(TEA) MAXDEPTH(7) NOSHARE DEFSOPT(EXCL) TRIGGER TRIGTYPE(DEPTH) TRIGDPTH(3) INITQ(INIT) PROCESS(P) +
       TRIGDATA('a b') NOHARDENBO BOQNAME(DLQ) BOTHRESH(3) RETINTVL(10) GET(DISABLED) DEFPSIST(YES) QDEPTHHI(90) +
       QDPHIEV(ENABLED) MSGDLVSQ(FIFO) USAGE(XMITQ) CAPEXPRY(100)
DEFINE QLOCAL(INIT) DESCR('  blanks before, quotes '' inside, and at the end a +')
DEFINE QLOCAL('lower.case') PUT(DISABLED)
DEFINE QALIAS(ALIAS) TARGET(TEA) PROPCTL(NONE)
DEFINE QALIAS(ALIAS.TOPIC) TARGET(NEWS) TARGTYPE(TOPIC)
DEFINE QREMOTE(REMOTE) RNAME('far.away') RQMNAME(QM9) XMITQ(TEA)
DEFINE QMODEL(MODEL) DEFTYPE(PERMDYN) MAXMSGL(100)
DEFINE NAMELIST(NAMES) NAMES(A,'b',C.D) DESCR('three')
DEFINE NAMELIST(NO.NAMES)
DEFINE PROCESS(P) APPLICID('run -x "a b" ''c''') APPLTYPE(UNIX) USERDATA('u; v') ENVRDATA('&')
DEFINE CHANNEL(A.SDR) CHLTYPE(SDR) CONNAME('there(1414),elsewhere(1415)') XMITQ(TEA) USERID('u') PASSWORD('{SECRET}') +
       BATCHSZ(10) CONVERT(YES) SHORTRTY(5) NPMSPEED(NORMAL)
DEFINE CHANNEL(A.SVR) CHLTYPE(SVR) XMITQ(TEA)
DEFINE CHANNEL(A.RCVR) CHLTYPE(RCVR) PUTAUT(CTX)
DEFINE CHANNEL(A.RQSTR) CHLTYPE(RQSTR) CONNAME('there')
DEFINE CHANNEL(A.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('app') SHARECNV(3) MAXINST(9) SSLCIPH(ANY_TLS12_OR_HIGHER) +
       SSLPEER('CN="me, myself",O=home') SSLCAUTH(OPTIONAL)
DEFINE CHANNEL(A.CLNTCONN) CHLTYPE(CLNTCONN) CONNAME('there(1414)') QMNAME(QM1) AFFINITY(NONE)
DEFINE CHANNEL(A.CLUSRCVR) CHLTYPE(CLUSRCVR) CLUSTER(C1) CONNAME('here')
DEFINE CHANNEL(A.CLUSSDR) CHLTYPE(CLUSSDR) CLUSTER(C1) CONNAME('there')
DEFINE AUTHINFO(CHECK) AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL) FAILDLAY(3) ADOPTCTX(YES)
DEFINE AUTHINFO(CRL) AUTHTYPE(CRLLDAP) CONNAME('ldap(389)') LDAPUSER('cn=mq, o=home') LDAPPWD('{SECRET}')
DEFINE AUTHINFO(OCSP) AUTHTYPE(OCSP) OCSPURL('http://there')
DEFINE AUTHINFO(LDAP) AUTHTYPE(IDPWLDAP) CONNAME('ldap') SHORTUSR('sn') LDAPPWD('{SECRET}')
DEFINE LISTENER(LISTEN) TRPTYPE(TCP) PORT(2414) CONTROL(MANUAL) IPADDR('127.0.0.1') BACKLOG(5)
DEFINE SERVICE(SERVE) CONTROL(MANUAL) SERVTYPE(SERVER) STARTCMD('/bin/true') STARTARG('-m +QMNAME+') STDOUT('out')
DEFINE COMMINFO(COMM) TYPE(MULTICAST) GRPADDR('239.0.0.1') PORT(1415)
DEFINE TOPIC(NEWS) TOPICSTR('news/of the day') DURSUB(NO) PUB(DISABLED)
ALTER QLOCAL(SYSTEM.DEFAULT.LOCAL.QUEUE) MAXDEPTH(4444) DESCR('our default')
ALTER CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(SVRCONN) HBINT(33)
DEFINE QLOCAL(AFTER.THE.DEFAULT) MAXDEPTH(5000)
DEFINE QLOCAL(AS.THE.DEFAULT)
SET CHLAUTH('A.*') TYPE(ADDRESSMAP) ADDRESS('10.*') USERSRC(MAP) MCAUSER('app') DESCR('it''s us') ACTION(ADD)
SET CHLAUTH('A.*') TYPE(BLOCKUSER) USERLIST('bob','*MQADMIN') WARN(YES)
SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('10.1.1.1','10.2.*')
SET CHLAUTH(A.RCVR) TYPE(QMGRMAP) QMNAME(QM9) ADDRESS('10.9.9.9') USERSRC(CHANNEL)
SET CHLAUTH(A.SVRCONN) TYPE(SSLPEERMAP) SSLPEER('CN="x, y",O=home') SSLCERTI('CN=ca') USERSRC(MAP) MCAUSER('app') +
    CHCKCLNT(REQUIRED)
SET CHLAUTH(A.SVRCONN) TYPE(USERMAP) CLNTUSER('bob') USERSRC(NOACCESS)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('app') AUTHADD(CONNECT,INQ)
SET AUTHREC PROFILE('DEV.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(PUT,GET,BROWSE,INQ)
SET AUTHREC PROFILE('X?.*.Y') OBJTYPE(TOPIC) GROUP('staff') AUTHADD(PUB,SUB)
SET AUTHREC PROFILE(TEA) OBJTYPE(QUEUE) GROUP('staff') AUTHADD(ALLADM)
SET AUTHREC PROFILE(SELF) OBJTYPE(CHANNEL) GROUP('staff') AUTHADD(CTRL)
SET AUTHREC PROFILE(SELF) OBJTYPE(CHANNEL) GROUP('staff') AUTHRMV(CTRL)
"""


def fresh(stack: ExitStack, folder: Path, name: str) -> Served:
    found = stack.enter_context(served_queue_manager(name, folder=folder, secured=True))
    for user in ("app", "bob"):
        users_file.set_password(RealFiles(), found.event_loop.folder, user, "x")
    users_file.set_groups(RealFiles(), found.event_loop.folder, "bob", ["staff"])
    return found


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("dmpmqcfg") / "data"
    with ExitStack() as stack:
        served = fresh(stack, folder, "QM1")
        with libremq.connect(served.url("local")) as qm:
            for answer in qm.mqsc(ONE_OF_EVERYTHING):
                assert answer.state == "done", answer
            # What MQSC could not write: the end of a line in a text, and a temporary queue
            qm.define_local("PYTHON", descr="two\nlines")
            qm.dynamic_queue(name="TEMPORARY.*")
            yield folder


@pytest.fixture
def mq(data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("LIBREMQ_DATA", str(data))
    monkeypatch.setenv("LIBREMQ_PLAIN", "1")
    return Commands(capsys, data)


def dumped(mq: Commands, name: str, *words: str) -> list[str]:
    return mq.good("dmpmqcfg", "-m", name, *words)


def said(lines: list[str]) -> list[str]:
    """Without comments, which tell of the time and the name."""
    return [line for line in lines if not line.startswith("*")]


@pytest.mark.parametrize("words", [(), ("-a",), ("-o", "1line"), ("-o", "2line"), ("-a", "-o", "1line")], ids=" ".join)
def test_a_dump_makes_the_same_queue_manager_again(mq: Commands, tmp_path: Path, words: tuple[str, ...]) -> None:
    script = tmp_path / "dump.mqsc"
    first = dumped(mq, "QM1", *words)
    script.write_text("\n".join(first) + "\n", encoding="utf-8")
    name = f"QM2.{len(words)}{''.join(words).replace('-', '.')}"
    with ExitStack() as stack:
        fresh(stack, mq.data, name)
        code, out, err = mq("runmqsc", "-f", str(script), name)
        assert (code, err) == (0, ""), [line for line in out.splitlines() if re.match(r"AMQ\d{4}E", line)]
        assert said(dumped(mq, name, *words)) == said(first)
        # Again, on what is there now
        code, out, err = mq("runmqsc", "-f", str(script), name)
        assert (code, err) == (0, ""), out
        assert said(dumped(mq, name, *words)) == said(first)
        with libremq.connect(f"local:{name}?data={mq.data}") as qm:
            [tea] = qm.mqsc("DISPLAY QLOCAL(TEA) ALL")[0].rows
            assert (tea["maxdepth"], tea["share"], tea["trigger"], tea["trigdata"]) == (7, "NOSHARE", "TRIGGER", "a b")
            [after] = qm.mqsc("DISPLAY QLOCAL(AFTER.THE.DEFAULT) MAXDEPTH")[0].rows
            assert after["maxdepth"] == 5000
            assert qm.mqsc("DISPLAY QLOCAL(AS.THE.DEFAULT) MAXDEPTH")[0].rows[0]["maxdepth"] == 4444


def test_a_queue_manager_as_it_was_made(mq: Commands) -> None:
    """It has no authority records, and here not even rules for channels."""
    with ExitStack() as stack:
        made = fresh(stack, mq.data, "QM4")
        with libremq.connect(made.url("local")) as qm:
            supplied = list(channel_rules(qm))
            assert supplied
            for rule in supplied:
                [answer] = qm.mqsc(f"{rule.head} {rule.parameters[0]} ACTION(REMOVEALL)")
                assert answer.state == "done", answer
            assert not list(channel_rules(qm))
        assert dumped(mq, "QM4", "-o", "setmqaut") == []
        assert kinds(dumped(mq, "QM4")) >= {"ALTER QMGR", "DEFINE QLOCAL"}
        assert not kinds(dumped(mq, "QM4")) & {"SET CHLAUTH", "SET AUTHREC"}


def test_there_are_no_secrets_and_nothing_that_is_gone_tomorrow(mq: Commands) -> None:
    for words in ((), ("-a",), ("-o", "1line"), ("--json", "-a"), ("-o", "setmqaut")):
        text = "\n".join(dumped(mq, "QM1", *words))
        assert SECRET not in text
        assert "PASSWORD(" not in text
        assert "LDAPPWD(" not in text
        assert "TEMPORARY." not in text
        assert "two\nlines" not in text


def test_the_form(mq: Commands) -> None:
    lines = dumped(mq, "QM1", "-n", "TEA", "-t", "queue")
    assert lines[0] == lines[5] == "*" * 79
    assert "* Queue manager name: QM1" in lines
    assert "* Options: -x all -t queue -n TEA" in lines
    assert lines[6] == "DEFINE QLOCAL('TEA') +"
    assert all(line.startswith("   ") and line.endswith(" +") for line in lines[7:-1])
    assert "   MAXDEPTH(7) +" in lines
    assert "   NOSHARE +" in lines
    assert lines[-1] == "   REPLACE"
    assert len(dumped(mq, "QM1", "-n", "TEA", "-t", "q", "-a")) > len(lines)
    [line] = said(dumped(mq, "QM1", "-n", "lower.case", "-t", "q", "-o", "1line"))
    assert line == "DEFINE QLOCAL('lower.case') DESCR(' ') MAXDEPTH(5000) PUT(DISABLED) REPLACE"
    shown = [json.loads(one) for one in dumped(mq, "QM1", "-n", "TEA", "-t", "q", "--json")]
    assert [one["command"].split(" ")[1] for one in shown] == ["QLOCAL('TEA')"]


def heads(lines: list[str]) -> set[str]:
    return {" ".join(line.split()[:2]) for line in said(lines) if line[:1] != " "}


def kinds(lines: list[str]) -> set[str]:
    return {re.sub(r"\(.*", "", head) for head in heads(lines)}


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("-t", "qmgr"), {"ALTER QMGR"}),
        (("-t", "queue"), {"DEFINE QLOCAL", "DEFINE QALIAS", "DEFINE QREMOTE", "DEFINE QMODEL"}),
        (("-t", "nl"), {"DEFINE NAMELIST"}),
        (("-t", "namelist"), {"DEFINE NAMELIST"}),
        (("-t", "prcs"), {"DEFINE PROCESS"}),
        (("-t", "channel"), {"DEFINE CHANNEL"}),
        (("-t", "chl"), {"DEFINE CHANNEL"}),
        (("-t", "authinfo"), {"DEFINE AUTHINFO"}),
        (("-t", "lstr"), {"DEFINE LISTENER"}),
        (("-t", "srvc"), {"DEFINE SERVICE"}),
        (("-t", "comminfo"), {"DEFINE COMMINFO"}),
        (("-t", "top"), {"DEFINE TOPIC"}),
        (("-t", "sub"), set()),
        (("-x", "sub"), set()),
        (("-x", "chlauth"), {"SET CHLAUTH"}),
        (("-x", "authrec"), {"SET AUTHREC"}),
        (("-x", "object", "-n", "A.*"), {"DEFINE CHANNEL"}),
        (("-x", "object", "-n", "A.*", "-s", "7"), {"DEFINE CHANNEL", "RESET CHANNEL"}),
        (("-x", "object", "-n", "A.*", "-s", "7", "-q", "SYSTEM.DEFAULT.MODEL.QUEUE", "-w", "50"),
         {"DEFINE CHANNEL", "RESET CHANNEL"}),
        (("-t", "queue", "-n", "TEA", "-s", "7"), {"DEFINE QLOCAL"}),
        (("-n", "NO.SUCH", "-x", "object", "-t", "queue"), set()),
    ],
)
def test_what_is_asked_for_is_dumped(mq: Commands, words: tuple[str, ...], found: set[str]) -> None:
    assert kinds(dumped(mq, "QM1", *words)) == found


def test_sequence_numbers_are_set_for_channels_that_send(mq: Commands) -> None:
    lines = dumped(mq, "QM1", "-t", "channel", "-s", "7", "-o", "1line")
    resets = [line for line in lines if line.startswith("RESET")]
    assert resets == [f"RESET CHANNEL('{name}') SEQNUM(7)" for name in ("A.CLUSSDR", "A.SDR", "A.SVR")]
    for flag, value in (("-s", "0"), ("-s", "x"), ("-s", "1000000000"), ("-w", "0"), ("-w", "²")):
        assert mq.bad("dmpmqcfg", "-m", "QM1", flag, value)[0] == 20


def test_a_question_for_a_password_is_not_in_the_dump(mq: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\n")))
    code, script, asked = mq("dmpmqcfg", "-m", "QM1", "-t", "qmgr", "-u", getpass.getuser())
    assert (code, script[:4], asked.split(":")[0]) == (0, "****", "Enter password")


def test_names_that_are_asked_for(mq: Commands) -> None:
    found = heads(dumped(mq, "QM1", "-n", "ALIAS*", "-t", "q"))
    assert found == {"DEFINE QALIAS('ALIAS')", "DEFINE QALIAS('ALIAS.TOPIC')"}
    rules = said(dumped(mq, "QM1", "-n", "A.SVRCONN", "-x", "chlauth", "-o", "1line"))
    assert {line.split()[1] for line in rules} == {"CHLAUTH('A.SVRCONN')"}
    records = said(dumped(mq, "QM1", "-n", "TEA", "-x", "authrec", "-o", "1line"))
    assert all("PROFILE('TEA')" in line for line in records)
    assert records


def test_a_name_is_only_a_name(mq: Commands) -> None:
    """No command can be hidden in it."""
    code, out, err = mq("dmpmqcfg", "-m", "QM1", "-n", "X') ; DELETE QLOCAL('INIT", "-t", "queue")
    assert kinds(out.splitlines()) == set()
    assert (code, "Traceback" in err) in ((0, False), (20, False))
    assert heads(dumped(mq, "QM1", "-n", "INIT", "-t", "q")) == {"DEFINE QLOCAL('INIT')"}


def test_the_lines_for_setmqaut_give_the_same_authorities(mq: Commands) -> None:
    lines = dumped(mq, "QM1", "-o", "setmqaut")
    assert all(line.startswith("setmqaut -m QM1 ") for line in lines)
    name = "QM3"
    with ExitStack() as stack:
        made = fresh(stack, mq.data, name)
        with libremq.connect(made.url("local")) as qm:  # setmqaut wants the object that is called by its full name
            qm.mqsc("DEFINE QLOCAL(TEA)\nDEFINE CHANNEL(SELF) CHLTYPE(RCVR)")
        for line in lines:
            mq.good(*shlex.split(line.replace("-m QM1", f"-m {name}")))
        again = dumped(mq, name, "-o", "setmqaut")
        assert sorted(line.replace(f"-m {name}", "-m QM1") for line in again) == sorted(lines)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("-m", "NO.SUCH"), "NO.SUCH"),
        (("-m", "QM1", "-t", "what"), "usage"),
        (("-m", "QM1", "-x", "what"), "usage"),
        (("-m", "QM1", "-o", "what"), "usage"),
        (("QM1",), "usage"),
    ],
)
def test_what_does_not_work(mq: Commands, words: tuple[str, ...], text: str) -> None:
    code, err = mq.bad("dmpmqcfg", *words)
    assert code == 20
    assert text in err
    assert "Traceback" not in err


def test_silence(mq: Commands) -> None:
    assert mq("dmpmqcfg", "-m", "NO.SUCH", "-z") == (20, "", "")


@pytest.mark.parametrize(
    "words", [("-r", "QM1"), ("-q", "SYSTEM.DEFAULT.MODEL.QUEUE"), ("-a", "-r", "QM1")], ids=" ".join
)
def test_a_dump_by_messages_to_the_command_server_is_the_same(mq: Commands, words: tuple[str, ...]) -> None:
    every = [word for word in words if word == "-a"]
    assert said(dumped(mq, "QM1", *words)) == said(dumped(mq, "QM1", *every))
    assert dumped(mq, "QM1", *words, "-o", "setmqaut") == dumped(mq, "QM1", "-o", "setmqaut")


def test_a_reply_queue_that_is_no_model(mq: Commands) -> None:
    code, text = mq.bad("dmpmqcfg", "-m", "QM1", "-q", "NOBODY")
    assert (code, "NOBODY" in text) == (20, True)


def test_a_dump_over_a_channel_that_is_given_as_a_command(mq: Commands, tmp_path: Path) -> None:
    with served_queue_manager("QM7", folder=tmp_path / "elsewhere") as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local("ONLY.HERE")
        channel = f"DEFINE CHANNEL(SYSTEM.DEF.SVRCONN) CHLTYPE(CLNTCONN) CONNAME('127.0.0.1({served.port})')"
        lines = mq.good("dmpmqcfg", "-m", "QM7", "-c", channel, "-t", "queue", "-n", "ONLY.*", "-o", "1line")
        assert [line for line in said(lines) if "ONLY.HERE" in line]
    code, text = mq.bad("dmpmqcfg", "-m", "QM7", "-c", "DEFINE CHANNEL(A) CHLTYPE(SDR) CONNAME(here) XMITQ(X)")
    assert (code, "CHLTYPE(CLNTCONN)" in text) == (20, True)
    code, text = mq.bad("dmpmqcfg", "-m", "QM7", "-c", "DEFINE NONSENSE")
    assert code == 20


def test_policies_and_the_lines_for_ibm_i(mq: Commands) -> None:
    assert said(dumped(mq, "QM1", "-x", "policy")) == []
    lines = dumped(mq, "QM1", "-o", "grtmqmaut")
    assert len(lines) == len(dumped(mq, "QM1", "-o", "setmqaut"))
    tea = next(line for line in lines if "OBJ('TEA')" in line and "USER('staff')" in line)
    assert tea.startswith("GRTMQMAUT OBJ('TEA') OBJTYPE(*Q) USER('staff') AUT(")
    assert {"*ADMCHG", "*ADMDLT", "*ADMDSP", "*ADMCLR"} <= set(tea.partition("AUT(")[2].partition(")")[0].split())
    assert tea.endswith(" MQMNAME('QM1')")


def test_a_dump_over_a_channel_with_tls(mq: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = tmp_path / "tls"
    mq("tls", "init", "--folder", str(keys), "--qmgr", "QM7", "--client", "app")
    own, trusted = str(keys / "QM7" / "cert.pem"), str(keys / "QM7" / "trust.pem")
    context = tls_context.server_context(own, ca=trusted)
    with served_queue_manager("QM7", folder=tmp_path / "elsewhere", tls=lambda: context) as served:
        with libremq.connect(served.url("local")) as qm:
            qm.define_local("ONLY.HERE")
            qm.mqsc("DEFINE CHANNEL(SAFE) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) SSLCAUTH(REQUIRED)")
        channel = f"DEFINE CHANNEL(SAFE) CHLTYPE(CLNTCONN) CONNAME('localhost({served.port})')"
        words = ("dmpmqcfg", "-m", "QM7", "-t", "queue", "-n", "ONLY.*", "-o", "1line", "-c")
        assert mq.bad(*words, channel)[0] == 20
        monkeypatch.setenv("MQSSLKEYR", str(keys / "app"))
        lines = mq.good(*words, f"{channel} SSLCIPH(ANY_TLS12_OR_HIGHER) SSLPEER('CN=QM7')")
        assert [line for line in said(lines) if "ONLY.HERE" in line]
        code, text = mq.bad(*words, f"{channel} SSLCIPH(ANY_TLS12_OR_HIGHER) SSLPEER('CN=QM9')")
        assert (code, "CN=QM9" in text) == (20, True)
