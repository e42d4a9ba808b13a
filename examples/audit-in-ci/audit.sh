#!/bin/sh
# Audits the workspace, and writes report.md and audit.tfplan. With RECORD=true, it also applies the
# plan, which stores the record. It fails if there are errors.
set -u
terraform=${TERRAFORM:-terraform}
export TF_LOG_PATH="${TF_LOG_PATH:-audit.log}" # With TF_LOG, errors.txt would contain the log.

rm -f audit.tfplan report.md
"$terraform" output -json > previous.json || exit 1
code=0
"$terraform" plan -no-color -out=audit.tfplan 2> errors.txt || code=1

# Terraform writes the plan file even if the plan fails. The file contains the report, unless the
# workspace could not be read.
if ! { test -f audit.tfplan && "$terraform" show -json audit.tfplan |
  jq -ej .planned_values.outputs.report.value; } > report.md 2>> errors.txt; then
  code=1
  echo '# The audit failed' > report.md
fi
if [ "$code" -eq 0 ] && [ "${RECORD:-}" = true ]; then
  "$terraform" apply -no-color audit.tfplan 2>> errors.txt || code=1
fi
# Errors can contain names with control characters, which would end the code block.
errors() { tr -d '\000-\010\013-\037\177' < errors.txt; }
if [ -s errors.txt ]; then
  { printf '\n## Errors\n\n'; errors | sed 's/^/    /' && echo; } >> report.md
fi
errors >&2
exit "$code"
