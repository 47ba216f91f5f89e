package infrastructure

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// pastUsefulLife is the filter of that name. Rows whose life is unknown match neither true nor false.
var pastUsefulLife = resource.Filter{
	Kind: schema.Boolean,
	Doc:  "Only those whose expected useful life is over (true) or is not over (false).",
	SQL:  indicators.LinearPastUsefulLife("t", indicators.Today) + " = $2",
}

// ofAssetClass is the filter of segments by the class of their network.
var ofAssetClass = resource.Filter{
	Kind: schema.Text,
	Enum: schema.Of[Network]().Field("asset_class").Enum,
	Doc:  "Only segments of networks of this class.",
	SQL:  "t.network_id IN (SELECT n.id FROM network n WHERE n.organization_id = $1 AND n.asset_class = $2)",
}

func (f family) prepareSegments(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Segment]) error {
	if err := fillFromNetworks(ctx, tx, changes); err != nil {
		return err
	}
	today := resource.Today(ctx)
	var retired []*resource.Change[Segment]
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		before := c.Before
		if before == nil {
			before = &Segment{}
		}
		c.After.Renewal.check(&before.Renewal, c.FieldError)
		c.After.measure(before, c.FieldError)
		c.After.pave(before)
		c.After.leave(c, today)
		c.After.rejectToCome(c, today)
		c.After.rejectTyped(c)
		c.After.dateCosts(c, today)
		c.After.state(c, today)
		if c.Before != nil && !c.Before.retired() && c.After.retired() {
			retired = append(retired, c)
		}
	}
	if err := rateSegments(ctx, tx, changes); err != nil {
		return err
	}
	return resource.RejectWhileActive(ctx, tx, f.registry, "segments", retired)
}

// retired reports whether the segment is out of service for good.
func (s *Segment) retired() bool { return s.Status == "abandoned" || s.Status == "removed" }

// fillFromNetworks fills empty fields of new segments with the defaults of their networks. It locks the networks that segments are put
// into, so that their class stays until the transaction ends, see rejectClassChanges.
func fillFromNetworks(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Segment]) error {
	var ids []string
	for _, c := range changes {
		if c.After != nil && (c.Before == nil || c.Before.NetworkID != c.After.NetworkID) {
			ids = append(ids, c.After.NetworkID)
		}
	}
	if ids == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT id::text, default_useful_life_years, default_unit_cost_per_m::float8 FROM network
		WHERE organization_id = current_organization() AND id = ANY($1::uuid[]) ORDER BY id FOR SHARE`, ids)
	if err != nil {
		return err
	}
	type defaults struct {
		life *int
		cost *float64
	}
	of, id, each := map[string]defaults{}, "", defaults{}
	if _, err := pgx.ForEachRow(rows, []any{&id, &each.life, &each.cost}, func() error { of[id] = each; return nil }); err != nil {
		return err
	}
	for _, c := range changes {
		if c.After == nil || c.Before != nil {
			continue
		}
		network := of[c.After.NetworkID]
		if c.After.ExpectedUsefulLifeYears == nil {
			c.After.ExpectedUsefulLifeYears = network.life
		}
		if c.After.ReplacementCost == nil && c.After.ReplacementUnitCostPerM == nil {
			c.After.ReplacementUnitCostPerM = network.cost
		}
	}
	return nil
}

// check makes install_year agree with install_date: the date is more precise, so it fills the year. A year that the caller sets to
// something else is a contradiction. One that the caller left unchanged is replaced.
func (r *Renewal) check(before *Renewal, fieldError func(field, format string, args ...any)) {
	if r.InstallDate != nil {
		year, _ := strconv.Atoi((*r.InstallDate)[:4])
		if r.InstallYear != nil && *r.InstallYear != year && !resource.Same(before.InstallYear, r.InstallYear) {
			fieldError("install_year", "is %d, but install_date lies in %d; correct one of them or leave install_year out", *r.InstallYear, year)
			return
		}
		r.InstallYear = &year
	}
	if r.RelinedUsefulLifeYears != nil && r.RelinedYear == nil {
		fieldError("relined_useful_life_years", "needs relined_year, from which it counts")
	}
	if r.RelinedYear != nil && r.InstallYear != nil && *r.RelinedYear < *r.InstallYear {
		fieldError("relined_year", "must not be before install_year (%d)", *r.InstallYear)
	}
}
