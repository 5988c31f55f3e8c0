"""From SMF dumps to findings in Python: read dumps on Spark, look at a table, ask the rules.

Needs the extra: pip install 'libremq[pipeline]'. The dumps are of a simulated site, one of whose queue managers is short
of log buffers; with your own, start at `ingest`.
"""

import tempfile
from pathlib import Path

from libremq.pipeline.generator.generator_command import generate
from libremq.pipeline.rules.rule_catalogue import RULES
from libremq.pipeline.rules.rule_evaluation import evaluate
from libremq.pipeline.spark_session import make_session
from libremq.pipeline.tables import conformed, raw

with tempfile.TemporaryDirectory() as folder:
    site, tables = Path(folder, "site"), Path(folder, "tables")
    generate(site, days=0.25, queue_managers=2, interval_minutes=60, sick=["log-buffers-short"])

    spark = make_session("local[2]")
    report = raw.ingest(spark, str(site / "dumps"), tables)
    read, kept = report.total("records_in"), report.total("records_decoded") + report.total("records_skipped")
    print("all records accounted for:", read == kept + report.total("records_quarantined"))

    conformed.build(spark, tables)
    log = conformed.table(spark, tables, "log")
    print("intervals that waited for log buffers:", log.where("no_log_buffer_waits > 0").count())

    rules = [rule for rule in RULES if rule.subject == "log"]
    evaluation = evaluate(conformed.tables(spark, tables), rules=rules)
    for finding in evaluation.findings.groupBy("qmgr", "severity", "rule").count().collect():
        print(*finding)
    spark.stop()
