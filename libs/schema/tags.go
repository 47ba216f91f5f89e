package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Tag is one key that the tag of a declared field may have. docs/tags.md is this table, for readers.
type Tag struct {
	Name    string
	Values  string // what may stand there, for readers
	Effect  string
	Example string

	kinds    []Kind // of the fields that it may stand on; empty: of any
	resource bool   // it says something to resources and parameters only: nothing on a member of an object within a field
	// wrong describes what is wrong with the value; "" where nothing is.
	wrong func(m *member, value string) string
}

// member is a field of a struct whose tags are checked.
type member struct {
	name     string // in JSON, a path or a query
	kind     Kind
	base     reflect.Type // without the pointer
	nullable bool
	tags     map[string]string
	siblings map[string]map[string]string // the tags of all fields of the struct, by name
	nested   bool                         // of an object within a field
}

// texts reports whether the member is a text or a list of texts.
func (m *member) texts() bool {
	return m.kind == Text || m.kind == List && m.base.Elem().Kind() == reflect.String
}

// Tags lists every key, in the order of the table for readers.
var Tags = []Tag{
	{Name: "json", Values: "a name; `-` for none; `,omitempty` behind the name", Example: `json:"asset_tag"`,
		Effect: "The field's name in bodies and responses; of a resource also in the query and in SQL."},
	{Name: "path", Values: "a name", Example: `path:"id"`,
		Effect: "The field of an operation's input is the part of the path with that name."},
	{Name: "query", Values: "a name", Example: `query:"as_of"`,
		Effect: "The field of an operation's input is the query parameter of that name."},
	{Name: "db", Values: "a name", Example: `db:"failing_since"`,
		Effect: "The column that pgx reads the field from, in a struct that is also a row of a statement."},

	{Name: "api", Values: "a name, or `-`", Example: `api:"per_page"`,
		Effect: "The argument of a tool for assistants is the API's parameter or field of that name, or none."},

	{Name: "doc", Values: "a sentence", Example: `doc:"Its bar code."`, Effect: "The description in the OpenAPI document.", wrong: notBlank},
	{Name: "example", Values: "a value that the field takes; JSON for lists and objects", Example: `example:"A-000001"`,
		Effect: "The example in the OpenAPI document.", wrong: notBlank},
	{Name: "required", Values: "`true`; `false` for a member of an object, where true is the default", Example: `required:"true"`,
		Effect: "Must be given on create.", wrong: wrongRequired},
	{Name: "readOnly", Values: "`true`", Example: `readOnly:"true"`, Effect: "Is shown, and ignored when it is sent.", wrong: notTrue},
	{Name: "writeOnly", Values: "`true`", Example: `writeOnly:"true"`, kinds: []Kind{List}, resource: true,
		Effect: "Is taken by writes and never shown: it has no column, and the resource's rules make something of it.", wrong: wrongWriteOnly},
	{Name: "makes", Values: "a collection of the catalogue", Example: `makes:"deficiencies"`, kinds: []Kind{List}, resource: true,
		Effect: "Each entry makes a record there: the caller needs its scope to write, and its feature. For lists of objects with `writeOnly`.",
		wrong:  wrongMakes},
	{Name: "deprecated", Values: "`true`", Example: `deprecated:"true"`,
		Effect: "`deprecated` in the OpenAPI document: the doc says what to use in its place.", wrong: notTrue},
	{Name: "default", Values: "a value that the field takes", Example: `default:"open"`,
		Effect: "What a field that is left out, or null, is set to. Not for pointers, which are null then.", wrong: wrongDefault},
	{Name: "enum", Values: "texts, with commas between them", Example: `enum:"open,closed"`, kinds: []Kind{Text, List},
		Effect: "The values that the field, or each entry of a list, may have.", wrong: wrongEnum},
	{Name: "format", Values: "`uuid`, `date`, `date-time`, `email`, `uri`", Example: `format:"date"`,
		Effect: "The form of a text, or of each entry of a list. Dates, times and ids are columns of their own types.", wrong: wrongFormat},
	{Name: "minLength", Values: "a whole number", Example: `minLength:"8"`,
		Effect: "The fewest characters of a text, or of each entry of a list.", wrong: wrongLength},
	{Name: "maxLength", Values: "a whole number", Example: `maxLength:"200"`,
		Effect: "The most characters of a text, or of each entry of a list. 255 for a text that says nothing.", wrong: wrongLength},
	{Name: "pattern", Values: "a regular expression", Example: `pattern:"^[A-Z]{2}$"`, kinds: []Kind{Text}, Effect: "What a text must match.",
		wrong: wrongPattern},
	{Name: "patternDescription", Values: "words that follow \"must be\"", Example: `patternDescription:"two capital letters, such as QC"`,
		kinds: []Kind{Text}, Effect: "Says what the pattern wants, to whoever sends something else.", wrong: wrongPatternDescription},
	{Name: "minimum", Values: "a number", Example: `minimum:"0"`, kinds: []Kind{Integer, Number}, Effect: "The least value.",
		wrong: wrongBound},
	{Name: "maximum", Values: "a number", Example: `maximum:"100"`, kinds: []Kind{Integer, Number}, Effect: "The greatest value.",
		wrong: wrongBound},
	{Name: "maxItems", Values: "a whole number", Example: `maxItems:"50"`, kinds: []Kind{List}, Effect: "The most entries of a list.",
		wrong: notWhole},
	{Name: "uniqueItems", Values: "`true`", Example: `uniqueItems:"true"`, kinds: []Kind{List}, Effect: "No entry may be in the list twice.",
		wrong: notTrue},

	{Name: "money", Values: "`true`", Example: `money:"true"`, kinds: []Kind{Number}, resource: true,
		Effect: "0 or more, at most 2 decimals, below 10¹³; `numeric(15, 2)` in SQL.", wrong: wrongMoney},
	{Name: "decimals", Values: "`1` to `9`", Example: `decimals:"4"`, kinds: []Kind{Number},
		Effect: "How many decimals the number has at most; `numeric` with as many in SQL, and `DECIMAL` in Parquet, " +
			"of a row of a report too. Money has 2.", wrong: wrongDecimals},
	{Name: "unit", Values: "a word", Example: `unit:"year"`, kinds: []Kind{Integer, Number},
		Effect: "`x-unit` in the OpenAPI document; on a member of an object it is for readers of the code.", wrong: notBlank},
	{Name: "unique", Values: "`true`, or names of fields with commas between them", Example: `unique:"site_id"`, resource: true,
		kinds: []Kind{Text, Integer, UUID, Date},
		Effect: "No two records of the organization, or of those that agree in the named fields, have the same value; 409 names the other. " +
			"Needs the column `<field>_key`.", wrong: wrongUnique},
	{Name: "auto", Values: "letters, digits, hyphens, then `%0<digits>d`", Example: `auto:"WO-%06d"`, kinds: []Kind{Text}, resource: true,
		Effect: "The next number, in this form, when the field is left out. For a pointer with `unique:\"true\"`.", wrong: wrongAuto},
	{Name: "references", Values: "a collection of the catalogue; `@` and a field whose enum names collections, " +
		"or what one record of each is called", Example: `references:"sites"`, resource: true, Effect: "The id, or the list of ids, " +
		"is of records there: they must exist and cannot be deleted meanwhile. Allows `expand` for a field `…_id`.", wrong: wrongReferences},
	{Name: "column", Values: "a name in SQL", Example: `column:"task_position"`, resource: true,
		Effect: "The column, where it cannot have the field's name.", wrong: wrongColumn},
	{Name: "generated", Values: "`true`", Example: `generated:"true"`, resource: true,
		Effect: "The database computes the column (`GENERATED ALWAYS`). For read-only fields.", wrong: wrongGenerated},
	{Name: "filter", Values: "`equals` (one of several values), " +
		"`range` (of numbers, dates, times), `prefix` (of texts), `contains` (of lists)", Example: `filter:"range"`, resource: true,
		Effect: "Query parameters of the list. A range has `_min` and `_max`, of dates and times `_from` and `_to`.", wrong: wrongFilter},
	{Name: "sort", Values: "`true`, or `index`", Example: `sort:"true"`, resource: true,
		kinds: []Kind{Text, Integer, Number, Boolean, UUID, Date, Time},
		Effect: "The list can be sorted by it. `index`: the table has an index `(organization_id, <column>, id)`, of a text by the collation " +
			"`natural`, and lists in this order are read from it.",
		wrong: wrongSort},
	{Name: "facet", Values: "`true`", Example: `facet:"true"`, kinds: []Kind{Text, Integer, Boolean, UUID}, resource: true,
		Effect: "It has few values (a status, a rating, a site), and lists that filter by it are counted without looking at the rows.",
		wrong:  wrongFacet},
	{Name: "private", Values: "`true`, or a scope to read", Example: `private:"requests:read"`, resource: true,
		Effect: "Its values stay in the record: history and events name the field where it changed, " +
			"and show null for what it was and is; `x-private` in the OpenAPI document. " +
			"Without the scope its values are null, and lists cannot be filtered, sorted or grouped by it. For pointers.", wrong: wrongPrivate},
	{Name: "search", Values: "`code` (what is written on a thing), `name` (the label), `text`", Example: `search:"name"`, kinds: []Kind{Text},
		resource: true, Effect: "The query parameter `q` finds the record by its words; by a code also as a whole, and by its numbers.",
		wrong: wrongSearch},
}

func tagNamed(name string) *Tag {
	if i := slices.IndexFunc(Tags, func(t Tag) bool { return t.Name == name }); i >= 0 {
		return &Tags[i]
	}
	return nil
}

func notBlank(_ *member, value string) string {
	if strings.TrimSpace(value) == "" {
		return "says nothing; leave it out"
	}
	return ""
}

func notTrue(_ *member, value string) string {
	if value != "true" {
		return fmt.Sprintf(`is %q; it must be "true", or be left out`, value)
	}
	return ""
}

func wrongSort(_ *member, value string) string {
	if value != "true" && value != "index" {
		return fmt.Sprintf(`is %q; it must be "true" or "index", or be left out`, value)
	}
	return ""
}

func notWhole(_ *member, value string) string {
	if n, err := strconv.Atoi(value); err != nil || n < 0 {
		return fmt.Sprintf("is %q; it must be a whole number", value)
	}
	return ""
}

func wrongRequired(m *member, value string) string {
	switch {
	case value == "false" && m.nested:
		return ""
	case m.tags["readOnly"] == "true":
		return "stands beside readOnly: what is sent there is ignored; leave one of them out"
	}
	return notTrue(m, value)
}

// wrongWriteOnly objects to what says something of a column as well.
func wrongWriteOnly(m *member, value string) string {
	for _, other := range []string{"readOnly", "filter", "references", "column", "generated"} {
		if m.tags[other] != "" {
			return "contradicts " + other + ", which is of what is shown"
		}
	}
	return notTrue(m, value)
}

func wrongMakes(m *member, value string) string {
	if m.tags["writeOnly"] != "true" {
		return "stands without writeOnly: records of others are made by what is taken and not shown"
	}
	return notBlank(m, value)
}

func wrongDefault(m *member, _ string) string {
	if m.nullable {
		return "stands on a pointer, which is null when it is left out; make the field a value, or leave the default out"
	}
	return ""
}

func wrongEnum(m *member, value string) string {
	if !m.texts() {
		return "stands on a list of something else than texts"
	}
	values := strings.Split(value, ",")
	for i, v := range values {
		switch {
		case v == "" || strings.TrimSpace(v) != v:
			return fmt.Sprintf("has %q among its values; write them with a comma and nothing else between them", v)
		case slices.Contains(values[:i], v):
			return fmt.Sprintf("has %q twice", v)
		}
	}
	return ""
}

func wrongFormat(m *member, value string) string {
	known := []string{"uuid", "date", "date-time", "email", "uri"}
	switch {
	case !slices.Contains(known, value):
		return fmt.Sprintf("is %q; it must be one of %s", value, strings.Join(known, ", "))
	case m.base.Kind() != reflect.String && !m.texts():
		return "stands on a field that is no text"
	}
	return ""
}

func wrongLength(m *member, value string) string {
	if !m.texts() {
		return "stands on a field that is no text; numbers have minimum and maximum, lists maxItems"
	}
	if text := notWhole(m, value); text != "" {
		return text
	}
	return wrongOrder(m, "minLength", "maxLength")
}

func wrongBound(m *member, value string) string {
	if number, err := strconv.ParseFloat(value, 64); err != nil || m.kind == Integer && number != float64(int64(number)) {
		return fmt.Sprintf("is %q; it must be a number of the field's kind, which is %s", value, m.kind)
	}
	return wrongOrder(m, "minimum", "maximum")
}

func wrongOrder(m *member, minTag, maxTag string) string {
	low, err := strconv.ParseFloat(m.tags[minTag], 64)
	high, err2 := strconv.ParseFloat(m.tags[maxTag], 64)
	if err == nil && err2 == nil && low > high {
		return fmt.Sprintf("leaves no value: %s is %s and %s is %s", minTag, m.tags[minTag], maxTag, m.tags[maxTag])
	}
	return ""
}

func wrongPattern(_ *member, value string) string {
	if _, err := regexp.Compile(value); err != nil {
		return fmt.Sprintf("is no regular expression: %v", err)
	}
	return ""
}

func wrongPatternDescription(m *member, value string) string {
	if m.tags["pattern"] == "" {
		return "describes a pattern that is not there"
	}
	return notBlank(m, value)
}

func wrongMoney(m *member, value string) string {
	if m.tags["minimum"] != "" || m.tags["maximum"] != "" {
		return "has bounds of its own; leave minimum and maximum out"
	}
	return notTrue(m, value)
}

func wrongDecimals(m *member, value string) string {
	switch {
	case len(value) != 1 || value < "1" || value > "9":
		return fmt.Sprintf("is %q; it must be a digit from 1 to 9", value)
	case m.tags["money"] != "":
		return "stands beside money, which has 2; give minimum and maximum in its place"
	}
	return ""
}

func wrongUnique(m *member, value string) string {
	if value == "true" {
		return ""
	}
	for name := range strings.SplitSeq(value, ",") {
		if m.siblings[name] == nil || name == m.name {
			return Unknown("field", name, m.others()) + `; it must be "true", or name the fields within which the value is unique`
		}
	}
	return ""
}

var numberForm = regexp.MustCompile(`^[A-Za-z0-9-]*%0[1-9]d$`)

func wrongAuto(m *member, value string) string {
	switch {
	case !numberForm.MatchString(value):
		return fmt.Sprintf("is %q; it must be like A-%%06d", value)
	case !m.nullable || m.tags["unique"] != "true":
		return `needs a pointer, so that the number can be left out, and unique:"true", so that none is given twice`
	}
	return ""
}

func wrongReferences(m *member, value string) string {
	by, named := strings.CutPrefix(value, "@")
	switch {
	case m.base.Kind() != reflect.String && !m.texts():
		return "stands on a field that is neither an id nor a list of ids"
	case value == "" || named && m.siblings[by] == nil:
		return Unknown("field", by, m.others())
	case named && m.siblings[by]["enum"] == "":
		return fmt.Sprintf("takes the collection from %s, which has no enum", by)
	}
	return ""
}

var sqlName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func wrongColumn(m *member, value string) string {
	if !sqlName.MatchString(value) || value == m.name {
		return fmt.Sprintf("is %q; it must be a name in SQL, and another one than the field's", value)
	}
	for _, tag := range []string{"unique", "search", "references"} {
		if m.tags[tag] != "" {
			return "stands beside " + tag + ", which wants a column with the field's name"
		}
	}
	if filter := m.tags["filter"]; filter == "prefix" || filter == "contains" {
		return "stands beside the filter " + filter + ", which wants a column with the field's name"
	}
	return ""
}

func wrongGenerated(m *member, value string) string {
	if m.tags["readOnly"] != "true" {
		return `needs readOnly:"true": nobody can set the field`
	}
	return notTrue(m, value)
}

// filterKinds are the kinds of fields that each filter can be of.
var filterKinds = map[string][]Kind{
	"equals": {Text, Integer, Number, Boolean, UUID, Date, Time}, "range": {Integer, Number, Date, Time}, "prefix": {Text}, "contains": {List},
}

func wrongFilter(m *member, value string) string {
	kinds, known := filterKinds[value]
	switch {
	case !known:
		return fmt.Sprintf("is %q; it must be equals, range, prefix or contains", value)
	case !slices.Contains(kinds, m.kind) || m.kind == List && !m.texts():
		return fmt.Sprintf("is %s, which a field of the kind %s cannot have", value, m.kind)
	}
	return ""
}

func wrongFacet(m *member, value string) string {
	if filter := m.tags["filter"]; filter != "equals" && filter != "range" {
		return "stands on a field that no list filters by its values or by a range"
	}
	return notTrue(m, value)
}

func wrongPrivate(m *member, value string) string {
	switch {
	case !m.nullable:
		return "stands on a field that is never null, which history and events would show as null; make it a pointer"
	case m.tags["search"] != "":
		return "stands beside search, which keeps the words of the field elsewhere"
	case value == "true", strings.HasSuffix(value, ":read") && m.tags["facet"] == "" && m.tags["unique"] == "":
		return ""
	}
	return fmt.Sprintf("is %q; it must be true or, of a field without facet and unique, a scope such as requests:read", value)
}

func wrongSearch(_ *member, value string) string {
	if value != "code" && value != "name" && value != "text" {
		return fmt.Sprintf("is %q; it must be code, name or text", value)
	}
	return ""
}

func (m *member) others() []string {
	var names []string
	for name := range m.siblings {
		if name != m.name {
			names = append(names, name)
		}
	}
	return names
}

// wrongValue describes why a default or an example is no value of the field.
func (f *Field) wrongValue(text string) string {
	var value any
	var err error
	if f.Kind == List || f.Kind == Object {
		err = json.Unmarshal([]byte(text), &value)
	} else {
		value, err = f.Parse(text)
	}
	if err != nil {
		return fmt.Sprintf("is %q, which %v", text, err)
	}
	var problems Problems
	if f.Check("", value, &problems); len(problems) > 0 {
		return fmt.Sprintf("is %q, which the field does not take: it %s", text, problems[0].Message)
	}
	return ""
}
