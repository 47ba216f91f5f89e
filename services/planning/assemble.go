package planning

import (
	"cmp"
	"encoding/hex"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"ams.internal/libs/domain/inventory"
	"ams.internal/services/planning/engine"
)

// assembled is what the engine calculates one scenario with, and what its numbers stand for.
type assembled struct {
	input    engine.Input
	scenario engine.Scenario

	of         *Scenario
	all        *inventoryLines // from which it was assembled
	levels     *levels         // of them, on the scenario's basis
	startsOn   time.Time
	lines      []*inventory.Line          // of the input's elements
	classes    []*AssetClass              // of the input's
	treatments [][]*Treatment             // of each class's
	chosen     []int                      // of each class: how many are its strategy's; the others are done where somebody has decided it
	sites      []string                   // by their number
	names      map[string]*inventory.Line // of places and buildings
	leftOut    []leftOut
	lost       engine.Cents // deferred maintenance that no element bears
}

// leftOut is a line that nothing is calculated for, and why.
type leftOut struct {
	line   *inventory.Line
	class  *AssetClass // nil: none
	reason string
	value  engine.Cents
}

// assembly makes what scenarios of one catalogue over one inventory are calculated with. Tables of conditions are shared by all.
type assembly struct {
	definitions *definitions
	all         *inventoryLines
	class       []int // of each line; -1
	values      []engine.Cents
	years       []int // whose prices the values are in; 0: of the first
	levels      map[string]*levels
	tables      map[tableKey]*engine.Table
	models      map[string]*DeteriorationModel
	names       map[string]*inventory.Line // of places and buildings
}

type tableKey struct {
	model string
	life  engine.Age
}

func newAssembly(c *definitions, all *inventoryLines) *assembly {
	a := &assembly{definitions: c, all: all, class: make([]int, len(all.elements)), values: make([]engine.Cents, len(all.elements)),
		years: make([]int, len(all.elements)), levels: map[string]*levels{}, tables: map[tableKey]*engine.Table{},
		models: map[string]*DeteriorationModel{}, names: maps.Clone(all.places)}
	for i := range c.Models {
		a.models[c.Models[i].ID] = &c.Models[i]
	}
	classes := newClassifier(c.Classes)
	for i := range all.elements {
		a.class[i] = classes.of(&all.elements[i])
		if all.elements[i].Type == "building" {
			a.names[all.elements[i].ID] = &all.elements[i]
		}
		a.values[i], a.years[i] = valueOf(&all.elements[i], a.classOf(i))
	}
	return a
}

func (a *assembly) classOf(i int) *AssetClass {
	if a.class[i] < 0 {
		return nil
	}
	return &a.definitions.Classes[a.class[i]]
}

func (a *assembly) levelsOf(basis string) *levels {
	if a.levels[basis] == nil {
		a.levels[basis] = newLevels(a.all, a.values, basis)
	}
	return a.levels[basis]
}

// scenario assembles one.
func (a *assembly) scenario(sc *Scenario) *assembled {
	m := &assembled{of: sc, names: a.names, all: a.all, levels: a.levelsOf(sc.Basis)}
	m.input.Start, m.input.Years = sc.firstYear(), sc.Years
	m.startsOn, _ = time.Parse(time.DateOnly, sc.StartsOn) // it was checked when it was written
	prices := newPriceLists(&m.input, a.all.places, sc.InflationPct)
	for i := range a.definitions.Classes {
		m.addClass(a, sc, &a.definitions.Classes[i], prices)
	}
	m.lost = m.levels.lost
	sites := map[string]int{}
	n := len(a.all.elements)
	m.lines, m.input.Elements = make([]*inventory.Line, 0, n), make([]engine.Element, 0, n)
	for i := range a.all.elements {
		line, class := &a.all.elements[i], a.classOf(i)
		if !sc.Filter.covers(line, class) {
			continue
		}
		life := a.lifeOf(line, class)
		reason := ""
		switch {
		case !line.Counts:
			reason = leftStatus
		case m.levels.covered[i]:
			reason = leftCovered
		case class == nil || class.ModelID == nil || a.models[*class.ModelID] == nil:
			reason = leftClass
		case life == 0 && a.models[*class.ModelID].Kind != "markov":
			reason = leftLife
		case a.values[i] == 0:
			reason = leftValue
		case line.Rating == 0 && line.Installed == "":
			reason = leftAge
		}
		if reason != "" {
			m.leftOut = append(m.leftOut, leftOut{line, class, reason, a.values[i]})
			continue
		}
		e := engine.Element{ID: idOf(line.ID), Class: a.class[i], Site: -1, Life: max(life, 1), Value: a.values[i],
			Deferred: m.levels.deferred[i],
			Prices:   prices.of(class.PriceIndexID, a.years[i]), RenewalYear: line.RenewalYear, Consequence: class.DefaultConsequence}
		if line.SiteID != "" {
			site, known := sites[line.SiteID]
			if !known {
				site = len(m.sites)
				sites[line.SiteID] = site
				m.sites = append(m.sites, line.SiteID)
			}
			e.Site = site
		}
		if line.Consequence > 0 {
			e.Consequence = line.Consequence
		}
		if line.Probability > 0 && line.Rating > 0 {
			e.ProbabilityOffset = line.Probability - line.Rating
		}
		if class.ConsequenceCost != nil {
			e.ConsequenceCost = cents(*class.ConsequenceCost)
		}
		if quantity, known := quantityOf(line, class); known {
			e.Quantity = int64(math.Floor(quantity*1000 + 0.5))
		}
		a.start(&e, line, class, m.startsOn)
		m.exclude(&e, line)
		m.input.Elements, m.lines = append(m.input.Elements, e), append(m.lines, line)
	}
	m.choose(a, sc)
	return m
}

// exclude notes which treatments are not for an element: those whose trigger tests fields that it does not have, and those that are only
// done where it was decided.
func (m *assembled) exclude(e *engine.Element, line *inventory.Line) {
	var fields map[string]any
	for number, t := range m.treatments[e.Class] {
		testsFields := t.Trigger != nil && len(t.Trigger.Fields) > 0
		if testsFields && fields == nil {
			fields = line.Has()
		}
		if number >= m.chosen[e.Class] || testsFields && slices.ContainsFunc(t.Trigger.Fields, func(f FieldTest) bool { return !f.met(fields) }) {
			e.Excluded |= 1 << number
		}
	}
}

// covers says whether a scenario looks at a record.
func (f *ScenarioFilter) covers(line *inventory.Line, class *AssetClass) bool {
	return f == nil || (len(f.SiteIDs) == 0 || slices.Contains(f.SiteIDs, line.SiteID)) &&
		(len(f.ClassIDs) == 0 || class != nil && slices.Contains(f.ClassIDs, class.ID)) &&
		(len(f.Categories) == 0 || class != nil && slices.Contains(f.Categories, class.ServiceCategory))
}

func (a *assembly) lifeOf(line *inventory.Line, class *AssetClass) engine.Age {
	switch {
	case line.Life > 0:
		return engine.Age(line.Life * 100)
	case class != nil && class.DefaultUsefulLifeYears != nil:
		return engine.Age(*class.DefaultUsefulLifeYears * 100)
	}
	return 0
}

// start is the state of an element on the first day: by its rating and the time since, else by its age. A rating without a day is of the
// first day.
func (a *assembly) start(e *engine.Element, line *inventory.Line, class *AssetClass, startsOn time.Time) {
	model := a.models[*class.ModelID]
	rated := engine.Condition(0)
	since := line.Installed
	if line.Rating > 0 {
		rated, since = engine.MiddleOfRating(line.Rating), line.RatedOn
		if line.Index != nil {
			rated = engine.Condition(math.Floor(*line.Index*1000 + 0.5))
		}
	}
	passed := engine.Age(0)
	if day, err := time.Parse(time.DateOnly, since); err == nil {
		passed = engine.AgeAt(day, startsOn)
	}
	if model.Kind == "markov" {
		matrix := model.matrix()
		e.Matrix, e.Shares, e.Age = &matrix, engine.StateOf(1), passed
		if line.Rating > 0 {
			e.Shares = engine.StateOf(ratingOf(class, rated))
		}
		e.Shares = matrix.After(e.Shares, passed)
		return
	}
	key := tableKey{model.ID, e.Life}
	if a.tables[key] == nil {
		a.tables[key] = engine.NewTable(model.deterioration(), e.Life)
	}
	e.Table, e.Age = a.tables[key], passed
	if line.Rating > 0 {
		e.Age += e.Table.AgeOf(rated)
	}
}

// deterioration is the model as the engine has it, but for a markov model.
func (m *DeteriorationModel) deterioration() engine.Deterioration {
	switch m.Kind {
	case "table":
		points := make(engine.Points, len(m.Points))
		for i, p := range m.Points {
			points[i] = engine.Point(p)
		}
		return points
	case "weibull":
		return m.weibull()
	}
	return engine.Curve{End: valueOr(m.EndCondition, 20), Exponent: valueOr(m.Exponent, 1)}
}

func (m *DeteriorationModel) weibull() engine.Weibull {
	return engine.Weibull{Shape: valueOr(m.Shape, 1), MedianYears: valueOr(m.MedianLifeYears, 0)}
}

func (m *DeteriorationModel) matrix() engine.Matrix {
	var stay [engine.States - 1]int64
	for i := range stay {
		switch {
		case len(m.MeanYears) > i:
			stay[i] = engine.StayOfMean(m.MeanYears[i])
		case len(m.MedianYears) > i:
			stay[i] = engine.StayOfMedian(m.MedianYears[i])
		}
	}
	if len(m.Matrix) != engine.States {
		return engine.Staying(stay)
	}
	var matrix engine.Matrix
	for i, row := range m.Matrix {
		rest := int64(1_000_000_000)
		for j, p := range row.Probabilities {
			matrix[i][j] = int64(p*1e9 + 0.5)
			rest -= matrix[i][j]
		}
		matrix[i][i] += rest // what rounding has left
	}
	return matrix
}

func valueOr[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

func bandsOf(c *AssetClass) (bands [engine.States - 1]engine.Condition) {
	minimums := c.Bands
	if len(minimums) != len(bands) {
		minimums = []float64{85, 70, 55, 40}
	}
	for i := range bands {
		bands[i] = engine.Condition(math.Floor(minimums[i]*1000 + 0.5))
	}
	return bands
}

func ratingOf(c *AssetClass, condition engine.Condition) int {
	for i, minimum := range bandsOf(c) {
		if condition >= minimum {
			return i + 1
		}
	}
	return engine.States
}

// cents is an amount of the API.
func cents(amount float64) engine.Cents { return engine.Cents(math.Floor(amount*100 + 0.5)) }

func idOf(id string) (bytes engine.ID) {
	_, _ = hex.Decode(bytes[:], []byte(strings.ReplaceAll(id, "-", ""))) // ids are UUIDs
	return bytes
}

// addClass adds a class with its strategy, and with what overrides do besides, which is never chosen.
func (m *assembled) addClass(a *assembly, sc *Scenario, class *AssetClass, prices *priceLists) {
	strategy := a.strategyOf(sc, class)
	var used []*Treatment
	add := func(id string) {
		for i := range a.definitions.Treatments {
			if t := &a.definitions.Treatments[i]; t.ID == id && t.AssetClassID == class.ID && !slices.Contains(used, t) {
				used = append(used, t)
			}
		}
	}
	chosen := 0
	if strategy != nil {
		for _, id := range strategy.TreatmentIDs {
			add(id)
		}
		chosen = len(used)
	}
	for _, o := range sc.Overrides {
		if o.TreatmentID != nil {
			add(*o.TreatmentID)
		}
	}
	for _, c := range a.definitions.Committed {
		if c.TreatmentID != nil {
			add(*c.TreatmentID)
		}
	}
	used = used[:min(len(used), 64)]
	of := engine.Class{Bands: bandsOf(class), FailurePct: int64(class.FailureCostPct), Untreated: strategy == nil}
	if class.FailureModelID != nil && a.models[*class.FailureModelID] != nil {
		failure := a.models[*class.FailureModelID].weibull()
		of.Failure = &failure
	}
	for _, t := range used {
		of.Treatments = append(of.Treatments, t.engine(class, prices))
	}
	m.input.Classes = append(m.input.Classes, of)
	m.classes, m.treatments, m.chosen = append(m.classes, class), append(m.treatments, used), append(m.chosen, chosen)
}

// strategyOf is the one that the scenario names for a class, else the class's default; nil: it has none.
func (a *assembly) strategyOf(sc *Scenario, class *AssetClass) *Strategy {
	wanted := ""
	for _, s := range sc.Strategies {
		if s.AssetClassID == class.ID {
			wanted = s.StrategyID
		}
	}
	for i := range a.definitions.Strategies {
		if s := &a.definitions.Strategies[i]; s.AssetClassID == class.ID && (s.ID == wanted || wanted == "" && s.IsDefault) {
			return s
		}
	}
	return nil
}

// engine is a treatment as the engine has it.
func (t *Treatment) engine(class *AssetClass, prices *priceLists) engine.Treatment {
	index, year := t.PriceIndexID, valueOr(t.PriceYear, valueOr(class.PriceYear, 0))
	if index == nil {
		index = class.PriceIndexID
	}
	e := engine.Treatment{Kind: engine.Kind(slices.Index(kinds, t.Kind)), Prices: prices.of(index, year), ClearsPct: 100}
	switch t.CostBasis {
	case "fixed":
		e.Basis, e.Cost = engine.Fixed, int64(cents(t.Cost))
	case "per_unit":
		e.Basis, e.Cost = engine.PerUnit, int64(cents(t.Cost))
	default:
		e.Basis, e.Cost = engine.PctOfReplacement, int64(math.Floor(t.Cost*1000+0.5))
	}
	e.Mobilization = cents(valueOr(t.Mobilization, 0))
	if e.Kind == engine.Maintenance {
		e.ClearsPct = 0
	}
	if t.ClearsDeferredPct != nil {
		e.ClearsPct = int64(*t.ClearsDeferredPct)
	}
	if trigger := t.Trigger; trigger != nil {
		e.Trigger = engine.Trigger{ConditionMin: points(trigger.ConditionMin), ConditionMax: points(trigger.ConditionMax),
			AgeMin: hundredths(trigger.AgeMinYears), LifeUsedMinPct: int64(valueOr(trigger.LifeUsedMinPct, 0)),
			YearsBetween: valueOr(trigger.YearsBetween, 0), MaxApplications: valueOr(trigger.MaxApplications, 0),
			PlannedRenewal: valueOr(trigger.PlannedRenewal, false)}
	}
	if f := t.Effect; f != nil {
		e.Effect = engine.Effect{ResetTo: points(f.ResetTo), AddPoints: points(f.AddPoints), AddYears: hundredths(f.AddYears),
			ImproveStates: valueOr(f.ImproveStates, 0)}
		if f.Slow != nil {
			e.Effect.SlowYears, e.Effect.SlowPct = f.Slow.Years, int64(f.Slow.Pct)
		}
	}
	return e
}

// kinds are the kinds of treatments, by the engine's number.
var kinds = []string{"maintenance", "rehabilitation", "replacement"}

func points(value *float64) engine.Condition {
	return engine.Condition(math.Floor(valueOr(value, 0)*1000 + 0.5))
}
func hundredths(years *float64) engine.Age {
	return engine.Age(math.Floor(valueOr(years, 0)*100 + 0.5))
}

// priceLists are the lists of factors of an input, by index and price year. The first is the scenario's inflation from the first year on.
type priceLists struct {
	input     *engine.Input
	places    map[string]*inventory.Line
	inflation float64
	known     map[priceKey]int
}

type priceKey struct {
	index string
	year  int
}

func newPriceLists(input *engine.Input, places map[string]*inventory.Line, inflation float64) *priceLists {
	p := &priceLists{input, places, inflation, map[priceKey]int{}}
	p.of(nil, 0)
	return p
}

func (p *priceLists) of(index *string, year int) int {
	key := priceKey{"", cmp.Or(year, p.input.Start)}
	prices := engine.Inflation(key.year, p.inflation)
	if index != nil {
		if found := p.places[*index]; found != nil && len(found.Values) > 0 {
			key.index, prices = *index, engine.Index{Values: found.Values, ForecastPct: p.inflation}
		}
	}
	number, known := p.known[key]
	if !known {
		factors, _ := prices.Factors(key.year, p.input.Start, p.input.Years)
		number = len(p.input.Prices)
		p.input.Prices = append(p.input.Prices, factors)
		p.known[key] = number
	}
	return number
}
