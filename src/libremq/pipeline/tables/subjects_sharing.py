"""Subjects of queue sharing: Db2 server tasks, coupling-facility structures, shared message data sets."""

from __future__ import annotations

from collections.abc import Iterator

from libremq.pipeline.tables.subjects_schema import (
    Column,
    Subject,
    average,
    count,
    derived,
    flag,
    gauge,
    high,
    key,
    longest,
    low,
    pct,
    per,
    usec,
    with_rates,
)

_DB2_REQUESTS = (
    ("reads", "readcnt", "read", "reads"),
    ("lists", "listcnt", "list", "list requests"),
    ("updates", "updtcnt", "updt", "updates"),
    ("writes", "writcnt", "writ", "writes"),
    ("deletes", "delecnt", "dele", "deletes"),
    ("channel_status_selects", "scssel", "scss", "selects on the channel status table"),
    ("channel_status_inserts", "scsins", "scsi", "inserts into the channel status table"),
    ("channel_status_updates", "scsupd", "scsu", "updates of the channel status table"),
    ("channel_status_deletes", "scsdel", "scsd", "deletes from the channel status table"),
    ("sync_key_selects", "ssksel", "ssks", "selects on the shared sync key table"),
    ("sync_key_inserts", "sskins", "sski", "inserts into the shared sync key table"),
    ("sync_key_deletes", "sskdel", "sskd", "deletes from the shared sync key table"),
    ("blob_selects", "lmssel", "lmss", "reads of large messages"),
    ("blob_inserts", "lmsins", "lmsi", "large messages stored"),
    ("blob_updates", "lmsupd", "lmsu", "large messages changed"),
    ("blob_deletes", "lmsdel", "lmsd", "large messages deleted"),
    ("blob_lists", "lmslis", "lmsl", "lists of large messages"),
)
"""Requests to Db2: our name, the counter, what the four timings start with, what it counts."""


def _db2_requests() -> Iterator[Column]:
    for name, counter, timing, about in _DB2_REQUESTS:
        yield count(name, f"q5st.{counter}", about)
        yield usec(f"{name}_thread_us", f"q5st.{timing}tcuw", f"time at the Db2 thread, {about}")
        yield longest(f"{name}_longest_thread_us", f"q5st.{timing}tmxw", f"longest at the Db2 thread, {about}")
        yield usec(f"{name}_sql_us", f"q5st.{timing}scuw", f"time in SQL, {about}")
        yield longest(f"{name}_longest_sql_us", f"q5st.{timing}smxw", f"longest in SQL, {about}")
        yield average(f"{name}_average_thread_us", f"{name}_thread_us", name, f"mean at the Db2 thread, {about}")
        yield average(f"{name}_average_sql_us", f"{name}_sql_us", name, f"mean in SQL, {about}")


DB2 = Subject(
    "db2",
    "Requests to Db2 in an interval",
    "interval",
    with_rates(
        (
            gauge("server_tasks", "q5st.numtask", "server tasks"),
            gauge("active_server_tasks", "q5st.acttask", "server tasks with a connection"),
            count("connects", "q5st.conncnt", "connections made"),
            count("disconnects", "q5st.disccnt", "connections ended"),
            high("request_queue_high", "q5st.dhigmax", "most requests waiting for a server task"),
            count("task_abends", "q5st.abndcnt", "server tasks that ended abnormally"),
            count("requeues", "q5st.requcnt", "requests queued again"),
            count("deadlocks", "q5st.deadcnt", "requests ended by deadlock or timeout"),
            count(
                "channel_status_buffer_too_small", "q5st.scsbfts", "channel status selects whose buffer was too small"
            ),
            high("channel_status_rows_high", "q5st.scsmaxr", "most rows of a channel status select"),
            *_db2_requests(),
            derived("requests", " + ".join(name for name, *_ in _DB2_REQUESTS), "requests of all kinds", "bigint"),
            derived(
                "thread_us", " + ".join(f"{name}_thread_us" for name, *_ in _DB2_REQUESTS), "thread time", "bigint"
            ),
            derived("requests_per_second", per("requests", "interval_seconds"), "requests each second"),
            average("average_thread_us", "thread_us", "requests", "mean time at the Db2 thread"),
            derived(
                "server_tasks_busy_pct",
                pct("thread_us", "server_tasks * interval_seconds * 1000000"),
                "share of the server tasks' time that was used",
            ),
        )
    ),
)

CF_STRUCTURE = Subject(
    "cf_structure",
    "Calls to one coupling-facility structure in an interval",
    "interval",
    with_rates(
        (
            key("cf_structure", "qest.qeststr", "name of the structure, without the group's name", "string"),
            gauge("structure_number", "qest.qeststrn", "its number"),
            count("single_calls", "qest.qestcsec", "calls for one entry (IXLLSTE)"),
            count("multiple_calls", "qest.qestcmec", "calls for several entries (IXLLSTM)"),
            usec("single_call_us", "qest.qestsstc", "time of the calls for one entry"),
            usec("multiple_call_us", "qest.qestmstc", "time of the calls for several entries"),
            count("single_redrives", "qest.qestrsec", "calls for one entry made again"),
            count("multiple_redrives", "qest.qestrmec", "calls for several entries made again"),
            count("structure_full_events", "qest.qestsful", "times the structure was full"),
            high("entries_used_high", "qest.qestmnus", "most entries in use"),
            high("elements_used_high", "qest.qestmlus", "most elements in use"),
            derived("calls", "single_calls + multiple_calls", "calls of both kinds", "bigint"),
            derived("calls_per_second", per("calls", "interval_seconds"), "calls each second"),
            average("single_call_average_us", "single_call_us", "single_calls", "mean time of a call for one entry"),
            average(
                "multiple_call_average_us", "multiple_call_us", "multiple_calls", "mean time of a call for several"
            ),
            derived("redrives", "single_redrives + multiple_redrives", "calls made again", "bigint"),
            derived("redrive_pct", pct("redrives", "calls"), "calls made again for each call"),
            derived("single_redrive_pct", pct("single_redrives", "single_calls"), "the same for one entry"),
            derived("multiple_redrive_pct", pct("multiple_redrives", "multiple_calls"), "the same for several"),
            average(
                "elements_per_entry_high", "elements_used_high", "entries_used_high", "elements for each entry at most"
            ),
        )
    ),
)

SMDS = Subject(
    "smds",
    "The shared message data set and buffers of one CF structure in an interval",
    "interval",
    with_rates(
        (
            key("cf_structure", "qesd.qesdstr", "name of the CF structure", "string"),
            gauge("structure_number", "qesd.qesdstrn", "its number"),
            gauge("blocks", "qesd.qesdsmbt", "blocks in the data set"),
            gauge("space_map_blocks", "qesd.qesdsmbs", "blocks of the space map"),
            gauge("data_blocks", "qesd.qesdsmbd", "blocks for message data"),
            gauge("used_blocks", "qesd.qesdsmbu", "blocks in use"),
            gauge("free_blocks", "qesd.qesdsmbf", "blocks free"),
            gauge("messages", "qesd.qesdsmmc", "messages in the data set"),
            count("allocations", "qesd.qesdsmar", "requests for space"),
            count("releases", "qesd.qesdsmfr", "space given back"),
            count("reallocations", "qesd.qesdsmrr", "requests to reallocate space"),
            count("cleanups", "qesd.qesdsmcr", "requests to clean up space"),
            count("pages_allocated", "qesd.qesdsmap", "pages allocated"),
            count("pages_freed", "qesd.qesdsmfp", "pages freed"),
            count("pages_reallocated", "qesd.qesdsmrp", "pages reallocated"),
            count("pages_cleaned_up", "qesd.qesdsmcp", "pages cleaned up"),
            count("allocation_failures", "qesd.qesdsmfl", "requests for space that failed"),
            high("messages_high", "qesd.qesdsmmm", "most messages"),
            high("used_blocks_high", "qesd.qesdsmmu", "most blocks in use"),
            low("free_blocks_low", "qesd.qesdsmmf", "fewest blocks free"),
            gauge("buffer_bytes", "qesd.qesdbfsz", "size of a buffer"),
            gauge("buffers", "qesd.qesdbfto", "buffers in the pool"),
            gauge("buffers_used_shared", "qesd.qesdbfus", "buffers in use for shared data"),
            gauge("buffers_used_private", "qesd.qesdbfup", "buffers in use for private data"),
            gauge("buffers_free_saved", "qesd.qesdbffs", "free buffers that still hold data"),
            gauge("buffers_free_empty", "qesd.qesdbffe", "free buffers that are empty"),
            gauge("pool_waiters", "qesd.qesdbfpw", "tasks waiting for any buffer"),
            gauge("buffer_waiters", "qesd.qesdbfbw", "tasks waiting for a particular buffer"),
            count("buffer_gets", "qesd.qesdbfgb", "requests for a buffer"),
            count("buffer_gets_valid", "qesd.qesdbfgv", "met with one that held the data"),
            count("buffer_gets_matching", "qesd.qesdbfgm", "met with an empty one of the same block"),
            count("buffer_gets_free", "qesd.qesdbfgf", "met with a free empty one"),
            count("buffers_stolen", "qesd.qesdbfgl", "met by taking the least recently used one"),
            count("buffer_gets_failed", "qesd.qesdbfgn", "not met"),
            count("reads_requested", "qesd.qesdbfrr", "requests to read into a buffer"),
            count("reads_saved", "qesd.qesdbfrs", "reads saved, the data was there"),
            count("reads_partial", "qesd.qesdbfrp", "reads partly saved"),
            count("writes_requested", "qesd.qesdbfwr", "requests to write from a buffer"),
            count("buffers_freed_with_data", "qesd.qesdbffb", "buffers freed that kept their data"),
            count("buffers_discarded", "qesd.qesdbfdb", "buffers emptied"),
            count("pool_waits", "qesd.qesdbfwp", "waits for any buffer"),
            count("buffer_waits", "qesd.qesdbfwb", "waits for a particular buffer"),
            usec("pool_wait_us", "qesd.qesdbfpt", "time of waits for any buffer"),
            usec("buffer_wait_us", "qesd.qesdbfbt", "time of waits for a particular buffer"),
            high("buffers_used_high", "qesd.qesdbfmu", "most buffers in use"),
            low("buffers_free_low", "qesd.qesdbfmf", "fewest buffers free; the console shows a deficit as negative"),
            high("pool_waiters_high", "qesd.qesdbfmp", "most tasks waiting for any buffer"),
            high("buffer_waiters_high", "qesd.qesdbfmb", "most tasks waiting for a particular buffer"),
            gauge("pages_allocated_to_data_set", "qesd.qesdioha", "control intervals allocated to the data set"),
            gauge("pages_used_in_data_set", "qesd.qesdiohu", "control intervals in use at most"),
            gauge("page_bytes", "qesd.qesdioci", "size of a control interval"),
            count("format_ios", "qesd.qesdiofr", "formatting writes"),
            count("format_pages", "qesd.qesdiofp", "pages in those"),
            usec("format_us", "qesd.qesdioft", "time of those"),
            count("write_ios", "qesd.qesdiowr", "writes"),
            count("write_pages", "qesd.qesdiowp", "pages in those"),
            usec("write_us", "qesd.qesdiowt", "time of those"),
            usec("write_wait_us", "qesd.qesdioww", "time waited for those"),
            count("read_ios", "qesd.qesdiorr", "reads of its own data set"),
            count("read_pages", "qesd.qesdiorp", "pages in those"),
            usec("read_us", "qesd.qesdiort", "time of those"),
            usec("read_wait_us", "qesd.qesdiorw", "time waited for those"),
            count("other_read_ios", "qesd.qesdioor", "reads of data sets of other queue managers"),
            count("other_read_pages", "qesd.qesdioop", "pages in those"),
            usec("other_read_us", "qesd.qesdioot", "time of those"),
            usec("other_read_wait_us", "qesd.qesdioow", "time waited for those"),
            flag("encrypted", "qesd.qesdencf", "the data set is encrypted"),
            derived("used_pct", pct("used_blocks", "data_blocks"), "share of blocks in use"),
            derived("used_high_pct", pct("used_blocks_high", "data_blocks"), "largest share of blocks in use"),
            derived("reads_saved_pct", pct("reads_saved", "reads_requested"), "share of reads saved"),
            derived("pool_wait_pct", pct("pool_waits", "buffer_gets"), "share of buffer requests that waited"),
            average("write_average_us", "write_us", "write_ios", "mean time of a write"),
            average("read_average_us", "read_us", "read_ios", "mean time of a read"),
            average("other_read_average_us", "other_read_us", "other_read_ios", "mean time of a read from others"),
        )
    ),
)
