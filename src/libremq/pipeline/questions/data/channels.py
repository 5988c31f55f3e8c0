"""Questions about channels, the channel initiator, TLS, applications and the IMS bridge."""

from __future__ import annotations

from libremq.pipeline.questions.question import Question, Rows

_CHANNEL_ROWS = Rows(
    "channel",
    (
        "qmgr",
        "channel",
        "channel_type",
        "messages",
        "batches",
        "batch_size",
        "messages_per_batch",
        "full_batch_pct",
        "batch_interval_ms",
        "persistent_pct",
        "message_average_bytes",
    ),
    "messages",
)

QUESTIONS = (
    Question(
        id="channels-that-fit",
        source="2/16",
        lines="L3694-L3857",
        text="How many channels or clients fit?",
        figures={
            "client channel, KB": "svrconn_channel_kb(message_bytes_typical / 1024, sharecnv_typical)",
            "message channel, KB": "mca_channel_kb(message_bytes_typical / 1024)",
            "client channels within 80 %": (
                "channels_within_guide(chinit_region_mb, svrconn_channel_kb(message_bytes_typical / 1024,"
                " sharecnv_typical))"
            ),
            "more with TLS, KB": "tls_channels_extra_kb(tls_channels)",
        },
        rules=(
            "chinit-storage-31-high",
            "chinit-channels-do-not-fit",
            "chinit-channels-near-maximum",
            "chinit-channels-practical-ceiling",
            "chinit-growing-towards-maximum",
        ),
        rows=Rows(
            "channel_initiator",
            (
                "qmgr",
                "interval_start",
                "current_channels_high",
                "current_channels_limit",
                "storage_31_mb",
                "storage_64_pct",
            ),
            "current_channels_high",
        ),
    ),
    Question(
        id="client-64-bit-storage",
        source="2/17",
        lines="L3781-L3815",
        text="How much 64-bit storage, and which MEMLIMIT, do clients need?",
        figures={
            "one channel, KB": "svrconn_above_bar_kb(message_bytes_typical, sharecnv_typical, conversations_typical)",
            "MEMLIMIT, MB": (
                "memlimit_mb_min(client_channels * svrconn_above_bar_kb(message_bytes_typical, sharecnv_typical,"
                " conversations_typical) / 1024)"
            ),
        },
        rules=("memlimit-too-small", "memlimit-below-need", "memlimit-nolimit", "chinit-storage-64-high"),
    ),
    Question(
        id="which-sharecnv",
        source="2/18",
        lines="L3757-L3759, L4155, L4294-L4301",
        text="Which SHARECNV?",
        rules=(
            "client-sharecnv-not-needed",
            "client-sharecnv-for-threads",
            "client-conversations-share-busy-channel",
            "client-storage-of-shared-conversations",
        ),
        figures={"storage of a shared channel, KB": "shared_svrconn_channel_kb(conversations_typical)"},
    ),
    Question(
        id="chinit-storage-stays-high",
        source="2/19",
        lines="L3888-L3928",
        text="Why is channel initiator storage high after channels have stopped?",
        known=(
            "A channel keeps its storage while it runs; stopped, its buffers go back to pools and not to the system,"
            " until scavenged at 75 % and above.",
            "With long-running channels only, up to an hour may pass; stopping and starting one channel sets it off.",
        ),
        figures={
            "free buffers of the largest messages, MB": "large_free_buffers_mb_max(message_bytes_longest / 1048576)",
        },
        rules=(
            "chinit-scavenging",
            "chinit-scavenger-frequent",
            "chinit-large-free-buffers",
            "chinit-dispatcher-failed",
        ),
    ),
    Question(
        id="enough-adapters",
        source="2/20",
        lines="L3932-L3958",
        text="Are there enough adapters?",
        figures={"adapters advised": "adapters_recommended(processors)"},
        rules=(
            "adapters-all-used",
            "adapters-below-recommended",
            "adapters-mostly-busy",
            "adapter-cpu-heavy",
            "chiadaps-few",
        ),
        rows=Rows(
            "adapter",
            ("qmgr", "interval_start", "position", "requests", "busy_pct", "cpu_pct", "elapsed_per_request_us"),
            "busy_pct",
        ),
    ),
    Question(
        id="dispatchers",
        source="2/21",
        lines="L3962-L3986",
        text="Are there enough dispatchers, and is the load balanced?",
        figures={
            "channels dealt at a time": "dispatcher_chunk(maxchl, chidisps)",
            "dispatchers advised": "dispatchers_recommended(client_channels, chidisps)",
        },
        rules=(
            "dispatcher-saturated",
            "dispatchers-unbalanced",
            "dispatcher-channels-unbalanced",
            "dispatchers-few-for-many-channels",
            "dispatchers-idle",
            "chinit-large-maxchl-few-channels",
        ),
        rows=Rows(
            "dispatcher",
            ("qmgr", "interval_start", "position", "channels", "requests", "busy_pct", "cpu_per_request_us"),
            "busy_pct",
        ),
    ),
    Question(
        id="omvs-limits",
        source="2/22",
        lines="L3999-L4034",
        text="Will more dispatchers break OMVS limits?",
        figures={
            "threads of all channel initiators": "omvs_threads(chidisps, ssltasks, channel_initiators)",
            "raise MAXPROCSYS and MAXPROCUSER by": "maxproc_increase(more_dispatchers, channel_initiators)",
        },
        rules=("omvs-processes-short",),
    ),
    Question(
        id="enough-ssl-tasks",
        source="2/23",
        lines="L4569-L4607",
        text="Are there enough TLS tasks?",
        figures={"tasks advised": "ssltasks_recommended(chidisps, processors)"},
        rules=("ssl-task-saturated", "ssl-tasks-few", "ssl-tasks-unbalanced", "ssltasks-few"),
        rows=Rows(
            "ssl_task",
            ("qmgr", "interval_start", "position", "requests", "busy_pct", "cpu_pct", "longest_request_us"),
            "busy_pct",
        ),
    ),
    Question(
        id="compression-worth",
        source="2/24",
        lines="L4078-L4124",
        text="Is channel compression worth it?",
        figures={
            "bytes after compression": "compressed_bytes(message_bytes_typical, compressible_pct)",
            "dispatcher, us a request": "compressing_dispatcher_us_per_request(compression)",
        },
        rules=(
            "channel-compression-useless",
            "channel-compression-in-software",
            "channel-compression-would-help",
            "dispatcher-compression-cost",
        ),
    ),
    Question(
        id="batch-settings",
        source="2/25",
        lines="L4044-L4067, L4161-L4271",
        text="Which BATCHSZ, BATCHINT and NPMSPEED?",
        figures={
            "BATCHSZ for this size": "batchsz_for_message_bytes(message_bytes_typical)",
            "batch that takes effect": "batch_messages_max(batchsz, batchsz_partner, maxumsgs, maxumsgs_partner)",
        },
        rules=(
            "channel-batches-small",
            "channel-batch-always-full",
            "channel-batch-size-large",
            "channel-large-messages-in-batches",
            "channel-medium-messages-in-batches",
            "channel-batch-interval-long",
            "channel-batch-interval-slows-replies",
            "channel-bulk-batches",
            "channel-trickle-batches",
            "channel-request-reply-batches",
            "channel-nonpersistent-request-batches",
            "channel-npmspeed-normal",
            "channel-npmspeed-breaks-order",
            "channel-batch-limited-by-maxumsgs",
            "channel-batch-ends-at-data-limit",
        ),
        rows=_CHANNEL_ROWS,
    ),
    Question(
        id="batch-achieved",
        source="2/26",
        lines="L4245-L4271, L4894-L4951",
        text="Which batch size do we achieve, and what would a larger one save?",
        measured={
            "messages_per_second_measured": "channel: mean(messages_per_running_second)",
            "message_bytes_measured": "channel: sum(message_bytes) / sum(messages)",
        },
        figures={
            "batch to expect": "batch_messages_expected(messages_per_second_measured, batchint_ms, batchsz)",
            "nonpersistent in batches of 1, us": "channel_us_nonpersistent_batch_1(message_bytes_measured)",
            "nonpersistent in batches of 50, us": "channel_us_nonpersistent_batch_50(message_bytes_measured)",
            "persistent in batches of 1, us": "channel_us_persistent_batch_1(message_bytes_measured)",
        },
        rules=("channel-batches-small", "channel-nonpersistent-could-batch-more", "channel-batchsz-one-saves-flow"),
        rows=_CHANNEL_ROWS,
    ),
    Question(
        id="channel-restart-time",
        source="2/27",
        lines="L4305-L4351",
        text="How long do all channels take to start after a failure?",
        figures={
            "plain, s": "channels_start_seconds(client_channels, channel_starts_per_second(channels_in_syncq))",
            "TLS, s": "channels_start_seconds(tls_channels, tls_starts_per_second(tls_cipher_name))",
        },
        rules=("channels-restart-long", "channels-known-many", "channel-starts-often"),
    ),
    Question(
        id="cheapest-cipher",
        source="2/28",
        lines="L4325-L4351, L4489-L4499, L4532",
        text="Which cipher or alias is cheapest to start and to run?",
        figures={
            "start, ms of processor": "tls_start_cpu_ms(tls_cipher_name)",
            "starts a second": "tls_starts_per_second(tls_cipher_name)",
        },
        rules=("tls-software-cipher", "tls-ecdhe-start-cost", "tls-without-crypto-hardware", "channel-tls-short-lived"),
        known=(
            "Aliases that allow TLS 1.3 settled on CHACHA20, which only software can do; AES-GCM uses the processor's"
            " own support.",
        ),
    ),
    Question(
        id="rekey-cost",
        source="2/29",
        lines="L4384, L4511-L4528",
        text="What does changing keys cost, and what should SSLRKEYC be?",
        figures={"one change, us": "rekey_us(transaction_us_with_rekey, transaction_us, messages_per_negotiation)"},
        rules=("tls-rekey-with-tls13", "tls-rekey-mixed", "tls-rekey-small"),
    ),
    Question(
        id="at-tls",
        source="2/30",
        lines="L4629-L4847",
        text="AT-TLS or SSLCIPH?",
        rules=("at-tls-would-save", "at-tls-software-cipher"),
        figures={
            "round trip with SSLCIPH and a software cipher, ms": (
                "system_ssl_round_trip_ms(message_bytes_typical / 1024)"
            ),
            "round trip with AT-TLS and a software cipher, ms": "at_tls_round_trip_ms(message_bytes_typical / 1024)",
        },
    ),
    Question(
        id="channel-processor",
        source="2/31",
        lines="L4849-L4959",
        text="How much processor does a channel workload need?",
        figures={
            "nonpersistent, batches of 1, processors": (
                "channel_processors(messages_per_second_peak, channel_us_nonpersistent_batch_1(message_bytes_typical))"
            ),
            "nonpersistent, batches of 50, processors": (
                "channel_processors(messages_per_second_peak,"
                " channel_us_nonpersistent_batch_50(message_bytes_typical))"
            ),
            "persistent, batches of 1, processors": (
                "channel_processors(messages_per_second_peak, channel_us_persistent_batch_1(message_bytes_typical))"
            ),
        },
        rules=("channels-processor-cost",),
        known=("Both ends together, z16, within 10 %; scale by LSPR for other machines.",),
    ),
    Question(
        id="get-expensive",
        source="3/13",
        lines="L7160-L7225, L7423-L7635",
        text="Why is this get expensive?",
        figures={
            "get that passes over the queue, us": "selecting_get_us(queue_depth_highest)",
            "times a get is driven again": "common_key_redrives(same_key_messages)",
        },
        rules=(
            "queue-gets-skip-messages",
            "queue-specific-gets-without-index",
            "queue-group-gets-scan",
            "queue-shared-scans-structure",
            "queue-common-key-likely",
            "queue-selector-used",
            "queue-gets-read-page-set",
            "selectors-on-deep-queue",
            "common-key-many",
        ),
        rows=Rows(
            "queue_accounting",
            (
                "qmgr",
                "queue",
                "task_name",
                "get_calls",
                "get_average_elapsed_us",
                "get_average_cpu_us",
                "messages_skipped_per_get",
                "get_cf_requests_per_call",
                "get_specific_pct",
                "depth_high",
            ),
            "get_elapsed_us",
        ),
    ),
    Question(
        id="single-server",
        source="3/18",
        lines="L7853-L7857",
        text="Is a single server the bottleneck?",
        figures={
            "transactions a second of one thread": "server_transactions_per_second_max(get_us, put_us, commit_us)",
        },
        rules=("task-single-server-bound", "strict-order-single-consumer"),
        rows=Rows(
            "queue_accounting",
            ("qmgr", "queue", "task_name", "gets_destructive", "get_average_elapsed_us", "put_average_elapsed_us"),
            "gets_destructive",
        ),
    ),
    Question(
        id="two-or-three-tiers",
        source="3/20",
        lines="L8056-L8155",
        text="Two tiers or three?",
        figures={
            "a message of a direct client, us": "client_us_per_message(messages_per_connect)",
            "storage of direct clients, MB": "client_channels_mb(client_channels)",
            "log of a message with three tiers, bytes": (
                "three_tier_log_bytes(put_get_log_bytes(message_bytes_typical))"
            ),
        },
        rules=(
            "client-connects-short",
            "client-connects-for-few-calls",
            "three-tier-persistent",
            "channel-message-rate-at-one-channel",
        ),
    ),
    Question(
        id="ims-bridge-regions-or-pipes",
        source="3/21",
        lines="L8453-L8697",
        text="Does the IMS bridge need regions or tpipes?",
        figures={
            "region in use, percent": "region_occupied_pct(wait_for_input_us, trace_seconds)",
            "transaction, us": "ims_transaction_us(lpar_busy_pct, processors, transactions_per_second_typical)",
        },
        rules=(
            "ims-regions-saturated",
            "ims-add-tpipe",
            "ims-qbuf-small",
            "ims-checkpoints-often",
            "ims-scheduling",
            "ims-wait-for-input-off",
            "ims-inquiry-recovery",
            "ims-reply-routing",
            "ims-reply-queue-index",
        ),
    ),
    Question(
        id="ims-commit-mode",
        source="3/22",
        lines="L8269-L8291, L8609-L8614",
        text="Commit mode 0 or 1?",
        rules=("ims-commit-mode-1-regions",),
        known=(
            "Mode 1 costs the queue manager 10 % and regions 13 % more, the control region 20 % less, 3.5 % in all; a"
            " region is held until the reply is out.",
        ),
        figures={"mode 1, us": "commit_mode_1_us(commit_mode_0_us)"},
    ),
    Question(
        id="waiters-triggers-conversion",
        source="3/24",
        lines="L8000-L8028",
        text="What do waiters, triggers and conversions cost?",
        figures={
            "get with these waiters, us": "get_us_with_waiters(get_us, waiters)",
            "get with single-byte conversion, us": "converting_get_us(get_us)",
            "get with double-byte conversion, us": "converting_get_us(get_us, True)",
        },
        rules=("many-waiters", "trigger-every-at-high-rate", "conversion-at-get", "calls-many-empty-gets"),
    ),
)
