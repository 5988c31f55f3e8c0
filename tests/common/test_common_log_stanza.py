"""A setting of the log is one row: what reads, checks, takes, makes and describes it all goes by that."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from libremq.commands.exit_codes import Parser
from libremq.commands.mq import crtmqm
from libremq.common import configuration
from libremq.common.log_stanza import LOG_SETTINGS, LogSettings, LogStanza, changeable_values, stanza_values
from libremq.common.setting import LOG, Setting
from libremq.host import creation, log_settings
from libremq.log import Log, LogConfig
from libremq.testing import FaultyFiles, VirtualClock

PAGE = Path(__file__).parents[2] / "docs/reference/qm-ini.md"
OF_THE_LOG = [row for row in LOG_SETTINGS if row.field != "path"]


def another(row: Setting) -> int | str:
    """A value that is not the default."""
    if isinstance(row.default, int):
        return row.lowest + 1
    return next((choice for choice in row.choices if choice != row.default), "second")


def test_the_file_has_these_rows_and_no_others() -> None:
    assert [row for row in configuration.SETTINGS if row.stanza == LOG] == list(LOG_SETTINGS)
    assert [row.field for row in LOG_SETTINGS] == [
        "primary_files", "secondary_files", "file_pages", "type", "buffer_pages", "path", "write_integrity",
        "log_management", "second_folder", "direct_io",
    ]  # fmt: skip


def test_the_log_has_a_field_for_each() -> None:
    assert {field.name: field.default for field in fields(LogConfig)} == {row.field: row.default for row in OF_THE_LOG}
    assert {field.name for field in fields(LogStanza)} == {row.field for row in OF_THE_LOG}
    assert changeable_values(LogSettings()) == {row.field: row.default for row in OF_THE_LOG if not row.fixed}


@pytest.mark.parametrize("row", OF_THE_LOG, ids=lambda row: row.key)
def test_it_goes_from_who_creates_to_the_file_and_to_the_log(row: Setting) -> None:
    files, clock = FaultyFiles(), VirtualClock()
    config = LogConfig(**{"file_pages": 64, row.field: another(row)})  # type: ignore[arg-type]
    creation.create(files, "qm", "QM1", clock, config, "", None)
    read = configuration.load(files, "qm")
    assert getattr(read.log, row.field) == another(row)
    assert stanza_values(read.log) == stanza_values(config)
    log = log_settings.open_log(files, "qm", read, clock, lambda text: None)
    assert getattr(log.config, row.field) == another(row)
    log.abandon()


@pytest.mark.parametrize("row", [row for row in OF_THE_LOG if not row.fixed], ids=lambda row: row.key)
def test_a_restart_changes_what_is_not_fixed(row: Setting) -> None:
    files, clock = FaultyFiles(), VirtualClock()
    creation.create(files, "qm", "QM1", clock, LogConfig(file_pages=64), "", None)
    changed = LogSettings(**{"file_pages": 64, row.field: another(row)})  # type: ignore[arg-type]
    configuration.save(files, "qm", configuration.Configuration(changed))
    log = log_settings.open_log(files, "qm", configuration.load(files, "qm"), clock, lambda text: None)
    assert getattr(log.config, row.field) == another(row)
    log.abandon()


@pytest.mark.parametrize("field", ["type", "file_pages", "colour"])
def test_opening_a_log_cannot_change_what_is_fixed(field: str) -> None:
    files = FaultyFiles()
    Log.create(files, "/log", LogConfig(file_pages=64)).close()
    with pytest.raises(TypeError, match=field):
        Log.open(files, "/log", **{field: 64})  # type: ignore[arg-type]


def test_crtmqm_has_the_flags() -> None:
    parser = Parser(conflict_handler="resolve")
    crtmqm.add_arguments(parser)
    taken = {action.option_strings[0]: action for action in parser._actions if action.option_strings}
    for row in LOG_SETTINGS:
        if row.flag:
            assert taken[row.flag].dest == row.field
            assert taken[row.flag].help == row.flag_help.format(range=row.range)
    assert {row.flag for row in LOG_SETTINGS if row.flag} == {"-lp", "-ls", "-lf", "-ld", "--second-log"}
    choices = {row.field: row.choices for row in LOG_SETTINGS}
    for _, (kind, management), _ in crtmqm._LOG_TYPES:
        assert kind in choices["type"] and management in choices["log_management"]


def test_the_page_says_what_the_rows_say() -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \| .*? \| .*? \| .*? \| (.*) \|$", PAGE.read_text(), re.MULTILINE))
    assert {row.key: listed[row.key] for row in LOG_SETTINGS} == {row.key: row.meaning for row in LOG_SETTINGS}
