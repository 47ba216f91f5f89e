package odata

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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
	"contains": 2, "startswith": 2, "endswith": 2, "tolower": 1, "toupper": 1, "trim": 1, "length": 1, "year": 1, "month": 1,
	"day": 1, "date": 1,
}

// arguments says what functions take, by how many arguments.
var arguments = map[int]string{1: "one, a field", 2: "two, a field and a text: contains(name,'pump')"}

var functionNames = []string{"contains", "date", "day", "endswith", "length", "month", "startswith", "tolower", "toupper", "trim", "year"}

var comparisons = []string{"eq", "ne", "gt", "ge", "lt", "le"}

// token is a word of an expression. Kind is a literal's, "name", or the sign itself.
type token struct {
	kind string
	text string
}

// Words that begin alike are told apart by patterns, which look at no more than the longest of them has; a number has as many digits as one
// may have.
const (
	longestWord   = 64
	longestNumber = maxExponent + longestWord
)

var (
	uuidWord   = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b`)
	timeWord   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})`)
	dateWord   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}\b`)
	numberWord = regexp.MustCompile(`^-?\d+(\.\d+)?([eE][+-]?\d+)?\b`)
)

// scan splits an expression into its words.
func scan(text string) ([]token, error) {
	var words []token
	for rest := strings.TrimLeft(text, " \t"); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		word, length := firstWord(rest)
		if length == 0 {
			return nil, unreadable(rest)
		}
		rest = rest[length:]
		if words = append(words, word); len(words) > 4*maxParts {
			return nil, errors.New("is too long; ask in several requests, or with in (…)")
		}
	}
	return words, nil
}

// unreadable says why no word can be read at the beginning of a text.
func unreadable(text string) error {
	if text[0] == '\'' {
		return fmt.Errorf("has no end of the text %.20q: put ' behind it, and for each ' in it write ''", text)
	}
	return fmt.Errorf("cannot be read from %.20q on; texts stand in single quotes, and signs that URLs have for themselves "+
		"are encoded, such as + as %%2B", text)
}

// firstWord is the word that a text begins with, and how long it is there; 0 where it is none.
func firstWord(text string) (word token, length int) {
	begin := text[:min(longestWord, len(text))]
	switch c := text[0]; {
	case strings.IndexByte("(),/:", c) >= 0:
		return token{text[:1], text[:1]}, 1
	case c == '\'':
		return quotedWord(text)
	case strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 && uuidWord.MatchString(begin):
		length = len(uuidWord.FindString(begin))
		return token{string(schema.UUID), text[:length]}, length
	case c == '-' || '0' <= c && c <= '9':
		if found := timeWord.FindString(begin); found != "" {
			length = len(found)
			if minute := len("2026-01-31T14:00"); found[minute] != ':' { // seconds may be left out
				found = found[:minute] + ":00" + found[minute:]
			}
			return token{string(schema.Time), found}, length
		}
		if found := dateWord.FindString(begin); found != "" {
			return token{string(schema.Date), found}, len(found)
		}
		found := numberWord.FindString(text[:min(longestNumber, len(text))])
		if len(found) == longestNumber {
			return token{}, 0
		}
		return token{string(schema.Number), found}, len(found)
	}
	for i, letter := range text {
		if letter == '_' || unicode.IsLetter(letter) || i == 0 && letter == '$' || i > 0 && unicode.Is(unicode.Nd, letter) {
			length = i + utf8.RuneLen(letter)
			continue
		}
		break
	}
	return token{"name", text[:length]}, length
}

// quotedWord is a text in quotes, in which two of them stand for one.
func quotedWord(text string) (word token, length int) {
	for end := 1; ; {
		next := strings.IndexByte(text[end:], '\'')
		if next < 0 {
			return token{}, 0
		}
		if end += next + 1; end == len(text) || text[end] != '\'' {
			return token{string(schema.Text), strings.ReplaceAll(text[1:end-1], "''", "'")}, end
		}
		end++
	}
}

// parser reads words one by one.
type parser struct {
	words        []token
	parts, depth int
}

var errTooLong = fmt.Errorf("has more than %d parts; ask in several requests, or with in (…)", maxParts)

var errTooDeep = fmt.Errorf("is nested more than %d deep; leave parentheses out, or ask in several requests", maxDepth)

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
	return fmt.Errorf("needs %q where it has %s", sign, p.found())
}

// found is the next word as errors show it.
func (p *parser) found() string {
	if len(p.words) == 0 {
		return "its end"
	}
	return fmt.Sprintf("%.30q", p.words[0].text)
}

func (p *parser) end() error {
	if len(p.words) > 0 {
		return fmt.Errorf("has %s where it should end, or go on with and, or", p.found())
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
		return nil, errTooDeep
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
		return nil, fmt.Errorf("has no operator %.50q; these are: %s, in, and, or, not%s", word.text, strings.Join(comparisons, ", "),
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
			return nil, errors.New("takes values in the parentheses behind in, with commas between them: status in ('open','closed')")
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
	found, word := p.found(), p.next()
	switch word.kind {
	case "(":
		p.depth++
		defer func() { p.depth-- }()
		if p.depth > maxDepth {
			return nil, errTooDeep
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
				return nil, fmt.Errorf("has a number that is none of any field: %.30s; exponents go from -%d to %d", word.text,
					maxExponent, maxExponent)
			}
		}
		return Literal{schema.Number, word.text}, nil
	case string(schema.Text), string(schema.Date), string(schema.Time), string(schema.UUID):
		return Literal{schema.Kind(word.kind), word.text}, nil
	}
	return nil, fmt.Errorf("needs a field or a value where it has %s; it is read as field eq 'value'", found)
}

func (p *parser) call(name string) (Expression, error) {
	wanted, found := functions[name]
	if !found {
		return nil, fmt.Errorf("has no function %.50q; these are: %s%s", name, strings.Join(functionNames, ", "),
			suggest.DidYouMean(name, functionNames))
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
			return nil, fmt.Errorf("calls %s with %d arguments; it takes %s", name, len(call.Arguments), arguments[wanted])
		}
		return call, p.need(")")
	}
}

func (p *parser) member(name string) (Expression, error) {
	member := Member{name}
	for p.take("/") {
		word := p.next()
		if word.kind != "name" {
			return nil, fmt.Errorf("needs the name of a field behind %.50s/, such as custom_fields/floors", member)
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

// maxNames is how many fields $select and $orderby may name: more than a set has.
const maxNames = 200

func parseSelect(text string) (names []string, err error) {
	if strings.Count(text, ",") >= maxNames {
		return nil, fmt.Errorf("names more than %d fields; without $select all are shown", maxNames)
	}
	for name := range strings.SplitSeq(text, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "*":
			return nil, nil
		case strings.ContainsAny(name, "/("):
			return nil, fmt.Errorf("takes whole fields, with commas between them, not %.50q; fields of a record that is referred to are had with "+
				"$expand=site($select=name)", name)
		}
		names = append(names, name)
	}
	return names, nil
}

func parseOrderBy(text string) (keys []Order, err error) {
	if strings.Count(text, ",") >= maxNames {
		return nil, fmt.Errorf("names more than %d fields; the order is decided by fewer", maxNames)
	}
	for key := range strings.SplitSeq(text, ",") {
		words := strings.Fields(key)
		if len(words) == 0 || len(words) > 2 || len(words) == 2 && words[1] != "asc" && words[1] != "desc" {
			return nil, errors.New("must be fields with commas between them, each with asc or desc behind it, or nothing: name desc")
		}
		keys = append(keys, Order{words[0], len(words) == 2 && words[1] == "desc"})
	}
	return keys, nil
}
