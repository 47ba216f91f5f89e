package odata

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// Expression is a part of a filter: one of the types below.
type Expression interface{}

// The parts of a filter.
type (
	// Both is a condition of two conditions: and, or.
	Both struct {
		Operator    string
		Left, Right Expression
	}
	// Not is the opposite of a condition.
	Not struct{ Of Expression }
	// Comparison compares two values: eq, ne, gt, ge, lt, le.
	Comparison struct {
		Operator    string
		Left, Right Expression
	}
	// In asks whether a value is one of several.
	In struct {
		Of     Expression
		Values []Literal
	}
	// Call is a function of its arguments.
	Call struct {
		Name      string
		Arguments []Expression
	}
	// Any asks whether a list has a text: tags/any(t:t eq 'x').
	Any struct {
		Of   Member
		Text string
	}
	// Member is a field, or a field of an object: ["custom_fields", "floors"].
	Member []string
	// Literal is a value as it is written. Kind is Text for one in quotes, UUID, Date, Time, Number, Boolean, or empty for null.
	Literal struct {
		Kind schema.Kind
		Text string
	}
)

func (m Member) String() string { return strings.Join(m, "/") }

// How long and how deep an expression may be. Each part costs the database work for every row that it looks at.
const (
	maxParts = 300
	maxDepth = 30
)

// maxExponent is that of a number, which is calculated with exactly: more than a double has.
const maxExponent = 400

// functions are those that filters may call, by how many arguments they take.
var functions = map[string]int{
	"contains": 2, "startswith": 2, "endswith": 2, "tolower": 1, "toupper": 1, "trim": 1, "length": 1, "year": 1, "month": 1, "day": 1, "date": 1,
}

var functionNames = []string{"contains", "date", "day", "endswith", "length", "month", "startswith", "tolower", "toupper", "trim", "year"}

var comparisons = []string{"eq", "ne", "gt", "ge", "lt", "le"}

// token is a word of an expression. Kind is a literal's, "name", or the sign itself.
type token struct {
	kind string
	text string
}

var tokens = []struct {
	kind    string
	pattern *regexp.Regexp
}{
	{string(schema.UUID), regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`)},
	{string(schema.Time), regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})`)},
	{string(schema.Date), regexp.MustCompile(`^\d{4}-\d{2}-\d{2}\b`)},
	{string(schema.Number), regexp.MustCompile(`^-?\d+(\.\d+)?([eE][+-]?\d+)?\b`)},
	{string(schema.Text), regexp.MustCompile(`^'([^']|'')*'`)},
	{"name", regexp.MustCompile(`^[\p{L}_$][\p{L}\p{Nd}_]*`)},
	{"sign", regexp.MustCompile(`^[(),/:]`)},
}

// scan splits an expression into its words.
func scan(text string) ([]token, error) {
	var words []token
next:
	for rest := strings.TrimLeft(text, " \t"); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		for _, kind := range tokens {
			found := kind.pattern.FindString(rest)
			if found == "" {
				continue
			}
			rest = rest[len(found):]
			word := token{kind.kind, found}
			switch kind.kind {
			case string(schema.Text):
				word.text = strings.ReplaceAll(found[1:len(found)-1], "''", "'")
			case string(schema.Time):
				if minute := len("2026-01-31T14:00"); found[minute] != ':' { // seconds may be left out
					word.text = found[:minute] + ":00" + found[minute:]
				}
			case "sign":
				word.kind = found
			}
			if words = append(words, word); len(words) > 4*maxParts {
				return nil, fmt.Errorf("is too long: ask in several requests")
			}
			continue next
		}
		return nil, fmt.Errorf("cannot be read from %.20q on", rest)
	}
	return words, nil
}

// parser reads words one by one.
type parser struct {
	words        []token
	parts, depth int
}

var errTooLong = fmt.Errorf("has more than %d parts; ask in several requests, or with in (…)", maxParts)

func (p *parser) peek() token {
	if len(p.words) == 0 {
		return token{"end", "the end"}
	}
	return p.words[0]
}

func (p *parser) next() token {
	t := p.peek()
	if len(p.words) > 0 {
		p.words = p.words[1:]
	}
	return t
}

// take takes a sign or word if it is the next.
func (p *parser) take(text string) bool {
	t := p.peek()
	if t.text != text || t.kind != "name" && t.kind != text {
		return false
	}
	p.next()
	return true
}

func (p *parser) need(sign string) error {
	if p.take(sign) {
		return nil
	}
	return fmt.Errorf("needs %q where it has %.30q", sign, p.peek().text)
}

func (p *parser) end() error {
	if len(p.words) > 0 {
		return fmt.Errorf("has %.30q where it should end, or go on with and, or", p.peek().text)
	}
	return nil
}

func parseFilter(text string) (Expression, error) {
	words, err := scan(text)
	if err != nil {
		return nil, err
	}
	p := &parser{words: words}
	e, err := p.or()
	if err == nil {
		err = p.end()
	}
	return e, err
}

func (p *parser) or() (Expression, error) { return p.both("or", p.and) }

func (p *parser) and() (Expression, error) { return p.both("and", p.not) }

func (p *parser) both(operator string, part func() (Expression, error)) (Expression, error) {
	left, err := part()
	for err == nil && p.take(operator) {
		var right Expression
		if right, err = part(); err == nil {
			left = Both{operator, left, right}
		}
	}
	return left, err
}

func (p *parser) not() (Expression, error) {
	if p.parts++; p.parts > maxParts {
		return nil, errTooLong
	}
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("is nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	if p.take("not") {
		of, err := p.not()
		return Not{of}, err
	}
	return p.comparison()
}

func (p *parser) comparison() (Expression, error) {
	left, err := p.value()
	if err != nil {
		return nil, err
	}
	word := p.peek()
	switch {
	case word.kind == "name" && slices.Contains(comparisons, word.text):
		p.next()
		right, err := p.value()
		return Comparison{word.text, left, right}, err
	case word.kind == "name" && word.text == "in":
		p.next()
		return p.in(left)
	case word.kind == "name" && word.text != "and" && word.text != "or":
		return nil, fmt.Errorf("has no operator %q; these are: %s, in, and, or, not%s", word.text, strings.Join(comparisons, ", "),
			suggest.DidYouMean(word.text, append([]string{"in", "and", "or"}, comparisons...)))
	}
	return left, nil
}

func (p *parser) in(of Expression) (Expression, error) {
	in := In{Of: of}
	if err := p.need("("); err != nil {
		return nil, err
	}
	for {
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		literal, ok := value.(Literal)
		if !ok {
			return nil, errors.New("in takes a list of values in parentheses")
		}
		if in.Values = append(in.Values, literal); len(in.Values) > maxParts {
			return nil, errTooLong
		}
		if !p.take(",") {
			return in, p.need(")")
		}
	}
}

func (p *parser) value() (Expression, error) {
	word := p.next()
	switch word.kind {
	case "(":
		p.depth++
		defer func() { p.depth-- }()
		if p.depth > maxDepth {
			return nil, fmt.Errorf("is nested more than %d deep", maxDepth)
		}
		e, err := p.or()
		if err == nil {
			err = p.need(")")
		}
		return e, err
	case "name":
		switch word.text {
		case "null":
			return Literal{}, nil
		case "true", "false":
			return Literal{schema.Boolean, word.text}, nil
		}
		if p.take("(") {
			return p.call(word.text)
		}
		return p.member(word.text)
	case string(schema.Number):
		if _, exponent, has := strings.Cut(strings.ToLower(word.text), "e"); has {
			if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
				return nil, fmt.Errorf("has a number that is none of any field: %.30s; exponents go from -%d to %d", word.text, maxExponent, maxExponent)
			}
		}
		return Literal{schema.Number, word.text}, nil
	case string(schema.Text), string(schema.Date), string(schema.Time), string(schema.UUID):
		return Literal{schema.Kind(word.kind), word.text}, nil
	}
	return nil, fmt.Errorf("needs a field or a value where it has %.30q", word.text)
}

func (p *parser) call(name string) (Expression, error) {
	wanted, found := functions[name]
	if !found {
		return nil, fmt.Errorf("has no function %q; these are: %s%s", name, strings.Join(functionNames, ", "), suggest.DidYouMean(name, functionNames))
	}
	call := Call{Name: name}
	for {
		if p.parts++; p.parts > maxParts {
			return nil, errTooLong
		}
		argument, err := p.value()
		if err != nil {
			return nil, err
		}
		call.Arguments = append(call.Arguments, argument)
		if p.take(",") {
			continue
		}
		if len(call.Arguments) != wanted {
			return nil, fmt.Errorf("%s takes %d arguments", name, wanted)
		}
		return call, p.need(")")
	}
}

func (p *parser) member(name string) (Expression, error) {
	member := Member{name}
	for p.take("/") {
		word := p.next()
		if word.kind != "name" {
			return nil, fmt.Errorf("needs the name of a field behind %s/", member)
		}
		if (word.text == "any" || word.text == "all") && p.take("(") {
			return p.lambda(member, word.text)
		}
		member = append(member, word.text)
	}
	return member, nil
}

// lambda reads what stands in the parentheses of any.
func (p *parser) lambda(of Member, name string) (Expression, error) {
	only := fmt.Errorf("asks of a list only this way: %s/any(x:x eq 'text')", of)
	if name != "any" {
		return nil, only
	}
	variable := p.next()
	if variable.kind != "name" || !p.take(":") {
		return nil, only
	}
	condition, err := p.or()
	if err != nil {
		return nil, err
	}
	comparison, ok := condition.(Comparison)
	if !ok || comparison.Operator != "eq" {
		return nil, only
	}
	member, isMember := comparison.Left.(Member)
	literal, isText := comparison.Right.(Literal)
	if !isMember || !slices.Equal(member, Member{variable.text}) || !isText || literal.Kind != schema.Text {
		return nil, only
	}
	return Any{of, literal.Text}, p.need(")")
}

func parseSelect(text string) (names []string, err error) {
	for name := range strings.SplitSeq(text, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "*":
			return nil, nil
		case strings.ContainsAny(name, "/("):
			return nil, fmt.Errorf("takes whole fields, with commas between them, not %.50q", name)
		}
		names = append(names, name)
	}
	return names, nil
}

func parseOrderBy(text string) (keys []Order, err error) {
	for key := range strings.SplitSeq(text, ",") {
		words := strings.Fields(key)
		if len(words) == 0 || len(words) > 2 || len(words) == 2 && words[1] != "asc" && words[1] != "desc" {
			return nil, errors.New("must be fields with commas between them, each with asc or desc behind it, or nothing: name desc")
		}
		keys = append(keys, Order{words[0], len(words) == 2 && words[1] == "desc"})
	}
	return keys, nil
}
