"""Names that packages load when they are first used: each is where its table says."""

from __future__ import annotations

from importlib import import_module

import pytest

PACKAGES = ("libremq", "libremq.mqi", "libremq.aio", "libremq.testing")
NAMES = [(package, name) for package in PACKAGES for name in import_module(package).__dict__["_HOME"]]


@pytest.mark.parametrize(("package", "name"), NAMES)
def test_a_name_is_where_its_package_says(package: str, name: str) -> None:
    assert getattr(import_module(package), name) is not None
