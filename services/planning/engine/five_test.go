package engine

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// five is a worked example that can be followed on paper: three roads and two boilers over three years.
func five() *Input {
	roads, boilers := 20*year, 25*year
	road, boiler := NewTable(Curve{0, 1}, roads), NewTable(Curve{0, 1}, boilers)
	prices, _ := Inflation(2027, 2).Factors(2027, 2027, 3)
	whole := Treatment{Kind: Replacement, Basis: PctOfReplacement, Cost: 100_000, ClearsPct: 100}
	reconstruct, replace := whole, whole
	reconstruct.Trigger, replace.Trigger = Trigger{ConditionMax: 40 * points}, Trigger{ConditionMax: 30 * points}
	in := &Input{Start: 2027, Years: 3, Prices: [][]int64{prices}, Classes: []Class{
		{Bands: bands, Treatments: []Treatment{{Kind: Rehabilitation, Basis: PctOfReplacement, Cost: 40_000, ClearsPct: 100,
			Trigger: Trigger{ConditionMin: 40 * points, ConditionMax: 65 * points, YearsBetween: 8}, Effect: Effect{ResetTo: 70 * points}},
			reconstruct}},
		{Bands: bands, Treatments: []Treatment{{Kind: Rehabilitation, Basis: PctOfReplacement, Cost: 15_000, ClearsPct: 100,
			Trigger: Trigger{ConditionMin: 30 * points, ConditionMax: 60 * points}, Effect: Effect{AddPoints: 20 * points}}, replace}},
	}}
	for n, e := range []struct {
		class     int
		value     Cents
		condition Condition
		deferred  Cents
	}{{0, 1_000_000_00, 40, 0}, {0, 500_000_00, 60, 0}, {0, 800_000_00, 30, 0}, {1, 100_000_00, 50, 0}, {1, 200_000_00, 28, 10_000_00}} {
		element := Element{ID: ID{15: byte(n + 1)}, Class: e.class, Site: -1, Life: roads, Table: road, Value: e.value, Deferred: e.deferred,
			Consequence: 3}
		if e.class == 1 {
			element.Life, element.Table = boilers, boiler
		}
		element.Age = element.Table.AgeOf(e.condition * points)
		in.Elements = append(in.Elements, element)
	}
	return in
}

// line is a year of a scenario in one line.
func line(f *Figures, outcomes []Outcome, left Cents) string {
	var b strings.Builder
	for _, o := range outcomes {
		fmt.Fprintf(&b, "%d ", o.Before/points)
	}
	b.WriteString("|")
	for _, o := range outcomes {
		fmt.Fprintf(&b, " %d", o.After/points)
	}
	fci, _ := f.FCI()
	average, _ := f.AverageCondition()
	fmt.Fprintf(&b, " | spent %d left %d backlog %d V %d FCI %.2f C %.2f", f.Spent/100, left/100, f.Backlog/100, f.Value/100, float64(fci)/100,
		float64(average)/100)
	return b.String()
}

func yearsOf(t *testing.T, in *Input, sc *Scenario) (lines []string, years []Figures, outcomes [][]Outcome) {
	t.Helper()
	left := Cents(0)
	err := Run(context.Background(), in, sc, func(year int, f *Figures, all []Outcome) error {
		if len(sc.Funds) > 0 {
			left += sc.Funds[0].Amounts[year] - f.Paid[0]
		}
		lines = append(lines, line(f, all, left))
		years = append(years, *f)
		outcomes = append(outcomes, append([]Outcome(nil), all...))
		if f.Opening+f.PriceChange+f.New-f.Addressed != f.Backlog {
			t.Errorf("year %d: the bridge does not close: %+v", year, f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, years, outcomes
}

func TestFiveElementsOnABudget(t *testing.T) {
	sc := &Scenario{BenefitYears: 5, Funds: []Fund{{Amounts: []Cents{1_250_000_00, 850_000_00, 200_000_00}, CarryOver: true}}}
	lines, years, outcomes := yearsOf(t, five(), sc)
	for n, want := range []string{
		"40 60 30 50 28 | 100 60 30 70 100 | spent 1215000 left 35000 backlog 1000000 V 2600000 FCI 38.46 C 69.62",
		"95 55 25 66 96 | 95 55 100 66 96 | spent 816000 left 69000 backlog 204000 V 2652000 FCI 7.69 C 87.81",
		"90 50 95 62 92 | 90 70 95 62 92 | spent 208080 left 60920 backlog 0 V 2705040 FCI 0.00 C 86.77",
	} {
		if lines[n] != want {
			t.Errorf("year %d:\n%s, want\n%s", n, lines[n], want)
		}
	}
	if years[0].Need != 2_215_000_00 {
		t.Errorf("found is a need of %d", years[0].Need)
	}
	if got := fmt.Sprintf("%.2f", years[0].GapPct); got != "15.73" {
		t.Errorf("the gap is %s", got)
	}
	if b := years[1]; b.Opening != 1_000_000_00 || b.PriceChange != 20_000_00 || b.New != 0 || b.Addressed != 816_000_00 {
		t.Errorf("the bridge of 2028 is %+v", b)
	}
	type why struct {
		reason     Reason
		rank       int
		left, miss Cents
	}
	for place, want := range map[Place]why{
		{3, 0}: {Funded, 1, 0, 0}, {4, 0}: {Funded, 2, 0, 0}, {0, 0}: {Funded, 5, 0, 0},
		{2, 0}: {NoFunds, 4, 635_000_00, 165_000_00}, {1, 0}: {NoFunds, 6, 35_000_00, 165_000_00},
		{2, 1}: {Funded, 1, 0, 0}, {1, 1}: {NoFunds, 2, 69_000_00, 135_000_00}, {1, 2}: {Funded, 1, 0, 0},
	} {
		o := outcomes[place.Year][place.Element]
		if got := (why{o.Reason, o.Rank, o.Left, o.Short}); got != want {
			t.Errorf("E%d in %d: %+v, want %+v", place.Element+1, 2027+place.Year, got, want)
		}
	}
	for element, want := range []string{
		"[375.00 250.00] [] []", "[125.00] [187.50] [250.00]", "[350.00] [375.00] []", "[666.67] [] []", "[385.00] [] []",
	} {
		var done []int
		for n := range outcomes {
			done = append(done, outcomes[n][element].Treatment)
		}
		var ratios [][]string
		for _, options := range Explain(five(), sc, element, done) {
			var year []string
			for _, o := range options {
				if o.OnFrontier {
					year = append(year, fmt.Sprintf("%.2f", o.Ratio))
				}
			}
			ratios = append(ratios, year)
		}
		if got := strings.Trim(fmt.Sprint(ratios), "[]"); got != strings.Trim(want, "[]") {
			t.Errorf("E%d's ratios are %v", element+1, ratios)
		}
	}
	var block []byte
	for _, year := range outcomes {
		block = AppendYear(block, year)
	}
	if read, err := ReadBlock(block, 5); err != nil || !reflect.DeepEqual(read, outcomes) {
		t.Errorf("from bytes it is %v %v", read, err)
	}
	if _, err := ReadBlock(block[:len(block)-1], 5); err == nil {
		t.Error("half a block is a whole one")
	}
}

func TestFiveElementsByOtherScenarios(t *testing.T) {
	groups := []int{0, 0}
	for name, c := range map[string]struct {
		sc   *Scenario
		want []string
	}{
		"unlimited": {&Scenario{Selection: Unlimited}, []string{"spent 2215000 left 0 backlog 0 V 2600000 FCI 0.00 C 93.08",
			"spent 0 left 0 backlog 0 V 2652000 FCI 0.00 C 88.19", "spent 0 left 0 backlog 0 V 2705040 FCI 0.00 C 83.31"}},
		"do nothing": {&Scenario{}, []string{"spent 0 left 0 backlog 2215000 V 2600000 FCI 85.19 C 40.23",
			"spent 0 left 0 backlog 2259300 V 2652000 FCI 85.19 C 35.35", "spent 0 left 0 backlog 2304486 V 2705040 FCI 85.19 C 30.46"}},
		"keep": {&Scenario{Selection: Target, Aim: &Aim{Keep: true, Groups: groups}},
			[]string{"spent 0 left 0 backlog 2215000 V 2600000 FCI 85.19 C 40.23",
				"spent 204000 left 0 backlog 2055300 V 2652000 FCI 77.50 C 41.19", "spent 223686 left 0 backlog 1872720 V 2705040 FCI 69.23 C 40.92"}},
		"reach": {&Scenario{Selection: Target, Aim: &Aim{Value: 60_000, Years: 2, Groups: groups}},
			[]string{"spent 0 left 0 backlog 2215000 V 2600000 FCI 85.19 C 40.23",
				"spent 816000 left 0 backlog 1443300 V 2652000 FCI 54.42 C 58.42", "spent 223686 left 0 backlog 1248480 V 2705040 FCI 46.15 C 60.46"}},
	} {
		c.sc.BenefitYears = 5
		lines, years, outcomes := yearsOf(t, five(), c.sc)
		for n, want := range c.want {
			if !strings.HasSuffix(lines[n], want) {
				t.Errorf("%s, year %d:\n%s, want\n%s", name, n, lines[n], want)
			}
			if len(years[n].Unreached) > 0 {
				t.Errorf("%s, year %d: missed by %v", name, n, years[n].Unreached)
			}
		}
		if name == "keep" && (outcomes[1][3].Reason != Dropped || outcomes[1][4].Reason != Funded || outcomes[1][2].Reason != TargetMet) {
			t.Errorf("%s in 2028: %+v", name, outcomes[1])
		}
	}
}
