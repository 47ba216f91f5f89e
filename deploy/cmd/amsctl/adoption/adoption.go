// Package adoption creates a ledger of capital assets from the assets of the register that have a cost: for each a draft, the link
// to the asset, and the first entry, on the first day of the ledger.
//
// It goes through the public API. What it writes has external ids that follow from the asset's id, so that a run that was interrupted is
// begun anew, and one that is complete changes nothing when it is repeated.
package adoption

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	ams "ams.internal/clients/go"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/services/accounting/ledger"
)

// Job is one adoption.
type Job struct {
	Rules      []Rule
	FiscalYear int // the first of the ledger
	DryRun     bool

	LeftOut  func(*Asset, string) error // is told of each asset that does not go in, and why
	Progress func(done, total int)      // is told how many assets are done; by several goroutines
}

// Result is what became of the assets.
type Result struct {
	FiscalYear   int       `json:"fiscal_year"`
	DryRun       bool      `json:"dry_run"`
	Assets       int       `json:"assets"`
	Opened       int       `json:"opened"`        // with an opening entry
	Construction int       `json:"construction"`  // with an entry of work in progress
	Existing     int       `json:"there_already"` // by an earlier run
	LeftOut      int       `json:"left_out"`
	Rejected     int       `json:"rejected"` // by the service
	Classes      []InClass `json:"classes"`  // of those that were adopted

	Begun bool `json:"-"` // something may have been written
}

// InClass is what was adopted of a class.
type InClass struct {
	Code                    string  `json:"code"`
	CapitalAssets           int     `json:"capital_assets"`
	Cost                    float64 `json:"cost"`
	AccumulatedAmortization float64 `json:"accumulated_amortization"`
	WorkInProgress          float64 `json:"work_in_progress"`
}

// run is an adoption under way.
type run struct {
	Job
	client   *ams.Client
	year     fiscalYear
	first    ledger.Year
	byCode   map[string]*class // in lower case
	byID     map[string]*class
	existing map[string]*capitalAsset // by external id
	sums     map[string]*sums         // by the class's code
	total    int                      // of assets, when it began
	result   Result
}

type fiscalYear struct {
	FiscalYear  int    `json:"fiscal_year"`
	PeriodStart string `json:"period_start"`
	PeriodEnd   string `json:"period_end"`
	State       string `json:"state"`
}

type sums struct {
	capitalAssets           int
	cost, accumulated, work ledger.Cents
}

// pathOf is where a collection is.
func pathOf(name string) string { return catalogue.Product().Must(name).Path }

// collection is one whose records are read as R.
func collection[R any](client *ams.Client, name string) *ams.Collection[R, map[string]any, map[string]any] {
	return ams.NewCollection[R, map[string]any, map[string]any](client, pathOf(name))
}

// Run carries out a job.
func Run(ctx context.Context, client *ams.Client, job Job) (Result, error) {
	r := &run{Job: job, client: client, byCode: map[string]*class{}, byID: map[string]*class{}, existing: map[string]*capitalAsset{},
		sums: map[string]*sums{}}
	r.result.FiscalYear, r.result.DryRun = job.FiscalYear, job.DryRun
	for _, prepare := range []func(context.Context) error{r.findYear, r.readClasses, r.readCapitalAssets} {
		if err := prepare(ctx); err != nil {
			return r.result, err
		}
	}
	assets := collection[Asset](client, "assets")
	page, err := assets.List(ctx, ams.Filters{"per_page": 1, "fields": "id"})
	if err != nil {
		return r.result, err
	}
	r.total = page.Pagination.Total
	r.Progress(0, r.total)
	var some []*Asset
	for asset, err := range assets.All(ctx, ams.Filters{"fields": assetFields, "expand": "capital_assets"}) {
		if err != nil {
			return r.result, err
		}
		if some = append(some, asset); len(some) == ams.MaxRows {
			if err := r.take(ctx, some); err != nil {
				return r.result, err
			}
			r.result.Assets += len(some)
			r.Progress(r.result.Assets, r.total)
			some = nil
		}
	}
	if err = r.take(ctx, some); err == nil {
		r.result.Assets += len(some)
	}
	r.sum()
	return r.result, err
}

// findYear finds the first fiscal year of the ledger, which must be the one that was named, and open.
func (r *run) findYear(ctx context.Context) (err error) {
	page, err := collection[fiscalYear](r.client, "fiscal_years").List(ctx, ams.Filters{"sort": "fiscal_year", "per_page": 1})
	switch {
	case err != nil:
		return err
	case len(page.Data) == 0:
		return fmt.Errorf("there is no fiscal year yet; open the first: amsctl create %s --set fiscal_year=%d",
			strings.TrimPrefix(pathOf("fiscal_years"), "/v1/"), r.FiscalYear)
	}
	r.year = page.Data[0]
	switch {
	case r.year.FiscalYear != r.FiscalYear:
		return fmt.Errorf("the ledger begins with the fiscal year %d, and what was there before it opens that one, not %d",
			r.year.FiscalYear, r.FiscalYear)
	case r.year.State != "open" && !r.DryRun:
		return fmt.Errorf("the fiscal year %d is %s: nothing is posted to it", r.FiscalYear, r.year.State)
	case r.year.PeriodStart > time.Now().Format(time.DateOnly):
		return fmt.Errorf("the fiscal year %d begins on %s: entries are of that day, and none is posted before it has come", r.FiscalYear,
			r.year.PeriodStart)
	}
	if r.first.First, err = time.Parse(time.DateOnly, r.year.PeriodStart); err != nil {
		return err
	}
	r.first.Last, err = time.Parse(time.DateOnly, r.year.PeriodEnd)
	return err
}

// readClasses reads the classes, and holds the class map against them.
func (r *run) readClasses(ctx context.Context) error {
	for k, err := range collection[class](r.client, "capital_asset_classes").All(ctx, nil) {
		if err != nil {
			return err
		}
		r.byID[k.ID], r.byCode[strings.ToLower(k.Code)] = k, k
	}
	var problems []error
	for _, rule := range r.Rules {
		k := r.byCode[strings.ToLower(rule.Class)]
		switch {
		case rule.Class == "":
		case k == nil:
			problems = append(problems, fmt.Errorf("line %d of the class map: there is no accounting class with the code %s", rule.Line, rule.Class))
		case k.Pooled:
			problems = append(problems, fmt.Errorf("line %d of the class map: the class %s is a pool, whose capital assets stand for many assets: "+
				"make those yourself", rule.Line, k.Code))
		}
	}
	return errors.Join(problems...)
}

// readCapitalAssets reads what is there of earlier runs.
func (r *run) readCapitalAssets(ctx context.Context) error {
	filters := ams.Filters{"fields": "id,external_id,class_id,useful_life_years,useful_life_months,residual_value,state"}
	for c, err := range collection[capitalAsset](r.client, "capital_assets").All(ctx, filters) {
		if err != nil {
			return err
		}
		if strings.HasPrefix(c.ExternalID, "asset-") {
			r.existing[c.ExternalID] = c
		}
	}
	return nil
}

// adopted is an asset and the draft that it has.
type adopted struct {
	asset *Asset
	class *class
	draft *capitalAsset
}

// take adopts up to a thousand assets: first the drafts, then their links, then the entries, so that whatever has an entry has all of it.
func (r *run) take(ctx context.Context, assets []*Asset) error {
	var some []*adopted
	for _, asset := range assets {
		existing := r.existing[asset.externalID()]
		if existing != nil && existing.State != "draft" {
			r.result.Existing++
			continue
		}
		k, reason := r.classify(asset)
		if another := asset.standsFor(existing); k != nil && another != "" {
			k, reason = nil, another+" stands for it already"
		}
		if k == nil {
			if existing != nil {
				reason += "; its draft of an earlier run is there still, and " + existing.mayBeDeleted()
			}
			r.result.LeftOut++
			if err := r.LeftOut(asset, reason); err != nil {
				return err
			}
			continue
		}
		if existing != nil && existing.ClassID != k.ID {
			if err := r.reject(asset, fmt.Sprintf("its draft is of the class %s, and the class map says %s: give the draft that class, "+
				"or delete it, and run again", r.codeOf(existing.ClassID), k.Code)); err != nil {
				return err
			}
			continue
		}
		some = append(some, &adopted{asset, k, existing})
	}
	if r.DryRun {
		return r.pretend(some)
	}
	r.result.Begun = true
	for _, step := range []func(context.Context, []*adopted) ([]*adopted, error){r.makeDrafts, r.link, r.post} {
		var err error
		if some, err = step(ctx, some); err != nil || len(some) == 0 {
			return err
		}
	}
	return nil
}

// codeOf is the code of a class.
func (r *run) codeOf(classID string) string {
	if k := r.byID[classID]; k != nil {
		return k.Code
	}
	return classID
}

func (r *run) count(a *adopted, accumulated ledger.Cents) {
	s := r.sums[a.class.Code]
	if s == nil {
		s = &sums{}
		r.sums[a.class.Code] = s
	}
	s.capitalAssets++
	if a.asset.planned() {
		r.result.Construction++
		s.work += ledger.FromFloat(*a.asset.AcquisitionCost)
		return
	}
	r.result.Opened++
	s.cost += ledger.FromFloat(*a.asset.AcquisitionCost)
	s.accumulated += accumulated
}

// sum gives the result what was adopted of each class.
func (r *run) sum() {
	r.result.Classes = []InClass{}
	for code, s := range r.sums {
		r.result.Classes = append(r.result.Classes, InClass{code, s.capitalAssets, s.cost.Float(), s.accumulated.Float(), s.work.Float()})
	}
	slices.SortFunc(r.result.Classes, func(a, b InClass) int { return strings.Compare(a.Code, b.Code) })
}

// Row is what the file of what was left out says of an asset, behind Header.
func Row(asset *Asset, reason string) []string {
	text := func(value *string) string {
		if value == nil {
			return ""
		}
		return *value
	}
	cost := ""
	if asset.AcquisitionCost != nil {
		cost = strconv.FormatFloat(*asset.AcquisitionCost, 'f', 2, 64)
	}
	return []string{asset.ID, text(asset.ExternalID), text(asset.AssetTag), asset.Name, asset.Status, text(asset.Category), cost, reason}
}

// Header is the first row of that file.
var Header = []string{"asset_id", "external_id", "asset_tag", "name", "status", "category", "acquisition_cost", "reason"}
