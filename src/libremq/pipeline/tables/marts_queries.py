"""How each mart is made of conformed tables. Every function takes DataFrames and gives one; nothing is read or written.

All rows carry `day` (UTC) and `qmgr`. Shares and ranks are within a day of a queue manager.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.window import Window

from libremq.pipeline.tables.conformed_intervals import telling

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

TOP = 100
"""Queues and tasks kept for each day, queue manager and order."""

TOP_INTERVALS = 10

MEASURES = (
    "mqi_calls",
    "messages_put",
    "gets",
    "persistent_put_bytes",
    "nonpersistent_put_bytes",
    "log_bytes",
    "log_writes",
    "checkpoints",
    "pages_read",
    "pages_written",
    "db2_requests",
    "cf_calls",
    "smds_ios",
    "publishes",
    "channel_messages",
    "channel_bytes",
)
"""Columns of the overview that are looked at for busy intervals and by hour; each is a count that may be added up."""

_OF_DAY = ("day", "qmgr")
_WHO = ("application_type", "task_name", "user_id")


def _sums(*names: str) -> list[Expression]:
    return [F.sum(name).alias(name) for name in names]


def _ranked(rows: DataFrame, orders: Sequence[str], within: Sequence[str] = _OF_DAY, top: int = TOP) -> DataFrame:
    """Add `rank_by_...` for each column and keep rows that are near the top in one of them; nothing has no rank."""
    for name in orders:
        place = F.rank().over(Window.partitionBy(*within).orderBy(F.desc_nulls_last(name)))
        rows = rows.withColumn(f"rank_by_{name}", F.when(F.col(name) > 0, place))
    best = F.least(*(F.col(f"rank_by_{name}") for name in orders)) if len(orders) > 1 else F.col(f"rank_by_{orders[0]}")
    return rows.where(best <= top)


def _share(name: str, within: Sequence[str] = _OF_DAY) -> Expression:
    return 100.0 * F.try_divide(F.col(name), F.sum(name).over(Window.partitionBy(*within)))


def top_queues(queue_accounting: DataFrame, queue: DataFrame) -> DataFrame:
    """Queues of a day. `basis` says where the figures come from: task accounting or queue statistics; both may be
    there, so choose one before adding up."""
    accounted = (
        queue_accounting.groupBy(*_OF_DAY, "queue")
        .agg(
            F.count_distinct("task").alias("tasks"),
            *_sums("messages_put"),
            F.sum(F.coalesce("gets_destructive", "valid_gets")).alias("messages_got"),
            F.sum("get_calls").alias("get_calls"),
            F.sum("put_bytes").alias("bytes_put"),
            F.sum("get_bytes").alias("bytes_got"),
            *_sums("mqi_calls", "mqi_cpu_us", "mqi_elapsed_us", "messages_skipped", "gets_failed"),
            F.sum(
                F.coalesce("puts_to_waiting_getter", F.lit(0)) + F.coalesce("put1s_to_waiting_getter", F.lit(0))
            ).alias("puts_to_waiting_getter"),
            F.sum(F.coalesce("persistent_puts", F.lit(0)) + F.coalesce("persistent_put1s", F.lit(0))).alias(
                "persistent_messages_put"
            ),
            F.max("depth_high").alias("depth_high"),
            F.max("longest_on_queue_us").alias("longest_on_queue_us"),
            F.try_divide(F.sum("on_queue_us"), F.sum("gets_destructive")).alias("on_queue_average_us"),
            F.max("shared").alias("shared"),
        )
        .withColumn("basis", F.lit("accounting"))
    )
    counted = (
        queue.groupBy(*_OF_DAY, "queue")
        .agg(
            *_sums("messages_put"),
            F.sum("gets").alias("messages_got"),
            F.sum("bytes_put").alias("bytes_put"),
            F.sum("get_bytes").alias("bytes_got"),
            *_sums("puts_to_waiting_getter"),
            F.sum(F.col("persistent_puts") + F.col("persistent_put1s")).alias("persistent_messages_put"),
            F.max("depth_high").alias("depth_high"),
            F.max("shared").alias("shared"),
        )
        .withColumn("basis", F.lit("statistics"))
    )
    within = (*_OF_DAY, "basis")
    rows = accounted.unionByName(counted, allowMissingColumns=True).withColumn(
        "messages", F.coalesce("messages_put", F.lit(0)) + F.coalesce("messages_got", F.lit(0))
    )
    rows = rows.withColumns(
        {
            "mqi_cpu_pct": _share("mqi_cpu_us", within),
            "messages_pct": _share("messages", within),
            "cpu_per_message_us": F.try_divide("mqi_cpu_us", "messages"),
        }
    )
    return _ranked(rows, ("messages", "mqi_cpu_us"), within)


def _task_work(task_accounting: DataFrame, queue_accounting: DataFrame) -> DataFrame:
    """What tasks did, from both accounting tables, by day and who they are."""
    own = task_accounting.groupBy(*_OF_DAY, *_WHO).agg(
        F.count_distinct("task").alias("tasks"),
        F.sum("own_mqi_cpu_us").alias("cpu_us"),
        F.sum("own_mqi_elapsed_us").alias("elapsed_us"),
        F.sum("commit_calls").alias("commits"),
        F.sum("backout_calls").alias("backouts"),
        *_sums("log_write_bytes", "log_forces", "log_force_us", "latch_wait_us", "suspension_us"),
        F.sum(F.col("cf_single_calls") + F.col("cf_multiple_calls")).alias("cf_calls"),
        F.sum("db2_requests").alias("db2_requests"),
        F.max("longest_latch_wait_us").alias("longest_latch_wait_us"),
    )
    queues = queue_accounting.groupBy(*_OF_DAY, *_WHO).agg(
        F.sum("mqi_cpu_us").alias("cpu_us"),
        F.sum("mqi_elapsed_us").alias("elapsed_us"),
        F.count_distinct("queue").alias("queues"),
        F.sum("mqi_calls").alias("queue_calls"),
        F.sum("messages_put").alias("messages_put"),
        F.sum(F.coalesce("gets_destructive", "valid_gets")).alias("messages_got"),
        F.sum("put_bytes").alias("bytes_put"),
        F.sum("get_bytes").alias("bytes_got"),
        F.sum("messages_skipped").alias("messages_skipped"),
    )
    both = own.unionByName(queues, allowMissingColumns=True)
    names = [name for name in both.columns if name not in (*_OF_DAY, *_WHO)]
    how = {"longest_latch_wait_us": F.max}
    return both.groupBy(*_OF_DAY, *_WHO).agg(*(how.get(name, F.sum)(name).alias(name) for name in names))


def top_tasks(task_accounting: DataFrame, queue_accounting: DataFrame) -> DataFrame:
    """Applications of a day: all tasks of one kind, name and user together."""
    rows = _task_work(task_accounting, queue_accounting).withColumn(
        "messages", F.coalesce("messages_put", F.lit(0)) + F.coalesce("messages_got", F.lit(0))
    )
    rows = rows.withColumns({"cpu_pct": _share("cpu_us"), "log_write_pct": _share("log_write_bytes")})
    return _ranked(rows, ("cpu_us", "messages", "log_write_bytes"))


def busiest_intervals(queue_manager_interval: DataFrame) -> DataFrame:
    """For each measure the intervals of a day with the highest rate, and how far they are above the usual one."""
    kept = (*_OF_DAY, "system", "interval_start", "interval_end", "interval_seconds", "utc_offset_minutes")
    long = (
        queue_manager_interval.where(telling(queue_manager_interval))
        .unpivot(list(kept), [F.col(name).cast("double").alias(name) for name in MEASURES], "measure", "amount")
        .where("amount > 0 and interval_seconds > 0")
    )
    within = Window.partitionBy(*_OF_DAY, "system", "measure")
    rated = long.withColumn("per_second", F.col("amount") / F.col("interval_seconds"))
    return (
        rated.withColumn("median_per_second", F.percentile("per_second", F.lit(0.5)).over(within))
        .withColumn("times_median", F.try_divide("per_second", "median_per_second"))
        .withColumn("rank", F.row_number().over(within.orderBy(F.desc("per_second"), "interval_start")))
        .where(F.col("rank") <= TOP_INTERVALS)
    )


def hour_profile(queue_manager_interval: DataFrame) -> DataFrame:
    """Amounts by hour. An interval that reaches over the hour is divided by time. `hour_start` is UTC; `local_hour`,
    `local_weekday` (1 is Monday) and `local_day` are those of the z/OS system, UTC where its offset is not known.

    `day` is that of the interval: the hour after midnight may have a second row, under the day before. Add them up."""
    hour = F.expr("interval 1 hour")
    first, last = F.date_trunc("hour", "interval_start"), F.date_trunc("hour", "interval_end")
    rows = queue_manager_interval.where("interval_seconds > 0").withColumn(
        "hour_start", F.explode(F.sequence(first, last, hour))
    )
    begin = F.greatest("interval_start", "hour_start")
    end = F.least("interval_end", F.col("hour_start") + hour)
    rows = rows.withColumn("covered_seconds", (F.unix_micros(end) - F.unix_micros(begin)) / 1_000_000).where(
        "covered_seconds > 0"
    )
    part = F.col("covered_seconds") / F.col("interval_seconds")
    tells = telling(rows)
    local = F.timestamp_add("MINUTE", F.coalesce("utc_offset_minutes", F.lit(0)), F.col("hour_start"))
    summed = rows.groupBy(*_OF_DAY, "hour_start").agg(
        F.max("utc_offset_minutes").alias("utc_offset_minutes"),
        F.max(local).alias("_local"),
        F.sum("covered_seconds").alias("covered_seconds"),
        *(F.sum(F.col(name) * part).alias(name) for name in MEASURES),
        F.max(F.when(tells, F.col("log_mb_per_second"))).alias("log_mb_per_second_peak"),
        F.max(F.when(tells, F.col("log_writer_busy_pct"))).alias("log_writer_busy_pct"),
        F.min("stealable_lowest_pct").alias("stealable_lowest_pct"),
        F.max("page_set_used_highest_pct").alias("page_set_used_highest_pct"),
        F.max("active_channels_high").alias("active_channels_high"),
        F.max(F.when(tells, F.col("dispatcher_busiest_pct"))).alias("dispatcher_busiest_pct"),
        F.max(F.when(tells, F.col("adapter_busiest_pct"))).alias("adapter_busiest_pct"),
    )
    rates = {f"{name}_per_second": F.try_divide(F.col(name), F.col("covered_seconds")) for name in MEASURES}
    return (
        summed.withColumns(rates)
        .withColumn("local_day", F.to_date("_local"))
        .withColumn("local_hour", F.hour("_local"))
        .withColumn("local_weekday", F.weekday("_local") + 1)
        .drop("_local")
    )


def log_rate(log: DataFrame) -> DataFrame:
    """Log data of a day: how much, how fast at most and usually, and how near the log writer was to its limit."""
    covered = log.where("interval_seconds > 0")
    tells = telling(covered)

    def rate(name: str) -> Expression:
        return F.when(tells, F.col(name))

    return (
        covered.groupBy(*_OF_DAY, "system")
        .agg(
            F.count("*").alias("intervals"),
            F.sum("interval_seconds").alias("covered_seconds"),
            *_sums("log_bytes", "log_bytes_written", "log_requests", "log_writes", "checkpoints", "archive_writes"),
            *_sums("no_log_buffer_waits", "write_force_requests"),
            F.max(rate("log_mb_per_second")).alias("log_mb_per_second_peak"),
            F.max_by("interval_start", rate("log_mb_per_second")).alias("peak_interval_start"),
            F.percentile(rate("log_mb_per_second"), F.lit(0.95)).alias("log_mb_per_second_95"),
            F.percentile(rate("log_mb_per_second"), F.lit(0.5)).alias("log_mb_per_second_median"),
            F.max(rate("copy1_bytes_per_second") / 1048576).alias("copy1_mb_per_second_peak"),
            F.max(rate("log_writer_busy_pct")).alias("log_writer_busy_pct_peak"),
            F.max(rate("log_io_busy_pct")).alias("log_io_busy_pct_peak"),
            F.max(rate("checkpoints_per_hour")).alias("checkpoints_per_hour_peak"),
            F.try_divide(F.sum("copy1_io_us"), F.sum("copy1_writes")).alias("copy1_average_io_us"),
            F.try_divide(F.sum("copy2_io_us"), F.sum("copy2_writes")).alias("copy2_average_io_us"),
            F.max("log_copies").alias("log_copies"),
        )
        .withColumn("log_mb_per_second", F.try_divide("log_bytes", "covered_seconds") / 1048576)
        .withColumn("log_gb", F.col("log_bytes") / 1073741824)
        .withColumn("log_gb_per_day", F.col("log_mb_per_second") * 86400 / 1024)
        .withColumn("bytes_per_log_request", F.try_divide("log_bytes", "log_requests"))
    )


def cost(
    task_accounting: DataFrame,
    queue_accounting: DataFrame,
    task_summary: DataFrame,
    dispatcher: DataFrame,
    adapter: DataFrame,
    ssl_task: DataFrame,
    channel: DataFrame,
) -> DataFrame:
    """Processor time for each message and transaction. `basis` says what was measured and the three do not add up:

    `class 3` is MQI time by application (messages are those put and those got, a transaction is a commit), `class 1`
    the same from the short record (no transactions), `channel initiator` the time of its tasks over channel messages.
    The adapters' time is spent in MQI calls for channels, so class 3 has it too.
    """
    detailed = (
        _task_work(task_accounting, queue_accounting)
        .withColumn("messages", F.coalesce("messages_put", F.lit(0)) + F.coalesce("messages_got", F.lit(0)))
        .select(
            *_OF_DAY,
            F.lit("class 3").alias("basis"),
            *_WHO,
            "tasks",
            "cpu_us",
            "messages",
            F.col("commits").alias("transactions"),
        )
    )
    short = (
        task_summary.groupBy(
            *_OF_DAY, "application_type", F.coalesce("connection_name", "operator_id").alias("task_name"), "user_id"
        )
        .agg(F.count("*").alias("tasks"), F.sum("mqi_cpu_us").alias("cpu_us"), F.sum("messages").alias("messages"))
        .withColumn("basis", F.lit("class 1"))
    )
    tasks = [
        rows.groupBy(*_OF_DAY).agg(F.sum("cpu_us").alias("cpu_us"), F.count_distinct("task_number").alias("tasks"))
        for rows in (dispatcher, adapter, ssl_task)
    ]
    moved = channel.groupBy(*_OF_DAY).agg(F.sum("messages").alias("messages"))
    mover = (
        tasks[0]
        .unionByName(tasks[1])
        .unionByName(tasks[2])
        .unionByName(moved, allowMissingColumns=True)
        .groupBy(*_OF_DAY)
        .agg(*_sums("cpu_us", "tasks", "messages"))
        .where("cpu_us is not null")
        .withColumn("basis", F.lit("channel initiator"))
        .withColumn("application_type", F.lit("CHIN"))
    )
    rows = detailed.unionByName(short, allowMissingColumns=True).unionByName(mover, allowMissingColumns=True)
    return rows.withColumns(
        {
            "cpu_seconds": F.col("cpu_us") / 1_000_000,
            "cpu_per_message_us": F.try_divide("cpu_us", "messages"),
            "cpu_per_transaction_us": F.try_divide("cpu_us", "transactions"),
            "messages_per_transaction": F.try_divide("messages", "transactions"),
            "cpu_pct": _share("cpu_us", (*_OF_DAY, "basis")),
        }
    )
