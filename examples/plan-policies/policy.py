"""Prints the findings in a plan (JSON from the standard input), and fails if there are any."""

import json
import sys

ALLOWED_ADMINS = {"adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"}

plan = json.load(sys.stdin)
findings = [
    problem["message"]
    for check in plan.get("checks", [])
    for instance in check.get("instances", [])
    for problem in instance.get("problems", [])
]
for resource in plan["prior_state"]["values"]["root_module"]["resources"]:
    if resource["type"] != "convo_workspace_audit":
        continue
    audit = resource["values"]
    for email in audit["emails_by_role"].get("ADMIN", []):
        if email not in ALLOWED_ADMINS:
            findings.append(f"unexpected ADMIN: {email}")
    for agent in audit["agents"].values():
        if agent["is_published"] and not agent["labels"]:
            findings.append(f"published without a label: {agent['id']}")

print("\n".join(findings) or "no findings")
sys.exit(bool(findings))
