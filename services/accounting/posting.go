package accounting

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
	"ams.internal/services/accounting/ledger"
)

// posting is what one call posts: the book that was replayed with its entries.
type posting struct {
	book       *book
	balances   []*balance
	ids        []string                  // of the entries that the balances include
	candidates []*candidate              // of obligations, whose entries are written after them
	back       map[string][]ledger.Layer // by reinstatement
}

// candidate is an entry that may be posted.
type candidate struct {
	id     string
	record *CapitalAssetTransaction
	refuse func(why *impossibleEntry)
	layers []ledger.Layer // of a reinstatement

	entry *entry
}

type postingKey struct{}

// beginPosting gives the rules of a call a place for the book, which they read once.
func beginPosting(ctx context.Context, _ []map[string]any) (context.Context, error) {
	return context.WithValue(ctx, postingKey{}, &posting{}), nil
}

// preparePosting replays the open years of all capital assets that entries touch, with the entries in them. Of several entries each is
// refused that is not possible after those before it.
func (a *accounting) preparePosting(ctx context.Context, tx pgx.Tx, changes []*resource.Change[CapitalAssetTransaction]) error {
	all, err := holdYears(ctx, tx)
	if err != nil {
		return err
	}
	var valid []*resource.Change[CapitalAssetTransaction]
	var ids, classIDs []string
	for _, c := range changes {
		wrong := false
		c.After.check(func(field, format string, args ...any) {
			wrong = true
			c.FieldError(field, format, args...)
		})
		if !wrong && all.take(ctx, c) {
			valid, ids = append(valid, c), append(ids, c.After.touches()...)
			if c.After.ToClassID != nil {
				classIDs = append(classIDs, *c.After.ToClassID)
			}
		}
	}
	if len(valid) == 0 {
		return nil
	}
	b, err := readBook(ctx, tx, all, ids)
	if err != nil {
		return err
	}
	if err := b.addClasses(ctx, tx, classIDs); err != nil {
		return err
	}
	owing, err := b.owing(ctx, tx, valid)
	if err != nil {
		return err
	}
	back, err := reinstate(ctx, tx, all, valid)
	if err != nil {
		return err
	}
	var candidates []*candidate
	for _, c := range valid {
		if _, possible := back[c.ID()]; c.After.Type == "reinstatement" && !possible {
			continue // it is refused already
		}
		if why := owing[c.ID()]; why != "" {
			c.Reject(fault.Conflict("in_use", "to_capital_asset_id", *c.After.ToCapitalAssetID, "%s", why))
			continue
		}
		if b.knows(c.After) && b.complete(c) {
			candidates = append(candidates, &candidate{id: c.ID(), record: c.After, layers: back[c.ID()],
				refuse: func(why *impossibleEntry) { b.refuse(c, why) }})
		}
	}
	balances, err := b.add(candidates)
	if err != nil {
		return err
	}
	if p, _ := ctx.Value(postingKey{}).(*posting); p != nil {
		p.book, p.balances, p.ids, p.back = b, balances, b.newIDs(), back
	}
	return nil
}

// knows says whether what an entry names is there: else that is said already.
func (b *book) knows(t *CapitalAssetTransaction) bool {
	for _, id := range t.touches() {
		if b.accounts[id] == nil {
			return false
		}
	}
	return t.ToClassID == nil || b.classes[*t.ToClassID] != nil
}

// add puts entries into the book, and gives the balances with those that are possible. It first tries them all. They say what they change
// by the replay, and the class that a capital asset leaves by them.
func (b *book) add(candidates []*candidate) (balances []*balance, err error) {
	before := slices.Clone(b.entries)
	for _, c := range candidates {
		c.entry = &entry{id: c.id, CapitalAssetTransaction: *c.record, on: dayOf(c.record.EffectiveOn), isNew: true, layers: c.layers}
		b.entries = append(b.entries, c.entry)
	}
	if balances, err = b.replay(); errors.As(err, new(*impossibleEntry)) {
		b.entries = before
		if err := b.addEach(candidates); err != nil {
			return nil, err
		}
		balances, err = b.replay()
	}
	for _, c := range candidates {
		changed := c.entry.changed()
		c.record.FromClassID = c.entry.FromClassID
		if c.entry.Type == "disposal" {
			c.record.Quantity = c.entry.Quantity
		}
		c.record.OfWorkInProgress = c.entry.Type == "write_down" && c.entry.effect.Cost == 0
		c.record.CostChange, c.record.AccumulatedChange, c.record.Layer = &changed.CostChange, &changed.AccumulatedChange, changed.Layer
		if changed.GainLoss != nil {
			c.record.GainLoss = changed.GainLoss
		}
	}
	return balances, err
}

// addEach puts entries into the book one after the other, and refuses each that is not possible after those before it.
func (b *book) addEach(candidates []*candidate) error {
	parts := b.parts(candidates)
	for _, c := range candidates {
		part := parts[c.entry.CapitalAssetID]
		accepted := slices.Clone(part.entries)
		part.entries = append(part.entries, c.entry)
		impossible := new(impossibleEntry)
		if _, err := part.replay(); errors.As(err, &impossible) {
			c.refuse(impossible)
			part.entries = accepted
		} else if err != nil {
			return err
		} else {
			b.entries = append(b.entries, c.entry)
		}
	}
	return nil
}

// parts are books of their own, by capital asset: each has those that entries, also such as may be posted, tie together. What is replayed
// for an entry does not grow with the others of its call.
func (b *book) parts(candidates []*candidate) map[string]*book {
	of := map[string]*book{}
	for id, a := range b.accounts {
		of[id] = &book{years: b.years, classes: b.classes, accounts: map[string]*account{id: a}}
	}
	tie := func(ids []string) {
		first, last := of[ids[0]], of[ids[len(ids)-1]]
		if first == last {
			return
		}
		for id, a := range last.accounts {
			first.accounts[id], of[id] = a, first
		}
	}
	for _, e := range b.entries {
		tie(e.touches())
	}
	for _, c := range candidates {
		tie(c.entry.touches())
	}
	for _, e := range b.entries {
		part := of[e.CapitalAssetID]
		part.entries = append(part.entries, e)
	}
	return of
}

// complete writes into an entry what it begins with, so that it says all that its effect follows from, and says whether it may be posted.
func (b *book) complete(c *resource.Change[CapitalAssetTransaction]) bool {
	t := c.After
	receiving := b.accounts[t.touches()[len(t.touches())-1]]
	if t.begins() && !t.credits() {
		residual := money(receiving.recorded.residualValue)
		t.UsefulLifeYears, t.ResidualValue, t.Quantity = receiving.recorded.usefulLifeYears, &residual, receiving.recorded.quantity
		if receiving.recorded.lifeMonths > 0 {
			t.UsefulLifeMonths = &receiving.recorded.lifeMonths
		}
	}
	if t.Type == "transfer" && t.ToCapitalAssetID != nil {
		t.Quantity = receiving.recorded.quantity
	}
	k := b.classes[receiving.recorded.classID]
	if t.Type == "acquisition" && !t.credits() && *t.Amount < k.CapitalizationThreshold && !t.BelowThreshold {
		c.FieldError("amount", "is below the capitalization threshold of the class %s, %.2f; say below_threshold if it is to be capitalized "+
			"all the same", k.Name, k.CapitalizationThreshold)
		return false
	}
	return true
}

// aboutFields are the fields that a reason of the package ledger may be about. What is about none of them is about the type.
var aboutFields = map[string][]string{
	"amount":   {"amount", "cost_removed", "share_pct", "quantity", "cost_change", "accumulated_change", "to_capital_asset_id"},
	"residual": {"residual_value", "amount"}, "accumulated": {"accumulated_amortization"}, "in_service_on": {"in_service_on"},
	"before_service": {"effective_on"}, "share": {"share_pct"}, "proceeds": {"proceeds"},
	"useful_life_years": {"useful_life_years", "useful_life_months"}, "useful_life_months": {"useful_life_months"},
	"added_life_months": {"added_life_months", "added_life_years"},
	"no_life_left": {"remaining_units", "useful_life_years", "useful_life_months", "residual_value", "added_life_years", "cost_change",
		"accumulated_change"},
	"added_life_years": {"added_life_years", "added_life_months"}, "remaining_units": {"remaining_units"},
	"accumulated_change": {"accumulated_change"},
	"quantity":           {"quantity"}, "to_class_id": {"to_class_id"}, "class_rules": {"to_class_id", "to_capital_asset_id"},
}

// plain are the reasons that can be judged without what else is posted.
var plain = map[string]bool{"accumulated": true, "in_service_on": true, "before_service": true, "share": true, "proceeds": true,
	"useful_life_years": true, "useful_life_months": true, "added_life_months": true,
	"no_life_left": true, "added_life_years": true, "remaining_units": true, "accumulated_change": true}

// about is the field that a reason is about, with its value: of those that go with the type the first that is given,
// else the first that could be.
func (t *CapitalAssetTransaction) about(reason string) (field string, value any) {
	field, value = "type", t.Type
	given, rule := t.given(), postable[t.Type]
	for _, name := range aboutFields[reason] {
		if name == "effective_on" {
			return name, t.EffectiveOn
		}
		if is := given[name]; is != nil && is != 0.0 && rule.takes(name) {
			return name, is
		}
		if field == "type" && rule.takes(name) {
			field, value = name, nil
		}
	}
	return field, value
}

// refuse says why an entry cannot be posted: a 400 where the entry itself is wrong, a 409 where it is against what is posted already.
func (b *book) refuse(c *resource.Change[CapitalAssetTransaction], why *impossibleEntry) {
	reason := why.reason.Code
	if why.id != c.ID() {
		c.Reject(why.because("The transaction would make %s of %s impossible: %s", c.After.EffectiveOn))
		return
	}
	if reason == "not_in_service" && b.laterInService(c.After) != "" {
		c.FieldError("effective_on", "must not be before %s, when the capital asset comes into service", b.laterInService(c.After))
		return
	}
	field, value := c.After.about(reason)
	if plain[reason] && !(reason == "no_life_left" && c.After.Type == "adjustment") {
		c.FieldError(field, "is not possible: %s", why.reason.Message)
		return
	}
	c.Reject(fault.Conflict(reason, field, value, "%s", why.reason.Message))
}

// laterInService is the day after that of an entry on which its capital asset comes into service.
func (b *book) laterInService(t *CapitalAssetTransaction) string {
	for _, e := range b.entries {
		if e.begins() && !e.credits() && !e.reversed && e.EffectiveOn > t.EffectiveOn && e.touches()[len(e.touches())-1] == t.CapitalAssetID {
			return e.EffectiveOn
		}
	}
	return ""
}

func (b *book) newIDs() (ids []string) {
	for _, e := range b.entries {
		if e.isNew {
			ids = append(ids, e.id)
		}
	}
	slices.Sort(ids)
	return ids
}

// completePosting writes what has come of the capital assets. Where not all entries were written that the rules have seen,
// it reads and replays anew.
func (a *accounting) completePosting(ctx context.Context, tx pgx.Tx, changes []*resource.Change[CapitalAssetTransaction]) error {
	var ids, touched []string
	for _, c := range changes {
		ids, touched = append(ids, c.ID()), append(touched, c.After.touches()...)
	}
	slices.Sort(ids)
	p, _ := ctx.Value(postingKey{}).(*posting)
	if p != nil {
		if err := writeLayersBack(ctx, tx, p.back, ids); err != nil {
			return err
		}
	}
	if p == nil || !slices.Equal(p.ids, ids) {
		return a.restate(ctx, tx, touched)
	}
	return a.write(ctx, tx, p.book, p.balances)
}

// restate calculates the open years of capital assets from the entries that are there, and writes what has come of them.
func (a *accounting) restate(ctx context.Context, tx pgx.Tx, ids []string) error {
	all, err := holdYears(ctx, tx)
	if err != nil {
		return err
	}
	b, err := readBook(ctx, tx, all, ids)
	if err != nil {
		return err
	}
	balances, err := b.replay()
	if impossible := new(impossibleEntry); errors.As(err, &impossible) {
		return impossible.because("%s of %s would not be possible: %s", impossible.EffectiveOn)
	}
	if err != nil {
		return err
	}
	return a.write(ctx, tx, b, balances)
}

// effectRow is what an entry has changed.
type effectRow struct {
	TransactionID     string   `json:"transaction_id"`
	CostChange        float64  `json:"cost_change"`
	AccumulatedChange float64  `json:"accumulated_change"`
	GainLoss          *float64 `json:"gain_loss"`
	Layer             *int     `json:"layer"`
}

// changed is what the entry changes, by the replay.
func (e *entry) changed() effectRow {
	row := effectRow{TransactionID: e.id, CostChange: money(e.effect.Cost), AccumulatedChange: money(e.effect.Accumulated)}
	if e.Type == "disposal" || e.Type == "reinstatement" {
		gain := money(e.effect.Gain)
		row.GainLoss = &gain
	}
	if e.effect.Layer > 0 {
		row.Layer = &e.effect.Layer
	}
	return row
}

// writeEffects writes what entries of open years change now. New ones say it themselves.
func (b *book) writeEffects(batch *pgx.Batch) {
	var rows []effectRow
	for _, e := range b.entries {
		if !e.reversed && !e.isNew && b.years.of(e.FiscalYear).state == "open" {
			rows = append(rows, e.changed())
		}
	}
	if len(rows) == 0 {
		return
	}
	batch.Queue(`INSERT INTO transaction_effect (organization_id, transaction_id, cost_change, accumulated_change, gain_loss, layer)
		SELECT current_organization(), r.transaction_id, r.cost_change, r.accumulated_change, r.gain_loss, r.layer
			FROM json_populate_recordset(NULL::transaction_effect, $1) r
		ON CONFLICT (organization_id, transaction_id) DO UPDATE
			SET cost_change = excluded.cost_change, accumulated_change = excluded.accumulated_change,
				gain_loss = excluded.gain_loss, layer = excluded.layer`, asJSON(rows))
}

// yearRow is a row of the schedule.
type yearRow struct {
	FiscalYear     int    `json:"fiscal_year"`
	CapitalAssetID string `json:"capital_asset_id"`
	Part           int    `json:"part"`
	ClassID        string `json:"class_id"`

	CostOpening             float64 `json:"cost_opening"`
	CostAdditions           float64 `json:"cost_additions"`
	CostContributed         float64 `json:"cost_contributed"`
	CostBetterments         float64 `json:"cost_betterments"`
	CostRetirementCosts     float64 `json:"cost_retirement_costs"`
	CostFromWork            float64 `json:"cost_from_work_in_progress"`
	CostTransfers           float64 `json:"cost_transfers"`
	CostWriteDowns          float64 `json:"cost_write_downs"`
	CostDisposals           float64 `json:"cost_disposals"`
	CostAdjustments         float64 `json:"cost_adjustments"`
	CostClosing             float64 `json:"cost_closing"`
	WorkOpening             float64 `json:"work_opening"`
	WorkAdditions           float64 `json:"work_additions"`
	WorkToService           float64 `json:"work_to_service"`
	WorkWriteDowns          float64 `json:"work_write_downs"`
	WorkClosing             float64 `json:"work_closing"`
	AccumulatedOpening      float64 `json:"accumulated_opening"`
	AccumulatedAmortization float64 `json:"accumulated_amortization"`
	AccumulatedDisposals    float64 `json:"accumulated_disposals"`
	AccumulatedTransfers    float64 `json:"accumulated_transfers"`
	AccumulatedAdjustments  float64 `json:"accumulated_adjustments"`
	OpenAccumulated         float64 `json:"open_accumulated"` // before what the year charges
	Proceeds                float64 `json:"proceeds"`
	GainLoss                float64 `json:"gain_loss"`
	GainLossAdjustments     float64 `json:"gain_loss_adjustments"`

	Last          bool    `json:"last"`
	OpenUnitsLeft int     `json:"open_units_left"`
	Quantity      *int    `json:"quantity"`
	LifeYears     int     `json:"life_years"`
	LifeMonths    int     `json:"life_months"` // beyond them
	ResidualValue float64 `json:"residual_value"`
	InServiceOn   *string `json:"in_service_on"`
	Disposed      bool    `json:"disposed"`
}

// layerRow is a layer of cost.
type layerRow struct {
	FiscalYear     int     `json:"fiscal_year"`
	CapitalAssetID string  `json:"capital_asset_id"`
	Number         int     `json:"number"`
	Cost           float64 `json:"cost"`
	Accumulated    float64 `json:"accumulated"`
	Residual       float64 `json:"residual"`
	UnitsLeft      int     `json:"units_left"`
	UnitsDue       int     `json:"units_due"`
	Charged        float64 `json:"charged"`
	ObligationID   *string `json:"obligation_id"`
}

// factsRow is what the record of a capital asset is to say.
type factsRow struct {
	ID               string  `json:"id"`
	State            string  `json:"state"`
	ClassID          string  `json:"class_id"`
	UsefulLifeYears  *int    `json:"useful_life_years"`
	UsefulLifeMonths int     `json:"useful_life_months"`
	ResidualValue    float64 `json:"residual_value"`
	Quantity         *int    `json:"quantity"`
	InServiceOn      *string `json:"in_service_on"`
}

// write replaces what is stored of the open years of the book's capital assets, and their records where they say something else now.
func (a *accounting) write(ctx context.Context, tx pgx.Tx, b *book, balances []*balance) error {
	var years []yearRow
	var layers []layerRow
	last := map[string]facts{}
	for _, s := range balances {
		last[s.id] = s.facts()
		if s.year.state != "open" {
			continue
		}
		years, layers = append(years, s.yearRows()...), append(layers, s.layerRows()...)
	}
	batch := &pgx.Batch{}
	b.writeEffects(batch)
	batch.Queue(`WITH gone AS (DELETE FROM layer WHERE organization_id = current_organization() AND fiscal_year = ANY($2)
		AND capital_asset_id = ANY($1))
		DELETE FROM capital_asset_year WHERE organization_id = current_organization() AND fiscal_year = ANY($2) AND capital_asset_id = ANY($1)`,
		b.ids(), b.years.open().numbers())
	batch.Queue(`INSERT INTO layer (organization_id, fiscal_year, capital_asset_id, number, posted, cost, accumulated, residual, units_left,
		units_due, charged, charge, obligation_id)
		SELECT current_organization(), r.fiscal_year, r.capital_asset_id, r.number, true, r.cost, r.accumulated, r.residual, r.units_left,
			r.units_due, r.charged, 0, r.obligation_id
		FROM json_populate_recordset(NULL::layer, $1) r`, asJSON(layers))
	batch.Queue(insertYears, asJSON(years))
	if err := postgres.Later(ctx, tx, batch); err != nil {
		return err
	}
	var records []factsRow
	for _, id := range b.ids() {
		if f, is := last[id]; is && !f.same(b.accounts[id].recorded) {
			records = append(records, factsRow{id, f.state, f.classID, f.usefulLifeYears, f.lifeMonths, money(f.residualValue),
				f.quantity, f.inServiceOn})
		}
	}
	if len(records) == 0 {
		return nil
	}
	return a.registry.UpdateWhere(ctx, tx, "capital_assets", []string{"state", "class_id", "useful_life_years", "useful_life_months",
		"residual_value", "quantity", "in_service_on"}, `SELECT r.id, r.state, r.class_id, r.useful_life_years, r.useful_life_months,
		r.residual_value, r.quantity, r.in_service_on FROM json_populate_recordset(NULL::capital_asset, $2) r`, asJSON(records))
}

// insertYears writes rows of the schedule: the columns of yearRow. What they close with is what they stand at before the year's charges.
var insertYears = func() string {
	columns := strings.Join(slices.Concat([]string{"fiscal_year", "capital_asset_id", "part", "class_id", "cost_opening", "cost_closing",
		"work_opening", "work_closing", "accumulated_opening", "last", "open_accumulated", "open_units_left"}, movements, closingColumns), ", ")
	return "INSERT INTO capital_asset_year (organization_id, posted, accumulated_closing, units_left, " +
		columns + ") SELECT current_organization(), true, open_accumulated, open_units_left, " +
		columns + " FROM json_populate_recordset(NULL::capital_asset_year, $1)"
}()

// yearRows are the rows of the schedule, one for each class that the capital asset was in.
func (s *balance) yearRows() (rows []yearRow) {
	movements := s.r.Movements()
	for i, m := range movements {
		c, w, a := m.Cost, m.Work, m.Accumulated
		row := yearRow{FiscalYear: s.year.number, CapitalAssetID: s.id, Part: i + 1, ClassID: s.classes[i],
			CostOpening: money(c.Opening), CostAdditions: money(c.Additions),
			CostContributed: money(c.Contributed), CostBetterments: money(c.Betterments), CostRetirementCosts: money(c.RetirementCosts),
			CostFromWork: money(c.FromWork), CostTransfers: money(c.Transfers), CostWriteDowns: money(c.WriteDowns),
			CostDisposals: money(c.Disposals), CostAdjustments: money(c.Adjustments), CostClosing: money(c.Closing), WorkOpening: money(w.Opening),
			WorkAdditions: money(w.Additions), WorkToService: money(w.ToService), WorkWriteDowns: money(w.WriteDowns), WorkClosing: money(w.Closing),
			AccumulatedOpening: money(a.Opening), AccumulatedAmortization: money(a.Amortization), AccumulatedDisposals: money(a.Disposals),
			AccumulatedTransfers: money(a.Transfers), AccumulatedAdjustments: money(a.Adjustments),
			Proceeds: money(m.Proceeds), GainLoss: money(m.Gain), GainLossAdjustments: money(m.GainAdjustments)}
		if row.Last = i == len(movements)-1; row.Last {
			s.conclude(&row)
		}
		rows = append(rows, row)
	}
	return rows
}

// conclude writes the balance of the capital asset into the last row of a year.
func (s *balance) conclude(row *yearRow) {
	f := s.facts()
	row.LifeYears, row.LifeMonths = s.r.Life/12, s.r.Life%12
	row.Quantity, row.ResidualValue, row.InServiceOn, row.Disposed = f.quantity, money(s.r.Residual), f.inServiceOn, s.r.Disposed
	var accumulated ledger.Cents
	for i := range s.r.Layers {
		before, left := s.r.Layers[i].BeforeCharges()
		accumulated += before
		if row.OpenUnitsLeft == 0 { // of the first that has some
			row.OpenUnitsLeft = left
		}
	}
	row.OpenAccumulated = money(accumulated)
}

func (s *balance) layerRows() (rows []layerRow) {
	present := map[int]bool{}
	for i := range s.r.Layers {
		l := &s.r.Layers[i]
		present[l.Number] = true
		row := layerRow{s.year.number, s.id, l.Number, money(l.Cost), money(l.Accumulated), money(l.Residual), l.Left, s.r.Due(l),
			money(s.r.Charged(l.Number)), nil}
		if l.Obligation != "" {
			row.ObligationID = &l.Obligation
		}
		rows = append(rows, row)
	}
	for _, number := range s.r.ChargedLayers() {
		if charged := s.r.Charged(number); !present[number] && charged != 0 { // all of it has gone
			rows = append(rows, layerRow{FiscalYear: s.year.number, CapitalAssetID: s.id, Number: number, Charged: money(charged)})
		}
	}
	return rows
}
