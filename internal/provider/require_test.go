// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// errorsIn returns the diagnostics that are errors.
func errorsIn(diagnostics []*tfprotov6.Diagnostic) []*tfprotov6.Diagnostic {
	var errors []*tfprotov6.Diagnostic
	for _, d := range diagnostics {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			errors = append(errors, d)
		}
	}
	return errors
}

func requireNoErrors(t testing.TB, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	for _, d := range errorsIn(diagnostics) {
		t.Fatalf("unexpected error: %s", describe(d))
	}
}

// requireError requires exactly one diagnostic, an error that contains all the
// texts, and returns it.
func requireError(t testing.TB, diagnostics []*tfprotov6.Diagnostic, texts ...string) *tfprotov6.Diagnostic {
	t.Helper()
	return requireOne(t, tfprotov6.DiagnosticSeverityError, diagnostics, texts)
}

// requireWarning requires exactly one diagnostic, a warning that contains all the
// texts.
func requireWarning(t testing.TB, diagnostics []*tfprotov6.Diagnostic, texts ...string) {
	t.Helper()
	requireOne(t, tfprotov6.DiagnosticSeverityWarning, diagnostics, texts)
}

func requireOne(t testing.TB, severity tfprotov6.DiagnosticSeverity, diagnostics []*tfprotov6.Diagnostic, texts []string) *tfprotov6.Diagnostic {
	t.Helper()
	if len(diagnostics) != 1 || diagnostics[0].Severity != severity {
		t.Fatalf("want exactly one diagnostic with the severity %s, got:\n%s", severity, shown(diagnostics))
	}
	got := describe(diagnostics[0])
	for _, text := range texts {
		if !strings.Contains(got, text) {
			t.Errorf("the diagnostic does not contain %q:\n%s", text, got)
		}
	}
	// Words that no user should read.
	for _, noise := range []string{"invalid character", "cannot unmarshal", "%!", "goroutine", devserver.TokenWrite} {
		if strings.Contains(got, noise) {
			t.Errorf("the diagnostic contains %q:\n%s", noise, got)
		}
	}
	return diagnostics[0]
}

// requireNone requires that there are neither errors nor warnings.
func requireNone(t testing.TB, diagnostics []*tfprotov6.Diagnostic) {
	t.Helper()
	for _, d := range diagnostics {
		t.Errorf("unexpected diagnostic: %s", describe(d))
	}
}

// shown writes diagnostics for a failed test.
func shown(diagnostics []*tfprotov6.Diagnostic) string {
	text := ""
	for _, d := range diagnostics {
		text += fmt.Sprintf("%s: %s\n", d.Severity, describe(d))
	}
	return text
}

// describe writes a diagnostic with its attribute.
func describe(d *tfprotov6.Diagnostic) string {
	attribute := ""
	if d.Attribute != nil {
		attribute = d.Attribute.String()
	}
	return fmt.Sprintf("[%s] %s\n%s", attribute, d.Summary, d.Detail)
}

// requireAttributes requires the values of attributes in a state.
func requireAttributes(t testing.TB, state, want object) {
	t.Helper()
	got := object{}
	for name := range want {
		got[name] = state[name]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected attributes (-want +got):\n%s", diff)
	}
}

// known expects a value that consists of Go values, as above, or of checks.
func known(value any) knownvalue.Check {
	switch value := value.(type) {
	case knownvalue.Check:
		return value
	case string:
		return knownvalue.StringExact(value)
	case bool:
		return knownvalue.Bool(value)
	case number:
		float, _, _ := big.ParseFloat(string(value), 10, 512, big.ToNearestEven)
		return knownvalue.NumberExact(float)
	case list:
		elements := []knownvalue.Check{}
		for _, element := range value {
			elements = append(elements, known(element))
		}
		return knownvalue.ListExact(elements)
	case object:
		attributes := map[string]knownvalue.Check{}
		for name, attribute := range value {
			attributes[name] = known(attribute)
		}
		return knownvalue.ObjectExact(attributes)
	case nil:
		return knownvalue.Null()
	}
	panic(fmt.Sprintf("known has no check for %T", value))
}
