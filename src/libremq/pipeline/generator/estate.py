"""The installation that is simulated: systems, queue managers, and what each of them has.

Sizes follow the starting values of the performance guide (pools, adapters, dispatchers), so that a healthy queue
manager gives no cause for a finding. A queue belongs to one application, which puts to it and gets from it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from libremq.pipeline.generator.shapes import NEWEST

NO_PAGE_SET: Final = -1

CICS, BATCH, IMS_CONTROL, IMS_REGION, CHANNELS, RRS = 1, 2, 3, 4, 6, 7
"""Kinds of connection, as accounting records number them."""

SENDER, RECEIVER, SERVER_CONNECTION, CLUSTER_RECEIVER, CLUSTER_SENDER = 1, 3, 7, 8, 9
"""Kinds of channel."""


@dataclass(frozen=True, slots=True)
class Pool:
    """A buffer pool; `floor` and `swing` say which share of it is in use at no load and how much a full load adds."""

    number: int
    buffers: int
    floor: float
    swing: float


@dataclass(frozen=True, slots=True)
class PageSet:
    number: int
    pool: int
    pages: int


@dataclass(frozen=True, slots=True)
class Structure:
    """A coupling facility structure and its place among the queue manager's structures."""

    name: str
    number: int
    entries: int
    messages: bool = True


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue at full load: messages a second, their length, and how deep it stands."""

    name: str
    page_set: int
    message_bytes: int
    persistent: bool
    messages_per_second: float
    depth: int
    index_type: int = 0
    structure: str = ""

    @property
    def shared(self) -> bool:
        return bool(self.structure)


@dataclass(frozen=True, slots=True)
class Application:
    """A program: how it connects, which queues it reads and writes, and how many messages it takes per commit."""

    name: str
    kind: int
    transaction: str
    puts: tuple[str, ...]
    gets: tuple[str, ...]
    tasks: int
    messages_per_commit: int


@dataclass(frozen=True, slots=True)
class Channel:
    name: str
    kind: int
    partner: str
    address: str
    message_bytes: int
    messages_per_second: float
    batch_size: int
    tls: bool


@dataclass(frozen=True, slots=True)
class ChannelInitiator:
    adapters: int = 30
    dispatchers: int = 5
    tls_tasks: int = 6
    channels_max: int = 60
    storage_limit_mb: int = 4096


@dataclass(frozen=True, slots=True)
class QueueManager:
    """One queue manager. `scale` makes some larger than others."""

    name: str
    system: str
    release: str
    sharing_group: str
    local_offset: timedelta
    scale: float
    pools: tuple[Pool, ...]
    page_sets: tuple[PageSet, ...]
    structures: tuple[Structure, ...]
    queues: tuple[Queue, ...]
    applications: tuple[Application, ...]
    channels: tuple[Channel, ...]
    initiator: ChannelInitiator
    log_bytes: int = 4 * 2**30
    log_copies: int = 2

    def queue(self, name: str) -> Queue:
        return next(queue for queue in self.queues if queue.name == name)


POOLS: Final = (
    Pool(0, 50_000, 0.56, 0.02),
    Pool(1, 20_000, 0.58, 0.14),
    Pool(2, 50_000, 0.54, 0.20),
    Pool(3, 20_000, 0.55, 0.08),
)
PAGE_SETS: Final = (
    PageSet(0, 0, 60_000),
    PageSet(1, 1, 250_000),
    PageSet(2, 2, 100_000),
    PageSet(3, 3, 50_000),
)
STRUCTURES: Final = (
    Structure("CSQ_ADMIN", 0, 20_638, messages=False),
    Structure("APPL1", 1, 230_000),
    Structure("CSQSYSAPPL", 2, 60_000),
)

ORDERS_REQUEST = "APP.ORDERS.REQUEST"
ORDERS_REPLY = "APP.ORDERS.REPLY"
LEDGER_INPUT = "APP.LEDGER.INPUT"
STOCK_REQUEST = "APP.STOCK.REQUEST"
STOCK_REPLY = "APP.STOCK.REPLY"
SHARED_EVENTS = "APP.SHARED.EVENTS"
SHARED_REPLY = "APP.SHARED.REPLY"
TRANSMIT = "APP.TRANSMIT"
COMMANDS = "SYSTEM.COMMAND.INPUT"
DEAD_LETTERS = "APP.DEAD.LETTERS"


def _queues(scale: float, shared: bool) -> tuple[Queue, ...]:
    queues = [
        Queue(ORDERS_REQUEST, 2, 1500, True, 160 * scale, 14_000),
        Queue(ORDERS_REPLY, 2, 900, False, 160 * scale, 4_000, index_type=2),
        Queue(LEDGER_INPUT, 1, 3000, True, 40 * scale, 90_000),
        Queue(STOCK_REQUEST, 2, 800, False, 90 * scale, 6_000),
        Queue(STOCK_REPLY, 2, 400, False, 90 * scale, 3_000),
        Queue(TRANSMIT, 3, 1200, True, 30 * scale, 9_000),
        Queue(COMMANDS, 3, 200, False, 0.2, 3),
        Queue(DEAD_LETTERS, 3, 1000, True, 0, 0),
    ]
    if shared:
        queues += [
            Queue(SHARED_EVENTS, NO_PAGE_SET, 2000, True, 50 * scale, 20_000, structure="APPL1"),
            Queue(SHARED_REPLY, NO_PAGE_SET, 600, False, 50 * scale, 2_000, index_type=2, structure="APPL1"),
        ]
    return tuple(queues)


def _applications(shared: bool) -> tuple[Application, ...]:
    applications = [
        Application("CICSORD", CICS, "ORD1", (ORDERS_REPLY,), (ORDERS_REQUEST,), 4, 1),
        Application("LEDGERIN", BATCH, "LEDGER", (TRANSMIT,), (LEDGER_INPUT,), 1, 40),
        Application("IMSSTOCK", IMS_REGION, "STOCKQ", (STOCK_REPLY,), (STOCK_REQUEST,), 2, 1),
        Application("CMDSERV", BATCH, "ADMIN", (COMMANDS,), (COMMANDS,), 1, 1),
        Application("CHIN", CHANNELS, "", (ORDERS_REQUEST, LEDGER_INPUT, STOCK_REQUEST), (TRANSMIT,), 3, 20),
        Application("CLIENTS", CHANNELS, "", (), (ORDERS_REPLY, STOCK_REPLY), 3, 1),
    ]
    if shared:
        applications.append(Application("RRSEVENT", RRS, "EVENTS", (SHARED_REPLY,), (SHARED_EVENTS,), 2, 5))
        applications.append(Application("CHINSHR", CHANNELS, "", (SHARED_EVENTS,), (SHARED_REPLY,), 2, 20))
    return tuple(applications)


def _channels(name: str, others: tuple[str, ...], scale: float) -> tuple[Channel, ...]:
    channels = []
    for number, other in enumerate(others):
        address = f"10.0.{number}.1(1414)"
        channels.append(Channel(f"{name}.TO.{other}", SENDER, other, address, 1200, 30 * scale / len(others), 50, True))
        channels.append(Channel(f"{other}.TO.{name}", RECEIVER, other, address, 1500, 60 * scale, 50, True))
    for number in range(50 - len(channels)):
        address = f"10.1.{number}.7"
        channels.append(Channel("APP.CLIENTS", SERVER_CONNECTION, "", address, 1000, 4 * scale, 0, number % 2 == 0))
    return tuple(channels)


def estate(
    queue_managers: int = 4, seed: int = 1, releases: tuple[str, ...] = (NEWEST,), sharing_group: str = "QSG1"
) -> tuple[QueueManager, ...]:
    """Queue managers on two systems: the first of them, and every other one, in the queue-sharing group."""
    if not 1 <= queue_managers <= 99:
        raise ValueError(f"{queue_managers} queue managers: from 1 to 99 can be simulated")
    chance = random.Random(f"estate/{seed}")
    names = tuple(f"QM{number:02d}" for number in range(1, queue_managers + 1))
    built = []
    for number, name in enumerate(names):
        scale = round(0.6 + 0.4 * chance.random(), 3)
        shared = number % 2 == 0
        others = tuple(other for other in names if other != name)[:6] or ("PEER",)
        built.append(
            QueueManager(
                name=name,
                system=("SYSA", "SYSB")[number % 2],
                release=releases[number % len(releases)],
                sharing_group=sharing_group if shared else "",
                local_offset=timedelta(hours=1),
                scale=scale,
                pools=POOLS,
                page_sets=PAGE_SETS,
                structures=STRUCTURES if shared else (),
                queues=_queues(scale, shared),
                applications=_applications(shared),
                channels=_channels(name, others, scale),
                initiator=ChannelInitiator(),
            )
        )
    return tuple(built)
