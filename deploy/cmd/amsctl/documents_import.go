package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

// manifestColumns are those that a manifest may have: which file, on which record, and fields of the document.
var manifestColumns = []string{"path", "on", "kind", "title", "caption_en", "caption_fr", "document_number", "issued_on", "expires_on",
	"language", "external_id", "sort_order", "is_primary", "retention_class_id", "retention_base_date"}

func importDocuments(s *session) *cobra.Command {
	var manifest, rejects string
	cmd := &cobra.Command{Use: "import", Short: "Put files on many records, by a list", Args: cobra.NoArgs}
	cmd.Long = `Put files on many records, by a list in CSV with a header, with the key in AMS_API_KEY.

The column path names a file below the list's folder, on its record (` + recordUsage + `).
Further columns are fields: ` + strings.Join(manifestColumns[2:], ", ") + `.

What cannot go in is written to the rejects file with the reason. The same command again leaves alone what is there, by its external_id or
its bytes, and goes on where the last one was interrupted.

Exit status: 0 everything is there, 3 all was tried but some lines were rejected, 1 it stopped.`
	cmd.Flags().StringVar(&manifest, "manifest", "", "the list")
	cmd.Flags().StringVar(&rejects, "rejects", "", "where rejected lines go (default MANIFEST.rejects.csv)")
	require(cmd, "manifest")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		client, err := s.public()
		if err != nil {
			return err
		}
		if rejects == "" {
			rejects = manifest + ".rejects.csv"
		}
		view := newByteProgress(s.err)
		client.Notice = view.Note
		m := &manifestImport{uploader: &uploader{client: client, view: view}, records: map[string]record{}}
		err = m.run(cmd.Context(), manifest, rejects)
		view.Finish()
		if err != nil {
			return fmt.Errorf("stopped at line %d, the same command again goes on from here: %w", m.line, err)
		}
		if s.output == "json" {
			err = s.encode(m.result)
		} else {
			_, err = fmt.Fprintf(s.out, "%d lines: %d documents created, %d there already, %d rejected\n", m.result.Lines, m.result.Created,
				m.result.Unchanged, m.result.Rejected)
		}
		if err == nil && m.result.Rejected > 0 {
			view.Note("What was rejected, and why: " + rejects)
			err = errRejects
		}
		return err
	}
	return cmd
}

type manifestImport struct {
	*uploader
	folder  *os.Root
	records map[string]record
	line    int
	result  struct {
		Lines     int `json:"lines"`
		Created   int `json:"created"`
		Unchanged int `json:"unchanged"`
		Rejected  int `json:"rejected"`
	}
}

// rejection is why a line cannot go in.
type rejection struct{ field, message string }

func (r *rejection) Error() string { return r.message }

func (m *manifestImport) run(ctx context.Context, manifest, rejects string) (err error) {
	file, err := os.Open(manifest)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if m.folder, err = os.OpenRoot(filepath.Dir(manifest)); err != nil {
		return err
	}
	defer func() { _ = m.folder.Close() }()
	in := csv.NewReader(file)
	in.FieldsPerRecord = -1
	header, err := in.Read()
	if err != nil {
		return err
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	m.line = 1
	for i, name := range header {
		if !slices.Contains(manifestColumns, name) || slices.Contains(header[:i], name) {
			return fmt.Errorf("the column %q is not known, or stands there twice: the columns are %s", name, strings.Join(manifestColumns, ", "))
		}
	}
	if !slices.Contains(header, "path") || !slices.Contains(header, "on") {
		return errors.New("the list needs the columns path and on")
	}
	out, err := os.OpenFile(rejects, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the rejects (choose another place with --rejects): %w", err)
	}
	defer func() {
		err = errors.Join(err, out.Close())
		if m.result.Rejected == 0 {
			err = errors.Join(err, os.Remove(rejects))
		}
	}()
	rejected := csv.NewWriter(out)
	for {
		values, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		m.line, _ = in.FieldPos(0)
		m.result.Lines++
		err = m.one(ctx, header, values)
		why := rejectionOf(err)
		if why == nil {
			if err != nil {
				return err
			}
			continue
		}
		if m.result.Rejected++; m.result.Rejected == 1 {
			_ = rejected.Write(append([]string{"rejected_line", "rejected_record", "rejected_field", "rejected_because"}, header...))
		}
		_ = rejected.Write(append([]string{strconv.Itoa(m.line), "", why.field, why.message}, values...))
		if rejected.Flush(); rejected.Error() != nil {
			return rejected.Error()
		}
	}
}

// rejectionOf is what a line is rejected for; nil of errors that are not the line's.
func rejectionOf(err error) *rejection {
	var own *rejection
	var missing *noRecord
	var refused *ams.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &missing):
		return &rejection{"on", missing.message}
	case errors.As(err, &refused):
		switch {
		case refused.Code == "storage_full":
		case refused.Status == 400, refused.Status == 403, refused.Status == 404, refused.Status == 409:
			field := refused.Field
			if len(refused.Fields) > 0 {
				field = refused.Fields[0].Field
			}
			return &rejection{field, refused.Error()}
		}
	}
	return nil
}

// one makes a document of a line, or finds it.
func (m *manifestImport) one(ctx context.Context, header, values []string) error {
	if len(values) != len(header) {
		return &rejection{"", fmt.Sprintf("the line has %d values where the header has %d columns", len(values), len(header))}
	}
	path, on, fields := "", "", map[string]any{}
	for i, name := range header {
		switch value := values[i]; {
		case name == "path":
			path = value
		case name == "on":
			on = value
		case value == "":
		case name == "sort_order", name == "is_primary":
			fields[name] = valueOf(value, "")
		default:
			fields[name] = value
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return &rejection{"path", fmt.Sprintf("%q is not below the folder of the list", path)}
	}
	info, err := m.folder.Stat(filepath.FromSlash(path)) // through no link that leads out of the folder
	if err != nil {
		return &rejection{"path", err.Error()}
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return &rejection{"path", fmt.Sprintf("%q is no file, or is empty", path)}
	}
	file, err := m.folder.Open(filepath.FromSlash(path))
	if err != nil {
		return &rejection{"path", err.Error()}
	}
	defer func() { _ = file.Close() }()
	of, known := m.records[on]
	if !known {
		if of, err = findRecord(ctx, m.client, on); err != nil {
			return err
		}
		m.records[on] = of
	}
	fields["collection"], fields["record_id"] = of.collection, of.id
	if external := fields["external_id"]; external != nil {
		existing, err := findDocuments(ctx, m.client, ams.Filters{"external_id": []any{external}, "fields": "id"})
		if err != nil {
			return err
		}
		if len(existing) > 0 {
			m.result.Unchanged++
			return nil
		}
	}
	m.view.Expect(info.Size())
	made, err := m.upload(ctx, file, filepath.Base(path), fields)
	if err != nil {
		return err
	}
	if made == nil || made.known {
		m.result.Unchanged++
	} else {
		m.result.Created++
	}
	return nil
}
