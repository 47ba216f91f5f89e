package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	ams "ams.internal/clients/go"
	"ams.internal/libs/schema"
)

// MaxShown is how many rejects a check gives back; all are counted.
const MaxShown = 20

// Checked is what a check found. Its counts are what an import would do, as far as can be known without writing: Created, Updated and
// Unchanged are records that are not there, that differ in a field that was compared, and that do not.
type Checked struct {
	Result
	Shown []Reject `json:"-"` // the first MaxShown
	// WithoutExternalID counts records that could not be looked up. They are among the created ones, though the service also finds
	// records by their codes.
	WithoutExternalID int `json:"without_external_id"`
}

// check is a dry run.
type check struct {
	*running
	schema  *jsonschema.Schema
	known   map[string]bool // names of the fields that the schema has
	seed    maphash.Seed
	earlier map[uint64]bool // external ids of rows before
	found   Checked
}

// Check reads and maps a file, holds every record against the API's description, and looks up which records are there. It writes nothing:
// neither to the service nor a file.
func Check(ctx context.Context, client *ams.Client, job Job) (found Checked, err error) {
	c := &check{running: &running{Job: job, client: client}, seed: maphash.MakeSeed(), earlier: map[uint64]bool{}}
	if err := c.prepare(ctx); err != nil {
		return Checked{}, err
	}
	defer func() { err = errors.Join(err, c.reader.Close()) }()
	c.collection.Flat = "" // whose a record is, is looked up
	if err := c.compile(); err != nil {
		return Checked{}, err
	}
	c.found.Collection = c.Collection
	b := c.newBatch()
	for {
		row, err := c.reader.Next()
		if errors.Is(err, io.EOF) {
			return c.found, c.checkBatch(ctx, b)
		}
		if err != nil {
			return c.found, fmt.Errorf("read %s: %w", c.File, err)
		}
		entries, rejected, skipped, err := c.apply(row)
		if err != nil {
			return c.found, err
		}
		b.add(entries, rejected, skipped)
		if len(b.entries) >= lookupBatch || len(b.rejected) >= MaxBatch {
			if err := c.checkBatch(ctx, b); err != nil {
				return c.found, err
			}
			b = c.newBatch()
		}
	}
}

// compile prepares the schema of a row of the collection's bulk create, as the service describes it.
func (c *check) compile() error {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.document))
	if err != nil {
		return fmt.Errorf("the API's description: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		return fmt.Errorf("the API's description: %w", err)
	}
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(c.collection.Path)
	c.schema, err = compiler.Compile("openapi.json#/paths/" + url.PathEscape(escaped) + "/post/requestBody/content/application~1json/schema")
	if err != nil {
		return fmt.Errorf("the API's description of %s: %w", c.Collection, err)
	}
	c.known = map[string]bool{}
	for name := range c.collection.Fields {
		c.known[name] = true
	}
	return nil
}

// checkBatch checks the records of a batch, and counts it.
func (c *check) checkBatch(ctx context.Context, b *batch) error {
	groups, err := c.byParent(ctx, b)
	if err != nil {
		return err
	}
	for _, g := range groups {
		for part := range slices.Chunk(g.entries, lookupBatch) {
			if err := c.records(ctx, b, g.path, part); err != nil {
				return err
			}
		}
	}
	c.found.Counts.add(b)
	c.found.Shown = append(c.found.Shown, b.rejected[:min(len(b.rejected), MaxShown-len(c.found.Shown))]...)
	return nil
}

func (c *check) records(ctx context.Context, b *batch, path string, entries []entry) error {
	existing, err := c.existing(ctx, path, entries)
	if err != nil {
		return err
	}
	for _, e := range entries {
		record, err := decode(e.body)
		if err != nil {
			return err
		}
		externalID, _ := record["external_id"].(string)
		current, exists := existing[key(externalID)]
		hash := maphash.String(c.seed, path+"\x00"+key(externalID))
		repeated := externalID != "" && c.earlier[hash]
		if problems := c.problems(record, exists || repeated); len(problems) > 0 {
			for _, problem := range problems {
				b.reject(e, problem.Field, problem.Message)
			}
			continue
		}
		switch {
		case externalID == "":
			b.counts.Created++
			c.found.WithoutExternalID++
		case !exists && !repeated:
			b.counts.Created++
		case c.OnConflict == ams.ConflictError:
			b.reject(e, "external_id", fmt.Sprintf("there is a record with the external_id %q already", externalID))
			continue
		case c.OnConflict == ams.ConflictSkip || exists && c.same(record, current):
			b.counts.Unchanged++
		default:
			b.counts.Updated++
		}
		c.earlier[hash] = true
	}
	return nil
}

// existing are the records that have the external ids of the entries.
func (c *check) existing(ctx context.Context, path string, entries []entry) (map[string]map[string]any, error) {
	var wanted []string
	for _, e := range entries {
		var record struct {
			ExternalID string `json:"external_id"`
		}
		if json.Unmarshal(e.body, &record) == nil && record.ExternalID != "" { // one that is no text is said by the schema
			wanted = append(wanted, record.ExternalID)
		}
	}
	found := map[string]map[string]any{}
	if len(wanted) == 0 {
		return found, nil
	}
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	query := url.Values{"external_id": {schema.ListOf(wanted...)}, "per_page": {"1000"}}
	if err := c.client.Request(ctx, ams.Request{Method: http.MethodGet, Path: path, Query: query}, &list); err != nil {
		return nil, err
	}
	for _, text := range list.Data {
		record, err := decode(text)
		if err != nil {
			return nil, err
		}
		externalID, _ := record["external_id"].(string)
		found[key(externalID)] = record
	}
	return found, nil
}

// decode reads a record with its numbers as they are written.
func decode(text []byte) (record map[string]any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&record)
	return record, err
}

// placeholder stands for the id of a record that is named by an external id.
const placeholder = "00000000-0000-7000-8000-000000000000"

// problems are what the description says against a record. Of a record that is there, nothing is required.
func (c *check) problems(record map[string]any, exists bool) (problems []ams.FieldError) {
	instance := map[string]any{}
	for name, value := range record {
		if reference, is := strings.CutSuffix(name, "_external_id"); is && !c.known[name] && c.known[reference+"_id"] {
			name, value = reference+"_id", placeholder
		}
		if text, is := value.(string); is { // an empty one is none
			if problem := schema.LineProblem(text); problem != "" && c.collection.Fields[name].OneLine {
				problems = append(problems, ams.FieldError{Field: name, Message: problem})
				continue
			}
			if value = schema.LineOrLines(text); value == "" {
				continue
			}
		}
		instance[name] = value
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(c.schema.Validate(instance), &invalid) {
		return problems
	}
	printer := message.NewPrinter(language.English)
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		switch what := e.ErrorKind.(type) {
		case *kind.Required:
			for _, name := range what.Missing {
				if !exists {
					problems = append(problems, ams.FieldError{Field: name, Message: "is required"})
				}
			}
		default:
			if len(e.Causes) == 0 {
				problems = append(problems, ams.FieldError{Field: strings.Join(e.InstanceLocation, "."), Message: what.LocalizedString(printer)})
			}
		}
	}
	walk(invalid)
	return problems
}

// same: every field that the record gives is so already, as far as it can be seen. References by external ids are not looked up.
func (c *check) same(record, current map[string]any) bool {
	for name, value := range record {
		now, shown := current[name]
		if !shown {
			continue
		}
		if name == "custom_fields" || name == "tags" {
			if !contains(now, value) {
				return false
			}
			continue
		}
		if !equal(value, now) {
			return false
		}
	}
	return true
}

// contains: custom fields are merged name by name.
func contains(now, value any) bool {
	fields, is := value.(map[string]any)
	has, both := now.(map[string]any)
	if !is || !both {
		return equal(value, now)
	}
	for name, one := range fields {
		if !equal(one, has[name]) {
			return false
		}
	}
	return true
}

func equal(a, b any) bool {
	if text, is := a.(string); is {
		line, lines := schema.Line(text), schema.Lines(text)
		return line == b || lines == b || line == "" && b == nil
	}
	left, isLeft := a.(json.Number)
	right, isRight := b.(json.Number)
	if isLeft && isRight {
		x, errX := left.Float64()
		y, errY := right.Float64()
		return errX == nil && errY == nil && x == y
	}
	return reflect.DeepEqual(a, b)
}
