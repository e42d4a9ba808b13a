// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// draftStats returns 404 for the statistics of an agent that was never published.
func draftStats(r *http.Request) http.Handler {
	if r.URL.Path == "/v1/agents/agt_scratch/analytics/stats" {
		return devserver.ErrorHandler(http.StatusNotFound)
	}
	return nil
}

// unpaidAgents returns 404 for all definitions, as for a past-due workspace.
func unpaidAgents(r *http.Request) http.Handler {
	if isDefinition, _ := path.Match("/v1/agents/*", r.URL.Path); isDefinition {
		return devserver.ErrorHandler(http.StatusNotFound)
	}
	return nil
}

// withoutFields leaves out documented fields of the responses. A path consists of
// the keys from the root, and applies to every element of a list.
func withoutFields(paths ...string) option {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorder := httptest.NewRecorder()
			next.ServeHTTP(recorder, r)
			decoder := json.NewDecoder(recorder.Body)
			decoder.UseNumber()
			var body any
			if err := decoder.Decode(&body); err != nil {
				panic(err)
			}
			for _, path := range paths {
				removeField(body, strings.Split(path, "."))
			}
			w.WriteHeader(recorder.Code)
			_ = json.NewEncoder(w).Encode(body)
		})
	}
}

func removeField(value any, path []string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			removeField(element, path)
		}
	case map[string]any:
		if len(path) == 1 {
			delete(value, path[0])
			return
		}
		removeField(value[path[0]], path[1:])
	}
}
