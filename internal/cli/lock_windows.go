// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package cli

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

const sharingViolation syscall.Errno = 32

// tryLock returns nil if another process holds the lock. A file that is opened
// without sharing cannot be opened again before it is closed.
func tryLock(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(handle), path), nil
}

// inherit does nothing, because Windows does not remove files that a command
// still writes.
func inherit(*exec.Cmd, *os.File) {}
