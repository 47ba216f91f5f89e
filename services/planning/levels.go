package planning

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"ams.internal/libs/domain/inventory"
	"ams.internal/services/planning/engine"
)

// Why an element is left out.
const (
	leftStatus  = "status"
	leftCovered = "covered"
	leftClass   = "no_class"
	leftLife    = "no_life"
	leftValue   = "no_value"
	leftAge     = "no_age_or_condition"
)

// levels decides, of everything that lies in each other, what bears the cost and the deferred maintenance. parts: the finest level with a
// cost; whole: the coarsest. Each cost counts once.
type levels struct {
	lines    []inventory.Line
	values   []engine.Cents // of the lines, each in the prices of its own year
	places   map[string]*inventory.Line
	covered  []bool
	deferred []engine.Cents
	lost     engine.Cents // deferred maintenance that no element bears

	system, building []int // of each line, its number; -1
}

func newLevels(all *inventoryLines, values []engine.Cents, basis string) *levels {
	n := len(all.elements)
	l := &levels{lines: all.elements, values: values, places: all.places, covered: make([]bool, n), deferred: make([]engine.Cents, n),
		system: make([]int, n), building: make([]int, n)}
	numbers := map[string]int{}
	for i := range l.lines {
		if l.lines[i].Type == "system" || l.lines[i].Type == "building" {
			numbers[l.lines[i].ID] = i
		}
	}
	find := func(id string) int {
		if i, found := numbers[id]; found && id != "" {
			return i
		}
		return -1
	}
	for i := range l.lines {
		l.system[i] = find(l.lines[i].SystemID)
		l.building[i] = find(l.lines[i].BuildingID)
		if s := l.system[i]; s >= 0 { // it is where its system is
			l.building[i] = find(l.lines[s].BuildingID)
		}
	}
	if basis == "whole" {
		l.coarsest()
	} else {
		l.finest()
	}
	l.bear()
	return l
}

// counts says whether something is in use; what is not neither bears nor hides a cost.
func (l *levels) counts(i int) bool { return i >= 0 && l.lines[i].Counts }

// stated says whether it has a cost, be it 0.
func (l *levels) stated(i int) bool {
	return l.counts(i) && (l.lines[i].Cost != nil || l.values[i] > 0)
}

func (l *levels) coarsest() {
	for i := range l.lines {
		l.covered[i] = l.stated(l.building[i]) || l.stated(l.system[i])
	}
}

func (l *levels) finest() {
	cost := func(i int) bool { return l.counts(i) && l.values[i] > 0 }
	parts := make([]bool, len(l.lines)) // something in it has a cost
	for i := range l.lines {
		if !cost(i) {
			continue
		}
		for _, around := range []int{l.system[i], l.building[i]} {
			if around >= 0 {
				parts[around] = true
			}
		}
	}
	for i := range l.lines {
		s, b := l.system[i], l.building[i]
		l.covered[i] = parts[i] || !cost(i) && (s >= 0 && cost(s) && !parts[s] || b >= 0 && cost(b) && !parts[b])
	}
}

// bearer is what the deferred maintenance of something is borne by: itself or what it is in; -1: its parts, or nothing.
func (l *levels) bearer(i int) int {
	for _, at := range []int{i, l.system[i], l.building[i]} {
		if at >= 0 && l.counts(at) && !l.covered[at] && l.values[at] > 0 {
			return at
		}
	}
	return -1
}

// bear gives each element its deferred maintenance. What was stated of a system is that of its assets too; what follows from deficiencies
// of a system, a building or a site is added to that of its parts. It is spread by value, the cents by the largest remainder.
func (l *levels) bear() {
	within := map[int][]int{} // elements in a system, in a building
	onSite := map[string][]int{}
	for i := range l.lines {
		if !l.counts(i) || l.covered[i] || l.values[i] == 0 {
			continue
		}
		for _, around := range []int{l.system[i], l.building[i]} {
			if around >= 0 {
				within[around] = append(within[around], i)
			}
		}
		onSite[l.lines[i].SiteID] = append(onSite[l.lines[i].SiteID], i)
	}
	for i := range l.lines {
		line := &l.lines[i]
		if !l.counts(i) {
			continue
		}
		if s := l.system[i]; line.Type == "asset" && s >= 0 && l.counts(s) && l.lines[s].Typed != nil {
			continue // the system's says it
		}
		amount := engine.Cents(0)
		switch {
		case line.Found != nil:
			amount = engine.Cents(*line.Found)
		case line.Typed != nil:
			amount = engine.Cents(*line.Typed)
		}
		if at := l.bearer(i); at >= 0 {
			l.deferred[at] += amount
		} else {
			l.spread(amount, first(within[i], within[l.system[i]], within[l.building[i]], onSite[line.SiteID]))
		}
	}
	for _, place := range l.places {
		if place.Type == "site" && place.Counts && place.Found != nil {
			l.spread(engine.Cents(*place.Found), onSite[place.ID])
		}
	}
}

// first is the first that has any.
func first(lists ...[]int) []int {
	for _, list := range lists {
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// spread adds an amount to elements by their value, to the cent.
func (l *levels) spread(amount engine.Cents, over []int) {
	if amount == 0 {
		return
	}
	if len(over) == 0 {
		l.lost += amount
		return
	}
	total := new(big.Int)
	for _, i := range over {
		total.Add(total, big.NewInt(int64(l.values[i])))
	}
	type share struct {
		element int
		rest    *big.Int
	}
	left := amount
	shares := make([]share, len(over))
	for n, i := range over {
		part, rest := new(big.Int).QuoRem(new(big.Int).Mul(big.NewInt(int64(amount)), big.NewInt(int64(l.values[i]))), total, new(big.Int))
		l.deferred[i] += engine.Cents(part.Int64())
		left -= engine.Cents(part.Int64())
		shares[n] = share{i, rest}
	}
	slices.SortFunc(shares, func(a, b share) int { return cmp.Or(b.rest.Cmp(a.rest), cmp.Compare(a.element, b.element)) })
	for n := range int(left) {
		l.deferred[shares[n].element]++
	}
}

// valueOf is what an element costs to replace, and in the prices of which year; 0: of the first. Its own cost, else its
// class's for its quantity.
func valueOf(line *inventory.Line, class *AssetClass) (engine.Cents, int) {
	if line.Cost != nil {
		return engine.Cents(*line.Cost), line.CostYear
	}
	if class == nil || class.UnitCost == nil {
		return 0, 0
	}
	quantity, known := quantityOf(line, class)
	if !known {
		return 0, 0
	}
	year := 0
	if class.PriceYear != nil {
		year = *class.PriceYear
	}
	return engine.Cents(math.Floor(*class.UnitCost*100*quantity + 0.5)), year
}

// quantityOf is how many units of its class an element has. An asset without a quantity is one.
func quantityOf(line *inventory.Line, class *AssetClass) (float64, bool) {
	fits := class.Unit != nil && (*class.Unit == "each" || *class.Unit == map[string]string{"segment": "m", "building": "m2"}[line.Type])
	switch {
	case !fits:
		return 0, false
	case line.Quantity != nil && (*class.Unit != "each" || line.Type == "asset"):
		return *line.Quantity, true
	}
	return 1, *class.Unit == "each"
}
