"""Size a log in Python: the same plan as `libremq plan log`, and one formula on its own. Needs no Spark."""

from libremq.pipeline.models.logs.log_volume import put_get_log_bytes
from libremq.pipeline.planner.plan_catalogue import PLANS
from libremq.pipeline.planner.working import Source, work_out

worked = work_out(PLANS["log"], Source("example", {"message_bytes": 4096, "messages_per_second": 500}))
print("a message of 4 KB, put and got, logs", put_get_log_bytes(4096), "bytes")
print("active logs:", worked.values["logs"])
