from __future__ import annotations

import pytest

from libremq.log import Log, LogConfig
from libremq.log.log_control_file import ControlState
from libremq.testing import FaultyFiles


def test_defaults_make_80_megabytes() -> None:
    config = LogConfig().checked()
    assert config == LogConfig(3, 2, 4096, "CIRCULAR", 0)
    assert (config.primary_files + config.secondary_files) * config.extent_bytes == 80 << 20
    assert config.buffer_bytes == 2 << 20


@pytest.mark.parametrize(
    ("field", "lowest", "highest", "default"),
    [
        ("primary_files", 2, 510, 3),
        ("secondary_files", 1, 509, 2),
        ("file_pages", 64, 65535, 4096),
        ("buffer_pages", 18, 4096, 0),
    ],
)
def test_too_low_takes_the_default_and_too_high_is_refused(field: str, lowest: int, highest: int, default: int) -> None:
    fewest = {"primary_files": 2, "secondary_files": 1}

    def checked(value: int) -> int:
        result: int = getattr(LogConfig(**{**fewest, field: value}).checked(), field)  # type: ignore[arg-type]
        return result

    assert checked(lowest) == lowest
    assert checked(highest) == highest
    assert checked(lowest - 1) == default
    assert checked(-5) == default
    with pytest.raises(ValueError, match="log size not valid"):
        checked(highest + 1)


def test_511_extents_are_the_most() -> None:
    LogConfig(500, 11).checked()
    with pytest.raises(ValueError, match="511"):
        LogConfig(500, 12).checked()


@pytest.mark.parametrize(
    ("field", "known"),
    [
        ("type", ("CIRCULAR", "LINEAR")),
        ("write_integrity", ("SingleWrite", "DoubleWrite", "TripleWrite")),
        ("log_management", ("Manual", "Automatic", "Archive")),
    ],
)
def test_words_are_known_in_any_case_or_refused(field: str, known: tuple[str, ...]) -> None:
    for word in known:
        for spelled in (word, word.lower(), word.upper()):
            config = LogConfig(**{field: spelled}).checked()  # type: ignore[arg-type]
            assert getattr(config, field) == word
    with pytest.raises(ValueError, match="SPIRAL is not known"):
        LogConfig(**{field: "SPIRAL"}).checked()  # type: ignore[arg-type]


def test_defaults_of_the_words() -> None:
    config = LogConfig()
    assert (config.type, config.write_integrity, config.log_management) == ("CIRCULAR", "TripleWrite", "Manual")
    assert not config.linear and not config.rewrites_in_place and config.second_folder == ""


def test_the_second_folder_must_fit_in_the_control_file() -> None:
    LogConfig(510, 1, second_folder="/" + 1023 * "d").checked()
    with pytest.raises(ValueError, match="longer than 1024"):
        LogConfig(second_folder="/" + 1024 * "d").checked()


def test_what_is_fixed_at_creation_survives_an_opening_and_the_rest_may_change() -> None:
    files = FaultyFiles()
    Log.create(files, "/log", LogConfig(2, 1, 64, "LINEAR", 20)).close()
    changed = Log.open(
        files,
        "/log",
        primary_files=3,
        secondary_files=2,
        buffer_pages=30,
        write_integrity="singlewrite",
        log_management="Archive",
        second_folder="/copy",
    )
    expected = LogConfig(3, 2, 64, "LINEAR", 30, "SingleWrite", "/copy", "Archive")
    assert changed.config == expected
    changed.close()
    assert Log.open(files, "/log").config == expected
    with pytest.raises(ValueError, match="log size not valid"):
        Log.open(files, "/log", secondary_files=510)
    assert Log.open(files, "/log", primary_files=1, secondary_files=0).config.primary_files == 3


def test_the_largest_control_file_fits_its_slot() -> None:
    config = LogConfig(510, 1, second_folder="/" + 1023 * "d").checked()
    state = ControlState(b"123456", 1, config, 40, 0, 0, 40, 0, tuple(range(511)))
    assert len(state.pack()) + 28 <= 4096
    assert ControlState.unpack(state.pack()) == state
