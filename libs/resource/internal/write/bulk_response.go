package write

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/transport"
)

// Result says what became of one row of a bulk call.
type Result struct {
	Index  int           `json:"index"`
	Status string        `json:"status" enum:"created,updated,unchanged,skipped,deleted,failed"`
	ID     string        `json:"id,omitempty"`
	Error  string        `json:"error,omitempty"`
	Code   string        `json:"code,omitempty"`
	Field  string        `json:"field,omitempty"`
	Value  any           `json:"value,omitempty"`
	Fields []fault.Field `json:"fields,omitempty"`
	// OtherIndex is the row of this call that has the value already.
	OtherIndex *int `json:"other_index,omitempty"`
}

// Summary counts the results of a bulk call.
type Summary struct {
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Skipped   int `json:"skipped"`
	Deleted   int `json:"deleted"`
	Failed    int `json:"failed"`
}

// collectFailures takes what was said of the changes over to their rows.
func (b *bulk) collectFailures() {
	for i, it := range b.changes {
		if it != nil && b.failures[i] == nil {
			b.failures[i] = it.Err()
		}
	}
	for i, failure := range b.failures {
		if failure == nil || failure.Code != "already_exists" {
			continue
		}
		if j := b.givenBy(failure); j >= 0 && j != i {
			own := *failure
			own.ExistingID = "" // where nothing is written, it names no record, or one that has another value
			own.Message = fmt.Sprintf("%s %q is twice in this call: row %d has it as well.", failure.Field, fmt.Sprint(failure.Value), j)
			b.failures[i], b.others[i] = &own, &j
		}
	}
}

// givenBy is the row of this call that gave its record the value of a conflict, or -1.
func (b *bulk) givenBy(conflict *fault.Error) int {
	if b.Schema.Field(conflict.Field) == nil || conflict.ExistingID == "" {
		return -1
	}
	return slices.IndexFunc(b.changes, func(it *change.Change) bool {
		return it != nil && it.ID == conflict.ExistingID && (it.Before == nil || it.Sets(conflict.Field))
	})
}

// results lists the rows: all of them, or the failed ones only.
func (b *bulk) results(failedOnly bool) ([]Result, Summary) {
	results := make([]Result, 0, len(b.bodies))
	var summary Summary
	for i := range b.bodies {
		result := Result{Index: i, Status: b.status[i]}
		if it := b.changes[i]; it != nil {
			result.ID = it.ID
			if result.Status == "updated" && it.Unchanged {
				result.Status = "unchanged"
			}
		}
		if failure := b.failures[i]; failure != nil {
			result = Result{
				Index: i, Status: "failed", Error: failure.Message, Code: failure.Code, Field: strings.TrimPrefix(failure.Field, b.prefix(i)),
				Value: failure.Value, Fields: failure.Fields, OtherIndex: b.others[i],
			}
			if result.Field == "" && len(failure.Fields) > 0 {
				result.Field = strings.TrimPrefix(failure.Fields[0].Field, b.prefix(i))
			}
			if result.ID = failure.ExistingID; result.ID == "" && b.changes[i] != nil && b.changes[i].Before != nil {
				result.ID = b.changes[i].ID
			}
		}
		switch result.Status {
		case "created":
			summary.Created++
		case "updated":
			summary.Updated++
		case "unchanged":
			summary.Unchanged++
		case "skipped":
			summary.Skipped++
		case "deleted":
			summary.Deleted++
		default:
			summary.Failed++
		}
		if !failedOnly || result.Status == "failed" {
			results = append(results, result)
		}
	}
	return results, summary
}

// err is the response to an atomic call with a bad row: nothing is written, and every bad row is named.
func (b *bulk) err() error {
	first := fault.Worst(slices.Values(b.failures))
	if first == nil {
		return nil
	}
	results, summary := b.results(true)
	summary = Summary{Failed: summary.Failed}
	whole := *first
	whole.Message = fmt.Sprintf("%d of %d rows cannot be written, so none was. The first: %s", summary.Failed, len(b.bodies), first.Message)
	whole.Results, whole.Summary = results, summary
	return &whole
}

func (b *bulk) response(ctx context.Context) *transport.Response {
	results, summary := b.results(false)
	body := []byte(`{"data":[`)
	shown, columns := map[*change.Change]bool{}, b.For(ctx).Columns
	for i, it := range b.changes {
		if b.failures[i] != nil || it == nil || it.Written == nil || shown[it] {
			continue
		}
		if len(shown) == 1 { // the others are about as long
			body = slices.Grow(body, len(body)*len(b.changes))
		}
		if len(shown) > 0 {
			body = append(body, ',')
		}
		shown[it] = true
		body = table.AppendRecord(body, columns, it.Written)
	}
	encoded, err := json.Marshal(struct {
		Results []Result `json:"results"`
		Summary Summary  `json:"summary"`
	}{results, summary})
	if err != nil {
		panic(err) // texts, numbers and parsed JSON only: cannot fail
	}
	body = append(append(body, "],"...), encoded[1:]...)
	return &transport.Response{Status: http.StatusOK, Body: body}
}
