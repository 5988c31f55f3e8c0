"""What goes wrong during a round: chosen by the seed, a few things at the same time, each undone after a while.

A fault takes what it breaks (a queue manager, a link, a channel) for itself until it is undone, so that no two of them
are about the same. They are threads: to start a queue manager takes a second, and the others do not wait for it.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable

from libremq import MQError
from soak.channels.manager import Manager
from soak.channels.network import Link, Network
from soak.channels.topology import CHANNELS, LINKS, Channel
from soak.life import Trouble

_AT_ONCE = 3
_FEWEST = 3
"""On a machine so slow that a start takes the whole round, the round is longer."""
_BETWEEN_S = (0.05, 0.8)
_LASTS_S = (0.0, 2.5)
_LONG_S = (5.0, 12.0)
_LONG = 0.07
_KILLED_AGAIN = 0.2
_PATIENCE_S = 240.0
_LOOK_S = 0.1
_KINDS = (*("kill",) * 4, *("end",) * 2, *("link",) * 8, *("stop",) * 4)
_MODES = ("QUIESCE", "FORCE", "TERMINATE")


class Faults:
    """Breaks things until told to stop; `problems` is what could not be undone."""

    def __init__(self, managers: dict[str, Manager], network: Network, seed: str, counts: Counter[str]) -> None:
        self._managers = managers
        self._network = network
        self._rng = random.Random(seed)
        self._counts = counts
        self._links = {link: threading.Lock() for link in LINKS}
        self._channels = {channel: threading.Lock() for channel in CHANNELS}
        self._threads: list[threading.Thread] = []
        self._healing = threading.Event()
        self.problems: list[str] = []

    def run_for(self, seconds: float) -> None:
        """Break things for a time, then wait until all of it is undone."""
        rng = self._rng
        deadline = time.monotonic() + seconds
        enough = self._counts.total() + _FEWEST
        while (time.monotonic() < deadline or self._counts.total() < enough) and not self.problems:
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            if len(self._threads) < _AT_ONCE:
                self._begin(rng.choice(_KINDS), random.Random(rng.random()))
            self._healing.wait(rng.uniform(*_BETWEEN_S))
        self._healing.set()
        for thread in self._threads:
            thread.join()

    def _begin(self, kind: str, rng: random.Random) -> None:
        """Take something to break, if it is whole at the moment."""
        work: Callable[[], None]
        if kind in ("kill", "end"):
            manager = rng.choice(list(self._managers.values()))
            lock, work = manager.busy, lambda: self._down(manager, kind, rng)
        elif kind == "link":
            link = rng.choice(LINKS)
            lock, work = self._links[link], lambda: self._harm(link, rng)
        else:
            channel = rng.choice(CHANNELS)
            lock, work = self._channels[channel], lambda: self._stop(channel, rng)
        if lock.acquire(blocking=False):
            thread = threading.Thread(target=self._run, args=(kind, lock, work), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _run(self, kind: str, lock: threading.Lock, work: Callable[[], None]) -> None:
        try:
            work()
        except (Trouble, OSError, MQError) as error:
            self.problems.append(f"{kind}: {error}")
        finally:
            lock.release()

    def _last(self, rng: random.Random) -> None:
        """Let it be as it is for a while: now and then longer than any heartbeat."""
        self._healing.wait(rng.uniform(*(_LONG_S if rng.random() < _LONG else _LASTS_S)))

    def _down(self, manager: Manager, kind: str, rng: random.Random) -> None:
        if kind == "kill":
            manager.kill()
        else:
            manager.end()
        self._counts["kill -9" if kind == "kill" else "endmqm -i"] += 1
        self._healing.wait(rng.uniform(0.0, 1.0))
        while rng.random() < _KILLED_AGAIN and not self._healing.is_set():
            manager.start_and_kill(rng.uniform(0.2, 1.2))
            self._counts["kill -9 in the restart"] += 1
        manager.start()

    def _harm(self, link: Link, rng: random.Random) -> None:
        fault = self._network.harm(link, rng)
        self._counts[f"link: {fault.kind}"] += 1
        try:
            self._last(rng)
        finally:
            fault.undo()

    def _stop(self, channel: Channel, rng: random.Random) -> None:
        """STOP and START at either end; a queue manager that is down meanwhile is waited for."""
        manager = self._managers[rng.choice(channel)]
        mode = rng.choice(_MODES)
        if not self._command(manager, f"STOP CHANNEL({channel.name}) MODE({mode})", patience_s=0):
            return
        self._counts[f"stop {mode.lower()}"] += 1
        self._last(rng)
        if not self._command(manager, f"START CHANNEL({channel.name}) IGNSTATE(YES)"):
            self.problems.append(f"{manager.name}: START CHANNEL({channel.name}) was refused for {_PATIENCE_S:.0f} s")

    def _command(self, manager: Manager, text: str, *, patience_s: float = _PATIENCE_S) -> bool:
        """Give a command until it is accepted."""
        deadline = time.monotonic() + patience_s
        while True:
            try:
                manager.mqsc(text)
                return True
            except (MQError, Trouble):
                if time.monotonic() >= deadline:
                    return False
            time.sleep(_LOOK_S)
