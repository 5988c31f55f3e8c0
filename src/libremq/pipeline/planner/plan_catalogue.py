"""All plans by name, in the order in which they are listed."""

from __future__ import annotations

from libremq.pipeline.planner.data import (
    applications_plans,
    channels_plans,
    chinit_plans,
    devices_plans,
    log_plans,
    queue_manager_plans,
    recovery_plans,
    sharing_plans,
)
from libremq.pipeline.planner.plan import Plan

PLANS: dict[str, Plan] = {
    plan.name: plan
    for plan in (
        *log_plans.PLANS,
        *recovery_plans.PLANS,
        *queue_manager_plans.PLANS,
        *sharing_plans.PLANS,
        *chinit_plans.PLANS,
        *channels_plans.PLANS,
        *devices_plans.PLANS,
        *applications_plans.PLANS,
    )
}
