package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// told is a ledger as reference.py is told of it.
type told struct {
	Convention string     `json:"convention"`
	Life       int        `json:"life"`
	Residual   Cents      `json:"residual"`
	Years      []toldYear `json:"years"`
}

type toldYear struct {
	First   string      `json:"first"`
	Last    string      `json:"last"`
	Entries []toldEntry `json:"entries"`
}

type toldEntry struct {
	OfWork bool `json:"of_work"`

	Type              string `json:"type"`
	On                string `json:"on"`
	Amount            Cents  `json:"amount"`
	Added             int    `json:"added"`
	Life              int    `json:"life"`
	Units             int    `json:"units"`
	Residual          *Cents `json:"residual"`
	Proceeds          Cents  `json:"proceeds"`
	CostChange        Cents  `json:"cost_change"`
	AccumulatedChange Cents  `json:"accumulated_change"`
}

var conventionNames = map[Convention]string{HalfYear: "half_year", FullYear: "full_year", FollowingYear: "following_year", Month: "month",
	Day: "day", MonthInclusive: "month_inclusive", Day365: "day_365"}

var typeNames = map[Type]string{Acquisition: "acquisition",
	Contribution: "contribution", Construction: "construction", InService: "in_service", Betterment: "betterment",
	Estimate: "estimate", WriteDown: "write_down", Disposal: "disposal", Adjustment: "adjustment"}

// chance is a ledger of one capital asset over some years, whose entries come by chance: those that are possible stay.
type chance struct {
	*rand.Rand
	asset Asset
	told  told
	years [][7]Cents // what each charges, what leaves, and what it closes with
	all   []Movements
	sums  map[Account]Cents // of the journal
	odd   []Entry           // whose lines do not sum to 0
}

func newChance(seed uint64) *chance {
	c := &chance{Rand: rand.New(rand.NewPCG(seed, 3)), sums: map[Account]Cents{}}
	convention := Convention(c.IntN(len(Conventions)))
	c.asset = Asset{Convention: convention, Amortized: true, Life: 1 + c.IntN(360)}
	for !convention.Takes(c.asset.Life) {
		c.asset.Life++
	}
	if c.IntN(3) == 0 {
		c.asset.Residual = Cents(c.IntN(10_000))
	}
	c.told = told{Convention: conventionNames[convention], Life: c.asset.Life, Residual: c.asset.Residual}
	month := time.Month(1 + 3*c.IntN(4)) // fiscal years that begin in January, April, July and October
	first := time.Date(2015+c.IntN(5), month, 1, 0, 0, 0, 0, time.UTC)
	year := Year{first, first.AddDate(1, 0, -1)}
	for range 2 + c.IntN(8) {
		c.year(year)
		year = year.Next()
	}
	return c
}

// year takes some entries by chance, in the order of their days.
func (c *chance) year(y Year) {
	var entries []Entry
	var shown []toldEntry
	days := make([]int, c.IntN(5))
	for i := range days {
		days[i] = c.IntN(365)
	}
	slices.Sort(days)
	for _, n := range days {
		e, said := c.entry(y.First.AddDate(0, 0, n))
		if e.Type == Disposal { // the cost on that day
			part, err := c.costOn(y, entries)
			if err != nil || part == 0 {
				continue
			}
			removed := part
			if c.IntN(3) > 0 {
				removed = 1 + Cents(c.Int64N(int64(part)))
			}
			e.Removed, said.Amount = &removed, removed
		}
		if _, _, _, err := c.asset.Reckon(y, append(slices.Clone(entries), e)); err == nil {
			entries, shown = append(entries, e), append(shown, said)
		}
	}
	after, m, effects, err := c.asset.Reckon(y, entries)
	if err != nil {
		panic(err)
	}
	for i := range entries {
		if c.journal(Journal(&entries[i], effects[i])) != 0 {
			c.odd = append(c.odd, entries[i])
		}
	}
	c.journal(CloseJournal(m.Accumulated.Amortization, 0))
	c.told.Years = append(c.told.Years, toldYear{y.First.Format(time.DateOnly), y.Last.Format(time.DateOnly), append([]toldEntry{}, shown...)})
	c.years = append(c.years,
		[7]Cents{m.Accumulated.Amortization, -m.Cost.Disposals, -m.Accumulated.Disposals, m.Gain, after.Cost(), after.Accumulated(), after.Work})
	c.asset, c.all = after, append(c.all, m)
}

// journal adds lines to the accounts, and gives their sum.
func (c *chance) journal(lines []Line) (sum Cents) {
	for _, l := range lines {
		c.sums[l.Account] += l.Amount
		sum += l.Amount
	}
	return sum
}

func (c *chance) costOn(y Year, entries []Entry) (Cents, error) {
	after, _, _, err := c.asset.Reckon(y, entries)
	return after.Cost(), err
}

func (c *chance) entry(on time.Time) (Entry, toldEntry) {
	types := []Type{Acquisition, Contribution, Construction, InService, Betterment, Estimate, WriteDown, Disposal, Adjustment}
	if len(c.asset.Layers) == 0 && c.IntN(2) == 0 {
		types = types[:4]
	}
	e := Entry{Type: types[c.IntN(len(types))], On: on, Amount: 1 + Cents(c.Int64N(1_000_000_00))}
	said := toldEntry{Type: typeNames[e.Type], On: on.Format(time.DateOnly), Amount: e.Amount}
	switch e.Type {
	case Betterment:
		e.AddedLife = c.IntN(3) * 60
		if c.asset.Convention.Takes(6) {
			e.AddedLife += c.IntN(2) * 6
		}
		said.Added = e.AddedLife
	case WriteDown:
		e.OfWork = c.IntN(3) == 0
		said.OfWork = e.OfWork
	case Estimate:
		switch c.IntN(3) {
		case 0:
			life := c.asset.Life + 12*(c.IntN(20)-5)
			e.Life, said.Life = &life, life
		case 1:
			units := 1 + c.IntN(60)
			e.Units, said.Units = &units, units
		case 2:
			residual := Cents(c.IntN(100_000))
			e.Residual, said.Residual = &residual, &residual
		}
	case Disposal:
		e.Proceeds = Cents(c.IntN(100_000_00))
		said.Proceeds = e.Proceeds
	case Adjustment:
		e.CostChange, e.AccumulatedChange = Cents(c.IntN(200_00)-100_00), Cents(c.IntN(100_00)-50_00)
		said.CostChange, said.AccumulatedChange = e.CostChange, e.AccumulatedChange
	}
	return e, said
}

// ledgers is how many are reckoned by chance.
const ledgers = 10_000

// A second program, written from the rules in words and with fractions, comes to the same cents.
func TestASecondProgramAgrees(t *testing.T) {
	var in bytes.Buffer
	var all []*chance
	entries := map[string]int{}
	for seed := range uint64(ledgers) {
		c := newChance(seed)
		all = append(all, c)
		if err := json.NewEncoder(&in).Encode(c.told); err != nil {
			t.Fatal(err)
		}
		for _, y := range c.told.Years {
			for _, e := range y.Entries {
				entries[e.Type]++
			}
		}
	}
	for _, name := range typeNames {
		if entries[name] < 100 {
			t.Errorf("only %d entries are %s: %v", entries[name], name, entries)
		}
	}
	command := exec.CommandContext(t.Context(), "/usr/bin/python3", "testdata/reference.py")
	command.Stdin = &in
	out, err := command.Output()
	if err != nil {
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			t.Fatalf("%v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(out))
	wrong := 0
	for seed, c := range all {
		var years [][7]Cents
		if err := decoder.Decode(&years); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(years, c.years) {
			text, _ := json.Marshal(c.told)
			t.Errorf("ledger %d:\n%s\nhere     %v\nsecondly %v", seed, text, c.years, years)
			if wrong++; wrong == 3 {
				break
			}
		}
	}
}

func TestWhatAlwaysHoldsOfALedger(t *testing.T) {
	for seed := range uint64(2_000) {
		c := newChance(seed)
		for i, m := range c.all {
			if !m.Foots() {
				t.Fatalf("ledger %d, year %d does not foot: %+v", seed, i, m)
			}
			if i > 0 && (m.Cost.Opening != c.all[i-1].Cost.Closing || m.Accumulated.Opening != c.all[i-1].Accumulated.Closing ||
				m.Work.Opening != c.all[i-1].Work.Closing) {
				t.Fatalf("ledger %d: year %d does not open with what the one before closed with", seed, i)
			}
			if m.Cost.Closing < m.Accumulated.Closing || m.Accumulated.Closing < 0 || m.Work.Closing < 0 {
				t.Fatalf("ledger %d: year %d closes with %+v", seed, i, m)
			}
		}
		if len(c.odd) > 0 {
			t.Fatalf("ledger %d: the lines of %+v do not sum to 0", seed, c.odd[0])
		}
		if last := c.all[len(c.all)-1]; c.sums[AssetAccount] != last.Cost.Closing || -c.sums[AccumulatedAccount] != last.Accumulated.Closing ||
			c.sums[WorkAccount] != last.Work.Closing {
			t.Fatalf("ledger %d: the accounts say %v, the schedule %+v", seed, c.sums, last)
		}
		// Left alone, all is amortized, exactly, and nothing after it.
		a, y := c.asset, Year{time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2040, 12, 31, 0, 0, 0, 0, time.UTC)}
		residual := Cents(0)
		for i := range a.Layers {
			residual += a.Layers[i].Residual
		}
		if c.asset.Amortized && !slices.ContainsFunc(a.Layers, func(l Layer) bool { return l.Left == 0 && l.value() > l.Residual }) {
			for range 120 {
				a, _, _, _ = a.Reckon(y, nil)
				y = y.Next()
			}
			if a.Value() != residual {
				t.Fatalf("ledger %d ends with a value of %s, its residual is %s", seed, a.Value(), residual)
			}
		}
	}
}
