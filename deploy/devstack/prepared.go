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
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/libs/postgres/postgrestest"
)

// copyPrepared puts what was prepared into the folder of a new stack: a PostgreSQL whose schemas are those of the program in binaries, the
// secrets that open it and, where the stack is to have all demonstration data, these too. Tests begin many stacks, and making a database
// cluster, sixteen schemas and thousands of records is most of the start of each. The first that asks makes what is copied, in the cache
// folder; that of another program goes, and so do records of another day: many are dated by the day on which they were written.
func copyPrepared(ctx context.Context, folder, binaries string, volume demo.Volume) error {
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
	schemas := filepath.Join(cache, "prepared-schemas-"+program)
	if err := prepareOnce(ctx, schemas, "prepared-schemas-*", func(folder string) error {
		return prepareSchemas(ctx, folder, binaries)
	}); err != nil {
		return fmt.Errorf("preparing the schemas: %w", err)
	}
	if volume != demo.Everything {
		return copyFolder(ctx, schemas, folder)
	}
	records := filepath.Join(cache, "prepared-records-"+program+"-"+time.Now().UTC().Format(time.DateOnly))
	if err := prepareOnce(ctx, records, "prepared-records-*", func(folder string) error {
		if err := copyFolder(ctx, schemas, folder); err != nil {
			return err
		}
		return prepareRecords(ctx, folder, binaries)
	}); err != nil {
		return fmt.Errorf("preparing the demonstration data: %w", err)
	}
	return copyFolder(ctx, records, folder)
}

// prepareOnce lets a stack be made where PostgreSQL's account can reach it, and keeps of it what another one begins with, in place of those
// that fit the pattern.
func prepareOnce(ctx context.Context, prepared, older string, prepare func(folder string) error) error {
	if _, err := os.Stat(prepared); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cache := filepath.Dir(prepared)
	former, err := filepath.Glob(filepath.Join(cache, older))
	if err != nil {
		return err
	}
	for _, path := range append(former, filepath.Join(cache, "prepared-making")) {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	folder, err := os.MkdirTemp(postgrestest.Folder(), "ams-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := prepare(folder); err != nil {
		return err
	}
	making := filepath.Join(cache, "prepared-making")
	if err := os.Mkdir(making, 0o755); err != nil { // #nosec G301 -- PostgreSQL's account owns what is in it
		return err
	}
	for _, pattern := range []string{"postgres-*", filepath.Base(secretsPath(folder)), "demo.json", "documents"} {
		parts, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return err
		}
		for _, path := range parts {
			if err := copyFolder(ctx, path, filepath.Join(making, filepath.Base(path))); err != nil {
				return err
			}
		}
	}
	return os.Rename(making, prepared)
}

func prepareSchemas(ctx context.Context, folder, binaries string) error {
	s, err := Start(ctx, Options{Folder: folder, Binaries: binaries, Together: true, InfrastructureOnly: true})
	if err != nil {
		return err
	}
	defer s.Stop()
	return s.migrate(ctx, s.cells[0])
}

func prepareRecords(ctx context.Context, folder, binaries string) error {
	s, err := Start(ctx, Options{Folder: folder, Binaries: binaries, Together: true})
	if err != nil {
		return err
	}
	s.Stop()
	return nil
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
