// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/oneline"
)

// operationMessages has what the errors and warnings of an operation say about its object.
type operationMessages struct {
	// noun completes the summary, as in "Unable to read agent statistics".
	noun string
	// kind and id name the object, such as agent "agt_1", which the argument
	// agent_id selects. Both are empty for an operation without an ID.
	kind, id string
	// unauthorized, forbidden and notFound are additional advice after a 401, a 403 and a 404.
	unauthorized, forbidden, notFound string
	// rejected is the advice if the service rejects the request with another status, or "".
	rejected string
	// otherHost is the advice if the service may not be the one at the base URL.
	otherHost string
	// uncertain is the warning about the unknown effect of a failed update; "" for
	// a read.
	uncertain string
}

func workspaceMessages(noun, workspaceID string) operationMessages {
	return operationMessages{
		noun: noun, kind: "workspace", id: workspaceID,
		notFound: "The name of a workspace is neither its ID nor its slug.",
	}
}

func agentMessages(noun, agentID string) operationMessages {
	return operationMessages{
		noun: noun, kind: "agent", id: agentID,
		notFound: "The data source convo_agents lists the IDs of agents, which are neither names nor public IDs. Some services return 404 for " +
			"the agents of a workspace that is past due or suspended.",
	}
}

// String names the object in a sentence: agent "agt_1".
func (m operationMessages) String() string {
	if m.id == "" {
		return "the " + m.noun
	}
	return fmt.Sprintf("%s %q", m.kind, m.id)
}

// readError turns an error of a read into a diagnostic.
func (m operationMessages) readError(err error) diag.Diagnostics {
	return diag.Diagnostics{m.diagnostic("Unable to read "+m.noun, err)}
}

// missingValues warns about required values that a response does not contain, if there are any.
func (m operationMessages) missingValues(names []string) (diags diag.Diagnostics) {
	if len(names) > 0 {
		diags.AddWarning("Documented fields are missing", fmt.Sprintf(
			"The service's response for %s does not contain these values, which the API documents as never null: %s. The corresponding attributes are null.",
			m, strings.Join(names, ", ")))
	}
	return diags
}

// incompleteList warns about a doubt that a list is complete, if there is one.
func (m operationMessages) incompleteList(doubt string) (diags diag.Diagnostics) {
	if doubt != "" {
		diags.AddWarning("The list of "+m.noun+" may be incomplete", doubt+
			"\n\nThe API does not document pagination, so the provider does not request further pages. Do not rely on this list being complete. "+
			"Report this to the provider's maintainers.")
	}
	return diags
}

// diagnostic turns an error of an operation into a diagnostic, which says what
// happened, to which request, and what to do.
func (m operationMessages) diagnostic(summary string, err error) diag.Diagnostic {
	e, ok := errors.AsType[*convo.Error](err)
	if !ok {
		return diag.NewErrorDiagnostic(summary, fmt.Sprintf("The request for %s was not sent: %s.", m, err))
	}
	request := "URL: " + e.URL
	if e.RequestID != "" {
		request += "\nRequest ID: " + e.RequestID
	}
	uncertain := m.uncertain
	if e.HadNoEffect {
		uncertain = ""
	}
	detail := append([]string{m.describe(e), request, uncertain}, m.advice(e)...) // paragraphs
	if e.Reason == convo.ReasonCanceled {
		detail = []string{fmt.Sprintf("The request for %s failed: the run was canceled.", m), uncertain}
	}
	detail = slices.DeleteFunc(detail, func(paragraph string) bool { return paragraph == "" })
	text := strings.Join(detail, "\n\n")
	if e.Reason == convo.ReasonRejected && e.Status == http.StatusNotFound && m.id != "" {
		return diag.NewAttributeErrorDiagnostic(path.Root(m.kind+"_id"), summary, text)
	}
	return diag.NewErrorDiagnostic(summary, text)
}

// describe says what happened, with the service's message if there is one.
func (m operationMessages) describe(e *convo.Error) string {
	if e.Status == 0 {
		return fmt.Sprintf("The request for %s failed%s: %s.", m, attempts(e.Attempts), e.Problem)
	}
	text := fmt.Sprintf("The service returned %s for %s%s", e.StatusText(), m, attempts(e.Attempts))
	switch {
	case e.Code != "" && e.Message != "":
		if e.Problem != "" {
			text += ", but the response contains an error"
		}
		text += fmt.Sprintf(": %s (%s).", strings.TrimSuffix(e.Message, "."), e.Code)
	case e.Reason == convo.ReasonRedirect:
		text += fmt.Sprintf(": %s.", e.Problem)
	case e.Problem != "":
		text += fmt.Sprintf(", but the response does not match the documented API: %s.", e.Problem)
	case e.Code != "" || e.Message != "": // Only one of them is set.
		text += fmt.Sprintf(": %s.", strings.TrimSuffix(e.Code+e.Message, "."))
	case e.Status < http.StatusMultipleChoices:
		text += "."
	default:
		text += ". The response is not an error in the service's format."
	}
	if e.Excerpt != "" {
		text += fmt.Sprintf(" The response begins with %q.", e.Excerpt)
	}
	if e.WaitTooLong() {
		text += fmt.Sprintf(" The service requires a wait of %s before a retry, which is longer than the provider waits.", e.RetryAfter.Round(time.Second))
	}
	if len(e.Issues) > 0 {
		text += "\n" + bullets(oneline.First(e.Issues, 20))
	}
	return text
}

func attempts(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d attempts)", n)
}

func bullets(lines []string) string { return "  - " + strings.Join(lines, "\n  - ") }

const (
	operators     = "to the service's operators or, if the API has changed, to the provider's maintainers."
	adviceBaseURL = "base_url is the API's base URL with its scheme and whole path, such as https://agents.example/api, and without /v1"
)

// nextSteps are those that the reason alone determines.
var nextSteps = map[convo.Reason]string{
	convo.ReasonConnection: "Check the scheme, host, and port of the base URL, which the base_url argument in the provider block or the environment variable " +
		"CONVO_BASE_URL sets. Also check your network connection, your proxy settings (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), and that the " +
		"service is running.",
	convo.ReasonTimeout: "The service is slow or unreachable. If it is only slow, raise request_timeout in the provider block, or the environment variable " +
		"CONVO_REQUEST_TIMEOUT.",
	convo.ReasonIncomplete: "Check whether a proxy or gateway between the provider and the service ends responses prematurely.",
	convo.ReasonProxy: "Check the proxy's URL in the environment variable HTTPS_PROXY or HTTP_PROXY: its scheme, host, port, user name, and password, whose " +
		"special characters must be percent-encoded. To connect without the proxy, add the service's host to NO_PROXY. If a private CA signed the " +
		"proxy's certificate, set ca_certificate_pem in the provider block.",
	convo.ReasonTLS: "Check the scheme, host, and port of base_url. If a private CA signed the service's certificate, set " +
		"ca_certificate_pem in the provider block to the CA certificate. If the service requires a client certificate, set " +
		"client_certificate_pem and client_key_pem. If the certificate has expired, the service's operators need to renew it, or this " +
		"machine's clock is wrong. The provider requires TLS 1.2 or later.",
	convo.ReasonServiceFailed: "The service, or a gateway in front of it, failed. If the error persists, report it to the service's operators.",
	convo.ReasonThrottled: "The service limits how often it accepts requests. Set max_requests_per_second in the provider block, or the environment " +
		"variable CONVO_MAX_REQUESTS_PER_SECOND, to a value within that limit, or to a lower value if other clients share the limit. If you do " +
		"not know the limit, try again later.",
	convo.ReasonRedirect: "Check that base_url is the URL of the service itself, with the correct scheme (https:// or http://) and path, and that the token is " +
		"valid. Some gateways redirect requests without a valid token to a login page.",
}

// advice returns the next steps.
func (m operationMessages) advice(e *convo.Error) []string {
	switch e.Reason {
	case convo.ReasonNotTheService:
		last := m.otherHost
		if e.Status == http.StatusOK {
			last = "If these are correct, report this " + operators
		}
		return []string{fmt.Sprintf("The response may come from something other than the service, such as a proxy, a firewall, or a login page. "+
			"Check that "+adviceBaseURL+". Also check this machine's access to the service, the IDs in the arguments, and the token, which %s sets.",
			e.TokenSource), last}
	case convo.ReasonInvalid:
		success := ""
		if e.Status > http.StatusOK {
			success = "200 OK is the only success status that the API documents. "
		}
		return []string{success + "Report this " + operators}
	case convo.ReasonRejected:
		return m.adviceAfterRejection(e)
	}
	return []string{nextSteps[e.Reason]}
}

// adviceAfterRejection returns the next steps after an error of the service.
func (m operationMessages) adviceAfterRejection(e *convo.Error) []string {
	switch e.Status {
	case http.StatusNotFound:
		const always404 = "If every request returns 404, check that " + adviceBaseURL + ". Also check the token. Some services return 404 if the token is invalid."
		if m.id == "" {
			return []string{always404}
		}
		return []string{fmt.Sprintf("The %s may no longer exist, its ID may be misspelled, or the token's owner may not have access to it. ",
			m.kind) + always404, m.notFound, m.otherHost}
	case http.StatusUnauthorized:
		return []string{"The token, which " + e.TokenSource + " sets, may be invalid or expired, or its owner may not have permission for this " +
			"request. Check the token, or use another one.", m.unauthorized}
	case http.StatusPaymentRequired:
		return []string{"The request requires a payment or a different plan. Check the workspace's plan and its payments."}
	case http.StatusForbidden:
		return []string{"The token's owner does not have permission for this request. Use another token, or request access.", m.forbidden}
	}
	return []string{cmp.Or(m.rejected, "Correct the arguments that the service's message above rejects.")}
}
