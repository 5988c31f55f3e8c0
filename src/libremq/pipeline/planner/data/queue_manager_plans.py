"""Plans for what is inside a queue manager: page sets, buffer pools, storage, users, expiry, traces."""

from __future__ import annotations

from libremq.pipeline.planner.plan import Margin, Plan, Step, Watch
from libremq.pipeline.planner.plan_inputs import assume, may, need

PLANS = (
    Plan(
        name="pageset",
        title="Page set: size for the messages that wait at the peak",
        inputs=(
            need("message_bytes"),
            may("messages_at_once"),
            may("messages_per_second"),
            may("outage_seconds"),
            assume("maxshortmsgs_0", False),
            assume("spare_fraction", 0),
            may("page_set_gb"),
            may("used_pages"),
        ),
        needs=(("messages_at_once",), ("messages_per_second", "outage_seconds")),
        steps=(
            Step(
                "messages",
                "Messages to hold: as given, or what comes while nobody gets",
                "either(messages_at_once, outage_messages(messages_per_second, outage_seconds))",
                "messages",
            ),
            Step("pages_each", "Pages of a message by default", "pages_per_message(message_bytes)", "pages"),
            Step(
                "per_page",
                "Messages to a page under MAXSHORTMSGS 0",
                "messages_per_page_packed(message_bytes)",
                "messages",
            ),
            Step(
                "default_gb",
                "Size by default",
                "page_set_gb_for_messages(messages, message_bytes, spare_fraction)",
                "GB",
            ),
            Step(
                "packed_gb",
                "Size under MAXSHORTMSGS 0",
                "page_set_gb_for_messages_packed(messages, message_bytes, spare_fraction)",
                "GB",
            ),
            Step("size_gb", "Size", "packed_gb if maxshortmsgs_0 else default_gb", "GB"),
            Step("pages", "The same in pages", "page_set_pages(size_gb)", "pages"),
            Step(
                "gain", "How many times more messages fit under MAXSHORTMSGS 0", "packing_gain(message_bytes)", "times"
            ),
            Step(
                "capacity",
                "Messages that the page set you have takes",
                "messages_in_page_set_packed(page_set_gb, message_bytes) if maxshortmsgs_0"
                " else messages_in_page_set(page_set_gb, message_bytes)",
                "messages",
            ),
            Step(
                "used_now",
                "How full it was at most",
                "page_set_used_pct(page_set_pages(page_set_gb), page_set_pages(page_set_gb) - used_pages)",
                "percent",
            ),
            Step("format_time", "Time to format it", "format_seconds(size_gb)", "seconds"),
        ),
        answer="size_gb",
        words=(
            "A page set of {size_gb} holds {messages} of {message_bytes}.",
            "The one you have, of {page_set_gb}, takes {capacity}.",
        ),
        margin=Margin(
            "Size for the peak and define a secondary extent for the unexpected; past 90 percent a page set"
            " expands and puts"
            " wait some ms. How much to spare is not stated: --spare-fraction adds it.",
            "R-PS-04, R-PS-05",
            "L889-L895",
        ),
        watch=(
            Watch("The page set you have is too small for it.", "R-PS-04 L889", "capacity < messages"),
            Watch(
                "Small messages take a page each; MAXSHORTMSGS 0 would hold {gain} as many, at the cost of throughput.",
                "R-PS-10 L996-L998",
                "gain >= 2 and not maxshortmsgs_0",
            ),
            Watch("A page set has 64 GB at most: use several.", "T-08 L862-L881", "size_gb > 64"),
            Watch(
                "Keep messages that stay apart from ones that pass: page sets and pools of their own.", "R-PS-06 L850"
            ),
        ),
        example="--message-bytes 3000 --messages-per-second 200 --outage-seconds 3600",
    ),
    Plan(
        name="bufferpool",
        title="Buffer pool: pages for the messages that pass, and where writing begins",
        inputs=(
            assume("pool", 2),
            assume("production", True),
            may("high_water_pages"),
            may("messages_at_once"),
            may("message_bytes"),
            may("objects_defined"),
            may("page_set_gb"),
            assume("page_set_write_mb_per_second", 300),
        ),
        needs=(("high_water_pages",), ("messages_at_once", "message_bytes")),
        steps=(
            Step("pages_each", "Pages of a message", "pages_per_message(message_bytes)", "pages"),
            Step(
                "high_water",
                "Most pages in use: as given, or by the messages",
                "either(high_water_pages, messages_at_once * pages_each)",
                "pages",
            ),
            Step("buffers", "Buffers that keep 15 percent free", "buffers_for_high_water(high_water)", "buffers"),
            Step(
                "starting",
                "Size to begin with, where nothing is known",
                "starting_pool_pages_production(pool) if production else starting_pool_pages_test(pool)",
                "pages",
            ),
            Step("pool_mb", "Storage of these buffers", "buffers * 4096 / 1048576", "MB"),
            Step(
                "deferred_start",
                "Used pages at which deferred writing starts",
                "deferred_write_start_pages(buffers)",
                "pages",
            ),
            Step("deferred_stop", "Used pages below which it stops", "deferred_write_stop_pages(buffers)", "pages"),
            Step(
                "synchronous", "Used pages from which puts wait for writes", "synchronous_write_pages(buffers)", "pages"
            ),
            Step(
                "write_seconds",
                "Time to write all its pages at a checkpoint",
                "deferred_write_seconds(4096 * high_water, page_set_write_mb_per_second)",
                "seconds",
            ),
            Step(
                "objects_most",
                "Pool 0 for the objects, by their storage",
                "object_pages_by_bytes(objects_defined)",
                "pages",
            ),
            Step("objects_half", "The same, half a page each", "object_pages_by_count(objects_defined)", "pages"),
            Step(
                "objects_least",
                "The same, as one system used them",
                "object_pages_by_measured_use(objects_defined)",
                "pages",
            ),
            Step(
                "whole_page_set",
                "Pages that hold the page set whole, so that nothing is written at once",
                "oversized_pool_pages(page_set_pages(page_set_gb))",
                "pages",
            ),
        ),
        answer="buffers",
        words=(
            "The pool needs {buffers}, {pool_mb}; deferred writing starts at {deferred_start} in use.",
            "Where nothing is known, begin with {starting}.",
            "For the objects, pool 0 needs between {objects_least} and {objects_most} besides.",
        ),
        margin=Margin(
            "15 percent stay free in the system pool and in that of short-lived messages, at all times; a"
            " pool that never"
            " was half full may shrink.",
            "R-BP-04, R-BP-06, R-BP-08",
            "L1045-L1075, L6725",
        ),
        watch=(
            Watch(
                "Less than the size to begin with: keep that one until statistics tell otherwise.",
                "R-BP-01 L1010-L1015",
                "buffers < starting",
            ),
            Watch(
                "No gain in a pool larger than the page set, except 5 percent more where one page set has a pool of its"
                " own.",
                "R-BP-10 L1120-L1138",
                "buffers > whole_page_set",
            ),
            Watch(
                "Any buffer shortage, steal contention or synchronous write says that the pool is too small.",
                "R-BP-07 L1073",
            ),
        ),
        example="--pool 2 --messages-at-once 20k --message-bytes 5000",
    ),
    Plan(
        name="storage",
        title="Storage of a queue manager: common storage, handles, sharing group, cluster",
        inputs=(
            need("connections"),
            assume("connection_kb", 2.47),
            may("open_handles"),
            may("application_structures"),
            assume("structures_backed_up", False),
            may("cluster_configuration_mb"),
            assume("class_3_on", False),
            may("indexed_messages"),
            assume("indexed_queues", 1),
            may("users"),
            assume("queues_per_user", 1),
        ),
        steps=(
            Step("csa", "Common storage", "csa_kb(connections, connection_kb)", "KB"),
            Step("handles", "Open handles", "handle_storage_kb(open_handles)", "KB"),
            Step("class_3", "Accounting class 3", "class_3_storage_kb(connections) if class_3_on else 0", "KB"),
            Step(
                "sharing",
                "Sharing group, private",
                "sharing_group_private_kb(application_structures, 1 if structures_backed_up else 0)",
                "KB",
            ),
            Step("esqa", "Sharing group, ESQA", "sharing_group_esqa_kb(application_structures)", "KB"),
            Step("ecsa", "Sharing group, ECSA", "sharing_group_ecsa_kb(application_structures)", "KB"),
            Step("cluster", "Cluster cache, both copies", "cluster_cache_mb(cluster_configuration_mb) * 1024", "KB"),
            Step(
                "indexes",
                "Indexes, above the bar",
                "index_storage_bytes(indexed_messages, indexed_queues) / 1024",
                "KB",
            ),
            Step("security", "Users in the security cache", "security_cache_kb(users, queues_per_user)", "KB"),
            Step(
                "private",
                "Private storage of what was given, without buffer pools and indexes",
                "either(handles, 0) + class_3 + either(sharing, 0) + either(cluster, 0) + either(security, 0)",
                "KB",
            ),
        ),
        answer="csa",
        words=(
            "The queue manager takes {csa} of common storage, and {private} of private storage for what was given.",
        ),
        watch=(
            Watch(
                "Buffer pools come on top (libremq plan bufferpool), and SMDS buffers (libremq plan smds).",
                "R-VST-03 L2362-L2373",
            ),
            Watch("Large units of work hold lock storage: lower MAXUMSGS.", "R-VST-08 L2422-L2427"),
        ),
        example="--connections 10k --open-handles 20k --application-structures 3",
    ),
    Plan(
        name="security",
        title="Security cache: storage, and how long users stay in it",
        inputs=(
            need("users"),
            assume("queues_per_user", 1),
            assume("security_timeout_minutes", 54),
            assume("security_interval_minutes", 12),
        ),
        steps=(
            Step("storage", "Storage of the users", "security_cache_kb(users, queues_per_user)", "KB"),
            Step("real", "Of it real storage, one queue each", "security_cache_real_kb(users)", "KB"),
            Step(
                "stay",
                "Longest stay after the last use",
                "user_discard_minutes_max(security_timeout_minutes, security_interval_minutes)",
                "minutes",
            ),
        ),
        answer="storage",
        words=("{users} take {storage}; each stays up to {stay} after its last use.",),
        watch=(
            Watch("A shorter timeout frees storage and asks the security manager more often.", "R-VST-02 L2284-L2298"),
        ),
        example="--users 1000 --queues-per-user 50",
    ),
    Plan(
        name="expiry",
        title="Expiry scans of shared queues: what they cost",
        inputs=(
            need("shared_messages"),
            assume("shared_messages_expired", 0),
            assume("expryint_seconds", 300),
            assume("offloaded", False),
        ),
        steps=(
            Step(
                "cpu",
                "Processor time of a scan",
                "expiry_scan_cpu_us(shared_messages, shared_messages_expired, 2 if offloaded else 1)",
                "us",
            ),
            Step(
                "calls",
                "Calls to the coupling facility",
                "expiry_scan_cf_calls(shared_messages, shared_messages_expired)",
                "CF calls",
            ),
            Step(
                "cf",
                "Processor time of the coupling facility",
                "expiry_scan_cf_us(shared_messages, shared_messages_expired)",
                "us",
            ),
            Step("cpu_pct", "Share of one processor", "cpu / expryint_seconds / 10000", "percent"),
            Step("cf_pct", "Share of one CF engine", "cf / expryint_seconds / 10000", "percent"),
        ),
        answer="cpu",
        words=(
            "A scan takes {cpu} of processor time and {cf} of the coupling facility's: every {expryint_seconds} that is"
            " {cpu_pct} of a processor and {cf_pct} of an engine.",
        ),
        watch=(
            Watch("Let the system expire messages; programs that browse for it cost more.", "R-EXP-03 L2230, L2244"),
            Watch("Private queues with nothing to expire cost nothing to speak of.", "R-EXP-04 L2230"),
        ),
        example="--shared-messages 100k --shared-messages-expired 1000 --expryint-seconds 300",
    ),
    Plan(
        name="trace",
        title="Accounting and global trace: processor time, SMF data, storage",
        inputs=(
            need("transactions_per_second"),
            assume("transaction_us", 1000),
            assume("puts_and_gets", 2),
            assume("calls_per_transaction", 4),
            assume("queues_per_transaction", 2),
            may("connections"),
            may("smf_records_per_second_max"),
        ),
        steps=(
            Step("class_1", "Class 1 adds to a transaction", "class_1_trace_us(puts_and_gets)", "us"),
            Step("class_1_pct", "As a share of it", "trace_overhead_pct(class_1, transaction_us)", "percent"),
            Step(
                "records",
                "SMF records of a transaction under class 3",
                "class_3_records(queues_per_transaction)",
                "records",
            ),
            Step(
                "class_3", "Class 3 adds to a transaction", "class_3_trace_us(calls_per_transaction, records - 1)", "us"
            ),
            Step("class_3_pct", "As a share of it", "trace_overhead_pct(class_3, transaction_us)", "percent"),
            Step(
                "global_us",
                "Cost of a transaction under global trace, DEST(RES)",
                "globally_traced_transaction_us(transaction_us)",
                "us",
            ),
            Step("class_1_mb", "SMF data of class 1 in a day", "class_1_smf_mb(86400 * transactions_per_second)", "MB"),
            Step(
                "class_3_mb",
                "SMF data of class 3 in a day",
                "class_3_smf_mb(86400 * transactions_per_second, queues_per_transaction)",
                "MB",
                "the source has no size for more than 8 queues",
            ),
            Step(
                "records_per_second",
                "SMF records a second under class 3",
                "records * transactions_per_second",
                "records/s",
            ),
            Step("storage", "Storage while class 3 is on", "class_3_storage_kb(connections)", "KB"),
            Step(
                "smf_log_streams",
                "What SMF takes with log streams",
                "smf_records_per_second_max(smf_records_per_second_max, 'log streams')",
                "records/s",
            ),
        ),
        answer="class_3",
        words=(
            "Class 3 adds {class_3} to a transaction, {class_3_pct}, and class 1 {class_1}, {class_1_pct}.",
            "In a day class 3 makes {class_3_mb} of SMF data and class 1 {class_1_mb}.",
        ),
        watch=(
            Watch(
                "SMF takes fewer records than class 3 makes: use log streams, or windows of a minute.",
                "R-TR-06 L1971-L1973",
                "records_per_second > smf_records_per_second_max",
            ),
            Watch(
                "Statistics may stay on always. Global trace only when service asks for it: DEST(GTF) costs"
                " eight times.",
                "R-TR-09, R-TR-10 L2075, L2094-L2102",
            ),
        ),
        example="--transactions-per-second 100 --transaction-us 1000",
    ),
)
