package accounting

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
	"ams.internal/services/accounting/ledger"
)

// RetirementObligation is what will have to be paid to retire a capital asset. Its liability is the sum of its transactions.
type RetirementObligation struct {
	resource.Record
	Name            string   `json:"name" required:"true" maxLength:"200" filter:"prefix" sort:"true" search:"name" doc:"What people call it." example:"Amiante, école Saint-Joseph"`
	CapitalAssetID  string   `json:"capital_asset_id" required:"true" references:"capital_assets" filter:"equals" doc:"What is to be retired. It stays." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Kind            string   `json:"kind" required:"true" enum:"asbestos,fuel_tank,landfill,well,lease_restoration,other" filter:"equals" sort:"true" doc:"What it is about." example:"asbestos"`
	EstimatedCost   float64  `json:"estimated_cost" required:"true" money:"true" filter:"range" sort:"true" doc:"What is to be paid at the settlement, in the prices of that day; above 0. Of what is not settled yet. Changed by a revision, and by the settlement of a part." example:"1000000.00"`
	RecognizedOn    string   `json:"recognized_on" required:"true" format:"date" filter:"range" sort:"true" doc:"The day it is recognized, in an open fiscal year and not after today. It stays." example:"2026-01-01"`
	SettlementOn    string   `json:"settlement_on" required:"true" format:"date" filter:"range" sort:"true" doc:"When it is expected to be settled: after recognized_on. Changed by a revision." example:"2046-01-01"`
	DiscountRatePct float64  `json:"discount_rate_pct" required:"true" minimum:"0" maximum:"20" decimals:"4" unit:"percent" filter:"range" doc:"By how much a year the estimated cost is discounted. Changed by a revision." example:"4"`
	Opening         bool     `json:"opening" default:"false" filter:"equals" doc:"It was there before the ledger, and its cost is in what the capital asset opened with: only its liability is recognized, on the ledger's first day." example:"false"`
	Notes           *string  `json:"notes" maxLength:"5000" search:"text" doc:"Anything else."`
	State           string   `json:"state" readOnly:"true" enum:"active,settled" filter:"equals" sort:"true" doc:"active, until all of it is settled." example:"active"`
	Liability       float64  `json:"liability" decimals:"2" readOnly:"true" doc:"What is owed: its present value when it was recognized or revised, and the accretion since that was posted. A close posts that of its year." example:"456386.95"`
	SettledOn       *string  `json:"settled_on" readOnly:"true" format:"date" filter:"range" doc:"When the last of it was settled." example:"2046-02-11"`
	Paid            *float64 `json:"paid" decimals:"2" readOnly:"true" doc:"What its settlements have cost in sum; null before the first." example:"980000.00"`
	Currency        string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

func (a *accounting) obligations() resource.Definition[RetirementObligation] {
	return resource.Definition[RetirementObligation]{
		Collection: "retirement_obligations", Table: "retirement_obligation", Category: "kind",
		Computed: map[string]string{
			"currency": resource.Currency,
			"liability": `coalesce((SELECT sum(x.amount) FROM transaction x WHERE x.organization_id = t.organization_id
				AND x.obligation_id = t.id), t.liability)`,
		},
		BeforeTransaction: beginPosting,
		BeforeWrite:       a.prepareObligations,
		AfterWrite:        a.recognize,
		Events: map[string]resource.Emits[RetirementObligation]{
			"retirement_obligation.settled": resource.WhenUpdated(func(before, after *RetirementObligation) bool {
				return before.State != "settled" && after.State == "settled"
			}),
		},
	}
}

// prepareObligations puts the recognition of new ones into the book of their capital assets. What was recognized is changed by revisions
// only, and deleted while nothing else was posted.
func (a *accounting) prepareObligations(ctx context.Context, tx pgx.Tx, changes []*resource.Change[RetirementObligation]) error {
	var created, deleted, ofOtherKind []*resource.Change[RetirementObligation]
	for _, c := range changes {
		switch {
		case c.Before == nil:
			created = append(created, c)
		case c.After == nil:
			deleted = append(deleted, c)
		default:
			if c.After.Kind != c.Before.Kind {
				ofOtherKind = append(ofOtherKind, c)
			}
			if field, value := c.After.differs(c.Before); field != "" {
				c.Reject(fault.Conflict("in_use", field, value,
					"The obligation %s is recognized: its %s stays. POST …/revise changes what is expected of it.", c.Before.Name, field))
			}
		}
	}
	if len(created)+len(deleted)+len(ofOtherKind) == 0 {
		return nil
	}
	all, err := holdYears(ctx, tx)
	if err != nil {
		return err
	}
	if err := onlyOpen(ctx, tx, ofOtherKind); err != nil {
		return err
	}
	if err := onlyRecognized(ctx, tx, all, deleted); err != nil {
		return err
	}
	return a.prepareRecognition(ctx, tx, all, created)
}

// differs names the first field that only a revision changes and that is another than before, with its value before.
func (o *RetirementObligation) differs(before *RetirementObligation) (field string, value any) {
	switch {
	case o.CapitalAssetID != before.CapitalAssetID:
		return "capital_asset_id", before.CapitalAssetID
	case o.EstimatedCost != before.EstimatedCost:
		return "estimated_cost", before.EstimatedCost
	case o.RecognizedOn != before.RecognizedOn:
		return "recognized_on", before.RecognizedOn
	case o.SettlementOn != before.SettlementOn:
		return "settlement_on", before.SettlementOn
	case o.DiscountRatePct != before.DiscountRatePct:
		return "discount_rate_pct", before.DiscountRatePct
	case o.Opening != before.Opening:
		return "opening", before.Opening
	}
	return "", nil
}

// onlyOpen objects to another kind of obligations that are in the schedule of a year that is not open, which is by kind.
func onlyOpen(ctx context.Context, tx pgx.Tx, ofOtherKind []*resource.Change[RetirementObligation]) error {
	var ids []string
	for _, c := range ofOtherKind {
		ids = append(ids, c.ID())
	}
	fixed, err := idsOf(ctx, tx, `SELECT DISTINCT x.obligation_id::text FROM transaction x
		JOIN fiscal_year f ON f.organization_id = x.organization_id AND f.fiscal_year = x.fiscal_year AND f.state <> 'open'
		WHERE x.organization_id = current_organization() AND x.obligation_id = ANY($1)`, ids)
	if err != nil {
		return err
	}
	for _, c := range ofOtherKind {
		if fixed[c.ID()] {
			c.Reject(fault.Conflict("in_use", "kind", c.Before.Kind,
				"The obligation %s is in the schedule of a fiscal year that is not open any more: its kind stays %s.", c.Before.Name, c.Before.Kind))
		}
	}
	return nil
}

// checkTerms objects to what an obligation cannot be expected to cost, and when.
func checkTerms(estimatedCost float64, settlementOn, after string, wrong func(field, format string, args ...any)) {
	if estimatedCost <= 0 {
		wrong("estimated_cost", "must be above 0")
	}
	if settlementOn <= after {
		wrong("settlement_on", "must be after %s", after)
	}
}

// prepareRecognition replays the open years of the capital assets of new obligations, with what these add to their cost.
func (a *accounting) prepareRecognition(ctx context.Context, tx pgx.Tx, all years, created []*resource.Change[RetirementObligation]) error {
	var valid []*resource.Change[RetirementObligation]
	var assets []string
	for _, c := range created {
		c.After.State = "active"
		if all.recognize(ctx, c) {
			valid, assets = append(valid, c), append(assets, c.After.CapitalAssetID)
		}
	}
	if len(valid) == 0 {
		return nil
	}
	b, err := readBook(ctx, tx, all, assets)
	if err != nil {
		return err
	}
	records, err := a.recognitions(ctx, tx, all, valid)
	if err != nil {
		return err
	}
	var candidates, openings []*candidate
	for i, c := range valid {
		switch {
		case b.accounts[c.After.CapitalAssetID] == nil:
			continue // said already
		case b.givenAfter(c.After) != nil:
			given := &impossibleEntry{b.givenAfter(c.After), &ledger.Impossible{
				Message: "It gives cost to another capital asset, and the liability would stay. Recognize it after that day, or on the other one.",
			}}
			c.Reject(given.because("The obligation would make %s of %s impossible: %s", c.After.RecognizedOn))
			continue
		case c.After.Opening: // its cost is there already
			openings = append(openings, &candidate{id: c.ID(), record: records[i]})
			continue
		}
		candidates = append(candidates, &candidate{id: c.ID(), record: records[i], refuse: func(why *impossibleEntry) {
			if why.id == c.ID() {
				c.Reject(fault.Conflict(why.reason.Code, "capital_asset_id", c.After.CapitalAssetID, "%s", why.reason.Message))
			} else {
				c.Reject(why.because("The obligation would make %s of %s impossible: %s", c.After.RecognizedOn))
			}
		}})
	}
	balances, err := b.add(candidates)
	if err != nil {
		return err
	}
	if p, _ := ctx.Value(postingKey{}).(*posting); p != nil {
		p.book, p.balances, p.ids, p.candidates = b, balances, b.newIDs(), append(candidates, openings...)
	}
	return nil
}

// owing are the transfers to another capital asset of what has an obligation on their day, whose liability would not go with its cost: why
// not, by id. The capital assets are locked, so that no obligation comes meanwhile.
func (b *book) owing(ctx context.Context, tx pgx.Tx, changes []*resource.Change[CapitalAssetTransaction]) (map[string]string, error) {
	var ids, givers, days []string
	for _, c := range changes {
		if c.After.Type == "transfer" && c.After.ToCapitalAssetID != nil {
			ids, givers, days = append(ids, c.ID()), append(givers, c.After.CapitalAssetID), append(days, c.After.EffectiveOn)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, `SELECT t.id::text, t.day::text, o.name, o.settled_on::text
		FROM unnest($1::uuid[], $2::uuid[], $3::date[]) t (id, giver, day)
		JOIN retirement_obligation o ON o.organization_id = current_organization() AND o.capital_asset_id = t.giver AND o.recognized_on <= t.day
			AND (o.state = 'active' OR o.settled_on > t.day)
		ORDER BY o.recognized_on, o.name COLLATE "natural"`, ids, givers, days)
	if err != nil {
		return nil, err
	}
	why := map[string]string{}
	var id, day, name string
	var settledOn *string
	_, err = pgx.ForEachRow(rows, []any{&id, &day, &name, &settledOn}, func() error {
		if settledOn != nil {
			why[id] = fmt.Sprintf("On %s the capital asset has the retirement obligation %s, which is settled on %s: transfer on that day or later.",
				day, name, *settledOn)
		} else {
			why[id] = fmt.Sprintf("The capital asset has the active retirement obligation %s, which would stay while its cost goes: "+
				"revise its estimated_cost to 0.01 and settle it, transfer on that day or later, and recognize it on the other capital asset.", name)
		}
		return nil
	})
	return why, err
}

// givenAfter is the first transfer to another capital asset that gives what an obligation adds to the cost away; nil: none does.
func (b *book) givenAfter(o *RetirementObligation) *entry {
	for _, e := range b.entries {
		if e.Type == "transfer" && e.ToCapitalAssetID != nil && !e.reversed && e.CapitalAssetID == o.CapitalAssetID &&
			e.EffectiveOn > o.RecognizedOn {
			return e
		}
	}
	return nil
}

// recognize checks what an obligation says of itself, and that it may be recognized on its day.
func (all years) recognize(ctx context.Context, c *resource.Change[RetirementObligation]) bool {
	o, right := c.After, true
	checkTerms(o.EstimatedCost, o.SettlementOn, o.RecognizedOn, func(field, format string, args ...any) {
		right = false
		c.FieldError(field, format, args...)
	})
	y, wrong, refused := all.openOn(ctx, "recognized_on", o.RecognizedOn)
	switch {
	case refused != nil:
		c.Reject(refused)
	case wrong != "":
		c.FieldError("recognized_on", "%s", wrong)
	case o.Opening && (y.number != all[0].number || o.RecognizedOn != y.first.Format(time.DateOnly)):
		c.FieldError("recognized_on", "must be %s, the first day of the ledger, of an obligation that was there before it",
			all[0].first.Format(time.DateOnly))
	default:
		return right
	}
	return false
}

// recognitions are the entries that recognize obligations, in their order.
func (a *accounting) recognitions(ctx context.Context, tx pgx.Tx, all years,
	created []*resource.Change[RetirementObligation]) ([]*CapitalAssetTransaction, error) {
	var terms []obligationTerms
	for _, c := range created {
		o := c.After
		terms = append(terms, obligationTerms{ObligationID: c.ID(), CapitalAssetID: o.CapitalAssetID, On: o.RecognizedOn,
			EstimatedCost: o.EstimatedCost, SettlementOn: o.SettlementOn, DiscountRatePct: o.DiscountRatePct})
	}
	values, err := presentValues(ctx, tx, terms)
	if err != nil {
		return nil, err
	}
	var records []*CapitalAssetTransaction
	for i, c := range created {
		kind := "retirement_cost"
		if c.After.Opening {
			kind = "opening"
		}
		record := a.entryOf(terms[i], kind, all.at(dayOf(c.After.RecognizedOn)).number, values[i])
		record.Memo, c.After.Liability = &c.After.Name, values[i]
		records = append(records, record)
	}
	return records, nil
}

// obligationTerms are what is expected of an obligation from a day on.
type obligationTerms struct {
	ObligationID    string  `json:"obligation_id"`
	CapitalAssetID  string  `json:"-"`
	On              string  `json:"on_day"`
	EstimatedCost   float64 `json:"estimated_cost"`
	SettlementOn    string  `json:"settlement_on"`
	DiscountRatePct float64 `json:"discount_rate_pct"`
}

// entryOf makes an entry of an obligation, which says by how much its liability changes, and what that follows from.
func (a *accounting) entryOf(o obligationTerms, kind string, year int, amount float64) *CapitalAssetTransaction {
	t := resource.New[CapitalAssetTransaction](a.registry, "capital_asset_transactions")
	t.CapitalAssetID, t.Type, t.EffectiveOn, t.FiscalYear, t.Amount, t.ObligationID = o.CapitalAssetID, kind, o.On, year, &amount,
		&o.ObligationID
	t.CostChange, t.AccumulatedChange = new(float64), new(float64)
	if kind == "retirement_cost" || kind == "opening" {
		t.EstimatedCost, t.SettlementOn, t.DiscountRatePct = &o.EstimatedCost, &o.SettlementOn, &o.DiscountRatePct
	}
	return t
}

// presentValues discounts what obligations cost to the days from which that is expected.
func presentValues(ctx context.Context, tx pgx.Tx, terms []obligationTerms) ([]float64, error) {
	rows, err := tx.Query(ctx, `SELECT present_value(o.estimated_cost, o.discount_rate_pct, o.on_day, o.settlement_on)::float8
		FROM ROWS FROM (json_to_recordset($1) AS (estimated_cost numeric, discount_rate_pct numeric, on_day date, settlement_on date))
			WITH ORDINALITY
			AS o (estimated_cost, discount_rate_pct, on_day, settlement_on, place) ORDER BY o.place`, asJSON(terms))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[float64])
}

// onlyRecognized objects to deleting obligations to which more was posted than their recognition, or in a year that is not open.
func onlyRecognized(ctx context.Context, tx pgx.Tx, all years, deleted []*resource.Change[RetirementObligation]) error {
	if len(deleted) == 0 {
		return nil
	}
	byID := map[string]*resource.Change[RetirementObligation]{}
	var ids []string
	for _, c := range deleted {
		byID[c.ID()], ids = c, append(ids, c.ID())
	}
	return eachLiveEntry(ctx, tx, ids, func(e *liveEntry) {
		c := byID[e.obligationID]
		switch y := all.of(e.year); {
		case !e.first:
			c.Reject(fault.Conflict("in_use", "id", c.ID(), "The obligation %s has %s after its recognition; settle it.", c.Before.Name, e.number))
		case y.state != "open":
			c.Reject(fault.Conflict("year_not_open", "id", c.ID(), "The obligation %s was recognized in the fiscal year %s, which is %s; settle it.",
				c.Before.Name, y.label, y.state))
		}
	})
}

// liveEntry is an entry of an obligation that is neither reversed nor a reversal.
type liveEntry struct {
	id, number, obligationID, kind, on string
	year                               int
	sequence                           int64
	first                              bool // that recognized it
	closed                             bool // that a close has made
}

// eachLiveEntry gives the entries of obligations, in the order in which they were posted.
func eachLiveEntry(ctx context.Context, tx pgx.Tx, obligations []string, do func(*liveEntry)) error {
	rows, err := tx.Query(ctx, `SELECT x.id::text, x.number, x.obligation_id::text, x.type, x.effective_on::text, x.fiscal_year, x.sequence,
			row_number() OVER (PARTITION BY x.obligation_id ORDER BY x.sequence) = 1, x.close_id IS NOT NULL
		FROM transaction x WHERE x.organization_id = current_organization() AND x.obligation_id = ANY($1) AND `+isLive+`
		ORDER BY x.sequence`, obligations)
	if err != nil {
		return err
	}
	var e liveEntry
	_, err = pgx.ForEachRow(rows, []any{&e.id, &e.number, &e.obligationID, &e.kind, &e.on, &e.year, &e.sequence, &e.first,
		&e.closed}, func() error {
		do(&e)
		return nil
	})
	return err
}

// recognize posts what recognizes new obligations, and reverses it of those that are deleted.
func (a *accounting) recognize(ctx context.Context, tx pgx.Tx, changes []*resource.Change[RetirementObligation]) error {
	var created, deleted, assets []string
	for _, c := range changes {
		switch {
		case c.Before == nil:
			created, assets = append(created, c.ID()), append(assets, c.After.CapitalAssetID)
		case c.After == nil:
			deleted, assets = append(deleted, c.ID()), append(assets, c.Before.CapitalAssetID)
		}
	}
	if len(deleted) > 0 {
		if err := a.unrecognize(ctx, tx, deleted); err != nil {
			return err
		}
		return a.restate(ctx, tx, assets)
	}
	p, _ := ctx.Value(postingKey{}).(*posting)
	if p == nil || len(created) == 0 {
		return nil
	}
	return a.postCandidates(ctx, tx, p, created)
}

// postCandidates writes the entries of a posting that were made for records, and what has come of the capital assets.
func (a *accounting) postCandidates(ctx context.Context, tx pgx.Tx, p *posting, ids []string) error {
	written := map[string]bool{}
	for _, id := range ids {
		written[id] = true
	}
	var records []*CapitalAssetTransaction
	var assets []string
	replayed := 0
	for _, c := range p.candidates {
		if written[c.id] {
			records, assets = append(records, c.record), append(assets, c.record.CapitalAssetID)
			if c.entry != nil {
				replayed++
			}
		}
	}
	if err := resource.Insert(ctx, tx, a.registry, "capital_asset_transactions", records); err != nil {
		return err
	}
	if replayed != len(p.ids) { // some were refused after the replay
		return a.restate(ctx, tx, assets)
	}
	return a.write(ctx, tx, p.book, p.balances)
}

// unrecognize reverses the recognition of obligations.
func (a *accounting) unrecognize(ctx context.Context, tx pgx.Tx, obligations []string) error {
	var recognitions []string
	if err := eachLiveEntry(ctx, tx, obligations, func(e *liveEntry) { recognitions = append(recognitions, e.id) }); err != nil {
		return err
	}
	for _, id := range recognitions {
		t, err := readToReverse(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := resource.Insert(ctx, tx, a.registry, "capital_asset_transactions",
			[]*CapitalAssetTransaction{a.negativeOf(t, t.EffectiveOn, nil)}); err != nil {
			return err
		}
	}
	return nil
}

// obligationsIn are table expressions of the obligations of a ledger in a year: obligations_Y has what each opened with, what has moved,
// due (the accretion that is not posted up to a day) and what it closes with. Those of the years before that are not closed are among them.
// of is a further condition on its transactions, x, and may be empty. What is settled in part goes on growing by the months since it was
// recognized or revised; what is settled has no estimated cost, and grows no more.
func (all years) obligationsIn(y *year, until time.Time, of string) string {
	var parts []string
	for _, each := range all {
		if each.number > y.number || each.state == "closed" && each.number != y.number {
			continue
		}
		opening, join := fmt.Sprintf("coalesce(sum(x.amount) FILTER (WHERE x.fiscal_year < %d), 0)", each.number), ""
		if each.number-1 > all.lastClosed() {
			opening = "coalesce(max(p.closing), 0)"
			join = fmt.Sprintf("LEFT JOIN obligations_%d p ON p.obligation_id = x.obligation_id", each.number-1)
		}
		end := each.next()
		if each.number == y.number {
			end = until
		}
		due := "0::numeric"
		if each.state != "closed" {
			due = fmt.Sprintf("accretion(q.before, t.estimated_cost, t.discount_rate_pct, t.since, t.settlement_on, greatest(date '%s', "+
				"t.effective_on), '%s')", each.first.Format(time.DateOnly), end.Format(time.DateOnly))
		}
		parts = append(parts, fmt.Sprintf(`obligations_%[1]d AS (
			SELECT q.obligation_id, q.capital_asset_id, q.opening, q.recognized, q.revised, q.accretion + d.due AS accretion, q.settled, d.due,
				q.before + d.due AS closing
			FROM (SELECT x.obligation_id, x.capital_asset_id,
				%[2]s + coalesce(sum(x.amount) FILTER (WHERE x.fiscal_year = %[1]d AND x.type = 'opening'), 0) AS opening,
					coalesce(sum(x.amount) FILTER (WHERE x.fiscal_year = %[1]d AND x.type = 'retirement_cost' AND x.recognizes), 0) AS recognized,
					coalesce(sum(x.amount) FILTER (WHERE x.fiscal_year = %[1]d AND x.type = 'retirement_cost' AND NOT x.recognizes), 0) AS revised,
					coalesce(sum(x.amount) FILTER (WHERE x.fiscal_year = %[1]d AND x.type = 'accretion'), 0) AS accretion,
					coalesce(sum(x.amount) FILTER (WHERE x.fiscal_year = %[1]d AND x.type = 'settlement'), 0) AS settled,
					%[2]s + coalesce(sum(x.amount) FILTER (WHERE x.fiscal_year = %[1]d), 0) AS before
				FROM (SELECT x.obligation_id, x.capital_asset_id, x.fiscal_year, x.type, x.amount,
						first_value(x.id) OVER (PARTITION BY x.obligation_id ORDER BY x.sequence) IN (x.id, coalesce(x.reverses, x.id)) AS recognizes
					FROM transaction x WHERE x.organization_id = current_organization() AND x.obligation_id IS NOT NULL AND x.fiscal_year <= %[1]d%[3]s) x
				%[4]s GROUP BY x.obligation_id, x.capital_asset_id) q
			LEFT JOIN (SELECT DISTINCT ON (x.obligation_id) x.obligation_id, x.effective_on, x.estimated_cost, x.settlement_on, x.discount_rate_pct,
					max(x.effective_on) FILTER (WHERE x.type <> 'settlement') OVER (PARTITION BY x.obligation_id) AS since
				FROM transaction x WHERE x.organization_id = current_organization() AND x.obligation_id IS NOT NULL AND x.fiscal_year <= %[1]d%[3]s
					AND x.type <> 'accretion' AND %[5]s
				ORDER BY x.obligation_id, x.effective_on DESC, x.sequence DESC) t ON t.obligation_id = q.obligation_id
			CROSS JOIN LATERAL (SELECT coalesce(%[6]s, 0) AS due) d)`, each.number, opening, of, join, isLive, due))
	}
	return "WITH " + strings.Join(parts, ",\n")
}
