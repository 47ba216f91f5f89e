// Package tool finds the third-party programs that tests run: those that deploy/tools builds into the user's cache folder.
package tool

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Find gives the path of a program: in PATH, else where `make NAME` puts the version.
func Find(name, version string) (string, error) {
	if found, err := exec.LookPath(name); err == nil {
		return found, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%s is not in PATH, and there is no cache folder to look in: %w", name, err)
	}
	path := filepath.Join(cache, "ams", name+"-"+version)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s is neither in PATH nor at %s: `make %s` builds it (once, some minutes)", name, path, name)
	}
	return path, nil
}
