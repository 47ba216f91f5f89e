package accounting

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
	"ams.internal/services/accounting/ledger"
)

// book is the part of the ledger that an entry may touch: capital assets, as the last closed year left them, and their entries of the open
// years. What goes from one capital asset to another ties them together.
type book struct {
	years    years
	accounts map[string]*account
	classes  map[string]*CapitalAssetClass
	entries  []*entry // by day, and in the order in which they were posted
}

// account is a capital asset in a book.
type account struct {
	id         string
	recorded   facts // as the record has them
	begin      ledger.Asset
	beginFacts facts // at the end of the last closed year; zero where it was not there
}

// facts are what transactions change of a capital asset's record.
type facts struct {
	state           string
	classID         string
	usefulLifeYears *int
	lifeMonths      int // beyond the years
	residualValue   ledger.Cents
	quantity        *int
	inServiceOn     *string
}

// same says whether a record with one has nothing to change to have the other.
func (f facts) same(other facts) bool {
	return f.state == other.state && f.classID == other.classID && resource.Same(f.usefulLifeYears, other.usefulLifeYears) &&
		f.lifeMonths == other.lifeMonths &&
		f.residualValue == other.residualValue &&
		resource.Same(f.quantity, other.quantity) && resource.Same(f.inServiceOn, other.inServiceOn)
}

// entry is a transaction of an open year, and what it comes to.
type entry struct {
	id string
	CapitalAssetTransaction
	on       time.Time
	reversed bool // or a reversal: it counts for nothing
	isNew    bool
	former   bool // it was posted before the capital asset was a draft again, which went to another class
	spread   bool // retirement_cost: it has added to the cost

	layers []ledger.Layer // of a reinstatement: what comes back
	effect ledger.Effect
}

func cents(amount float64) ledger.Cents { return ledger.FromFloat(amount) }

func money(c ledger.Cents) float64 { return c.Float() }

func centsOf(amount *float64) ledger.Cents {
	if amount == nil {
		return 0
	}
	return cents(*amount)
}

func dayOf(text string) time.Time {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic("accounting: a day that is none: " + text) // the schema has checked it, or the database has kept it
	}
	return day
}

// readBook reads the accounts of capital assets, locks them, and reads those that transfers of the open years tie to them. Locks are
// taken in the order of ids: where a transfer that was posted while we waited for one ties further capital assets, they are given back,
// and those of all are taken anew.
func readBook(ctx context.Context, tx pgx.Tx, all years, ids []string) (*book, error) {
	return tiedBook(ctx, tx, all, ids, func(b *book, ids []string) error {
		return postgres.Savepoint(ctx, tx, func(ctx context.Context, tx pgx.Tx) error { return b.read(ctx, tx, ids, " FOR NO KEY UPDATE OF a") })
	})
}

// lookUpBook is readBook without locks.
func lookUpBook(ctx context.Context, tx pgx.Tx, all years, ids []string) (*book, error) {
	return tiedBook(ctx, tx, all, ids, func(b *book, ids []string) error { return b.read(ctx, tx, ids, "") })
}

// tiedBook reads until nothing is missing.
func tiedBook(ctx context.Context, tx pgx.Tx, all years, ids []string, read func(b *book, ids []string) error) (*book, error) {
	for {
		b := &book{years: all, accounts: map[string]*account{}, classes: map[string]*CapitalAssetClass{}}
		switch err := read(b, ids); {
		case errors.Is(err, errTied):
			ids = append(ids, b.missing()...)
		case err != nil:
			return nil, err
		default:
			return b, b.beginClasses(ctx, tx)
		}
	}
}

// errTied is why a book is read anew: its entries name capital assets that are not in it.
var errTied = errors.New("more capital assets are tied to these")

func (b *book) read(ctx context.Context, tx pgx.Tx, ids []string, lock string) error {
	if err := b.readAccounts(ctx, tx, ids, lock); err != nil {
		return err
	}
	batch := &pgx.Batch{}
	b.readClasses(batch)
	b.readEntries(batch)
	b.readBeginning(batch)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	if len(b.missing()) > 0 {
		return errTied
	}
	return nil
}

// missing are the capital assets that entries name and that are not read.
func (b *book) missing() (ids []string) {
	for _, e := range b.entries {
		for _, id := range e.touches() {
			if b.accounts[id] == nil && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// touches are the capital assets of an entry.
func (t *CapitalAssetTransaction) touches() []string {
	if t.ToCapitalAssetID != nil {
		return []string{t.CapitalAssetID, *t.ToCapitalAssetID}
	}
	return []string{t.CapitalAssetID}
}

func (b *book) readAccounts(ctx context.Context, tx pgx.Tx, ids []string, lock string) error {
	rows, err := tx.Query(ctx, `WITH RECURSIVE tied AS (
			SELECT unnest($1::uuid[]) AS id
			UNION
			SELECT CASE WHEN x.capital_asset_id = t.id THEN x.to_capital_asset_id ELSE x.capital_asset_id END
			FROM tied t JOIN transaction x ON x.organization_id = current_organization() AND x.fiscal_year = ANY($2)
				AND x.to_capital_asset_id IS NOT NULL
				AND (x.capital_asset_id = t.id OR x.to_capital_asset_id = t.id))
		SELECT a.id::text, a.state, a.class_id::text, a.useful_life_years, a.useful_life_months, a.residual_value::float8, a.quantity,
			a.in_service_on::text
		FROM capital_asset a WHERE a.organization_id = current_organization() AND a.id IN (SELECT id FROM tied)
		ORDER BY a.id`+lock, ids, b.years.notClosed().numbers())
	if err != nil {
		return err
	}
	a, residual := account{}, 0.0
	r := &a.recorded
	_, err = pgx.ForEachRow(rows, []any{&a.id, &r.state, &r.classID, &r.usefulLifeYears, &r.lifeMonths, &residual, &r.quantity,
		&r.inServiceOn}, func() error {
		read := a
		read.recorded.residualValue = cents(residual)
		b.accounts[a.id] = &read
		return nil
	})
	return err
}

// readClasses reads the classes of the accounts.
func (b *book) readClasses(batch *pgx.Batch) {
	batch.Queue(selectClasses+` IN (SELECT class_id FROM capital_asset
		WHERE organization_id = current_organization() AND id = ANY($1))`, b.ids()).
		Query(func(rows pgx.Rows) error { return scanClasses(rows, b.classes) })
}

// readEntries reads the entries of the open years. What a close has posted is none: the replay comes to it by itself.
func (b *book) readEntries(batch *pgx.Batch) {
	batch.Queue(`SELECT x.id::text, x.number, x.sequence, x.capital_asset_id::text, x.type, x.effective_on::text, x.fiscal_year,
		x.amount::float8, x.accumulated_amortization::float8, x.in_service_on::text, x.remaining_units, x.useful_life_years, x.useful_life_months,
		x.residual_value::float8, x.added_life_years, x.added_life_months, x.proceeds::float8, x.cost_removed::float8,
			x.share_pct::float8, x.quantity, x.to_capital_asset_id::text, x.to_class_id::text, x.from_class_id::text, x.cost_change::float8,
		x.accumulated_change::float8, x.obligation_id::text, x.of_work_in_progress, x.gain_loss::float8, x.reinstates::text,
			CASE WHEN x.type = 'reinstatement' THEN (SELECT json_agg(l) FROM reinstated_layer l
				WHERE l.organization_id = x.organization_id AND l.transaction_id = x.id)::text END,
			x.reverses IS NOT NULL OR EXISTS (SELECT FROM transaction r WHERE r.organization_id = x.organization_id AND r.reverses = x.id),
			x.type = 'retirement_cost' AND coalesce(e.cost_change, x.cost_change) > 0,
			EXISTS (SELECT FROM former_draft d
				WHERE d.organization_id = x.organization_id AND d.capital_asset_id = x.capital_asset_id AND d.sequence >= x.sequence)
		FROM transaction x LEFT JOIN transaction_effect e ON e.organization_id = x.organization_id AND e.transaction_id = x.id
		WHERE x.organization_id = current_organization() AND x.fiscal_year = ANY($2)
			AND (x.capital_asset_id = ANY($1) OR x.to_capital_asset_id = ANY($1))
			AND x.type NOT IN ('amortization', 'accretion', 'settlement') AND (x.type = 'retirement_cost' OR x.obligation_id IS NULL)
				AND x.close_id IS NULL
			AND NOT EXISTS (SELECT FROM former_draft d
				WHERE d.organization_id = x.organization_id AND d.deleted AND d.capital_asset_id IN (x.capital_asset_id, x.to_capital_asset_id))
		ORDER BY x.effective_on, x.sequence`, b.ids(), b.years.notClosed().numbers()).Query(func(rows pgx.Rows) error {
		e, restored := entry{}, []byte(nil)
		_, err := pgx.ForEachRow(rows, []any{&e.id, &e.Number, &e.Sequence, &e.CapitalAssetID, &e.Type, &e.EffectiveOn, &e.FiscalYear, &e.Amount,
			&e.AccumulatedAmortization, &e.InServiceOn, &e.RemainingUnits, &e.UsefulLifeYears, &e.UsefulLifeMonths, &e.ResidualValue,
			&e.AddedLifeYears, &e.AddedLifeMonths, &e.Proceeds, &e.CostRemoved, &e.SharePct, &e.Quantity,
			&e.ToCapitalAssetID, &e.ToClassID, &e.FromClassID, &e.CostChange, &e.AccumulatedChange,
			&e.ObligationID, &e.OfWorkInProgress, &e.GainLoss, &e.Reinstates, &restored, &e.reversed, &e.spread, &e.former}, func() error {
			read := e
			read.on = dayOf(e.EffectiveOn)
			if err := read.restore(restored); err != nil {
				return err
			}
			b.entries = append(b.entries, &read)
			e = entry{}
			return nil
		})
		return err
	})
}

func (b *book) ids() (ids []string) {
	for id := range b.accounts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// readBeginning reads what the last closed year left.
func (b *book) readBeginning(batch *pgx.Batch) {
	closed := b.years.lastClosed()
	batch.Queue(`SELECT DISTINCT ON (y.capital_asset_id) y.capital_asset_id::text, y.fiscal_year,
		y.class_id::text, y.work_closing::float8, 12 * y.life_years + y.life_months, y.residual_value::float8,
			y.in_service_on::text, y.quantity, y.disposed OR y.removed > 0, y.in_service_on IS NOT NULL OR EXISTS (SELECT FROM transaction x
				WHERE x.organization_id = y.organization_id AND x.capital_asset_id = y.capital_asset_id AND x.fiscal_year <= $2
					AND x.obligation_id IS NULL AND `+isLive+`)
		FROM capital_asset_year y WHERE y.organization_id = current_organization() AND y.capital_asset_id = ANY($1)
			AND y.fiscal_year <= $2 AND y.last
		ORDER BY y.capital_asset_id, y.fiscal_year DESC`, b.ids(), closed).Query(func(rows pgx.Rows) error {
		var id, class string
		var year, life int
		var work, residual float64
		var service *string
		var quantity *int
		var disposed, active bool
		_, err := pgx.ForEachRow(rows, []any{&id, &year, &class, &work, &life, &residual, &service, &quantity, &disposed, &active}, func() error {
			a := b.accounts[id]
			a.begin = ledger.Asset{Work: cents(work), Life: life, Residual: cents(residual), Disposed: disposed}
			if service != nil {
				a.begin.Service = dayOf(*service)
			}
			if active { // an entry counts: it is in progress at least. A draft is what its record says
				a.beginFacts = facts{classID: class, quantity: quantity, state: "in_progress"}
			}
			return nil
		})
		return err
	})
	batch.Queue(`SELECT l.capital_asset_id::text, l.number, l.cost::float8, (l.accumulated + l.charge)::float8, l.residual::float8,
		l.units_left - least(l.units_due, l.units_left), coalesce(l.obligation_id::text, '')
		FROM layer l WHERE l.organization_id = current_organization() AND l.capital_asset_id = ANY($1) AND l.fiscal_year = $2
			AND (l.cost > 0 OR l.units_left > 0)
		ORDER BY l.capital_asset_id, l.number`, b.ids(), closed).Query(func(rows pgx.Rows) error {
		var id string
		var number, left int
		var cost, accumulated, residual float64
		var obligation string
		_, err := pgx.ForEachRow(rows, []any{&id, &number, &cost, &accumulated, &residual, &left, &obligation}, func() error {
			if a := b.accounts[id]; !a.begin.Disposed {
				a.begin.Layers = append(a.begin.Layers, ledger.Layer{Number: number, Cost: cents(cost), Accumulated: cents(accumulated),
					Residual: cents(residual), Left: left, Obligation: obligation})
			}
			return nil
		})
		return err
	})
}

// beginClasses says in which class each account begins, and reads the classes that are not read yet.
func (b *book) beginClasses(ctx context.Context, tx pgx.Tx) error {
	for _, a := range b.accounts {
		if a.beginFacts.classID == "" {
			a.beginFacts.classID, a.beginFacts.quantity = a.recorded.classID, a.recorded.quantity
			first := int64(math.MaxInt64)
			for _, e := range b.entries { // the class before the first transfer to another that was posted to it
				if e.CapitalAssetID == a.id && e.FromClassID != nil && !e.former && e.Sequence < first {
					a.beginFacts.classID, first = *e.FromClassID, e.Sequence
				}
			}
		}
	}
	var classIDs []string
	for _, a := range b.accounts {
		classIDs = append(classIDs, a.beginFacts.classID)
	}
	for _, e := range b.entries {
		if e.ToClassID != nil {
			classIDs = append(classIDs, *e.ToClassID)
		}
	}
	return b.addClasses(ctx, tx, classIDs)
}

// addClasses reads classes that are not read yet.
func (b *book) addClasses(ctx context.Context, tx pgx.Tx, ids []string) error {
	ids = slices.DeleteFunc(ids, func(id string) bool { return b.classes[id] != nil })
	if len(ids) == 0 {
		return nil
	}
	more, err := classesByID(ctx, tx, ids)
	maps.Copy(b.classes, more)
	return err
}

// impossibleEntry is an entry that cannot be where it is.
type impossibleEntry struct {
	*entry
	reason *ledger.Impossible
}

// because is the 409 that names the entry, if it has a number yet.
func (e *impossibleEntry) because(format, on string) *fault.Error {
	name, id := "another transaction of this call", ""
	if e.Number != nil {
		name, id = *e.Number, e.id
	}
	reason := fault.Conflict("makes_impossible", "effective_on", on, format, name, e.EffectiveOn, e.reason.Message)
	reason.ExistingID = id
	return reason
}

func (e *impossibleEntry) Error() string { return e.reason.Message }

// sort puts entries in the order in which they count; new ones come behind those of the same day.
func (b *book) sort() {
	slices.SortStableFunc(b.entries, func(x, y *entry) int { return cmp.Compare(x.EffectiveOn, y.EffectiveOn) })
}

// replay calculates the open years from their beginning. The error is an *impossibleEntry where an entry is not possible.
func (b *book) replay() ([]*balance, error) {
	var written []*balance
	now := b.begin()
	for _, year := range b.years.notClosed() {
		if err := b.enter(year, now); err != nil {
			return nil, err
		}
		for _, id := range b.ids() {
			s := now[id]
			if s.posted {
				written = append(written, s.copy())
			}
			s.end()
		}
	}
	return written, nil
}

// begin gives where the capital assets stand before the open years.
func (b *book) begin() map[string]*balance {
	b.sort()
	now := map[string]*balance{}
	for id, a := range b.accounts {
		k := b.classes[a.beginFacts.classID]
		asset := a.begin
		// written down to nothing, and its units are over: it is still there
		if !asset.Disposed && !asset.Service.IsZero() && len(asset.Layers) == 0 {
			asset.Layers = []ledger.Layer{{Number: 1}}
		}
		asset.Convention, asset.Amortized, asset.RemoveWhenAmortized = ledger.Conventions[k.Convention], k.Method != "none", k.RemoveWhenAmortized
		now[id] = &balance{account: a, asset: asset, classID: k.ID, quantity: a.beginFacts.quantity, active: a.beginFacts.state != ""}
	}
	return now
}

// enter begins a year and posts the entries of it, up to what its end charges.
func (b *book) enter(year year, now map[string]*balance) error {
	for id, s := range now {
		now[id] = &balance{account: s.account, year: year, classID: s.classID, classes: []string{s.classID}, quantity: s.quantity,
			active: s.active, r: s.asset.Begin(ledger.Year{First: year.first, Last: year.last})}
	}
	for _, e := range b.entries {
		if e.FiscalYear != year.number {
			continue
		}
		for _, id := range e.touches() {
			now[id].posted = true
		}
		if e.reversed {
			continue
		}
		if err := b.post(e, now); err != nil {
			reason := new(ledger.Impossible)
			if errors.As(err, &reason) {
				return &impossibleEntry{e, reason}
			}
			return err
		}
	}
	return nil
}
