package planning

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/services/planning/engine"
)

// fund says what of the proposed levels the money that is there pays, and what it does not. What the scenario with the money does is known
// then.
func (p *planning) fund(ctx context.Context, tx pgx.Tx, r *result, code string, m *assembled, proposed *treated, known map[int]*treated,
	out *Regulation) error {
	n, err := r.scenarioOf("funded", code)
	if err != nil {
		return err
	}
	sc := &r.definitions.Scenarios[n]
	if sc.Kind != "budget" {
		return fault.InvalidFields(fault.Field{Field: "funded",
			Message: fmt.Sprintf("must be a scenario of the kind budget, which says what money is there: %s is %s", code, sc.Kind)})
	}
	funded, money, err := p.treatedBy(ctx, tx, r, n)
	if err != nil {
		return err
	}
	if funded.input.Start != m.input.Start {
		return fault.InvalidFields(fault.Field{Field: "funded",
			Message: fmt.Sprintf("must be a scenario that begins in %d, as %s does", m.input.Start, scenarioCode(m.of))})
	}
	known[n] = money
	for category, rows := range proposed.years {
		for year := range rows {
			given := 0.0
			if spent := money.years[category]; spent != nil {
				given = spent[year].Cost
			}
			rows[year].Given = &given
		}
	}
	out.NotDone = m.notDone(proposed, funded, money)
	years, err := figuresOf(ctx, tx, r.run, n)
	if err != nil {
		return err
	}
	out.Funds = funded.money(years)
	out.Totals = m.totals(proposed, sc.Funds, out.Funds)
	return nil
}

// money is what is there of each fund in each of the 10 years. A fund that carries over has what it left the year before besides, the
// first year's too.
func (m *assembled) money(years []YearFigures) []RegulationFund {
	rows := []RegulationFund{}
	left := make([]engine.Cents, len(m.scenario.Funds))
	for year := range regulationYears + 1 {
		for i, fund := range m.scenario.Funds {
			of := &m.of.Funds[i]
			available := fund.Amounts[year] + left[i]
			row := RegulationFund{Fund: of.Code, SourceType: of.SourceType, Year: m.input.Start + year,
				Amount: dollars(fund.Amounts[year]), Carried: dollars(left[i]), Available: dollars(available), Spent: years[year].Funds[i].Spent}
			left[i] = 0
			if fund.CarryOver {
				left[i] = max(0, available-cents(row.Spent))
			}
			if year > 0 {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// totals are the 10 years over all categories.
func (m *assembled) totals(proposed *treated, funds []ScenarioFund, money []RegulationFund) []RegulationTotal {
	scopes := make([]engine.Scope, len(funds))
	for i := range funds {
		scopes[i] = m.scope(funds[i].Eligible, nil)
	}
	totals := []RegulationTotal{}
	for year := 1; year <= regulationYears; year++ {
		total := RegulationTotal{Year: m.input.Start + year}
		available := make([]engine.Cents, len(funds))
		for i := range funds {
			row := &money[(year-1)*len(funds)+i]
			available[i] = cents(row.Available)
			total.Funding, total.Carried = rounded(total.Funding+row.Amount), rounded(total.Carried+row.Carried)
		}
		cost := engine.Cents(0)
		for _, c := range proposed.costs[year] {
			cost += c
		}
		total.Cost, total.Shortfall = dollars(cost), dollars(unpaid(slices.Clone(proposed.costs[year]), scopes, available))
		totals = append(totals, total)
	}
	return totals
}

// unpaid is what of the costs, by class and kind, no fund may pay any more. Funds that are for less pay first, so that what is for
// everything is left for what only that may pay.
func unpaid(costs []engine.Cents, scopes []engine.Scope, available []engine.Cents) engine.Cents {
	covers := func(fund, group int) bool {
		s := &scopes[fund]
		return (s.Classes == nil || s.Classes[group/len(kinds)]) && (s.Kinds == nil || s.Kinds[group%len(kinds)])
	}
	breadth := make([]int, len(scopes))
	order := make([]int, len(scopes))
	for fund := range scopes {
		order[fund] = fund
		for group := range costs {
			if covers(fund, group) {
				breadth[fund]++
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(breadth[a], breadth[b]) })
	for _, fund := range order {
		for group := range costs {
			if covers(fund, group) {
				paid := min(costs[group], available[fund])
				costs[group] -= paid
				available[fund] -= paid
			}
		}
	}
	left := engine.Cents(0)
	for _, c := range costs {
		left += c
	}
	return left
}
