"""Rules about facts of the site: CF structures and their policy, coupling facilities, the queue-sharing group, SCM,"
" Db2 space."""

from __future__ import annotations

from libremq.pipeline.rules.rule import Rule

# fmt: off
RULES = (
    Rule(
        id="structures-many", subject="site", severity="info", derived=True,
        when="value > threshold", value="application_structures", threshold=10,
        advice="{value:.0f} application structures. Use as few as recovery, duplexing, isolation and the 512 queues"
        " of each allow; more in one coupling facility bring no speed, and units of work across two cost 6 to 12 %"
        " more.",
        fact="R-CF-01, R-CF-02, R-31, R-32", lines="L2478-L2488, L3554-L3564",
        fires={"application_structures": 20}, quiet={"application_structures": 2},
    ),
    Rule(
        id="structures-over-limit", subject="site", severity="severe",
        when="value > threshold", value="application_structures", threshold=63,
        advice="{value:.0f} application structures: {threshold:.0f} is the most in a queue-sharing group.",
        fact="F-CF-02", lines="L2754",
        fires={"application_structures": 70}, quiet={"application_structures": 2},
    ),
    Rule(
        id="queue-managers-over-limit", subject="site", severity="severe",
        when="value > threshold", value="qsg_queue_managers", threshold=32,
        advice="{value:.0f} queue managers: {threshold:.0f} is the most in a queue-sharing group.",
        fact="F-CF-02", lines="L2754",
        fires={"qsg_queue_managers": 40}, quiet={"qsg_queue_managers": 3},
    ),
    Rule(
        id="one-structure-for-both-persistences", subject="site", severity="info",
        when="qsg_queue_managers > 0 and value < threshold", value="application_structures", threshold=2,
        advice="There is {value:.0f} application structure. A good layout has two: one for nonpersistent messages"
        " with RECOVER(NO), one for persistent ones with RECOVER(YES).",
        fact="R-33", lines="L3586-L3606",
        fires={"qsg_queue_managers": 3, "application_structures": 1},
        quiet={"qsg_queue_managers": 3, "application_structures": 2},
    ),
    Rule(
        id="units-of-work-across-structures", subject="site", severity="info",
        when="units_across_structures",
        advice="Units of work touch several structures: 6 % more processor time for nonpersistent and 12 % for"
        " persistent messages, and more traffic to CSQ_ADMIN. Keep what is committed together in one structure.",
        fact="R-CF-02, R-CF-15, R-31", lines="L2486-L2488, L2849, L2866, L3556",
        fires={"units_across_structures": True}, quiet={"units_across_structures": False},
    ),
    Rule(
        id="structure-queues-over-limit", subject="site_structure", severity="severe",
        when="value > threshold", value="structure_queues", threshold=512,
        advice="Structure {object} has {value:.0f} queues; {threshold:.0f} is the most.",
        fact="F-CF-02, R-32", lines="L2476, L3558",
        fires={"structure_queues": 600}, quiet={"structure_queues": 100},
    ),
    Rule(
        id="structure-mixes-deep-and-critical", subject="site_structure", severity="warning",
        when="structure_mixes_deep_and_critical",
        advice="Structure {object} has critical queues beside ones that may grow deep. If those fill it, the critical"
        " ones get 2192 as well.",
        fact="R-CF-01", lines="L2478-L2484",
        fires={"structure_mixes_deep_and_critical": True}, quiet={"structure_mixes_deep_and_critical": False},
    ),
    Rule(
        id="structure-size-over-twice-initial", subject="site_structure", severity="warning",
        when="value > threshold", value="structure_size_kb", threshold="structure_size_kb_max(structure_initsize_kb)",
        advice="SIZE of structure {object} is {value:,.0f} KB with INITSIZE {structure_initsize_kb:,.0f} KB. Control"
        " storage for the whole SIZE is taken at once: stay at or below {threshold:,.0f} KB.",
        fact="R-CF-03", lines="L2494-L2500",
        fires={"structure_size_kb": 4000000, "structure_initsize_kb": 500000},
        quiet={"structure_size_kb": 1000000, "structure_initsize_kb": 500000},
    ),
    Rule(
        id="structure-minsize-below-initial", subject="site_structure", severity="warning",
        when="value < threshold and (allow_auto_alter or matches(object, '*CSQ_ADMIN'))", value="structure_minsize_kb",
        threshold="structure_initsize_kb",
        advice="MINSIZE of structure {object} is {value:,.0f} KB, below INITSIZE {threshold:,.0f} KB. When the"
        " coupling facility fills, automatic alter may shrink it.",
        fact="R-CF-03", lines="L2494-L2500, L2690",
        fires={"structure_minsize_kb": 1000, "structure_initsize_kb": 500000, "allow_auto_alter": True, "object": "A"},
        quiet={
            "structure_minsize_kb": 500000, "structure_initsize_kb": 500000, "allow_auto_alter": True, "object": "A",
        },
    ),
    Rule(
        id="admin-structure-small", subject="site_structure", severity="warning",
        when="matches(object, '*CSQ_ADMIN') and value < threshold", value="structure_initsize_kb",
        threshold="admin_structure_initsize_kb(cfcc_level)",
        advice="CSQ_ADMIN has INITSIZE {value:,.0f} KB; for {cfcc_level:.0f} as coupling facility level at least"
        " {threshold:,.0f} KB are advised (up to seven queue managers).",
        fact="R-CF-04", lines="L2506",
        fires={"structure_initsize_kb": 10000, "cfcc_level": 25, "object": "CSQ_ADMIN"},
        quiet={"structure_initsize_kb": 30000, "cfcc_level": 25, "object": "CSQ_ADMIN"},
    ),
    Rule(
        id="admin-structure-entries-short", subject="site_structure", severity="severe",
        when="matches(object, '*CSQ_ADMIN') and value < threshold", value="structure_entries_max",
        threshold="admin_entries_needed(qsg_queue_managers)",
        advice="CSQ_ADMIN has {value:,.0f} entries for {qsg_queue_managers:.0f} queue managers. Each needs 1000 to"
        " start; check again after each coupling facility upgrade.",
        fact="R-CF-04", lines="L2508",
        fires={"structure_entries_max": 5000, "qsg_queue_managers": 7, "object": "CSQ_ADMIN"},
        quiet={"structure_entries_max": 20638, "qsg_queue_managers": 7, "object": "CSQ_ADMIN"},
    ),
    Rule(
        id="structure-too-small-for-outage", subject="site_structure", severity="warning",
        when="value < threshold", value="structure_initsize_kb",
        threshold="structure_initsize_bytes_for_one_size(message_bytes_typical, outage_messages(puts_per_second_peak,"
        " outage_seconds), cfcc_level) / 1024",
        advice="Structure {object} has {value:,.0f} KB. To hold {puts_per_second_peak:,.0f} messages a second through"
        " an outage of {outage_seconds:,.0f} s it needs {threshold:,.0f} KB.",
        fact="R-CF-05", lines="L2520-L2546",
        fires={
            "structure_initsize_kb": 500000, "message_bytes_typical": 2048, "puts_per_second_peak": 1000,
            "outage_seconds": 3600,
            "cfcc_level": 24,
        },
        quiet={
            "structure_initsize_kb": 500000, "message_bytes_typical": 2048, "puts_per_second_peak": 10,
            "outage_seconds": 3600,
            "cfcc_level": 24,
        },
    ),
    Rule(
        id="structure-auto-alter-would-help", subject="site_structure", severity="info",
        when="not allow_auto_alter and (message_bytes_typical < 908 or message_bytes_typical > 64512)",
        advice="Messages of {message_bytes_typical:,.0f} bytes do not match the 6:1 ratio of structure {object}."
        " ALLOWAUTOALT(YES) gains room in the same size.",
        fact="R-CF-09", lines="L2688",
        fires={"allow_auto_alter": False, "message_bytes_typical": 200},
        quiet={"allow_auto_alter": True, "message_bytes_typical": 200},
    ),
    Rule(
        id="structure-shrunk-on-old-cf", subject="site_structure", severity="severe",
        when="structure_shrink_planned and value < threshold", value="cfcc_level", threshold=12,
        advice="Making structure {object} smaller is very disruptive before coupling facility level {threshold:.0f}.",
        fact="R-CF-11", lines="L2702-L2704",
        fires={"structure_shrink_planned": True, "cfcc_level": 10},
        quiet={"structure_shrink_planned": True, "cfcc_level": 24},
    ),
    Rule(
        id="structure-needs-growth-for-cfcc", subject="site_structure", severity="warning",
        when="value < threshold", value="structure_initsize_kb",
        threshold="structure_initsize_kb_before + structure_growth_bytes(cfcc_level_before, cfcc_level) / 1024",
        advice="After moving from level {cfcc_level_before:.0f} to {cfcc_level:.0f} structure {object} needs"
        " {threshold:,.0f} KB to hold what it held ({value:,.0f} KB now).",
        fact="R-CF-12", lines="L2578-L2580",
        fires={
            "structure_initsize_kb": 500000, "structure_initsize_kb_before": 500000, "cfcc_level_before": 24,
            "cfcc_level": 25,
        },
        quiet={
            "structure_initsize_kb": 512000, "structure_initsize_kb_before": 500000, "cfcc_level_before": 24,
            "cfcc_level": 25,
        },
    ),
    Rule(
        id="structure-persistent-without-recover", subject="site_structure", severity="severe",
        when="persistent_allowed and (cflevel < 3 or not recover)",
        advice="Persistent messages are wanted on structure {object}, which has CFLEVEL({cflevel:.0f}) or"
        " RECOVER(NO). Puts of persistent messages fail.",
        fact="R-33", lines="L3524-L3540, L3586-L3606",
        fires={"persistent_allowed": True, "cflevel": 4, "recover": False},
        quiet={"persistent_allowed": True, "cflevel": 5, "recover": True},
    ),
    Rule(
        id="structure-cflevel-low", subject="site_structure", severity="warning",
        when="value < threshold and not matches(object, '*CSQ_ADMIN')", value="cflevel", threshold=3,
        advice="Structure {object} has CFLEVEL({value:.0f}): if it fails, the queue managers fail with it. From"
        " {threshold:.0f} on they survive, at no measurable cost.",
        fact="T-28, R-33", lines="L2778-L2787, L3538, L3594",
        fires={"cflevel": 1, "object": "APP1"}, quiet={"cflevel": 5, "object": "APP1"},
    ),
    Rule(
        id="structure-large-messages-without-offload", subject="site_structure", severity="warning",
        when="message_bytes_longest > 64512 and cflevel < 4",
        advice="Messages of up to {message_bytes_longest:,.0f} bytes are to go to structure {object} with"
        " CFLEVEL({cflevel:.0f}); over 63 KB needs 4, better 5.",
        fact="R-33", lines="L3524-L3540",
        fires={"message_bytes_longest": 100000, "cflevel": 3}, quiet={"message_bytes_longest": 100000, "cflevel": 5},
    ),
    Rule(
        id="structure-large-messages-in-db2", subject="site_structure", severity="info",
        when="message_bytes_longest > 64512 and offload == 'DB2'",
        advice="Structure {object} offloads to Db2. Shared message data sets take a fifth to a half of the processor"
        " time.",
        fact="R-14", lines="L3209, L3302-L3316, L3540",
        fires={"message_bytes_longest": 100000, "offload": "DB2"},
        quiet={"message_bytes_longest": 100000, "offload": "SMDS"},
    ),
    Rule(
        id="structure-offload-tier-disabled", subject="site_structure", severity="info",
        when="cflevel == 5 and scm_max_mb == 0 and offload_tier_3_disabled",
        advice="The last offload tier of structure {object} is off (size 64K), so small messages fill it although"
        " there is no storage class memory behind.",
        fact="R-30", lines="L3514-L3518",
        fires={"cflevel": 5, "scm_max_mb": 0, "offload_tier_3_disabled": True},
        quiet={"cflevel": 5, "scm_max_mb": 1000, "offload_tier_3_disabled": True},
    ),
    Rule(
        id="structure-offload-with-tiny-messages", subject="site_structure", severity="info",
        when="cflevel == 5 and value <= threshold", value="message_bytes_typical", threshold=122,
        advice="Messages of {value:.0f} bytes are never offloaded from structure {object}, whatever the tiers say:"
        " size it to hold them all.",
        fact="R-08", lines="L3154-L3156",
        fires={"cflevel": 5, "message_bytes_typical": 100}, quiet={"cflevel": 5, "message_bytes_typical": 2000},
    ),
    Rule(
        id="structure-duplexed-without-admin", subject="site_structure", severity="warning",
        when="duplexed and not admin_duplexed and not matches(object, '*CSQ_ADMIN')",
        advice="Structure {object} is duplexed and CSQ_ADMIN is not. That protects little: duplex both or neither.",
        fact="R-CF-15, R-33", lines="L2860, L3606",
        fires={"duplexed": True, "admin_duplexed": False, "object": "APP1"},
        quiet={"duplexed": True, "admin_duplexed": True, "object": "APP1"},
    ),
    Rule(
        id="structure-duplex-distance", subject="site_structure", severity="info",
        when="duplexed and value > threshold", value="duplex_distance_us(duplex_km)", threshold=1000, derived=True,
        advice="Duplexing structure {object} over {duplex_km:.0f} km adds about {value:,.0f} us to each update,"
        " besides twice the coupling facility processor time.",
        fact="R-CF-15", lines="L2813, L2822, L2867",
        fires={"duplexed": True, "duplex_km": 100}, quiet={"duplexed": True, "duplex_km": 1},
    ),
    Rule(
        id="structure-nonpersistent-duplexed", subject="site_structure", severity="info",
        when="duplexed and not persistent_allowed",
        advice="Structure {object} holds only nonpersistent messages and is duplexed: up to half the throughput, for"
        " messages that may be lost. It still beats persistence if availability is what you want.",
        fact="R-CF-15, R-CF-19, R-33", lines="L2805, L2826-L2877, L3586-L3606",
        fires={"duplexed": True, "persistent_allowed": False}, quiet={"duplexed": False, "persistent_allowed": False},
    ),
    Rule(
        id="structure-access-not-by-priority-with-scm", subject="site_structure", severity="warning",
        when="scm_max_mb > 0 and not gets_in_priority_order",
        advice="Structure {object} has storage class memory and its messages are got in random order. Its prediction"
        " fails then: a get took 1.2 ms instead of 19 us.",
        fact="R-25, R-27", lines="L3443-L3466",
        fires={"scm_max_mb": 1000, "gets_in_priority_order": False},
        quiet={"scm_max_mb": 1000, "gets_in_priority_order": True},
    ),
    Rule(
        id="scm-overcommitted", subject="site_cf", severity="warning",
        when="value > 0", value="scm_overcommitted_mb(scm_max_mb_total, scm_assigned_mb)",
        advice="Structures in coupling facility {object} may take {scm_max_mb_total:,.0f} MB of storage class memory,"
        " {value:,.0f} MB more than there is. Then puts fail with 2192.",
        fact="R-21", lines="L3424",
        fires={"scm_max_mb_total": 2000000, "scm_assigned_mb": 1000000},
        quiet={"scm_max_mb_total": 900000, "scm_assigned_mb": 1000000},
        derived=True,
    ),
    Rule(
        id="scm-augmented-space-short", subject="site_cf", severity="warning",
        when="value > 0", value="scm_augmented_missing_mb(scm_augmented_mb_max(scm_max_mb_total), cf_free_mb)",
        derived=True,
        advice="Filling {scm_max_mb_total:,.0f} MB of storage class memory needs {value:,.0f} MB more free storage in"
        " coupling facility {object} than there is.",
        fact="R-22", lines="L3412, L3481",
        fires={"scm_max_mb_total": 1048576, "cf_free_mb": 10000},
        quiet={"scm_max_mb_total": 1048576, "cf_free_mb": 90000},
    ),
    Rule(
        id="scm-delayed-faults", subject="site_structure", severity="warning",
        when="value > threshold", value="scm_delayed_faults_pct(scm_delayed_faults, scm_requests)", threshold=100,
        advice="Structure {object} had {value:.0f} % delayed faults: several for each request. Prefetching guesses"
        " wrong; unless messages are already got in priority order, change how they are got.",
        fact="R-27", lines="L3486-L3487",
        fires={"scm_delayed_faults": 353138, "scm_requests": 70900},
        quiet={"scm_delayed_faults": 353, "scm_requests": 70900},
    ),
    Rule(
        id="scm-backlog-grows", subject="site_structure", severity="warning", derived=True,
        when="scm_read_mb > 0 and value > threshold", value="scm_written_mb / scm_read_mb", threshold=1.5,
        advice="Structure {object} writes {value:.1f} times as much to storage class memory as it reads back: the"
        " backlog grows.",
        fact="R-28", lines="L3485",
        fires={"scm_read_mb": 1000, "scm_written_mb": 5000}, quiet={"scm_read_mb": 33910, "scm_written_mb": 33907},
    ),
    Rule(
        id="scm-rate-too-high", subject="site_structure", severity="warning",
        when="scm_max_mb > 0 and value > threshold", value="put_mb_per_second",
        threshold="scm_write_mb_per_second_max(message_bytes_typical / 1024)",
        advice="Puts of {value:.0f} MB/s to structure {object} are more than storage class memory takes for this size"
        " ({threshold:.0f} MB/s), so they will wait.",
        fact="R-26", lines="L3429-L3439",
        fires={"scm_max_mb": 1000, "put_mb_per_second": 900, "message_bytes_typical": 8192},
        quiet={"scm_max_mb": 1000, "put_mb_per_second": 90, "message_bytes_typical": 8192},
    ),
    Rule(
        id="cf-one-engine-busy", subject="site_cf", severity="warning",
        when="cf_engines == 1 and value > threshold", value="cf_busy_pct", threshold=30,
        advice="Coupling facility {object} has one engine at {value:.0f} %. Over {threshold:.0f} % for any length of"
        " time wants a second one.",
        fact="R-CF-13", lines="L2894",
        fires={"cf_engines": 1, "cf_busy_pct": 45}, quiet={"cf_engines": 1, "cf_busy_pct": 20},
    ),
    Rule(
        id="cf-engines-busy", subject="site_cf", severity="warning",
        when="cf_engines > 1 and value > threshold", value="cf_busy_pct", threshold=60,
        advice="Coupling facility {object} is {value:.0f} % busy. Over {threshold:.0f} % calls turn asynchronous and"
        " take hundreds of microseconds: add an engine.",
        fact="R-CF-13, R-CF-14, R-SQ-7", lines="L2889-L2894, L7113, L7918",
        fires={"cf_engines": 4, "cf_busy_pct": 70}, quiet={"cf_engines": 4, "cf_busy_pct": 40},
    ),
    Rule(
        id="cf-engines-shared", subject="site_cf", severity="info",
        when="cf_engines_shared and response_critical",
        advice="Coupling facility {object} shares its engines. Where response matters use dedicated ones; else"
        " dynamic dispatching, THIN from level 25 on.",
        fact="R-CF-13, F-CF-12", lines="L2898-L2912",
        fires={"cf_engines_shared": True, "response_critical": True},
        quiet={"cf_engines_shared": False, "response_critical": True},
    ),
    Rule(
        id="cf-too-small-for-rate", subject="site_cf", severity="warning", derived=True,
        when="value > threshold",
        value="cf_engines_needed(persistent_messages_per_second_peak,"
        " cf_us_per_persistent_message(message_bytes_typical))",
        threshold="cf_engines",
        advice="{persistent_messages_per_second_peak:,.0f} persistent shared messages a second need {value:.1f}"
        " engines at 60 %; coupling facility {object} has {threshold:.0f}.",
        fact="R-SQ-7", lines="L7113, L7918-L7922",
        fires={"persistent_messages_per_second_peak": 84000, "message_bytes_typical": 1000, "cf_engines": 2},
        quiet={"persistent_messages_per_second_peak": 10000, "message_bytes_typical": 1000, "cf_engines": 2},
    ),
    Rule(
        id="cf-link-slow", subject="site_cf", severity="info",
        when="cf_link in ('CFP', 'ISC-3')",
        advice="Coupling facility {object} is reached by {cf_link} links. Each call occupies a processor for the"
        " whole way; internal links gave up to 40 % more throughput.",
        fact="R-SQ-8, T-22", lines="L2451-L2466, L2856, L7112",
        fires={"cf_link": "CFP"}, quiet={"cf_link": "ICP"},
    ),
    Rule(
        id="notifications-wasted", subject="site_structure", severity="info", derived=True,
        when="puts_per_second_peak < 100 and not key_notify_delay and value > threshold",
        value="interested_queue_managers", threshold=3,
        advice="{value:.0f} queue managers are woken for nearly each message of structure {object} at this low rate,"
        " and all but one for nothing. KEYRNOTIFYDELAY wakes one at a time.",
        fact="R-36", lines="L3543-L3550, L3624-L3646",
        fires={"puts_per_second_peak": 20, "key_notify_delay": False, "interested_queue_managers": 10},
        quiet={"puts_per_second_peak": 20, "key_notify_delay": True, "interested_queue_managers": 10},
    ),
    Rule(
        id="lob-partition-too-small", subject="site_structure", severity="warning",
        when="offload == 'DB2' and value < threshold", value="lob_partition_kb_defined",
        threshold="lob_partition_kb(lob_space_kb(message_bytes_typical, messages_max))",
        advice="Each Db2 partition of large messages for {object} has {value:,.0f} KB; {threshold:,.0f} KB are"
        " needed. One full partition gives 2192 while others have room.",
        fact="R-10, R-11", lines="L3187-L3196",
        fires={
            "offload": "DB2", "lob_partition_kb_defined": 100000, "message_bytes_typical": 102400,
            "messages_max": 10000,
        },
        quiet={
            "offload": "DB2", "lob_partition_kb_defined": 400000, "message_bytes_typical": 102400,
            "messages_max": 10000,
        },
    ),
    Rule(
        id="db2-buffer-pool-shared", subject="site", severity="info",
        when="db2_large_messages and not db2_lob_pool_dedicated",
        advice="Large messages go to Db2 without a 32K buffer pool of their own. Dedicate one, with its group buffer"
        " pool.",
        fact="R-16", lines="L3217-L3224",
        fires={"db2_large_messages": True, "db2_lob_pool_dedicated": False},
        quiet={"db2_large_messages": True, "db2_lob_pool_dedicated": True},
    ),
    Rule(
        id="db2-cross-sharing", subject="site", severity="info", derived=True,
        when="db2_large_messages and value > threshold", value="data_sharing_pct(qsg_queue_managers)", threshold=60,
        advice="With {qsg_queue_managers:.0f} like systems {value:.0f} % of the large messages are got on another"
        " system than put, the dear case in Db2.",
        fact="R-13, R-38", lines="L3237-L3264",
        fires={"db2_large_messages": True, "qsg_queue_managers": 4},
        quiet={"db2_large_messages": True, "qsg_queue_managers": 2},
    ),
    Rule(
        id="ims-bridge-idle-members", subject="site", severity="info", derived=True,
        when="ims_bridge_shared_queues > 0 and value > threshold", value="ims_bridge_shared_queues", threshold=100,
        advice="{value:.0f} shared IMS bridge queues are woken every 10 seconds on each queue manager, even unused"
        " ones: 100 of them take about 1 %.",
        fact="R-35, F-IMS-6", lines="L3573-L3584, L8222",
        fires={"ims_bridge_shared_queues": 300}, quiet={"ims_bridge_shared_queues": 10},
    ),
    Rule(
        id="dead-messages-do-not-fit", subject="site_structure", severity="warning",
        when="cflevel <= 4 and value > threshold",
        value="structure_bytes_with_already_got(live_message_bytes, qsg_queue_managers, message_bytes_typical)",
        threshold="structure_initsize_kb * 1024",
        advice="Live and already got messages may take {value / 1048576:,.0f} MB of structure {object}, more than it"
        " has. ALLOWAUTOALT(YES), a larger one, or CFLEVEL(5).",
        fact="R-01, R-CF-17", lines="L2997-L3011", derived=True,
        fires={
            "cflevel": 4, "live_message_bytes": 10000000, "qsg_queue_managers": 30, "message_bytes_typical": 65536,
            "structure_initsize_kb": 500000,
        },
        quiet={
            "cflevel": 5, "live_message_bytes": 10000000, "qsg_queue_managers": 30, "message_bytes_typical": 65536,
            "structure_initsize_kb": 500000,
        },
    ),
)
