// Package meters has the contracts of the operations that the meters service serves to other services.
package meters

import (
	"encoding/json"

	"ams.internal/libs/reference"
)

const owner = "meters"

var (
	// Usages is what the meters of one name have run, of many records.
	Usages = reference.Contract[UsageQuery, UsageResponse]{Owner: owner, Path: "/meters/usage", Repeatable: true}

	// Gauges is how often the gauges of one name went beyond a limit since somebody looked.
	Gauges = reference.Contract[GaugesQuery, GaugesResponse]{Owner: owner, Path: "/meters/gauges", Repeatable: true}
)

// UsageQuery asks what the meters of one name have run, of many records.
type UsageQuery struct {
	Name    string        `json:"name" required:"true"`
	Records []UsageRecord `json:"records" maxItems:"10000"`
}

// UsageRecord is a record, and the time up to which its usage is wanted as well.
type UsageRecord struct {
	ID string  `json:"id" format:"uuid"`
	At *string `json:"at,omitempty" required:"false" format:"date-time"`
}

// UsageResponse has an entry for each record that has a meter of that name.
type UsageResponse struct {
	Data []Usage `json:"data"`
}

// Usage is what one meter has run. UsageAt is the total at the time that was asked for; both totals and the daily usage are null of a
// gauge. Quantities have six decimals, more than a float64 holds of the largest.
type Usage struct {
	RecordID     string       `json:"record_id"`
	MeterID      string       `json:"meter_id"`
	Kind         string       `json:"kind"`
	Unit         string       `json:"unit"`
	TotalUsage   *json.Number `json:"total_usage"`
	UsageAt      *json.Number `json:"usage_at"`
	DailyUsage90 *json.Number `json:"daily_usage_90"`
	Latest       *UsageLatest `json:"latest"`
}

// UsageLatest is the latest reading.
type UsageLatest struct {
	Value  json.Number `json:"value"`
	ReadAt string      `json:"read_at"`
}

// GaugesQuery asks how often the gauges of one name went beyond a limit since somebody looked.
type GaugesQuery struct {
	Name       string        `json:"name" required:"true"`
	Above      *float64      `json:"gt,omitempty" doc:"Beyond is more than this."`
	Below      *float64      `json:"lt,omitempty" doc:"Beyond is less than this."`
	ClearValue *float64      `json:"clear_value,omitempty" doc:"An excursion is over here, or further from the limit; without it, at the limit."`
	Records    []GaugeRecord `json:"records" maxItems:"10000"`
}

// GaugeRecord is a record with what the last look gave.
type GaugeRecord struct {
	ID      string  `json:"id" format:"uuid"`
	Since   *string `json:"since,omitempty" required:"false" format:"date-time"`
	Outside bool    `json:"outside,omitempty" required:"false"`
}

// GaugesResponse has an entry for each record that has a gauge of that name.
type GaugesResponse struct {
	Data []Gauge `json:"data"`
}

// Gauge is what one gauge has done since the last look.
type Gauge struct {
	RecordID   string      `json:"record_id"`
	MeterID    string      `json:"meter_id"`
	Unit       string      `json:"unit"`
	Excursions []Excursion `json:"excursions"`
	Outside    bool        `json:"outside"`
	ReadTo     *string     `json:"read_to"`
}

// Excursion is the reading with which a gauge went beyond the limit.
type Excursion struct {
	At    string      `json:"at"`
	Value json.Number `json:"value"`
}
