// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build engines

package pipelines_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const (
	heading = "# Audit of Larkspur Bicycles\n"
	opens   = "gh label create convo-audit --force\ngh issue create --title The audit failed (convo-audit) --label convo-audit --body-file body.md\n"
	edits   = "gh issue edit 3 --body-file body.md\n"
	adds    = "gh issue comment 3 --body-file comment.md\n"
	closes  = "gh issue close 3 --comment The audit passed. [Open the run](https://github.com/o/r/actions/runs/1)\n"

	// Payloads of events.
	pulls      = `{"number": 7, "pull_request": {"number": 7, "head": {"repo": {"full_name": "`
	dispatches = `{"inputs": {"accepted": ACCEPTED}, "repository": {"default_branch": "main"}, "ref": "refs/heads/`
)

// event is an event of both hosts.
type event struct{ name, payload, source, branch string }

var (
	schedule = event{"schedule", `{}`, "schedule", "main"}
	manual   = event{"workflow_dispatch", dispatches + `main"}`, "web", "main"}
	branch   = event{"workflow_dispatch", dispatches + `feature"}`, "web", "feature"}
	pull     = event{"pull_request", pulls + `o/r"}}}}`, "merge_request_event", ""}
	fork     = event{"pull_request", pulls + `fork/r"}}}}`, "merge_request_event", ""}

	// Changes of definitions. The first two change access.
	movedDomain = []string{`"domain": "trade.larkspur-bicycles.example"`, `"domain": "elsewhere.example"`}
	movedMore   = append(movedDomain, `"domain": "chat.larkspur-bicycles.example"`, `"domain": "third.example"`)
	newRevision = []string{`"revision": "64"`, `"revision": "65"`}

	red     = result{}
	skipped = result{passes: true}
	green   = result{passes: true, records: true}
)

// run is a run of a pipeline, by default a scheduled one with the right token.
type run struct {
	event
	accepted, flags, actor string
	with                   string   // an input of the action
	tokens                 []string // variables
}

// result is what a run is meant to do.
type result struct{ passes, records bool }

// engines runs a test with both engines.
func engines(t *testing.T, test func(t *testing.T, e *engine)) {
	t.Helper()
	for name, create := range map[string]func(*testing.T) *engine{"act": newAct, "gitlab-ci-local": newGitLab} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, create(t))
		})
	}
}

// start starts a run of what is in the repository, and returns its process. The log is
// complete after finish.
func (e *engine) start(r run) (finish func() result, pid int) {
	e.t.Helper()
	r.event = cmp.Or(r.event, schedule)
	if r.tokens == nil {
		r.tokens = []string{"CONVO_TOKEN=" + devserver.TokenWrite}
	}
	_ = os.Remove(e.report)
	command, log := e.command(e.arguments(r)...)
	e.shell(`test -d .git || { git init -q -b main; git remote add origin https://github.com/o/r; }
		git add -Af .
		git -c user.name=test -c user.email=test@example.com commit --allow-empty -qm Audit`)
	if err := command.Start(); err != nil {
		e.t.Fatal(err)
	}
	return func() result {
		err := command.Wait()
		e.log = log.String()
		if strings.Contains(e.log+read(e.report), devserver.TokenWrite) {
			e.t.Errorf("the token is in the log or the report:\n%s", e.log)
		}
		locked, recorded := e.backend.status()
		if locked {
			e.t.Errorf("the state is locked:\n%s", e.log)
		}
		return result{err == nil, recorded}
	}, command.Process.Pid
}

// run requires the result of a run, and texts in its log.
func (e *engine) run(situation string, r run, want result, texts ...string) {
	e.t.Helper()
	finish, _ := e.start(r)
	if got := finish(); got != want {
		e.t.Errorf("%s: %+v, want %+v\n%s", situation, got, want, e.log)
	}
	e.has(e.log, texts...)
}

// has requires texts in another one.
func (e *engine) has(text string, wants ...string) {
	e.t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			e.t.Errorf("%q is missing in\n%s\nThe log is\n%s", want, text, e.log)
		}
	}
}

// sends requires what act's last run sent, and a text in a file that was sent.
func (e *engine) sends(want, file, text string) {
	e.t.Helper()
	if e.store == "" {
		return
	}
	sent := read(e.store + "/sent")
	_ = os.Remove(e.store + "/sent")
	content := read(e.store + "/" + file)
	if sent != want || !strings.Contains(content, text) || strings.Contains(content, devserver.TokenWrite) {
		e.t.Errorf("sent %q, want %q, with %q in %q\n%s", sent, want, text, content, e.log)
	}
}

// accepted returns the keys of the last run as a JSON object with one reason.
func (e *engine) accepted(reason string) string {
	e.t.Helper()
	accepted := map[string]string{}
	keys := regexp.MustCompile(`(?:access_changed|first_record)/\w+/[a-z2-7]{24}`)
	for _, key := range keys.FindAllString(e.log, -1) {
		accepted[key] = reason
	}
	text, err := json.Marshal(accepted)
	if err != nil || len(accepted) == 0 {
		e.t.Fatalf("the log has no key: %v\n%s", err, e.log)
	}
	return string(text)
}

func TestRecords(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *engine) {
		e.run("first", run{}, red)
		e.has(read(e.report), heading)
		e.sends(opens, "body.md", "\n```\nfirst_record/ws_larkspur01/")
		accepted := e.accepted("Line one,\n100%{sic} \"sure\"")
		e.run("another branch", run{event: branch, accepted: accepted}, skipped)
		e.run("accepted", run{event: manual, accepted: accepted}, green)
		e.sends(closes, "body.md", heading)
		if !strings.Contains(string(e.backend.state), `"Line one,\n100%{sic} \"sure\""`) {
			t.Error("the state does not contain the reason")
		}
		e.run("unchanged", run{}, skipped)
		e.has(read(e.report), heading)
		e.serve(movedDomain...)
		e.run("red", run{}, red)
		e.sends(opens, "body.md", "\n```\naccess_changed/agt_trade/")
		e.run("red twice", run{}, red)
		e.sends(edits, "body.md", "\n```\naccess_changed/agt_trade/")
		e.serve(movedMore...)
		e.run("grown", run{}, red)
		e.has(read(e.report), heading)
		e.sends(adds+edits, "comment.md", "New errors:\n```\naccess_changed/agt_orders/")

		e.respond(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
		e.run("service down", run{}, red, "Error: Unable to read")
		e.sends(adds+edits, "body.md", "\n```\nThe audit failed. The log has the error.\n```\n")
		e.has(read(e.report), "The audit failed. The log has the error.\n")
	})
}

// A pull request has one comment of the audit. Those of forks have no secrets.
func TestPullRequests(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *engine) {
		e.record()
		e.serve(movedDomain...)
		e.run("pull request", run{event: pull}, red, "access_changed/agt_trade/")
		e.has(read(e.report), heading)
		e.sends("gh api --silent repos/o/r/issues/7/comments -F body=@body.md\n", "body.md", "\n```\naccess_changed/agt_trade/")
		finish, _ := e.start(run{event: fork})
		_ = finish() // It is an error for gitlab-ci-local that there is no job.
		if strings.Contains(e.log, "Terraform") {
			t.Errorf("a fork is audited:\n%s", e.log)
		}
		if e.store == "" {
			return
		}
		e.run("Dependabot", run{event: pull, actor: "dependabot[bot]"}, skipped)
		e.sends("", "body.md", "")
		e.write(e.store+"/comments.json", `[{"id": 40, "user": {"type": "Bot"}, "body": "<!-- convo-audit-shop -->\n"},
			{"id": 41, "user": {"type": "User"}, "body": "<!-- convo-audit -->\n"},
			{"id": 42, "user": {"type": "Bot"}, "body": "<!-- convo-audit -->\n"}]`)
		e.run("pull request, again", run{event: pull}, red)
		e.sends("gh api --silent --method PATCH repos/o/r/issues/comments/42 -F body=@body.md\n", "body.md", heading)
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		run
		before, after string // a change of main.tf
		log, sent     string
	}{
		"deferred": {
			before: `data "convo_workspace_audit" "this" {`,
			after: "resource \"terraform_data\" \"later\" {\n  triggers_replace = timestamp()\n}\n\n" +
				"data \"convo_workspace_audit\" \"this\" {\n  depends_on = [terraform_data.later]",
			log: "The report has errors, or the precondition of the output passed is missing or unknown.", sent: opens,
		},
		"no CLI":     {run: run{with: "cli: no-such-cli"}, log: "The program no-such-cli is not installed."},
		"broken CLI": {run: run{with: "cli: broken-cli"}, log: "The program broken-cli cannot be run."},
		"no JSON":    {run: run{event: manual, accepted: `{"KEY" = "REASON"}`}, log: "The accepted findings are not a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engines(t, func(_ *testing.T, e *engine) {
				e.edit("main.tf", test.before, test.after)
				e.run(name, test.run, red, test.log)
				e.sends(test.sent, "", "")
			})
		})
	}
}

// Only the lock file selects a build. An error that is not about findings is an error in a run that
// does not record, too, and the report says if nothing takes the keys.
func TestConfigurations(t *testing.T) {
	t.Parallel()
	engines(t, func(_ *testing.T, e *engine) {
		e.write(".terraform.lock.hcl", "")
		e.run("lock file", run{event: branch}, red, "Provider dependency changes detected")
		e.write(".terraform.lock.hcl", e.cli.lock)
		e.record()
		e.run("unchanged", run{event: branch}, skipped)
		e.edit("main.tf", "accepted = var.accepted", "accepted = {}")
		e.edit("main.tf", `variable "accepted" {`, `variable "unused" {`)
		e.run("no variable", run{event: branch, accepted: `{"KEY": "REASON"}`}, skipped)
		e.has(read(e.report), "**The accepted findings have no effect, because the configuration has no variable `accepted`.**\n\n"+heading)
		e.edit("main.tf", `output "report" {`, "output \"other\" {\n  value = 1\n  precondition {\n    condition     = length(var.unused) > 0\n"+
			"    error_message = \"Another error.\"\n  }\n}\n\noutput \"report\" {")
		e.run("another error", run{event: branch}, red, "Another error.")
	})
}

// What publishing requires is checked first, if the run publishes.
func TestNoGH(t *testing.T) {
	t.Parallel()
	e := newAct(t)
	e.record()
	e.path = without(t, "gh")
	_ = os.Remove(e.bin + "/gh")
	e.run("scheduled", run{}, red, "The program gh is not installed. Install it, or set issue to false.")
	e.run("branch", run{event: branch}, skipped)
	e.run("without issues", run{with: `issue: "false"`}, skipped)
}

// An audit that is out of time fails, and is not canceled, so that the action opens an issue.
func TestTimeout(t *testing.T) {
	t.Parallel()
	e := newAct(t)
	e.record()
	e.respond(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	e.run("slow", run{with: "timeout-minutes: 0.2"}, red, "timeout: sending signal INT to command", "Interrupt received.")
	e.sends(opens, "body.md", "\n```\nThe audit failed. The log has the error.\n```\n")
}

// The outputs let other steps notify of each failure, also of an early one, and a second audit of the
// job does not remove the files of the first.
func TestOutputs(t *testing.T) {
	t.Parallel()
	e := newAct(t)
	const uses = "uses: convo/terraform-provider-convo/.github/actions/audit@v0.1.0\n"
	e.edit(".github/workflows/audit.yml", uses, "id: audit\n        "+uses)
	workflow := read(e.dir + "/.github/workflows/audit.yml")
	e.write(".github/workflows/audit.yml", workflow+
		"      - if: ${{ !cancelled() }}\n        "+uses+"        with: { name: second, record: false, issue: false }\n"+
		`        env: { CONVO_BASE_URL: "${{ vars.CONVO_BASE_URL }}", CONVO_TOKEN: "${{ secrets.CONVO_TOKEN }}" }`+"\n"+`
      - if: "${{ !cancelled() }}"
        env: { PASSED: "${{ steps.audit.outputs.passed }}", KEYS: "${{ steps.audit.outputs.keys }}", REPORT: "${{ steps.audit.outputs.report }}" }
        run: |
          echo "$PASSED, keys: $(wc -l < "$KEYS" || echo 0)" > "$STORE/outputs"
          cp "$REPORT" "$STORE/published.md"
`)
	for _, test := range []struct {
		situation string
		run
		want            result
		outputs, report string
	}{
		{"red", run{}, red, "false, keys: 1\n", heading},
		{"green", run{event: manual}, green, "true, keys: 0\n", heading},
		{"early", run{with: "cli: no-such-cli"}, red, "false, keys: 0\n", "The audit failed. The log has the error.\n"},
		// There is no file with keys. The earlier report remains.
		{"earliest", run{with: "name: not a name"}, red, "false, keys: 0\n", "The audit failed. The log has the error.\n"},
	} {
		if test.event == manual {
			test.accepted = e.accepted("Compared")
		}
		test.tokens = []string{"CONVO_TOKEN=" + devserver.TokenWrite}
		e.run(test.situation, test.run, test.want)
		e.has(read(e.store+"/outputs"), test.outputs)
		e.has(read(e.store+"/published.md"), test.report)
	}
}

// The guide's commands for other systems write the report, and record only what is accepted.
func TestOtherSystems(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	_, guide, _ := strings.Cut(read(root+"/docs/guides/audit-in-ci.md"), "## Other Systems\n")
	_, guide, _ = strings.Cut(guide, "```shell\n")
	commands, _, _ := strings.Cut(guide, "```")
	commands = "export CONVO_BASE_URL=" + e.base + " CONVO_TOKEN=" + devserver.TokenWrite + "\n" + commands
	for _, want := range []result{red, green, skipped} {
		command, log := e.command("sh", "-e", "-c", commands)
		err := command.Run()
		e.log = log.String()
		_, recorded := e.backend.status()
		if got := (result{err == nil, recorded}); got != want {
			t.Errorf("%+v, want %+v\n%s", got, want, e.log)
		}
		e.has(read(e.dir+"/report.md"), heading)
		if want == red {
			commands = "export TF_VAR_accepted='" + e.accepted("Compared") + "'\n" + commands
		}
	}
}

// What Terraform prints is not executed. What cannot be sent changes no result, and flags
// for all commands do not reach show.
func TestSurroundings(t *testing.T) {
	t.Parallel()
	engines(t, func(_ *testing.T, e *engine) {
		e.edit("main.tf", `length(local.report.warnings) == 0`, `length(local.report.warnings) < 0`)
		e.edit("main.tf", `nonsensitive(join("\n\n", local.report.warnings))`, `"::warning::executed"`)
		e.record()
		e.write("common.tfvars", "")
		e.write("no-artifacts", "")
		e.write(e.store+"/disabled", "")
		e.serve(newRevision...)
		e.run("green", run{flags: "-var-file=common.tfvars"}, green, "::warning::executed", "Apply complete!")
		if e.store != "" {
			e.has(e.log, "⚙  ::warning::executed", "Failure - Main Upload", "This command failed: gh issue list")
			e.run("long name", run{with: "name: " + strings.Repeat("n", 51)}, red, "The name is not 1 to 50 letters, digits, and hyphens.")
		}
	})
}

// The state stays usable if a run is canceled during its plan or its apply.
func TestCanceled(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *engine) {
		e.record()
		reads := make(chan struct{})
		begun := sync.OnceFunc(func() { close(reads) })
		e.respond(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			begun()
			<-r.Context().Done()
		}))
		finish, pid := e.start(run{})
		<-reads
		if locked, _ := e.backend.status(); !locked {
			t.Error("the state is not locked during the plan")
		}
		cancel(pid, e.store == "")
		_ = finish()
		e.has(e.log, "Interrupt received.")

		e.serve(newRevision...)
		writes, canceled := make(chan struct{}), make(chan struct{})
		e.backend.writing = sync.OnceFunc(func() {
			close(writes)
			<-canceled
		})
		finish, pid = e.start(run{})
		<-writes
		cancel(pid, e.store == "")
		close(canceled)
		if !finish().records {
			t.Errorf("what was being recorded is lost:\n%s", e.log)
		}
		e.run("next", run{}, skipped, "No changes.")
	})
}

// cancel signals the children of a process, as GitHub's runner does, or with all, also
// their children, as GitLab's runner does.
func cancel(pid int, all bool) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		for _, text := range strings.Fields(read(task)) {
			child, _ := strconv.Atoi(text)
			if all {
				cancel(child, all)
			}
			_ = syscall.Kill(child, syscall.SIGINT)
		}
	}
}

// The jobs of the example audit two workspaces. Without a backend, each run begins a new
// record. Defaults of the project do not reach them.
func TestWorkspaces(t *testing.T) {
	t.Parallel()
	const defaults = "default:\n  before_script: [no-such-program]\n  cache: { paths: [node_modules] }\n"
	engines(t, func(_ *testing.T, e *engine) {
		larkspur := read(example + "main.tf")
		e.write("larkspur/main.tf", larkspur)
		e.write("larkspur/.terraform.lock.hcl", e.cli.lock)
		e.write("tidepool/main.tf", strings.Replace(larkspur, "ws_larkspur01", "ws_tidepool02", 1))
		e.write("tidepool/.terraform.lock.hcl", e.cli.lock)
		e.write(".github/workflows/audit.yml", read(several+"audit.yml"))
		e.write(".gitlab-ci.yml", remote.ReplaceAllString(defaults+read(several+".gitlab-ci.yml"), "local: .gitlab/audit.yml"))

		tokens := []string{"CONVO_TOKEN_LARKSPUR=" + devserver.TokenWrite, "CONVO_TOKEN_TIDEPOOL=dev-token-tidepool"}
		e.run("first", run{tokens: tokens}, red, "first_record/ws_larkspur01", "first_record/ws_tidepool02")
		accepted := run{event: manual, accepted: e.accepted("Compared"), tokens: tokens}
		e.run("accepted", accepted, skipped, "Apply complete!")
		e.run("next", run{tokens: tokens}, red, "first_record/ws_larkspur01")
		if e.store != "" {
			e.has(read(e.store+"/audit-larkspur.json"), "first_record/ws_larkspur01")
			e.has(read(e.store+"/audit-tidepool.json"), "first_record/ws_tidepool02")
		}
	})
}
