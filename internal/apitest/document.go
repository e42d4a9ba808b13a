// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

// Package apitest compares what tests send and receive with the API's document, internal/api/openapi.yaml. Only tests
// import it.
package apitest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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
	Name    string // operationId
	Method  string
	Path    string // with the names of parameters in braces
	Example string // of the parameter in the path, or ""
	Target  string // the path with the example
	Body    string // the example of the request body

	operation *openapi3.Operation
}

// document is the document and its routes, which begin at /v1/.
var document = sync.OnceValues(func() (*openapi3.T, routers.Router) {
	parsed, err := openapi3.NewLoader().LoadFromData(api.Document)
	if err == nil {
		err = parsed.Validate(context.Background())
	}
	if err != nil {
		panic("internal/api/openapi.yaml: " + err.Error())
	}
	parsed.Servers = nil
	router, err := gorillamux.NewRouter(parsed)
	if err != nil {
		panic("internal/api/openapi.yaml: " + err.Error())
	}
	return parsed, router
})

// Operations returns the operations in the order of their names.
func Operations() []Operation {
	parsed, _ := document()
	var all []Operation
	for path, item := range parsed.Paths.Map() {
		for method, operation := range item.Operations() {
			o := Operation{Name: operation.OperationID, Method: method, Path: path, Target: path, operation: operation}
			for _, p := range operation.Parameters {
				if p.Value.In == openapi3.ParameterInPath {
					o.Example = fmt.Sprint(p.Value.Example)
					o.Target = strings.ReplaceAll(o.Target, "{"+p.Value.Name+"}", o.Example)
				}
			}
			if operation.RequestBody != nil {
				text, _ := json.Marshal(jsonContent(operation.RequestBody.Value.Content).Example) // The document can be JSON.
				o.Body = string(text)
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b Operation) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func jsonContent(content openapi3.Content) *openapi3.MediaType {
	return content.Get("application/json")
}

// Fields returns the types of all values in a successful response by their paths, such as members[].user.name. The type of
// a value without a documented structure is any. A question mark follows the type of a value that can be null or absent.
func (o Operation) Fields() map[string]string {
	fields := map[string]string{}
	addFields(fields, "", jsonContent(o.operation.Responses.Status(http.StatusOK).Value.Content).Schema.Value)
	return fields
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
	name := "any"
	for _, documented := range schema.Type.Slice() {
		name = documented
	}
	if schema.Nullable || !isRequired {
		name += "?"
	}
	return name
}

// find returns the route of a request to any base URL.
func find(r *http.Request) (*http.Request, *routers.Route, map[string]string, error) {
	_, router := document()
	escaped := r.URL.EscapedPath()
	below, err := url.ParseRequestURI(escaped[max(0, strings.Index(escaped, "/v1/")):])
	if err != nil {
		return nil, nil, nil, errors.New("the path is invalid")
	}
	below.RawQuery = r.URL.RawQuery
	r = r.Clone(r.Context())
	r.URL = below
	route, parameters, err := router.FindRoute(r)
	return r, route, parameters, err
}

// checkRequest compares a request with the document.
func checkRequest(r *http.Request) error {
	r, route, parameters, err := find(r)
	if err != nil {
		return err
	}
	// The library ignores parameters that the document lacks.
	isOpen := func(p *openapi3.ParameterRef) bool { return p.Value.Schema.Value.Type.Is(openapi3.TypeObject) }
	for name := range r.URL.Query() {
		declared := route.Operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name)
		if declared == nil && !slices.ContainsFunc(route.Operation.Parameters, isOpen) {
			return fmt.Errorf("%s has no query parameter %s", route.Operation.OperationID, name)
		}
	}
	return openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{
		Request: r, PathParams: parameters, Route: route,
		Options: &openapi3filter.Options{RejectWhenRequestBodyNotSpecified: true, AuthenticationFunc: authenticate},
	})
}

func authenticate(_ context.Context, input *openapi3filter.AuthenticationInput) error {
	if !strings.HasPrefix(input.RequestValidationInput.Request.Header.Get("Authorization"), "Bearer ") {
		return errors.New("the header Authorization does not begin with Bearer")
	}
	return nil
}

// Deviation returns where and how the response of an operation first deviates from the document, and "" if it does not. Of
// the response, the text has nothing: only names of the document, and * for other keys.
func (o Operation) Deviation(status int, body []byte) string {
	response := o.operation.Responses.Status(status)
	if response == nil {
		response = o.operation.Responses.Default()
	}
	var value any
	if json.Unmarshal(body, &value) != nil {
		return "the body is not JSON"
	}
	schema := jsonContent(response.Value.Content).Schema.Value
	found := map[string]bool{}
	addDeviations(found, schema, value, schema.VisitJSON(value, openapi3.VisitAsResponse(), openapi3.MultiErrors()))
	for _, deviation := range slices.Sorted(maps.Keys(found)) {
		return deviation
	}
	return ""
}

// addDeviations adds the deviations in an error. The library's texts quote values.
func addDeviations(found map[string]bool, schema *openapi3.Schema, value any, err error) {
	switch err := err.(type) { //nolint:errorlint // The causes of a deviation are no deviations of their own.
	case nil:
	case openapi3.MultiError:
		for _, one := range err {
			addDeviations(found, schema, value, one)
		}
	case *openapi3.SchemaError:
		found[describe(schema, value, err.JSONPointer())] = true
	default:
		found["the body deviates"] = true
	}
}

// describe returns a path in the document's names, and what is wrong with the value there.
func describe(schema *openapi3.Schema, value any, pointer []string) string {
	path, problem := "", "has another type or value"
	for _, key := range pointer {
		object, _ := value.(map[string]any)
		list, _ := value.([]any)
		value = object[key]
		switch property := schema.Properties[key]; {
		case schema.Items != nil:
			index, _ := strconv.Atoi(key)
			path, schema, value = path+"[]", schema.Items.Value, list[index]
		case property != nil:
			path, schema = path+"."+key, property.Value
		default:
			path, schema = path+".*", &openapi3.Schema{}
		}
		if _, exists := object[key]; !exists && list == nil {
			problem = "is missing"
		}
	}
	if value == nil && problem != "is missing" {
		problem = "is null"
	}
	return strings.TrimPrefix(path, ".") + " " + problem
}
