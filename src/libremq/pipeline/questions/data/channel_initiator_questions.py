"""Questions about the channel initiator: storage, adapters, dispatchers, TLS tasks."""

from __future__ import annotations

from libremq.pipeline.questions.data.shown_questions import INITIATORS
from libremq.pipeline.questions.question import Figure, Question, Rows

_CLIENTS = Rows(
    "channel",
    (
        "records = count()",
        "conversations_high = highest(shared_conversations)",
        "messages",
        "mean_bytes = sum(message_bytes) / sum(messages)",
        "running_seconds = mean(running_seconds)",
    ),
    "count()",
    by=("qmgr", "channel"),
    where="client",
)


def _tasks(table: str, *more: str) -> Rows:
    return Rows(
        table,
        (
            "busy_pct_mean = mean(busy_pct)",
            "busy_pct_high = highest(busy_pct)",
            "requests",
            "elapsed_us = sum(elapsed_us) / sum(requests)",
            "cpu_us = sum(cpu_us) / sum(requests)",
            *more,
        ),
        "highest(busy_pct)",
        by=("qmgr", "position"),
        limit=20,
    )


QUESTIONS = (
    Question(
        id="channels-that-fit",
        source="2/16",
        lines="L3694-L3857",
        text="How many channels or clients fit?",
        figures=(
            Figure("client channel", "svrconn_channel_kb(message_bytes_typical / 1024, sharecnv_typical)"),
            Figure("message channel", "mca_channel_kb(message_bytes_typical / 1024)"),
            Figure(
                "client channels within 80 % of the region",
                "channels_within_guide(chinit_region_mb, svrconn_channel_kb(message_bytes_typical / 1024,"
                " sharecnv_typical))",
            ),
            Figure(
                "message channels within 80 % of the region",
                "channels_within_guide(chinit_region_mb, mca_channel_kb(message_bytes_typical / 1024))",
            ),
            Figure("more for TLS", "tls_channels_extra_kb(tls_channels)"),
            Figure("adapters, dispatchers and TLS tasks", "chinit_task_kb(chiadaps, chidisps, ssltasks)"),
        ),
        rules=(
            "chinit-storage-31-high",
            "chinit-channels-do-not-fit",
            "chinit-channels-near-maximum",
            "chinit-active-channels-near-maximum",
            "chinit-channels-practical-ceiling",
            "chinit-growing-towards-maximum",
            "chinit-task-storage",
        ),
        rows=(INITIATORS,),
        known=(
            "9,999 is the most (MAXCHL), about 9,000 in practice. CSQX004I tells storage used and free: their sum is"
            " the region.",
        ),
    ),
    Question(
        id="client-64-bit-storage",
        source="2/17",
        lines="L3781-L3815",
        text="How much 64-bit storage, and which MEMLIMIT, do clients need?",
        figures=(
            Figure(
                "one channel",
                "svrconn_above_bar_kb(message_bytes_typical, sharecnv_typical, conversations_typical)",
            ),
            Figure(
                "all channels",
                "channels_mb(client_channels, svrconn_above_bar_kb(message_bytes_typical, sharecnv_typical,"
                " conversations_typical))",
            ),
            Figure(
                "MEMLIMIT, at least",
                "memlimit_mb_min(channels_mb(client_channels, svrconn_above_bar_kb(message_bytes_typical,"
                " sharecnv_typical, conversations_typical)))",
            ),
        ),
        rules=("memlimit-too-small", "memlimit-below-need", "memlimit-nolimit", "chinit-storage-64-high"),
        rows=(INITIATORS, _CLIENTS),
        known=(
            "2 GB at least, and never NOLIMIT in production. DISPLAY CHSTATUS CURSHCNV tells conversations in use.",
        ),
    ),
    Question(
        id="which-sharecnv",
        source="2/18",
        lines="L3757-L3759, L4155, L4294-L4301",
        text="Which SHARECNV?",
        figures=(
            Figure("channel with these conversations", "shared_svrconn_channel_kb(conversations_typical)"),
            Figure("channel with SHARECNV(0)", "svrconn_channel_kb(message_bytes_typical / 1024, 0)"),
            Figure("channel with SHARECNV(1)", "svrconn_channel_kb(message_bytes_typical / 1024, 1)"),
            Figure("channel with SHARECNV(10)", "svrconn_channel_kb(message_bytes_typical / 1024, 10)"),
        ),
        rules=(
            "client-sharecnv-not-needed",
            "client-sharecnv-for-threads",
            "client-conversations-share-busy-channel",
            "client-storage-of-shared-conversations",
        ),
        rows=(_CLIENTS,),
        known=(
            "0 where no newer client feature is needed, 10 on a channel of its own for many threads, few for busy"
            " ones.",
        ),
    ),
    Question(
        id="chinit-storage-stays-high",
        source="2/19",
        lines="L3888-L3928",
        text="Why is channel initiator storage high after channels have stopped?",
        figures=(
            Figure(
                "free buffers of the longest messages", "large_free_buffers_mb_max(message_bytes_longest / 1048576)"
            ),
        ),
        rules=(
            "chinit-scavenging",
            "chinit-scavenger-frequent",
            "chinit-large-free-buffers",
            "chinit-dispatcher-failed",
            "chinit-storage-31-high",
        ),
        rows=(
            Rows(
                "channel_initiator",
                ("qmgr", "interval_start", "storage_31_mb", "current_channels_high", "active_channels_high"),
                "storage_31_mb",
            ),
        ),
        known=(
            "A channel keeps its storage while it runs; stopped, its buffers go back to pools and not to the system,"
            " until they are scavenged at 75 % and above (CSQX068I).",
            "With long-running channels only, up to an hour may pass; stopping and starting one channel sets it off.",
        ),
    ),
    Question(
        id="enough-adapters",
        source="2/20",
        lines="L3932-L3958",
        text="Are there enough adapters?",
        figures=(Figure("adapters advised", "adapters_recommended(processors)"),),
        rules=(
            "adapters-all-used",
            "adapters-below-recommended",
            "adapters-mostly-busy",
            "adapter-cpu-heavy",
            "chiadaps-few",
        ),
        rows=(_tasks("adapter"),),
        known=(
            "The first free adapter is taken, so use falls off from the first to the last; an unused last one is a"
            " good sign.",
        ),
    ),
    Question(
        id="dispatchers",
        source="2/21",
        lines="L3962-L3986",
        text="Are there enough dispatchers, and is the load balanced?",
        figures=(
            Figure("channels dealt at a time", "dispatcher_chunk(maxchl, chidisps)"),
            Figure("dispatchers these channels use", "dispatchers_in_use(client_channels, maxchl, chidisps)"),
            Figure("dispatchers advised", "dispatchers_recommended(client_channels, chidisps)"),
        ),
        rules=(
            "dispatcher-saturated",
            "dispatchers-unbalanced",
            "dispatcher-channels-unbalanced",
            "dispatchers-few-for-many-channels",
            "dispatchers-idle",
            "chinit-large-maxchl-few-channels",
        ),
        rows=(_tasks("dispatcher", "channels_high = highest(channels)"),),
        known=("A channel stays on its dispatcher until it stops: a changed balance needs a restart of channels.",),
    ),
    Question(
        id="omvs-limits",
        source="2/22",
        lines="L3999-L4034",
        text="Will more dispatchers break OMVS limits?",
        figures=(
            Figure("threads of all channel initiators now", "omvs_threads(chidisps, ssltasks, channel_initiators)"),
            Figure(
                "threads after the change",
                "omvs_threads(chidisps + more_dispatchers, ssltasks, channel_initiators)",
            ),
            Figure("raise MAXPROCSYS and MAXPROCUSER by", "maxproc_increase(more_dispatchers, channel_initiators)"),
        ),
        rules=("omvs-processes-short",),
        rows=(
            Rows("dispatcher", ("dispatchers = distinct(position)",), "distinct(position)", by=("qmgr",)),
            Rows("ssl_task", ("tasks = distinct(position)",), "distinct(position)", by=("qmgr",)),
        ),
        known=("D OMVS,LIMITS tells limits and use; BPXI039I and BPXI040I come when they are reached.",),
    ),
    Question(
        id="enough-ssl-tasks",
        source="2/23",
        lines="L4569-L4607",
        text="Are there enough TLS tasks?",
        figures=(Figure("tasks advised", "ssltasks_recommended(chidisps, processors)"),),
        rules=(
            "ssl-task-saturated",
            "ssl-tasks-few",
            "ssl-tasks-unbalanced",
            "ssltasks-few",
            "ssl-request-software-handshake",
        ),
        rows=(_tasks("ssl_task", "longest_us = highest(longest_request_us)"),),
        known=(
            "One more than dispatchers and than processors. A slow channel on a busy task gets another when restarted.",
        ),
    ),
)
