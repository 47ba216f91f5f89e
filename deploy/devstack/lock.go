package devstack

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockFile waits until this program alone has the lock of a file, which is made if it is missing. Closing it, or the end of the
// program, gives the lock back.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644) // #nosec G302 -- nothing is in it
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// lockFolder makes this program the only launcher in folder. The lock goes with the program, however it ends.
func lockFolder(folder string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer file.Close()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("locking %s: %w", file.Name(), err)
		}
		holder, _ := io.ReadAll(file)
		return nil, fmt.Errorf("a stack is running in %s already (process %s). Stop it with Ctrl-C in its terminal, "+
			"or start another one beside it: AMS_PORT=8081 AMS_RUN_DIR=.run-2 make run", folder, strings.TrimSpace(string(holder)))
	}
	if err := file.Truncate(0); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if _, err := fmt.Fprintln(file, os.Getpid()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Drop removes folder with all its data. It refuses while a stack runs there.
func Drop(folder string) error {
	if _, err := os.Stat(folder); os.IsNotExist(err) {
		return nil
	}
	lock, err := lockFolder(folder)
	if err != nil {
		return err
	}
	defer lock.Close()
	// A database folder that PostgreSQL's account could not have reached here lives elsewhere, behind a link.
	links, err := filepath.Glob(filepath.Join(folder, "postgres-*"))
	if err != nil {
		return err
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil {
			if err := os.RemoveAll(target); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(folder)
}
