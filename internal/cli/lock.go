// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package cli

import (
	"context"
	"os"
	"time"
)

const lockInterval = 200 * time.Millisecond

// acquire locks a file until it is closed or the process ends for any reason.
// It calls waiting once if another process holds the lock.
func acquire(ctx context.Context, path string, waiting func()) (*os.File, error) {
	for tries := 0; ; tries++ {
		if file, err := tryLock(path); file != nil || err != nil {
			return file, err
		}
		if tries == 0 {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockInterval):
		}
	}
}
