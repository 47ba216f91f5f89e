package los

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// ComputeRequest is the period for which a measure is computed.
type ComputeRequest struct {
	PeriodStart *string `json:"period_start" format:"date" doc:"First day of the period. Left out: the first day of the month, quarter, half-year or year (the measure's frequency) in which the period ends." example:"2026-01-01"`
	PeriodEnd   *string `json:"period_end" format:"date" doc:"Last day of the period, not in the future. Left out: as_of, else today." example:"2026-11-21"`
	AsOf        *string `json:"as_of" format:"date" doc:"Day of figures that depend on one, such as past useful lives; not in the future. Left out: period_end, else today." example:"2026-11-21"`
}

// period is what a measure is computed for.
type period struct{ start, end, asOf string }

// computed is a measure that is to be computed.
type computed struct {
	dataSource, frequency string
	metric                *string
	area                  extent
}

const compute = "/v1/los/measures/{id}/compute"

var computeRequest = schema.Of[ComputeRequest]()

func (f family) mountCompute() {
	f.registry.API.Handle(transport.Operation{
		Method: http.MethodPost, Path: compute, ID: "compute_los_measure", BodyName: "MeasureComputation", Versioned: true, Scope: "los:write",
		Feature: feature, Status: http.StatusCreated, Summary: "Compute a measure and record the result as a measurement",
		Description: "The figure comes from the sites and buildings, or from the networks, of the measure's service area; from the whole " +
			"organization where the area names none of them. " +
			"Conditions, costs and lengths are those of today, whatever the period; work orders and breaks are those of the period. FCI is " +
			"that of horizon 0. " +
			"Lane-kilometres for each square kilometre need the organization's land_area_km2, connection-days the area's " +
			"properties_connected. " +
			"409 when the measure is not computed, when there is nothing to compute it from, and when the period has a measurement already.",
		Parameters: []transport.Parameter{
			{Name: "id", In: "path", Required: true, Schema: map[string]any{"type": "string", "format": "uuid"},
				Description: "Of the measure, as the list gives it."},
			{Name: "Idempotency-Key", In: "header", Description: "Up to 255 characters; the first answer is kept for 24 hours and given " +
				"again.", Schema: map[string]any{"type": "string", "maxLength": 255}},
		},
		Body: computeRequest.JSON, Response: transport.Reference("Measurement"),
	}, f.compute)
}

func (f family) compute(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	var in ComputeRequest
	if err := computeRequest.Read(body, "", reflect.ValueOf(&in).Elem(), nil).Err(); err != nil {
		return nil, err
	}
	measurement, err := f.computeMeasure(ctx, id, in)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(measurement)
	response := &transport.Response{Status: http.StatusCreated, Body: encoded}
	response.SetHeader("Location", f.registry.Catalogue.Must(measurements.Collection).Path+"/"+measurement.ID)
	response.SetHeader("ETag", fmt.Sprintf("%q", fmt.Sprint(measurement.Version)))
	return response, err
}

// computeMeasure fetches the value outside of any transaction, so that no lock is held while another service is slow.
func (f family) computeMeasure(ctx context.Context, id string, in ComputeRequest) (*Measurement, error) {
	measure, err := f.computedMeasure(ctx, id)
	if err != nil {
		return nil, err
	}
	p, err := in.period(resource.Today(ctx), measure.frequency)
	if err != nil {
		return nil, err
	}
	value, remarks, err := f.metricValue(ctx, *measure.metric, &measure.area, p)
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("Computed as %s of %s, as of %s.", *measure.metric, &measure.area, p.asOf)
	if len(remarks) > 0 {
		note += " " + remarks.String()
	}
	record := resource.New[Measurement](f.registry, measurements.Collection)
	record.MeasureID, record.PeriodStart, record.PeriodEnd, record.Value, record.Note = id, p.start, p.end, &value, &note
	err = f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := rejectSecond(ctx, tx, *measure.metric, record); err != nil {
			return err
		}
		return resource.Insert(ctx, tx, f.registry, measurements.Collection, []*Measurement{record})
	})
	return record, err
}

// computedMeasure reads a measure with its service area.
func (f family) computedMeasure(ctx context.Context, id string) (*computed, error) {
	var measure *computed
	err := f.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`SELECT m.data_source, m.frequency, m.computed_metric, a.site_ids, a.building_ids, a.network_ids,
				a.properties_connected
			FROM measure m JOIN service_area a ON a.organization_id = m.organization_id AND a.id = m.service_area_id
			WHERE m.organization_id = current_organization() AND m.id = $1::uuid`, id).Query(func(rows pgx.Rows) error {
			var m computed
			_, err := pgx.ForEachRow(rows, []any{&m.dataSource, &m.frequency, &m.metric, &m.area.Sites, &m.area.Buildings, &m.area.Networks,
				&m.area.PropertiesConnected},
				func() error { measure = &m; return nil })
			return err
		})
	})
	switch {
	case err != nil:
		return nil, err
	case measure == nil:
		return nil, fault.NotFound("los measure", id)
	case measure.metric == nil:
		return nil, fault.Conflict("not_computed", "data_source", measure.dataSource,
			"The measure is not computed: its data_source is %s. Record its values by POST /v1/los/measurements, or give it a computed_metric "+
				"first.", measure.dataSource)
	}
	return measure, nil
}

// rejectSecond locks the measure, so that no other transaction records a value of the period meanwhile, and rejects a period that has
// one. The second statement sees what was committed while the first one waited for the lock.
func rejectSecond(ctx context.Context, tx pgx.Tx, metric string, m *Measurement) error {
	var current, existing *string
	err := tx.QueryRow(ctx, `SELECT computed_metric FROM measure
		WHERE organization_id = current_organization() AND id = $1::uuid FOR NO KEY UPDATE`, m.MeasureID).Scan(&current)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fault.NotFound("los measure", m.MeasureID)
	case err != nil:
		return err
	case current == nil || *current != metric:
		return fault.Conflict("changed_meanwhile", "computed_metric", current,
			"The measure's computed_metric was changed while %s was computed; compute it again.", metric)
	}
	err = tx.QueryRow(ctx, `SELECT (SELECT id::text FROM measurement
		WHERE organization_id = current_organization() AND measure_id = $1::uuid AND period_start = $2::date AND period_end = $3::date)`,
		m.MeasureID, m.PeriodStart, m.PeriodEnd).Scan(&existing)
	if err != nil || existing == nil {
		return err
	}
	conflict := fault.Conflict("already_exists", "period_start", m.PeriodStart,
		"The measure has a measurement of %s to %s already; delete that, or name another period_start and period_end.", m.PeriodStart,
		m.PeriodEnd)
	conflict.ExistingID = *existing
	return conflict
}

// months is how long a period of each frequency is.
var months = map[string]int{"monthly": 1, "quarterly": 3, "semi_annual": 6, "annual": 12}

// period completes the requested period. It must end today or earlier.
func (in ComputeRequest) period(now, frequency string) (period, error) {
	p := period{end: first(in.PeriodEnd, in.AsOf, &now), asOf: first(in.AsOf, in.PeriodEnd, &now)}
	var problems schema.Problems
	for _, day := range []struct{ field, on string }{{"as_of", p.asOf}, {"period_end", p.end}} {
		if day.on > now {
			problems.Add(day.field, "must not be in the future: there are no figures yet")
		}
	}
	end, err := time.Parse(time.DateOnly, p.end)
	if err != nil {
		return p, err
	}
	length := months[frequency]
	month := (int(end.Month())-1)/length*length + 1
	begin := time.Date(end.Year(), time.Month(month), 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	if p.start = first(in.PeriodStart, &begin); p.start > p.end {
		problems.Add("period_start", "must be period_end (%s) or earlier", p.end)
	}
	return p, problems.Err()
}

// first gives the first text that is not nil.
func first(texts ...*string) string {
	for _, text := range texts {
		if text != nil {
			return *text
		}
	}
	return ""
}
