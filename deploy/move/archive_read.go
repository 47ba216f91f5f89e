package move

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"
)

// ErrAltered says that an archive is not as it was written.
var ErrAltered = errors.New("the archive is damaged or was altered: copy it again from where it was written, or export again")

func altered(format string, args ...any) error {
	return fmt.Errorf("%w (%s)", ErrAltered, fmt.Sprintf(format, args...))
}

// archive is an archive that is read.
type archive struct {
	Manifest
	sum   string // that pins it
	zip   *zip.ReadCloser
	files map[string]*zip.File
}

// openArchive reads the manifest of an archive.
func openArchive(name string) (*archive, error) {
	reader, err := zip.OpenReader(name)
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("%s is no archive of an organization, or is truncated: copy it again from where it was written", name)
	}
	if err != nil {
		return nil, err
	}
	a := &archive{zip: reader, files: map[string]*zip.File{}}
	if err := a.readManifest(name); err != nil {
		_ = reader.Close()
		return nil, err
	}
	return a, nil
}

func (a *archive) readManifest(name string) error {
	for _, file := range a.zip.File {
		if a.files[file.Name] != nil {
			return altered("%s is in it twice", file.Name)
		}
		a.files[file.Name] = file
	}
	file := a.files[manifestFile]
	if file == nil {
		return fmt.Errorf("%s is no archive of an organization: it has no %s", name, manifestFile)
	}
	opened, err := file.Open()
	if err != nil {
		return altered("%s: %v", manifestFile, err)
	}
	defer func() { _ = opened.Close() }()
	text, err := io.ReadAll(io.LimitReader(opened, manifestLimit))
	if err != nil {
		return altered("%s: %v", manifestFile, err)
	}
	var kind struct { // what any version has
		Format  string `json:"format"`
		Version int    `json:"version"`
		Product string `json:"product"`
	}
	if err := json.Unmarshal(text, &kind); err != nil || kind.Format != archiveFormat {
		return fmt.Errorf("%s is no archive of an organization: its %s says something else", name, manifestFile)
	}
	if kind.Version > archiveVersion {
		return fmt.Errorf("the archive is of a newer release, %s: import it with amsctl of that release, into an installation "+
			"of it", kind.Product)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&a.Manifest); err != nil {
		return altered("%s: %v", manifestFile, err)
	}
	a.sum = checksum(text)
	return a.checkManifest()
}

var (
	sequenceName = regexp.MustCompile(`^[a-z_]{1,63}\.[a-z0-9_]{1,63}$`)
	timeSequence = regexp.MustCompile(`\.time_of_`)
)

// maxNumber is far above all positions and numbers, and far below where a sequence ends.
const maxNumber = 1 << 53

// checkManifest refuses what our manifests do not have: much of it becomes SQL.
func (a *archive) checkManifest() error {
	if err := checkIDs(a.organizations()); err != nil {
		return altered("%v", err)
	}
	for name, value := range a.Sequences {
		isTime := timeSequence.MatchString(name)
		switch {
		case !sequenceName.MatchString(name) || value < 0 || value > maxNumber:
			return altered("the sequence %s is at %d", name, value)
		case isTime && value > time.Now().Add(24*time.Hour).UnixMicro():
			return fmt.Errorf("the archive is of the future by %s: set the clock of the machine that has the database it is of, "+
				"or of this one", name)
		}
	}
	listed := map[string]bool{manifestFile: true}
	for _, t := range a.Tables {
		listed[t.File] = true
	}
	for _, f := range a.Contents {
		listed[f.File] = true
	}
	if len(listed) != 1+len(a.Tables)+len(a.Contents) {
		return altered("a file is listed twice")
	}
	for name := range listed {
		if a.files[name] == nil {
			return altered("%s is not in it", name)
		}
	}
	for name := range a.files {
		if !listed[name] {
			return altered("%s is in it, and not in the manifest", name)
		}
	}
	return nil
}

func (a *archive) close() { _ = a.zip.Close() }

// read reads a file of the archive. Its checksum must be that of the manifest.
func (a *archive) read(name, sum string, use func(io.Reader) error) error {
	opened, err := a.files[name].Open()
	if err != nil {
		return altered("%s: %v", name, err)
	}
	defer func() { _ = opened.Close() }()
	hash := sha256.New()
	reader := io.TeeReader(opened, hash)
	if err := use(reader); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, reader); err != nil { // what is behind the end of what was used
		return altered("%s: %v", name, err)
	}
	if found := hex.EncodeToString(hash.Sum(nil)); found != sum {
		return altered("%s has the SHA-256 %s, not %s", name, found, sum)
	}
	return nil
}

// verify reads all of an archive, before anything of it is written anywhere.
func (a *archive) verify(ctx context.Context, report func(what string, rows int64)) error {
	for _, t := range a.Tables {
		if err := errors.Join(ctx.Err(), a.read(t.File, t.SHA256, func(r io.Reader) error { return a.verifyRows(ctx, t, r) })); err != nil {
			return err
		}
		if t.Rows > 0 {
			report(t.Name, t.Rows)
		}
	}
	for _, f := range a.Contents {
		var found ArchivedFiles
		err := a.eachContent(ctx, f, func(c content, body io.Reader) error {
			hash := sha256.New()
			if _, err := io.Copy(hash, body); err != nil {
				return altered("%s: %v", c.key(), err)
			}
			if err := matches(hash, hex.EncodeToString(c.sha256)); err != nil {
				return altered("the content %s: %v", c.key(), err)
			}
			found.Count, found.Bytes = found.Count+1, found.Bytes+c.size
			return nil
		})
		if err != nil {
			return err
		}
		if found.Count != f.Count || found.Bytes != f.Bytes {
			return altered("%s has %d contents of %d bytes, not %d of %d", f.File, found.Count, found.Bytes, f.Count, f.Bytes)
		}
		report(f.File, f.Count)
	}
	return nil
}

// verifyRows looks whether all rows of a table are there, and are of the organization.
func (a *archive) verifyRows(ctx context.Context, t ArchivedTable, from io.Reader) error {
	rows := csv.NewReader(from)
	rows.ReuseRecord = true
	header, err := rows.Read()
	if err != nil {
		return altered("%s: %v", t.File, err)
	}
	owner := slices.Index(header, "organization_id")
	if !slices.Equal(header, t.Columns) || owner < 0 {
		return altered("%s has other columns than the manifest says", t.File)
	}
	organizations, count := a.organizations(), int64(0)
	for ; ctx.Err() == nil; count++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return altered("%s: %v", t.File, err)
		}
		if !slices.Contains(organizations, row[owner]) {
			return altered("%s has a row of another organization, %.36q", t.File, row[owner])
		}
	}
	if ctx.Err() == nil && count != t.Rows {
		return altered("%s has %d rows, not %d", t.File, count, t.Rows)
	}
	return ctx.Err()
}

// eachContent gives the contents of a tar file, whose keys are of the organization.
func (a *archive) eachContent(ctx context.Context, f ArchivedFiles, use func(c content, body io.Reader) error) error {
	organizations := a.organizations()
	return a.read(f.File, f.SHA256, func(from io.Reader) error {
		files := tar.NewReader(from)
		for {
			header, err := files.Next()
			if errors.Is(err, io.EOF) {
				return ctx.Err()
			}
			if err != nil {
				return altered("%s: %v", f.File, err)
			}
			c := content{size: header.Size}
			organization, id, _ := bytes.Cut([]byte(header.Name), []byte("/"))
			c.organization, c.id = string(organization), string(id)
			if c.sha256, err = hex.DecodeString(header.PAXRecords[sumRecord]); err != nil || header.Typeflag != tar.TypeReg ||
				!slices.Contains(organizations, c.organization) || checkIDs([]string{c.id}) != nil {
				return altered("%s has %q", f.File, header.Name)
			}
			if err := errors.Join(ctx.Err(), use(c, files)); err != nil {
				return err
			}
		}
	})
}
