"""`python -m interop [--only TEXT]`: everything, or only the tests and examples whose name has the text."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from interop import examples, outcomes, packages
from interop.outcomes import FAILED, Outcome
from interop.packages import Packages, Trouble
from interop.running import ROOT, environment, run_tests
from interop.server import Server

SUITE = "ibmmq's tests"
_SESSIONS = (("pymqi", "session_pymqi.py"), ("ibmmq", "session_ibmmq.py"))
_SETUP = "session_setup.py"
_PAGE = "session_page.py"
_BINDINGS = ("tcp", "local")
_ALSO_WITHOUT_PASSWORDS = ("test_queue_manager.py",)
"""Some of its tests run only where applications may leave the password out."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="interop", description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / ".interop", help="where packages and data are kept")
    parser.add_argument("--only", default="", metavar="TEXT", help="only what has this in its name")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    try:
        fetched = packages.prepare(folder / "packages")
        work = folder / "run"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        with Server(work / "data") as server:
            found = _run(fetched, server, work, arguments.only)
    except Trouble as trouble:
        print(f"interop: {trouble}", file=sys.stderr)
        return 2
    outcomes.show(found)
    return 1 if any(outcome.state == FAILED for outcome in found) or not found else 0


def _run(fetched: Packages, server: Server, work: Path, only: str) -> list[Outcome]:
    found: list[Outcome] = []
    values = environment(fetched, server)
    optional = {**values, "PY_IBMMQ_TEST_QM_CONNAUTH_USE_PW": "OPTIONAL"}
    for file in sorted(fetched.tests.glob("test_*.py")):
        if only in file.name and file.name != "test_setup.py":
            found += _told(run_tests(SUITE, file, work, values))
            if file.name in _ALSO_WITHOUT_PASSWORDS:
                with server.app_without_password():
                    found += _told(run_tests(f"{SUITE}, without passwords", file, work, optional))
    found += _told(examples.run_all(fetched, server, work, values, only))
    for package, name in _SESSIONS:
        for binding in _BINDINGS:
            if only in name:
                group = f"a session with {package} over {binding}"
                more = {**values, "INTEROP_BINDING": binding}
                found += _told(run_tests(group, ROOT / "interop" / name, work, more))
    if only in _PAGE:
        found += _told(run_tests("the samples of the page about them", ROOT / "interop" / _PAGE, work, values))
    if only in _SETUP:
        found += _told(run_tests("a set-up script, and pymqi after it", ROOT / "interop" / _SETUP, work, values))
    return found


def _told(found: list[Outcome]) -> list[Outcome]:
    for outcome in found:
        print(f"{outcome.state:<8} {outcome.name}", flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
