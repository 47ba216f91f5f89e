package console

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"ams.internal/libs/natural"
)

// keyUsage is the usage of one key on one day, UTC. Errors are responses of 4xx and 5xx. Requests over the rate limit
// are counted separately.
type keyUsage struct {
	Day      string `json:"day"`
	KeyID    string `json:"key_id"`
	KeyName  string `json:"key_name"`
	Requests int    `json:"requests"`
	Errors   int    `json:"errors"`
	Limited  int    `json:"limited"`
}

// usageReport is the usage of the organization's keys, with what it may do at most over all of them.
type usageReport struct {
	Data       []keyUsage     `json:"data"`
	Limits     map[string]int `json:"limits"`
	ThisMinute int            `json:"this_minute"` // requests of the organization so far
}

// limitNames are the organization's limits, in the order of the page. Their words are messages.
var limitNames = []string{"requests_per_minute", "requests_in_flight", "streams", "long_polls", "active_keys"}

// keyUsage reads the usage of the last days, including today.
func (req *pageRequest) keyUsage(days int) ([]keyUsage, error) {
	report, err := req.usageReport(days)
	return report.Data, err
}

func (req *pageRequest) usageReport(days int) (usageReport, error) {
	today := time.Now().UTC() // requests are counted by days in UTC, as the page says
	var report usageReport
	path := fmt.Sprintf("/usage?from=%s&to=%s", today.AddDate(0, 0, 1-days).Format(time.DateOnly), today.Format(time.DateOnly))
	err := req.callGateway(http.MethodGet, path, nil, &report)
	return report, err
}

// periods are the numbers of days to choose from.
var periods = []int{7, 30, 90}

type usagePage struct {
	Days    int
	Periods []int
	Key     string // the selected key; empty: all keys
	Keys    []keyTotal
	Total   keyTotal
	Chart   chart
	Table   []dayTotal
	Limits  []limitLine
	Minute  int // requests in the present minute, of all keys
}

// limitLine is one of the organization's limits.
type limitLine struct {
	Name string
	Max  int
}

// keyTotal is a key's usage in the whole period.
type keyTotal struct {
	ID, Name                  string
	Requests, Errors, Limited int
}

// dayTotal is one day's usage.
type dayTotal struct {
	Day                       time.Time
	Requests, Errors, Limited int
}

func showUsage(req *pageRequest) error {
	days, err := strconv.Atoi(req.r.URL.Query().Get("days"))
	if err != nil || !slices.Contains(periods, days) {
		days = 30
	}
	report, err := req.usageReport(days)
	if err != nil {
		return err
	}
	uses := report.Data
	shown := usagePage{Minute: report.ThisMinute, Days: days, Periods: periods, Key: req.r.URL.Query().Get("key"), Keys: totals(uses)}
	if !slices.ContainsFunc(shown.Keys, func(k keyTotal) bool { return k.ID == shown.Key }) {
		shown.Key = ""
	}
	shown.Table = byDay(uses, shown.Key, time.Now().UTC(), days)
	for _, day := range shown.Table {
		shown.Total.Requests += day.Requests
		shown.Total.Errors += day.Errors
		shown.Total.Limited += day.Limited
	}
	for _, name := range limitNames {
		if limit, known := report.Limits[name]; known {
			shown.Limits = append(shown.Limits, limitLine{name, limit})
		}
	}
	shown.Chart = drawChart(shown.Table, req.language)
	slices.Reverse(shown.Table)
	return req.show(http.StatusOK, "usage", req.language.translate("usage.title"), shown)
}

// totals sums the usage of each key, the busiest first.
func totals(uses []keyUsage) []keyTotal {
	byKey := map[string]*keyTotal{}
	for _, use := range uses {
		total := byKey[use.KeyID]
		if total == nil {
			total = &keyTotal{ID: use.KeyID, Name: use.KeyName}
			byKey[use.KeyID] = total
		}
		total.Requests += use.Requests
		total.Errors += use.Errors
		total.Limited += use.Limited
	}
	var all []keyTotal
	for _, total := range byKey {
		all = append(all, *total)
	}
	inOrder := natural.Order()
	slices.SortFunc(all, func(a, b keyTotal) int {
		return cmp.Or(b.Requests-a.Requests, inOrder(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// byDay sums the usage of each day, of one key or of all. Days without usage are included.
func byDay(uses []keyUsage, key string, today time.Time, days int) []dayTotal {
	all := make([]dayTotal, days)
	place := map[string]int{}
	for i := range all {
		all[i].Day = today.AddDate(0, 0, i+1-days)
		place[all[i].Day.Format(time.DateOnly)] = i
	}
	for _, use := range uses {
		i, inPeriod := place[use.Day]
		if !inPeriod || key != "" && use.KeyID != key {
			continue
		}
		all[i].Requests += use.Requests
		all[i].Errors += use.Errors
		all[i].Limited += use.Limited
	}
	return all
}
