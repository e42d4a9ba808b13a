// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// subject is what an operation was about.
type subject struct {
	// noun is what cannot be done without, as in "Unable to read agent statistics".
	noun string
	// target and id name what it is about, such as agent "agt_1", where there
	// are several; attribute is where the id comes from.
	target, id, attribute string
	// invalid says what to check when the service finds the input invalid.
	invalid string
	// uncertain says what a failure leaves open; "" for a read, which leaves
	// nothing open.
	uncertain string
}

// String names the subject in a sentence: agent "agt_1".
func (s subject) String() string {
	if s.id == "" {
		return "the " + s.noun
	}
	return fmt.Sprintf("%s %q", s.target, s.id)
}

// failure turns an error of the client into the one diagnostic that a user
// sees: what could not be done, for which object, what the service said, and
// what to do next. The verb completes the sentence "Unable to".
func (s subject) failure(verb string, err error) diag.Diagnostic {
	var answer *convo.ResponseError
	var transport *convo.TransportError
	var wrong *answerError
	var fault *faultError
	switch {
	case errors.As(err, &wrong):
		return s.wrongAnswer(verb, wrong)
	case errors.As(err, &fault):
		return s.diagnostic(verb, "This is a fault of the provider, please report it: "+err.Error()+".", "", false)
	case errors.As(err, &answer):
		text := s.answered(answer)
		if errors.Is(err, context.Canceled) {
			text += "\n\nThe run was cancelled before the request was sent again."
		}
		// Without a code, something else than the service may not know the address.
		return s.diagnostic(verb, text, s.adviceFor(answer), answer.Status == http.StatusNotFound && answer.Code != "")
	case errors.As(err, &transport):
		return s.diagnostic(verb, s.unanswered(transport), joinAdvice(s.uncertain, adviceForTransport(transport)), false)
	}
	// What is left was refused before it was sent.
	return s.diagnostic(verb, fmt.Sprintf("The id of the %s %s.", s.target, err), "", true)
}

// wrongAnswer is the diagnostic for a 200 that breaks the interface.
func (s subject) wrongAnswer(verb string, e *answerError) diag.Diagnostic {
	var syntax *jsonvalue.SyntaxError
	switch {
	case e.said.Code != "" && e.said.Message != "":
		return s.diagnostic(verb, s.answered(e.said)+"\n\nA success must not be an error.",
			joinAdvice(s.uncertain, adviceWrongAnswer), false)
	case errors.As(e, &syntax) && syntax.Ended && syntax.Offset > 0:
		return s.diagnostic(verb, fmt.Sprintf("The service answered 200 OK for %s, but the answer is cut off: %s.", s, syntax),
			joinAdvice(s.uncertain, "Try again; if it stays, report it to the operators of the service."), false)
	case errors.As(e, &syntax):
		text := fmt.Sprintf("The service answered 200 OK for %s, but not with JSON: %s.", s, syntax)
		if e.said.Excerpt != "" {
			text += fmt.Sprintf(" The answer begins: %q.", e.said.Excerpt)
		}
		return s.diagnostic(verb, text, joinAdvice(s.uncertain, adviceNotTheService), false)
	}
	return s.diagnostic(verb, fmt.Sprintf("The service answered 200 OK for %s, but the answer is not as the interface "+
		"describes it:\n%s", s, bullets(strings.Split(e.Error(), "\n"))), joinAdvice(s.uncertain, adviceWrongAnswer), false)
}

func (s subject) diagnostic(verb, text, advice string, atAttribute bool) diag.Diagnostic {
	summary := fmt.Sprintf("Unable to %s %s", verb, s.noun)
	if advice != "" {
		text += "\n\n" + advice
	}
	if atAttribute && s.attribute != "" {
		return diag.NewAttributeErrorDiagnostic(path.Root(s.attribute), summary, text)
	}
	return diag.NewErrorDiagnostic(summary, text)
}

// answered says what the service answered, in its own words where it has any.
func (s subject) answered(e *convo.ResponseError) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The service answered %s for %s%s", e.StatusText(), s, attempts(e.Attempts))
	switch {
	case e.Code != "" && e.Message != "":
		fmt.Fprintf(&b, ": %s (%s).", strings.TrimSuffix(e.Message, "."), e.Code)
	case e.Code != "" || e.Message != "":
		fmt.Fprintf(&b, ": %s.", strings.TrimSuffix(e.Code+e.Message, "."))
	case e.Excerpt != "":
		fmt.Fprintf(&b, ". The body is not one of the service's own errors; it begins: %q.", e.Excerpt)
	default:
		b.WriteString(", without saying why.")
	}
	if len(e.Issues) > 0 {
		b.WriteString("\n" + bullets(e.Issues))
	}
	return b.String()
}

// unanswered says why there is no complete answer.
func (s subject) unanswered(e *convo.TransportError) string {
	reason := e.Err.Error()
	if e.Reason == convo.ReasonCancelled {
		reason = "the run was cancelled"
	}
	return fmt.Sprintf("There is no answer of the service for %s%s: %s.", s, attempts(e.Attempts), reason)
}

func attempts(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" after %d attempts", n)
}

func bullets(lines []string) string { return "  - " + strings.Join(lines, "\n  - ") }

const (
	adviceWrongAnswer = "Nothing was guessed in its place. Please report this to the operators of the service, or, " +
		"if the interface has changed, to the provider."
	adviceArguments     = "Check the arguments against what the service says of them."
	adviceNotTheService = "Something other than the service may have answered, such as a proxy or a login page. " +
		"Check that base_url is the address that ends in the API prefix."
)

// joinAdvice puts two pieces of advice together, of which the first may be empty.
func joinAdvice(first, second string) string {
	return strings.TrimSpace(first + " " + second)
}

// adviceFor says what to do next about an answer.
func (s subject) adviceFor(e *convo.ResponseError) string {
	switch {
	case e.Status == http.StatusBadRequest && e.Code != "":
		return cmp.Or(s.invalid, adviceArguments)
	case e.Status == http.StatusUnauthorized:
		return "The provider's token is wrong or has expired. It comes from the token attribute of the provider or, " +
			"where that is not set, from the environment variable CONVO_TOKEN."
	case e.Status == http.StatusForbidden:
		return fmt.Sprintf("The user of the provider's token lacks access to %s. Use another token, or have access granted.", s)
	case e.Status == http.StatusNotFound && e.Code != "" && s.attribute != "":
		return fmt.Sprintf("Check %s: the id is misspelt, the %s no longer exists, or the user of the provider's token "+
			"cannot see it. If nothing at all is found, check that base_url ends in the API prefix.", s.attribute, s.target)
	case e.Status == http.StatusNotFound:
		return adviceNotTheService
	case e.Status == http.StatusTooManyRequests:
		return "The service limits how many requests it takes. Lower the provider's max_concurrent_requests, " +
			"or raise max_retries."
	case e.Status >= http.StatusInternalServerError:
		return joinAdvice(s.uncertain, "The service, or something in front of it, failed. Try again later; if it stays, "+
			"report it to the operators of the service.")
	case e.Status < http.StatusMultipleChoices:
		return joinAdvice(s.uncertain, "The interface has no other success than 200 OK. "+adviceWrongAnswer)
	case e.Code == "":
		return adviceNotTheService
	}
	return adviceArguments
}

// adviceForTransport says what to do next when there is no answer.
func adviceForTransport(e *convo.TransportError) string {
	switch e.Reason {
	case convo.ReasonCancelled:
		return ""
	case convo.ReasonTimeout:
		return "The service is slow or cannot be reached. Raise the provider's request_timeout if it is only slow."
	case convo.ReasonHostNotFound:
		return "The host of base_url cannot be found: check its spelling and your network."
	case convo.ReasonCertificate:
		return "The certificate of the server is not trusted for the host of base_url. If it is signed by your own " +
			"authority, set ca_certificate_pem."
	case convo.ReasonHandshake:
		return "The server refused the connection during the TLS handshake. If it asks for a client certificate, set " +
			"client_certificate_pem and client_key_pem to one that it accepts."
	case convo.ReasonNotTLS:
		return "The server does not speak TLS on this port: check the scheme and the port of base_url."
	case convo.ReasonRedirect:
		return "Check that base_url is the address of the service itself, with the right scheme, and that the token is valid: " +
			"some gateways redirect to a login page."
	case convo.ReasonTooLarge:
		return "Report this to the operators of the service: no answer of the interface should be that large."
	}
	return "Check base_url, your network and its proxies (HTTPS_PROXY, NO_PROXY), and that the service is up."
}
