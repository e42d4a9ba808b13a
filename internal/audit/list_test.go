// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package audit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A change of a long list shows what is different, also in the middle.
func TestChangeOfLongList(t *testing.T) {
	t.Parallel()
	hosts := make(list, 80)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("host-%02d.example", i)
	}
	many := slices.Clone(hosts)
	for i := range 30 {
		many = append(many, fmt.Sprintf("new-%02d.example", i))
	}
	earlier := recordOf(t, withAgent(object{"external_hosts": hosts}))
	for name, test := range map[string]struct {
		hosts         list
		before, after string
	}{
		"one more": {slices.Insert(slices.Clone(hosts), 40, any("evil.example")), "80, gone: none", "81, new: evil.example"},
		"another":  {append(slices.Clone(hosts[1:]), "evil.example"), "80, gone: host-00.example", "80, new: evil.example"},
		"30 more": {many, "80, gone: none", "110, new: new-00.example, new-01.example, new-02.example, new-03.example, new-04.example, new-05.example, " +
			"new-06.example, new-07.example, new-08.example, new-09.example, new-10.example, new-11.example, new-12.example, new-13.example, " +
			"new-14.example, new-15.example, new-16.example, new-17.example, new-18.example, new-19.example, and 10 more"},
	} {
		changes := changesSince(t, earlier, withAgent(object{"external_hosts": test.hosts}))
		if len(changes) != 1 || changes[0].What != "agent external hosts" {
			t.Fatalf("%s: got %v", name, changes)
		}
		if diff := cmp.Diff([]string{test.before, test.after}, []string{*changes[0].Before, *changes[0].After}); diff != "" {
			t.Errorf("%s: unexpected texts (-want +got):\n%s", name, diff)
		}
	}
}
