// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
	"github.com/convo/terraform-provider-convo/internal/pacing"
)

// target is the object of an operation, for messages and advice.
type target struct {
	// noun completes the summary, as in "Unable to read agent statistics".
	noun string
	// kind and id name the object, such as agent "agt_1"; both are empty for an
	// operation without an ID. attribute is the argument that holds the ID.
	kind, id, attribute string
	// action is what the token's user may not be permitted to do: "read".
	action string
	// badRequest and notFound are additional advice after a 400 and a 404.
	badRequest, notFound string
	// uncertain is the warning about the unknown effect of a failed update; "" for
	// a read.
	uncertain string
}

func workspaceTarget(noun, workspaceID string) target {
	return target{noun: noun, kind: "workspace", id: workspaceID, attribute: "workspace_id", action: "read"}
}

func agentTarget(noun, agentID string) target {
	return target{noun: noun, kind: "agent", id: agentID, attribute: "agent_id", action: "read"}
}

// String names the target in a sentence: agent "agt_1".
func (t target) String() string {
	if t.id == "" {
		return "the " + t.noun
	}
	return fmt.Sprintf("%s %q", t.kind, t.id)
}

// explanation is the content of a diagnostic: what happened, to which request,
// and what to do.
type explanation struct {
	text           string
	url, requestID string
	// advice are paragraphs. Empty ones are omitted.
	advice []string
	// atID reports that the argument with the ID is the cause.
	atID bool
}

// readError turns an error of a read into a diagnostic.
func (d *providerData) readError(t target, err error) diag.Diagnostic {
	return d.diagnostic("Unable to read "+t.noun, t, err)
}

// diagnostic turns an error of an operation into a diagnostic.
func (d *providerData) diagnostic(summary string, t target, err error) diag.Diagnostic {
	e := d.explain(t, err)
	parts := []string{e.text}
	if e.url != "" {
		request := fmt.Sprintf("URL: %s (base URL from %s)", e.url, d.baseURLSource)
		if e.requestID != "" {
			request += "\nRequest ID: " + e.requestID
		}
		parts = append(parts, request)
	}
	for _, advice := range e.advice {
		if advice != "" {
			parts = append(parts, advice)
		}
	}
	detail := strings.Join(parts, "\n\n")
	if e.atID && t.attribute != "" {
		return diag.NewAttributeErrorDiagnostic(path.Root(t.attribute), summary, detail)
	}
	return diag.NewErrorDiagnostic(summary, detail)
}

// explain determines the cause of an error. An unknown error is a fault of the
// provider.
func (d *providerData) explain(t target, err error) explanation {
	var (
		invalid   *invalidResponseError
		response  *convo.ResponseError
		transport *convo.TransportError
		id        *convo.IDError
	)
	switch {
	case errors.As(err, &invalid):
		return t.explainInvalid(invalid)
	case errors.As(err, &response):
		e := explanation{
			text: t.describe(response), url: response.URL, requestID: response.RequestID, advice: d.adviceForResponse(t, response),
			// Without a code, the response may come from something other than the
			// service.
			atID: response.Status == http.StatusNotFound && response.Code != "",
		}
		if errors.Is(err, context.Canceled) {
			e.text += "\n\nThe run was canceled before the request was retried."
		}
		return e
	case errors.As(err, &transport):
		reason := transport.Err.Error()
		if transport.Reason == convo.ReasonCanceled {
			reason = "the run was canceled"
		}
		e := explanation{
			text: fmt.Sprintf("The request for %s failed%s: %s.", t, attempts(transport.Attempts), reason),
			url:  transport.URL, advice: []string{transportAdvice[transport.Reason]},
		}
		if !transport.NotSent {
			e.advice = append([]string{t.uncertain}, e.advice...)
		}
		return e
	case errors.As(err, &id):
		return explanation{text: fmt.Sprintf("The ID of the %s %s.", t.kind, id), atID: true}
	case errors.Is(err, context.Canceled):
		return explanation{text: "The run was canceled.", advice: []string{t.uncertain}}
	}
	return explanation{text: adviceReportFault + err.Error() + "."}
}

// explainInvalid explains a 200 that does not conform to the API. The effect of
// an update remains uncertain, whatever the response contains.
func (t target) explainInvalid(e *invalidResponseError) explanation {
	p := explanation{url: e.content.URL, requestID: e.content.RequestID, advice: []string{t.uncertain, adviceInvalidResponse}}
	var syntax *jsonvalue.SyntaxError
	switch {
	case e.content.Code != "" && e.content.Message != "":
		p.text = fmt.Sprintf("The service returned 200 OK for %s, but the response contains an error: %s (%s).",
			t, strings.TrimSuffix(e.content.Message, "."), e.content.Code)
	case errors.As(e, &syntax) && syntax.Ended && syntax.Offset > 0:
		p.text = fmt.Sprintf("The service returned 200 OK for %s, but the response is cut off: %s.", t, syntax)
		p.advice[1] = t.adviceLater(adviceTryAgain)
	case errors.As(e, &syntax):
		p.text = fmt.Sprintf("The service returned 200 OK for %s, but the response is not valid JSON: %s.", t, syntax)
		if e.content.Excerpt != "" {
			p.text += fmt.Sprintf(" It begins with %q.", e.content.Excerpt)
		}
		p.advice[1] = adviceNotTheService
	default:
		p.text = fmt.Sprintf("The service returned 200 OK for %s, but the response does not match the documented API:\n%s",
			t, bullets(strings.Split(e.Error(), "\n")))
	}
	return p
}

// describe describes the response, with the service's message if there is one.
func (t target) describe(e *convo.ResponseError) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The service returned %s for %s%s", e.StatusText(), t, attempts(e.Attempts))
	switch {
	case e.Code != "" && e.Message != "":
		fmt.Fprintf(&b, ": %s (%s).", strings.TrimSuffix(e.Message, "."), e.Code)
	case e.Message != "" && e.Status < http.StatusMultipleChoices:
		fmt.Fprintf(&b, ", with the message %q.", e.Message)
	case e.Code != "" || e.Message != "":
		fmt.Fprintf(&b, ": %s.", strings.TrimSuffix(e.Code+e.Message, "."))
	case e.Excerpt != "":
		fmt.Fprintf(&b, ". The response body is not an error in the service's format. It begins with %q.", e.Excerpt)
	case e.Status < http.StatusMultipleChoices:
		b.WriteString(".")
	default:
		b.WriteString(" and gave no reason.")
	}
	if e.RetryAfter > pacing.LongestWait {
		fmt.Fprintf(&b, " The service requires a wait of %s before a retry, which is longer than the provider waits.", e.RetryAfter)
	}
	if len(e.Issues) > 0 {
		b.WriteString("\n" + bullets(e.Issues))
	}
	return b.String()
}

func attempts(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d attempts)", n)
}

func bullets(lines []string) string { return "  - " + strings.Join(lines, "\n  - ") }

// firstOf returns the first n texts, and one with the number of the others.
func firstOf(texts []string, n int) []string {
	if more := len(texts) - n; more > 0 {
		return append(slices.Clone(texts[:n]), fmt.Sprintf("and %d more", more))
	}
	return texts
}

const (
	adviceReportFault     = "This is a fault of the provider. Please report it: "
	adviceInvalidResponse = "Report this to the service's operators or, if the API has changed, to the provider's maintainers."
	adviceArguments       = "Correct the arguments that the service's message above rejects."
	adviceBaseURL         = "base_url is the base URL of the API, such as https://agents.example/api, without /v1."
	adviceNotTheService   = "The response may come from something other than the service, such as a proxy or a login page. " +
		"Check that " + adviceBaseURL
	adviceServiceFailed = "The service, or a gateway in front of it, failed. "
	adviceTryAgain      = "Try again. "
	adviceTryLater      = "Try again later. "
	advicePersists      = "If the error persists, report it to the service's operators."
)

// adviceLater returns the advice for an error that may be temporary. After an
// update that may have taken effect, trying again is not the next step.
func (t target) adviceLater(retry string) string {
	if t.uncertain != "" {
		retry = ""
	}
	return retry + advicePersists
}

// adviceForResponse returns the next step after a response with a status other
// than 200.
func (d *providerData) adviceForResponse(t target, e *convo.ResponseError) []string {
	service := e.Code != ""
	switch {
	case e.Status == http.StatusBadRequest && service:
		return []string{cmp.Or(t.badRequest, adviceArguments)}
	case e.Status == http.StatusUnauthorized && !service:
		return []string{fmt.Sprintf("The response may come from a proxy or gateway instead of the service. Check that base_url is correct, "+
			"and that the token that is set in %s is valid.", d.tokenSource)}
	case e.Status == http.StatusUnauthorized:
		return []string{fmt.Sprintf("The token that is set in %s may be invalid or expired, or its user may not have permission to %s %s. "+
			"Check the token, or use another one.", d.tokenSource, t.action, t)}
	case e.Status == http.StatusForbidden && !service:
		return []string{"The response may come from a proxy or firewall instead of the service. Check that base_url is correct, and that this " +
			"machine has access to the service."}
	case e.Status == http.StatusForbidden:
		return []string{fmt.Sprintf("The token's user does not have permission to %s %s. Use another token, or request access.", t.action, t)}
	case e.Status == http.StatusNotFound && service && t.attribute != "":
		return []string{fmt.Sprintf("Check %s. The ID may be misspelled, the %s may no longer exist, or the token's user may not have "+
			"access to it. Some services also return 404 if the token is invalid. If every request returns 404, check the token that is "+
			"set in %s, and that %s", t.attribute, t.kind, d.tokenSource, adviceBaseURL), t.notFound}
	case e.Status == http.StatusNotFound && service:
		return []string{"The request contains no ID, so base_url is the likely cause. Check that " + adviceBaseURL}
	case e.Status == http.StatusTooManyRequests:
		return []string{"The service limits how often it accepts requests. Set max_requests_per_second in the provider block to a value " +
			"within that limit, or to a lower value if other clients share the limit. If you do not know the limit, try again later."}
	case e.Status >= http.StatusInternalServerError:
		return []string{t.uncertain, adviceServiceFailed + t.adviceLater(adviceTryLater)}
	case e.Status < http.StatusMultipleChoices:
		return []string{t.uncertain, "200 OK is the only success status that the API documents. " + adviceInvalidResponse}
	case !service:
		return []string{adviceNotTheService}
	}
	return []string{adviceArguments}
}

// transportAdvice is the next step if there is no complete response.
var transportAdvice = map[convo.Reason]string{
	convo.ReasonConnection: "Check base_url, your network connection, and your proxy settings (HTTPS_PROXY, NO_PROXY). Also check that the " +
		"service is running.",
	convo.ReasonTimeout: "The service is slow or unreachable. If it is only slow, raise request_timeout in the provider block.",
	convo.ReasonTLS: "Check the scheme, host, and port of base_url. If a CA of your own signed the service's certificate, set ca_certificate_pem " +
		"in the provider block to the CA certificate. If the service requires a client certificate, set client_certificate_pem and " +
		"client_key_pem. If the certificate has expired, the service's operators need to renew it, or this machine's clock is wrong. The " +
		"provider requires TLS 1.2 or later.",
	convo.ReasonProxy: "Check the proxy in the environment variable HTTPS_PROXY or HTTP_PROXY and its credentials, or exclude the service's " +
		"host from it with NO_PROXY.",
	convo.ReasonRejected: "Check that base_url is the URL of the service itself, with the correct scheme (https:// or http://), and that the token is " +
		"valid. Some gateways redirect requests without a valid token to a login page.",
}
