package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"ams.internal/services/planning/engine"
)

// measureEngine measures the calculation alone, without what is read and kept: whether its time grows with the elements.
func (b *bench) measureEngine(ctx context.Context) {
	scenarios := []struct {
		name string
		of   engine.Scenario
	}{{"a budget", engine.Scenario{}},
		{"keeping the level", engine.Scenario{Selection: engine.Target, Aim: &engine.Aim{Keep: true, Groups: []int{0}}}}}
	for _, s := range scenarios {
		s.of.BenefitYears = 20
		var first float64
		for _, elements := range []int{1_000, 10_000, 100_000, 1_000_000} {
			if elements > b.rows {
				break
			}
			in := engineInput(elements)
			if s.of.Aim == nil {
				s.of.Funds = []engine.Fund{{CarryOver: true}}
				for range in.Years {
					s.of.Funds[0].Amounts = append(s.of.Funds[0].Amounts, engine.Cents(elements)*20_000_00/50)
				}
			}
			each := nanosecondsPerYear(ctx, in, &s.of)
			b.logf("planning: %s of %d elements: %.0f ns for each in a year", s.name, elements, each)
			b.report.add(metrics{Name: fmt.Sprintf("element-years of %s, of %d elements", s.name, elements), Callers: 1,
				Requests: elements * in.Years, PerSecond: 1e9 / each})
			if first == 0 {
				first = each
				continue
			}
			// A sort is in it, and what does not fit into the processor's memory.
			b.report.atMost(fmt.Sprintf("time of an element in %s: %d elements ÷ 1,000", s.name, elements), each/first, "times", 2.5)
		}
	}
}

// nanosecondsPerYear calculates a scenario for half a second and more.
func nanosecondsPerYear(ctx context.Context, in *engine.Input, s *engine.Scenario) float64 {
	began, n := time.Now(), 0
	for ; n == 0 || time.Since(began) < time.Second/2; n++ {
		_ = engine.Run(ctx, in, s, func(int, *engine.Figures, []engine.Outcome) error { return nil }) // amounts are small
	}
	return float64(time.Since(began).Nanoseconds()) / float64(n*len(in.Elements)*in.Years)
}

// engineInput is elements of one class, the same for each number of them.
func engineInput(elements int) *engine.Input {
	const point, year = 1000, 100
	source := rand.New(rand.NewPCG(1, 2))
	prices, _ := engine.Inflation(2027, 2).Factors(2027, 2027, planningYears)
	in := &engine.Input{Start: 2027, Years: planningYears, Prices: [][]int64{prices}, Classes: []engine.Class{{
		Bands: [4]engine.Condition{85 * point, 70 * point, 55 * point, 40 * point},
		Treatments: []engine.Treatment{
			{Kind: engine.Rehabilitation, Basis: engine.PctOfReplacement, Cost: 25_000, Trigger: engine.Trigger{ConditionMin: 40 * point,
				ConditionMax: 65 * point, MaxApplications: 1}, Effect: engine.Effect{AddPoints: 25 * point}},
			{Kind: engine.Replacement, Basis: engine.PctOfReplacement, Cost: 100_000, Trigger: engine.Trigger{ConditionMax: 40 * point}}},
	}}}
	tables := map[engine.Age]*engine.Table{}
	for n := range elements {
		e := engine.Element{Site: -1, Life: engine.Age(15+source.IntN(20)) * year, Value: engine.Cents(1000_00 + source.Int64N(50_000_00)),
			Consequence: 1 + source.IntN(5)}
		if tables[e.Life] == nil {
			tables[e.Life] = engine.NewTable(engine.Curve{End: 20, Exponent: 1.4}, e.Life)
		}
		e.Table, e.Age = tables[e.Life], engine.Age(source.IntN(int(e.Life)))
		binary.BigEndian.PutUint64(e.ID[8:], uint64(n))
		in.Elements = append(in.Elements, e)
	}
	return in
}
