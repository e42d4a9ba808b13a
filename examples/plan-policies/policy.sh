#!/bin/sh
# Prints the findings in the plan of the file $1, one in a line, and fails if
# there are any.
set -eu
allowed='["adaeze@larkspur-bicycles.example", "soren@larkspur-bicycles.example"]'
findings=$(jq -r --argjson allowed "$allowed" '
  (.checks[]?.instances[]?.problems[]?.message),
  (
    .prior_state.values.root_module.resources[]
    | select(.type == "convo_workspace_audit") | .values
    | ((.emails_by_role.ADMIN // []) - $allowed | .[] | "unexpected ADMIN: \(.)"),
      (.agents[] | select(.is_published == true and .labels == [])
        | "published without a label: \(.id)"),
      (.problems[] | "\(.operation) \(.agent_id // ""): \(.message)")
  )' "$1")
printf '%s\n' "${findings:-no findings}"
test -z "$findings"
