"""Subjects of the queue manager: MQI calls, messages, buffer pools, page sets, locks, storage, topics, queues."""

from __future__ import annotations

from libremq.pipeline.tables.subjects_schema import (
    Subject,
    average,
    count,
    cumulative,
    derived,
    flag,
    gauge,
    high,
    key,
    longest,
    low,
    pct,
    per,
    text,
    time,
    usec,
    with_rates,
)

MESSAGE_MANAGER = Subject(
    "message_manager",
    "MQI calls of the queue manager in an interval",
    "interval",
    with_rates(
        (
            count("opens", "qmst.qmstopen", "MQOPEN calls"),
            count("closes", "qmst.qmstclos", "MQCLOSE calls"),
            count("gets", "qmst.qmstget", "MQGET calls, those that found nothing included"),
            count("puts", "qmst.qmstput", "MQPUT calls"),
            count("put1s", "qmst.qmstput1", "MQPUT1 calls"),
            count("inquires", "qmst.qmstinq", "MQINQ calls"),
            count("internal_inquires", "qmst.qmstinql", "inquiries the queue manager made itself"),
            count("sets", "qmst.qmstset", "MQSET calls"),
            count("end_waits", "qmst.qmstendw", "waits for a message that were ended"),
            count("close_all_handles", "qmst.qmstcalh", "times all handles of a task were closed for it"),
            count("subscribes", "qmst.qmstsub", "MQSUB calls"),
            count("subscription_requests", "qmst.qmstsubr", "MQSUBRQ calls"),
            count("callbacks", "qmst.qmstcb", "MQCB calls"),
            count("controls", "qmst.qmstctl", "MQCTL calls"),
            count("status_calls", "qmst.qmststus", "MQSTAT calls"),
            count("publishes", "qmst.qmstpubs", "messages published"),
            count("persistent_puts", "qmst.qmstspp", "persistent messages put; absent before 9.0.3"),
            count("nonpersistent_puts", "qmst.qmstsnp", "nonpersistent messages put; absent before 9.0.3"),
            count("persistent_put_bytes", "qmst.qmstpbp", "bytes of persistent messages put"),
            count("nonpersistent_put_bytes", "qmst.qmstnbp", "bytes of nonpersistent messages put"),
            count("trace_contexts_put", "qmst.qmstocpa", "puts that passed on a trace context"),
            count("trace_contexts_got", "qmst.qmstocga", "gets that passed on a trace context"),
            count("trace_spans_sent", "qmst.qmstosok", "trace spans sent"),
            count("trace_spans_failed", "qmst.qmstosfr", "trace spans that could not be sent"),
            count("trace_spans_over_capacity", "qmst.qmstosfc", "trace spans lost for want of capacity"),
            usec("trace_cpu_us", "qmst.qmstotpu", "processor time of the tasks that send trace spans"),
            gauge("trace_tasks", "qmst.qmstotsk", "tasks that send trace spans"),
            derived("messages_put", "puts + put1s", "MQPUT and MQPUT1 calls together", "bigint"),
            derived(
                "mqi_calls",
                "opens + closes + gets + puts + put1s + inquires + sets + coalesce(subscribes, 0)"
                " + coalesce(subscription_requests, 0) + coalesce(callbacks, 0) + coalesce(controls, 0)"
                " + coalesce(status_calls, 0)",
                "MQI calls of all kinds that applications make",
                "bigint",
            ),
            derived("messages_put_per_second", per("messages_put", "interval_seconds"), "messages put each second"),
            derived("mqi_calls_per_second", per("mqi_calls", "interval_seconds"), "MQI calls each second"),
            derived("put1_pct", pct("put1s", "messages_put"), "share of puts made with MQPUT1, which opens each time"),
            derived(
                "gets_per_put", per("gets", "messages_put"), "get calls for each message put; far above 1 is polling"
            ),
            derived("opens_per_message", per("opens", "messages_put"), "queues opened for each message put"),
            derived(
                "persistent_put_pct",
                pct("persistent_puts", "persistent_puts + nonpersistent_puts"),
                "share of messages that are persistent",
            ),
            average("persistent_message_bytes", "persistent_put_bytes", "persistent_puts", "mean persistent message"),
            average(
                "nonpersistent_message_bytes",
                "nonpersistent_put_bytes",
                "nonpersistent_puts",
                "mean nonpersistent message",
            ),
        )
    ),
)

DATA_MANAGER = Subject(
    "data_manager",
    "Messages and objects on private queues in an interval",
    "interval",
    with_rates(
        (
            count("message_gets", "qist.qistmget", "messages read by the data manager"),
            count("message_puts", "qist.qistmput", "messages stored by the data manager"),
            count("browse_locks", "qist.qistmblr", "messages locked while browsing"),
            count("object_creates", "qist.qistdcre", "objects created; temporary dynamic queues raise it"),
            count("object_puts", "qist.qistdput", "objects changed"),
            count("object_deletes", "qist.qistddel", "objects deleted"),
            count("object_gets", "qist.qistdget", "objects read"),
            count("object_locates", "qist.qistdloc", "objects looked for"),
            count("message_counts", "qist.qistmcnt", "times the messages of a queue were counted"),
            count("storage_class_changes", "qist.qistalst", "queues given another storage class"),
            count("marked_message_locks", "qist.qistlomm", "marked messages locked"),
            count("marked_message_deletes", "qist.qistdlmm", "marked messages deleted"),
            count("enumerations", "qist.qistenum", "walks over objects"),
            count("gets_from_disk", "qist.qistgetd", "messages that had to be read from a page set"),
            count("gets_from_buffer_pool", "qist.qistgetb", "messages found in a buffer pool"),
            derived(
                "gets_from_disk_pct",
                pct("gets_from_disk", "gets_from_disk + gets_from_buffer_pool"),
                "share of message reads that went to disk",
            ),
        )
    ),
)

BUFFER_POOL = Subject(
    "buffer_pool",
    "One buffer pool in an interval",
    "interval",
    with_rates(
        (
            key("buffer_pool", "qpst.qpstpool", "number of the pool"),
            gauge("buffers", "qpst.qpstnbuf", "4 KiB buffers in the pool"),
            low("stealable_lowest_buffers", "qpst.qpstcbsl", "fewest stealable buffers in the interval"),
            gauge("stealable_buffers", "qpst.qpstcbs", "stealable buffers at the end of the interval"),
            count("old_page_requests", "qpst.qpstgetp", "requests for a page with its content"),
            count("new_page_requests", "qpst.qpstgetn", "requests for an empty page, content not needed"),
            count("pages_read", "qpst.qpstrio", "pages read from page sets"),
            count("page_updates", "qpst.qpststw", "pages marked as changed"),
            count("pages_written", "qpst.qpsttpw", "pages written to page sets"),
            count("page_writes", "qpst.qpstwio", "write requests for those pages"),
            count("synchronous_writes", "qpst.qpstimw", "pages written while someone waits; a few are normal"),
            count(
                "deferred_write_starts", "qpst.qpstdwt", "times the deferred write processor was started (85 % in use)"
            ),
            count("synchronous_write_limit_hits", "qpst.qpstdmc", "times 95 % in use forced pages out synchronously"),
            count("buffers_stolen", "qpst.qpststl", "buffers taken over from another page"),
            count("steal_contentions", "qpst.qpststla", "times the chain changed while a buffer was being stolen"),
            count("no_buffer_suspensions", "qpst.qpstsos", "times a task had to wait because no buffer was free"),
            flag("above_the_bar", "qpst.qpstloc", "the pool is in 64-bit storage"),
            flag("page_fixed", "qpst.qpstf4kb", "its storage is fixed in memory"),
            derived(
                "stealable_lowest_pct", pct("stealable_lowest_buffers", "buffers"), "least share of stealable buffers"
            ),
            derived("stealable_pct", pct("stealable_buffers", "buffers"), "stealable share at the end"),
            derived("used_highest_pct", "100.0 - stealable_lowest_pct", "largest share of buffers in use"),
            derived("used_highest_buffers", "buffers - stealable_lowest_buffers", "most buffers in use", "bigint"),
            derived("size_mb", "buffers * 4096 / 1048576.0", "size of the pool"),
            derived("page_requests", "old_page_requests + new_page_requests", "page requests of both kinds", "bigint"),
            derived("pages_per_write", per("pages_written", "page_writes"), "pages in each write request"),
            derived("read_pct", pct("pages_read", "old_page_requests"), "share of page requests that went to disk"),
            derived(
                "steal_contention_pct", pct("steal_contentions", "buffers_stolen"), "contention for each buffer stolen"
            ),
            derived("pages_read_per_page_written", per("pages_read", "pages_written"), "above 1 pages are read again"),
            derived(
                "page_set_ios_per_second",
                per("pages_read + page_writes", "interval_seconds"),
                "reads and writes of its page sets each second",
            ),
            derived("page_requests_per_second", per("page_requests", "interval_seconds"), "page requests each second"),
        )
    ),
)

PAGE_SET = Subject(
    "page_set",
    "One page set in an interval (from 9.0)",
    "interval",
    with_rates(
        (
            key("page_set", "qis1.qis1psno", "number of the page set"),
            gauge("buffer_pool", "qis1.qis1bpno", "buffer pool it belongs to"),
            gauge("pages", "qis1.qis1topg", "4 KiB pages in all"),
            gauge("unused_pages", "qis1.qis1unpg", "pages not in use"),
            gauge("persistent_pages", "qis1.qis1ppg", "pages that hold objects and persistent messages"),
            gauge("nonpersistent_pages", "qis1.qis1nppg", "pages that hold nonpersistent messages"),
            count("full_events", "qis1.qis1full", "times the page set was found full"),
            high("put_cursor_page", "qis1.qis1pchi", "where in the page set new space was allocated"),
            count("deferred_write_ios", "qis1.qis1dwpn", "deferred write requests"),
            count("deferred_write_pages", "qis1.qis1dwpp", "pages in them"),
            usec("deferred_write_us", "qis1.qis1dwpt", "time of those requests"),
            count("immediate_write_ios", "qis1.qis1imwn", "immediate write requests; the pool was nearly full"),
            count("immediate_write_pages", "qis1.qis1imwp", "pages in them"),
            usec("immediate_write_us", "qis1.qis1imwt", "time of those requests"),
            count("read_ios", "qis1.qis1getn", "read requests"),
            count("read_pages", "qis1.qis1getp", "pages in them"),
            usec("read_us", "qis1.qis1gett", "time of those requests"),
            count("checkpoint_pages", "qis1.qis1ckpp", "pages written by checkpoints"),
            cumulative("expansions", "qis1.qis1expn", "times it was expanded since the queue manager started"),
            gauge("stripes", "qis1.qis1strn", "stripes of its data set"),
            gauge("expansion_method", "qis1.qis1expm", "code of how it may expand"),
            gauge("status", "qis1.qis1stat", "code of its status"),
            flag("expanded", "qis1.qis1expf", "it was expanded in this interval"),
            flag("encrypted", "qis1.qis1encf", "its data set is encrypted"),
            derived("used_pages", "pages - unused_pages", "pages in use", "bigint"),
            derived("used_pct", pct("pages - unused_pages", "pages"), "share of pages in use"),
            derived("size_mb", "pages * 4096 / 1048576.0", "size of the page set"),
            derived("nonpersistent_pct", pct("nonpersistent_pages", "pages"), "share held by nonpersistent messages"),
            average(
                "deferred_write_average_us", "deferred_write_us", "deferred_write_ios", "mean time of a deferred write"
            ),
            average(
                "immediate_write_average_us", "immediate_write_us", "immediate_write_ios", "mean of an immediate write"
            ),
            average("read_average_us", "read_us", "read_ios", "mean time of a read"),
            average(
                "pages_per_deferred_write", "deferred_write_pages", "deferred_write_ios", "pages in a deferred write"
            ),
            average("pages_per_read", "read_pages", "read_ios", "pages in a read"),
            derived(
                "ios_per_second",
                per("deferred_write_ios + immediate_write_ios + read_ios", "interval_seconds"),
                "requests of all kinds each second",
            ),
            derived(
                "io_busy_pct",
                pct("deferred_write_us + immediate_write_us + read_us", "interval_seconds * 1000000"),
                "I/O time as a share of the interval",
            ),
        )
    ),
)

LOCK = Subject(
    "lock",
    "Locks in an interval",
    "interval",
    with_rates(
        (
            count("lock_requests", "qlst.qlstgetl", "requests for a lock"),
            count("locks_already_held", "qlst.qlsthldl", "requests for a lock that was held already"),
            count("lock_releases", "qlst.qlstrell", "locks given back"),
            derived(
                "already_held_pct", pct("locks_already_held", "lock_requests"), "share of requests that met a held lock"
            ),
        )
    ),
)

STORAGE = Subject(
    "storage",
    "Storage of the queue manager's address space in an interval",
    "interval",
    with_rates(
        (
            count("fixed_pool_creates", "qsst.qsstgplf", "fixed pools created"),
            count("fixed_pool_deletes", "qsst.qsstfplf", "fixed pools freed"),
            count("fixed_segment_frees", "qsst.qsstfref", "segments of fixed pools freed"),
            count("fixed_pool_expansions", "qsst.qsstexpf", "fixed pools expanded"),
            count("fixed_pool_contractions", "qsst.qsstconf", "fixed pools contracted"),
            count("variable_pool_creates", "qsst.qsstgplv", "variable pools created"),
            count("variable_pool_deletes", "qsst.qsstfplv", "variable pools freed"),
            count("variable_segment_frees", "qsst.qsstfrev", "segments of variable pools freed"),
            count("variable_pool_expansions", "qsst.qsstexpv", "variable pools expanded"),
            count("variable_pool_contractions", "qsst.qsstconv", "variable pools contracted"),
            count("getmains", "qsst.qsstgetm", "requests for storage to z/OS"),
            count("freemains", "qsst.qsstfrem", "storage given back to z/OS"),
            count("storage_failures", "qsst.qsstrcnz", "requests that failed"),
            count("short_on_storage_contractions", "qsst.qsstcont", "contractions because storage was short"),
            count("short_on_storage_events", "qsst.qsstcrit", "times storage was short"),
            count("short_on_storage_abends", "qsst.qsstabnd", "abends because storage was short"),
            gauge("region_31_bytes", "qsrs.qsrsesiza", "31-bit region"),
            gauge("user_31_bytes", "qsrs.qsrseloal", "31-bit user storage allocated"),
            gauge("system_31_bytes", "qsrs.qsrsehial", "31-bit system storage allocated"),
            gauge("available_31_bytes", "qsrs.qsrsaval", "31-bit storage left"),
            gauge("reserved_31_bytes", "qsrs.qsrsmvs", "31-bit storage kept back for z/OS"),
            gauge("region_24_bytes", "qsrs.qsrssiza", "24-bit region"),
            gauge("user_24_bytes", "qsrs.qsrsloal", "24-bit user storage allocated"),
            gauge("memory_limit_64", "qsrs.qsrsmemlim", "limit of 64-bit storage, as recorded (unit not settled)"),
            gauge("objects_64", "qsrs.qsrsabytes", "64-bit memory objects as recorded"),
            high("usable_64_high", "qsrs.qsrsgbytes", "most usable 64-bit storage as recorded"),
            gauge("available_64", "qsrs.qsrsaval64", "64-bit storage left as recorded"),
            derived(
                "user_31_pct", pct("user_31_bytes + system_31_bytes", "region_31_bytes"), "share of the 31-bit region"
            ),
        )
    ),
)

STORAGE_POOL = Subject(
    "storage_pool",
    "One storage pool of the queue manager at the end of an interval",
    "interval",
    (
        key("position", "qsph.section_index", "place of the pool in the record"),
        text("pool_name", "qsph.qsphname", "name of the pool"),
        gauge("size_bytes", "qsph.qsphstor", "storage it holds"),
        gauge("previous_size_bytes", "qsph.qsphostor", "storage it held an interval before"),
        gauge("record_bytes", "qsph.qsphbsize", "size of a record in a fixed pool"),
        gauge("headers", "qsph.qsphcount", "pools of this name"),
        flag("fixed", "qsph.qsphflags_fixed", "fixed record size"),
        flag("above_the_bar", "qsph.qsphflags_64bit", "in 64-bit storage"),
        derived("growth_bytes", "size_bytes - previous_size_bytes", "growth in the interval", "bigint"),
    ),
)

TOPIC = Subject(
    "topic",
    "Publish/subscribe in an interval",
    "interval",
    with_rates(
        (
            gauge("subscriptions", "qtst.qtststot", "subscriptions at the end of the interval"),
            gauge("durable_subscriptions", "qtst.qtstsdur", "durable ones among them"),
            high("api_subscriptions_high", "qtst.qtstshig[0]", "most subscriptions made by calls"),
            high("admin_subscriptions_high", "qtst.qtstshig[1]", "most subscriptions made by commands"),
            high("proxy_subscriptions_high", "qtst.qtstshig[2]", "most subscriptions made for other queue managers"),
            count("subscriptions_expired", "qtst.qtstsexp", "subscriptions that expired"),
            count("messages_delivered", "qtst.qtsttmsg", "messages put to subscribers"),
            high("subscribers_of_one_publish_high", "qtst.qtstsphw", "most subscribers one publication went to"),
            count("api_publishes", "qtst.qtstptot[0]", "publications by calls"),
            count("admin_publishes", "qtst.qtstptot[1]", "publications by commands"),
            count("proxy_publishes", "qtst.qtstptot[2]", "publications from other queue managers"),
            count("publishes_without_subscriber", "qtst.qtstpnos", "publications nobody wanted"),
            longest("longest_publish_us", "qtst.qtstethw", "longest publication"),
            usec("publish_us", "qtst.qtstetto", "time of all publications"),
            derived(
                "publishes", "api_publishes + admin_publishes + proxy_publishes", "publications of all kinds", "bigint"
            ),
            average("publish_average_us", "publish_us", "publishes", "mean time of a publication"),
            average("messages_per_publish", "messages_delivered", "publishes", "messages made of one publication"),
        )
    ),
)

QUEUE = Subject(
    "queue",
    "One queue in an interval (from 9.3, statistics class 5; most counters from 9.3.3)",
    "interval",
    with_rates(
        (
            key("queue", "qqst.qqstqnam", "name of the queue", "string"),
            flag("shared", "qqst.qqstflag_shared", "it is a shared queue"),
            flag("partial", "qqst.qqstflag_partial", "not all could be read; the depth is not reliable"),
            gauge("page_set", "qqst.qqstpsid", "page set; -1 without one"),
            gauge("buffer_pool", "qqst.qqstbpid", "buffer pool; -1 without one"),
            text("cf_structure", "qqst.qqstcfst", "CF structure of a shared queue"),
            gauge("depth", "qqst.qqstdpth", "messages on it at the end of the interval"),
            gauge("output_handles", "qqst.qqstopct", "handles open for output"),
            gauge("input_handles", "qqst.qqstipct", "handles open for input"),
            gauge("oldest_message_seconds", "qqst.qqstmage", "age of the oldest message"),
            gauge("queue_time_short_us", "qqst.qqstqtst", "mean time of messages on it, last few"),
            gauge("queue_time_long_us", "qqst.qqstqtlt", "mean time of messages on it, over longer"),
            time("last_put", "qqst.qqstlput", "last message put"),
            time("last_get", "qqst.qqstlget", "last message got"),
            high("depth_high", "qqst.qqstdphi", "most messages on it"),
            low("depth_low", "qqst.qqstdplo", "fewest messages on it"),
            count("puts", "qqst.qqstputs", "MQPUT calls"),
            count("put1s", "qqst.qqstput1", "MQPUT1 calls"),
            count("put_bytes", "qqst.qqstputb", "bytes put with MQPUT"),
            count("put1_bytes", "qqst.qqstpt1b", "bytes put with MQPUT1"),
            count("persistent_puts", "qqst.qqstppt", "persistent messages put with MQPUT"),
            count("persistent_put1s", "qqst.qqstpp1", "persistent messages put with MQPUT1"),
            count("failed_puts", "qqst.qqstflpt", "MQPUT calls that failed"),
            count("failed_put1s", "qqst.qqstflp1", "MQPUT1 calls that failed"),
            count("puts_to_waiting_getter", "qqst.qqstfptc", "messages handed straight to a waiting getter"),
            count("gets", "qqst.qqstgets", "destructive gets"),
            count("persistent_gets", "qqst.qqstpdg", "persistent messages got"),
            count("nonpersistent_gets", "qqst.qqstnpdg", "nonpersistent messages got"),
            count("get_bytes", "qqst.qqstgetb", "bytes got"),
            count("browses", "qqst.qqstbrws", "messages browsed"),
            count("browse_bytes", "qqst.qqstbrwb", "bytes browsed"),
            count("failed_gets", "qqst.qqstflgt", "gets that failed"),
            count("gets_without_message", "qqst.qqstnmag", "gets that found no message"),
            count("gets_truncated", "qqst.qqsttmfg", "gets that failed because the message was too long"),
            count("opens", "qqst.qqstopen", "opens"),
            count("closes", "qqst.qqstclos", "closes"),
            count("expired_messages", "qqst.qqstexpr", "messages that expired"),
            count("backed_out_puts", "qqst.qqstrbpt", "puts backed out"),
            count("backed_out_gets", "qqst.qqstrbgt", "gets backed out"),
            low("message_bytes_min", "qqst.qqstmsmi", "shortest message"),
            high("message_bytes_max", "qqst.qqstmsma", "longest message"),
            derived("messages_put", "puts + put1s", "messages put", "bigint"),
            derived("messages_put_per_second", per("messages_put", "interval_seconds"), "messages put each second"),
            derived("bytes_put", "put_bytes + put1_bytes", "bytes put", "bigint"),
            average("message_bytes", "bytes_put", "messages_put", "mean message"),
            derived(
                "waiting_getter_pct", pct("puts_to_waiting_getter", "messages_put"), "share given to a waiting getter"
            ),
            derived(
                "persistent_pct",
                pct("persistent_puts + persistent_put1s", "messages_put"),
                "share of persistent messages",
            ),
        )
    ),
)
