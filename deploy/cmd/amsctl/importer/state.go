package importer

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"ams.internal/deploy/cmd/amsctl/rows"
)

// State is where an import stands after its last acknowledged call. It is kept in a file beside the input
// until the import is complete.
type State struct {
	File         string        `json:"file"`
	Fingerprint  string        `json:"fingerprint"` // of the file, the mapping and the options that decide what is sent
	Run          string        `json:"run"`         // first part of every Idempotency-Key, so that a resumed call is not carried out twice
	ImportID     string        `json:"import_id"`   // sent with every call, and named by the event at the end
	Position     rows.Position `json:"position"`
	Counts       Counts        `json:"counts"`
	RejectsBytes int64         `json:"rejects_bytes"`
	StartedAt    time.Time     `json:"started_at"`
	UpdatedAt    time.Time     `json:"updated_at"`
}

// Counts are what became of rows and records so far.
type Counts struct {
	Rows      int `json:"rows"`
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`    // they were there, and are as they were
	Skipped   int `json:"skipped_rows"` // the mapping left them out
	Rejected  int `json:"rejected"`
}

func (counts *Counts) add(b *batch) {
	counts.Rows += b.counts.Rows
	counts.Created += b.counts.Created
	counts.Updated += b.counts.Updated
	counts.Unchanged += b.counts.Unchanged
	counts.Skipped += b.counts.Skipped
	counts.Rejected += distinct(b.rejected)
}

// The Idempotency-Keys of an import: those of its calls, as a regular expression, and the end of the one by which it says that it is
// complete. Whoever moves an organization to another database knows by them that an import is running.
const (
	CallKey        = `^[0-9a-f]{16}-[0-9]+-[0-9]+$`
	CompleteSuffix = "-complete"
)

func newState(path, fingerprint string) State {
	run := make([]byte, 8)
	_, _ = rand.Read(run) // never fails
	return State{File: path, Fingerprint: fingerprint, Run: hex.EncodeToString(run), ImportID: newImportID(), StartedAt: time.Now().UTC()}
}

func newImportID() string { return uuid.Must(uuid.NewV7()).String() }

// loadState reads the state of an unfinished import; found is false when there is none.
func loadState(path string) (state State, found bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err != nil {
		return State{}, false, fmt.Errorf("the state of the earlier import: %w; delete %s to start again", err, path)
	}
	return state, true, nil
}

// save replaces the state file in one step: after a crash there is the old one or the new one, whole.
func (s State) save(path string) error {
	s.UpdatedAt = time.Now().UTC()
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	next := path + ".next"
	file, err := os.OpenFile(next, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("keep the state of the import (choose another place with --state): %w", err)
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("keep the state of the import: %w", err)
	}
	if err := os.Rename(next, path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// fingerprint changes when anything changes that decides which records the file makes.
func fingerprint(paths []string, options ...string) (string, error) {
	sum := sha256.New()
	for _, path := range paths {
		if path == "" {
			continue
		}
		file, err := os.Open(path)
		if err != nil {
			return "", err
		}
		n, err := io.Copy(sum, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "\n%d\n", n)
	}
	for _, option := range options {
		fmt.Fprintf(sum, "%q\n", option)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
