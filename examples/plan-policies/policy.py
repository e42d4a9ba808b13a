"""Reads a plan as JSON from standard input, prints the findings, and fails if there are any."""

import json
import sys

INCOMPLETE = {"read_failed", "not_read", "incomplete_list"}
ALLOWED_ADMINS = {"adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"}


def resources(module):
    """Returns the resources of a module and of all its child modules."""
    own = module.get("resources", [])
    return own + [r for child in module.get("child_modules", []) for r in resources(child)]


plan = json.load(sys.stdin)
findings = [
    problem["message"]
    for check in plan.get("checks", [])
    for instance in check.get("instances", [])
    for problem in instance.get("problems", [])
]
root = plan.get("prior_state", {}).get("values", {}).get("root_module", {})
audits = [r["values"] for r in resources(root) if r["type"] == "convo_workspace_audit"]
if not audits:
    findings.append("the plan contains no audit")
for audit in audits:
    for email in audit["emails_by_role"].get("ADMIN", []):
        if email not in ALLOWED_ADMINS:
            findings.append(f"unexpected ADMIN: {email}")
    for agent in audit["agents"].values():
        if agent["is_published"] and not agent["labels"]:
            findings.append(f"published without a label: {agent['id']}")
    for problem in audit["problems"]:
        parts = [problem["operation"], problem["agent_id"], problem["message"]]
        if problem["kind"] in INCOMPLETE:
            findings.append(", ".join(part for part in parts if part is not None))

print("\n".join(findings) or "no findings")
sys.exit(bool(findings))
