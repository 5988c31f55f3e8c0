"""Real dumps, ingested through Spark, give every value that IBM's formatter printed for them.

Runs where `shared/data/smf` lies beside the project, or with its path in LIBREMQ_SMF_DUMPS; the layout facts, which say
what column a field has and how it is printed, are looked for beside it (`shared/facts`) or in LIBREMQ_FACTS.
"""

from __future__ import annotations

import csv
import json
import os
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from helper_spark import session

from libremq.pipeline.tables import raw

HERE = [Path(parent) for parent in Path(__file__).resolve().parents]
DUMPS = next(
    (
        folder
        for folder in [
            Path(os.environ.get("LIBREMQ_SMF_DUMPS", "/nonexistent")),
            *(parent / "shared" / "data" / "smf" for parent in HERE),
        ]
        if (folder / "expected").is_dir()
    ),
    None,
)
FACTS = next(
    (
        folder / "smf-layout.json"
        for folder in [
            Path(os.environ.get("LIBREMQ_FACTS", "/nonexistent")),
            *([DUMPS.parents[1] / "facts"] if DUMPS is not None else []),
        ]
        if (folder / "smf-layout.json").is_file()
    ),
    None,
)
pytestmark = pytest.mark.skipif(
    DUMPS is None or FACTS is None,
    reason="no dumps with expected values (shared/data/smf or LIBREMQ_SMF_DUMPS, shared/facts or LIBREMQ_FACTS)",
)

Row = dict[str, Any]
WIDTH = {"u16": 16, "i16": 16, "u32": 32, "i32": 32, "i64": 64}


def facts() -> dict[str, Any]:
    assert FACTS is not None
    return json.loads(FACTS.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def expected(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV. Interval columns are left out of rows that have none; then the header is too long."""
    with open(path, encoding="latin-1", newline="") as file:
        lines = [[cell.strip().removeprefix("=").strip('"') for cell in line] for line in csv.reader(file)]
    header = lines[0][:-1]
    assert len(set(header)) == len(header)
    found = []
    for line in lines[1:]:
        names = header
        if len(line) - 1 == len(header) - 3:
            names = [name for name in header if not name.startswith("Interval_")]
        assert len(line) - 1 == len(names), path
        found.append(dict(zip(names, line)))
    return found


def printed(text: str, table: dict[str, str]) -> str:
    """Text as the formatter shows it: bytes it does not know become full stops."""
    return "".join(table.get(f"{byte:02X}", ".") for byte in text.encode("cp037")).rstrip(" .")


def same(conv: str, field: dict[str, Any], value: Any, shown: list[str], known: dict[str, Any]) -> bool:
    if isinstance(value, list):
        raise AssertionError("an array where one value is wanted")
    [first] = shown[:1]
    if value is None and "replace" in field:
        return first in (str(field["replace"]["shown"]), "-1")
    match conv:
        case "u16" | "i16" | "u32" | "i32" | "i64":
            if value is None:
                return first == "-1"
            bits = WIDTH[conv]
            number = int(value) & ((1 << bits) - 1)
            return first == str(number - (1 << bits) if conv[0] == "i" and number >> (bits - 1) else number)
        case "u63":
            return first == ("-1" if value is None else str(int(value) & ((1 << 63) - 1)))
        case "i8u32":
            return first == str(value if value < 128 else (value - 256) & 0xFFFFFFFF)
        case "u32_high_word":
            return first == str((value * 4096) >> 32)
        case "text":
            if value is None:
                return first.strip(" .") == ""
            return first.rstrip(" .") == printed(value, known["ebcdic"]["map"])
        case "hex":
            return first == value.hex().upper()
        case "enum":
            return first.strip() == (
                "....." if value is None else known["enums"][field["enum"]].get(str(value), "").strip()
            )
        case "flag":
            if value is None:
                return first == "....."
            return first == (field["on"] if int(value) & int(field["mask"], 16) else field["off"])
        case "ts2":
            if value is None:
                return shown in (["", ""], ["1970/01/01", "00:00:00,000000"])
            return shown == [f"{value:%Y/%m/%d}", f"{value:%H:%M:%S},{value.microsecond:06d}"]
        case "dur2":
            if value is None:
                return shown == ["-1", "-1"]
            return shown == [str(value // 1_000_000 % (1 << 32)), str(value % 1_000_000)]
    raise AssertionError(conv)


def cells(field: dict[str, Any], value: Any, row: Row) -> list[tuple[str, dict[str, Any], Any, list[str]]]:
    """Conversion, its rules, the value and the columns it is shown in, for each column or pair of a field."""
    if "outputs" in field:
        shown = []
        for output in field["outputs"]:
            one = row.get(f"{field['name']}_bytes", row.get("correl")) if output["conv"] == "hex" else value
            names = output["csv"] if isinstance(output["csv"], list) else [output["csv"]]
            if output.get("since") and row["qqstll"] <= output["since"]["len_gt"]:
                one = None
            shown.append((output["conv"], {**field, **output}, one, names))
        return shown
    names = field["csv"] if isinstance(field["csv"], list) else [field["csv"]]
    dims = [dim for dim in field.get("dims", []) if dim["n"] > 1]
    if not dims or row.get("qeststr"):
        return [(field["conv"], field, value, names)]
    found = []
    for place in product(*(range(dim["n"]) for dim in dims)):
        if any(at in dim.get("csv_skip", ()) for at, dim in zip(place, dims)):
            continue
        one = value
        for at in place:
            one = None if one is None else one[at]
        if field.get("per_index"):
            found.append((field["conv"], field, one, [names[place[0]]]))
            continue
        labelled = names
        for number, (at, dim) in enumerate(zip(place, dims)):
            labelled = [name.replace(f"%{number}", dim["labels"][at]) for name in labelled]
        found.append((field["conv"], field, one, labelled))
    return found


def common(row: Row) -> dict[str, str]:
    local = row["smf_time"] + timedelta(minutes=row["utc_offset_minutes"] or 0)
    shown = {
        "Date": f"{local:%Y/%m/%d}",
        "Time": f"{local:%H:%M:%S},{local.microsecond:06d}",
        "LPAR": row["system"],
        "QMgr": row["qmgr"],
        "QSG": row["qsg"] or "....",
        "MQ_Version": row["release"],
    }
    if row["interval_start"] is not None and row["record_type"] == 115:
        start = row["interval_start"] + timedelta(minutes=row["utc_offset_minutes"])
        shown["Interval_Start (DATE)"] = f"{start:%Y/%m/%d}"
        shown["Interval_Start (TIME)"] = f"{start:%H:%M:%S},{start.microsecond:06d}"
        shown["Interval_Duration"] = str(row["interval_duration"] // 1_000_000)
    return shown


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert DUMPS is not None
    target = tmp_path_factory.mktemp("tables")
    report = raw.ingest(session(), f"{DUMPS}/*.dat", target)
    assert report.dumps
    assert report.total("records_quarantined") == 0
    return target


def test_every_value_of_every_dump_is_as_expected(tables: Path) -> None:
    assert DUMPS is not None
    known = facts()
    compared = 0
    files = sorted(DUMPS.glob("expected/*/SMF-*.csv"))
    for name in sorted({file.stem.removeprefix("SMF-") for file in files}):
        rows = raw.read(session(), tables, name.lower()).toArrow().to_pylist()
        rows.sort(key=lambda row: (row["source_offset"], row["section_index"]))
        fields = list(known["structs"][name]["fields"])
        if name == "QMAC":
            fields += known["structs"]["QWHC"]["fields"]
        for file in files:
            if file.stem != f"SMF-{name}":
                continue
            wanted = expected(file)
            ours = [row for row in rows if Path(row["source_file"]).stem == file.parent.name]
            assert len(ours) == len(wanted), file
            for row, shown in zip(ours, wanted):
                left = dict(shown)
                stub = (row["record_type"], row["subtype"]) in ((115, 5), (115, 6), (115, 7))
                if stub:
                    left = {column: text for column, text in left.items() if not column.startswith("Interval_")}
                for column, text in common(row).items():
                    assert left.pop(column) == text, (file, column)
                if "Task_Index" in left:
                    assert left.pop("Task_Index") == str(row["section_index"])
                if "WTAS_Correlator" in left:
                    assert left.pop("WTAS_Correlator") == row["correl"].hex().upper()
                for field in fields:
                    if field["csv"] is None:
                        continue
                    value = row[field["name"].lower().replace(".", "_")]
                    for conv, rules, one, columns in cells(field, value, row):
                        texts = [left.pop(column) for column in columns]
                        assert same(conv, rules, one, texts, known), (file, columns, one, texts)
                        compared += len(columns)
                assert left == {}, (file, "columns that no field accounts for")
    assert compared > 10_000 or len(files) < 10


def test_the_real_dumps_lose_nothing(tables: Path) -> None:
    for dump in raw.dumps(tables):
        assert dump.records_in == dump.records_decoded + dump.records_skipped + dump.records_quarantined
        assert dump.records_decoded > 0
