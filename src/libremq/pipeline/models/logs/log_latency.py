"""How long the log makes an application wait: I/Os for a log check, and the rate that I/O times allow.

An "I/O time" is the time of one write to both copies in parallel. Where the disks have no write cache, dual logging
writes a page again to one copy after the other, which is two of them.
"""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Flag, Quantity, chosen, ratio, rounded_up
from libremq.pipeline.models.registry import model

BUFFER_KB = 4
BUFFERS_PER_IO = 128
"""Today's limit. The source's worked examples are of a time when it was 15."""
ARCHIVING_LOSS_MAX = 0.12


@model("log_latency", "R-LG-1", "L6891, L7012", "buffers")
def log_buffers(outbuff_kb: Quantity) -> Any:
    """How many log buffers does OUTBUFF make? [L6891] R-LG-1."""
    return outbuff_kb / BUFFER_KB


@model("log_latency", "R-LG-3", "L6927, L6937", "I/Os")
def log_ios_for_burst(
    full_buffers: Quantity, current_written: Flag = False, buffers_per_io: Quantity = BUFFERS_PER_IO
) -> Any:
    """How many writes does a burst take at least, the current page apart? [L6927] R-LG-3."""
    return rounded_up(ratio(full_buffers, buffers_per_io)) + chosen(current_written, 1, 0)


@model("log_latency", "R-LG-4", "L6943-L6945, L6991-L6992", "I/O times")
def log_check_io_times(
    full_buffers: Quantity,
    current_first_writes: Quantity = 0,
    current_rewrites: Quantity = 1,
    buffers_per_io: Quantity = BUFFERS_PER_IO,
) -> Any:
    """How many I/O times does a log check wait, dual logging, disks without write cache? [L6945] R-LG-4, R-LG-8.

    One for each write of full buffers and for the first write of a current page, two for writing one again.
    """
    return rounded_up(ratio(full_buffers, buffers_per_io)) + current_first_writes + 2 * current_rewrites


@model("log_latency", "R-LG-8", "L6980-L7008", "I/O times")
def log_schedule_io_times(parallel_writes: Quantity, serial_rewrites: Quantity) -> Any:
    """How many I/O times does a sequence of log writes take? [L7007] R-LG-8, T-14."""
    return parallel_writes + 2 * serial_rewrites


@model("log_latency", "R-LG-9", "L7023, L7039-L7043", "ms")
def log_check_ms(io_times: Quantity, io_ms: Quantity) -> Any:
    """How long is that, given the time of one I/O? [L7039] R-LG-9."""
    return io_times * io_ms


@model("log_latency", "R-LG-5", "L6922", "log checks")
def log_checks_per_commit(two_phase: Flag) -> Any:
    """How many log checks does a commit wait for? [L6922] R-LG-5."""
    return chosen(two_phase, 2, 1)


@model("log_latency", "R-LG-6", "L7017-L7030", "pages")
def log_pages_per_message(log_pages: Quantity, messages: Quantity) -> Any:
    """How many log pages does a message take, from QJSTBFFL? [L7018] R-LG-6."""
    return ratio(1.0 * log_pages, messages)


@model("log_latency", "R-LG-7", "L7047-L7062", "I/Os")
def multi_page_log_ios(pages_put: Quantity, messages: Quantity, pages_per_io: Quantity = BUFFERS_PER_IO) -> Any:
    """How many writes of full pages do messages take, their current pages not counted? [L7057] R-LG-7."""
    return rounded_up(ratio(pages_put - messages, pages_per_io))


@model("log_latency", "R-LG-7", "L7047-L7062", "ms")
def log_io_ms(
    pages_put: Quantity,
    messages: Quantity,
    multi_page_ms: Quantity,
    current_page_ms: Quantity,
    put_commits: Quantity,
    get_commits: Quantity,
    pages_per_io: Quantity = BUFFERS_PER_IO,
) -> Any:
    """How long is the log busy when messages are put, committed, got and committed one by one? [L7060] R-LG-7."""
    full = multi_page_log_ios(pages_put, messages, pages_per_io) * multi_page_ms
    return full + (put_commits + get_commits) * 2 * current_page_ms


@model("log_latency", "R-LG-7", "L7047-L7064", "messages/s")
def messages_per_second_by_log_io(
    pages_put: Quantity,
    messages: Quantity,
    multi_page_ms: Quantity,
    current_page_ms: Quantity,
    pages_per_io: Quantity = BUFFERS_PER_IO,
) -> Any:
    """Which rate do the I/O times allow, with a commit for each put and each get? [L7062] R-LG-7."""
    total_ms = log_io_ms(pages_put, messages, multi_page_ms, current_page_ms, messages, messages, pages_per_io)
    return ratio(1000.0 * messages, total_ms)


@model("log_latency", "R-LG-10", "L6184-L6186", "pages/s", derived=True)
def log_pages_per_second(log_pages: Quantity, interval_seconds: Quantity) -> Any:
    """How many pages a second were logged? [L6184] R-LG-10."""
    return ratio(1.0 * log_pages, interval_seconds)


@model("log_latency", "R-LG-10", "L6184-L6186", "MB/s", derived=True)
def log_copy_mb_per_second(log_pages: Quantity, interval_seconds: Quantity) -> Any:
    """How much is that to each copy of the log, in MB of 2**20 bytes? [L6186] R-LG-10."""
    return ratio(log_pages / 256.0, interval_seconds)


@model("log_latency", "R-LG-10", "L6189", "pages per write", derived=True)
def log_pages_per_write(log_pages: Quantity, write_requests: Quantity) -> Any:
    """How many pages does a log write carry? [L6189] R-LG-10."""
    return ratio(1.0 * log_pages, write_requests)


@model("log_latency", "R-LG-12", "L7888", "messages/s")
def archiving_messages_per_second_min(messages_per_second: Quantity, loss: Quantity = ARCHIVING_LOSS_MAX) -> Any:
    """Which rate is left at worst when archiving is on, one queue manager, dual logs? [L7888] R-LG-12."""
    return messages_per_second * (1 - loss)
