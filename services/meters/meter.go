package meters

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/domain/placement"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
)

// Meter counts or gauges something of one record: the hours of a pump, the kilometres of a plow, the pressure of a main.
type Meter struct {
	resource.Record
	Name       string   `json:"name" required:"true" unique:"site_id,building_id,system_id,asset_id,segment_id" filter:"prefix" sort:"true" search:"name" doc:"What it measures. Unique on its record: plans find a meter by record and name." example:"Engine hours"`
	SiteID     *string  `json:"site_id" references:"sites" filter:"equals" doc:"The site that it is of. Exactly one of site_id, building_id, system_id, asset_id and segment_id is required." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	BuildingID *string  `json:"building_id" references:"buildings" filter:"equals" doc:"The building that it is of." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SystemID   *string  `json:"system_id" references:"systems" filter:"equals" doc:"The system that it is of." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	AssetID    *string  `json:"asset_id" references:"assets" filter:"equals" doc:"The asset that it is of." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SegmentID  *string  `json:"segment_id" references:"segments" filter:"equals" doc:"The segment that it is of." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Kind       string   `json:"kind" required:"true" enum:"counter,gauge" filter:"equals" sort:"true" doc:"counter: only rises, and what it has run is summed up. gauge: shows what is now, such as a pressure. Fixed from the first reading on." example:"counter"`
	Unit       string   `json:"unit" required:"true" enum:"h,min,km,mi,cycles,m3,L,kWh,GJ,kPa,degC,mm,%" filter:"equals" doc:"Of its readings. Fixed from the first reading on." example:"h"`
	RolloverAt *float64 `json:"rollover_at" minimum:"0.000001" maximum:"999999999999" doc:"Of a counter: where it begins again at 0, such as 100000 with five digits. A reading that is lower than the one before is a rollover when less than half of this was run; else it is refused." example:"100000"`
	Minimum    *float64 `json:"minimum" minimum:"-999999999999" maximum:"999999999999" doc:"Readings below it are flagged." example:"0"`
	Maximum    *float64 `json:"maximum" minimum:"-999999999999" maximum:"999999999999" doc:"Readings above it are flagged." example:"95000"`

	Latest       *Latest  `json:"latest" readOnly:"true" doc:"The reading with the latest read_at; null while there is none."`
	TotalUsage   *float64 `json:"total_usage" readOnly:"true" doc:"Of a counter: what it has run since its first reading, over rollovers and resets. Null for a gauge." example:"2070"`
	DailyUsage90 *float64 `json:"daily_usage_90" readOnly:"true" doc:"Of a counter: what it has run in the last 90 days, today included, divided by 90. What was run between two readings counts on the day of the later one. Null for a gauge." example:"6"`
}

// Latest is the latest reading of a meter.
type Latest struct {
	Value   float64 `json:"value" doc:"In the meter's unit." example:"120"`
	ReadAt  string  `json:"read_at" format:"date-time" doc:"When it was read." example:"2026-11-21T14:00:00Z"`
	Flagged bool    `json:"flagged" doc:"The value is below minimum or above maximum." example:"false"`
}

// ofState is an expression over what is kept of the meter t.
func ofState(expression string) string {
	return "(SELECT " + expression + " FROM meter_state s WHERE s.organization_id = t.organization_id AND s.meter_id = t.id)"
}

// dailyUsage is what a counter has run in 90 days by day, as an expression over the meter t. It reads the sums of days, never readings.
const dailyUsage = `(SELECT trim_scale(round(coalesce(sum(d.usage), 0) / 90, 6)) FROM meter_day d
	WHERE d.organization_id = t.organization_id
	AND d.meter_id = t.id AND d.day > ` + indicators.Today + ` - 90 AND d.day <= ` + indicators.Today + `)`

func (m metering) meters() resource.Definition[Meter] {
	return resource.Definition[Meter]{
		Collection: "meters", Table: "meter", Category: "kind",
		Computed: map[string]string{
			"latest": ofState(`CASE WHEN s.latest_read_at IS NOT NULL THEN json_build_object('value', trim_scale(s.latest_value),
				'read_at', ` + postgres.TimeText("s.latest_read_at") +
				`, 'flagged', coalesce(s.latest_value < t.minimum OR s.latest_value > t.maximum, false))
				END`),
			"total_usage":    "CASE WHEN t.kind = 'counter' THEN coalesce(" + ofState("trim_scale(s.total_usage)") + ", 0) END",
			"daily_usage_90": "CASE WHEN t.kind = 'counter' THEN " + dailyUsage + " END",
		},
		BeforeWrite: prepareMeters,
		AfterWrite:  keepStates,
	}
}

// places are the references of which a meter has one, in the order of placement.Fields.
func (m *Meter) places() []*string {
	return []*string{m.SiteID, m.BuildingID, m.SystemID, m.AssetID, m.SegmentID}
}

func prepareMeters(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Meter]) error {
	fixed := map[string]*resource.Change[Meter]{} // those that may change only while there is no reading
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		c.After.check(c.FieldError)
		if c.Before != nil && (c.Before.Kind != c.After.Kind || c.Before.Unit != c.After.Unit) {
			fixed[c.ID()] = c
		}
	}
	if len(fixed) == 0 {
		return nil
	}
	var ids []string
	for id := range fixed {
		ids = append(ids, id)
	}
	rows, err := tx.Query(ctx, `SELECT meter_id::text, readings FROM meter_state WHERE organization_id = current_organization()
		AND meter_id = ANY($1::uuid[]) ORDER BY meter_id FOR UPDATE`, ids)
	if err != nil {
		return err
	}
	var id string
	var readings int64
	_, err = pgx.ForEachRow(rows, []any{&id, &readings}, func() error {
		if c := fixed[id]; readings > 0 {
			field, value := "kind", c.After.Kind
			if c.Before.Kind == c.After.Kind {
				field, value = "unit", c.After.Unit
			}
			c.Reject(fault.Conflict("meter_has_readings", field, value,
				"The meter has %d readings as a %s in %s; make another meter for what is measured otherwise.", readings, c.Before.Kind, c.Before.Unit))
		}
		return nil
	})
	return err
}

func (m *Meter) check(fieldError func(field, format string, args ...any)) {
	placement.One(m.places(), "a meter is of one record", fieldError)
	if m.Kind == "gauge" && m.RolloverAt != nil {
		fieldError("rollover_at", "is for counters only; a gauge falls and rises")
	}
	if m.Minimum != nil && m.Maximum != nil && *m.Maximum < *m.Minimum {
		fieldError("maximum", "must be minimum (%v) or more", *m.Minimum)
	}
}

// keepStates makes the row in which the sums of a new meter are kept, and deletes what there is of a deleted one. Readings lock that row,
// so that those of one meter are written one call after the other, and none behind the delete of the meter, with which the row goes.
func keepStates(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Meter]) error {
	var made, deleted []string
	for _, c := range changes {
		switch {
		case c.Before == nil:
			made = append(made, c.ID())
		case c.After == nil:
			deleted = append(deleted, c.ID())
		}
	}
	batch := &pgx.Batch{}
	if made != nil {
		batch.Queue(`INSERT INTO meter_state (organization_id, meter_id) SELECT current_organization(), unnest($1::uuid[])`, made)
	}
	if deleted != nil {
		batch.Queue(`DELETE FROM meter_reading WHERE organization_id = current_organization() AND meter_id = ANY($1::uuid[])`, deleted)
		batch.Queue(`DELETE FROM meter_day WHERE organization_id = current_organization() AND meter_id = ANY($1::uuid[])`, deleted)
	}
	if batch.Len() == 0 {
		return nil
	}
	return postgres.Later(ctx, tx, batch)
}
