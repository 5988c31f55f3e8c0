"""Questions about trace, indexes, expiry, security, and storage of a queue manager."""

from __future__ import annotations

from libremq.pipeline.questions.data.shown_questions import DEEP_QUEUES, GETS
from libremq.pipeline.questions.question import Figure, Question, Rows

_STORAGE = Rows(
    "storage",
    (
        "region_31_mb = highest(region_31_bytes) / 1048576",
        "user_31_pct_high = highest(user_31_pct)",
        "available_31_mb_low = lowest(available_31_bytes) / 1048576",
        "short_on_storage_events",
        "storage_failures",
    ),
    "highest(user_31_pct)",
    by=("qmgr",),
)

QUESTIONS = (
    Question(
        id="accounting-cost",
        source="1/Q-30",
        lines="L1965-L2071",
        text="What does the accounting trace cost, and how much does it store?",
        figures=(
            Figure("class 1, a transaction of puts and gets only", "class_1_trace_us(calls_per_transaction)"),
            Figure("class 3, a transaction", "class_3_trace_us(calls_per_transaction)"),
            Figure(
                "class 3, of the transaction",
                "trace_overhead_pct(class_3_trace_us(calls_per_transaction), transaction_us)",
            ),
            Figure("class 1, a day", "class_1_smf_mb(transactions_per_second_typical * 86400)"),
            Figure("class 3, a day", "class_3_smf_mb(transactions_per_second_typical * 86400, queues_per_transaction)"),
            Figure("class 3, a transaction stores", "class_3_records(queues_per_transaction)"),
            Figure("class 3, storage of the queue manager", "class_3_storage_kb(connections)"),
        ),
        rules=("accounting-overhead", "accounting-volume", "class-3-storage"),
        rows=(
            Rows(
                "task_accounting",
                ("records = count()", "mean_queues = mean(queues_used)", "mqi_cpu_us = sum(own_mqi_cpu_us)"),
                "count()",
                by=("qmgr", "application_type", "task_name"),
            ),
        ),
        known=("Cost does not depend on length or persistence. A minute of class 3 now and then often tells enough.",),
    ),
    Question(
        id="trace-data-lost-why",
        source="1/Q-31",
        lines="L1973",
        text="Why is trace data lost?",
        figures=(
            Figure(
                "accounting records a second",
                "transactions_per_second_typical * class_3_records(queues_per_transaction)",
                "records/s",
            ),
            Figure("records with log streams", "smf_records_per_second_max(smf_records_per_second, 'log streams')"),
        ),
        rules=("trace-data-lost", "accounting-into-data-sets"),
        known=(
            "CSQW133E says so: short transactions make records faster than SMF's data sets take them. Write to log"
            " streams, or switch class 3 on for a minute at a time.",
        ),
    ),
    Question(
        id="global-trace",
        source="1/Q-32",
        lines="L2079-L2102",
        text="Can the global trace stay on?",
        figures=(
            Figure("transaction with a resident trace", "globally_traced_transaction_us(transaction_us)"),
            Figure("transaction with a trace to GTF, at least", "globally_traced_transaction_us(transaction_us, 8)"),
            Figure("with a channel initiator trace, at worst", "traced_us_max(transaction_us)"),
        ),
        rules=("global-trace-on", "chinit-trace-on"),
        known=(
            "No: to GTF it is serial besides, and throughput falls with it. Keep it for service, and then switch it"
            " off.",
        ),
    ),
    Question(
        id="index-needed",
        source="1/Q-35",
        lines="L2148-L2150",
        text="Do my queues need an index?",
        figures=(Figure("a get that passes the whole queue", "selecting_get_us(queue_depth_highest)"),),
        rules=("queue-specific-gets-without-index", "queue-gets-skip-messages", "queue-index-not-used"),
        rows=(GETS,),
        known=("Yes, where gets by MsgId, CorrelId or GroupId meet more than a few messages: INDXTYPE must match.",),
    ),
    Question(
        id="index-storage-and-restart",
        source="1/Q-36",
        lines="L2154-L2222, L2410",
        text="How much storage and restart time do indexes take?",
        figures=(
            Figure("storage", "index_storage_bytes(indexed_messages, indexed_queues) / 1048576", "MB"),
            Figure("rebuild at restart", "parallel_index_rebuild_seconds(indexed_messages, indexed_messages_deepest)"),
            Figure(
                "rebuild with zHPF, at best",
                "index_rebuild_seconds_with_zhpf(parallel_index_rebuild_seconds(indexed_messages,"
                " indexed_messages_deepest))",
            ),
            Figure("processor time of the rebuild", "index_rebuild_cpu_seconds(indexed_messages)"),
        ),
        rules=("index-storage", "index-rebuild-holds-restart", "queue-index-rebuild-long"),
        rows=(DEEP_QUEUES,),
        known=(
            "Private queues only; disks decide, not the processor. QINDXBLD(NOWAIT) lets the restart go on meanwhile.",
        ),
    ),
    Question(
        id="expiry-cost",
        source="1/Q-37",
        lines="L2232-L2242",
        text="What does expiry cost in the queue-sharing group?",
        figures=(
            Figure(
                "processor time of a scan",
                "expiry_scan_cpu_us(shared_messages, shared_messages_expired) / 1000000",
                "CPU seconds",
            ),
            Figure(
                "with messages in shared message data sets",
                "expiry_scan_cpu_us(shared_messages, shared_messages_expired, 2) / 1000000",
                "CPU seconds",
            ),
            Figure("calls to the coupling facility", "expiry_scan_cf_calls(shared_messages, shared_messages_expired)"),
            Figure(
                "time of the coupling facility",
                "expiry_scan_cf_us(shared_messages, shared_messages_expired) / 1000000",
                "CF CPU seconds",
            ),
        ),
        rules=(
            "shared-expiry-scan-cost",
            "expryint-invalid",
            "expiry-off-with-expiring-messages",
            "queue-expired-at-get",
        ),
        rows=(
            Rows(
                "queue",
                ("expired_messages", "depth_high = highest(depth_high)", "shared = last(shared)"),
                "sum(expired_messages)",
                by=("qmgr", "queue"),
            ),
        ),
        known=("Private queues with nothing to expire cost next to nothing. EXPRYINT beats programs that browse.",),
    ),
    Question(
        id="security-storage",
        source="1/Q-38",
        lines="L2317-L2323, L2389-L2392",
        text="How much storage do users take?",
        figures=(
            Figure("in all", "security_cache_kb(users, queues_per_user)"),
            Figure("of it in real storage", "security_cache_real_kb(users)"),
        ),
        rules=("security-cache-large",),
        rows=(_STORAGE,),
    ),
    Question(
        id="users-discarded-when",
        source="1/Q-39",
        lines="L2284-L2298",
        text="When is a user forgotten?",
        figures=(
            Figure(
                "after the last use, at the latest",
                "user_discard_minutes_max(security_timeout_minutes, security_interval_minutes)",
            ),
            Figure(
                "if last used at minute 0 of the clock",
                "user_discard_minute(0, security_timeout_minutes, security_interval_minutes)",
            ),
        ),
        rules=("security-users-discarded-early",),
        known=("At the first tick of the interval after the timeout; until then changed rights are not seen.",),
    ),
    Question(
        id="common-and-handle-storage",
        source="1/Q-40",
        lines="L2362-L2373, L2414-L2418",
        text="How much common storage and storage for handles is needed?",
        figures=(
            Figure("common storage, local and SHARECNV(0)", "csa_kb(connections)"),
            Figure("common storage, SHARECNV(1)", "csa_kb(connections, 4.9)"),
            Figure("common storage, SHARECNV(10)", "csa_kb(connections, 2.7)"),
            Figure("handles", "handle_storage_kb(open_handles)"),
        ),
        rules=(
            "storage-short",
            "storage-abends",
            "storage-requests-failed",
            "storage-region-31-high",
            "storage-growing",
            "csa-high",
            "handle-storage-high",
            "sharing-group-storage",
        ),
        rows=(_STORAGE,),
        known=(
            "A message channel may keep 30 queues open. Common storage in use is told by RMF, not by MQ's records.",
        ),
    ),
    Question(
        id="cluster-cache",
        source="1/Q-42",
        lines="L2439-L2443",
        text="How large is the cluster cache?",
        figures=(Figure("both copies", "cluster_cache_mb(cluster_configuration_mb)"),),
        rules=("cluster-cache-static-full",),
        known=("One copy in the queue manager, one in the channel initiator, each 2 MB at least. DYNAMIC grows.",),
    ),
)
