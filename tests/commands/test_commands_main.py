"""The `libremq` command line: what it prints, and that nothing a user types ends in a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import libremq
from libremq.commands import main
from libremq.commands.exit_codes import ExitCode
from libremq.common.release import release


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        code = main.main(words)
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_mqrc_explains_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "mqrc", "2085")
    assert (code, err) == (0, "")
    assert out == (
        "2085  0x00000825  MQRC_UNKNOWN_OBJECT_NAME\n"
        "  Comes with: MQCC_FAILED\n"
        "  Means: No object of that name is defined.\n"
        "  Do:    Define it, or correct the name.\n"
    )


@pytest.mark.parametrize("asked", ["MQRC_UNKNOWN_OBJECT_NAME", "unknown_object_name", "0x00000825"])
def test_mqrc_takes_names_and_hexadecimal(capsys: pytest.CaptureFixture[str], asked: str) -> None:
    code, out, _ = run(capsys, "mqrc", asked)
    assert code == 0
    assert out.startswith("2085  ")


def test_mqrc_takes_several_codes(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "mqrc", "2033", "2224")
    assert code == 0
    assert "MQRC_NO_MSG_AVAILABLE" in out
    assert "\n\n2224  0x000008b0  MQRC_Q_DEPTH_HIGH\n  Means:" in out


def test_mqrc_of_an_unknown_code_suggests_names(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "mqrc", "unknwn_object_name", "2033", "99999")
    assert code == 1
    assert "MQRC_NO_MSG_AVAILABLE" in out
    assert "no reason code 'unknwn_object_name'. Did you mean MQRC_UNKNOWN_OBJECT_NAME" in err
    assert "no reason code '99999'.\n" in err


def test_mqrc_explains_a_message(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "mqrc", "AMQ8147", "amq8147e", "8147")
    assert (code, err) == (1, "libremq mqrc: no reason code '8147'.\n")
    one, again = out.rstrip("\n").split("\n\n")
    assert one == again
    assert one.startswith(
        "AMQ8147E: LibreMQ object <insert 1> not found.\n"
        "  Severity: Error\n"
        "  Means: There is no object of that name and type.\n"
        "  Do:    Look for the name with DISPLAY"
    )


def test_mqrc_of_an_unknown_message_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "mqrc", "AMQ0001") == (1, "", "libremq mqrc: no message 'AMQ0001'.\n")


def test_mqrc_speaks_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "mqrc", "--json", "2085", "AMQ8006", "NOPE")
    reason, message = json.loads(out)
    assert code == 1
    assert (reason["code"], reason["name"], reason["completion"]) == (2085, "MQRC_UNKNOWN_OBJECT_NAME", ["MQCC_FAILED"])
    assert (message["id"], message["severity"]) == ("AMQ8006I", "Information")
    assert message["text"] == "LibreMQ queue created."


@pytest.mark.parametrize(
    "words",
    [["nope"], ["mqrc"], ["mqrc", "--nope"], ["--nope"], ["mqrc", ""], ["mqrc", "\udcff\0"], ["mqrc", "x" * 9999]],
)
def test_bad_input_is_a_message_and_an_exit_code(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    code, _, err = run(capsys, *words)
    assert code in (1, 2)
    assert err.startswith(("libremq", "usage: libremq"))


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--version")
    assert code == 0
    assert out == f"libremq {release()}\n"
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert "mqrc" in out
    assert run(capsys) == (0, out, "")


def test_the_installation_is_the_folder_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "dspmqver", "-f", "512", "-b")[1] == f"{Path(libremq.__file__).resolve().parent}\n"


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    # head reads one line and closes the pipe; all reasons together are far more than a pipe buffer holds.
    codes = [str(code) for code in range(2001, 2605)] * 2
    writer = subprocess.Popen(
        [sys.executable, "-m", "libremq.commands.main", "mqrc", *codes], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert writer.stdout is not None
    assert writer.stderr is not None
    writer.stdout.readline()
    writer.stdout.close()
    errors = writer.stderr.read().decode()
    writer.stderr.close()
    assert writer.wait() == 1
    assert "Traceback" not in errors
    assert "Exception ignored" not in errors


def test_closed_standard_files_are_no_traceback() -> None:
    script = 'exec "$0" -m libremq.commands.main mqrc 2085 >&- <&-'
    ran = subprocess.run(["/bin/sh", "-c", script, sys.executable], stderr=subprocess.PIPE, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("srtmqm", "libremq: 'srtmqm' is no command. Did you mean strmqm? libremq --help lists them.\n"),
        ("xyzzy", "libremq: 'xyzzy' is no command. libremq --help lists them.\n"),
    ],
)
def test_a_word_that_is_no_command_is_answered_in_one_line(
    typed: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, typed, "QM1") == (2, "", said)


def test_a_word_too_many_is_explained_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main.main(["dspmq", "--nonsense"])
    assert caught.value.code == ExitCode.ARGUMENTS
    told = capsys.readouterr().err
    assert told.startswith("usage: libremq dspmq ") and "libremq dspmq: error: unrecognized arguments" in told


def test_what_is_missing_is_named_and_what_says_more(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main.main(["link-commands"])
    assert capsys.readouterr().err.splitlines()[1:] == [
        "libremq link-commands: error: the following arguments are required: DIR",
        "libremq link-commands --help says more.",
    ]
