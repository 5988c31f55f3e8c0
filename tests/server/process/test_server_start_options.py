"""What a queue manager is started with: addresses, the options between processes, limits, the files that tell of it."""

from __future__ import annotations

import json
import os
import resource
from dataclasses import replace
from pathlib import Path

import pytest

from libremq.common.configuration import ChannelSettings, Configuration
from libremq.common.files import queue_manager_files
from libremq.log import statistics_file
from libremq.server.net import limits
from libremq.server.net.limits import server_limits
from libremq.server.process import controller, run_state
from libremq.server.process.run_state import EndState, RunState
from libremq.server.process.start_options import HostPort, ServerOptions, parse_host_port
from libremq.server.process.start_progress import ProgressReader, ProgressWriter, StartFailure


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1414", HostPort("127.0.0.1", 1414)),
        ("*:0", HostPort("", 0)),
        ("0.0.0.0:65535", HostPort("0.0.0.0", 65535)),
        ("mq.example.org:1415", HostPort("mq.example.org", 1415)),
        ("[::1]:1414", HostPort("::1", 1414)),
    ],
)
def test_addresses(text: str, meant: HostPort) -> None:
    assert parse_host_port(text) == meant
    assert parse_host_port(str(meant)) == meant


@pytest.mark.parametrize(
    "text",
    ["", ":1414", "host:", "host:65536", "host:-1", "::1:1414", "a b:1", "host:1e3", "host:\u0663", "h\n:1", "x" * 99],
)
def test_no_addresses(text: str) -> None:
    with pytest.raises(ValueError):
        parse_host_port(text)


def test_options_travel() -> None:
    options = ServerOptions("QM1", "/data/ü", (HostPort("::1", 0), HostPort("", 1414)), True, 9.5, 4711)
    assert ServerOptions.loads(options.dumps()) == options


# ---- limits ----


def settings(channels: int = 0, active: int = 0) -> Configuration:
    return Configuration(channels=ChannelSettings(channels, active))


@pytest.mark.parametrize(
    ("configured", "files", "memory", "links"),
    [
        (settings(), 1 << 20, 64 << 30, limits.LINKS_MAX),
        (settings(), 1024, 64 << 30, 768),
        (settings(), 100, 64 << 30, 75),
        (settings(), 1 << 20, 64 << 20, 512),
        (settings(), 1 << 20, 0, limits.LINKS_MAX),
        (settings(), 8, 1, limits.LINKS_MIN),
        (settings(50), 1 << 20, 64 << 30, limits.LINKS_MAX),
        (settings(50, 20), 1 << 20, 64 << 30, limits.LINKS_MAX),
        (settings(0, 20), 1024, 64 << 30, 768),
        (settings(60_000), 1 << 20, 64 << 30, 60_000),
    ],
)
def test_how_many_sockets(configured: Configuration, files: int, memory: int, links: int) -> None:
    found = server_limits(configured, files, memory)
    assert (found.links_max, found.warnings) == (links, ())
    assert found.connections_max >= links
    assert 0 < found.buffer_bytes_max <= limits.BUFFER_BYTES_MAX


def test_a_wish_that_cannot_be_fulfilled_is_answered() -> None:
    found = server_limits(settings(5000), 1024, 64 << 30)
    assert found.links_max == 768
    (warning,) = found.warnings
    assert warning.startswith("AMQ9590W: 5000 channels are more") and "768, because of its open files" in warning
    assert "because of its memory" in server_limits(settings(5000), 1 << 20, 64 << 20).warnings[0]


def test_open_files_are_raised_to_the_hard_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
        found = limits.raise_open_files()
        assert found == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        assert hard == resource.RLIM_INFINITY or found == hard
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_memory_is_known_here() -> None:
    assert limits.memory_bytes() > 16 << 20


# ---- run.json and end.json ----

STATE = RunState("QM1", os.getpid(), 2, "Running", 3.5, "0.1.0", (1414,), ("*:1414",), "/s", "/c", 9)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    folder = str(tmp_path)
    assert (run_state.load_run(folder), run_state.load_end(folder)) == (None, None)
    run_state.save_run(folder, STATE)
    run_state.save_end(folder, EndState(7, "Ended normally", 1.5))
    assert run_state.load_run(folder) == STATE
    assert run_state.load_end(folder) == EndState(7, "Ended normally", 1.5)
    assert sorted(os.listdir(folder)) == ["end.json", "run.json"]


def test_a_run_file_counts_only_with_the_lock(tmp_path: Path) -> None:
    from libremq.common.files.file_layer import RealFiles

    folder = str(tmp_path)
    run_state.save_run(folder, STATE)
    assert run_state.current_run(folder) is None
    lock = RealFiles().lock(f"{folder}/{queue_manager_files.LOCK}")
    assert run_state.current_run(folder) == STATE
    run_state.save_run(folder, replace(STATE, process_id=os.getpid() * 10))  # left by another one, long dead
    assert run_state.current_run(folder) is None
    lock.release()


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"format": "libremq run", "version": 2}', "[" * 9999])
def test_a_file_that_makes_no_sense_is_none(tmp_path: Path, content: str) -> None:
    for name in (run_state.RUN_FILE, run_state.END_FILE):
        (tmp_path / name).write_text(content)
    assert run_state.load_run(str(tmp_path)) is None
    assert run_state.load_end(str(tmp_path)) is None
    run_state.forget_run(str(tmp_path))
    assert not (tmp_path / run_state.RUN_FILE).exists()


def test_a_state_that_lacks_something_is_none(tmp_path: Path) -> None:
    run_state.save_run(str(tmp_path), STATE)
    path = tmp_path / run_state.RUN_FILE
    good = json.loads(path.read_text())
    path.write_text(json.dumps({**good, "ports": None}))
    assert run_state.load_run(str(tmp_path)) is None
    for field in good:
        path.write_text(json.dumps({name: value for name, value in good.items() if name != field}))
        assert run_state.load_run(str(tmp_path)) is None


def test_names_that_are_known_twice_agree() -> None:
    assert controller.STATISTICS_FILE == statistics_file.FILE_NAME


# ---- progress ----


def test_progress_passes_through_a_pipe() -> None:
    reading, writing = os.pipe()
    writer, reader = ProgressWriter(writing), ProgressReader()
    writer.say("Grüße\n" + "x" * 9000)
    writer.ready()
    writer.failed(StartFailure("no room", 2105, "OSError", 28))
    writer.close()
    data = os.read(reading, 1 << 16)
    os.close(reading)
    said = [text for at in range(0, len(data), 7) for text in reader.feed(data[at : at + 7])]
    assert len(said) == 1 and said[0].startswith("Grüße\nxxx")
    assert reader.is_ready
    assert reader.failure == StartFailure("no room", 2105, "OSError", 28)


def test_progress_that_nobody_reads_stops_nobody() -> None:
    reading, writing = os.pipe()
    writer = ProgressWriter(writing)
    for _ in range(200):
        writer.say("x" * 3000)  # more than a pipe holds
    os.close(reading)
    writer.ready()
    writer.close()
    writer.close()
    ProgressWriter(-1).say("to nobody")


@pytest.mark.parametrize(
    "data", [b"\n\n", b"nonsense\n", b"[1]\n", b'{"failed": 3}\n', b"5\n", b"\xff\n", b"x" * 200_000]
)
def test_whatever_comes_in_the_pipe_is_only_text(data: bytes) -> None:
    reader = ProgressReader()
    assert reader.feed(data) == []
    assert reader.feed(b'\n{"say": "fine"}\n') == ["fine"]
    assert (reader.is_ready, reader.failure) == (False, None)
