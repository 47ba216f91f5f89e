package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
)

// trendOperation gives the months of one figure. A tool that shows a trend asks it once for each of its figures.
const trendOperation = "GET /v1/reports/trend"

var (
	// trendFigures are the figures of a trend: FCI and need at a horizon, value, condition and age.
	trendFigures = []string{"fci_pct", "need", "replacement_cost", "average_condition_rating", "pct_past_useful_life"}
	// trendFiguresOfNetworks are there for networks only: the condition of pavement and of bridges.
	trendFiguresOfNetworks = []string{"avg_pci", "avg_bci"}
	// trendHorizons are the horizons in years that months are kept at.
	trendHorizons = []int{0, 1, 2, 5, 10}
)

// trendOf says which trend a tool shows.
type trendOf struct {
	subject, id  string // id is empty for the organization
	months       *int   // nil: no trend
	horizonYears *int   // nil: 0
	networks     bool   // with the figures of networks
}

// check refuses a trend that there is none of, before anything is asked.
func (of trendOf) check(who caller) error {
	switch {
	case of.months == nil:
		return nil
	case of.subject == "system":
		return problemf("No months are kept of systems. Leave trend_months out, or ask for the trend of the building.")
	case of.horizonYears != nil && !slices.Contains(trendHorizons, *of.horizonYears):
		return problemf("trend_months needs horizon_years 0, 1, 2, 5 or 10, because months are kept at these. Change horizon_years, or leave " +
			"trend_months out.")
	case !permitted(who, "assets:read", ""):
		return problemf("trend_months needs the scope assets:read, which the API key of this connection lacks. Leave trend_months out.")
	}
	return nil
}

// trend reads the last months that end on a day or before it, or nothing where no trend is asked for.
func (call *toolCall) trend(ctx context.Context, of trendOf, asOf string) (record, error) {
	if of.months == nil {
		return nil, nil
	}
	day, err := time.Parse(time.DateOnly, asOf)
	if err != nil {
		return nil, fmt.Errorf("the day of the figures: %w", err)
	}
	figures, note := trendFigures, ""
	if of.subject == "organization" {
		note = " Of assets, without networks."
	}
	if of.networks && permitted(call.caller, "infrastructure:read", "infrastructure") {
		figures = slices.Concat(trendFigures, trendFiguresOfNetworks)
		if note != "" {
			note = " Of assets; only avg_pci and avg_bci are of networks."
		}
	}
	// A month is there from six days after its end, so the last one may be that before the last.
	from := time.Date(day.Year(), day.Month()-time.Month(*of.months)-1, 1, 0, 0, 0, 0, time.UTC)
	query := url.Values{"subject": {of.subject}, "from": {from.Format(time.DateOnly)}, "to": {asOf}}
	if of.id != "" {
		query.Set("id", of.id)
	}
	if of.horizonYears != nil {
		query.Set("horizon_years", strconv.Itoa(*of.horizonYears))
	}
	found := make([]apiTrend, len(figures))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, figure := range figures {
		ofFigure := maps.Clone(query)
		ofFigure.Set("metric", figure)
		group.Go(func() error { return call.get(groupCtx, "/v1/reports/trend", ofFigure, &found[i]) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	months := byMonth(figures, found)
	if len(months) == 0 {
		return record{"note": "No month is kept yet: a month is there from six days after its end."}, nil
	}
	return record{"months": months[max(0, len(months)-*of.months):], "note": "Figures of each month's end, amounts in prices of its own " +
		"year. frozen: kept when the month was over, and never changed; else derived later." + note}, nil
}

// apiTrend is the API's response: a figure at the ends of months.
type apiTrend struct {
	Data []struct {
		MonthEnd string      `json:"month_end"`
		Value    json.Number `json:"value"` // "" where there was nothing to compute it from
		Frozen   bool        `json:"frozen"`
	} `json:"data"`
}

// byMonth puts the figures of a month into one row, oldest first.
func byMonth(figures []string, found []apiTrend) []record {
	rows := map[string]record{}
	for i, figure := range figures {
		for _, point := range found[i].Data {
			row := rows[point.MonthEnd]
			if row == nil {
				row = record{"month_end": point.MonthEnd, "frozen": point.Frozen}
				rows[point.MonthEnd] = row
			}
			row["frozen"] = row["frozen"].(bool) && point.Frozen
			if point.Value != "" {
				row[figure] = point.Value
			}
		}
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b record) int { return cmp.Compare(textOf(a, "month_end"), textOf(b, "month_end")) })
}
