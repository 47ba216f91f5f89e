package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
)

// storageReport is what the organization keeps of documents, and may keep, as the documents service gives it. Sizes are in bytes.
type storageReport struct {
	Limit        int64          `json:"limit"`
	Used         int64          `json:"used"` // each content once, trash included
	Reserved     int64          `json:"reserved"`
	TrashBytes   int64          `json:"trash_bytes"`
	Documents    int            `json:"documents"`
	ByCollection []storageGroup `json:"by_collection"`
	ByKind       []storageGroup `json:"by_kind"`
	Largest      []struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		Bytes int64  `json:"bytes"`
	} `json:"largest"`
	Scanner struct {
		Configured bool    `json:"configured"`
		Reachable  bool    `json:"reachable"`
		Version    *string `json:"version"` // nil while it cannot be reached
	} `json:"scanner"`
	Store struct {
		Reachable bool `json:"reachable"`
	} `json:"store"`
	Verified *struct { // nil until contents were compared with the store for the first time
		At      string `json:"at"`
		Missing int    `json:"missing"`
		Unknown int    `json:"unknown"`
	} `json:"verified"`
}

// storageGroup is the documents on records of one collection, or of one kind.
type storageGroup struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
	Bytes     int64  `json:"bytes"`
}

// Record is the kind of record of a collection, for its words.
func (g storageGroup) Record() string { return singularOf(g.Name) }

// singularOf gives the kind of record of a collection, for its words.
func singularOf(collection string) string {
	row, _ := catalogue.Product().Find(collection)
	return row.Singular
}

// Free is what is left of the limit; 0 where a smaller plan leaves nothing.
func (r storageReport) Free() int64 { return max(0, r.Limit-r.Used-r.Reserved) }

// Over is by how much the limit is exceeded, as after a change to a smaller plan.
func (r storageReport) Over() int64 { return max(0, r.Used+r.Reserved-r.Limit) }

// retentionLine is what is kept by one retention class, without the trash.
type retentionLine struct {
	ID        *string `json:"retention_class_id"` // nil: the documents without a class
	Name      string  `json:"name"`
	NameFR    *string `json:"name_fr"`
	Active    bool    `json:"active"`
	Documents int     `json:"documents"`
	Due       int     `json:"due"` // whose retain_until has come
	DueBytes  int64   `json:"due_bytes"`
	DueHeld   int     `json:"due_and_held"` // of those that are due: under a legal hold, and so kept
	NextDueOn *string `json:"next_due_on"`
}

// In is the name of the class in a language.
func (l retentionLine) In(language *language) string {
	if language.Code == "fr" && l.NameFR != nil {
		return *l.NameFR
	}
	return l.Name
}

// NextDue is the first day to come on which documents of the class are due; the zero time where none is known.
func (l retentionLine) NextDue() time.Time {
	if l.NextDueOn == nil {
		return time.Time{}
	}
	day, _ := time.Parse(time.DateOnly, *l.NextDueOn)
	return day
}

// legalHold is an active legal hold.
type legalHold struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Reason     string  `json:"reason"`
	Collection *string `json:"collection"` // nil: it names documents
	CreatedAt  string  `json:"created_at"`
	Documents  int     `json:"-"` // that it keeps, those in the trash included
}

// Record is the kind of record that the hold is on; empty where it names documents.
func (h legalHold) Record() string {
	if h.Collection == nil {
		return ""
	}
	return singularOf(*h.Collection)
}

// counted is how many records a list has in all, over all its pages.
type counted struct {
	Pagination struct {
		Total int `json:"total"`
	} `json:"pagination"`
}

// shownHolds is how many legal holds the page shows; each is counted by a call.
const shownHolds = 20

type storagePage struct {
	Report    storageReport
	Bar       []storagePart
	Retention []retentionLine
	Due       int
	Holds     []legalHold
	MoreHolds int // that the page does not show
}

// storagePart is a part of the bar. Kind is its class: used, reserved, free.
type storagePart struct {
	Kind     string
	X, Width float64
}

// showStorage shows what is kept of documents. Administrators may make a key that reads everything, so that everything is counted that the
// plan includes.
func showStorage(req *pageRequest) error {
	p, err := req.reader()
	if err != nil {
		return err
	}
	var shown storagePage
	var retention struct{ Data []retentionLine }
	calls, ctx := errgroup.WithContext(req.ctx())
	get := func(path string, out any) error {
		return req.services.call(ctx, p, "documents", http.MethodGet, path, nil, out)
	}
	calls.Go(func() error { return get("/v1/storage", &shown.Report) })
	calls.Go(func() error { return get("/v1/retention-classes/report", &retention) })
	calls.Go(func() (err error) { shown.Holds, shown.MoreHolds, err = req.activeHolds(ctx, p); return err })
	if err := calls.Wait(); err != nil {
		return err
	}
	shown.Bar = drawStorage(shown.Report)
	for _, line := range retention.Data {
		shown.Due += line.Due
		if line.Active || line.Documents > 0 {
			shown.Retention = append(shown.Retention, line)
		}
	}
	return req.show(http.StatusOK, "storage", req.language.translate("storage.title"), shown)
}

// reader is the person with all scopes to read, the features and the storage of the plan, and the days of the organization.
func (req *pageRequest) reader() (principal.Principal, error) {
	plan, err := req.plan()
	if err != nil {
		return principal.Principal{}, err
	}
	settings, err := req.settings()
	if err != nil {
		return principal.Principal{}, err
	}
	p := req.principal()
	p.Scopes, p.Features, p.StorageLimit = readScopes(), plan.Features, plan.Limits.StorageBytes
	p.TimeZone, p.FiscalYearEnd, p.Currency = settings.TimeZone, settings.FiscalYearEndMonth, settings.Currency
	return p, nil
}

// readScopes are all scopes to read.
func readScopes() []string {
	var scopes []string
	for _, scope := range catalogue.Product().Scopes() {
		if strings.HasSuffix(scope, ":read") {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// activeHolds reads the first active legal holds by name, with the number of documents under each, and how many more there are.
func (req *pageRequest) activeHolds(ctx context.Context, p principal.Principal) (holds []legalHold, more int, err error) {
	var list struct {
		Data []legalHold
		counted
	}
	query := url.Values{"status": {"active"}, "sort": {"name"}, "per_page": {strconv.Itoa(shownHolds)}}
	if err := req.services.call(ctx, p, "documents", http.MethodGet, "/v1/legal-holds?"+query.Encode(), nil, &list); err != nil {
		return nil, 0, err
	}
	calls, ctx := errgroup.WithContext(ctx)
	for i := range list.Data {
		hold := &list.Data[i]
		calls.Go(func() error {
			var under counted
			query := url.Values{"legal_hold_id": {hold.ID}, "status": {"draft,active,trashed"}, "per_page": {"1"}}
			err := req.services.call(ctx, p, "documents", http.MethodGet, "/v1/documents?"+query.Encode(), nil, &under)
			hold.Documents = under.Pagination.Total
			return err
		})
	}
	return list.Data, list.Pagination.Total - len(list.Data), calls.Wait()
}

// drawStorage draws what is used, reserved and free as parts of one bar, which is as wide as the chart of the usage screen.
func drawStorage(r storageReport) []storagePart {
	whole := float64(max(r.Limit, r.Used+r.Reserved))
	if whole == 0 {
		return nil
	}
	var bar []storagePart
	x := 0.0
	for _, part := range []struct {
		kind string
		size int64
	}{{"used", r.Used}, {"reserved", r.Reserved}, {"free", r.Free()}} {
		width := chartWidth * float64(part.size) / whole
		if part.size > 0 {
			bar = append(bar, storagePart{part.kind, roundTenth(x), roundTenth(width)})
		}
		x += width
	}
	return bar
}
