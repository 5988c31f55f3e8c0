"""All plans by name, in the order in which they are listed."""

from __future__ import annotations

from libremq.pipeline.planner.data import (
    applications,
    channels,
    chinit,
    devices,
    log,
    queue_manager,
    recovery,
    sharing,
)
from libremq.pipeline.planner.plan import Plan

PLANS: dict[str, Plan] = {
    plan.name: plan
    for plan in (
        *log.PLANS,
        *recovery.PLANS,
        *queue_manager.PLANS,
        *sharing.PLANS,
        *chinit.PLANS,
        *channels.PLANS,
        *devices.PLANS,
        *applications.PLANS,
    )
}
