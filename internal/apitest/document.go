// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package apitest compares what tests send and receive with the API's document, internal/api/openapi.yaml. Only tests
// import it.
package apitest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/convo/terraform-provider-convo/internal/api"
)

// Operation is an operation of the document.
type Operation struct {
	Name   string // operationId
	Method string
	Path   string // with the names of parameters in braces
	Target string // the path with the examples of parameters
	Body   string // a valid request body

	operation *openapi3.Operation
}

// document is the document and its routes, which begin at /v1/.
var document = sync.OnceValues(func() (*openapi3.T, routers.Router) {
	parsed, err := openapi3.NewLoader().LoadFromData(api.Document)
	if err != nil {
		panic(fmt.Errorf("correct openapi.yaml (step 1 of Add a Data Source in ADDING.md): %w", err))
	}
	parsed.Servers = nil // A service can have any base URL.
	router, err := gorillamux.NewRouter(parsed)
	if err != nil {
		panic(err)
	}
	return parsed, router
})

// Operations returns the operations in the order of their names.
func Operations() []Operation {
	parsed, _ := document()
	var all []Operation
	for path, item := range parsed.Paths.Map() {
		for method, operation := range item.Operations() {
			o := Operation{
				Name:      operation.OperationID,
				Method:    method,
				Path:      path,
				Target:    path,
				operation: operation,
			}
			for _, p := range operation.Parameters {
				if p.Value.In == openapi3.ParameterInPath {
					o.Target = strings.ReplaceAll(o.Target, "{"+p.Value.Name+"}", fmt.Sprint(p.Value.Example))
				}
			}
			if operation.RequestBody != nil {
				o.Body = "{}"
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b Operation) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Fields returns the types of all values in a successful response by their paths, such as members[].user.name. The type of
// a value without a documented structure is any. A question mark follows the type of a value that can be null or absent.
func (o Operation) Fields() map[string]string {
	fields := map[string]string{}
	addFields(fields, "", schemaOf(o.operation.Responses.Status(http.StatusOK)))
	return fields
}

// schemaOf returns the schema of a response's body.
func schemaOf(response *openapi3.ResponseRef) *openapi3.Schema {
	return response.Value.Content.Get("application/json").Schema.Value
}

// addFields adds the types of the values in a value.
func addFields(fields map[string]string, path string, schema *openapi3.Schema) {
	for name, property := range schema.Properties {
		field := strings.TrimPrefix(path+"."+name, ".")
		fields[field] = typeOf(property.Value, slices.Contains(schema.Required, name))
		addFields(fields, field, property.Value)
	}
	if schema.Items != nil {
		fields[path+"[]"] = typeOf(schema.Items.Value, true)
		addFields(fields, path+"[]", schema.Items.Value)
	}
}

func typeOf(schema *openapi3.Schema, isRequired bool) string {
	name := cmp.Or(strings.Join(schema.Type.Slice(), ""), "any")
	if schema.Nullable || !isRequired {
		name += "?"
	}
	return name
}

// find returns the route of a request to any base URL, and the request to the document's path.
func find(r *http.Request) (*http.Request, *routers.Route, map[string]string, error) {
	_, router := document()
	r = r.Clone(r.Context())
	r.URL, _ = url.ParseRequestURI(withoutBase(r.URL.RequestURI())) // It was a URI.
	route, parameters, err := router.FindRoute(r)
	return r, route, parameters, err
}

// withoutBase removes what is before /v1/.
func withoutBase(uri string) string {
	return uri[max(0, strings.Index(uri, "/v1/")):]
}

// checkRequest returns how a request deviates from the document.
func checkRequest(r *http.Request, body []byte) error {
	r, route, parameters, err := find(r)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	// The library ignores parameters that the document lacks.
	isOpen := func(p *openapi3.ParameterRef) bool { return p.Value.Schema.Value.Type.Is(openapi3.TypeObject) }
	declared := route.Operation.Parameters
	for name := range r.URL.Query() {
		if declared.GetByInAndName(openapi3.ParameterInQuery, name) == nil && !slices.ContainsFunc(declared, isOpen) {
			return fmt.Errorf("%s has no query parameter %s", route.Operation.OperationID, name)
		}
	}
	return openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
		Request:    r,
		PathParams: parameters,
		Route:      route,
		Options: &openapi3filter.Options{
			RejectWhenRequestBodyNotSpecified: true,
			// The development server checks the token, and the client's tests the header.
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		},
	})
}

// Deviation returns the operation of a request, and where and how the response first deviates from the document, such as
// "agent.ref.key is null", or "". It contains nothing of the response, only the document's names.
func Deviation(r *http.Request, status int, body []byte) (operation, deviation string) {
	_, route, _, err := find(r)
	if err != nil {
		return "", ""
	}
	operation = route.Operation.OperationID
	response := cmp.Or(route.Operation.Responses.Status(status), route.Operation.Responses.Default())
	var value any
	if json.Unmarshal(body, &value) != nil {
		return operation, "the body is not JSON"
	}
	err = schemaOf(response).VisitJSON(value, openapi3.VisitAsResponse())
	if found, ok := errors.AsType[*openapi3.SchemaError](err); ok { // Its text quotes the value.
		return operation, describe(found)
	}
	return operation, ""
}

// index matches the index of an element. Only values are checked whose keys are names in the document.
var index = regexp.MustCompile(`\.\d+`)

// describe returns the path of a value, and what is wrong with it.
func describe(found *openapi3.SchemaError) string {
	path := index.ReplaceAllString(strings.Join(found.JSONPointer(), "."), "[]")
	problem := "has another type or value"
	if found.SchemaField == "required" {
		problem = "is missing"
	} else if found.Value == nil {
		problem = "is null"
	}
	return cmp.Or(path, "the body") + " " + problem
}
