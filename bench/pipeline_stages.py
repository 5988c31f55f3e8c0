"""From dumps to marts, stage by stage: seconds, processor seconds, and the most memory that all processes had together.

python bench/pipeline_stages.py [--dumps 58] [--cores 2] [--mb 407] [--folder FOLDER]

Dumps of four queue managers, statistics and accounting, divided among `--dumps` files of equal length in time. One
process goes through the stages as `libremq pipeline` does; start-up is a stage of its own. The rows of the tables are
checked against what the generator says it wrote.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from pipeline_processes import Watch
from table import Table

from libremq.pipeline.generator.bulk import write_bulk
from libremq.pipeline.generator.generated_site import STARTED


def write_dumps(folder: Path, total_bytes: int, dumps: int) -> tuple[Counter[str], int]:
    """So many dumps that follow each other in time; the rows of each structure, and all bytes."""
    rows: Counter[str] = Counter()
    size, start = 0, STARTED
    for number in range(dumps):
        made = write_bulk(folder / f"SMF.{number:04d}.dat", total_bytes // dumps, seed=number + 1, start=start)
        intervals = made.records[115, 1] // 4
        start += timedelta(minutes=15 * intervals)
        rows.update(made.rows)
        size += made.bytes
    return rows, size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=407)
    parser.add_argument("--dumps", type=int, default=58)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--folder")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="libremq-stages-", dir=options.folder))
    try:
        measure(folder, options)
    finally:
        shutil.rmtree(folder)


def measure(folder: Path, options: argparse.Namespace) -> None:
    dumps, root = folder / "dumps", folder / "tables"
    dumps.mkdir()
    wrote, size = write_dumps(dumps, options.mb * 1_000_000, options.dumps)
    table = Table("from dumps to marts", "s; CPU s; most memory")
    total = 0.0, 0.0

    def stage(name: str, work: Callable[[], Any]) -> Any:
        nonlocal total
        watch, began = Watch([os.getpid()]), time.perf_counter()
        done = work()
        seconds = time.perf_counter() - began
        watch.stop()
        total = total[0] + seconds, total[1] + watch.cpu_seconds
        table.line(name, f"{seconds:.1f}", f"{watch.cpu_seconds:6.1f} CPU s  {watch.peak_bytes / 1e6:6,.0f} MB")
        return done

    from libremq.pipeline.spark_session import make_session
    from libremq.pipeline.tables import conformed, marts, raw

    spark = stage("start", lambda: make_session(f"local[{options.cores}]"))
    report = stage("raw", lambda: raw.ingest(spark, str(dumps), root))
    found: Counter[str] = Counter()
    for dump in report.added:
        found.update(dump.rows)
    if found != wrote:
        raise SystemExit(f"rows are not those that were written: {found - wrote} too many, {wrote - found} missing")
    built = stage("conformed", lambda: conformed.build(spark, root))
    stage("marts", lambda: marts.build(spark, root))
    files = [file.stat().st_size for file in root.rglob("*.parquet")]
    table.line("all", f"{total[0]:.1f}", f"{total[1]:6.1f} CPU s")
    table.show()
    print(
        f"{size / 1e6:.0f} MB in {options.dumps} dumps of {len(built.days)} days; {len(files):,} files of"
        f" {sum(files) / max(1, len(files)) / 1000:.0f} kB; {sum(built.rows.values()):,} conformed rows"
    )
    spark.stop()


if __name__ == "__main__":
    main()
