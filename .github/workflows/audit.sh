#!/bin/sh
# Audits the configuration in the working directory. The workflow beside this file and .gitlab/audit.yml
# run it with these environment variables:
#   AUDIT_CLI       terraform or tofu
#   AUDIT_RECORD    true, to record an audit without errors
#   AUDIT_ACCEPTED  accepted findings, as a JSON object that maps keys to reasons
#   AUDIT_ENV       environment variables for the CLI, one NAME=value per line
#   AUDIT_SETUP     commands that print more of these lines
#   AUDIT_OUTPUT    directory for report.md and outcome (green, red, deferred, canceled, or failed)
set -u
canceled='' code=0 pid='' problem='' secrets='' number=0 return=$(printf '\r')
test -z "${AUDIT_SETUP:-}" || AUDIT_ENV="${AUDIT_ENV:-}
$(sh -euc "$AUDIT_SETUP")" || problem="The commands of the input setup failed with exit status $?. The log has their messages."
while IFS= read -r line; do
  number=$((number + 1)) line=${line%"$return"}
  line=${line#"${line%%[![:space:]]*}"}
  case $line in '' | '#'*) continue ;; esac
  line=${line#export } name=${line%%=*} value=${line#*=}
  case $name in "$line" | '' | [0-9]* | *[!A-Za-z0-9_]*) problem=${problem:-"Line $number of TF_ENV, followed by the output of setup, is not NAME=value. Write each variable on one line."} && continue ;; esac
  case $value in [\"\']*) problem=${problem:-"The value in line $number of TF_ENV, followed by the output of setup, begins with a quotation mark. Remove the quotation marks."} ;; esac
  export "$name=$value" && secrets="$secrets $name"
  # GitHub itself masks only the whole text. Short values, such as true, are not secret.
  test -z "${GITHUB_ACTIONS:-}" || test "${#value}" -lt 8 || printf '::add-mask::%s\n' "$value" | sed 's/%/%25/g'
done << END
${AUDIT_ENV:-}
END
unset AUDIT_ENV AUDIT_SETUP
# GitHub must not execute commands in names.
resume=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
test -z "${GITHUB_ACTIONS:-}" || echo "::stop-commands::$resume"

cli=$AUDIT_CLI output=$AUDIT_OUTPUT temporary=$(mktemp -d)
plan=$temporary/plan && export TF_IN_AUTOMATION=true
mkdir -p "$output" && mkfifo "$temporary/pipe" && touch "$temporary/events" "$plan.json" "$temporary/report.md"

# The text of a diagnostic, without secrets and control characters.
text='def clean: reduce ($ENV | to_entries[] | select(.key | IN($ARGS.positional[]) or test("TOKEN|SECRET|PASSWORD|KEY")).value | select(length > 7)) as $secret
    (.; split($secret) | join("***")) | gsub("[\\x00-\\x08\\x0b-\\x1f\\x7f]"; "");
  def text: "\({error: "Error", warning: "Warning"}[.severity]): \(.summary)\n" + (.range | if . then "  on \(.filename) line \(.start.line)\n" else "" end) + "\n\(.detail)\n" | clean;'
# The first error, and all errors that the report does not contain.
errors=$text'[inputs | fromjson? | objects.diagnostic | select(.severity == "error")] as $all |
  [$plan[].checks[]? | select(.address | .kind == "output_value" and .name == "passed").instances[]?.problems[]?.message] as $reported |
  {first: ($all[0] // empty | if .detail | IN($reported[]) then .detail | split("\n\n")[0] | clean else text end | .[:1000] | gsub("%"; "%25") | gsub("\n"; "%0A")),
    others: [$all[] | select(.detail | IN($reported[]) | not) | text] | join("\n")}'

# Writes the report of an outcome, and ends. A comment on GitHub has room for the report and these errors.
conclude() {
  trap '' INT TERM && first=$problem
  if test -n "$problem"; then printf '%s\n' "$problem"; else
    jq -nR --slurpfile plan "$plan.json" "$errors" "$temporary/events" --args $secrets > "$temporary/errors"
    first=$(jq -r .first "$temporary/errors") problem=$(jq -r '.others[:4000]' "$temporary/errors")
    test "$1" != red || test -z "$problem" || set -- failed
  fi
  case $1 in
    deferred) printf '# The audit was deferred\n\n%s\n' "The audit or a policy depends on something that is known only after an apply, for example by \`depends_on\`. Apply that first, or remove the dependency. Nothing was recorded." ;;
    canceled) printf '# The audit was canceled\n\nThe run was canceled, or exceeded its maximum duration. The messages of %s are in the log.\n' "$cli" ;;
    failed) printf '# The audit failed\n\n## Errors\n\n%s\n\n' "$(printf %s "${problem:-"$cli ended with exit status $code. Its messages are in the log."}" | sed 's/^/    /')" ;;
  esac > "$output/report.md"
  case $1 in green | red | failed) cat "$temporary/report.md" >> "$output/report.md" ;; esac
  rm -r "$temporary" && echo "$1" > "$output/outcome"
  if test -n "${GITHUB_ACTIONS:-}"; then
    echo "outcome=$1" >> "$GITHUB_OUTPUT" && cat "$output/report.md" >> "$GITHUB_STEP_SUMMARY"
    case $1 in red | failed) printf '::%s::\n::error::%s\n' "$resume" "$first" ;; esac
  fi
  test "$1" = green
  exit
}
fail() { problem=$1 && conclude failed; }

# The host may signal only this shell. A second signal could end the CLI before it releases the lock.
stop() {
  trap 'interrupted=1' INT TERM
  canceled=1 interrupted=1
  test -z "$pid" || kill -TERM "$pid"
}
trap stop INT TERM
# Runs a command that prints JSON, one event per line. Lines that are not JSON go only to the log.
run() {
  tee -a "$temporary/events" < "$temporary/pipe" |
    jq -Rr --unbuffered "$text"'. as $line | [fromjson? | objects][0] // {"@message": $line} | if .diagnostic then .diagnostic | text else ."@message" end' --args $secrets & log=$!
  "$@" > "$temporary/pipe" &
  pid=$! interrupted=1
  test -z "$canceled" || kill -TERM "$pid"
  while test -n "$interrupted"; do interrupted='' code=0 && wait "$pid" || code=$?; done
  pid='' && wait "$log"
  test -z "$canceled" || test "$code" -eq 0 || conclude canceled
}

test -z "$problem" || conclude failed
for tool in "$cli" jq; do command -v "$tool" > /dev/null || fail "The program $tool is not installed."; done
case $(printf %s "${AUDIT_ACCEPTED:-}" | tr -d '[:space:]') in
  '' | '{}') set -- ;; # The value in *.tfvars or the default applies.
  *) # An argument -var would be HCL.
    jq -en --arg json "$AUDIT_ACCEPTED" '{accepted: $json | fromjson | select(type == "object" and all(.[]; type == "string"))}' \
      > "$temporary/accepted.tfvars.json" || fail 'The accepted findings are not a JSON object of the form {"KEY": "REASON"}.'
    set -- "-var-file=$temporary/accepted.tfvars.json" ;;
esac
# No provider runs yet, so none needs the token.
run env -u CONVO_TOKEN "$cli" init -json -input=false -lockfile=readonly
test "$code" -eq 0 || conclude failed
# A run that records nothing must not block one that does.
lock=true && test "${AUDIT_RECORD:-}" = true || lock=false
run "$cli" plan -json -input=false -detailed-exitcode "-lock=$lock" "-out=$plan" "$@"
test -z "$canceled" || conclude canceled
# The CLI also writes the plan if a precondition fails.
test ! -f "$plan" || env -u CONVO_TOKEN "$cli" show -json "$plan" > "$plan.json"
jq -j '.planned_values.outputs // {} | [.report.value, .statistics.value | select(. // "" != "")] | join("\n")' "$plan.json" > "$temporary/report.md"
# The output can be that of a module, or of several.
verdict=$(jq -r '([.checks[]? | select(.address | .kind == "output_value" and .name == "passed").status] | sort_by(. == "pass", . != "fail")[0]) as $passed | if $passed == null then "passed"
  elif $passed != "unknown" and .planned_values.outputs.report == null then "report" elif $passed == "fail" then "red" elif $passed == "unknown" or .output_changes.report.after_unknown then "deferred" else "green" end' "$plan.json")
case $code:$verdict in
  *:red) conclude red ;;
  0:passed | 2:passed) fail 'The configuration has no output "passed" with a precondition.' ;;
  *:report) fail 'The configuration has no output "report".' ;;
  0:deferred | 2:deferred) conclude deferred ;;
  2:green) code=0 && test "${AUDIT_RECORD:-}" != true || run "$cli" apply -json -input=false "$@" "$plan" ;;
  0:green) ;;
  *) conclude failed ;;
esac
test "$code" -eq 0 || conclude failed
conclude green
