"""What is loaded, and when: LibreMQ and its commands start fast because they load what they need and no more."""

from __future__ import annotations

import subprocess
import sys

import pytest

NOT_BY = {
    "libremq": ("asyncio", "lark", "rich", "uvloop", "libremq.admin", "libremq.client.queue_manager", "libremq.kernel"),
    "libremq.testing": ("asyncio", "pytest", "rich", "libremq.kernel"),
    "libremq.commands.main": ("asyncio", "lark", "rich", "uvloop", "libremq.admin", "libremq.kernel", "libremq.server"),
    "libremq.client.remote.remote_access": (
        "lark",
        "rich",
        "uvloop",
        "libremq.admin",
        "libremq.kernel.state.core",
        "libremq.log",
        "libremq.store.queue_store",
    ),
    "libremq.client.queue_manager": ("lark", "rich", "uvloop", "libremq.admin.executor", "libremq.kernel.manager"),
}


@pytest.mark.parametrize("module", NOT_BY)
def test_what_is_not_needed_is_not_loaded(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert module in loaded
    assert not set(loaded) & set(NOT_BY[module])
