#!/bin/sh
# Prints the findings in the plan $1 (JSON), and fails if there are any.
set -eu
allowed='["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"]'
findings=$(jq -r --argjson allowed "$allowed" '
  def modules: ., (.child_modules[]? | modules);
  [
    .prior_state.values.root_module | modules | .resources[]?
    | select(.type == "convo_workspace_audit") | .values
  ] as $audits
  | if $audits == [] then "the plan contains no audit" else empty end,
    .checks[]?.instances[]?.problems[]?.message,
    (
      $audits[]
      | ((.emails_by_role.ADMIN // []) - $allowed | .[] | "unexpected ADMIN: \(.)"),
        (.agents[] | select(.is_published == true and .labels == [])
          | "published without a label: \(.id)"),
        (.problems[] | select(.kind | IN("read_failed", "not_read", "incomplete_list"))
          | [.operation, .agent_id, .message] | map(select(. != null)) | join(", "))
    )' "$1")
printf '%s\n' "${findings:-no findings}"
test -z "$findings"
