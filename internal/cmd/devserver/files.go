// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// reloading serves the data in a directory, so that each response shows the current files.
// They are read only if one of them has changed.
func reloading(directory fs.FS, newServer func(devserver.Seed) http.Handler) http.HandlerFunc {
	var (
		mu      sync.Mutex
		version string // of the files that handler serves
		handler http.Handler
	)
	current := func() http.Handler {
		mu.Lock()
		defer mu.Unlock()
		if now := versionOf(directory); now != version {
			version = now
			handler = serverOf(directory, newServer)
		}
		return handler
	}
	return func(w http.ResponseWriter, r *http.Request) {
		current().ServeHTTP(w, r)
	}
}

// serverOf reads the files.
func serverOf(directory fs.FS, newServer func(devserver.Seed) http.Handler) http.Handler {
	seed, err := devserver.ReadSeed(directory)
	if err != nil {
		return devserver.ErrorHandler(http.StatusInternalServerError, err.Error())
	}
	return newServer(seed)
}

// versionOf returns the names, sizes, and times of all files.
func versionOf(directory fs.FS) string {
	var version strings.Builder
	_ = fs.WalkDir(directory, ".", func(path string, entry fs.DirEntry, err error) error {
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
