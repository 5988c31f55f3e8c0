"""The command: listing, help, a session as people see it, files, JSON, and errors of one line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from libremq.commands.main import main
from libremq.pipeline.planner.plan_catalogue import PLANS

SESSION = """\
A recovery that runs: when it will end, from two progress messages (plan progress)

The phase ends 288.1 seconds (4.801 minutes) after the later message, at 2.104 MB/s.

Inputs
  earlier_rba      00003E022000             command line  address in the earlier progress message (CSQR031I, CSQR033I)
  later_rba        00002E39A11D             command line  address in the later progress message
  seconds_between  120 seconds (2 minutes)  command line  time between the two progress messages
  end_rba          000008561B58             command line  address at which the phase ends (CSQR030I, CSQR032I)

How it was worked out
  1. How fast it goes: 2,206,649 bytes/s
       rate = recovery_bytes_per_second(earlier_rba, later_rba, seconds_between)
         [R-RST-06 L1587-L1597] recovery_bytes_per_second(earlier_rba, later_rba, seconds_between) =
           apart(earlier_rba, later_rba) / seconds_between, where apart(one, other) = max(one - other, other -
           one)
  2. The same in MB: 2.104 MB/s
       rate_mb = rate / 1048576
  3. Time left after the later message: 288.1 seconds (4.801 minutes)
       left = recovery_seconds_left(earlier_rba, later_rba, seconds_between, end_rba)
         [R-RST-06 L1587-L1597] recovery_seconds_left(earlier_rba, later_rba, seconds_between, end_rba) =
           apart(later_rba, end_rba) * seconds_between / apart(earlier_rba, later_rba), where apart(one,
           other) = max(one - other, other - one)

Margin
  The source states no margin for this: add what your site thinks right.

Watch
  - Tapes that have to be mounted, and archives to be recalled, come on top. [R-RST-06 L1587-L1597]
"""


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["plan", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_session(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(
        capsys,
        *("progress", "--earlier-rba", "3E022000", "--later-rba", "2E39A11D"),
        *("--seconds-between", "120", "--end-rba", "8561B58"),
    )
    assert (code, err) == (0, "")
    assert out == SESSION


def test_without_a_plan_the_plans_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys)
    assert (code, err) == (0, "")
    assert out == said(capsys, "--list")[1]
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(PLANS)


@pytest.mark.parametrize("name", PLANS)
def test_help_of_a_plan_has_its_inputs_and_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["plan", name, "--help"])
    out, err = capsys.readouterr()
    assert (ended.value.code, err) == (0, "")
    assert f"example:\n  libremq plan {name} {PLANS[name].example}" in out
    assert all(each.option in out for each in PLANS[name].inputs)


def test_derived_figures_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = said(capsys, "log", "--message-bytes", "10000", "--messages-per-second", "200")
    assert "[R-LV-03 L806-L819] (derived) put_get_log_bytes(" in out
    assert "[R-LOG-04 L631] log_mb_for_fill_time(" in out
    assert "1. Log data of one message, put and got: 11,750 bytes" in out


def test_json_has_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "log", "--message-bytes", "10000", "--messages-per-second", "200", "--json")
    answer = json.loads(out)
    assert code == 0
    assert (answer["plan"], answer["answer"]["name"], answer["answer"]["unit"]) == ("log", "logs", "active logs")
    assert answer["answer"]["text"].startswith("Define ")
    assert {
        "name": "log_copies",
        "value": 2,
        "unit": "copies",
        "meaning": "active log copies",
        "from": "default",
    } in answer["inputs"]
    first = answer["steps"][0]
    assert (first["value"], first["derived"], first["models"][0]["lines"]) == (11750.0, True, "L806-L819")
    assert first["models"][0]["formula"].startswith("put_get_log_bytes(message_bytes, header_bytes=300) = ")
    left = {step["name"]: step["missing"] for step in answer["steps"] if step["value"] is None}
    assert left["archive_seconds"] == ["archive_mb_per_second"]
    assert answer["margin"]["lines"] == "L5003, L584, L615, L631"
    assert answer["watch"][-1]["source"] == "R-LV-01 L713-L718"


def test_the_command_line_goes_before_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "workload.yaml"
    file.write_text("message_bytes: 3000\nmessages_at_once: 10k\ncipher: ANY\n")
    code, out, _ = said(capsys, "pageset", "--from", str(file), "--messages-at-once", "20k", "--json")
    inputs = {each["name"]: (each["value"], each["from"]) for each in json.loads(out)["inputs"]}
    assert code == 0
    assert inputs["message_bytes"] == (3000.0, "file workload.yaml")
    assert inputs["messages_at_once"] == (20_000.0, "command line")


def test_a_flag_needs_no_word(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("zhyperlink", "--log-ios-per-second", "100", "--json", "--mirrored")
    sessions = [json.loads(said(capsys, *words, *more)[1])["steps"][0]["value"] for more in ((), ("no",))]
    assert sessions == [4, 2]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("lgo", "no plan 'lgo'; did you mean log"),
        ("log", "plan log needs --message-bytes and --messages-per-second, or --log-mb-per-second-peak"),
        ("log --mesage-bytes 5", "plan log: does not know --mesage-bytes; did you mean --message-bytes"),
        ("log --mesage-bytes=5", "plan log: does not know --mesage-bytes=5; did you mean --message-bytes"),
        ("log 5", "plan log: does not know 5; --help lists the options"),
        ("log --message-bytes", "plan log: argument --message-bytes: expected one argument"),
        ("log --message-bytes abc", "message_bytes must be a number of bytes (k, M and G may follow), not 'abc'"),
        ("log --message-bytes -5", "message_bytes must be at least 0, not -5"),
        ("log --log-mb-per-second-peak 1 --log-copies 3", "log_copies must be at most 2, not 3"),
        ("restart", "plan restart needs --log-dataset-mb (size of an active log, MB)"),
        ("tls --channels 5 --cipher ROT13", "cipher must be one of"),
        ("pageset --from missing.yaml", "missing.yaml: cannot be read: No such file"),
        ("pageset --qmgr QM01", "--qmgr says which queue manager to measure, and needs --tables"),
        ("pageset --tables missing", "missing: there are no conformed tables"),
        ("ims --busy-pct 5 --processors 1 --transactions-per-second 0", "no answer: there are no transactions"),
        ("channel --message-bytes \x1b[31m --messages-per-second 1", "message_bytes must be a number"),
    ],
)
def test_what_is_wrong_is_one_line_and_exit_code_2(words: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, *words.split(" "))
    assert (code, out) == (2, "")
    assert told in err
    assert err.startswith("libremq plan: ")
    assert len(err.splitlines()) == 1
    assert "\x1b" not in err


def test_planning_needs_no_spark() -> None:
    program = (
        "import sys\n"
        "for name in ('pyspark', 'pandas', 'pyarrow', 'yaml'): sys.modules[name] = None\n"
        "from libremq.commands.main import main\n"
        "sys.exit(main(['plan', 'log', '--message-bytes', '5000', '--messages-per-second', '200']))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "active logs" in done.stdout


def test_without_spark_tables_say_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "conformed").mkdir()
    program = (
        "import sys\n"
        "for name in ('pyspark', 'pyarrow'): sys.modules[name] = None\n"
        "from libremq.commands.main import main\n"
        "sys.exit(main(['plan', 'log', '--tables', sys.argv[1]]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "libremq plan: --tables needs Spark: pip install 'libremq[pipeline]'\n"
