package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/cmd/amsctl/rows"
)

// entry is one record of a call, and the row it came from.
type entry struct {
	row  rows.Row
	name string
	of   parent // of a sub-collection: what the record belongs to
	body json.RawMessage
}

// batch is the rows between two acknowledged places of the file. It always holds whole rows.
type batch struct {
	start, end rows.Position
	entries    []entry
	bytes      int
	rejected   []Reject
	counts     Counts
}

func (r *running) newBatch() *batch {
	return &batch{start: r.state.Position}
}

func (b *batch) fits(entries []entry, max int) bool {
	bytes := b.bytes
	for _, e := range entries {
		bytes += len(e.body)
	}
	if len(b.entries) == 0 && len(b.rejected) == 0 {
		return true
	}
	return len(b.entries)+len(entries) <= max && len(b.rejected) < MaxBatch && bytes <= maxBatchBytes && b.counts.Skipped < 100*MaxBatch
}

func (b *batch) add(entries []entry, rejected []Reject, skipped bool) {
	b.entries = append(b.entries, entries...)
	for _, e := range entries {
		b.bytes += len(e.body)
	}
	b.rejected = append(b.rejected, rejected...)
	b.counts.Rows++
	if skipped {
		b.counts.Skipped++
	}
}

// flush sends a batch and, once it has a response, records that it is done: first the rejects, then the state.
func (r *running) flush(ctx context.Context, b *batch) error {
	groups, err := r.byParent(ctx, b)
	if err != nil {
		return err
	}
	part := 0
	for _, g := range groups {
		for rest := g.entries; len(rest) > 0; part++ {
			max := min(len(rest), r.BatchSize) // one row may make more records than a call takes
			left, err := r.call(ctx, b, g.path, rest[:max], fmt.Sprintf("%s-%d-%d", r.state.Run, b.start.Offset, part))
			if err != nil {
				return err
			}
			rest = append(left, rest[max:]...)
		}
	}
	if err := r.rejects.write(b.rejected); err != nil {
		return err
	}
	r.state.Position, r.state.RejectsBytes = b.end, r.rejects.size
	r.state.Counts.add(b)
	if err := r.state.save(r.State); err != nil {
		return err
	}
	r.Progress.Advance(r.state)
	return nil
}

// response is the part of a bulk call's answer that matters here.
type response struct {
	Results []struct {
		Index  int    `json:"index"`
		Status string `json:"status"`
		Error  string `json:"error"`
		Field  string `json:"field"`
		Fields []struct {
			Field   string `json:"field"`
			Message string `json:"message"`
		} `json:"fields"`
	} `json:"results"`
}

var inRow = regexp.MustCompile(`^data\[(\d+)\]\.?(.*)$`)

// call sends records once. left are those to be sent again, because the whole call was refused for the sake of
// others among them, which are rejected.
func (r *running) call(ctx context.Context, b *batch, path string, entries []entry, once string) (left []entry, err error) {
	bodies := make([]json.RawMessage, len(entries))
	for i, e := range entries {
		bodies[i] = e.body
	}
	var got response
	err = r.client.Request(ctx, ams.Request{
		Method: http.MethodPost, Path: path + "/bulk", IdempotencyKey: once, Header: r.importID(),
		Query: url.Values{"atomic": {"false"}, "on_conflict": {r.OnConflict}},
		Body:  map[string]any{"data": bodies},
	}, &got)
	var failure *ams.Error
	if errors.As(err, &failure) && failure.Status == http.StatusBadRequest {
		return b.refused(entries, failure)
	}
	if errors.As(err, &failure) && failure.Status == http.StatusNotFound && r.collection.Parent != "" {
		for _, e := range entries {
			b.reject(e, r.collection.Parent, failure.Message)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	responded := make([]bool, len(entries))
	for _, result := range got.Results {
		if result.Index < 0 || result.Index >= len(entries) || responded[result.Index] {
			return nil, fmt.Errorf("the service's answer names record %d of a call with %d records", result.Index, len(entries))
		}
		responded[result.Index] = true
		switch result.Status {
		case "created":
			b.counts.Created++
		case "updated":
			b.counts.Updated++
		case "unchanged", "skipped":
			b.counts.Unchanged++
		default:
			if len(result.Fields) == 0 {
				b.reject(entries[result.Index], result.Field, result.Error)
			}
			for _, field := range result.Fields {
				name := field.Field
				if parts := inRow.FindStringSubmatch(name); parts != nil {
					name = parts[2]
				}
				b.reject(entries[result.Index], name, field.Message)
			}
		}
	}
	for i, done := range responded {
		if !done {
			return nil, fmt.Errorf("the service's answer says nothing about record %d of %d", i, len(entries))
		}
	}
	return nil, nil
}

// refused sorts out a call that was refused whole: the records that the response names are rejected.
func (b *batch) refused(entries []entry, failure *ams.Error) (left []entry, err error) {
	bad := map[int]bool{}
	for _, field := range failure.Fields {
		parts := inRow.FindStringSubmatch(field.Field)
		if parts == nil {
			continue
		}
		if index, err := strconv.Atoi(parts[1]); err == nil && index < len(entries) {
			bad[index] = true
			b.reject(entries[index], parts[2], field.Message)
		}
	}
	if len(bad) == 0 {
		return nil, failure
	}
	for i, e := range entries {
		if !bad[i] {
			left = append(left, e)
		}
	}
	return left, nil
}

func (b *batch) reject(e entry, field, message string) {
	b.rejected = append(b.rejected, Reject{Line: e.row.Line, Record: e.name, Field: field, Message: message, Row: e.row})
}

// distinct counts records, not problems: a record may have several.
func distinct(rejected []Reject) int {
	type record struct {
		line int
		name string
	}
	seen := map[record]bool{}
	for _, reject := range rejected {
		seen[record{reject.Line, reject.Record}] = true
	}
	return len(seen)
}
