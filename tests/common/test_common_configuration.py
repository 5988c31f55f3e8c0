"""qm.ini: what each setting may be, what happens outside its range, and that a rewrite keeps what people wrote."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libremq.common import configuration
from libremq.common.configuration import (
    CHANGED_BY_RESTART,
    FIXED_AT_CREATION,
    SETTINGS,
    ChannelSettings,
    Configuration,
    ConfigurationError,
    DiagnosticSettings,
    ErrorLogSettings,
    LogSettings,
    Setting,
    TcpSettings,
    TuningSettings,
    changes,
    load,
    parse,
    save,
)
from libremq.common.files.file_layer import RealFiles
from libremq.testing import FaultyFiles, PowerCut

FOLDER = "/qm"
PATH = f"{FOLDER}/qm.ini"
NUMBERS = [setting for setting in SETTINGS if isinstance(setting.default, int)]
FEWEST = "LogPrimaryFiles=2\n LogSecondaryFiles=1\n"  # so that the sum of extents is never what is too high
BY_KEY = {setting.key: setting for setting in SETTINGS}


def written(text: str) -> FaultyFiles:
    files = FaultyFiles()
    files.make_folder(FOLDER)
    file = files.open(PATH, create=True)
    file.write(0, text.encode("utf-8", "surrogateescape"))
    file.sync()
    files.sync_folder(FOLDER)
    return files


def text_of(files: FaultyFiles) -> str:
    return files.content(PATH).decode("utf-8", "surrogateescape")


# ---- values ----


def test_the_defaults_are_those_of_mq() -> None:
    assert parse("") == Configuration(LogSettings(), TuningSettings()) == Configuration().checked()
    assert Configuration().log == LogSettings(3, 2, 4096, "CIRCULAR", 0, "TripleWrite", "", "Manual", "AUTO", "")
    assert Configuration().tuning == TuningSettings(50_000, 100, 30, 500, 131072, 262144, 0)
    assert (Configuration().tcp, Configuration().error_log) == (TcpSettings(1414, "Yes"), ErrorLogSettings(33_554_432))
    for setting in SETTINGS:
        assert Configuration().value(setting) == setting.default


@pytest.mark.parametrize(
    ("key", "lowest", "highest", "default"),
    [
        ("LogPrimaryFiles", 2, 510, 3),
        ("LogSecondaryFiles", 1, 509, 2),
        ("LogFilePages", 64, 65535, 4096),
        ("LogBufferPages", 18, 4096, 0),
        ("CheckPointLogRecdMax", 1000, 100_000, 50_000),
        ("CheckPointLogRecdMin", 0, 2000, 100),
        ("CheckPointWaitLen", 5, 60, 30),
        ("CheckPointDelay", 0, 10_000, 500),
        ("DefaultQBufferSize", 4096, 104_857_600, 131_072),
        ("MaxChannels", 1, 65535, 0),
        ("MaxActiveChannels", 1, 65535, 0),
        ("PipeLineLength", 1, 2, 1),
        ("MaxInitiators", 1, 3, 3),
        ("Port", 1, 65535, 1414),
        ("Connect_Timeout", 1, 3600, 30),
        ("MaxPendingConnections", 1, 65535, 4000),
        ("MaxPendingPerAddress", 1, 65535, 1000),
        ("ErrorLogSize", 32_768, 2_147_483_648, 33_554_432),
        ("SuppressInterval", 1, 86_400, 30),
        ("DefaultPQBufferSize", 4096, 104_857_600, 262_144),
        ("LogWriteTimeTrap", 0, 3_600_000, 0),
    ],
)
def test_too_high_is_refused_and_too_low_takes_the_default(key: str, lowest: int, highest: int, default: int) -> None:
    setting = BY_KEY[key]
    fewest = FEWEST if setting.stanza == "Log" else ""

    def read(value: int) -> Configuration:
        return parse(f"{setting.stanza}:\n {fewest}{key}={value}\n")

    def value(value: int) -> int:
        return int(read(value).value(setting))

    assert value(lowest) == lowest
    assert value(highest) == highest
    assert value(lowest - 1) == value(-7) == default
    with pytest.raises(ConfigurationError, match=f"{key}={highest + 1} is more than {highest}") as caught:
        value(highest + 1)
    assert ("log size not valid" in str(caught.value)) == (setting.stanza == "Log")
    (warning,) = [text for text in read(-7).warnings if key in text and "given again" not in text]
    assert warning.endswith(f": {key}=-7 is less than {lowest}: the default, {default}, applies")
    assert read(lowest).warnings == tuple(text for text in read(lowest).warnings if "given again" in text)


def test_every_number_has_a_row_in_the_test_above() -> None:
    assert len(NUMBERS) == 21


def test_a_buffer_of_0_pages_is_the_default_and_no_warning() -> None:
    read = parse("Log:\n LogBufferPages=0\n")
    assert (read.log.buffer_pages, read.warnings) == (0, ())


@pytest.mark.parametrize(
    ("key", "given", "meant"),
    [
        ("LogType", "linear", "LINEAR"),
        ("LogType", "Circular", "CIRCULAR"),
        ("LogWriteIntegrity", "singlewrite", "SingleWrite"),
        ("LogWriteIntegrity", "DOUBLEWRITE", "DoubleWrite"),
        ("LogManagement", "automatic", "Automatic"),
        ("LogManagement", "ARCHIVE", "Archive"),
    ],
)
def test_words_mean_the_same_in_any_case(key: str, given: str, meant: str) -> None:
    assert parse(f"Log:\n {key}={given}\n").value(BY_KEY[key]) == meant


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("LogType=SPIRAL", "LogType='SPIRAL' is not known; choose CIRCULAR or LINEAR"),
        ("LogManagement=", "LogManagement='' is not known"),
        ("LogPrimaryFiles=many", "LogPrimaryFiles='many' is not a whole number; choose 2 to 510"),
        ("LogPrimaryFiles=3.5", "is not a whole number"),
        ("LogPrimaryFiles=", "is not a whole number"),
        ("LogPrimaryFiles=1_000", "is not a whole number"),
        ("LogPrimaryFiles=\u0663", "is not a whole number"),
        ("LogPrimaryFiles=" + "9" * 400, "is not a whole number"),
        ("LogBufferPages=5000", "choose 0 or 18 to 4096"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_with_its_line(line: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse(f"# first\n\nLog:\n   {line}\n", "/data/qm.ini")
    assert str(caught.value).startswith("/data/qm.ini: line 4: ")
    assert message in str(caught.value)


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse("Log:\nLogFilePages=70000\nLogType=x\nTuningParameters:\nCheckPointWaitLen=61\n")
    assert len(caught.value.problems) == 3
    assert [problem.split(":")[0] for problem in caught.value.problems] == ["line 2", "line 3", "line 5"]


def test_511_extents_are_the_most() -> None:
    assert parse("Log:\nLogPrimaryFiles=500\nLogSecondaryFiles=11\n").log.primary_files == 500
    with pytest.raises(ConfigurationError, match=r"line 3: log size not valid.* more than 511 extents"):
        parse("Log:\nLogPrimaryFiles=500\nLogSecondaryFiles=12\n")
    with pytest.raises(ConfigurationError, match="more than 511"):
        LogSettings(500, 12).checked()


def test_a_second_copy_in_the_folder_of_the_first_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="protects nothing"):
        LogSettings(path="/a/log", second_folder="/a/./log/").checked()


def test_settings_made_in_a_program_are_checked_in_the_same_way() -> None:
    made = Configuration(LogSettings(1, 1, 10, "linear"), TuningSettings(checkpoint_wait_minutes=1)).checked()
    assert made.log == LogSettings(3, 1, 4096, "LINEAR")
    assert made.tuning == TuningSettings()
    assert len(made.warnings) == 3
    for bad in (
        LogSettings(file_pages=65536),
        LogSettings(type="SPIRAL"),
        LogSettings(primary_files=""),  # type: ignore[arg-type]
        LogSettings(primary_files=2.5),  # type: ignore[arg-type]
        LogSettings(path=b"/log"),  # type: ignore[arg-type]
        LogSettings(path="a\nb"),
        LogSettings(path=" a"),
    ):
        with pytest.raises(ConfigurationError):
            bad.checked()
    with pytest.raises(ConfigurationError, match="CheckPointLogRecdMax=100001"):
        TuningSettings(checkpoint_records_max=100_001).checked()


# ---- the grammar ----


def test_keys_and_stanzas_mean_the_same_in_any_case() -> None:
    read = parse("LOG:\n  LOGPRIMARYFILES = 5\nlog:\n\tlogfilepages=64\ntuningparameters:\ncheckpointwaitlen=5\n")
    assert (read.log.primary_files, read.log.file_pages, read.tuning.checkpoint_wait_minutes) == (5, 64, 5)
    assert read.warnings == ()


def test_comments_are_lines_of_their_own() -> None:
    read = parse("# LogPrimaryFiles=9\n; so too\nLog:\n  ;LogPrimaryFiles=9\n  LogPath=/var/log;1#2\n")
    assert read.log == LogSettings(path="/var/log;1#2")
    assert read.warnings == ()


def test_what_is_not_known_is_reported_with_its_line() -> None:
    text = "stray=1\nLog:\n  LogColour=blue\n  nonsense\nXAResourceManager:\n  Name=9\nLog:\n  =5\n"
    read = parse(text, "qm.ini")
    assert read.log == LogSettings()
    assert read.warnings == (
        "qm.ini, line 1: 'stray' stands before the first stanza; ignored",
        "qm.ini, line 3: 'LogColour' is no key of stanza Log; kept, without effect",
        "qm.ini, line 4: 'nonsense' is no stanza, no key=value and no comment; ignored",
        "qm.ini, line 5: stanza 'XAResourceManager' is not used here; kept",
        "qm.ini, line 8: '=5' is no stanza, no key=value and no comment; ignored",
    )


def test_of_a_key_given_twice_the_last_counts() -> None:
    read = parse("Log:\nLogPrimaryFiles=900\nlogprimaryfiles=7\n", "q")
    assert read.log.primary_files == 7
    assert read.warnings == ("q, line 2: LogPrimaryFiles is given again in line 3, which counts",)


def test_line_ends_and_byte_order_marks_of_other_systems_are_no_obstacle() -> None:
    assert parse("\ufeffLog:\r\n   LogPrimaryFiles=5\r\n").log.primary_files == 5


@given(st.text(alphabet=st.sampled_from("Log:TuningPrmaryFes=0123456789#; \t\r\n\0\ufeffü\udcff"), max_size=200))
@settings(max_examples=300)
def test_no_text_is_more_than_refused(text: str) -> None:
    try:
        read = parse(text)
    except ConfigurationError as error:
        assert error.problems
    else:
        assert read.checked() == read


# ---- files ----


def test_without_a_file_the_defaults_apply_and_that_is_said() -> None:
    files = FaultyFiles()
    files.make_folder(FOLDER)
    assert not configuration.exists(files, FOLDER)
    read = load(files, FOLDER)
    assert read == Configuration()
    assert read.warnings == ("/qm/qm.ini: there is no such file: the defaults apply",)


def test_a_new_file_shows_the_whole_log_stanza_and_what_was_tuned() -> None:
    files = FaultyFiles()
    files.make_folder(FOLDER)
    made = Configuration(
        LogSettings(4, 5, 64, "LINEAR", second_folder="/other disk/log"), TuningSettings(checkpoint_wait_minutes=5)
    )
    save(files, FOLDER, made)
    assert configuration.exists(files, FOLDER)
    lines = [line for line in text_of(files).split("\n") if not line.startswith("#")]
    assert lines == [
        "Log:",
        "   LogPrimaryFiles=4",
        "   LogSecondaryFiles=5",
        "   LogFilePages=64",
        "   LogType=LINEAR",
        "   LogBufferPages=0",
        "   LogWriteIntegrity=TripleWrite",
        "   LogManagement=Manual",
        "   LogSecondPath=/other disk/log",
        "   LogDirectIO=AUTO",
        "TuningParameters:",
        "   CheckPointWaitLen=5",
        "",
    ]
    read = load(files, FOLDER)
    assert (read, read.warnings) == (made, ())


def test_a_rewrite_changes_nothing_but_the_value() -> None:
    text = (
        "; ours since 1999\nlog:   \n# how many\n\tlogprimaryfiles = 4\n   LogType=circular\n  LogColour=blue\n"
        "Channels:\n   MaxChannels=9\n\nTuningParameters:\n   CheckPointWaitLen=1\n"
    )
    files = written(text)
    read = load(files, FOLDER)
    save(files, FOLDER, read)
    assert text_of(files) == text
    save(files, FOLDER, replace(read, log=replace(read.log, primary_files=6, buffer_pages=100)))
    assert text_of(files) == text.replace("= 4", "= 6").replace("=blue\n", "=blue\n   LogBufferPages=100\n")
    again = load(files, FOLDER)
    assert (again.log.primary_files, again.log.buffer_pages) == (6, 100)


def test_a_rewrite_keeps_bytes_that_are_no_text_and_line_ends_of_other_systems() -> None:
    files = written("Log:\r\n  LogPrimaryFiles=4\r\n#caf\udce9\r\n  LogPath=/l\udcff")
    read = load(files, FOLDER)
    save(files, FOLDER, replace(read, log=replace(read.log, primary_files=5, secondary_files=6)))
    expected = b"Log:\r\n  LogPrimaryFiles=5\r\n#caf\xe9\r\n  LogPath=/l\xff\n   LogSecondaryFiles=6\r\n"
    assert files.content(PATH) == expected
    assert load(files, FOLDER).log.secondary_files == 6


def test_a_setting_that_goes_back_to_its_default_is_written() -> None:
    files = written("Log:\nLogPrimaryFiles=9\nTuningParameters:\nCheckPointWaitLen=x\n")
    save(files, FOLDER, Configuration())
    assert text_of(files) == "Log:\nLogPrimaryFiles=3\nTuningParameters:\nCheckPointWaitLen=30\n"


def test_settings_that_cannot_be_used_are_not_written() -> None:
    files = written("Log:\n")
    with pytest.raises(ConfigurationError):
        save(files, FOLDER, Configuration(LogSettings(file_pages=70_000)))
    assert text_of(files) == "Log:\n"


def _random_value(setting: Setting, rng: random.Random) -> int | str:
    if isinstance(setting.default, int):
        return rng.randint(setting.lowest, min(setting.highest, setting.lowest + 200))
    if setting.messages:
        return rng.choice(["", "9001", "9001,9002,7234"])
    return rng.choice(setting.choices) if setting.choices else rng.choice(["", "/a b", "/ü=;#", "c:\\x:"])


@pytest.mark.parametrize("seed", range(30))
def test_what_is_saved_is_loaded(seed: int) -> None:
    rng = random.Random(seed)
    files = FaultyFiles()
    files.make_folder(FOLDER)
    for _ in range(4):
        values = {setting.field: _random_value(setting, rng) for setting in SETTINGS if rng.random() < 0.7}
        parts = ({s.field: values[s.field] for s in SETTINGS if s.stanza == name and s.field in values}
                 for name in ("Log", "TuningParameters", "Channels", "TCP", "QMErrorLog",
                              "DiagnosticMessages"))  # fmt: skip
        sections = (
            LogSettings, TuningSettings, ChannelSettings, TcpSettings, ErrorLogSettings, DiagnosticSettings,
        )  # fmt: skip
        made = Configuration(*(section(**part) for section, part in zip(sections, parts)))  # type: ignore[arg-type]
        if made.log.path == made.log.second_folder:
            made = replace(made, log=replace(made.log, second_folder=""))
        save(files, FOLDER, made)
        read = load(files, FOLDER)
        assert (read, read.warnings) == (made, ())


def test_whatever_moment_the_power_goes_one_of_both_is_there() -> None:
    old, new = Configuration(LogSettings(4)), Configuration(LogSettings(5))
    start = FaultyFiles()
    start.make_folder(FOLDER)
    save(start, FOLDER, old)
    assert start.unsynced() == ()
    seen = set()
    n = 0
    while True:
        n += 1
        files = start.copy()
        files.crash_at = n
        try:
            save(files, FOLDER, new)
        except PowerCut:
            for disk in files.disk_states(random.Random(n)):
                seen.add(load(disk, FOLDER).log.primary_files)
        else:
            break
    assert seen == {4, 5}
    assert n > 5
    for disk in files.disk_states(random.Random(0)):
        assert load(disk, FOLDER) == new


@pytest.mark.parametrize("kind", ["create", "write", "sync", "rename"])
def test_a_write_that_fails_leaves_the_old_file(kind: str) -> None:
    files = written("Log:\n LogPrimaryFiles=4\n")
    files.fail(kind, "*qm.ini.new")
    with pytest.raises(OSError):
        save(files, FOLDER, Configuration(LogSettings(5)))
    assert load(files, FOLDER).log.primary_files == 4
    assert files.list(FOLDER) == ["qm.ini"]


def test_a_file_that_is_no_configuration_is_not_swallowed() -> None:
    files = written("#" * (configuration.FILE_BYTES_MAX + 1))
    with pytest.raises(ConfigurationError, match="no configuration file"):
        load(files, FOLDER)


def test_on_a_real_disk(tmp_path: Path) -> None:
    made = Configuration(LogSettings(type="LINEAR", log_management="Archive"))
    save(RealFiles(), str(tmp_path), made)
    assert load(RealFiles(), str(tmp_path)) == made
    assert [path.name for path in tmp_path.iterdir()] == ["qm.ini"]


# ---- what a restart may change ----


def test_type_size_and_path_are_fixed_at_creation() -> None:
    assert FIXED_AT_CREATION == ("LogFilePages", "LogType", "LogPath")
    assert set(CHANGED_BY_RESTART) == {setting.key for setting in SETTINGS} - set(FIXED_AT_CREATION)


def test_changes_are_told_in_words() -> None:
    old = Configuration()
    new = Configuration(LogSettings(5, second_folder="/b"), TuningSettings(checkpoint_wait_minutes=5))
    assert changes(old, old) == []
    assert changes(old, new) == [
        "LogPrimaryFiles changes from 3 to 5 with the next start",
        "LogSecondPath changes from none to /b with the next start",
        "CheckPointWaitLen changes from 30 to 5 with the next start",
    ]


def test_changes_to_what_is_fixed_are_refused_all_together() -> None:
    with pytest.raises(ConfigurationError) as caught:
        changes(Configuration(), Configuration(LogSettings(5, file_pages=64, type="LINEAR", path="/x")))
    assert len(caught.value.problems) == 3
    assert "LogFilePages was fixed as 4096 when the queue manager was created and cannot become 64" in str(caught.value)
    assert "LogPath was fixed as none" in str(caught.value)


def test_the_page_lists_every_setting() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/qm-ini.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|", page, re.MULTILINE)
    listed = {key: (values, default, when) for key, values, default, when in rows}
    assert listed == {
        setting.key: (
            setting.range,
            str(setting.default) or "none",
            "creation" if setting.fixed else "restart",
        )
        for setting in SETTINGS
    }
