"""Tasks of the channel initiator: how many adapters, dispatchers, SSL tasks; how busy; which channel is on which."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, chosen, larger, ratio, rounded_down, rounded_up, smaller
from libremq.pipeline.models.registry import model

ADAPTERS_MAX = 120
CHUNK_MAX = 10
OMVS_THREADS_FIXED = 3
"""One for CSQXJST, two for CSQXRCTL, of which one listens."""


@model("chinit_task", "R-55", "L3938, L4370", "adapters")
def adapters_recommended(processors: Quantity) -> Any:
    """How many adapter tasks does a heavy persistent load want? More than needed does no harm. [L3938] R-55."""
    return smaller(ADAPTERS_MAX, 30 + 8 * larger(processors - 4, 0))


@model("chinit_task", "T-22", "L4597-L4607", "percent", derived=True)
def task_busy_pct(requests: Quantity, average_elapsed_us: Quantity, interval_seconds: Quantity) -> Any:
    """How busy is an adapter, dispatcher or SSL task, by the elapsed time of its requests? [L4599] T-22, R-56, R-63."""
    return ratio(1.0 * requests * average_elapsed_us, interval_seconds * 10000.0)


@model("chinit_task", "T-22", "L4597-L4607", "percent", derived=True)
def task_cpu_pct(cpu_seconds: Quantity, interval_seconds: Quantity) -> Any:
    """Which part of one processor does a task use? [L4599] T-22."""
    return ratio(100.0 * cpu_seconds, interval_seconds)


@model("chinit_task", "T-22", "L4597-L4607", "us", derived=True)
def task_cpu_us_per_request(cpu_seconds: Quantity, requests: Quantity) -> Any:
    """How much CPU does a task use for a request? [L4599] T-22."""
    return ratio(1000000.0 * cpu_seconds, requests)


@model("chinit_task", "R-57", "L3964", "channels")
def dispatcher_chunk(maxchl: Quantity, chidisps: Quantity) -> Any:
    """How many channels start on one dispatcher before the next one takes over? [L3964] R-57."""
    return larger(smaller(rounded_down(ratio(maxchl, larger(chidisps, 1))), CHUNK_MAX), 1)


@model("chinit_task", "R-57", "L3964, L3980", "dispatcher from 0", derived=True)
def dispatcher_of_channel(start_position: Quantity, maxchl: Quantity, chidisps: Quantity) -> Any:
    """On which dispatcher is the channel that started in that position, both counted from 0? [L3964] R-57."""
    return rounded_down(start_position / dispatcher_chunk(maxchl, chidisps)) % larger(chidisps, 1)


@model("chinit_task", "R-57", "L3964, L3980", "channels", derived=True)
def channels_on_dispatcher(dispatcher: Quantity, channels: Quantity, maxchl: Quantity, chidisps: Quantity) -> Any:
    """How many of the started channels are on a dispatcher, counted from 0? [L3980] R-57."""
    chunk = dispatcher_chunk(maxchl, chidisps)
    rounds = rounded_down(ratio(channels, chunk * larger(chidisps, 1)))
    left = channels - rounds * chunk * chidisps
    return rounds * chunk + larger(smaller(left - dispatcher * chunk, chunk), 0)


@model("chinit_task", "R-57", "L3964-L3970", "dispatchers", derived=True)
def dispatchers_in_use(channels: Quantity, maxchl: Quantity, chidisps: Quantity) -> Any:
    """How many dispatchers have a channel? Fewer than CHIDISPS: MAXCHL is too large for it. [L3970] R-57, R-59."""
    return smaller(chidisps, rounded_up(channels / dispatcher_chunk(maxchl, chidisps)))


@model("chinit_task", "R-61", "L3999-L4024", "threads")
def omvs_threads(chidisps: Quantity, ssltasks: Quantity = 0, channel_initiators: Quantity = 1) -> Any:
    """How many OMVS threads do channel initiators under one user take? [L3999] R-61."""
    return channel_initiators * (OMVS_THREADS_FIXED + chidisps + ssltasks)


@model("chinit_task", "R-61", "L4029", "processes")
def maxproc_increase(more_dispatchers: Quantity, queue_managers: Quantity) -> Any:
    """By how much must MAXPROCSYS and MAXPROCUSER go up with CHIDISPS? [L4029] R-61."""
    return larger(more_dispatchers, 0) * queue_managers


@model("chinit_task", "R-62", "L4569-L4575", "SSL tasks", derived=True)
def ssltasks_recommended(chidisps: Quantity, processors: Quantity) -> Any:
    """How many SSL tasks: one more than dispatchers, and more than processors? [L4569] R-62."""
    return larger(chidisps, processors) + 1


@model("chinit_task", "R-60", "L3972", "dispatchers")
def dispatchers_recommended(channels: Quantity, chidisps_now: Quantity) -> Any:
    """How many dispatchers, when no report says more: twenty above a thousand channels? [L3972] R-60."""
    return chosen(channels > 1000, larger(chidisps_now, 20), chidisps_now)
