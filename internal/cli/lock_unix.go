// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

//go:build !windows

package cli

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// tryLock returns nil if another process holds the lock.
func tryLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // The path is in the user's cache directory.
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return file, nil
	}
	_ = file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	return nil, err
}

// inherit makes a command hold the lock, too.
func inherit(command *exec.Cmd, lock *os.File) { command.ExtraFiles = []*os.File{lock} }
