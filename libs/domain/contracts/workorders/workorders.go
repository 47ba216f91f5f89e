// Package workorders has the contracts of the operations that the workorders service serves to other services.
package workorders

import "ams.internal/libs/reference"

const owner = "workorders"

var (
	// Counts are the open work orders of records.
	Counts = reference.Contract[CountsRequest, CountsResponse]{Owner: owner, Path: "/work-orders/counts", Repeatable: true}

	// SegmentBreaks are the breaks of a period. A break is a corrective or emergency work order on a segment whose problem code is break
	// and that was not cancelled. Of one with several segments as its targets, each is broken. It counts on the day the work was
	// requested, in the organization's time zone.
	SegmentBreaks = reference.Contract[BreaksRequest, BreaksResponse]{Owner: owner, Path: "/work-orders/breaks", Repeatable: true}

	// LostConnections is how long connections were without service in a period.
	LostConnections = reference.Contract[ConnectionsRequest, ConnectionsResponse]{Owner: owner, Path: "/work-orders/connections",
		Repeatable: true}

	// Work, Levels and Maintenance are the figures of a period that measures of service levels are computed from.
	Work        = reference.Contract[IndicatorsRequest, WorkIndicators]{Owner: owner, Path: "/work-orders/figures", Repeatable: true}
	Levels      = reference.Contract[IndicatorsRequest, ServiceLevels]{Owner: owner, Path: "/work-orders/service-levels", Repeatable: true}
	Maintenance = reference.Contract[IndicatorsRequest, MaintenanceFigures]{Owner: owner, Path: "/maintenance/figures", Repeatable: true}
)

// CountsRequest is a request for the number of open work orders of some records, or of all of a kind.
type CountsRequest struct {
	By  string   `json:"by" required:"true" enum:"site_id,building_id,system_id,asset_id,segment_id" doc:"The reference to count by."`
	IDs []string `json:"ids" maxItems:"5000" doc:"The records that are asked about; all when empty."`
}

// CountsResponse has the records with open work orders. The others have none.
type CountsResponse struct {
	Data []Count `json:"data"`
}

// Count is the open work orders of one record.
type Count struct {
	ID      string `json:"id"`
	Open    int    `json:"open" doc:"Open, in progress or on hold."`
	Overdue int    `json:"overdue" doc:"Those of them whose due date is over."`
}

// BreaksRequest is a request for the segments that broke in a period.
type BreaksRequest struct {
	PeriodStart string `json:"period_start" required:"true" format:"date" doc:"First day, in the organization's time zone."`
	PeriodEnd   string `json:"period_end" required:"true" format:"date" doc:"Last day."`
}

// BreaksResponse has the segments that broke.
type BreaksResponse struct {
	Data []Breaks `json:"data"`
}

// Breaks is how often one segment broke.
type Breaks struct {
	ID    string `json:"id"`
	Count int    `json:"count"`
}

// ConnectionsRequest is a request for how long connections were without service in a period. Where BySegment is false and no place is
// named, the work orders of the whole organization are added up.
type ConnectionsRequest struct {
	SiteIDs     []string `json:"site_ids" maxItems:"5000" doc:"With building_ids: places whose work orders are added up."`
	BuildingIDs []string `json:"building_ids" maxItems:"5000"`
	BySegment   bool     `json:"by_segment" doc:"Whether work orders at no such place are added up by segment."`
	PeriodStart string   `json:"period_start" required:"true" format:"date" doc:"First day, in the organization's time zone."`
	PeriodEnd   string   `json:"period_end" required:"true" format:"date" doc:"Last day."`
}

// ConnectionsResponse has the lost time at the places, and on each segment of work orders elsewhere.
type ConnectionsResponse struct {
	Lost
	Segments []SegmentConnections `json:"segments"`
}

// SegmentConnections is the lost time on one segment.
type SegmentConnections struct {
	ID string `json:"id"`
	Lost
}

// Lost is how long connections were without service: Σ connections_affected × downtime_minutes, in connection-minutes. Unknown counts
// the work orders that lack one of the two, and so are in no sum.
type Lost struct {
	BreakMinutes   int64 `json:"break_minutes"`
	BackupMinutes  int64 `json:"backup_minutes"`
	BreaksUnknown  int   `json:"breaks_unknown"`
	BackupsUnknown int   `json:"backups_unknown"`
}

// Add adds the lost time of other work orders.
func (l *Lost) Add(other Lost) {
	l.BreakMinutes += other.BreakMinutes
	l.BackupMinutes += other.BackupMinutes
	l.BreaksUnknown += other.BreaksUnknown
	l.BackupsUnknown += other.BackupsUnknown
}

// IndicatorsRequest is a request for the indicators of a period.
type IndicatorsRequest struct {
	SiteIDs     []string `json:"site_ids" maxItems:"5000" doc:"With building_ids: work in any of them. Both empty: the whole organization."`
	BuildingIDs []string `json:"building_ids" maxItems:"5000"`
	PeriodStart string   `json:"period_start" required:"true" format:"date" doc:"First day, in the organization's time zone."`
	PeriodEnd   string   `json:"period_end" required:"true" format:"date" doc:"Last day."`
}

// WorkIndicators are the indicators of the work in a period. A share or a median is null where there is no such work order.
type WorkIndicators struct {
	Completed           int      `json:"completed" doc:"Work orders that were completed in the period."`
	CompletedOnTimePct  *float64 `json:"completed_on_time_pct" unit:"percent" doc:"Of those with a due date: completed by it."`
	MedianResponseHours *float64 `json:"median_response_hours" unit:"hour" doc:"Of the work orders that were first turned to in the period."`
}

// ServiceLevels is how much of the work whose time was up in a period was begun and done in time.
type ServiceLevels struct {
	Met    int      `json:"met" doc:"Work orders that met their service level."`
	Missed int      `json:"missed" doc:"Those that missed it."`
	MetPct *float64 `json:"met_pct" unit:"percent" doc:"How many of both met it; null where there are none."`
}

// MaintenanceFigures are the figures of preventive maintenance in a period: of what was due in it up to today and is decided, how much was
// done by its due day; null where nothing is decided.
type MaintenanceFigures struct {
	CompliancePct *float64 `json:"pm_compliance_pct" unit:"percent"`
}
