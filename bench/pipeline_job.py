"""One measurement of the pipeline's benchmark, in a process of its own: start Spark, warm up, ingest one dump.

python bench/pipeline_job.py MASTER DUMP WARM_UP_DUMP FOLDER

Prints one line of JSON. A tiny dump goes first into tables of its own, so that the workers are up and have imported
what they need: the start is told apart from the work.
"""

from __future__ import annotations

import json
import sys
import time


def main(master: str, dump: str, warm_up: str, folder: str) -> None:
    started = time.perf_counter()
    from libremq.pipeline.spark_session import make_session
    from libremq.pipeline.tables import raw

    settings = {"spark.executor.memory": "1g", "spark.sql.shuffle.partitions": "2"}
    spark = make_session(master, name="libremq-bench", settings=settings)
    session = time.perf_counter()
    raw.ingest(spark, warm_up, f"{folder}/warm", piece_bytes=100_000)
    warm = time.perf_counter()
    told: list[tuple[float, str]] = []
    print("go", flush=True)
    sys.stdin.readline()
    began = time.perf_counter()
    report = raw.ingest(spark, dump, f"{folder}/tables", tell=lambda text: told.append((time.perf_counter(), text)))
    ended = time.perf_counter()
    [done] = report.dumps
    decoding = next(at for at, text in told if text.startswith("decoding"))
    result = {
        "start": session - started,
        "warm_up": warm - session,
        "seconds": ended - began,
        "survey": decoding - began,
        "records": done.records_decoded,
        "quarantined": done.records_quarantined,
        "rows": done.rows,
    }
    print(json.dumps(result), flush=True)
    sys.stdin.readline()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:5])
