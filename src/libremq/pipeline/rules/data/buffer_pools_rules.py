"""Rules about buffer pools. What a pool is for comes from the site (`pool_role`); pool 0 is always a system pool."""

from __future__ import annotations

from libremq.pipeline.rules.rule import Rule

_SYSTEM = "(buffer_pool == 0 or either(pool_role, '') == 'system')"
_SHORT = "(buffer_pool != 0 and either(pool_role, '') == 'short')"
_CRITICAL = "(buffer_pool == 0 or either(pool_role, '') in ('system', 'short'))"
_LONG = "(buffer_pool != 0 and either(pool_role, '') == 'long')"
_OTHER = "(buffer_pool != 0 and either(pool_role, 'other') == 'other')"

# fmt: off
RULES = (
    Rule(
        id="pool-system-short-of-buffers", subject="buffer_pool", severity="severe",
        when=f"{_SYSTEM} and value < threshold", value="stealable_lowest_pct", threshold=15,
        advice="Pool {buffer_pool:.0f} holds system objects and fell to {value:.1f} % free buffers; it must never go"
        " below {threshold:.0f} %. Give it more than {buffers:,.0f} buffers or move application queues out of it.",
        fact="R-BP-02, R-BP-06, R-BP-1", lines="L1035-L1047, L1071, L6790, L6814",
        fires={"buffer_pool": 0, "pool_role": None, "stealable_lowest_pct": 14.7, "buffers": 1050},
        quiet={"buffer_pool": 0, "pool_role": None, "stealable_lowest_pct": 28.6},
    ),
    Rule(
        id="pool-short-lived-short-of-buffers", subject="buffer_pool", severity="severe",
        when=f"{_SHORT} and value < threshold", value="stealable_lowest_pct", threshold=15,
        advice="Pool {buffer_pool:.0f} serves short-lived messages and fell to {value:.1f} % free buffers. Size it"
        " for the peak: {buffers_for_high_water(used_highest_buffers):,.0f} buffers keep {threshold:.0f} % free.",
        fact="R-BP-04, R-BP-06, R-BP-1, R-BP-8", lines="L1059-L1071, L6725, L6814, L6818",
        fires={"buffer_pool": 2, "pool_role": "short", "stealable_lowest_pct": 9.0, "used_highest_buffers": 45500},
        quiet={"buffer_pool": 2, "pool_role": "short", "stealable_lowest_pct": 15.0},
    ),
    Rule(
        id="pool-long-lived-short-of-buffers", subject="buffer_pool", severity="warning",
        when=f"{_LONG} and value < threshold", value="stealable_lowest_pct", threshold=15,
        advice="Pool {buffer_pool:.0f} for long-lived messages fell to {value:.1f} % free buffers. Messages are being"
        " written out early and will be read back; a larger pool is desirable.",
        fact="R-BP-03, R-BP-06", lines="L1049-L1057, L1069-L1071",
        fires={"buffer_pool": 1, "pool_role": "long", "stealable_lowest_pct": 12.0},
        quiet={"buffer_pool": 1, "pool_role": "short", "stealable_lowest_pct": 12.0},
    ),
    Rule(
        id="pool-short-of-buffers", subject="buffer_pool", severity="info",
        when=f"{_OTHER} and value < threshold", value="stealable_lowest_pct", threshold=15,
        advice="Pool {buffer_pool:.0f} fell to {value:.1f} % free buffers. That is tolerable for a pool of no special"
        " use; if it holds short-lived or system queues, say so in the site facts (pool_role) and enlarge it.",
        fact="R-BP-05, R-BP-06, R-BP-14", lines="L1067-L1071, L2383-L2385",
        fires={"buffer_pool": 3, "pool_role": None, "stealable_lowest_pct": 11.0},
        quiet={"buffer_pool": 3, "pool_role": None, "stealable_lowest_pct": 40.0},
    ),
    Rule(
        id="pool-nearly-full", subject="buffer_pool", severity="severe",
        when="value < threshold", value="stealable_lowest_pct", threshold=5,
        advice="Pool {buffer_pool:.0f} had only {value:.1f} % free buffers. Below {threshold:.0f} % each changed page"
        " is written while its application waits.",
        fact="R-BP-3, F-BP-02", lines="L1101-L1103, L6792",
        fires={"stealable_lowest_pct": 3.0, "buffer_pool": 1}, quiet={"stealable_lowest_pct": 5.0, "buffer_pool": 1},
    ),
    Rule(
        id="pool-no-free-buffer", subject="buffer_pool", severity="severe",
        when="no_buffer_suspensions > 0",
        advice="{no_buffer_suspensions:,.0f} requests to pool {buffer_pool:.0f} found no free buffer at all. Enlarge"
        " the pool or move page sets to another one.",
        fact="R-BP-07, R-BP-4", lines="L1073, L6807, L6812",
        fires={"no_buffer_suspensions": 1, "buffer_pool": 1}, quiet={"no_buffer_suspensions": 0},
    ),
    Rule(
        id="pool-contention-for-buffers", subject="buffer_pool", severity="severe",
        when="steal_contentions > 0",
        advice="Tasks got in each other's way {steal_contentions:,.0f} times while taking buffers of pool"
        " {buffer_pool:.0f}. It should never happen: the pool is too small for its load.",
        fact="R-BP-07, R-BP-4", lines="L1073, L6808, L6812",
        fires={"steal_contentions": 421000, "buffer_pool": 0}, quiet={"steal_contentions": 0},
    ),
    Rule(
        id="pool-synchronous-write-limit", subject="buffer_pool", severity="severe",
        when="synchronous_write_limit_hits > 0",
        advice="Pool {buffer_pool:.0f} was over 95 % full {synchronous_write_limit_hits:,.0f} times, so applications"
        " waited for page set writes. Enlarge it or spread its page sets over more pools.",
        fact="R-BP-07, R-BP-4", lines="L1073, L6802, L6812",
        fires={"synchronous_write_limit_hits": 12}, quiet={"synchronous_write_limit_hits": 0},
    ),
    Rule(
        id="pool-deferred-writes-in-critical-pool", subject="buffer_pool", severity="warning",
        when=f"{_CRITICAL} and deferred_write_starts > 0",
        advice="The deferred write process started {deferred_write_starts:,.0f} times for pool {buffer_pool:.0f}. A"
        " system pool or one for short-lived messages should not need it.",
        fact="R-BP-5", lines="L6814",
        fires={"buffer_pool": 0, "pool_role": None, "deferred_write_starts": 11},
        quiet={"buffer_pool": 3, "pool_role": "long", "deferred_write_starts": 11},
    ),
    Rule(
        id="pool-reads-in-critical-pool", subject="buffer_pool", severity="warning",
        when=f"{_CRITICAL} and pages_read > 0",
        advice="Pool {buffer_pool:.0f} read {pages_read:,.0f} pages from page sets. Apart from the time after a"
        " restart it should read none: objects or messages do not stay in the pool.",
        fact="R-BP-5, R-BP-15", lines="L2402-L2406, L6816",
        fires={"buffer_pool": 0, "pool_role": None, "pages_read": 310000},
        quiet={"buffer_pool": 0, "pool_role": None, "pages_read": 0},
    ),
    Rule(
        id="pool-newly-used-buffers", subject="buffer_pool", severity="info",
        when=f"{_CRITICAL} and buffers_stolen > 0",
        advice="Pool {buffer_pool:.0f} took {buffers_stolen:,.0f} buffers into new use: more messages, longer ones,"
        " or consumers that have become slower.",
        fact="R-BP-5", lines="L6817",
        fires={"buffer_pool": 2, "pool_role": "short", "buffers_stolen": 84},
        quiet={"buffer_pool": 2, "pool_role": "short", "buffers_stolen": 0},
    ),
    Rule(
        id="pool-deferred-writes-not-catching-up", subject="buffer_pool", severity="warning",
        when="deferred_write_starts > 0 and value < threshold", value="stealable_pct", threshold=25,
        advice="Deferred writing of pool {buffer_pool:.0f} began and had not brought it back to {threshold:.0f} %"
        " free buffers by the end of the interval ({value:.1f} %). The pool is busy beyond what its page sets take.",
        fact="R-BP-2", lines="L6790",
        fires={"deferred_write_starts": 3, "stealable_pct": 18.0},
        quiet={"deferred_write_starts": 3, "stealable_pct": 40.0},
    ),
    Rule(
        id="pool-contention-ratio", subject="buffer_pool", severity="severe",
        when="value > threshold", value="steal_contentions / buffers_stolen", threshold=0.5,
        advice="More than every second buffer taken from pool {buffer_pool:.0f} met contention ({value:.2f} each)."
        " Throughput of everything in this pool, channels included, collapses in this state.",
        fact="R-BP-9", lines="L6832, L6855-L6856",
        fires={"steal_contentions": 421000, "buffers_stolen": 732000},
        quiet={"steal_contentions": 10, "buffers_stolen": 732000},
    ),
    Rule(
        id="pool-pages-read-again", subject="buffer_pool", severity="warning", over="object and day", derived=True,
        when="sum(pages_read) > 0 and value > threshold", value="sum(pages_read) / sum(pages_written)", threshold=2,
        advice="In a day pool {object} read {value:.1f} pages for each page it wrote. Pages are read again and again:"
        " gets by identifier, browsing or selectors over a queue larger than the pool. Index the queue, separate it,"
        " or enlarge.",
        fact="R-BP-7", lines="L6821-L6826",
        fires=({"pages_read": 310000, "pages_written": 1938}, {"pages_read": 1000, "pages_written": 1000}),
        quiet=({"pages_read": 5000, "pages_written": 4800}, {"pages_read": 0, "pages_written": 100}),
    ),
    Rule(
        id="pool-more-searching-than-storing", subject="buffer_pool", severity="info", over="object and day",
        derived=True,
        when="last(old_page_requests) > first(old_page_requests) and value > threshold",
        value="last(old_page_requests / (new_page_requests + page_updates)) / first(old_page_requests /"
        " (new_page_requests + page_updates))",
        threshold=2,
        advice="Requests for existing pages in pool {object}, counted per new or changed page, grew {value:.1f}-fold"
        " in a day: someone browses or gets by identifier. Find the queue and give it an index.",
        fact="R-BP-10", lines="L6860",
        fires=(
            {"old_page_requests": 1800000, "new_page_requests": 16000, "page_updates": 508000},
            {"old_page_requests": 23000000, "new_page_requests": 13000, "page_updates": 432000},
        ),
        quiet=(
            {"old_page_requests": 1800000, "new_page_requests": 16000, "page_updates": 508000},
            {"old_page_requests": 5000000, "new_page_requests": 43000, "page_updates": 1432000},
        ),
    ),
    Rule(
        id="pool-page-set-io-high", subject="buffer_pool", severity="warning",
        when="value > threshold", value="page_set_ios_per_second / pool_page_sets",
        threshold="volume_ios_per_second_max",
        advice="The page sets of pool {buffer_pool:.0f} do {value:,.0f} I/Os a second each, over the {threshold:,.0f}"
        " a volume takes here. Put its queues on more page sets on different volumes.",
        fact="R-BP-6", lines="L6820",
        fires={"page_set_ios_per_second": 5000, "pool_page_sets": 2, "volume_ios_per_second_max": 1000},
        quiet={"page_set_ios_per_second": 500, "pool_page_sets": 2, "volume_ios_per_second_max": 1000},
    ),
    Rule(
        id="pool-half-unused", subject="buffer_pool", severity="info", over="object",
        when="value < threshold", value="highest(used_highest_pct)", threshold=50,
        advice="Pool {object} was never more than {value:.1f} % in use in all the time looked at. It can be made"
        " smaller.",
        fact="R-BP-08", lines="L1075",
        fires=({"used_highest_pct": 12.0}, {"used_highest_pct": 31.0}),
        quiet=({"used_highest_pct": 12.0}, {"used_highest_pct": 51.0}),
    ),
    Rule(
        id="pool-with-io-below-the-bar", subject="buffer_pool", severity="info", derived=True,
        when="not above_the_bar and real_storage_ample and pages_read > 0 and value > threshold",
        value="page_set_ios_per_second", threshold=100,
        advice="Pool {buffer_pool:.0f} is below the bar and its page sets do {value:,.0f} I/Os a second. Storage is"
        " ample: LOCATION(ABOVE) lets it grow.",
        fact="R-BP-09", lines="L1079",
        fires={"above_the_bar": False, "real_storage_ample": True, "pages_read": 900, "page_set_ios_per_second": 450},
        quiet={"above_the_bar": True, "real_storage_ample": True, "pages_read": 900, "page_set_ios_per_second": 450},
    ),
    Rule(
        id="pool-with-io-not-fixed", subject="buffer_pool", severity="info", derived=True,
        when="above_the_bar and not page_fixed and real_storage_ample and pages_read > 0 and value > threshold",
        value="page_set_ios_per_second", threshold=100,
        advice="Pool {buffer_pool:.0f} reads and writes its page sets {value:,.0f} times a second and is not"
        " page-fixed. PAGECLAS(FIXED4KB) saves fixing pages for each I/O, as long as real storage is ample.",
        fact="R-BP-09", lines="L1081-L1087",
        fires={
            "above_the_bar": True, "page_fixed": False, "real_storage_ample": True, "pages_read": 9,
            "page_set_ios_per_second": 450,
        },
        quiet={
            "above_the_bar": True, "page_fixed": True, "real_storage_ample": True, "pages_read": 9,
            "page_set_ios_per_second": 450,
        },
    ),
    Rule(
        id="pool-fixed-without-storage", subject="buffer_pool", severity="warning",
        when="page_fixed and not real_storage_ample",
        advice="Pool {buffer_pool:.0f} ({size_mb:,.0f} MB) is page-fixed though real storage is short. The queue"
        " manager may fail to start, or starve others.",
        fact="R-BP-09", lines="L1083-L1087",
        fires={"page_fixed": True, "real_storage_ample": False}, quiet={"page_fixed": True, "real_storage_ample": True},
    ),
    Rule(
        id="pool-below-starting-size", subject="buffer_pool", severity="info",
        when="environment == 'production' and buffer_pool <= 3 and stealable_lowest_pct < 15 and value < threshold",
        value="buffers", threshold="starting_pool_pages_production(buffer_pool)",
        advice="Pool {buffer_pool:.0f} has {value:,.0f} buffers and runs short. {threshold:,.0f} is a sound size to"
        " begin with in production.",
        fact="R-BP-01", lines="L1010-L1015",
        fires={"environment": "production", "buffer_pool": 0, "stealable_lowest_pct": 10.0, "buffers": 20000},
        quiet={"environment": "production", "buffer_pool": 0, "stealable_lowest_pct": 10.0, "buffers": 50000},
    ),
    Rule(
        id="pools-more-than-four", subject="buffer_pool", severity="info", over="queue manager",
        when="not pools_isolated and value > threshold", value="distinct(buffer_pool)", threshold=4,
        advice="There are {value:.0f} buffer pools. Four (system, long-lived, short-lived, other) are enough unless a"
        " class of service or isolation asks for more.",
        fact="R-BP-01", lines="L1021-L1024",
        fires=tuple({"pools_isolated": False, "buffer_pool": pool} for pool in range(6)),
        quiet=tuple({"pools_isolated": False, "buffer_pool": pool} for pool in (0, 1, 2, 3, 0)),
    ),
    Rule(
        id="pool-long-lived-large-before-v8", subject="buffer_pool", severity="warning",
        # A release of six digits is 10.0.0 or later.
        when="matches(release, '???') and release < '800' and either(pool_role, '') == 'long' and value > threshold",
        value="buffers", threshold=50000,
        advice="Before 8.0 a long-lived pool of {value:,.0f} buffers makes checkpoints write in long bursts; keep it"
        " at {threshold:,.0f} or less, or migrate.",
        fact="R-BP-03", lines="L1049-L1057",
        fires={"release": "710", "pool_role": "long", "buffers": 80000},
        quiet={"release": "100000", "pool_role": "long", "buffers": 80000},
    ),
    Rule(
        id="pool-0-too-small-for-objects", subject="buffer_pool", severity="warning",
        when="buffer_pool == 0 and value < threshold", value="buffers",
        threshold="constrained_pool_0_pages(object_pages_by_measured_use(objects_defined))",
        advice="Pool 0 has {value:,.0f} buffers for {objects_defined:,.0f} objects; {threshold:,.0f} hold them with a"
        " fifth to spare. Objects that fall out are read again at each use.",
        fact="R-BP-15", lines="L1735, L2402-L2406",
        fires={"buffer_pool": 0, "buffers": 1050, "objects_defined": 14484},
        quiet={"buffer_pool": 0, "buffers": 50000, "objects_defined": 14484},
    ),
    Rule(
        id="pool-storage-short-of-role", subject="buffer_pool", severity="info",
        when="storage_constrained and either(pool_role, '') == 'long' and stealable_lowest_pct > 50 and value >"
        " threshold",
        value="buffers", threshold=20000,
        advice="Storage is short and the long-lived pool {buffer_pool:.0f} keeps {value:,.0f} buffers, half of them"
        " free. Give that storage to the pool of short-lived messages.",
        fact="R-BP-14", lines="L2383-L2385",
        fires={"storage_constrained": True, "pool_role": "long", "stealable_lowest_pct": 60.0, "buffers": 60000},
        quiet={"storage_constrained": True, "pool_role": "long", "stealable_lowest_pct": 20.0, "buffers": 60000},
    ),
)
