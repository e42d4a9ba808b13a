// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package api

import _ "embed"

// Document is the description of the API in OpenAPI.
//
//go:embed openapi.yaml
var Document []byte
