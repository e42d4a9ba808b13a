// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
)

// readCase is a read of the development server's data. The tests of errors and
// retries, and the fuzzing, use the cases, too.
type readCase struct {
	name   string
	source string // set by readCases
	config object
	// requests are all requests that the read sends, sorted.
	requests []string
	// want is the state without the arguments, written by hand from the
	// development server's data.
	want object
	// summary and about are how an error names a read that sends a single
	// request, and its object.
	summary, about string
}

// readCases returns the cases of all data sources. Each data source has a method
// with its cases, in its test file.
func readCases() []readCase {
	var all []readCase
	for _, newDataSource := range new(convoProvider).DataSources(context.Background()) {
		source := newDataSource()
		var metadata datasource.MetadataResponse
		source.Metadata(context.Background(), datasource.MetadataRequest{ProviderTypeName: providerTypeName}, &metadata)
		if tested, ok := source.(interface{ readCases() []readCase }); ok {
			for _, c := range tested.readCases() {
				c.source = metadata.TypeName
				all = append(all, c)
			}
		}
	}
	return all
}

// casesOfOneRequest returns a case of each data source that sends a single
// request.
func casesOfOneRequest() []readCase {
	cases := slices.DeleteFunc(readCases(), func(c readCase) bool { return len(c.requests) > 1 })
	return slices.CompactFunc(cases, func(a, b readCase) bool { return a.source == b.source })
}
