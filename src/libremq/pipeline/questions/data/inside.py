"""Questions about what goes on inside a queue manager: pools at work, log writes, units of work."""

from __future__ import annotations

from libremq.pipeline.questions.data.queue_manager import POOL_ROWS
from libremq.pipeline.questions.question import Question, Rows

QUESTIONS = (
    Question(
        id="pool-too-small",
        source="3/1",
        lines="L6782-L6818",
        text="Which buffer pools run short, in which intervals?",
        rules=(
            "pool-nearly-full",
            "pool-system-short-of-buffers",
            "pool-short-lived-short-of-buffers",
            "pool-deferred-writes-in-critical-pool",
            "pool-reads-in-critical-pool",
            "pool-newly-used-buffers",
            "pool-deferred-writes-not-catching-up",
        ),
        rows=POOL_ROWS,
    ),
    Question(
        id="pool-thrashing",
        source="3/2",
        lines="L6832-L6876",
        text="Does a buffer pool thrash, and who makes it?",
        rules=("pool-contention-ratio", "pool-more-searching-than-storing", "reply-model-beside-sync-queue"),
        rows=Rows(
            "queue_accounting",
            ("qmgr", "queue", "task_name", "buffer_pool", "messages_skipped", "pages_skipped", "get_page_set_ios"),
            "pages_skipped",
        ),
    ),
    Question(
        id="buffers-needed",
        source="3/3",
        lines="L6694, L6725",
        text="How many buffers does a pool of short-lived messages need?",
        measured={"used_buffers_high": "buffer_pool: highest(used_highest_buffers)"},
        figures={
            "for the most used so far": "buffers_for_high_water(used_buffers_high)",
            "for the deepest queue": (
                "buffers_for_high_water(queue_depth_highest * pages_per_message(message_bytes_typical))"
            ),
        },
    ),
    Question(
        id="spilled-messages-read-again",
        source="3/4",
        lines="L6821-L6826",
        text="Are messages that left the pool read again?",
        rules=("pool-pages-read-again", "data-manager-gets-from-disk", "page-set-reads"),
        rows=Rows(
            "buffer_pool",
            ("qmgr", "interval_start", "buffer_pool", "pages_read", "pages_written", "pages_read_per_page_written"),
            "pages_read",
        ),
    ),
    Question(
        id="page-set-io-capacity",
        source="3/5",
        lines="L6820",
        text="Is page set I/O near what the volumes can do?",
        rules=("pool-page-set-io-high", "page-set-slow-reads", "page-set-immediate-writes"),
        rows=Rows(
            "page_set",
            (
                "qmgr",
                "interval_start",
                "page_set",
                "ios_per_second",
                "io_busy_pct",
                "read_average_us",
                "deferred_write_average_us",
            ),
            "ios_per_second",
        ),
    ),
    Question(
        id="log-buffers",
        source="3/6",
        lines="L7012",
        text="Are log buffers short?",
        rules=("log-buffers-short", "log-buffers-short-at-maximum"),
        figures={"log buffers": "log_buffers(outbuff_kb)"},
        rows=Rows(
            "log",
            (
                "qmgr",
                "interval_start",
                "no_log_buffer_waits",
                "log_requests",
                "no_log_buffer_wait_pct",
                "log_mb_per_second",
            ),
            "no_log_buffer_waits",
        ),
    ),
    Question(
        id="persistent-rate-maximum",
        source="3/7",
        lines="L7047-L7064, L7853-L7857",
        text="What is my highest persistent rate?",
        measured={"log_write_us_mean": "log: mean(copy1_average_io_us)"},
        figures={
            "one thread with these log waits, transactions a second": (
                "log_bound_transactions_per_second(forces_per_transaction, log_write_us_mean / 1000000)"
            ),
            "by pages and I/O times, messages a second": (
                "messages_per_second_by_log_io(pages_put, messages_put_sample, multi_page_ms, current_page_ms)"
            ),
        },
        rules=("log-rate-at-limit", "log-writer-saturated"),
    ),
    Question(
        id="commit-slow",
        source="3/8",
        lines="L6922-L6994, L7023-L7043",
        text="Why is commit slow?",
        rules=(
            "log-single-page-writes-slow",
            "log-serial-rewrites",
            "log-copies-skewed",
            "task-log-force-slow",
            "log-writer-saturated",
        ),
        figures={"log checks of a two-phase commit": "log_checks_per_commit(True)"},
        rows=Rows(
            "task_accounting",
            (
                "qmgr",
                "task_name",
                "commit_calls",
                "commit_average_elapsed_us",
                "commit_average_cpu_us",
                "log_force_average_us",
            ),
            "commit_elapsed_us",
        ),
    ),
    Question(
        id="units-of-work-cost",
        source="3/12",
        lines="L7118-L7143",
        text="What does the size of a unit of work cost?",
        figures={
            "processor time of a commit, us": "commit_cpu_us(messages_per_commit)",
            "time of a commit, us": "commit_elapsed_us(messages_per_commit)",
            "a get that steps over it uncommitted, us": "stepping_over_uncommitted_us(messages_per_commit)",
        },
        rules=(
            "units-of-work-over-100",
            "units-of-work-with-common-key",
            "unit-of-work-near-maxumsgs",
            "task-units-of-work-large",
        ),
    ),
    Question(
        id="temporary-queues",
        source="3/19",
        lines="L7671-L7680",
        text="Are temporary queues deleted later by a background task?",
        rules=("temporary-queues-deleted-later", "temporary-queues-many"),
        rows=Rows("data_manager", ("qmgr", "interval_start", "object_creates", "object_deletes"), "object_creates"),
    ),
)
