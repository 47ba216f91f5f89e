package ledger

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestACostIsBroughtForward(t *testing.T) {
	base := Asset{Convention: HalfYear, Amortized: true, Life: 25 * 12}
	for _, c := range []struct {
		name        string
		asset       Asset
		service     string
		to          Year
		accumulated Cents
		left        int
	}{
		{"half-years of ten years", base, "2017-04-03", calendar(2027), cents(45600), 31},
		{"the last year alone", base, "2026-12-31", calendar(2027), cents(2400), 49},
		{"amortized long ago", base, "1950-04-03", calendar(2027), cents(120000), 0},
		{"land", Asset{Convention: HalfYear}, "1950-04-03", calendar(2027), 0, 0},
		{"a year that begins in April", base, "2017-04-03", Year{day("2027-04-01"), day("2028-03-31")}, cents(45600), 31},
		{"and the day before it", base, "2017-03-31", Year{day("2027-04-01"), day("2028-03-31")}, cents(50400), 29},
	} {
		if !c.asset.Amortized {
			c.asset.Life = 0
		}
		after, err := c.asset.BroughtForward(cents(120000), day(c.service), c.to)
		if err != nil || after.Accumulated() != c.accumulated || after.Layers[0].Left != c.left || after.Cost() != cents(120000) {
			t.Errorf("%s: %s of %s, %v, %v", c.name, after.Accumulated(), after.Cost(), after.Layers, err)
		}
	}
	for _, service := range []string{"2027-01-01", "2030-05-05"} {
		if _, err := base.BroughtForward(cents(1), day(service), calendar(2027)); err == nil {
			t.Errorf("%s is before 2027", service)
		}
	}
}

// What opens with the figures that are brought forward goes on as what had been in the ledger all the time, whatever the convention.
func TestWhatIsBroughtForwardOpensALedger(t *testing.T) {
	chance := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		first := time.Date(2000+chance.IntN(25), time.Month(1+chance.IntN(12)), 1, 0, 0, 0, 0, time.UTC)
		to := Year{first, first.AddDate(1, 0, -1)}
		asset := Asset{Convention: Convention(chance.IntN(len(Conventions))), Amortized: chance.IntN(10) > 0, Life: 1 + chance.IntN(720)}
		for !asset.Convention.Takes(asset.Life) {
			asset.Life++
		}
		cost, service := Cents(1+chance.IntN(100_000_000)), first.AddDate(0, 0, -1-chance.IntN(40*365))
		if asset.Amortized {
			asset.Residual = Cents(chance.IntN(int(cost) + 1))
		}
		there, err := asset.BroughtForward(cost, service, to)
		if err != nil {
			t.Fatal(err)
		}
		opened, m, _, err := asset.Reckon(to,
			[]Entry{{Type: Opening, On: first, Amount: cost, Accumulated: there.Accumulated(), Service: service}})
		if err != nil {
			t.Fatalf("%+v, in service %s, cannot open %s: %v", asset, service.Format(time.DateOnly), first.Format(time.DateOnly), err)
		}
		went, n, _, err := there.Reckon(to, nil)
		if err != nil || m != n || opened.Layers[0].Left != went.Layers[0].Left || opened.Accumulated() != went.Accumulated() {
			t.Fatalf("%+v, in service %s: opened %+v\nwent on %+v, %v", asset, service.Format(time.DateOnly), m, n, err)
		}
	}
}
