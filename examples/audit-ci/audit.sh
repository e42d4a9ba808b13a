#!/bin/sh
# Audits the workspace, and writes audit.tfplan and report.md. The exit status is 1 if there are
# errors, 2 if the record or the report has changed since the last apply, and 0 otherwise.
set -u
terraform=${TERRAFORM:-terraform}

rm -f audit.tfplan
"$terraform" output -json > previous.json
code=0
"$terraform" plan -no-color -detailed-exitcode -out=audit.tfplan 2> errors.txt || code=$?

# Terraform writes the plan file even if the plan fails. The file contains the report, unless the
# workspace could not be read.
report() {
  test -f audit.tfplan && "$terraform" show -json audit.tfplan |
    jq -ej '.planned_values.outputs.report.value // empty'
}
if ! report > report.md 2>> errors.txt; then
  code=1
  echo '# The audit failed' > report.md
fi
if [ -s errors.txt ]; then
  { printf '\n## Errors\n\n'; sed 's/^/    /' errors.txt && echo; } >> report.md
fi
cat errors.txt >&2
exit "$code"
