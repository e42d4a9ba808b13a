// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package definition

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/oneline"
)

const (
	maxHosts   = 1000
	maxHostLen = 253 // length of the longest name in the DNS
)

// authority matches what follows the scheme of a URL: user information, then a host
// with a port, which is the submatch. A variable in braces can contain white space.
// Punctuation after a URL in text ends a host, but not the user information, because
// that could hide the host.
var authority = regexp.MustCompile(strings.NewReplacer(
	"VARIABLE", `\{\{[^{}/]*\}\}|\{[^{}/]*\}`,
	"IPV6", `\[[0-9A-Fa-f:.%]+\]`,
	"END", `\x00-\x20\x7F\pZ/?#"'<>\\`+"`",
).Replace(`^(?:(?:VARIABLE|[^END])*@)?((?:IPV6)?(?:VARIABLE|[^END,;!*|&=()}\[\]])*)`))

// appendHosts appends the hosts of the http and https URLs in a text.
func appendHosts(hosts []string, text string) []string {
	for {
		before, after, found := strings.Cut(text, "://")
		if !found {
			return hosts
		}
		scheme := strings.ToLower(before[max(0, len(before)-len("https")):])
		if strings.HasSuffix(scheme, "http") || scheme == "https" {
			host := authority.FindStringSubmatch(after)[1]
			hosts = append(hosts, strings.TrimRight(strings.ToLower(host), ".:"))
		}
		text = after
	}
}

// sortedHosts returns the hosts as Digest describes them.
func sortedHosts(hosts []string) []string {
	sorted := []string{}
	slices.Sort(hosts)
	for _, host := range slices.Compact(hosts) {
		if host != "" {
			sorted = append(sorted, oneline.Distinct(host, maxHostLen))
		}
	}
	if len(sorted) > maxHosts { // None may be added unnoticed.
		rest := sorted[maxHosts-1:]
		sorted = append(sorted[:maxHosts-1:maxHosts-1], fmt.Sprintf("and %d more (SHA-256 %s)", len(rest), oneline.Hash(strings.Join(rest, "\n"))))
	}
	return sorted
}
