package custom

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// choice is the type of which a declaration lists all values. Lists compare them as text.
const choice = "choice"

// Types are what a custom field can be declared as.
var Types = []string{string(schema.Text), string(schema.Number), string(schema.Date), string(schema.Boolean), choice}

// maxSteps is how many steps a pattern may have once its repetitions are written out. Each character of a value may go through all of them,
// and a bulk call has thousands of values.
const maxSteps = 500

// Declaration is what an organization declares of a custom field, as it is sent, stored and shown.
type Declaration struct {
	Type     string   `json:"type" required:"true" enum:"text,number,date,boolean,choice" doc:"What its values are. text: at most 500 characters. number: also a text such as 12.5. date: a text such as 2026-01-31. boolean: true or false, also as texts. choice: one of choices. A value that is none is refused." example:"number"`
	Label    *string  `json:"label" maxLength:"200" doc:"What people read, in English." example:"Storey"`
	LabelFR  *string  `json:"label_fr" maxLength:"200" doc:"What people read, in French." example:"Étage"`
	Required bool     `json:"required" default:"false" doc:"true: a record cannot be created without a value, and none can be taken away."`
	Choices  []string `json:"choices" maxItems:"100" maxLength:"200" uniqueItems:"true" doc:"Of a choice: the values that it takes, in the order in which they are shown."`
	Minimum  *float64 `json:"minimum" doc:"Of a number: the least that it may be." example:"-3"`
	Maximum  *float64 `json:"maximum" doc:"Of a number: the greatest that it may be." example:"60"`
	Earliest *string  `json:"earliest" format:"date" doc:"Of a date: the first day that it may be." example:"1900-01-01"`
	Latest   *string  `json:"latest" format:"date" doc:"Of a date: the last day that it may be." example:"2099-12-31"`
	Pattern  *string  `json:"pattern" maxLength:"200" doc:"Of a text: the regular expression (RE2) that is found in it; ^ and $ make it one for all of the text." example:"^[A-Z]{2}-[0-9]+$"`
	Category *string  `json:"category" maxLength:"100" doc:"Which records it holds for: those of this category. Left out: all. The description of the operation names the field that has the category." example:"hvac"`
}

// OfType is a declaration that says nothing but a type.
func OfType(kind string) Declaration { return Declaration{Type: kind, Choices: []string{}} }

// compared is the type by which lists compare the values.
func (d Declaration) compared() schema.Kind {
	if d.Type == choice {
		return schema.Text
	}
	return schema.Kind(d.Type)
}

// Check notes what is wrong with a declaration whose members are right by themselves.
func (d Declaration) Check(t *table.Table, problems *schema.Problems) {
	only := func(name, kind string, given bool) {
		if given && d.Type != kind {
			problems.Add(name, "is of the type %s alone; leave it out, or declare the type %s", kind, kind)
		}
	}
	only("choices", choice, len(d.Choices) > 0)
	only("minimum", "number", d.Minimum != nil)
	only("maximum", "number", d.Maximum != nil)
	only("earliest", "date", d.Earliest != nil)
	only("latest", "date", d.Latest != nil)
	only("pattern", "text", d.Pattern != nil)
	if d.Type == choice && len(d.Choices) == 0 {
		problems.Add("choices", "is required of a choice: a list of the values that it takes")
	}
	for i, one := range d.Choices {
		if one == "" {
			problems.Add(fmt.Sprintf("choices[%d]", i), "must not be empty; a record without a value has none of the choices")
		}
	}
	if d.Minimum != nil && d.Maximum != nil && *d.Minimum > *d.Maximum {
		problems.Add("minimum", "must be at most the maximum: no number could be both")
	}
	if d.Earliest != nil && d.Latest != nil && *d.Earliest > *d.Latest {
		problems.Add("earliest", "must not be after latest: no day could be both")
	}
	if d.Pattern != nil {
		if wrong := checkPattern(*d.Pattern); wrong != "" {
			problems.Add("pattern", "%s", wrong)
		}
	}
	d.checkCategory(t, problems)
}

func (d Declaration) checkCategory(t *table.Table, problems *schema.Problems) {
	if d.Category == nil {
		return
	}
	if t.Category == "" {
		problems.Add("category", "cannot be declared of %s, which have no category; leave it out, and the declaration holds for all of them",
			t.Many())
		return
	}
	if known := t.Schema.Field(t.Category).Enum; !slices.Contains(known, *d.Category) {
		problems.Add("category", "must be one of the values of %s: %s%s", t.Category, strings.Join(known, ", "),
			suggest.DidYouMean(*d.Category, known))
	}
}

// checkPattern says what is wrong with a pattern, or "".
func checkPattern(pattern string) string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return fmt.Sprintf("is no regular expression in the syntax of RE2: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if compiled, err := syntax.Compile(parsed.Simplify()); err != nil || len(compiled.Inst) > maxSteps {
		return fmt.Sprintf("takes more than %d steps once its repetitions are written out; use fewer or shorter ones, as in [0-9]+", maxSteps)
	}
	return ""
}

// matches says whether a text of a field with a pattern matches it.
func (f *Field) matches(text string) bool {
	if f.pattern == nil {
		f.pattern = regexp.MustCompile(*f.Declaration.Pattern) // it was checked when it was declared
	}
	return f.pattern.MatchString(text)
}
