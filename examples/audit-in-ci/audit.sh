#!/bin/sh
# Audits the workspace, and writes report.md and audit.tfplan. With RECORD=true, it also applies the
# plan, which stores the record. It fails if there are errors.
set -u
terraform=${TERRAFORM:-terraform}
export TF_LOG_PATH="${TF_LOG_PATH:-audit.log}" # With TF_LOG, errors.txt would contain the log.

rm -f audit.tfplan progress report.md
"$terraform" output -json > previous.json || exit 1
jq -e .record previous.json > /dev/null ||
  echo 'There is no earlier record to compare with. In CI, the record requires a backend.' >&2

# Terraform does not show the progress of data sources. It is in the provider's log.
mkfifo progress
tee -a "$TF_LOG_PATH" < progress | while read -r line; do
  case $line in *'Auditing agents: '*)
    line=${line##*Auditing agents: }
    echo "Auditing agents: ${line%%: [t@]*}" ;; # Without the fields of the log's line.
  esac
done &
code=0
TF_LOG_PATH=progress TF_LOG_PROVIDER="${TF_LOG_PROVIDER:-${TF_LOG:-INFO}}" \
  "$terraform" plan -no-color -out=audit.tfplan 2> errors.txt 3> progress || code=1
wait
rm progress

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
# Errors can contain names with control characters, which would end the code block. A comment on
# GitHub has room for the report and these errors.
errors() { tr -d '\000-\010\013-\037\177' < errors.txt; }
if [ -s errors.txt ]; then
  { printf '\n## Errors\n\n'; errors | head -c 4000 | sed 's/^/    /' && echo; } >> report.md
fi
errors >&2
exit "$code"
