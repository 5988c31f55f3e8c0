"""The driver: rounds of work and faults on three queue managers that live through all of them.

In a round the applications work while things break. Then everything is mended, and every application must get on with
its work: one whose queue manager was down all the time has had no chance before. Then they stop, and the driver waits
until nothing is on its way any more: all transmission queues empty, no channel in doubt, both ends of every
channel of the same mind. What is on the queues then is compared with the ledgers, and cleared for the next round.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from libremq import MQError
from soak.channels import books
from soak.channels.applications import STOP, STOP_SERVICE
from soak.channels.books import Collected, Figures
from soak.channels.faults import Faults
from soak.channels.manager import Manager
from soak.channels.network import Network, network_for
from soak.channels.topology import CHANNELS, COLLECTED, DEAD, MANAGERS, SENDERS, SERVICE, commands
from soak.checker import Finding
from soak.life import ROOT, Trouble

_PATIENCE_S = 240.0
_UNITS_MIN = 10
"""Every application commits at least so many units of work in a round, however slow the machine is."""
_LOOK_S = 0.2
_SAVED = ("lstluwid", "lstseqno")


@dataclass
class Driver:
    """Three queue managers in a folder, and what was seen of them."""

    folder: Path
    seed: int
    wanted_network: str
    say: Callable[[str], None]
    figures: Figures = field(default_factory=Figures)
    findings: list[Finding] = field(default_factory=list)
    rounds: int = 0
    settled_s_max: float = 0.0

    def __post_init__(self) -> None:
        self._data = self.folder / "data"
        self._managers: dict[str, Manager] = {}
        self.network: Network = network_for(
            self.wanted_network, lambda name: self._managers[name].port if name in self._managers else None, self.say
        )

    def create(self) -> None:
        """Create and start all three, and define everything."""
        addresses = {channel.name: self.network.address(channel) for channel in CHANNELS}
        for name in MANAGERS:
            self._managers[name] = Manager(name, self._data, self.network.listen(name), self.network.prefix(name))

        def create_one(manager: Manager) -> None:
            manager.create()
            manager.start()
            manager.mqsc(commands(manager.name, addresses))

        with ThreadPoolExecutor() as pool:
            list(pool.map(create_one, self._managers.values()))

    def close(self) -> None:
        """Whatever happened: no process is left."""
        for manager in self._managers.values():
            try:
                manager.kill()
            except (Trouble, OSError) as error:
                self.say(str(error))
        self.network.close()

    def run_round(self, seconds: float) -> None:
        """Work and break things for a time, and check. What is wrong goes to `findings`."""
        self.rounds += 1
        folder = self.folder / f"round-{self.rounds}"
        folder.mkdir()
        faults = Faults(self._managers, self.network, f"{self.seed}/{self.rounds}", self.figures.faults)
        applications = self._start_applications(folder)
        try:
            faults.run_for(seconds)
            problems = faults.problems or self._work_goes_on(folder)
            (folder / STOP).touch()
            mended = time.monotonic()
            problems = problems or self._settle()
            self.settled_s_max = max(self.settled_s_max, time.monotonic() - mended)
            (folder / STOP_SERVICE).touch()
            applications.wait(_PATIENCE_S)
            self.findings += [Finding("stopped", "", text) for text in problems]
            collected = self._collect()
            self.findings += books.check(folder, collected, self.figures)
            if self.findings:
                listed = {f"{queue} of {name}": numbers for (name, queue), numbers in collected.items()}
                (self.folder / "collected.json").write_text(json.dumps(listed, indent=1))
            else:
                self._empty()
        except (Trouble, MQError, subprocess.TimeoutExpired) as error:
            self.findings.append(Finding("stopped", "", str(error)))
        finally:
            _end(applications)

    def _start_applications(self, folder: Path) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "soak.channels.applications"]
        words = [str(folder), str(self._data), str(self.rounds), str(self.seed)]
        return subprocess.Popen([*command, *words], cwd=ROOT, start_new_session=True)

    # When all is mended

    def _work_goes_on(self, folder: Path) -> list[str]:
        """Wait until every application has committed something; those that have not after a long time."""
        deadline = time.monotonic() + _PATIENCE_S
        while idle := [
            f"application {sender.name} has committed {count} units of work, though all of {sender.at} is mended"
            for sender in SENDERS
            if (count := books.committed(folder / sender.name)) < _UNITS_MIN
        ]:
            if time.monotonic() > deadline:
                return idle
            time.sleep(_LOOK_S)
        return []

    def _settle(self) -> list[str]:
        """Wait until all is where it belongs; what is not after a long time."""
        stopped = [
            f"{name}: channel {row['channel']} is STOPPED, and nobody stopped it"
            for name, manager in self._managers.items()
            for row in manager.shown("DISPLAY CHSTATUS(*) STATUS")
            if row["status"] == "STOPPED"
        ]
        deadline = time.monotonic() + _PATIENCE_S
        while problems := stopped + self._unsettled():
            if stopped or time.monotonic() > deadline:
                for name, manager in self._managers.items():
                    for command in ("CHSTATUS(*) ALL", "CHSTATUS(*) SAVED ALL", "QSTATUS(*) WHERE(CURDEPTH GT 0)"):
                        problems.append(f"{name}: DISPLAY {command}\n{manager.told(f'DISPLAY {command}')}")
                return problems
            time.sleep(_LOOK_S)
        return []

    def _unsettled(self) -> list[str]:
        found = []
        saved: dict[tuple[str, str], dict[str, Any]] = {}
        for name, manager in self._managers.items():
            queues = {SERVICE, *(channel.target for channel in CHANNELS if channel.source == name)}
            for row in manager.shown("DISPLAY QSTATUS(*) CURDEPTH UNCOM"):
                if row["queue"] in queues and (row["curdepth"] or row["uncom"] not in ("NO", 0)):
                    found.append(f"{name}: {row['queue']} has {row['curdepth']} messages")
            for row in manager.shown("DISPLAY CHSTATUS(*) SAVED ALL"):
                if row["indoubt"] == "YES":
                    found.append(f"{name}: channel {row['channel']} is in doubt")
                saved[row["channel"], name] = row
        for channel in CHANNELS:
            ends = [saved.get((channel.name, name)) for name in channel]
            values = [{key: row[key] for key in _SAVED} if row else None for row in ends]
            if values[0] != values[1]:
                found.append(f"{channel.name}: saved at {channel.source} {values[0]}, at {channel.target} {values[1]}")
        return found

    def _collect(self) -> Collected:
        """All that arrived. What is on a dead-letter queue is a finding."""
        collected: Collected = {}
        for name, manager in self._managers.items():
            for queue in COLLECTED[name]:
                collected[name, queue] = manager.numbers(queue)
            if strayed := manager.numbers(DEAD):
                self.findings.append(Finding("lost", DEAD, f"{name} could not deliver {len(strayed)} messages"))
        return collected

    def _empty(self) -> None:
        for name, manager in self._managers.items():
            for queue in COLLECTED[name]:
                manager.empty(queue)


def _end(applications: subprocess.Popen[bytes]) -> None:
    """The applications are children of that process, in a session of their own."""
    with suppress(ProcessLookupError):
        os.killpg(applications.pid, signal.SIGKILL)
    applications.wait()
