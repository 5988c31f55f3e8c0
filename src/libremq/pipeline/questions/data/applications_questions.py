"""Questions about applications: units of work, gets, servers, tiers, the IMS bridge, other machines."""

from __future__ import annotations

from libremq.pipeline.questions.data.shown_questions import CALLS, COMMITS, GETS, SERVERS
from libremq.pipeline.questions.question import Figure, Question, Rows

QUESTIONS = (
    Question(
        id="units-of-work-cost",
        source="3/12",
        lines="L7118-L7143",
        text="What does the size of a unit of work cost?",
        figures=(
            Figure("processor time of a commit", "commit_cpu_us(messages_per_commit)"),
            Figure("time of a commit", "commit_elapsed_us(messages_per_commit)"),
            Figure("commits of 1,000 messages, processor", "commits_cpu_us(1000, messages_per_commit)"),
            Figure("commits of 1,000 messages one by one, processor", "commits_cpu_us(1000, 1)"),
            Figure("a get that steps over it uncommitted", "stepping_over_uncommitted_us(messages_per_commit)"),
        ),
        rules=(
            "queue-backed-out",
            "units-of-work-over-100",
            "units-of-work-with-common-key",
            "units-of-work-uncommitted-scan",
            "unit-of-work-near-maxumsgs",
            "task-units-of-work-large",
            "task-backs-out",
        ),
        rows=(COMMITS,),
        known=("Up to about 100 messages: more save nothing, hold storage and locks, and take long to back out.",),
    ),
    Question(
        id="get-expensive",
        source="3/13",
        lines="L7160-L7225, L7423-L7635",
        text="Why is this get expensive?",
        figures=(
            Figure("a get that passes the whole queue", "selecting_get_us(queue_depth_highest)"),
            Figure("such gets, at most", "gets_per_second_max(selecting_get_us(queue_depth_highest))"),
            Figure("calls made again for one key", "common_key_redrives(same_key_messages)"),
        ),
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
            "groups-of-one-on-shared-queue",
        ),
        rows=(GETS,),
        known=(
            "Messages skipped: no index, a selector, or uncommitted messages in between. Many coupling facility calls:"
            " a common key, or a search through the list. Elapsed far above processor time: page set reads or log.",
        ),
    ),
    Question(
        id="single-server",
        source="3/18",
        lines="L7853-L7857",
        text="Is a single server the bottleneck?",
        figures=(
            Figure("one thread, at most", "server_transactions_per_second_max(get_us, put_us, commit_us)"),
            Figure(
                "reached by the usual rate",
                "server_reached_pct(transactions_per_second_typical, server_transactions_per_second_max(get_us,"
                " put_us,"
                " commit_us))",
            ),
        ),
        rules=(
            "task-suspended",
            "task-single-server-bound",
            "strict-order-single-consumer",
            "queue-depth-growing",
            "getters-run-behind-putters",
        ),
        rows=(SERVERS, COMMITS),
        known=("Give the times of the one server's calls: the tables' means are over all tasks.",),
    ),
    Question(
        id="temporary-queues",
        source="3/19",
        lines="L7671-L7680",
        text="Are temporary queues deleted asynchronously?",
        figures=(
            Figure("opens of temporary queues, time", "temporary_opens_elapsed_us(temporary_opens)"),
            Figure("opens of temporary queues, processor", "temporary_opens_cpu_us(temporary_opens)"),
        ),
        rules=("temporary-queues-deleted-later", "temporary-queues-many"),
        rows=(
            Rows(
                "data_manager",
                (
                    "object_creates",
                    "object_deletes",
                    "deletes_per_create = deletes_per_create(sum(object_deletes), sum(object_creates))",
                ),
                "sum(object_creates)",
                by=("qmgr",),
            ),
        ),
        known=(
            "One delete for each create: at once. Two: later, by a background task. A commit before the close avoids"
            " it.",
        ),
    ),
    Question(
        id="two-or-three-tiers",
        source="3/20",
        lines="L8056-L8155",
        text="Two tiers or three?",
        figures=(
            Figure("a message of a direct client", "client_us_per_message(messages_per_connect)"),
            Figure("storage of direct clients", "client_channels_mb(client_channels)"),
            Figure("storage of concentrators", "concentrator_channels_mb(channel_initiators)"),
            Figure(
                "channels between the tiers",
                "mca_channels_needed(messages_per_second_peak, channel_messages_per_second_max)",
            ),
            Figure("log of a message with two tiers", "put_get_log_bytes(message_bytes_typical)"),
            Figure(
                "log of a message with three tiers",
                "three_tier_log_bytes(put_get_log_bytes(message_bytes_typical))",
            ),
        ),
        rules=(
            "client-connects-short",
            "client-connects-for-few-calls",
            "three-tier-persistent",
            "channel-message-rate-at-one-channel",
            "client-put-synchronous",
            "client-read-ahead-off",
        ),
        rows=(
            Rows(
                "channel",
                (
                    "records = count()",
                    "messages",
                    "messages_per_record = sum(messages) / count()",
                    "running_seconds = mean(running_seconds)",
                ),
                "count()",
                by=("qmgr", "channel"),
                where="client",
            ),
        ),
        known=(
            "Three for short-lived connections, two for long ones or pools. With three, persistent messages are logged"
            " twice.",
        ),
    ),
    Question(
        id="ims-bridge-regions-or-pipes",
        source="3/21",
        lines="L8453-L8697",
        text="Does the IMS bridge need regions or tpipes?",
        figures=(
            Figure("use of the region", "region_occupied_pct(wait_for_input_us, trace_seconds)"),
            Figure("mean wait for input", "region_wait_us(wait_for_input_us, waits_for_input)"),
            Figure("transaction", "ims_transaction_us(lpar_busy_pct, processors, transactions_per_second_typical)"),
        ),
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
        known=(
            "The IMS monitor tells the use of regions, MQ the highest depth of the bridge queue. Regions near 100 %:"
            " add"
            " regions. Regions and processor idle, and the depth near the number of requesters: add a tpipe.",
        ),
    ),
    Question(
        id="ims-commit-mode",
        source="3/22",
        lines="L8269-L8291, L8609-L8614",
        text="Commit mode 0 or 1?",
        figures=(
            Figure("mode 1, in all", "commit_mode_1_us(commit_mode_0_us)"),
            Figure("mode 1, as if all were in regions", "commit_mode_1_us(commit_mode_0_us, 'message region')"),
        ),
        rules=("ims-commit-mode-1-regions",),
        known=(
            "Mode 1 costs the queue manager 10 % and regions 13 % more, the control region 20 % less. A region is held"
            " until the reply is out: one region did 2,000 transactions a second, with mode 0 2,750.",
        ),
    ),
    Question(
        id="cost-on-another-machine",
        source="3/23",
        lines="L8705-L8731",
        text="What will this cost on another machine?",
        figures=(
            Figure(
                "on the other machine",
                "cost_us_on_target(measured_us, measured_itr, measured_processors, target_itr, target_processors)",
            ),
            Figure("use of the processors", "cpu_busy_pct(cost_ms_per_second, processors)"),
        ),
        rules=("machine-processor-short", "machine-lpar-spans-chips"),
        rows=(
            Rows(
                "queue_accounting",
                ("mqi_calls", "mqi_cpu_us", "cpu_us_per_call = sum(mqi_cpu_us) / sum(mqi_calls)"),
                "sum(mqi_cpu_us)",
                by=("qmgr", "application_type", "task_name"),
            ),
        ),
        known=("Costs carry over by LSPR ratios (average column); throughput does not.",),
    ),
    Question(
        id="waiters-triggers-conversion",
        source="3/24",
        lines="L8000-L8028",
        text="What do waiters, triggers and conversions cost?",
        figures=(
            Figure("get with these waiters", "get_us_with_waiters(get_us, waiters)"),
            Figure("get with single-byte conversion", "converting_get_us(get_us)"),
            Figure("get with double-byte conversion", "converting_get_us(get_us, True)"),
            Figure("trigger message without the start of the program", "trigger_us(put_us, 0)"),
        ),
        rules=(
            "many-waiters",
            "trigger-every-at-high-rate",
            "conversion-at-get",
            "calls-many-empty-gets",
            "queue-no-put-to-waiting-getter",
            "connects-without-lla",
        ),
        rows=(CALLS, GETS),
        known=("Starting the program is most of what a trigger costs. No record tells conversions.",),
    ),
)
