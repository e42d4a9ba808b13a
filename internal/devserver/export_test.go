// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package devserver

// Operations returns the method and path of each operation that the service serves.
func (s *Server) Operations() []string {
	var names []string
	for _, op := range s.operations {
		names = append(names, op.method+" "+op.path)
	}
	return names
}
