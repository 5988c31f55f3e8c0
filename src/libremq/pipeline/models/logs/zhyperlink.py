"""zHyperLink: synchronous log writes. Links and sessions needed, CPU spent spinning, rates reached.

Rates: 3931 partition, 16 PFIDs, 30 m cable, 4 GB logs; "busy" is with other load on the control unit [L6392-L6400].
"""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Flag, Quantity, Word, chosen, looked_up, ratio, scaled
from libremq.pipeline.models.registry import model

SESSIONS_MAX = 64
"""Write sessions of one DS8000; without a free one the write is asynchronous."""
TRACK_KB = 56.0
COST_FACTOR = 3.14
"""What persistent MQ work costs with zHyperLink, in times of before; found from the shares of 80 and 20 percent."""
SMALL_GAIN_MAX = {"dedicated": 3.7, "busy": 5.9}

# MB/s: 1 KB messages, best size; without and with zHyperLink.
_RATES = {
    "single": (33.0, 120.0, 268.0, 614.0),
    "single, 4 stripes": (33.0, 122.0, 764.0, 976.0),
    "dual": (31.0, 113.0, 249.0, 566.0),
    "dual, 4 stripes": (31.0, 112.0, 600.0, 519.0),
    "single, busy": (19.0, 112.0, 227.0, 605.0),
    "single, 4 stripes, busy": (19.0, 110.0, 560.0, 952.0),
    "dual, busy": (17.0, 102.0, 198.0, 557.0),
    "dual, 4 stripes, busy": (17.0, 103.0, 409.0, 505.0),
}
PAGE_IO_US = {
    "zHPF off, quiet": 181.0,
    "zHPF, quiet": 115.0,
    "zHPF, busy": 200.0,
    "zHyperLink, quiet": 28.0,
    "zHyperLink, busy": 31.0,
}
"""One page, 30 m cable [L5927-L5936]."""


@model("zhyperlink", "R-ZHL-1", "L6268-L6282, L6313", "sessions")
def zhyperlink_write_sessions(log_copies: Quantity, stripes: Quantity = 1, mirrored: Flag = False) -> Any:
    """How many write sessions do a queue manager's logs take? With all others at most 64. [L6270] R-ZHL-1, R-146."""
    return log_copies * stripes * chosen(mirrored, 2, 1)


@model("zhyperlink", "R-ZHL-2", "L6343-L6354", "percent")
def zhyperlink_links_busy_pct(writes_per_second: Quantity, response_ms: Quantity) -> Any:
    """How busy would one link be with all synchronous writes? [L6343] R-ZHL-2."""
    return writes_per_second * response_ms / 10.0


@model("zhyperlink", "R-ZHL-2", "L6343-L6354, L6377-L6379", "percent")
def zhyperlink_link_busy_pct(writes_per_second: Quantity, response_ms: Quantity, active_links: Quantity) -> Any:
    """How busy is each link (PFID)? Over 25, add links. [L6354] R-ZHL-2."""
    return ratio(zhyperlink_links_busy_pct(writes_per_second, response_ms), active_links)


@model("zhyperlink", "R-143", "L5946, L6602", "us")
def zhyperlink_cpu_us(io_us: Quantity) -> Any:
    """What CPU does a synchronous write take? As long as it lasts. [L5946] R-143, R-ZHL-3."""
    return io_us


@model("zhyperlink", "R-ZHL-3", "L6231-L6234", "us")
def zhyperlink_io_us(total_io_us: Quantity, writes: Quantity) -> Any:
    """How long does a synchronous write take on average? [L6233] R-ZHL-3."""
    return ratio(1.0 * total_io_us, writes)


@model("zhyperlink", "R-ZHL-3", "L6248, L6428", "percent", derived=True)
def zhyperlink_processor_pct(single_page_us: Quantity, multi_page_us: Quantity, interval_seconds: Quantity) -> Any:
    """Which part of one processor spins on log writes? [L6248] R-ZHL-3."""
    return ratio(1.0 * zhyperlink_cpu_us(single_page_us + multi_page_us), interval_seconds * 10000.0)


@model("zhyperlink", "R-ZHL-4", "L6228-L6230", "per log switch")
def per_log_switch(switch_single_page: Quantity, switch_multi_page: Quantity, new_logs: Quantity) -> Any:
    """How many asynchronous writes (or pages) came with each log switch? [L6229] R-ZHL-4."""
    return ratio(1.0 * (switch_single_page + switch_multi_page), new_logs)


@model("zhyperlink", "R-ZHL-5", "L6323-L6333", "us", derived=True)
def zhyperlink_single_page_us(cable_m: Quantity) -> Any:
    """How long does a write of one page take, by the cable? [L6327] R-ZHL-5."""
    return 28 + 7 / 120 * (cable_m - 30)


@model("zhyperlink", "R-ZHL-5", "L6323-L6333", "us", derived=True)
def zhyperlink_sixteen_pages_us(cable_m: Quantity) -> Any:
    """How long does a write of sixteen pages take, by the cable? [L6333] R-ZHL-5."""
    return 105 + 62 / 120 * (cable_m - 30)


@model("zhyperlink", "R-ZHL-6", "L6221-L6222, L6250-L6252", "percent")
def io_share_of_logger_busy_pct(io_busy_pct: Quantity, task_busy_pct: Quantity) -> Any:
    """How much of the logger's busy time is waiting for I/O? Near 0 with zHyperLink, 100 without. [L6252] R-ZHL-6."""
    return ratio(100.0 * io_busy_pct, task_busy_pct)


@model("zhyperlink", "R-ZHL-7", "L6086, L6099", "percent")
def synchronous_writes_pct(synchronous_writes: Quantity, asynchronous_writes: Quantity) -> Any:
    """Which share of log writes was synchronous? [L6086] R-ZHL-7."""
    return ratio(100.0 * synchronous_writes, synchronous_writes + asynchronous_writes)


@model("zhyperlink", "R-ZHL-7", "L6086, L6099", "percent")
def asynchronous_writes_pct(synchronous_pct: Quantity) -> Any:
    """And which share was not? [L6099] R-ZHL-7."""
    return 100 - synchronous_pct


@model("zhyperlink", "R-ZHL-9", "L6663-L6664", "times", derived=True)
def zhyperlink_cost_factor(persistent_share: Quantity, factor: Quantity = COST_FACTOR) -> Any:
    """What does all work cost, when persistent MQ work is such a share of its CPU? [L6663] R-ZHL-9.

    Holds at shares of 20 percent and more; at 5 the source measured less than the line.
    """
    return 1 + persistent_share * (factor - 1)


@model("zhyperlink", "R-ZHL-11", "L6372-L6375", "MB/s")
def short_links_log_mb_per_second_min(mb_per_second: Quantity, message_kb: Quantity, loss: Quantity = 0.38) -> Any:
    """Which rate is left at worst with 8 links where more are wanted? Only 16 to 100 KB suffer. [L6373] R-ZHL-11."""
    return mb_per_second * chosen((message_kb >= 16) & (message_kb <= 100), 1 - loss, 1.0)


@model("zhyperlink", "R-145", "L5913-L5919", "KB", derived=True)
def zhyperlink_stripe_kb(stripes: Quantity, track_kb: Quantity = TRACK_KB) -> Any:
    """How much goes to each stripe, when one write carries a track at most? [L5915] R-145."""
    return ratio(track_kb, stripes)


@model("zhyperlink", "T-3", "L6418-L6588", "MB/s")
def asynchronous_log_1kb_mb_per_second(configuration: Word) -> Any:
    """Which rate of 1 KB messages without zHyperLink: "single", "dual, 4 stripes", "dual, busy"...? [L6418] T-3."""
    return looked_up(configuration, {name: rates[0] for name, rates in _RATES.items()})


@model("zhyperlink", "T-3", "L6418-L6588", "MB/s")
def zhyperlink_log_1kb_mb_per_second(configuration: Word) -> Any:
    """Which rate of 1 KB messages with zHyperLink? [L6418] T-3."""
    return looked_up(configuration, {name: rates[1] for name, rates in _RATES.items()})


@model("zhyperlink", "T-3", "L6418-L6588", "MB/s")
def asynchronous_log_peak_mb_per_second(configuration: Word) -> Any:
    """Which peak rate without zHyperLink? [L6420] T-3."""
    return looked_up(configuration, {name: rates[2] for name, rates in _RATES.items()})


@model("zhyperlink", "T-3", "L6418-L6588", "MB/s")
def zhyperlink_log_peak_mb_per_second(configuration: Word) -> Any:
    """Which peak rate with zHyperLink? [L6420] T-3, R-ZHL-8."""
    return looked_up(configuration, {name: rates[3] for name, rates in _RATES.items()})


@model("zhyperlink", "T-31", "L5830, L5856-L5870", "MB/s")
def zhyperlink_log_mb_per_second_best(asynchronous_mb_per_second: Quantity, surroundings: Word = "dedicated") -> Any:
    """Which rate is reached at best from one without, "dedicated" or "busy"? [L5830] T-31."""
    return scaled(asynchronous_mb_per_second, looked_up(surroundings, SMALL_GAIN_MAX))


@model("zhyperlink", "T-30", "L5927-L5936", "us")
def single_page_log_io_us(setting: Word) -> Any:
    """How long does a log write of one page take: "zHPF, quiet", "zHyperLink, busy"...? [L5927] T-30."""
    return looked_up(setting, PAGE_IO_US)
