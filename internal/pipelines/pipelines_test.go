// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build engines

package pipelines_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
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
	several = root + "/examples/audit-several-workspaces/"
	heading = "# Audit of Larkspur Bicycles\n"
	cause   = "The audit failed. The log has the error.\n"

	opens  = "gh label create convo-audit --force\ngh issue create --title The audit failed (convo-audit) --label convo-audit --body-file body.md\n"
	edits  = "gh issue edit 3 --body-file body.md\n"
	adds   = "gh issue comment 3 --body-file comment.md\n"
	closes = "gh issue close 3 --comment The audit passed. [Open the run](https://github.com/o/r/actions/runs/1)\n"
)

// Changes of definitions. The first two are changes of access.
var (
	movedDomain = []string{`"domain": "trade.larkspur-bicycles.example"`, `"domain": "elsewhere.example"`}
	movedMore   = append([]string{`"domain": "chat.larkspur-bicycles.example"`, `"domain": "third.example"`}, movedDomain...)
	newRevision = []string{`"revision": "64"`, `"revision": "65"`}
)

// Events. Manual runs are those of the default branch, and branch is one of another.
const (
	schedule = "schedule"
	manual   = "manual"
	branch   = "branch"
	pull     = "pull"
	fork     = "fork"
)

// run is a run of a pipeline, by default a scheduled one with the right token.
type run struct {
	event, accepted, token, cli, flags, actor string
	workspaces                                []string // tokens of several workspaces
}

// tokens returns the variables with tokens.
func (r run) tokens() []string {
	switch {
	case r.workspaces != nil:
		return r.workspaces
	case r.token != "":
		return []string{"CONVO_TOKEN=" + r.token}
	}
	return []string{"CONVO_TOKEN=" + devserver.TokenWrite}
}

// result is what a run is meant to do.
type result struct{ passes, records bool }

var (
	red     = result{}
	skipped = result{passes: true}
	green   = result{passes: true, records: true}
)

// engine runs pipelines of a host.
type engine struct {
	*host
	store   string // the directory of act's artifacts and issues
	report  string // the path of the published report
	all     bool   // whether a signal reaches all processes of a job
	log     string // of the last run
	command func(r run) (*exec.Cmd, *bytes.Buffer)
}

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

func (e *engine) start(r run) (finish func() error, pid int) {
	e.t.Helper()
	if r.event == "" {
		r.event = schedule
	}
	_ = os.Remove(e.report)
	command, log := e.command(r)
	e.shell(`test -d .git || { git init -q -b main; git remote add origin https://github.com/o/r; }
		git add -Af .
		git -c user.name=test -c user.email=test@example.com commit --allow-empty -qm Audit`)
	if err := command.Start(); err != nil {
		e.t.Fatal(err)
	}
	return func() error {
		err := command.Wait()
		e.log = engineLog.ReplaceAllString(log.String(), "")
		if strings.Contains(e.log+readIfExists(e.t, e.report), devserver.TokenWrite) {
			e.t.Errorf("the token is in the log or the report:\n%s", e.log)
		}
		if e.backend.locked() {
			e.t.Errorf("the state is locked:\n%s", e.log)
		}
		return err
	}, command.Process.Pid
}

var engineLog = regexp.MustCompile(`(?m)^(?:\[[^]]+\] +[|] |\S+ +> )`)

// run requires the result of a run, and a text in its log.
func (e *engine) run(situation string, r run, want result, text string) {
	e.t.Helper()
	finish, _ := e.start(r)
	err := finish()
	if got := (result{err == nil, e.backend.changed()}); got != want {
		e.t.Errorf("%s: %+v, want %+v\n%s", situation, got, want, e.log)
	}
	e.has(text)
}

// has requires texts in the log of the last run.
func (e *engine) has(texts ...string) {
	e.t.Helper()
	for _, text := range texts {
		if !strings.Contains(e.log, text) {
			e.t.Errorf("the log does not contain %q:\n%s", text, e.log)
		}
	}
}

// reports requires how the report of the last run begins.
func (e *engine) reports(begin string) {
	e.t.Helper()
	if report := readIfExists(e.t, e.report); !strings.HasPrefix(report, begin) {
		e.t.Errorf("the report is %q\n%s", report, e.log)
	}
}

// sends requires what act's last run sent, and a text in a file that was sent.
func (e *engine) sends(want, file, text string) {
	e.t.Helper()
	if e.store == "" {
		return
	}
	sent := readIfExists(e.t, filepath.Join(e.store, "sent"))
	_ = os.Remove(filepath.Join(e.store, "sent"))
	if sent != want {
		e.t.Errorf("sent %q, want %q\n%s", sent, want, e.log)
	}
	if file == "" {
		return
	}
	if content := read(e.t, filepath.Join(e.store, file)); !strings.Contains(content, text) || strings.Contains(content, devserver.TokenWrite) {
		e.t.Errorf("%s is %q, and should contain %q", file, content, text)
	}
}

func readIfExists(t *testing.T, path string) string {
	t.Helper()
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return ""
	}
	return read(t, path)
}

var keys = regexp.MustCompile(`(?m)^((?:access_changed|first_record)/\S+/[a-z2-7]{24})`)

// accepted returns the keys of the last run as a JSON object with one reason.
func (e *engine) accepted(reason string) string {
	e.t.Helper()
	accepted := map[string]string{}
	for _, match := range keys.FindAllStringSubmatch(e.log, -1) {
		accepted[match[1]] = reason
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
		e.run("first", run{}, red, "first_record/ws_larkspur01/")
		e.reports(heading)
		e.sends(opens, "body.md", "\n```\nfirst_record/ws_larkspur01/")
		accepted := e.accepted("Line one,\n100%{sic} \"sure\"")
		e.attach()
		e.run("another branch", run{event: branch, accepted: accepted}, skipped, "")
		e.run("accepted", run{event: manual, accepted: accepted}, green, "")
		e.sends(closes, "body.md", heading)
		if !strings.Contains(string(e.backend.state), `"Line one,\n100%{sic} \"sure\""`) {
			t.Error("the state does not contain the reason")
		}
		e.run("unchanged", run{}, skipped, "")
		e.reports(heading)

		e.serve(movedDomain...)
		e.run("red", run{}, red, "access_changed/agt_trade/")
		e.sends(opens, "body.md", "\n```\naccess_changed/agt_trade/")
		e.run("red twice", run{}, red, "")
		e.sends(edits, "body.md", "\n```\naccess_changed/agt_trade/")
		e.serve(movedMore...)
		e.run("grown", run{}, red, "")
		e.reports(heading)
		e.sends(adds+edits, "comment.md", "New errors:\n```\naccess_changed/agt_returns/")

		e.run("pull request", run{event: pull}, red, "access_changed/agt_returns/")
		e.reports(heading)
		_ = os.Remove(filepath.Join(e.store, "sent"))
		if finish, _ := e.start(run{event: fork}); finish() != nil && e.store != "" || strings.Contains(e.log, "Terraform") {
			t.Errorf("the audit of a fork runs:\n%s", e.log)
		}
		e.sends("", "", "")

		e.respond(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
		e.run("service down", run{}, red, "Error: Unable to read")
		e.sends(adds+edits, "body.md", "\n```\n"+cause)
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	const unknown = "The report has errors, or the precondition of the output passed is missing or unknown."
	for name, test := range map[string]struct {
		run
		before, after string // a change of main.tf
		recorded      bool   // whether there is a record
		log, sent     string
	}{
		"wrong token": {run: run{token: "wrong"}, log: "401 Unauthorized", sent: opens},
		"no passed":   {before: `output "passed"`, after: `output "other"`, recorded: true, log: unknown, sent: opens},
		"deferred": {
			before: `data "convo_workspace_audit" "this" {`,
			after: "resource \"terraform_data\" \"later\" {\n  triggers_replace = timestamp()\n}\n\n" +
				"data \"convo_workspace_audit\" \"this\" {\n  depends_on = [terraform_data.later]",
			log: unknown, sent: opens,
		},
		"no CLI":      {run: run{cli: "no-such-cli"}, log: "The program no-such-cli is not installed."},
		"no JSON":     {run: run{event: manual, accepted: `{"KEY" = "REASON"}`}, log: "The accepted findings are not a JSON object"},
		"no reason":   {run: run{event: manual, accepted: `{"KEY": null}`}, log: "The accepted findings are not a JSON object"},
		"other flags": {run: run{flags: "-input=false"}, log: "first_record/", sent: opens},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engines(t, func(_ *testing.T, e *engine) {
				if test.token == "" {
					e.attach()
				}
				if test.recorded {
					e.record()
				}
				e.edit("main.tf", test.before, test.after)
				e.run(name, test.run, red, test.log)
				e.sends(test.sent, "", "")
			})
		})
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	engines(t, func(_ *testing.T, e *engine) {
		e.attach()
		e.record()
		e.write("common.tfvars", "")
		e.serve(newRevision...)
		e.run("flags for all commands", run{flags: "-var-file=common.tfvars"}, green, "Apply complete!")
	})
}

// The state stays usable if a run is canceled during its plan or its apply.
func TestCanceled(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *engine) {
		e.record()
		reads := e.hang()
		finish, pid := e.start(run{})
		<-reads
		if !e.backend.locked() {
			t.Error("the state is not locked during the plan")
		}
		signal(t, pid, e.all)
		_ = finish()
		e.has("Interrupt received.")

		e.serve(newRevision...)
		writes, signaled := make(chan struct{}), make(chan struct{})
		e.backend.writing = sync.OnceFunc(func() {
			close(writes)
			<-signaled
		})
		finish, pid = e.start(run{})
		<-writes
		signal(t, pid, e.all)
		close(signaled)
		_ = finish()
		if !e.backend.changed() {
			t.Errorf("what was being recorded is lost:\n%s", e.log)
		}
		e.run("next", run{}, skipped, "No changes.")
	})
}

// signal signals the children of a process, as GitHub's runner does, or with all, also
// their children, as GitLab's runner does.
func signal(t *testing.T, pid int, all bool) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		content, _ := os.ReadFile(stat)
		_, after, _ := strings.Cut(string(content), ") ")
		fields := strings.Fields(after)
		if len(fields) < 2 || fields[1] != strconv.Itoa(pid) {
			continue
		}
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		if err != nil {
			t.Fatal(err)
		}
		number := syscall.SIGINT
		if all {
			signal(t, child, all)
			number = syscall.SIGTERM
		}
		_ = syscall.Kill(child, number)
	}
}

// The jobs of the guide audit two workspaces. Without a backend, each run begins a new record.
func TestWorkspaces(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, e *engine) {
		e.workspaces()
		blocks := strings.Split(read(t, root+"/docs/guides/audit-several-workspaces.md"), "```yaml\n")
		head, _, _ := strings.Cut(read(t, example+"audit.yml"), "jobs:\n")
		jobs, _, _ := strings.Cut(blocks[1], "```")
		e.write(".github/workflows/audit.yml", head+jobs)
		head, _, _ = strings.Cut(read(t, example+".gitlab-ci.yml"), "audit:\n")
		jobs, _, _ = strings.Cut(blocks[2], "```")
		e.pipeline(head + jobs)

		tokens := []string{"CONVO_TOKEN_LARKSPUR=" + devserver.TokenWrite, "CONVO_TOKEN_TIDEPOOL=dev-token-tidepool"}
		e.run("first", run{workspaces: tokens}, red, "first_record/ws_larkspur01")
		e.has("first_record/ws_tidepool02")
		sent := readIfExists(t, filepath.Join(e.store, "sent"))
		e.run("accepted", run{event: manual, accepted: e.accepted("Compared"), workspaces: tokens}, skipped, "Apply complete!")
		e.run("next", run{workspaces: tokens}, red, "first_record/ws_larkspur01")
		if e.store == "" {
			return
		}
		for workspace, heading := range map[string]string{"larkspur": heading, "tidepool": "# Audit of Tidepool"} {
			if report := read(t, filepath.Join(e.store, "audit-"+workspace, "report.md")); !strings.HasPrefix(report, heading) {
				t.Errorf("the artifact of %s is %q", workspace, report)
			}
			if want := "--title The audit failed (audit-" + workspace + ") --label audit-" + workspace; !strings.Contains(sent, want) {
				t.Errorf("sent %q, which does not contain %q", sent, want)
			}
		}
	})
}
