package meters

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
	"ams.internal/libs/transport"
)

const (
	// maxRows is how many readings a call may have.
	maxRows = 1000
	// maxAhead is how far the clock of who reads may be ahead of ours.
	maxAhead = 5 * time.Minute
)

// MeterReadingWrite is the body of a reading.
type MeterReadingWrite struct {
	ReadAt string  `json:"read_at" required:"true" format:"date-time" doc:"When it was read; at most 5 minutes from now." example:"2026-11-21T14:00:00Z"`
	Value  float64 `json:"value" required:"true" doc:"What the meter showed, less than 10^12; rounded to 6 decimals." example:"2070.5"`
	Unit   *string `json:"unit" enum:"h,min,km,mi,cycles,m3,L,kWh,GJ,kPa,degC,mm,%" doc:"The unit of value, where it is not the meter's: mi becomes km (1 mi = 1.609344 km), GJ becomes kWh (1 GJ = 1000/3.6 kWh), and the other way round. No other unit is converted." example:"km"`
	Kind   string  `json:"kind" default:"reading" enum:"reading,reset" doc:"reset: the counter was set to this value, or another meter stands in its place. What it runs is counted from here." example:"reading"`
}

// MeterReadingBulkCreateRow is a reading that names its meter.
type MeterReadingBulkCreateRow struct {
	MeterID         *string `json:"meter_id" format:"uuid" doc:"The meter; this or meter_external_id is required." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	MeterExternalID *string `json:"meter_external_id" maxLength:"255" doc:"In place of meter_id: the meter's external_id." example:"PLC-17"`
	MeterReadingWrite
}

var (
	oneReading  = schema.Of[MeterReadingWrite]()
	rowOfMeters = schema.Of[MeterReadingBulkCreateRow]()
)

// call is one call that records readings.
type call struct {
	meterID    string // of the path; "" where each row names its own
	single     bool   // it is no bulk call: fields are named without the row
	atomic     bool
	onConflict string // error, skip or update
	now        time.Time

	rows     []row
	meters   map[string]*meterState // by id
	external map[string]*meterState // by the key of their external ids
	bulkID   string
}

// row is one reading of a call.
type row struct {
	MeterReadingBulkCreateRow
	at     time.Time
	value  Quantity
	meter  *meterState
	id     string
	status string // created, updated, unchanged or skipped
	failed *fault.Error
}

var (
	atomicParameter = transport.Parameter{Name: "atomic", In: "query", Shared: true,
		Schema: map[string]any{"type": "boolean", "default": true}, Description: "true: all rows or none. false: each row on its own."}
	conflictParameter = transport.Parameter{Name: "on_conflict", In: "query",
		Schema: map[string]any{"type": "string", "enum": []string{"error", "skip", "update"}, "default": "error"},
		Description: "What to do with a reading of a time that the meter has another value of: refuse it (409), leave what is there, " +
			"or correct it. The same value again changes nothing in any case."}
	keyParameter = transport.Parameter{Name: "Idempotency-Key", In: "header", Shared: true,
		Schema:      map[string]any{"type": "string", "maxLength": 255},
		Description: "Up to 255 characters; the first answer is kept for 24 hours and given again."}
	meterParameter = transport.Parameter{Name: "meter_id", In: "path", Required: true, Description: "The meter.",
		Schema: map[string]any{"type": "string", "format": "uuid"}}
)

func (m metering) mountRecording() {
	api := m.registry.API
	result := api.Component("MeterReadingBulkResult", map[string]any{"type": "object", "required": []string{"results", "summary"},
		"properties": map[string]any{
			"results": map[string]any{"type": "array", "items": transport.Reference("BulkRowResult"), "description": "Of every row, in its order."},
			"summary": transport.Reference("BulkSummary")}})
	rows := func(name string, of *schema.Schema) any {
		return map[string]any{"type": "object", "required": []string{"data"}, "properties": map[string]any{"data": map[string]any{
			"type": "array", "minItems": 1, "maxItems": maxRows, "items": api.Component(name, of.JSON)}}}
	}
	api.Handle(transport.Operation{
		Method: http.MethodPost, Path: "/v1/meters/{meter_id}/readings", ID: "create_meter_reading", Scope: scope + ":write", Feature: feature,
		Summary: "Record a reading of a meter",
		Description: "201, or 200 when this very reading was there. A counter that falls is refused with the value of the reading " +
			"before, unless it rolled over; a reading may be late, and changes the sums then.",
		Parameters: []transport.Parameter{meterParameter, conflictParameter, keyParameter}, Body: oneReading.JSON, BodyName: "MeterReadingWrite",
		Response: transport.Reference("MeterReading"), OrCreated: true, Status: http.StatusOK,
	}, m.recordOne)
	api.Handle(transport.Operation{
		Method: http.MethodPost, Path: "/v1/meters/readings/bulk", ID: "create_meter_readings_bulk", Scope: scope + ":write", Feature: feature,
		MaxBody: transport.MaxBulkBody, Summary: "Record up to 1000 readings of any meters",
		Description: "One call against the rate limit. Rows may be in any order of time. The readings are not repeated in the answer.",
		Parameters:  []transport.Parameter{atomicParameter, conflictParameter, keyParameter},
		Body:        rows("MeterReadingBulkCreateRow", rowOfMeters), BodyName: "MeterReadingBulkCreate", Response: result,
	}, m.recordMany)
	api.Handle(transport.Operation{
		Method: http.MethodPost, Path: "/v1/meters/{meter_id}/readings/bulk", ID: "create_readings_of_meter_bulk", Scope: scope + ":write",
		Feature: feature, MaxBody: transport.MaxBulkBody, Summary: "Record up to 1000 readings of a meter",
		Description: "As the bulk call for any meters; the rows do not name their meter.",
		Parameters:  []transport.Parameter{meterParameter, atomicParameter, conflictParameter, keyParameter},
		Body:        rows("MeterReadingWrite", oneReading), BodyName: "MeterReadingBulkCreateOfMeter", Response: result,
	}, m.recordMany)
}

// recordOne serves POST /v1/meters/{meter_id}/readings.
func (m metering) recordOne(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	c := &call{single: true, atomic: true, now: time.Now()}
	var problems schema.Problems
	if err := c.readParameters(r, &problems, "on_conflict"); err != nil {
		return nil, err
	}
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	c.take([]any{body})
	if failed := c.rows[0].failed; failed != nil {
		return nil, failed
	}
	var response *transport.Response
	err = m.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := m.record(ctx, tx, c); err != nil {
			return err
		}
		recorded := &c.rows[0]
		if recorded.failed != nil {
			return recorded.failed
		}
		shown, err := showReading(ctx, tx, c.meterID, recorded.at)
		if err != nil {
			return err
		}
		status := http.StatusOK
		if recorded.status == "created" {
			status = http.StatusCreated
		}
		response, err = transport.JSON(status, shown)
		return err
	})
	return response, postgres.Fault(err, nil)
}

// recordMany serves the bulk calls.
func (m metering) recordMany(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	c := &call{atomic: true, now: time.Now(), bulkID: uuid.Must(uuid.NewV7()).String()}
	var problems schema.Problems
	if err := c.readParameters(r, &problems, "atomic", "on_conflict"); err != nil {
		return nil, err
	}
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	for name := range body {
		if name != "data" && !schema.Tenant(name) {
			problems.Add(name, "is not a field of a bulk call; the readings stand in data")
		}
	}
	rows, ok := body["data"].([]any)
	if !ok || len(rows) < 1 || len(rows) > maxRows {
		problems.Add("data", "must be a list of 1 to %d readings", maxRows)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	c.take(rows)
	err = m.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := m.record(ctx, tx, c); err != nil {
			return err
		}
		if c.atomic {
			return c.err()
		}
		return nil
	})
	if err != nil {
		return nil, postgres.Fault(err, nil)
	}
	results, summary := c.results(false)
	return transport.JSON(http.StatusOK, map[string]any{"results": results, "summary": summary})
}

func (c *call) readParameters(r *transport.Request, problems *schema.Problems, allowed ...string) error {
	if err := r.CheckQuery(allowed...); err != nil {
		return err
	}
	if !strings.HasPrefix(r.URL.Path, "/v1/meters/readings/") { // the rows of that name their meters
		id, err := r.ID("meter_id")
		if err != nil {
			return err
		}
		c.meterID = id
	}
	if text := r.Query.Get("atomic"); r.Query.Has("atomic") {
		if text != "true" && text != "false" {
			problems.Add("atomic", "must be true or false")
		}
		c.atomic = text == "true"
	}
	c.onConflict = "error"
	if r.Query.Has("on_conflict") {
		if c.onConflict = r.Query.Get("on_conflict"); c.onConflict != "error" && c.onConflict != "skip" && c.onConflict != "update" {
			problems.Add("on_conflict", "must be one of error, skip, update%s",
				suggest.DidYouMean(c.onConflict, []string{"error", "skip", "update"}))
		}
	}
	return nil
}

// prefix is what stands before the names of a row's fields.
func (c *call) prefix(i int) string {
	if c.single {
		return ""
	}
	return fmt.Sprintf("data[%d].", i)
}

// take reads the rows strictly.
func (c *call) take(bodies []any) {
	c.rows = make([]row, len(bodies))
	for i, entry := range bodies {
		r := &c.rows[i]
		body, is := entry.(map[string]any)
		if !is {
			r.failed = fault.InvalidFields(fault.Field{Field: fmt.Sprintf("data[%d]", i), Message: "must be an object"})
			continue
		}
		if problems := c.read(r, body, c.prefix(i)); len(problems) > 0 {
			r.failed = fault.InvalidFields(problems...)
		}
	}
}

func (c *call) read(r *row, body map[string]any, prefix string) (problems schema.Problems) {
	if c.meterID != "" {
		problems = oneReading.Read(body, prefix, reflect.ValueOf(&r.MeterReadingWrite).Elem(), nil)
	} else {
		problems = rowOfMeters.Read(body, prefix, reflect.ValueOf(&r.MeterReadingBulkCreateRow).Elem(), nil)
		if (r.MeterID == nil) == (r.MeterExternalID == nil) && len(problems) == 0 {
			problems.Add(prefix+"meter_id", "is required, or meter_external_id, and not both")
		}
	}
	if len(problems) > 0 {
		return problems
	}
	var err error
	if r.value, err = quantityOf(body["value"]); err != nil { // of what was sent: a float64 has not all its digits
		problems.Add(prefix+"value", "%s", err)
	}
	if r.at, err = time.Parse(time.RFC3339Nano, r.ReadAt); err != nil {
		problems.Add(prefix+"read_at", "must be a time as in 2026-01-31T14:00:00Z")
	} else if r.at.After(c.now.Add(maxAhead)) {
		problems.Add(prefix+"read_at", "must not be in the future; it is %s now", c.now.UTC().Format(time.RFC3339))
	}
	return problems
}

// result says what became of one row.
type result struct {
	Index  int           `json:"index"`
	Status string        `json:"status"`
	ID     string        `json:"id,omitempty"`
	Error  string        `json:"error,omitempty"`
	Code   string        `json:"code,omitempty"`
	Field  string        `json:"field,omitempty"`
	Value  any           `json:"value,omitempty"`
	Fields []fault.Field `json:"fields,omitempty"`
}

// summary counts the results.
type summary struct {
	Created   int `json:"created"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Skipped   int `json:"skipped"`
	Deleted   int `json:"deleted"`
	Failed    int `json:"failed"`
}

// results lists the rows: all of them, or the failed ones only.
func (c *call) results(failedOnly bool) ([]result, summary) {
	results, counts := make([]result, 0, len(c.rows)), summary{}
	for i := range c.rows {
		r := &c.rows[i]
		shown := result{Index: i, Status: r.status, ID: r.id}
		if f := r.failed; f != nil {
			shown = result{Index: i, Status: "failed", ID: f.ExistingID, Error: f.Message, Code: f.Code, Field: f.Field, Value: f.Value,
				Fields: f.Fields}
			if shown.Field == "" && len(f.Fields) > 0 {
				shown.Field = strings.TrimPrefix(f.Fields[0].Field, c.prefix(i))
			}
			counts.Failed++
		}
		switch shown.Status {
		case "created":
			counts.Created++
		case "updated":
			counts.Updated++
		case "unchanged":
			counts.Unchanged++
		case "skipped":
			counts.Skipped++
		}
		if !failedOnly || r.failed != nil {
			results = append(results, shown)
		}
	}
	return results, counts
}

// err is the response to an atomic call with a bad row: nothing is written, and every bad row is named.
func (c *call) err() error {
	first := fault.Worst(func(yield func(*fault.Error) bool) {
		for i := range c.rows {
			if !yield(c.rows[i].failed) {
				return
			}
		}
	})
	if first == nil {
		return nil
	}
	results, counts := c.results(true)
	counts = summary{Failed: counts.Failed}
	whole := *first
	whole.Message = fmt.Sprintf("%d of %d rows cannot be written, so none was. The first: %s", counts.Failed, len(c.rows), first.Message)
	whole.Results, whole.Summary = results, counts
	return &whole
}

// encoded is a value as JSON.
func encoded(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // of quantities and texts only
	}
	return text
}
