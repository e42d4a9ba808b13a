// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package pipelines_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const auditHeading = "# Audit of Larkspur Bicycles\n"

// movedDomain is a change of access in the definition of the agent agt_trade.
var movedDomain = [2]string{`"domain": "trade.larkspur-bicycles.example"`, `"domain": "elsewhere.example"`}

// start starts the script. Later variables replace earlier ones.
func (h *host) start(variables ...string) (*exec.Cmd, func() result) {
	h.t.Helper()
	path, err := filepath.Abs(script)
	if err != nil {
		h.t.Fatal(err)
	}
	output := h.t.TempDir()
	variables = append([]string{
		"CONVO_BASE_URL=" + h.base, "CONVO_TOKEN=" + devserver.TokenWrite, "AUDIT_CLI=terraform", "AUDIT_RECORD=true", "AUDIT_OUTPUT=" + output,
	}, variables...)
	command, log := h.command(h.dir, variables, "sh", path)
	if err := command.Start(); err != nil {
		h.t.Fatal(err)
	}
	return command, func() result {
		h.t.Helper()
		err := command.Wait()
		h.log = log.String()
		if strings.Contains(h.log, devserver.TokenWrite) {
			h.t.Errorf("the token is in the log:\n%s", h.log)
		}
		outcome := strings.TrimSpace(readIfExists(h.t, filepath.Join(output, "outcome")))
		return result{h, outcome, readIfExists(h.t, filepath.Join(output, "report.md")), err == nil}
	}
}

func (h *host) audit(variables ...string) result {
	h.t.Helper()
	_, wait := h.start(variables...)
	return wait()
}

// recorded returns the state after the first audit, which is recorded once for all tests.
func recorded(t *testing.T) string {
	t.Helper()
	firstRecord.Do(func() {
		h := newHost(t)
		h.attach()
		h.audit(`AUDIT_ACCEPTED={"first_record": "The numbers are right."}`).is("green", "recorded", auditHeading)
		h.audit() // The report no longer shows what was accepted. Some CLIs apply this.
		firstRecord.state = read(t, filepath.Join(h.dir, "terraform.tfstate"))
	})
	if firstRecord.state == "" {
		t.Fatal("the first audit was not recorded")
	}
	return firstRecord.state
}

var firstRecord struct {
	sync.Once
	state string
}

func TestScriptAccepts(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	red := h.audit().is("red", "not recorded", auditHeading)
	red.has("first_record/ws_larkspur01/")
	h.attach()
	h.audit("AUDIT_ACCEPTED="+red.accepted("The numbers are right.")).is("green", "recorded", auditHeading)
	h.audit() // The report no longer shows what was accepted. Some CLIs apply this.
	h.written("tokens")
	h.audit().is("green", "not recorded", auditHeading)
	if diff := cmp.Diff([]string{"plan"}, h.written("tokens")); diff != "" {
		t.Errorf("unexpected commands with the token (-want +got):\n%s", diff)
	}
	h.serve(movedDomain[0], movedDomain[1])
	before := read(t, filepath.Join(h.dir, "terraform.tfstate"))
	for range 2 {
		red = h.audit().is("red", "not recorded", auditHeading)
	}
	if after := read(t, filepath.Join(h.dir, "terraform.tfstate")); after != before {
		t.Error("a red audit has changed the record")
	}
	// The value is JSON, also where HCL would be different.
	accepted := strings.ReplaceAll(red.accepted(`Moved from ${OLD}, 100%{sic}, "sure"`), "/", `\/`)
	h.audit("AUDIT_ACCEPTED="+accepted, "AUDIT_RECORD=false").is("green", "not recorded", auditHeading)
	h.write("terraform.tfvars", "accepted = {}\n")
	h.written("tokens")
	h.audit("AUDIT_ACCEPTED="+accepted).is("green", "recorded", auditHeading)
	if state := read(t, filepath.Join(h.dir, "terraform.tfstate")); !strings.Contains(state, `"Moved from ${OLD}, 100%{sic}, \"sure\""`) {
		t.Errorf("the state does not contain the reason:\n%s", state)
	}
	if diff := cmp.Diff([]string{"plan", "apply"}, h.written("tokens")); diff != "" {
		t.Errorf("unexpected commands with the token (-want +got):\n%s", diff)
	}
	// Without a value, that in the file applies.
	h.serve(movedDomain[0], `"domain": "third.example"`)
	h.write("terraform.tfvars", "accepted = "+h.audit().is("red", "not recorded", auditHeading).accepted("Moved"))
	h.audit("AUDIT_ACCEPTED= { }\n").is("green", "recorded", auditHeading)
}

// The recommended configuration for several workspaces has the audit in a module.
func TestScriptModule(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	const several = "../../examples/audit-several-workspaces/"
	h.write("audit/main.tf", read(t, several+"audit/main.tf"))
	h.write("main.tf", strings.Replace(read(t, several+"larkspur/main.tf"), `"../audit"`, `"./audit"`, 1))
	h.attach()
	red := h.audit().is("red", "not recorded", auditHeading)
	h.audit("AUDIT_ACCEPTED="+red.accepted("The numbers are right.")).is("green", "recorded", auditHeading)

	// A module that is deferred or red counts, also after one that has passed.
	const other = "\noutput \"passed\" {\n  value = true\n  precondition {\n    condition     = CONDITION\n    error_message = \"Not passed.\"\n  }\n}\n"
	h.write("main.tf", read(t, filepath.Join(h.dir, "main.tf"))+"\nmodule \"other\" {\n  source = \"./other\"\n}\n")
	for condition, outcome := range map[string]string{`terraform_data.later.id != ""`: "deferred", `var.number > 1`: "red"} {
		h.write("other/main.tf", "variable \"number\" {\n  default = 1\n}\n\nresource \"terraform_data\" \"later\" {}\n"+strings.Replace(other, "CONDITION", condition, 1))
		h.audit().is(outcome, "not recorded", "")
	}
}

func TestScriptInputs(t *testing.T) {
	t.Parallel()
	const failed = "# The audit failed\n\n## Errors\n\n    "
	for name, test := range map[string]struct{ variable, want string }{
		"no CLI":            {"AUDIT_CLI=no-such-cli", "The program no-such-cli is not installed.\n"},
		"no JSON":           {`AUDIT_ACCEPTED={"KEY" = "REASON"}`, "The accepted findings are not a JSON object of the form {\"KEY\": \"REASON\"}.\n"},
		"no object":         {`AUDIT_ACCEPTED=["KEY"]`, "The accepted findings are not a JSON object of the form {\"KEY\": \"REASON\"}.\n"},
		"no reason":         {`AUDIT_ACCEPTED={"KEY": null}`, "The accepted findings are not a JSON object of the form {\"KEY\": \"REASON\"}.\n"},
		"no assignment":     {"AUDIT_ENV=A=1\n\n# comment\n-----BEGIN hidden", "Line 4 of TF_ENV, followed by the output of setup, is not NAME=value. Write each variable on one line.\n"},
		"no name":           {"AUDIT_ENV=1A=hidden", "Line 1 of TF_ENV, followed by the output of setup, is not NAME=value. Write each variable on one line.\n"},
		"quotation mark":    {"AUDIT_ENV=A=1\nB=\"hidden\"", "The value in line 2 of TF_ENV, followed by the output of setup, begins with a quotation mark. Remove the quotation marks.\n"},
		"setup fails":       {"AUDIT_SETUP=echo A=hidden; false", "The commands of the input setup failed with exit status 1. The log has their messages.\n"},
		"setup without =":   {"AUDIT_SETUP=echo hidden", "Line 2 of TF_ENV, followed by the output of setup, is not NAME=value. Write each variable on one line.\n"},
		"setup with no var": {"AUDIT_SETUP=echo A=$MISSING", "The commands of the input setup failed with exit status"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			run := h.audit(test.variable).is("failed", "not recorded", failed+test.want)
			if strings.Contains(run.report+h.log, "hidden") {
				t.Errorf("a value is in the report or the log:\n%s\n%s", run.report, h.log)
			}
			if tokens := h.written("tokens"); len(tokens) > 0 {
				t.Errorf("the CLI ran: %q", tokens)
			}
		})
	}
}

// The environment reaches the CLI, and is masked in its errors.
func TestScriptEnvironment(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.program("fake-plan", `jq -nc '{type: "diagnostic", diagnostic: {severity: "error", summary: "a\rb\u001b[31m \(env.PASSWORD) \(env.ID) \(env.SHORT)", detail: ("\(env.CONVO_TOKEN)::error::" + "x" * 9000)}}'; exit 1`)
	run := h.audit("GITHUB_ACTIONS=true", "GITHUB_OUTPUT="+filepath.Join(h.bin, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(h.bin, "summary"),
		"AUDIT_SETUP=echo ID=from-setup", "AUDIT_ENV= # comment\r\nexport PASSWORD=\\p*[a] \"100%25\"\r\nSHORT=short")
	run.is("failed", "not recorded", "# The audit failed\n\n## Errors\n\n    Error: ab[31m *** *** short\n    \n    ***::error::xxx")
	if len(run.report) > 5000 {
		t.Errorf("the report has %d bytes", len(run.report))
	}
	masks, rest, _ := strings.Cut(h.log, "::stop-commands::")
	token, rest, _ := strings.Cut(rest, "\n")
	if want := "::add-mask::\\p*[a] \"100%2525\"\n::add-mask::from-setup\n"; masks != want || len(token) != 32 {
		t.Errorf("the log begins with %q, and commands are stopped with %q", masks, token)
	}
	_, annotation, _ := strings.Cut(rest, "\n::"+token+"::\n")
	if !strings.HasPrefix(annotation, "::error::Error: ab[31m *** *** short%0A%0A***::error::xxx") || strings.Count(annotation, "\n") != 1 {
		t.Errorf("the annotation is %q", annotation)
	}
	if diff := cmp.Diff([]string{"outcome=failed"}, h.written("output")); diff != "" {
		t.Errorf("unexpected outputs (-want +got):\n%s", diff)
	}
	if summary := strings.Join(h.written("summary"), "\n"); !strings.HasPrefix(summary, "# The audit failed\n## Errors") {
		t.Errorf("the summary is %q", summary)
	}
}

func TestScriptFailures(t *testing.T) {
	t.Parallel()
	const failed = "# The audit failed\n\n## Errors\n\n    "
	for name, test := range map[string]struct {
		before, after, variable string // a change of main.tf, and a variable
		outcome, report         string
		begin                   bool // whether there is a record
	}{
		"wrong token":   {variable: "CONVO_TOKEN=wrong", outcome: "failed", report: failed + "Error: Unable to read workspace\n      on main.tf line 20\n    \n    The service returned 401 Unauthorized"},
		"no report":     {before: `output "report"`, after: `output "other"`, outcome: "failed", report: failed + "The configuration has no output \"report\".\n"},
		"no passed":     {before: `output "passed"`, after: `output "other"`, outcome: "failed", report: failed + "The configuration has no output \"passed\" with a precondition.\n", begin: true},
		"syntax error":  {before: `output "passed"`, after: `output "passed`, outcome: "failed", report: failed + "Error: "},
		"other version": {before: `"~> 0.1.0"`, after: `"~> 0.2.0"`, outcome: "failed", report: failed + "Error: "},
		"deferred": {
			before:  `data "convo_workspace_audit" "this" {`,
			after:   "resource \"terraform_data\" \"later\" {\n  triggers_replace = timestamp()\n}\n\ndata \"convo_workspace_audit\" \"this\" {\n  depends_on = [terraform_data.later]",
			outcome: "deferred", report: "# The audit was deferred\n\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			if test.begin {
				h.write("terraform.tfstate", recorded(t))
			}
			if test.variable == "" {
				h.attach()
			}
			if test.before != "" {
				h.edit(test.before, test.after)
			}
			h.audit(test.variable).is(test.outcome, "not recorded", test.report)
		})
	}
}

// What the resource refuses to record is in the errors, and not only in the report.
func TestScriptRefusedApply(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.attach()
	h.write("terraform.tfstate", recorded(t))
	h.serve(movedDomain[0], movedDomain[1])
	h.edit("condition     = length(local.report.errors) == 0", "condition     = length(local.report.errors) >= 0")
	h.audit().is("failed", "not recorded", "# The audit failed\n\n## Errors\n\n    Error: Changes are not accepted\n").has("\n\n" + auditHeading)
}

// backend is an HTTP backend with locks.
type backend struct {
	mu          sync.Mutex
	state, lock []byte
	// locking and writing run before each lock and each write. The latter returns the status.
	locking func(*backend)
	writing func() int
}

// set changes the backend.
func (b *backend) set(change func(*backend)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(b)
}

// locked reports whether the state is locked.
func (b *backend) locked() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lock != nil
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Method == http.MethodPost && b.writing != nil {
		if status := b.writing(); status != http.StatusOK {
			w.WriteHeader(status)
			return
		}
	}
	switch {
	case r.Method == "LOCK" && b.lock != nil:
		w.WriteHeader(http.StatusLocked)
		_, _ = w.Write(b.lock)
	case r.Method == "LOCK":
		if b.locking != nil {
			b.locking(b)
		}
		b.lock = body
	case r.Method == "UNLOCK":
		b.lock = nil
	case r.Method == http.MethodPost:
		b.state = body
	case b.state == nil:
		w.WriteHeader(http.StatusNotFound)
	default:
		_, _ = w.Write(b.state)
	}
}

func (h *host) useBackend() *backend {
	h.t.Helper()
	b := &backend{}
	server := httptest.NewServer(b)
	h.t.Cleanup(server.Close)
	h.write("backend.tf", "terraform {\n  backend \"http\" {\n    address        = \""+server.URL+"\"\n    lock_address   = \""+server.URL+"\"\n"+
		"    unlock_address = \""+server.URL+"\"\n    retry_max      = 0\n  }\n}\n")
	return b
}

func TestScriptState(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.attach()
	b := h.useBackend()
	b.state = []byte(recorded(t))
	h.serve(`"revision": "64"`, `"revision": "65"`)

	// The log of the CLI does not hide the cause.
	b.set(func(b *backend) { b.lock = []byte(`{"ID": "somebody", "Who": "else"}`) })
	run := h.audit("AUDIT_ENV=TF_LOG=DEBUG").is("failed", "not recorded", "# The audit failed\n\n## Errors\n\n    Error: Error acquiring the state lock\n")
	if strings.Contains(run.report, "[DEBUG]") || !strings.Contains(h.log, "[DEBUG]") {
		t.Errorf("the report has the log, or the log is lost:\n%s", run.report)
	}
	// A run that records nothing does not wait for one that does.
	h.audit("AUDIT_RECORD=false").is("green", "not recorded", auditHeading)

	var before string
	locks := 0
	b.set(func(b *backend) {
		before, b.lock = string(b.state), nil
		b.locking = func(b *backend) {
			if locks++; locks == 2 { // The first is for the plan.
				b.state = regexp.MustCompile(`"serial": ?`).ReplaceAll(b.state, []byte(`"serial": 1`))
			}
		}
	})
	h.audit().is("failed", "not recorded", "# The audit failed\n\n## Errors\n\n    Error: Saved plan is stale\n")
	b.set(func(b *backend) {
		b.locking, b.state = nil, []byte(before)
		b.writing = func() int { return http.StatusInternalServerError }
	})
	h.audit().is("failed", "not recorded", "# The audit failed\n\n## Errors\n\n    Error: Failed to save state\n")
	b.set(func(b *backend) {
		if string(b.state) != before || b.lock != nil {
			t.Error("the record has changed, or is locked")
		}
		b.writing = nil
	})
	h.audit().is("green", "recorded", auditHeading)
}

// A host that cancels a run signals only the shell.
func TestScriptReleasesTheLock(t *testing.T) {
	t.Parallel()
	catchInterrupts(t)
	h := newHost(t)
	b := h.useBackend()
	b.state = []byte(recorded(t))
	h.serve(`"revision": "64"`, `"revision": "65"`)

	usual := *h.service.Load()
	reads := h.hang()
	command, wait := h.start()
	<-reads
	if !b.locked() {
		t.Error("the state is not locked during the plan")
	}
	signalShell(t, command)
	wait().is("canceled", "not recorded", "# The audit was canceled\n\nThe run was canceled")
	if b.locked() {
		t.Error("the state is still locked")
	}
	h.respond(usual)

	// What is being recorded is recorded.
	writes, signaled := make(chan struct{}), make(chan struct{})
	b.set(func(b *backend) {
		b.writing = func() int {
			close(writes)
			<-signaled
			return http.StatusOK
		}
	})
	command, wait = h.start()
	<-writes
	signalShell(t, command)
	close(signaled)
	run := wait()
	b.set(func(b *backend) { b.writing = nil })
	if b.locked() || run.outcome != "green" && run.outcome != "canceled" {
		t.Errorf("the state is still locked, or the audit is %s:\n%s", run.outcome, h.log)
	}
	if next := h.audit(); next.outcome != "green" {
		t.Errorf("the next audit is %s:\n%s", next.outcome, h.log)
	}
}

// catchInterrupts makes commands receive interrupts even if this process ignores them.
func catchInterrupts(t *testing.T) {
	t.Helper()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	t.Cleanup(func() { signal.Stop(interrupts) })
}

func signalShell(t *testing.T, command *exec.Cmd) {
	t.Helper()
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
}

// hang makes the service hang until the client ends the request, and returns a channel
// that is closed with the first request.
func (h *host) hang() <-chan struct{} {
	reads := make(chan struct{})
	var once sync.Once
	h.respond(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(reads) })
		<-r.Context().Done()
	}))
	return reads
}
