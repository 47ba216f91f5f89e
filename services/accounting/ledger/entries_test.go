package ledger

import (
	"errors"
	"slices"
	"testing"
)

// What was there before the ledger opens its first year as it would stand if it had been kept all along.
func TestAnOpeningGoesOnAsIfItHadAlwaysBeenKept(t *testing.T) {
	for convention := range conventionNames {
		kept := newBook(t, convention, 25, calendar(2017))
		kept.year(bought("2017-04-03", 120_000))
		for range 9 {
			kept.year()
		}
		opened := newBook(t, convention, 25, calendar(2027))
		m := opened.year(Entry{Type: Opening, On: day("2027-01-01"), Amount: cents(120_000), Accumulated: kept.asset.Accumulated(),
			Service: day("2017-04-03")})
		if m.Cost.Opening != cents(120_000) || m.Accumulated.Opening != kept.asset.Accumulated() || m.Cost.Additions != 0 {
			t.Errorf("%s opens with %+v", conventionNames[convention], m)
		}
		if want := kept.year(); m.Accumulated.Amortization != want.Accumulated.Amortization {
			t.Errorf("%s: the first year charges %s, kept all along it would charge %s", conventionNames[convention], m.Accumulated.Amortization,
				want.Accumulated.Amortization)
		}
	}
}

// A transfer is at book value: both sides sum to nothing, and together they are charged as before.
func TestATransferChangesNothingInSum(t *testing.T) {
	alone := w1(t)
	without := alone.year()
	giver, receiver := w1(t), newBook(t, HalfYear, 10, calendar(2027))
	_, m, effects, err := giver.asset.Reckon(calendar(2027), []Entry{{Type: TransferOut, On: day("2027-03-01"), Amount: cents(30_000)}})
	if err != nil {
		t.Fatal(err)
	}
	in := receiver.year(Entry{Type: TransferIn, On: day("2027-03-01"), Layers: effects[0].Taken})
	if m.Cost.Transfers != cents(-30_000) || in.Cost.Transfers != cents(30_000) ||
		m.Accumulated.Transfers+in.Accumulated.Transfers != 0 || m.Gain != 0 {
		t.Errorf("given %+v, received %+v", m, in)
	}
	if sum := m.Accumulated.Amortization + in.Accumulated.Amortization; sum != without.Accumulated.Amortization {
		t.Errorf("both are charged %s, alone it would be %s", sum, without.Accumulated.Amortization)
	}
	receiver.closes(30_000, 30_000-11_400-1_200)
}

// given is what another capital asset gave: a cost with so many units left.
func given(on string, cost, accumulated float64, left int) Entry {
	return Entry{Type: TransferIn, On: day(on), Layers: []Layer{{Cost: cents(cost), Accumulated: cents(accumulated), Left: left, due: 2}}}
}

// What is amortized already stays so when the life changes, whether it came by a transfer or what came lasts longer: units are those of the
// first layer that has some.
func TestWhatIsAmortizedHasNoPartInALife(t *testing.T) {
	units, fewer, residual := 40, 10, cents(1_000)
	b := w1(t)
	// 73,400 × 2 ÷ 31
	b.charged(b.year(given("2027-02-01", 5_000, 5_000, 0), Entry{Type: Estimate, On: day("2027-03-01"), Residual: &residual}), 4_735.48)
	b.year(Entry{Type: Estimate, On: day("2028-03-01"), Units: &units})
	if l := b.asset.Layers; l[0].Left != 38 || l[1].Left != 0 {
		t.Errorf("%d and %d half-years are left", l[0].Left, l[1].Left)
	}
	old := newBook(t, HalfYear, 5, calendar(2027))
	old.asset.Service, old.asset.Layers = day("2001-01-01"), []Layer{{Number: 1, Cost: cents(1_000), Accumulated: cents(1_000)}}
	better := Entry{Type: Betterment, On: day("2027-03-01"), Amount: cents(4_900)}
	old.charged(old.year(given("2027-02-01", 50_000, 0, 50), better), 2_100)                  // 50,000 × 2 ÷ 50, and 4,900 × 1 ÷ 49
	old.charged(old.year(Entry{Type: Estimate, On: day("2028-03-01"), Units: &units}), 2_640) // 52,800 × 2 ÷ 40
	if l := old.asset.Layers; l[0].Left != 0 || l[1].Left != 38 || l[2].Left != 38 {
		t.Errorf("%+v", l)
	}
	longer := better
	longer.On, longer.AddedLife = day("2029-03-01"), 5*12
	old.year(longer)
	if l := old.asset.Layers; l[0].Left != 0 || l[1].Left != 46 || l[3].Left != 46 {
		t.Errorf("with five years more: %+v", l)
	}
	// One that has a value to amortize is not left without units.
	b.year(given("2029-02-01", 9_000, 0, 20))
	refused := new(Impossible)
	if _, _, _, err := b.asset.Reckon(calendar(2030),
		[]Entry{{Type: Estimate, On: day("2030-02-01"), Units: &fewer}}); !errors.As(err, &refused) || refused.Code != "no_life_left" {
		t.Errorf("%v", err)
	}
}

func TestAProjection(t *testing.T) {
	if charges := w1(t).asset.Projection(calendar(2027), 17); charges[0] != cents(4_800) || charges[14] != cents(4_800) ||
		charges[15] != cents(2_400) || charges[16] != 0 {
		t.Errorf("%v", charges)
	}
}

// Each type of entry has its accounts.
func TestTheJournal(t *testing.T) {
	on := day("2027-06-01")
	life := 30 * 12
	for _, c := range []struct {
		e    Entry
		want []Line
	}{
		{Entry{Type: Betterment, Amount: 100}, []Line{{AssetAccount, 100}, {ClearingAccount, -100}}},
		{Entry{Type: Construction, Amount: 100}, []Line{{WorkAccount, 100}, {ClearingAccount, -100}}},
		{Entry{Type: WriteDown, Amount: 100}, []Line{{AssetAccount, -100}, {WriteDownAccount, 100}}},
		{Entry{Type: RetirementCost, Amount: 100}, []Line{{AssetAccount, 100}, {ObligationAccount, -100}}},
		{Entry{Type: Adjustment, CostChange: 50, AccumulatedChange: 20},
			[]Line{{AssetAccount, 50}, {AccumulatedAccount, -20}, {ClearingAccount, -50}, {AmortizationAccount, 20}}},
		{Entry{Type: Estimate, Life: &life}, nil},
		{Entry{Type: Disposal, Proceeds: cents(70_000)}, []Line{{AssetAccount, cents(-120_000)}, {AccumulatedAccount, cents(48_000)},
			{ClearingAccount, cents(70_000)}, {GainLossAccount, cents(2_000)}}},
		{Entry{Type: TransferOut}, []Line{{AssetAccount, cents(-120_000)}, {AccumulatedAccount, cents(45_600)}}},
	} {
		c.e.On = on
		_, _, effects, err := w1(t).asset.Reckon(calendar(2027), []Entry{c.e})
		if err != nil {
			t.Fatal(err)
		}
		if lines := Journal(&c.e, effects[0]); !slices.Equal(lines, c.want) {
			t.Errorf("%+v: %v, want %v", c.e, lines, c.want)
		}
	}
	draft := newBook(t, HalfYear, 25, calendar(2027))
	for _, c := range []struct {
		e    Entry
		want []Line
	}{
		{Entry{Type: Acquisition, Amount: 100}, []Line{{AssetAccount, 100}, {ClearingAccount, -100}}},
		{Entry{Type: Contribution, Amount: 100}, []Line{{AssetAccount, 100}, {ContributedAccount, -100}}},
		{Entry{Type: Opening, Amount: 100, Accumulated: 40, Service: day("2020-01-01")},
			[]Line{{AssetAccount, 100}, {AccumulatedAccount, -40}, {ClearingAccount, -60}}},
	} {
		c.e.On = on
		_, _, effects, err := draft.asset.Reckon(calendar(2027), []Entry{c.e})
		if err != nil {
			t.Fatal(err)
		}
		if lines := Journal(&c.e, effects[0]); !slices.Equal(lines, c.want) {
			t.Errorf("%+v: %v, want %v", c.e, lines, c.want)
		}
	}
	if lines := CloseJournal(10, 3); !slices.Equal(lines,
		[]Line{{AmortizationAccount, 10}, {AccumulatedAccount, -10}, {AccretionAccount, 3}, {ObligationAccount, -3}}) {
		t.Errorf("a close: %v", lines)
	}
}

// An obligation that costs less takes from what it had added, and from nothing else; what is left over is income.
func TestARevisedRetirementCost(t *testing.T) {
	b := w1(t)
	cost := func(on string, amount float64) Entry {
		return Entry{Type: RetirementCost, On: day(on), Amount: cents(amount), Obligation: "tank"}
	}
	m := b.year(cost("2027-01-01", 10_000), Entry{Type: RetirementCost, On: day("2027-01-01"), Amount: 500, Obligation: "asbestos"},
		cost("2027-06-01", -4_000))
	if m.Cost.RetirementCosts != cents(6_005) || b.asset.Cost() != cents(126_005) {
		t.Errorf("%+v", m.Cost)
	}
	// 6,000 over 30 half-years: 200 in the first year.
	less := cost("2028-06-01", -7_000)
	m = b.year(less)
	if m.Cost.RetirementCosts != cents(-5_800) || b.asset.Cost() != cents(120_205) {
		t.Errorf("%+v", m.Cost)
	}
	lines := Journal(&less, Effect{Cost: m.Cost.RetirementCosts})
	if want := []Line{{AssetAccount, cents(-5_800)}, {ObligationAccount, cents(7_000)}, {RetirementExpenseAccount,
		cents(-1_200)}}; !slices.Equal(lines, want) {
		t.Errorf("%v, want %v", lines, want)
	}
}

// Where there is no use left to spread it over, what an obligation costs is an expense.
func TestARetirementCostOfWhatIsNotInUse(t *testing.T) {
	cost := Entry{Type: RetirementCost, On: day("2027-06-01"), Amount: cents(1_000), Obligation: "well"}
	old := newBook(t, HalfYear, 1, calendar(2024))
	old.year(bought("2024-03-01", 100))
	old.year()
	old.year()
	gone := w1(t)
	gone.year(Entry{Type: Disposal, On: day("2027-03-01")})
	cost.On = day("2028-06-01")
	for name, of := range map[string]*book{"not in service": newBook(t, HalfYear, 25, calendar(2028)), "amortized": old, "disposed": gone} {
		_, m, effects, err := of.asset.Reckon(calendar(2028), []Entry{cost})
		if err != nil || m.Cost.RetirementCosts != 0 || effects[0].Cost != 0 || effects[0].Layer != 0 {
			t.Errorf("%s: %+v, %v, %v", name, m.Cost, effects, err)
		}
		if lines := Journal(&cost, effects[0]); !slices.Equal(lines, []Line{{ObligationAccount, cents(-1_000)}, {RetirementExpenseAccount,
			cents(1_000)}}) {
			t.Errorf("%s: %v", name, lines)
		}
	}
}

// Within a year the conventions by years are charged by the months that are over.
func TestABalanceWithinAYear(t *testing.T) {
	b := w1(t)
	for on, want := range map[string]float64{"2027-01-30": 74_400, "2027-01-31": 74_000, "2027-06-30": 72_000, "2027-12-31": 69_600} {
		if cost, accumulated, err := b.asset.On(calendar(2027), nil, day(on)); err != nil || cost-accumulated != cents(want) {
			t.Errorf("on %s it is worth %s, want %s (%v)", on, cost-accumulated, cents(want), err)
		}
	}
	later := Entry{Type: Betterment, On: day("2027-10-01"), Amount: cents(1_000)}
	if cost, _, err := b.asset.On(calendar(2027), []Entry{later}, day("2027-09-30")); err != nil || cost != cents(120_000) {
		t.Errorf("the day before a betterment the cost is %s (%v)", cost, err)
	}
}

// What cannot be posted is refused with a word that stays, and names its entry.
func TestWhatCannotBePosted(t *testing.T) {
	of := func(dollars float64) *Cents { c := cents(dollars); return &c }
	units := func(n int) *int { return &n }
	draft := newBook(t, HalfYear, 25, calendar(2027))
	land := newBook(t, HalfYear, 0, calendar(2027))
	land.asset.Amortized = false
	land.asset.Service, land.asset.Layers = day("2001-01-01"), []Layer{{Cost: cents(1_000)}}
	park, built := newBook(t, HalfYear, 0, calendar(2027)), newBook(t, HalfYear, 40, calendar(2027))
	park.asset.Amortized, built.asset.Work = false, cents(800_000)
	old := newBook(t, HalfYear, 5, calendar(2027))
	old.asset.Service, old.asset.Layers = day("2001-01-01"), []Layer{{Cost: cents(1_000), Accumulated: cents(1_000)}}
	on := day("2027-06-01")
	for _, c := range []struct {
		of   *book
		code string
		e    Entry
	}{
		{w1(t), "outside_of_year", Entry{Type: WriteDown, On: day("2028-01-01"), Amount: 1}},
		{w1(t), "in_service", bought("2027-06-01", 10)},
		{draft, "amount", bought("2027-06-01", 0)},
		{draft, "not_in_service", Entry{Type: Disposal, On: on, Part: &Part{50, 100}}},
		{built, "not_in_service", Entry{Type: Disposal, On: on}},
		{built, "amount", Entry{Type: WriteDown, On: on, Amount: cents(800_000.01), OfWork: true}},
		{w1(t), "amount", Entry{Type: WriteDown, On: on, Amount: 1, OfWork: true}},
		{draft, "not_in_service", Entry{Type: Betterment, On: on, Amount: 1}},
		{draft, "amount", Entry{Type: Construction, On: on, Amount: -1}},
		{draft, "amount", Entry{Type: InService, On: on, Amount: 1}},
		{draft, "in_service_on", Entry{Type: Opening, On: on, Amount: 100, Service: on}},
		{draft, "accumulated", Entry{Type: Opening, On: on, Amount: 100, Accumulated: 101, Service: day("2020-01-01")}},
		{draft, "no_life_left", Entry{Type: Opening, On: on, Amount: 100, Accumulated: 50, Service: day("1980-01-01")}},
		{w1(t), "amount", Entry{Type: WriteDown, On: on, Amount: cents(74_400.01)}},
		{w1(t), "amount", Entry{Type: Disposal, On: on, Removed: of(120_000.01)}},
		{w1(t), "share", Entry{Type: Disposal, On: on, Part: &Part{101, 100}}},
		{w1(t), "share", Entry{Type: Disposal, On: on, Part: &Part{0, 100}}},
		{w1(t), "proceeds", Entry{Type: Disposal, On: on, Proceeds: -1}},
		{w1(t), "no_life_left", Entry{Type: Estimate, On: on, Units: units(0)}},
		{w1(t), "useful_life_years", Entry{Type: Estimate, On: on, Life: units(0)}},
		{w1(t), "useful_life_months", Entry{Type: Estimate, On: on, Life: units(20*12 + 3)}},
		{w1(t), "added_life_months", Entry{Type: Betterment, On: on, Amount: 5, AddedLife: 7}},
		{w1(t), "residual", Entry{Type: Estimate, On: on, Residual: of(74_400.01)}},
		{land, "not_amortized", Entry{Type: Estimate, On: on, Units: units(5)}},
		{land, "added_life_years", Entry{Type: Betterment, On: on, Amount: 5, AddedLife: 1 * 12}},
		{land, "accumulated_change", Entry{Type: Adjustment, On: on, AccumulatedChange: 5}},
		{park, "accumulated", Entry{Type: Opening, On: on, Amount: 100, Accumulated: 5, Service: day("2020-01-01")}},
		{park, "remaining_units", Entry{Type: Opening, On: on, Amount: 100, Units: units(5), Service: day("2020-01-01")}},
		{built, "added_life_years", Entry{Type: InService, On: on, Amount: cents(800_000), AddedLife: 10 * 12}},
		{park, "added_life_years", Entry{Type: WorkIn, On: on, Amount: 5, AddedLife: 1 * 12}},
		{old, "no_life_left", Entry{Type: Betterment, On: on, Amount: 1}},
		{w1(t), "amount", Entry{Type: Adjustment, On: on, CostChange: cents(-100_000)}},
		{w1(t), "amount", Entry{Type: TransferOut, On: on, Amount: cents(120_001)}},
		{w1(t), "amount", Entry{Type: RetirementCost, On: on, Amount: Largest}},
	} {
		before := c.of.asset.Value()
		_, _, _, err := c.of.asset.Reckon(calendar(2027),
			[]Entry{{Type: Construction, On: day("2027-01-01"), Amount: 1}, {Type: Construction, On: day("2027-01-02"), Amount: -1}, c.e})
		refused := new(Impossible)
		if !errors.As(err, &refused) || refused.Code != c.code || refused.Entry != 2 || refused.Message == "" {
			t.Errorf("%+v: %v, want %s of entry 2", c.e, err, c.code)
		}
		if c.of.asset.Value() != before {
			t.Errorf("%+v was refused and changed something", c.e)
		}
	}
	gone := w1(t)
	gone.year(Entry{Type: Disposal, On: on})
	for _, e := range []Entry{{Type: Disposal}, {Type: Betterment, Amount: 1}, {Type: Construction, Amount: 1}, {Type: Acquisition, Amount: 1},
		{Type: TransferIn}} {
		e.On = day("2028-03-01")
		refused := new(Impossible)
		if _, _, _, err := gone.asset.Reckon(calendar(2028), []Entry{e}); !errors.As(err, &refused) || refused.Code != "disposed" {
			t.Errorf("%+v of what is disposed of: %v", e, err)
		}
	}
	// Entries that come in another order are posted by their days.
	later := Entry{Type: Betterment, On: day("2027-09-01"), Amount: cents(10)}
	if _, m, _, err := draft.asset.Reckon(calendar(2027), []Entry{later, bought("2027-02-01", 100)}); err != nil ||
		m.Cost.Closing != cents(110) {
		t.Errorf("%v, %+v", err, m.Cost)
	}
}
