"""Rules about page sets and the messages that private queues keep in them."""

from __future__ import annotations

from libremq.pipeline.rules.rule import Rule

# fmt: off
RULES = (
    Rule(
        id="page-set-expanding", subject="page_set", severity="warning",
        when="value > threshold", value="used_pct", threshold=90,
        advice="Page set {page_set:.0f} is {value:.1f} % full. Past {threshold:.0f} % it expands, and each put pays"
        " some milliseconds while it does; if it cannot, puts fail with 2192. Allocate it larger from the start.",
        fact="R-PS-05", lines="L889-L895",
        fires={"used_pct": 93.0, "page_set": 4}, quiet={"used_pct": 60.0},
    ),
    Rule(
        id="page-set-full", subject="page_set", severity="severe",
        when="full_events > 0",
        advice="Page set {page_set:.0f} was found full {full_events:,.0f} times; puts to its queues failed with 2192."
        " Enlarge it and look why its queues are not emptied.",
        fact="R-PS-05, M-26", lines="L893",
        fires={"full_events": 3}, quiet={"full_events": 0},
    ),
    Rule(
        id="page-set-expanded", subject="page_set", severity="info",
        when="either(expansions_change, 0) > 0 or expanded",
        advice="Page set {page_set:.0f} was expanded in this interval and is now {size_mb:,.0f} MB. Puts were slower"
        " meanwhile; give it its peak size as primary allocation.",
        fact="R-PS-04, R-PS-05", lines="L889-L895",
        fires={"expansions_change": 1, "expanded": True}, quiet={"expansions_change": 0, "expanded": False},
    ),
    Rule(
        id="page-set-expanding-daily", subject="page_set", severity="warning", over="object and day", derived=True,
        when="value > threshold", value="sum(expansions_change)", threshold=3,
        advice="Page set {object} expanded {value:.0f} times in one day. Where disk allows, allocate the largest size"
        " at once.",
        fact="R-PS-04", lines="L889-L895",
        fires=({"expansions_change": 2}, {"expansions_change": 3}),
        quiet=({"expansions_change": 0}, {"expansions_change": 1}),
    ),
    Rule(
        id="page-set-filling-up", subject="page_set", severity="warning", over="object", derived=True,
        when="count() >= 12 and trend(used_pct) > 0 and 0 < value < threshold",
        value="(90 - last(used_pct)) / trend(used_pct)", threshold=14,
        advice="Page set {object} fills by {trend(used_pct):.2f} points a day and reaches 90 % in about {value:.0f}"
        " days.",
        fact="R-PS-04, R-PS-05", lines="L889-L893",
        fires=tuple({"used_pct": 50.0 + 2 * day} for day in range(14)),
        quiet=tuple({"used_pct": 50.0} for _ in range(14)),
    ),
    Rule(
        id="page-set-immediate-writes", subject="page_set", severity="warning",
        when="immediate_write_pages > threshold", value="immediate_write_pages", threshold=0,
        advice="{value:,.0f} pages of page set {page_set:.0f} were written at once while an application waited: pool"
        " {buffer_pool:.0f} was at least 95 % full.",
        fact="R-135", lines="L5379",
        fires={"immediate_write_pages": 10177}, quiet={"immediate_write_pages": 0},
    ),
    Rule(
        id="page-set-larger-pool-would-help", subject="page_set", severity="info",
        when="pool_page_sets == 1 and buffer_pool.above_the_bar and buffer_pool.synchronous_write_limit_hits > 0 and"
        " value < threshold",
        value="buffer_pool.buffers", threshold="oversized_pool_pages(pages)",
        advice="Page set {page_set:.0f} has a pool of its own that keeps reaching its limit. {threshold:,.0f}"
        " buffers, 5 % more than the page set has pages, end synchronous writes.",
        fact="R-BP-10, R-134", lines="L1118-L1124, L5534-L5538",
        fires={
            "pool_page_sets": 1, "buffer_pool.above_the_bar": True, "buffer_pool.synchronous_write_limit_hits": 9,
            "buffer_pool.buffers": 50000, "pages": 100000,
        },
        quiet={
            "pool_page_sets": 1, "buffer_pool.above_the_bar": True, "buffer_pool.synchronous_write_limit_hits": 0,
            "buffer_pool.buffers": 50000, "pages": 100000,
        },
    ),
    Rule(
        id="page-set-pool-needlessly-large", subject="page_set", severity="info",
        when="pool_page_sets == 1 and value > threshold", value="buffer_pool.buffers",
        threshold="oversized_pool_pages(pages)",
        advice="The pool of page set {page_set:.0f} has {value:,.0f} buffers, more than the {threshold:,.0f} that"
        " hold all of it. The rest can never be used.",
        fact="R-BP-10", lines="L1138",
        fires={"pool_page_sets": 1, "buffer_pool.buffers": 200000, "pages": 100000},
        quiet={"pool_page_sets": 1, "buffer_pool.buffers": 105000, "pages": 100000},
    ),
    Rule(
        id="page-set-scavenger-lags", subject="page_set", severity="warning",
        when="maxshortmsgs_0 and value > threshold", value="nonpersistent_pages",
        threshold="10 * max(1, queue_depth_highest) * pages_per_message(message_bytes_typical)",
        advice="Page set {page_set:.0f} keeps {value:,.0f} pages for few messages. With MAXSHORTMSGS 0 a page is only"
        " free after the 5-second sweep, which cannot keep up. The default mode frees it with the get.",
        fact="R-PS-11, R-PS-10", lines="L952-L998",
        fires={
            "maxshortmsgs_0": True, "nonpersistent_pages": 165809, "queue_depth_highest": 1,
            "message_bytes_typical": 2048,
        },
        quiet={
            "maxshortmsgs_0": True, "nonpersistent_pages": 5, "queue_depth_highest": 1, "message_bytes_typical": 2048,
        },
        derived=True,
    ),
    Rule(
        id="page-set-backup-too-rare", subject="page_set", severity="warning",
        when="(page_set == 0 or persistent_pages > 0) and value > threshold", value="page_set_backup_hours",
        threshold=24,
        advice="Page set {page_set:.0f} holds {persistent_pages:,.0f} pages of persistent data and is backed up every"
        " {value:.0f} hours. Daily is the least; every few hours is better.",
        fact="R-PS-08, R-LOG-19", lines="L586, L920",
        fires={"page_set": 0, "persistent_pages": 320, "page_set_backup_hours": 168},
        quiet={"page_set": 0, "persistent_pages": 320, "page_set_backup_hours": 4},
    ),
    Rule(
        id="page-set-backup-in-days", subject="page_set", severity="info",
        when="(page_set == 0 or persistent_pages > 0) and threshold < value <= 24",
        value="page_set_backup_hours", threshold=8, derived=True,
        advice="Page set {page_set:.0f} with persistent data is backed up every {value:.0f} hours. Think in hours,"
        " not days: each hour of log since the copy is replayed in a media recovery.",
        fact="R-PS-08", lines="L920",
        fires={"page_set": 2, "persistent_pages": 9000, "page_set_backup_hours": 24},
        quiet={"page_set": 2, "persistent_pages": 9000, "page_set_backup_hours": 6},
    ),
    Rule(
        id="page-set-mixed-lifetimes", subject="page_set", severity="info",
        when="mixed_lifetimes",
        advice="Page set {page_set:.0f} holds short-lived and long-lived messages together. Separate them, page set"
        " and pool, so that stored messages do not push out the fast ones.",
        fact="R-PS-06", lines="L850",
        fires={"mixed_lifetimes": True}, quiet={"mixed_lifetimes": False},
    ),
    Rule(
        id="page-set-encrypted-too-early", subject="page_set", severity="severe",
        when="encrypted and matches(release, '???') and release < '920'",  # six digits from 10.0.0 on
        advice="Page set {page_set:.0f} is encrypted, which release {release} does not support: page set 0 ends the"
        " queue manager, the others give 2193.",
        fact="R-136", lines="L5262-L5271",
        fires={"encrypted": True, "release": "910"}, quiet={"encrypted": True, "release": "100000"},
    ),
    Rule(
        id="page-set-encryption-cost", subject="page_set", severity="info", derived=True,
        when="encrypted and value > threshold",
        value="page_set_encryption_us(read_pages, immediate_write_pages, deferred_write_pages) / interval_seconds /"
        " 10000",
        threshold=5,
        advice="Encryption of page set {page_set:.0f} takes about {value:.1f} % of a processor. A larger pool saves"
        " reads and immediate writes and with them their encryption.",
        fact="R-131", lines="L5382-L5392",
        fires={
            "encrypted": True, "read_pages": 1, "immediate_write_pages": 10177, "deferred_write_pages": 2918331,
            "interval_seconds": 60,
        },
        quiet={
            "encrypted": True, "read_pages": 1, "immediate_write_pages": 0, "deferred_write_pages": 1000,
            "interval_seconds": 60,
        },
    ),
    Rule(
        id="page-set-reads", subject="page_set", severity="info", derived=True,
        when="page_set > 0 and value > threshold", value="read_pages / interval_seconds", threshold=1000,
        advice="{value:,.0f} pages a second are read from page set {page_set:.0f}: its messages no longer fit into"
        " pool {buffer_pool:.0f}. Nonpersistent gets suffer most, as no log wait hides the read.",
        fact="F-BM-12, R-TP-2", lines="L6731-L6739, L7722-L7724",
        fires={"page_set": 3, "read_pages": 200000, "interval_seconds": 60},
        quiet={"page_set": 3, "read_pages": 20, "interval_seconds": 60},
    ),
    Rule(
        id="page-set-slow-reads", subject="page_set", severity="warning", derived=True,
        when="read_ios > 100 and value > threshold", value="read_average_us", threshold=1000,
        advice="A read of page set {page_set:.0f} takes {value:,.0f} us; 140 to 230 us a page were measured. Look at"
        " its volume, channel paths and zHPF.",
        fact="R-RST-02, T-12", lines="L1402-L1408, L1855",
        fires={"read_ios": 5000, "read_average_us": 4200}, quiet={"read_ios": 5000, "read_average_us": 180},
    ),
    Rule(
        id="page-set-over-64-gb", subject="page_set", severity="severe",
        when="value > threshold", value="size_mb", threshold=65536,
        advice="Page set {page_set:.0f} is {value:,.0f} MB; {threshold:,.0f} MB is the most a page set can have.",
        fact="F-PS-02", lines="L854-L858",
        fires={"size_mb": 70000}, quiet={"size_mb": 4096},
    ),
    Rule(
        id="page-set-system-used-by-applications", subject="page_set", severity="warning", derived=True,
        when="page_set == 0 and value > threshold", value="100 * nonpersistent_pages / pages", threshold=5,
        advice="{value:.1f} % of page set 0 are nonpersistent messages. Keep model, dynamic and dead-letter queues"
        " out of it: a full page set 0 stops the queue manager's own work.",
        fact="R-BP-02, R-BP-11", lines="L1035-L1047, L6864-L6876",
        fires={"page_set": 0, "nonpersistent_pages": 3000, "pages": 20000},
        quiet={"page_set": 0, "nonpersistent_pages": 0, "pages": 20000},
    ),
    Rule(
        id="data-manager-gets-from-disk", subject="data_manager", severity="warning", derived=True,
        when="gets_from_disk > 100 and value > threshold", value="gets_from_disk_pct", threshold=10,
        advice="{value:.1f} % of the messages were read from page sets instead of buffer pools. Find the pool that"
        " spills (pool rules) and enlarge it, or get messages sooner.",
        fact="R-TP-2, F-BM-12", lines="L6731-L6739, L7722-L7724",
        fires={"gets_from_disk": 5000, "gets_from_disk_pct": 40.0},
        quiet={"gets_from_disk": 2, "gets_from_disk_pct": 40.0},
    ),
    Rule(
        id="temporary-queues-deleted-later", subject="data_manager", severity="warning",
        when="object_creates > 100 and value > threshold", value="deletes_per_create(object_deletes, object_creates)",
        threshold=1.5,
        advice="{value:.2f} deletes for each queue created: temporary dynamic queues are closed with uncommitted"
        " messages and cleaned up by a background task. Commit before closing.",
        fact="R-TDQ-1", lines="L7665-L7680",
        fires={"object_creates": 10000, "object_deletes": 19800},
        quiet={"object_creates": 130656, "object_deletes": 130655},
    ),
    Rule(
        id="temporary-queues-many", subject="data_manager", severity="info", derived=True,
        when="value > threshold", value="object_creates / interval_seconds", threshold=100,
        advice="{value:,.0f} objects a second are created. Each temporary dynamic queue costs about a log write and"
        " 14 us of processor to open; predefined reply queues cost 2 us.",
        fact="R-APP-2, T-10", lines="L7145-L7148, L7657-L7661",
        fires={"object_creates": 130656, "interval_seconds": 60}, quiet={"object_creates": 100, "interval_seconds": 60},
    ),
)
