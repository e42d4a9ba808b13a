// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// files serves the data in a directory, so that each response shows the current files.
type files struct {
	directory fs.FS
	newServer func(devserver.Seed) http.Handler

	mu      sync.Mutex
	checked time.Time // when the last check for changes began
	version string    // of the files that handler serves
	handler http.Handler
}

func (f *files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.current(time.Now()).ServeHTTP(w, r)
}

// current returns the handler of the current files, which are read only if one of them
// has changed. Requests that wait while another one checks this share the next check,
// because it takes 4 ms for 1,000 agents.
func (f *files) current(arrived time.Time) http.Handler {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.checked.After(arrived) {
		return f.handler
	}
	f.checked = time.Now()
	version := f.currentVersion()
	if version == f.version {
		return f.handler
	}
	f.version = version
	seed, err := devserver.ReadSeed(f.directory)
	if err != nil {
		f.handler = devserver.ErrorHandler(http.StatusInternalServerError, err.Error())
	} else {
		f.handler = f.newServer(seed)
	}
	return f.handler
}

// currentVersion returns the names, sizes, and times of all files.
func (f *files) currentVersion() string {
	var version strings.Builder
	_ = fs.WalkDir(f.directory, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err // Reading the file reports it.
		}
		info, err := entry.Info()
		if err == nil {
			fmt.Fprintln(&version, path, info.Size(), info.ModTime())
		}
		return err
	})
	return version.String()
}
