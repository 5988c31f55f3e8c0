"""libremq-speed, compiled where the tests run, if there is a compiler and Python's header files: a few seconds."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "packages" / "speed" / "libremq_speed.c"


def built(folder: Path) -> Path:
    """The module in this folder; the test is skipped, with the reason, where it cannot be made."""
    compiler = shlex.split(os.environ.get("CC") or "cc")
    include = sysconfig.get_paths()["include"]
    if sys.platform == "win32" or shutil.which(compiler[0]) is None:
        pytest.skip(f"libremq-speed is not built: there is no C compiler ({compiler[0]})")
    if not Path(include, "Python.h").exists():
        pytest.skip(f"libremq-speed is not built: there is no Python.h in {include}")
    target = folder / f"libremq_speed{sysconfig.get_config_var('EXT_SUFFIX')}"
    link = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    command = [*compiler, "-O2", "-shared", "-fPIC", *link, f"-I{include}", str(SOURCE), "-o", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def loaded(path: Path) -> ModuleType:
    """Of the file, without a trace in `sys.modules`."""
    spec = importlib.util.spec_from_file_location("libremq_speed", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
