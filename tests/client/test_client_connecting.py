"""connect(): URLs, sharing in one process, one process at a time, and the end.

Tests with URLs of their own are about the embedded binding: its folder, its lock, its process and the children of that.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from client_starting import Start

import libremq
from libremq import QueueManager
from libremq.client import urls
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.testing import FaultyFiles, temporary_queue_manager

SMALL = LogConfig(file_pages=64)


def url_in(folder: Path, name: str = "QM1", create: bool = True) -> str:
    return f"embedded:{name}?data={quote(str(folder))}" + ("&create=1" if create else "")


def python(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=240,
        check=False,
    )


@pytest.mark.parametrize(
    ("url", "reason", "says"),
    [
        ("QM1", C.MQRC_Q_MGR_NAME_ERROR, "embedded:QM1"),
        ("tcp:QM1", C.MQRC_Q_MGR_NAME_ERROR, "'tcp' is no binding"),
        ("embedded://QM1", C.MQRC_Q_MGR_NAME_ERROR, "embedded:QM1"),
        ("embedded:", C.MQRC_Q_MGR_NAME_ERROR, "embedded:QM1"),
        ("embedded:QM 1", C.MQRC_Q_MGR_NAME_ERROR, "not a queue manager name"),
        ("embedded:" + "X" * 49, C.MQRC_Q_MGR_NAME_ERROR, "not a queue manager name"),
        ("embedded:../../etc/passwd!", C.MQRC_Q_MGR_NAME_ERROR, "not a queue manager name"),
        ("embedded:QM1?colour=red", C.MQRC_OPTIONS_ERROR, "unknown key 'colour'"),
        ("embedded:QM1?create=perhaps", C.MQRC_OPTIONS_ERROR, "create=1"),
        ("embedded:QM1?create=1&create=0", C.MQRC_OPTIONS_ERROR, "one value"),
        ("embedded:QM1?data=", C.MQRC_OPTIONS_ERROR, "one value"),
        ("embedded:QM1?&", C.MQRC_OPTIONS_ERROR, "key=value"),
    ],
)
def test_a_bad_url_says_what_to_write(url: str, reason: int, says: str) -> None:
    with pytest.raises(libremq.MQError) as caught:
        libremq.connect(url)
    assert caught.value.reason == reason
    assert caught.value.comp_code == C.MQCC_FAILED
    assert says in str(caught.value)


def test_a_url_that_is_no_text_is_a_type_error() -> None:
    with pytest.raises(TypeError) as caught:
        libremq.connect(None)  # type: ignore[arg-type]
    assert isinstance(caught.value, libremq.MQError)


def test_the_name_of_a_queue_manager_never_leaves_the_data_folder(tmp_path: Path) -> None:
    address = urls.parse(f"embedded:..%2F..%2FQM.1?data={quote(str(tmp_path))}")
    assert address.name == "../../QM.1"
    assert Path(address.folder).parent == tmp_path / "qmgrs"


def test_data_goes_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBREMQ_DATA", str(tmp_path / "here"))
    with libremq.connect("embedded:QM1?create=1", log_config=SMALL) as qm:
        assert Path(qm.folder) == tmp_path / "here" / "qmgrs" / "QM1"
        assert Path(qm.folder).is_dir()


def test_without_a_word_data_goes_into_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIBREMQ_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert urls.parse("embedded:QM1").folder == str(tmp_path / ".libremq" / "qmgrs" / "QM1")


def test_what_is_not_there_is_made_only_when_asked(tmp_path: Path) -> None:
    with pytest.raises(libremq.QueueManagerNotAvailable) as caught:
        libremq.connect(url_in(tmp_path, create=False))
    assert caught.value.reason == C.MQRC_Q_MGR_NAME_ERROR
    assert "?create=1" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_create_opens_what_is_there_already(tmp_path: Path) -> None:
    with libremq.connect(url_in(tmp_path), log_config=SMALL) as qm:
        qm.define_local("Q")
        qm.put("Q", "kept", persistent=True)
        qm.put("Q", "lost")
    with libremq.connect(url_in(tmp_path)) as qm:
        assert [message.text for message in qm.queue("Q")] == ["kept"]


def test_two_connections_in_one_process_share_the_queue_manager(queue_manager: QueueManager) -> None:
    first = queue_manager
    second = libremq.connect(first.url)
    first.define_local("Q")
    second.put("Q", "over")
    assert first.queue("Q").get().text == "over"
    first.close()
    second.put("Q", "still there")
    assert second.queue("Q").get().text == "still there"
    second.close()
    with pytest.raises(libremq.HandleError):
        second.put("Q", "gone")


def test_the_last_one_out_ends_it_so_that_another_process_can_open_it(tmp_path: Path) -> None:
    script = "import sys, libremq\nwith libremq.connect(sys.argv[1]) as qm: print(qm.queue('Q').get().text)"
    with libremq.connect(url_in(tmp_path), log_config=SMALL) as qm:
        qm.define_local("Q", defpsist="yes")
        qm.put("Q", "hand over")
        refused = python(script, url_in(tmp_path))
    assert refused.returncode == 1
    assert "QueueManagerNotAvailable" in refused.stderr
    assert f"MQRC_Q_MGR_NOT_AVAILABLE (2059) QM1: process {os.getpid()} (" in refused.stderr
    assert "has the queue manager in" in refused.stderr
    allowed = python(script, url_in(tmp_path))
    assert allowed.stdout == "hand over\n", allowed.stderr


def test_a_program_that_forgets_to_close_ends_it_in_good_order(tmp_path: Path) -> None:
    script = """
import sys, libremq
qm = libremq.connect(sys.argv[1])
qm.define_local("Q")
qm.queue("Q").put("kept", persistent=True)
transaction = qm.transaction()
transaction.__enter__()
qm.queue("Q").put("never committed", persistent=True)
"""
    ended = python(script, url_in(tmp_path))
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    said: list[str] = []
    with libremq.connect(url_in(tmp_path), say=said.append) as qm:
        assert [message.text for message in qm.queue("Q")] == ["kept"]
    assert said[0] == "LibreMQ queue manager 'QM1' starting."
    assert said[-1] == "LibreMQ queue manager 'QM1' started."


def test_a_child_made_by_fork_does_not_touch_the_queue_manager_of_its_parent(tmp_path: Path) -> None:
    script = """
import os, sys, libremq
qm = libremq.connect(sys.argv[1])
qm.define_local("Q", defpsist="yes")
queue = qm.queue("Q")
queue.put("before")
child = os.fork()
if child == 0:
    seen = []
    for attempt in (lambda: queue.put("from the child"), lambda: libremq.connect(sys.argv[1])):
        try:
            attempt()
            seen.append("worked")
        except libremq.MQError as error:
            seen.append(type(error).__name__)
    qm.close()
    print(seen, flush=True)
    os._exit(0)
os.waitpid(child, 0)
queue.put("after")
print([message.text for message in queue])
"""
    ran = python(script, url_in(tmp_path))
    assert ran.stdout == "['ConnectionBroken', 'QueueManagerNotAvailable']\n['before', 'after']\n", ran.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to a read-only folder")
def test_a_read_only_folder_is_refused_with_the_folder_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(libremq.MQError, match=str(tmp_path)):
            libremq.connect(url_in(tmp_path))
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_in_which_nothing_can_be_made_is_refused_and_left_empty() -> None:
    files = FaultyFiles()
    files.make_folder("data")
    files.read_only("data")
    with pytest.raises(libremq.MQError, match="data"):
        temporary_queue_manager(files=files).__enter__()
    assert files.list("data") == []


def test_a_folder_that_cannot_be_locked_is_refused_and_keeps_its_messages() -> None:
    files = FaultyFiles()
    with temporary_queue_manager(files=files) as qm:
        qm.define_local("Q")
        qm.put("Q", "kept", persistent=True)
    files.fail("lock", error=PermissionError(errno.EACCES, "Permission denied", "data/qm.lock"))
    with pytest.raises(libremq.QueueManagerNotAvailable, match="Permission denied"):
        temporary_queue_manager(files=files).__enter__()
    with temporary_queue_manager(files=files) as qm:  # it failed once only
        assert qm.queue("Q").get().text == "kept"


def test_a_file_where_the_folder_should_be_is_refused_and_left_alone(tmp_path: Path) -> None:
    blocked = tmp_path / "qmgrs"
    blocked.write_text("not a folder")
    with pytest.raises(libremq.MQError) as caught:
        libremq.connect(url_in(tmp_path))
    assert str(blocked) in str(caught.value)
    assert blocked.read_text() == "not a folder"


def test_foreign_files_in_the_folder_are_refused_and_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "qmgrs" / "QM1"
    folder.mkdir(parents=True)
    (folder / "thesis.tex").write_text("chapter one")
    with pytest.raises(libremq.ObjectExists, match="choose another folder"):
        libremq.connect(url_in(tmp_path))
    assert [path.name for path in folder.iterdir()] == ["thesis.tex"]


def test_everything_after_close_is_refused(queue_manager: QueueManager) -> None:
    qm = queue_manager
    qm.define_local("Q")
    queue = qm.queue("Q")
    queue.put("x")
    qm.close()
    qm.close()  # once more does nothing
    assert qm.closed
    for attempt in (
        lambda: queue.put("x"),
        queue.get,
        lambda: queue.depth,
        lambda: list(queue.browse()),
        lambda: qm.put("Q", "x"),
        lambda: qm.define_local("R"),
        lambda: qm.display("qlocal"),
        lambda: qm.transaction().__enter__(),
        lambda: qm.statistics(),
        lambda: qm.mqi,
        lambda: qm.in_doubt(),
    ):
        with pytest.raises(libremq.HandleError) as caught:
            attempt()
        assert caught.value.reason == C.MQRC_HCONN_ERROR
    queue.close()


def test_messages_say_who_put_them(start: Start) -> None:
    with start() as admin:
        admin.define_local("Q")
        with libremq.connect(admin.url, user="alice", application="shop") as qm:
            qm.put("Q", "x")
            message = qm.queue("Q").get()
    assert (message.user, message.application) == ("alice", "shop")


def test_importing_the_package_loads_nothing_of_it() -> None:
    script = """
import sys, libremq
print(sorted(name for name in sys.modules if name.startswith("libremq")))
libremq.MQError
print("libremq.kernel" in sys.modules)
"""
    assert python(script).stdout == "['libremq']\nFalse\n"


def test_what_is_loaded_with_the_first_names() -> None:
    """There is no kernel before it is known where to connect to, no TLS embedded, no asyncio for who blocks."""
    script = """
import sys
from libremq import MQError, connect
rest = ("asyncio", "lark", "multiprocessing", "rich", "ssl", "uvloop")
print(*[name for name in sys.modules if name in rest or name.startswith(("libremq.kernel.", "libremq.wire."))])
from libremq.client.queue_manager import QueueManager
from libremq.host.embedded import EmbeddedQueueManager
print(*[name for name in sys.modules if name in rest])
import libremq.aio
print("asyncio" in sys.modules)
"""
    assert python(script).stdout == "\n\nFalse\n"


def test_every_public_name_is_there() -> None:
    for name in libremq.__all__:
        assert getattr(libremq, name).__name__ == name
    assert set(libremq.__all__) <= set(dir(libremq))
    with pytest.raises(AttributeError):
        _ = libremq.nonsense
