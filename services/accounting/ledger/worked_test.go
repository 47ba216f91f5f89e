package ledger

import (
	"testing"
	"time"
)

// The worked cases of the ledger, each with its numbers.

func day(text string) time.Time {
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return d
}

// calendar is the fiscal year that is a calendar year.
func calendar(year int) Year {
	return Year{time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC)}
}

// cents reads dollars.
func cents(dollars float64) Cents {
	if dollars < 0 {
		return -cents(-dollars)
	}
	return Cents(dollars*100 + 0.5)
}

// book is a capital asset whose years are reckoned one after the other.
type book struct {
	t     *testing.T
	asset Asset
	next  Year
}

func newBook(t *testing.T, convention Convention, life int, first Year) *book {
	return &book{t, Asset{Convention: convention, Amortized: true, Life: 12 * life}, first}
}

// year reckons the next year.
func (b *book) year(entries ...Entry) Movements {
	b.t.Helper()
	after, m, _, err := b.asset.Reckon(b.next, entries)
	if err != nil {
		b.t.Fatalf("%s: %v", b.next.First.Format(time.DateOnly), err)
	}
	if !m.Foots() {
		b.t.Errorf("%s does not foot: %+v", b.next.First.Format(time.DateOnly), m)
	}
	b.asset, b.next = after, b.next.Next()
	return m
}

// charges reckons years without entries and holds their amortization against dollars.
func (b *book) charges(dollars ...float64) {
	b.t.Helper()
	for _, want := range dollars {
		year := b.next.First
		if m := b.year(); m.Accumulated.Amortization != cents(want) {
			b.t.Errorf("the year from %s charges %s, want %s", year.Format(time.DateOnly), m.Accumulated.Amortization, cents(want))
		}
	}
}

// closes holds cost and net book value against dollars.
func (b *book) closes(cost, value float64) {
	b.t.Helper()
	if b.asset.Cost() != cents(cost) || b.asset.Value() != cents(value) {
		b.t.Errorf("cost %s and value %s, want %s and %s", b.asset.Cost(), b.asset.Value(), cents(cost), cents(value))
	}
}

func (b *book) charged(m Movements, dollars float64) {
	b.t.Helper()
	if m.Accumulated.Amortization != cents(dollars) {
		b.t.Errorf("the year charges %s, want %s", m.Accumulated.Amortization, cents(dollars))
	}
}

func repeat(value float64, times int) (all []float64) {
	for range times {
		all = append(all, value)
	}
	return all
}

func bought(on string, dollars float64) Entry {
	return Entry{Type: Acquisition, On: day(on), Amount: cents(dollars)}
}

// w1 is 120,000 over 25 years, in service on 3 April 2017, at the end of 2026.
func w1(t *testing.T) *book {
	b := newBook(t, HalfYear, 25, calendar(2017))
	b.charged(b.year(bought("2017-04-03", 120_000)), 2_400)
	b.charges(repeat(4_800, 9)...)
	b.closes(120_000, 74_400)
	return b
}

func TestW1HalfYears(t *testing.T) {
	b := w1(t)
	if b.asset.Layers[0].Left != 31 {
		t.Errorf("%d half-years are left, want 31", b.asset.Layers[0].Left)
	}
	b.charges(repeat(4_800, 15)...)
	b.charges(2_400, 0)
	b.closes(120_000, 0)
}

func TestW2ALongerLifeWorksForward(t *testing.T) {
	life := 35 * 12
	b := w1(t)
	b.charged(b.year(Entry{Type: Estimate, On: day("2027-06-01"), Life: &life}), 2_917.65)
	units := 51
	b = w1(t)
	b.charged(b.year(Entry{Type: Estimate, On: day("2027-01-01"), Units: &units}), 2_917.65)
	if _, _, _, err := w1(t).asset.Reckon(calendar(2027), []Entry{{Type: Estimate, On: day("2026-06-01"), Life: &life}}); err == nil {
		t.Error("an estimate of a year before is taken")
	}
}

// A life in all is counted from the day of service, whatever units were said to be left meanwhile: 35 years are the 51
// half-years that were left.
func TestALifeInAllIsCountedFromService(t *testing.T) {
	life, units := 35*12, 51
	b := w1(t)
	b.charged(b.year(Entry{Type: Estimate, On: day("2027-06-01"), Units: &units}), 2_917.65)
	b.charged(b.year(Entry{Type: Estimate, On: day("2028-06-01"), Life: &life}), 2_917.65)
	if left := b.asset.Layers[0].Left; left != 47 {
		t.Errorf("%d half-years are left", left)
	}
	// What opened with other units than its life says has, by a life in all, those of that.
	for _, c := range []struct {
		convention Convention
		on         string
		left       int // at the end of 2027
	}{{HalfYear, "2027-06-01", 70 - 21}, {FullYear, "2027-06-01", 35 - 11}, {FollowingYear, "2027-06-01", 35 - 10},
		{Month, "2027-06-15", 420 - 129}, {Day, "2027-06-15", 12784 - 3925}} {
		opened := newBook(t, c.convention, 20, calendar(2027))
		opened.year(Entry{Type: Opening, On: day("2027-01-01"), Amount: cents(120_000), Service: day("2017-04-03"), Units: &units},
			Entry{Type: Estimate, On: day(c.on), Life: &life})
		if left := opened.asset.Layers[0].Left; left != c.left {
			t.Errorf("%s: %d units are left, want %d", conventionNames[c.convention], left, c.left)
		}
		fresh := newBook(t, c.convention, 20, calendar(2017))
		fresh.year(bought("2017-04-03", 120_000), Entry{Type: Estimate, On: day("2017-06-01"), Life: &life})
		if whole := newBook(t, c.convention, 35, calendar(2017)); whole.year(bought("2017-04-03", 120_000)).Accumulated.Amortization == 0 &&
			c.convention != FollowingYear || whole.asset.Layers[0].Left != fresh.asset.Layers[0].Left {
			t.Errorf("%s: of a life that was estimated in its first year %d units are left, of one that was given %d", conventionNames[c.convention],
				fresh.asset.Layers[0].Left, whole.asset.Layers[0].Left)
		}
	}
}

func TestW3Betterments(t *testing.T) {
	b := w1(t)
	b.charged(b.year(Entry{Type: Betterment, On: day("2027-05-01"), Amount: cents(30_000)}), 4_800+1_000)
	b.charges(4_800 + 2_000)
	b = w1(t)
	b.charged(b.year(Entry{Type: Betterment, On: day("2027-05-01"), Amount: cents(30_000), AddedLife: 10 * 12}), 2_917.65+600)
	if b.asset.Layers[1].Left != 49 {
		t.Errorf("the betterment has %d half-years left, want 49 of 50", b.asset.Layers[1].Left)
	}
	b.charges(2_917.65 + 1_200)
}

func TestW4Months(t *testing.T) {
	b := newBook(t, Month, 20, calendar(2016))
	b.charged(b.year(bought("2016-11-22", 100_000)), 833.33)
	b.charges(repeat(5_000, 10)...)
	b.closes(100_000, 49_166.67)
	if b.asset.Layers[0].Left != 118 {
		t.Errorf("%d months are left", b.asset.Layers[0].Left)
	}
	life := 30 * 12
	b.charged(b.year(Entry{Type: Estimate, On: day("2027-01-01"), Life: &life}), 2_478.99)
}

func TestW5Days(t *testing.T) {
	for _, c := range []struct {
		service string
		first   float64 // charge of 2016; 0: not said
		end     float64 // value at the end of 2025; 0: not said
		on      float64 // value at the end of 21 November 2026
	}{{"2016-12-09", 25_188.92, 6_374_986.30, 6_019_055.95}, {"2016-12-11", 0, 0, 6_021_246.29}} {
		b := newBook(t, Day, 25, calendar(2016))
		m := b.year(bought(c.service, 10_000_000))
		if c.first != 0 {
			b.charged(m, c.first)
		}
		for range 9 {
			b.year()
		}
		if c.end != 0 {
			b.closes(10_000_000, c.end)
		}
		cost, accumulated, err := b.asset.On(calendar(2026), nil, day("2026-11-21"))
		if err != nil || cost-accumulated != cents(c.on) {
			t.Errorf("in service on %s, it is worth %s on 21 November 2026, want %s (%v)", c.service, cost-accumulated, cents(c.on), err)
		}
	}
	if n := Day.life(25*12, day("2016-12-09")); n != 9131 {
		t.Errorf("25 years from 9 December 2016 have %d days", n)
	}
}

func TestW6Rounding(t *testing.T) {
	b := newBook(t, FullYear, 3, calendar(2025))
	b.charged(b.year(bought("2025-07-01", 100)), 33.33)
	b.charges(33.34, 33.33, 0)
	b = newBook(t, HalfYear, 3, calendar(2025))
	b.charged(b.year(bought("2025-07-01", 1)), 0.17)
	b.charges(0.33, 0.33, 0.17, 0)
	b = newBook(t, HalfYear, 10, calendar(2025))
	b.charged(b.year(bought("2025-07-01", 0.05)), 0)
	var all []Cents
	for range 10 {
		all = append(all, b.year().Accumulated.Amortization)
	}
	if all[0] != 1 || all[1] != 0 || all[2] != 1 || all[8] != 1 || all[9] != 0 || b.asset.Accumulated() != 5 {
		t.Errorf("five cents over ten years: %v, in sum %s", all, b.asset.Accumulated())
	}
	b = newBook(t, HalfYear, 10, calendar(2025))
	b.asset.Residual = cents(5_000)
	b.charged(b.year(bought("2025-07-01", 50_000)), 2_250)
	b.charges(append(repeat(4_500, 9), 2_250, 0)...)
	b.closes(50_000, 5_000)
}

func TestW7LeapDay(t *testing.T) {
	b := newBook(t, Day, 1, calendar(2024))
	b.charged(b.year(bought("2024-02-29", 1_000)), 841.10)
	for _, c := range []struct {
		on    string
		value float64
	}{{"2025-02-27", 0}, {"2025-02-26", 2.74}} {
		if cost, accumulated, _ := b.asset.On(calendar(2025), nil, day(c.on)); cost-accumulated != cents(c.value) {
			t.Errorf("on %s it is worth %s, want %s", c.on, cost-accumulated, cents(c.value))
		}
	}
	b.charges(158.90)
	n := Day.life(12, day("2024-02-29"))
	if n != 365 || Day365.life(12, day("2024-02-29")) != 365 || Day365.life(120, day("2023-03-01")) != 3650 {
		t.Errorf("a year from a leap day has %d days", n)
	}
}

func TestW8AYearOfASchoolBoard(t *testing.T) {
	year := Year{day("2026-09-01"), day("2027-08-31")}
	for convention, want := range map[Convention]float64{HalfYear: 30_000, Month: 5_000, FollowingYear: 0} {
		b := newBook(t, convention, 40, year)
		b.charged(b.year(bought("2027-08-31", 2_400_000)), want)
	}
}

// w9 is a capital asset with 200,000 of cost, 80,000 of it amortized, and 24 half-years left.
func w9(t *testing.T) *book {
	b := newBook(t, HalfYear, 20, calendar(2027))
	b.asset.Service, b.asset.Layers = day("2019-03-01"), []Layer{{Cost: cents(200_000), Accumulated: cents(80_000), Left: 24}}
	return b
}

func TestW9APartIsSold(t *testing.T) {
	b := w9(t)
	m := b.year(Entry{Type: Disposal, On: day("2027-06-30"), Part: &Part{25, 100}, Proceeds: cents(40_000)})
	b.charged(m, 1_250+7_500)
	if m.Cost.Disposals != cents(-50_000) || m.Accumulated.Disposals != cents(-21_250) || m.Gain != cents(11_250) ||
		m.Proceeds != cents(40_000) {
		t.Errorf("the disposal: %+v", m)
	}
	b.closes(150_000, 82_500)
}

func TestW10AWriteDown(t *testing.T) {
	b := newBook(t, HalfYear, 10, calendar(2027))
	b.asset.Service, b.asset.Layers = day("2023-03-01"), []Layer{{Cost: cents(100_000), Accumulated: cents(40_000), Left: 12}}
	b.charged(b.year(Entry{Type: WriteDown, On: day("2027-09-01"), Amount: cents(24_000)}), 6_000)
	b.closes(76_000, 30_000)
	m := b.year(Entry{Type: Disposal, On: day("2028-02-01")})
	b.charged(m, 3_000)
	if m.Gain != cents(-27_000) || !b.asset.Disposed {
		t.Errorf("scrapped: %s", m.Gain)
	}
	b.charges(0)
}

// w11 is a building of 800,000 whose construction ended in 2026, at the end of that year.
func w11(t *testing.T) *book {
	b := newBook(t, HalfYear, 40, calendar(2025))
	m := b.year(Entry{Type: Construction, On: day("2025-06-01"), Amount: cents(300_000)})
	b.charged(m, 0)
	if m.Work.Closing != cents(300_000) {
		t.Errorf("work in progress: %+v", m.Work)
	}
	m = b.year(Entry{Type: Construction, On: day("2026-03-01"), Amount: cents(500_000)},
		Entry{Type: InService, On: day("2026-09-01"), Amount: cents(800_000)})
	b.charged(m, 10_000)
	if m.Cost.FromWork != cents(800_000) || m.Work.ToService != cents(-800_000) || m.Work.Closing != 0 {
		t.Errorf("work in progress: %+v, %+v", m.Work, m.Cost)
	}
	return b
}

func TestW11WorkInProgress(t *testing.T) {
	b := w11(t)
	b.charged(b.year(Entry{Type: Betterment, On: day("2027-02-15"), Amount: cents(16_000)}), 20_000+205.13)
}

func TestW12ContributionsAndLand(t *testing.T) {
	road := newBook(t, HalfYear, 40, calendar(2027))
	if m := road.year(Entry{Type: Contribution, On: day("2027-05-01"), Amount: cents(500_000)}); m.Cost.Contributed != cents(500_000) ||
		m.Cost.Additions != 0 {
		t.Errorf("the road: %+v", m.Cost)
	}
	land := newBook(t, HalfYear, 0, calendar(2027))
	land.asset.Amortized = false
	land.charged(land.year(bought("2027-05-01", 1_000_000)), 0)
	land.charges(0, 0)
	if m := land.year(Entry{Type: Disposal, On: day("2030-05-01"), Proceeds: cents(900_000)}); m.Gain != cents(-100_000) ||
		m.Accumulated.Amortization != 0 {
		t.Errorf("the land: %+v", m)
	}
	both := newBook(t, HalfYear, 10, calendar(2027))
	both.charged(both.year(bought("2027-02-01", 1_000), Entry{Type: Disposal, On: day("2027-08-01"), Proceeds: cents(800)}), 0)
}

func TestW13APool(t *testing.T) {
	b := newBook(t, HalfYear, 5, calendar(2024))
	b.asset.RemoveWhenAmortized = true
	b.charged(b.year(bought("2024-08-15", 150_000)), 15_000)
	b.charges(30_000)
	m := b.year(Entry{Type: Disposal, On: day("2026-10-01"), Part: &Part{10, 100}})
	if m.Cost.Disposals != cents(-15_000) || m.Accumulated.Disposals != cents(-6_000) || m.Gain != cents(-9_000) {
		t.Errorf("ten are stolen: %+v", m)
	}
	b.year()
	b.year()
	if m := b.year(); m.Cost.Disposals != cents(-135_000) || m.Gain != 0 || !b.asset.Disposed || b.asset.Cost() != 0 {
		t.Errorf("at the end of 2029: %+v", m)
	}
}

func TestW14TheLargestAmount(t *testing.T) {
	b := newBook(t, FullYear, 50, calendar(2025))
	b.asset.Residual = cents(0.99)
	b.charged(b.year(Entry{Type: Acquisition, On: day("2025-01-01"), Amount: Largest}), 199_999_999_999.98)
	for range 60 {
		b.year()
	}
	if b.asset.Value() != 99 {
		t.Errorf("it ends at %s", b.asset.Value())
	}
	if _, _, _, err := b.asset.Reckon(b.next, []Entry{{Type: Betterment, On: b.next.First, Amount: 1, AddedLife: 1 * 12}}); err == nil {
		t.Error("a cost beyond the largest amount is taken")
	}
}

// What the amount follows from, and its accretion, is calculated by the service.
func TestW15AnObligation(t *testing.T) {
	b := newBook(t, HalfYear, 20, calendar(2027))
	b.charged(b.year(bought("2027-01-01", 100_000),
		Entry{Type: RetirementCost, On: day("2027-01-01"), Amount: cents(456_386.95), Obligation: "asbestos"}), 2_500+11_409.67)
}

func TestW16ASchedule(t *testing.T) {
	var total Movements
	for _, m := range []Movements{
		w1(t).year(), w9(t).year(Entry{Type: Disposal, On: day("2027-06-30"), Part: &Part{25, 100}, Proceeds: cents(40_000)}),
		w11(t).year(Entry{Type: Betterment, On: day("2027-02-15"), Amount: cents(16_000)}),
	} {
		total.Cost.Opening += m.Cost.Opening
		total.Cost.Betterments += m.Cost.Betterments
		total.Cost.Disposals += m.Cost.Disposals
		total.Cost.Closing += m.Cost.Closing
		total.Accumulated.Amortization += m.Accumulated.Amortization
	}
	if c := total.Cost; c.Opening != cents(1_120_000) || c.Betterments != cents(16_000) || c.Disposals != cents(-50_000) ||
		c.Closing != cents(1_086_000) {
		t.Errorf("cost: %+v", c)
	}
	if total.Accumulated.Amortization != cents(33_755.13) {
		t.Errorf("amortization: %s", total.Accumulated.Amortization)
	}
}
