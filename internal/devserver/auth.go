// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

import (
	"net/http"
	"slices"
	"strings"
)

// The bearer tokens of the default seed. The first three belong to the workspace ws_larkspur01, one for each mode.
const (
	TokenWrite    = "dev-token-write"    // a caller with the mode write
	TokenRead     = "dev-token-read"     // a caller with the mode read
	TokenGuest    = "dev-token-guest"    // a caller with the mode guest
	TokenTidepool = "dev-token-tidepool" // a caller of the workspace ws_tidepool02 with the mode write
)

// Mode is a caller's level of access. The values are those of `currentUserMode` in getAgent; each one includes
// those before it.
type Mode string

// The modes, from the least to the most access.
const (
	ModeGuest Mode = "guest"
	ModeRead  Mode = "read"
	ModeWrite Mode = "write"
)

func (m Mode) allows(needed Mode) bool {
	modes := []Mode{ModeGuest, ModeRead, ModeWrite}
	return slices.Index(modes, m) >= slices.Index(modes, needed)
}

// authenticate finds the caller of a request by its bearer token.
func (s *Server) authenticate(r *http.Request) (caller Caller, known bool) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if ok {
		caller, known = s.seed.Callers[token]
	}
	return caller, known
}
