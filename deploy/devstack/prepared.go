package devstack

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"ams.internal/libs/postgres/postgrestest"
)

// copyPrepared puts a PostgreSQL whose schemas are those of the program in binaries into the folder of a new stack, with the secrets that
// open it. Tests begin many stacks, and making a database cluster and sixteen schemas is most of the start of each. The first that asks
// makes what is copied, in the cache folder; that of another program goes.
func copyPrepared(ctx context.Context, folder, binaries string) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	cache = filepath.Join(cache, "ams")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	lock, err := lockFile(filepath.Join(cache, "prepared.lock"))
	if err != nil {
		return err
	}
	defer lock.Close()
	program, err := fingerprint(filepath.Join(binaries, programName))
	if err != nil {
		return err
	}
	prepared := filepath.Join(cache, "prepared-"+program)
	if _, err := os.Stat(prepared); errors.Is(err, os.ErrNotExist) {
		if err := makePrepared(ctx, cache, prepared, binaries); err != nil {
			return fmt.Errorf("preparing the schemas: %w", err)
		}
	} else if err != nil {
		return err
	}
	return copyFolder(ctx, prepared, folder)
}

// makePrepared makes the data where PostgreSQL's account can reach it.
func makePrepared(ctx context.Context, cache, prepared, binaries string) error {
	older, err := filepath.Glob(filepath.Join(cache, "prepared-*"))
	if err != nil {
		return err
	}
	for _, path := range older {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	folder, err := os.MkdirTemp(postgrestest.Folder(), "ams-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	s, err := Start(ctx, Options{Folder: folder, Binaries: binaries, Together: true, InfrastructureOnly: true})
	if err != nil {
		return err
	}
	err = s.migrate(ctx, s.cells[0])
	s.Stop()
	if err != nil {
		return err
	}
	making := filepath.Join(cache, "prepared-making")
	if err := os.Mkdir(making, 0o755); err != nil { // #nosec G301 -- PostgreSQL's account owns what is in it
		return err
	}
	data, err := filepath.Glob(filepath.Join(folder, "postgres-*"))
	if err != nil {
		return err
	}
	for _, path := range append(data, secretsPath(folder)) {
		if err := copyFolder(ctx, path, filepath.Join(making, filepath.Base(path))); err != nil {
			return err
		}
	}
	return os.Rename(making, prepared)
}

// copyFolder copies a file, or a folder with all that is in it, with owners and modes.
func copyFolder(ctx context.Context, from, to string) error {
	out, err := exec.CommandContext(ctx, "cp", "--archive", "--no-target-directory", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copying %s: %w\n%s", from, err, out)
	}
	return nil
}

// fingerprint is of the content of a program.
func fingerprint(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil))[:16], nil
}
