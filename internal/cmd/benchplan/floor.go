// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// concurrency is the provider's default.
const concurrency = 16

// fetchElsewhere runs fetchAudit in a process of its own, because the service
// and the provider are separate processes, too. A client in the service's process
// takes less time than any provider could.
func fetchElsewhere(ctx context.Context, baseURL string, agents int) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, program, "-fetch", strconv.Itoa(agents)) //nolint:gosec // The program is this one.
	command.Env = append(os.Environ(), "CONVO_BASE_URL="+baseURL)
	command.Stderr = os.Stderr
	return command.Run()
}

// fetchAudit fetches and decodes everything that an audit with one period
// reads, which is the theoretical minimum.
func fetchAudit(ctx context.Context, baseURL string, agents int) error {
	paths := []string{"/v1/workspaces/larkspur", "/v1/workspaces/larkspur/members", "/v1/agents"}
	for i := range agents {
		path := fmt.Sprintf("/v1/agents/agt_gen%06d", i)
		paths = append(paths, path, path+"/analytics/stats?timeFilter=last30Days")
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: concurrency}}
	defer client.CloseIdleConnections()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(concurrency)
	for _, path := range paths {
		group.Go(func() error { return fetch(ctx, client, baseURL+path) })
	}
	return group.Wait()
}

func fetch(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil) //nolint:gosec // The URL is the reference service's.
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+devserver.TokenWrite)
	response, err := client.Do(request) //nolint:gosec // The URL is the reference service's.
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned %s", url, response.Status)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var value any
	return json.Unmarshal(body, &value)
}
