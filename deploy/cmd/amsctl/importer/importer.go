// Package importer sends the rows of a file to a collection through its bulk endpoint.
//
// Good rows go in and bad rows go to a rejects file with their reason. After every call that got a response it
// writes down how far it is, so that an import that was killed goes on where it stopped: the one call that may
// have been under way is sent again with the same Idempotency-Key and gets its response, and is not carried out twice.
package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/cmd/amsctl/mapping"
	"ams.internal/deploy/cmd/amsctl/rows"
)

// MaxBatch is the most records a bulk call takes; maxBatchBytes keeps a call well below the largest body.
const (
	MaxBatch      = 1000
	maxBatchBytes = 1 << 20
)

// Job is one import.
type Job struct {
	Collection string // "assets", "los/measures", "work-orders/costs"
	File       string
	Mapping    string // empty: columns are fields of the same name
	Rejects    string // empty: FILE.COLLECTION.rejects.csv or .ndjson
	State      string // empty: FILE.COLLECTION.import.json
	OnConflict string // error, skip or update
	BatchSize  int    // 0: MaxBatch
	Resume     bool
	Rows       rows.Options
	Progress   Progress
}

// Progress is told how an import goes.
type Progress interface {
	Start(totalBytes int64, resumed State)
	Advance(State)
	Note(text string)
	Finish(State)
}

// Result is how an import ended.
type Result struct {
	Counts
	Collection string `json:"collection"`
	Rejects    string `json:"rejects_file,omitempty"`
}

// running is an import under way.
type running struct {
	Job
	client       *ams.Client
	organization string // whose key it is: an import is not resumed into another organization
	document     json.RawMessage
	collection   mapping.Collection
	reader       *rows.Reader
	plan         *mapping.Plan
	rejects      *rejects
	state        State
}

// Run carries out a job. When ctx ends it stops after the last acknowledged call; Resume goes on from there.
func Run(ctx context.Context, client *ams.Client, job Job) (result Result, err error) {
	r := &running{Job: job, client: client}
	if err := r.prepare(ctx); err != nil {
		return Result{}, err
	}
	if err := r.begin(); err != nil {
		return Result{}, errors.Join(err, r.reader.Close())
	}
	defer func() { err = errors.Join(err, r.reader.Close(), r.rejects.close()) }()
	if err = r.send(ctx); err == nil {
		err = r.complete(ctx)
	}
	r.Progress.Finish(r.state)
	result = Result{Counts: r.state.Counts, Collection: r.Collection}
	if result.Rejected > 0 {
		result.Rejects = r.Rejects
	}
	if err != nil {
		return result, fmt.Errorf("%w\nThe import stopped before line %d. Go on from there with --resume", err, r.state.Position.Line)
	}
	return result, os.Remove(r.State)
}

func (r *running) prepare(ctx context.Context) (err error) {
	switch r.OnConflict {
	case "error", "skip", "update":
	default:
		return fmt.Errorf("--on-conflict %q is not known: use error, skip or update", r.OnConflict)
	}
	if r.BatchSize == 0 {
		r.BatchSize = MaxBatch
	}
	if r.BatchSize < 1 || r.BatchSize > MaxBatch {
		return fmt.Errorf("--batch-size must be 1 to %d", MaxBatch)
	}
	var rules *mapping.Mapping
	if r.Mapping != "" {
		if rules, err = mapping.Read(r.Mapping); err != nil {
			return err
		}
	}
	if r.reader, err = rows.Open(r.File, r.Rows); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.reader.Close())
		}
	}()
	if err := r.whose(ctx); err != nil {
		return err
	}
	if err := r.describe(ctx); err != nil {
		return err
	}
	if r.plan, err = mapping.Compile(rules, r.reader.Header(), r.Collection, r.collection.Fields); err != nil {
		return fmt.Errorf("%s cannot be imported into %s:\n%w", r.File, r.Collection, err)
	}
	return nil
}

// whose looks up which organization the key is for.
func (r *running) whose(ctx context.Context) error {
	var me struct {
		Organization struct {
			ID string `json:"id"`
		} `json:"organization"`
	}
	err := r.client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/v1/me"}, &me)
	r.organization = me.Organization.ID
	return err
}

// describe reads from the service the collection's path and fields, so that a wrong name is found before anything is sent.
func (r *running) describe(ctx context.Context) error {
	err := r.client.Request(ctx, ams.Request{Method: http.MethodGet, Path: "/openapi.json"}, &r.document)
	if err != nil {
		return err
	}
	r.collection, err = mapping.FindCollection(r.document, r.Collection)
	if err == nil && r.collection.Final && r.OnConflict == "update" {
		return fmt.Errorf("--on-conflict update: %s are never changed; use error or skip", r.Collection)
	}
	return err
}

// suggestRows is how many rows of a file are looked at to propose a mapping.
const suggestRows = 1000

// Suggest proposes a mapping for a job's file.
func Suggest(ctx context.Context, client *ams.Client, job Job) (found mapping.Suggestion, err error) {
	r := &running{Job: job, client: client}
	if r.reader, err = rows.Open(r.File, r.Rows); err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, r.reader.Close()) }()
	if r.reader.Header() == nil {
		return found, fmt.Errorf("%s has no header: a mapping is proposed for CSV and workbooks", r.File)
	}
	if err := r.describe(ctx); err != nil {
		return found, err
	}
	var first []rows.Row
	for len(first) < suggestRows {
		row, err := r.reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return found, fmt.Errorf("read %s: %w", r.File, err)
		}
		first = append(first, row)
	}
	return mapping.Suggest(r.Collection, r.collection, r.reader.Header(), first), nil
}

func (r *running) begin() error {
	where := r.File + "." + fileName(r.Collection)
	if r.Rejects == "" {
		r.Rejects = where + ".rejects." + strings.Replace(r.reader.Format(), "geojson", "ndjson", 1) // one feature a line
	}
	if r.State == "" {
		r.State = where + ".import.json"
	}
	print, err := fingerprint([]string{r.File, r.Mapping}, r.Collection, r.OnConflict, strconv.Itoa(r.BatchSize),
		r.Rows.Format, r.Rows.Sheet, r.Rows.Delimiter, r.Rows.Encoding, r.client.BaseURL, r.organization)
	if err != nil {
		return err
	}
	earlier, found, err := loadState(r.State)
	if err != nil {
		return err
	}
	switch {
	case found && r.Resume && earlier.Fingerprint != print:
		return fmt.Errorf("%s cannot be resumed: the file, the mapping, the options, the organization or the service's address have changed "+
			"since line %d; start again without --resume (with --on-conflict skip or update nothing is written twice)",
			r.File, earlier.Position.Line)
	case found && r.Resume:
		if r.state = earlier; r.state.ImportID == "" { // begun by a version that did not name its imports
			r.state.ImportID = newImportID()
		}
	default:
		if found {
			r.Progress.Note(fmt.Sprintf("An earlier import of this file stopped before line %d; starting again from the beginning. "+
				"--resume would have gone on from there.", earlier.Position.Line))
		}
		r.state = newState(r.File, print)
		r.state.Position = r.reader.Position()
	}
	if r.rejects, err = openRejects(r.Rejects, r.reader, r.state.RejectsBytes); err != nil {
		return err
	}
	if err := r.state.save(r.State); err != nil {
		return err
	}
	return r.catchUp()
}

// catchUp goes to where the earlier import stopped. A mapping that takes only the first of several rows must
// see the rows before that place again.
func (r *running) catchUp() error {
	if !r.plan.Remembers() {
		return r.reader.Seek(r.state.Position)
	}
	for r.reader.Position().Offset < r.state.Position.Offset {
		row, err := r.reader.Next()
		if err != nil {
			return err
		}
		r.plan.Apply(row)
	}
	return nil
}

func (r *running) send(ctx context.Context) error {
	size, err := r.reader.Size()
	if err != nil {
		return err
	}
	r.Progress.Start(size, r.state)
	b := r.newBatch()
	for {
		before := r.reader.Position()
		row, err := r.reader.Next()
		if errors.Is(err, io.EOF) {
			b.end = r.reader.Position()
			return r.flush(ctx, b)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", r.File, err)
		}
		entries, rejected, skipped, err := r.apply(row)
		if err != nil {
			return err
		}
		if !b.fits(entries, r.BatchSize) {
			b.end = before
			if err := r.flush(ctx, b); err != nil {
				return err
			}
			b = r.newBatch()
		}
		b.add(entries, rejected, skipped)
	}
}

func (r *running) apply(row rows.Row) (entries []entry, rejected []Reject, skipped bool, err error) {
	outcome := r.plan.Apply(row)
	for _, problem := range outcome.Problems {
		rejected = append(rejected, Reject{Line: row.Line, Record: problem.Record, Field: problem.Field, Message: problem.Message, Row: row})
	}
	for _, record := range outcome.Records {
		of := r.takeParent(record.Fields)
		if r.collection.Parent != "" && r.collection.Flat == "" && of == (parent{}) {
			rejected = append(rejected, Reject{Line: row.Line, Record: record.Name, Field: r.collection.Parent,
				Message: "is required, or " + r.parentKey(), Row: row})
			continue
		}
		encoded, err := json.Marshal(record.Fields)
		if err != nil {
			return nil, nil, false, fmt.Errorf("line %d: %w", row.Line, err)
		}
		if len(encoded) > maxBatchBytes {
			rejected = append(rejected, Reject{Line: row.Line, Record: record.Name, Message: "the record is longer than 1 MiB", Row: row})
			continue
		}
		entries = append(entries, entry{row: row, name: record.Name, of: of, body: encoded})
	}
	return entries, rejected, outcome.Skipped, nil
}

func fileName(collection string) string {
	name := []byte(collection)
	for i, c := range name {
		if c == '/' {
			name[i] = '-'
		}
	}
	return string(name)
}
