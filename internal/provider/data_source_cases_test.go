// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
)

// readCase is what a read must do against the development server. Each case runs
// through the framework alone, through the provider's server, and as an ephemeral
// resource. The tests of faults and retries and the fuzzing use the cases, too.
type readCase struct {
	name   string
	source string // the type of the data source, which readCases sets
	config object
	// requests are all requests that the read sends, sorted.
	requests []string
	want     object

	// The first case of each data source that sends a single request also has
	// these fields.

	// task completes "Unable to" in an error, and about names the object.
	task, about string
	// missing has responses without documented fields, and the attributes that a
	// warning must name.
	missing map[string]string
	// invalid has responses that do not conform to the API, and what an error must
	// say about each of them.
	invalid map[string]string
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

// oneCasePerRead returns the first case of each data source.
func oneCasePerRead() []readCase {
	return slices.CompactFunc(readCases(), func(a, b readCase) bool { return a.source == b.source })
}

// casesOfOneRequest returns the first case of each data source that sends a
// single request.
func casesOfOneRequest() []readCase {
	return slices.DeleteFunc(oneCasePerRead(), func(c readCase) bool { return len(c.requests) > 1 })
}
