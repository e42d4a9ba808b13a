#!/bin/sh
# Audits the workspace, and writes audit.tfplan and report.md. The exit status is 1 if there are
# errors, 2 if the record or the report has changed since the last apply, and 0 otherwise.
set -u
terraform=${TERRAFORM:-terraform}
export TF_LOG_PATH="${TF_LOG_PATH:-audit.log}" # With TF_LOG, errors.txt would contain the log.

rm -f audit.tfplan report.md
"$terraform" output -json > previous.json || exit 1
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
# Errors can contain names with control characters, which would end the code block.
errors() { tr -d '\000-\010\013-\037\177' < errors.txt; }
if [ -s errors.txt ]; then
  { printf '\n## Errors\n\n'; errors | sed 's/^/    /' && echo; } >> report.md
fi
errors >&2
exit "$code"
