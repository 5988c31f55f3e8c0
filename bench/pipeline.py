"""`make bench-pipeline`: SMF dumps to raw tables, at scale, beside a plain decode by one process.

python bench/pipeline.py [--gb 1] [--rounds 3] [--cores 2] [--quick] [--folder FOLDER]

Dumps of a quarter, one and two times `--gb` are generated, then each measurement runs in a process, and a JVM, of its
own: local[1], local[cores], and a master with workers of one core each on loopback. Every run is checked: as many
records and rows as the generator says it wrote. docs/internals/pipeline-performance.md says what the figures mean.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median

from machine import data_folder, describe
from pipeline_processes import Watch, cluster, end
from table import Table, human, verdict

from libremq.pipeline.generator.bulk import Counted, write_bulk

GB = 1e9
PLAIN_BYTES = 50_000_000
"""How much the plain decode is measured on: its speed does not depend on it, and it takes its time."""
TARGET_MB_A_CORE = 25.0
GROWTH_MAX = 0.10
_HERE = Path(__file__).resolve().parent


@dataclass
class Dump:
    path: str
    counted: Counted


@dataclass
class Measured:
    """Runs of one case."""

    name: str
    dump: Dump
    cores: int
    seconds: list[float] = field(default_factory=list)
    start: list[float] = field(default_factory=list)
    survey: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak_bytes: int = 0

    @property
    def mb(self) -> float:
        return self.dump.counted.bytes / 1e6

    @property
    def speed(self) -> float:
        return self.mb / median(self.seconds)

    @property
    def seconds_a_gb(self) -> float:
        return median(self.seconds) / self.mb * 1000


def run_job(measured: Measured, master: str, warm_up: str, folder: str, others: list[int]) -> None:
    """Measure once. `others` are processes that belong to the run although they are not below it."""
    target = f"{folder}/run"
    os.makedirs(target)
    os.sync()
    command = [sys.executable, str(_HERE / "pipeline_job.py"), master, measured.dump.path, warm_up, target]
    job = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert job.stdin is not None and job.stdout is not None
    try:
        _expect(job.stdout.readline(), "go")
        watch = Watch([job.pid, *others])
        job.stdin.write("go\n")
        job.stdin.flush()
        line = job.stdout.readline()
        watch.stop()
        _expect(line, "{")
        result = json.loads(line)
        job.stdin.write("end\n")
        job.stdin.close()
        job.wait(60)
    finally:
        end(job)
    _check(measured.dump, result)
    measured.seconds.append(result["seconds"])
    measured.start.append(result["start"] + result["warm_up"])
    measured.survey.append(result["survey"])
    measured.cpu.append(watch.cpu_seconds)
    measured.peak_bytes = max(measured.peak_bytes, watch.peak_bytes)
    shutil.rmtree(target)
    print(f"  {measured.name}: {result['seconds']:.1f} s", file=sys.stderr, flush=True)


def _expect(line: str, beginning: str) -> None:
    if not line.startswith(beginning):
        raise SystemExit(f"the job ended early; it said {line!r} instead of {beginning!r}")


def _check(dump: Dump, result: dict[str, object]) -> None:
    records = sum(dump.counted.records.values())
    if (result["records"], result["quarantined"], result["rows"]) != (records, 0, dict(dump.counted.rows)):
        raise SystemExit(f"{dump.path}: {result} is not what was written: {records} records, {dict(dump.counted.rows)}")


def plain_speed(dump: Dump, slice_bytes: int) -> float:
    """MB/s of the plain decode, in a process of its own."""
    command = [sys.executable, str(_HERE / "pipeline_plain.py"), dump.path, str(slice_bytes)]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    size, _, seconds = told.stdout.split()
    return int(size) / 1e6 / float(seconds)


def where_the_time_goes(dump: Dump, folder: str, slice_bytes: int) -> None:
    """One process, no Spark, processor seconds: each step of the work, over the first part of a dump."""
    from libremq.pipeline.smf.decode import decode
    from libremq.pipeline.smf.files import read_piece
    from libremq.pipeline.smf.smf_columns import TextDecoder
    from libremq.pipeline.smf.survey import survey
    from libremq.pipeline.tables.raw import write_piece

    part = f"{folder}/part"
    with open(dump.path, "rb") as whole, open(part, "wb") as file:
        file.write(whole.read(slice_bytes))
    text = TextDecoder()
    write_piece("warm", survey(part, slice_bytes // 8).pieces[0], f"{folder}/part-tables")
    at = [time.process_time()]
    look = survey(part, slice_bytes * 2)
    at.append(time.process_time())
    for _ in read_piece(look.pieces[0]):
        pass
    at.append(time.process_time())
    for chunk in read_piece(look.pieces[0]):
        decode(chunk, part, text, grouped=True)
    at.append(time.process_time())
    write_piece(look.digest, look.pieces[0], f"{folder}/part-tables")
    at.append(time.process_time())
    surveying, framing, decoding, writing = (later - earlier for earlier, later in pairwise(at))
    steps = {
        "survey (digest, cuts)": surveying,
        "read and frame": framing,
        "decode to Arrow": decoding - framing,
        "write Parquet": writing - decoding,
    }
    whole_seconds = surveying + writing
    table = Table(f"where the time goes, {slice_bytes / 1e6:.0f} MB in one process without Spark", "CPU seconds")
    for name, seconds in steps.items():
        table.line(name, f"{seconds:.2f}", f"{seconds / whole_seconds:.0%}")
    table.line("all", f"{whole_seconds:.2f}", f"{slice_bytes / 1e6 / whole_seconds:.0f} MB a CPU second")
    table.show()
    shutil.rmtree(f"{folder}/part-tables")
    os.remove(part)


def show(cases: list[Measured], plain: dict[str, float], cores: int) -> None:
    print(f"\nraw tables from dumps; median of {len(cases[0].seconds)}, start of Spark and of its workers apart")
    names = (
        "",
        "GB",
        "MB/s",
        "MB/s/core",
        "s/GB",
        "CPU s/GB",
        "survey s",
        "peak MB",
        "start s",
        "with start",
        "x plain",
    )
    lines = [names]
    for case in cases:
        with_start = case.mb / (median(case.seconds) + median(case.start))
        yardstick = plain[case.name.rpartition(", ")[2]]
        lines.append(
            (
                case.name,
                f"{case.mb / 1000:.2f}",
                f"{case.speed:.1f}",
                f"{case.speed / case.cores:.1f}",
                f"{case.seconds_a_gb:.1f}",
                f"{median(case.cpu) / case.mb * 1000:.1f}",
                f"{median(case.survey):.1f}",
                f"{case.peak_bytes / 1e6:.0f}",
                f"{median(case.start):.1f}",
                f"{with_start:.1f}",
                f"{case.speed / yardstick:.1f}",
            )
        )
    widths = [max(len(line[column]) for line in lines) for column in range(len(names))]
    for line in lines:
        cells = [f"{line[0]:<{widths[0]}}", *(f"{cell:>{width}}" for cell, width in zip(line[1:], widths[1:]))]
        print("  " + "  ".join(cells))
    by_name = {case.name: case for case in cases}
    small, middle, large = (by_name[f"local[{cores}] {size}, 115"] for size in ("small", "middle", "large"))
    growth = large.seconds_a_gb / small.seconds_a_gb - 1
    table = Table("what was asked for")
    table.line(
        "MB/s a core, 115 to raw tables",
        human(middle.speed / cores),
        f"at least {TARGET_MB_A_CORE:g}: {verdict(middle.speed / cores >= TARGET_MB_A_CORE)}",
    )
    sizes = f"from {small.mb / 1000:.2f} to {large.mb / 1000:.2f} GB"
    table.line(
        f"growth of time per GB {sizes}",
        f"{growth:+.1%}",
        f"at most {GROWTH_MAX:.0%}: {verdict(growth <= GROWTH_MAX)}",
    )
    alone = by_name["local[1] middle, 115"]
    table.line(f"local[{cores}] against local[1]", f"{middle.speed / alone.speed:.2f}", "times as fast")
    if "cluster middle, 115" in by_name:
        together = by_name["cluster middle, 115"]
        table.line(f"cluster against local[{cores}]", f"{together.speed / middle.speed:.2f}", "times as fast")
    table.line("plain decode, one process, 115", human(plain["115"]), "MB/s, to dictionaries, writes nothing")
    table.line("plain decode, one process, 115+116", human(plain["115+116"]), "MB/s")
    table.show()


def main() -> None:
    parser = argparse.ArgumentParser(description="SMF dumps to raw tables, at scale: one command, one table.")
    parser.add_argument(
        "--gb", type=float, default=1.0, help="size of the middle dump; there is one of 1/4 and of 2 too"
    )
    parser.add_argument("--rounds", type=int, default=3, help="runs of each measurement, of which the median counts")
    parser.add_argument("--cores", type=int, default=2, help="cores to use, and workers of the cluster")
    parser.add_argument("--quick", action="store_true", help="a tenth of the data, one round")
    parser.add_argument("--no-cluster", action="store_true", help="leave out the cluster on loopback")
    parser.add_argument("--folder", help="where to keep the data meanwhile; needs six times --gb and 2 GB more")
    chosen = parser.parse_args()
    size, rounds, cores = (0.1, 1, chosen.cores) if chosen.quick else (chosen.gb, chosen.rounds, chosen.cores)
    started = time.perf_counter()
    # Ended from outside, it clears up as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended before its time"))
    with data_folder(chosen.folder) as folder:
        print(describe(folder))
        dumps = {
            name: _generate(folder, name, size * share, statistics_only)
            for name, share, statistics_only in (
                ("small", 0.25, True),
                ("middle", 1.0, True),
                ("large", 2.0, True),
                ("mixed", 1.0, False),
            )
        }
        warm_up = f"{folder}/warm-up"
        write_bulk(Path(warm_up), 1)
        part = min(PLAIN_BYTES, int(size * GB * 0.25))
        plain = {"115": plain_speed(dumps["middle"], part), "115+116": plain_speed(dumps["mixed"], part)}
        where_the_time_goes(dumps["middle"], folder, part)
        cases = [Measured(f"local[{cores}] {name}, 115", dumps[name], cores) for name in ("small", "middle", "large")]
        cases.append(Measured("local[1] middle, 115", dumps["middle"], 1))
        cases.append(Measured(f"local[{cores}] middle, 115+116", dumps["mixed"], cores))
        for _ in range(rounds):
            for case in cases:
                run_job(case, case.name.split()[0], warm_up, folder, [])
        if not chosen.no_cluster:
            together = Measured("cluster middle, 115", dumps["middle"], cores)
            with cluster(folder, cores) as (address, processes):
                for _ in range(rounds):
                    run_job(together, address, warm_up, folder, processes)
            cases.append(together)
        show(cases, plain, cores)
    print(f"\n{time.perf_counter() - started:.0f} s")


def _generate(folder: str, name: str, gigabytes: float, statistics_only: bool) -> Dump:
    path = f"{folder}/{name}"
    return Dump(path, write_bulk(Path(path), int(gigabytes * GB), statistics_only=statistics_only))


if __name__ == "__main__":
    main()
