from __future__ import annotations

import pytest

from libremq.log import LogConfig


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


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="SPIRAL"):
        LogConfig(type="SPIRAL").checked()
