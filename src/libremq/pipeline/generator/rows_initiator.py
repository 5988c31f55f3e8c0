"""The rows of a healthy channel initiator: totals, its tasks, its channels."""

from __future__ import annotations

from libremq.pipeline.generator.estate import RECEIVER, SENDER, SERVER_CONNECTION, Channel
from libremq.pipeline.generator.interval import Row
from libremq.pipeline.generator.structures import clock, clock_units
from libremq.pipeline.generator.traffic import Traffic

ADAPTER_US = 60.0
DISPATCHER_US = 60.0
DISPATCHER_HOUSEKEEPING_PER_SECOND = 250
TLS_US = 45.0
CIPHER_AES_GCM = 0x1302
CLOCK_STEP = 0xFFFFFFFF00000000
"""Channel start and stop times have only their upper half."""


def channel_messages(traffic: Traffic, channel: Channel) -> int:
    return int(channel.messages_per_second * traffic.load * traffic.seconds)


def totals(traffic: Traffic) -> Row:
    owner, initiator = traffic.queue_manager, traffic.queue_manager.initiator
    channels = len(owner.channels)
    return {
        "qcctjobn": f"{owner.name}CHIN",
        "qcctqsgn": owner.sharing_group,
        "qcctnocc": channels,
        "qcctmxcc": initiator.channels_max,
        "qcctnoac": channels,
        "qcctmxac": initiator.channels_max,
        "qcctmxtp": initiator.channels_max,
        "qcctmxlu": initiator.channels_max,
        "qcctstus": 180 + int(30 * traffic.load),
        "qcctstab": 900 + int(500 * traffic.load),
        "qcctslim": initiator.storage_limit_mb,
    }


def task_row(number: int, traffic: Traffic, requests: int, each_us: float, cpu_share: float = 0.4) -> Row:
    """One task: what it did and how long it was at it; the rest of the interval it waited for work."""
    busy = min(requests * each_us, 0.995 * traffic.microseconds)
    return {
        "qcttskn": 0x8C0000 + number * 0x290,
        "qctreqn": requests,
        "qctcptm": clock_units(busy * cpu_share),
        "qcteltm": clock_units(busy),
        "qctwttm": clock_units(traffic.microseconds - busy),
    }


def adapters(traffic: Traffic) -> list[Row]:
    """Work goes to the first adapter that is free, so use falls off towards the last ones, which have none."""
    requests = 3 * sum(channel_messages(traffic, channel) for channel in traffic.queue_manager.channels)
    count = traffic.queue_manager.initiator.adapters
    left, rows = requests, []
    for number in range(count):
        share = left // 2 if number < count // 2 else 0
        if number == count // 2 - 1:
            share = left
        left -= share
        rows.append(task_row(number, traffic, share, ADAPTER_US))
    return rows


def dispatchers(traffic: Traffic) -> list[Row]:
    owner, count = traffic.queue_manager, traffic.queue_manager.initiator.dispatchers
    loads = [0] * count
    channels = [0] * count
    total = sum(channel_messages(traffic, channel) for channel in owner.channels)
    for position in range(len(owner.channels)):
        channels[position // 10 % count] += 1
    for number in range(count):
        loads[number] = 8 * total * channels[number] // max(1, len(owner.channels))
        loads[number] += int(DISPATCHER_HOUSEKEEPING_PER_SECOND * traffic.seconds)
    rows = []
    for number in range(count):
        row = task_row(100 + number, traffic, loads[number], DISPATCHER_US, 0.8)
        row["qctchln"] = channels[number]
        rows.append(row)
    return rows


def tls_tasks(traffic: Traffic) -> list[Row]:
    owner = traffic.queue_manager
    secured = 2 * sum(channel_messages(traffic, channel) for channel in owner.channels if channel.tls)
    count = owner.initiator.tls_tasks
    rows = []
    for number in range(count):
        row = task_row(200 + number, traffic, secured // count, TLS_US, 0.5)
        row["qctlstm"] = clock(traffic.start)
        row["qctlsdu"] = clock_units(2500)
        rows.append(row)
    return rows


def name_service(traffic: Traffic) -> list[Row]:
    row = task_row(300, traffic, 6 + int(10 * traffic.load), 800.0, 0.1)
    row["qctlgtm"] = clock(traffic.start)
    row["qctlgdu"] = clock_units(3_000)
    return [row]


def channels(traffic: Traffic) -> list[Row]:
    return [_channel(traffic, number, channel) for number, channel in enumerate(traffic.queue_manager.channels)]


def _channel(traffic: Traffic, number: int, channel: Channel) -> Row:
    messages = channel_messages(traffic, channel)
    achieved = channel.batch_size * 4 // 5
    batches = messages // achieved if achieved else 0
    persistent = messages if channel.kind in (SENDER, RECEIVER) else 0
    data = messages * (channel.message_bytes + 476)
    outward = channel.kind == SENDER
    end = clock(traffic.end)
    row: Row = {
        "qcstcltm": end,
        "qcstchnm": channel.name,
        "qcstchdp": 4,
        "qcstchty": channel.kind,
        "qcstchst": 3,
        "qcststcl": 33,
        "qcstcnnm": channel.address,
        "qcststrt": clock(traffic.began) & CLOCK_STEP,
        "qcstludt": 0,
        "qcstlmst": end & CLOCK_STEP if messages else 0,
        "qcstcbsz": channel.batch_size,
        "qcstnmsg": messages,
        "qcstnpmg": persistent,
        "qcstbatc": batches,
        "qcstfuba": batches * 7 // 10,
        "qcstbfst": messages if outward else batches + messages // 2,
        "qcstbfrc": batches if outward else messages,
        "qcstcscv": 1 if channel.kind == SERVER_CONNECTION else 0,
        "qcstnbyt": messages * channel.message_bytes,
        "qcstnpby": persistent * channel.message_bytes,
        "qcstbyst": data if outward else batches * 28,
        "qcstbyrc": batches * 28 if outward else data,
        "qcstdnrt": 900,
        "qcstntav": 400 if outward else 0,
        "qcstrqmn": channel.partner or "clients",
        "qcstslcs": CIPHER_AES_GCM if channel.tls else 0,
        "qcstcbit": 0,
        "qcstcbdl": 5000 if channel.batch_size else 0,
        "qcstdspn": number // 10 % traffic.queue_manager.initiator.dispatchers,
        "qcstrpid": "MQMM",
        "qcstrver": "10000000",
    }
    if outward:
        row.update({"qcstntmn": 300, "qcstntmx": 1500, "qcstntdt": end, "qcstqetc": batches // 3})
    return row
