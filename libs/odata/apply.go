package odata

import (
	"fmt"
	"slices"
	"strings"
)

// Apply is what $apply asks for: the records of a filter in groups, each with sums and the like.
type Apply struct {
	Filter     Expression // nil: all
	GroupBy    []string
	Aggregates []Aggregate
}

// Aggregate is one number of a group. Of is empty for the number of records.
type Aggregate struct {
	Of, With, As string
}

// Names are those of the members of a group, in order.
func (a *Apply) Names() []string {
	names := slices.Clone(a.GroupBy)
	for _, aggregate := range a.Aggregates {
		names = append(names, aggregate.As)
	}
	return names
}

// Methods are how values are aggregated.
var Methods = []string{"sum", "min", "max", "average", "countdistinct"}

const howToApply = "is read as filter(…)/groupby((a,b),aggregate(x with sum as y,$count as n)), where filter or groupby may be left out"

// parseApply reads filters, and one groupby or aggregate behind them.
func parseApply(text string) (*Apply, error) {
	words, err := scan(text)
	if err != nil {
		return nil, err
	}
	p, a := &parser{words: words}, &Apply{}
	for {
		if len(p.words) == 0 {
			return nil, fmt.Errorf("says nothing; it %s", howToApply)
		}
		word := p.next()
		if err := p.need("("); err != nil {
			return nil, fmt.Errorf("%w; it %s", err, howToApply)
		}
		switch word.text {
		case "filter":
			condition, err := p.or()
			if err != nil {
				return nil, err
			}
			if a.Filter != nil {
				condition = Both{"and", a.Filter, condition}
			}
			a.Filter = condition
			err = p.need(")")
			if err == nil {
				err = p.need("/")
			}
			if err != nil {
				return nil, fmt.Errorf("%w; it %s", err, howToApply)
			}
			continue
		case "groupby":
			err = p.groupBy(a)
		case "aggregate":
			err = p.aggregate(a)
		default:
			return nil, fmt.Errorf("has no transformation %.20q; it %s", word.text, howToApply)
		}
		if err == nil {
			err = p.need(")")
		}
		if err == nil {
			err = p.end()
		}
		if err != nil {
			return nil, fmt.Errorf("%w; it %s", err, howToApply)
		}
		return a, unlike(a.Names())
	}
}

// unlike objects to a name that is there twice.
func unlike(names []string) error {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("has two members called %s; give one of them another name behind as", name)
		}
	}
	return nil
}

func (p *parser) groupBy(a *Apply) error {
	if err := p.need("("); err != nil {
		return err
	}
	for {
		found, word := p.found(), p.next()
		if word.kind != "name" {
			return fmt.Errorf("groups by fields, not by %s", found)
		}
		if p.peek().text == "/" {
			return fmt.Errorf("groups by whole fields of the records, not by %.50s/…; of a record that is referred to, group by its id, "+
				"such as site_id", word.text)
		}
		a.GroupBy = append(a.GroupBy, word.text)
		if p.take(",") {
			continue
		}
		if err := p.need(")"); err != nil {
			return err
		}
		if !p.take(",") {
			return nil
		}
		if !p.take("aggregate") {
			return fmt.Errorf("needs aggregate(…) where it has %s", p.found())
		}
		if err := p.need("("); err != nil {
			return err
		}
		if err := p.aggregate(a); err != nil {
			return err
		}
		return p.need(")")
	}
}

func (p *parser) aggregate(a *Apply) error {
	for {
		aggregate := Aggregate{}
		found, word := p.found(), p.next()
		if word.kind != "name" {
			return fmt.Errorf("aggregates fields, not %s", found)
		}
		if word.text != "$count" {
			aggregate.Of = word.text
			if !p.take("with") {
				return fmt.Errorf("needs with, and how to aggregate (%s), behind %s where it has %s", strings.Join(Methods, ", "), word.text, p.found())
			}
			if aggregate.With = p.next().text; !slices.Contains(Methods, aggregate.With) {
				return fmt.Errorf("cannot aggregate with %.20q; these are: %s", aggregate.With, strings.Join(Methods, ", "))
			}
		}
		if !p.take("as") {
			return fmt.Errorf("needs as, and a name for the number, behind %s where it has %s", word.text, p.found())
		}
		shown, name := p.found(), p.next()
		if name.kind != "name" || strings.HasPrefix(name.text, "$") {
			return fmt.Errorf("needs a name behind as, not %s", shown)
		}
		aggregate.As = name.text
		if a.Aggregates = append(a.Aggregates, aggregate); len(a.Aggregates) > maxAggregates {
			return fmt.Errorf("takes %d aggregates at most; ask for others in another request", maxAggregates)
		}
		if !p.take(",") {
			return nil
		}
	}
}

// maxAggregates is how many numbers a group may have.
const maxAggregates = 20
