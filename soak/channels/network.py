"""The network between the three queue managers, and what can be done to it.

`Namespaces`: every queue manager has a network namespace of its own, and a pair of virtual Ethernet devices is the
cable to the next; to cut it is to take one of the devices down. A namespace lives as long as the process that holds it,
which ends with this one, so nothing is left behind. `Ports`: all on the loopback address, with a proxy in every line.
`network_for` chooses, and says why.
"""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from typing import NamedTuple, Protocol

from soak.channels.proxy import BACK, FORTH, Line, some_bytes
from soak.channels.topology import CHANNELS, LINKS, MANAGERS, Channel

PORT = 1414
_COMMAND_S = 120
Link = tuple[str, str]
Undo = Callable[[], None]


class Fault(NamedTuple):
    """What was done to a link, and how to undo it."""

    kind: str
    undo: Undo


class Network(Protocol):
    """Where queue managers run and how they are reached."""

    name: str

    def prefix(self, manager: str) -> list[str]:
        """What goes before a command that runs where this queue manager runs."""

    def listen(self, manager: str) -> str:
        """HOST:PORT for strmqm."""

    def address(self, channel: Channel) -> str:
        """CONNAME of a sender."""

    def harm(self, link: Link, rng: random.Random) -> Fault: ...

    def cuts(self) -> int:
        """How often a connection, or a cable, was broken."""

    def close(self) -> None: ...


class Ports:
    """Three ports of this machine; `port_of` says where a queue manager listens now, if it does."""

    name = "ports"

    def __init__(self, port_of: Callable[[str], int | None]) -> None:
        self._lines = {channel: Line(lambda to=channel.target: port_of(to)) for channel in CHANNELS}  # type: ignore[misc]

    def prefix(self, manager: str) -> list[str]:
        return []

    def listen(self, manager: str) -> str:
        return "127.0.0.1:0"

    def address(self, channel: Channel) -> str:
        return f"127.0.0.1({self._lines[channel].port})"

    def harm(self, link: Link, rng: random.Random) -> Fault:
        """Both directions of a link share their fate, but for a stall and the count of bytes."""
        lines = [line for channel, line in self._lines.items() if set(channel) == set(link)]
        one = rng.choice(lines)
        kind = rng.choice(("cut", "reset", "cut after bytes", "stall", "one-way stall", "stall and reset", "delay"))
        match kind:
            case "cut":
                for line in lines:
                    line.cut()
            case "reset":
                for line in lines:
                    line.reset()
            case "cut after bytes":
                one.cut_after(some_bytes(rng))
            case "delay":
                for line in lines:
                    line.slow_down(rng.uniform(0.002, 0.1))
            case "one-way stall":
                one.stall(rng.choice((FORTH, BACK)))
            case _:
                for line in lines:
                    line.stall(FORTH, BACK)

        def undo() -> None:
            for line in lines:
                if "reset" in kind:
                    line.reset()
                line.mend()

        return Fault(kind, undo)

    def cuts(self) -> int:
        return sum(line.broken for line in self._lines.values())

    def close(self) -> None:
        for line in self._lines.values():
            line.close()


class Namespaces:
    """A network namespace for each queue manager. OSError if that is not allowed here, or the tools are not there."""

    name = "namespaces"

    def __init__(self) -> None:
        self._holders: dict[str, subprocess.Popen[bytes]] = {}
        self._cuts = 0
        try:
            for manager in MANAGERS:
                self._holders[manager] = _hold()
                self._run(manager, "ip", "link", "set", "lo", "up")
            for one, two in LINKS:
                holder = str(self._holders[two].pid)
                self._run(one, *f"ip link add {_device(two)} type veth peer name {_device(one)} netns {holder}".split())
                for here, there in ((one, two), (two, one)):
                    self._run(here, "ip", "address", "add", f"{_ip(here, there)}/24", "dev", _device(there))
                    self._run(here, "ip", "link", "set", _device(there), "up")
            self.kinds = ["cut", *filter(self._can, ("reset", "delay"))]
        except OSError:
            self.close()
            raise

    def prefix(self, manager: str) -> list[str]:
        return ["nsenter", f"--net=/proc/{self._holders[manager].pid}/ns/net", "--"]

    def listen(self, manager: str) -> str:
        return f"*:{PORT}"

    def address(self, channel: Channel) -> str:
        return f"{_ip(channel.target, channel.source)}({PORT})"

    def harm(self, link: Link, rng: random.Random) -> Fault:
        here, there = rng.sample(link, 2)
        kind = rng.choice(self.kinds)
        match kind:
            case "cut":
                self._run(here, "ip", "link", "set", _device(there), "down")
                self._cuts += 1

                def undo() -> None:
                    self._run(here, "ip", "link", "set", _device(there), "up")
            case "reset":
                self._run(here, "ss", "-K", "dst", _ip(there, here))

                def undo() -> None:
                    pass
            case _:
                delay_ms = rng.randrange(2, 100)
                self._run(here, *f"tc qdisc replace dev {_device(there)} root netem delay {delay_ms}ms".split())

                def undo() -> None:
                    self._run(here, "tc", "qdisc", "del", "dev", _device(there), "root")

        return Fault(kind, undo)

    def cuts(self) -> int:
        return self._cuts

    def close(self) -> None:
        for holder in self._holders.values():
            holder.kill()
            holder.wait()
            for pipe in (holder.stdin, holder.stdout):
                assert pipe is not None
                pipe.close()
        self._holders.clear()

    def _can(self, kind: str) -> bool:
        """Does this kernel reset connections for root, or delay packets?"""
        one, two = LINKS[0]
        try:
            if kind == "delay":
                self._run(one, *f"tc qdisc replace dev {_device(two)} root netem delay 1ms".split())
                self._run(one, "tc", "qdisc", "del", "dev", _device(two), "root")
                return True
            return not self._run(one, "ss", "-K", "dst", _ip(two, one))
        except OSError:
            return False

    def _run(self, manager: str, *command: str) -> str:
        """Run a command in a namespace; what it had to complain about although it worked."""
        try:
            done = subprocess.run(
                [*self.prefix(manager), *command], capture_output=True, text=True, timeout=_COMMAND_S, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise OSError(f"{' '.join(command)}: nothing for {_COMMAND_S} s") from error
        if done.returncode:
            raise OSError(f"{' '.join(command)}: {done.stderr.strip()}")
        return done.stderr.strip()


def _hold() -> subprocess.Popen[bytes]:
    """A process in a network namespace of its own, which ends when its standard input does."""
    holder = subprocess.Popen(
        ["unshare", "--net", "sh", "-c", "echo here; exec cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert holder.stdout is not None and holder.stderr is not None
    said = holder.stdout.readline()
    if said != b"here\n":
        complaint = holder.stderr.read().decode(errors="replace").strip()
        holder.wait()
        raise PermissionError(complaint or "a network namespace cannot be made")
    holder.stderr.close()
    return holder


def _device(there: str) -> str:
    return f"to-{there.lower()}"


def _ip(here: str, there: str) -> str:
    low, high = sorted((here[-1], there[-1]))
    return f"10.77.{low}{high}.{here[-1]}"


def network_for(wanted: str, port_of: Callable[[str], int | None], say: Callable[[str], None]) -> Network:
    """`namespaces`, `ports`, or `auto`: namespaces if they are allowed. OSError if they are wanted and are not."""
    if wanted == "ports":
        return Ports(port_of)
    try:
        found = Namespaces()
    except OSError as error:
        if wanted == "namespaces":
            raise
        say(f"no network namespaces here ({error}): three ports of this machine instead, with a proxy in every line")
        return Ports(port_of)
    say(f"three network namespaces; a link can suffer: {', '.join(found.kinds)}")
    return found


def enter_as_root(arguments: list[str]) -> None:
    """Who is not root may still be it in a user namespace: start this program again in one, if that is allowed."""
    if os.geteuid() == 0 or os.environ.get(_ENTERED):
        return
    command = ["unshare", "--map-root-user", "--net"]
    try:
        if subprocess.run([*command, "true"], capture_output=True, timeout=_COMMAND_S, check=False).returncode:
            return
        os.execvpe(command[0], [*command, *arguments], {**os.environ, _ENTERED: "1"})
    except (OSError, subprocess.TimeoutExpired):
        return


_ENTERED = "LIBREMQ_SOAK_ENTERED"
