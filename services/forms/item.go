package forms

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"ams.internal/libs/schema"
)

// FormItem is one line of a form: a question, or the heading of a section.
type FormItem struct {
	Key         string     `json:"key" required:"true" maxLength:"50" pattern:"^[a-z][a-z0-9_]*$" doc:"What answers and conditions call it; unique in the form." example:"runs"`
	Type        string     `json:"type" required:"true" enum:"section,check,pass_fail,single,multi,number,text,date,photo,meter" doc:"section: a heading, of the items up to the next one. check: true or false. pass_fail: pass, fail or na. single, multi: one or several of options. number, text, date. photo: a list of ids of documents; or of names or addresses of pictures, which are kept as they are and never fetched. meter: a number that a meter shows." example:"pass_fail"`
	Label       string     `json:"label" required:"true" maxLength:"500" doc:"The question, in English." example:"Does the pump run?"`
	LabelFR     *string    `json:"label_fr,omitempty" maxLength:"500" doc:"The question, in French." example:"La pompe fonctionne-t-elle ?"`
	Required    bool       `json:"required,omitempty" default:"false" doc:"It must be answered before the form is submitted, where it is visible." example:"true"`
	Options     []string   `json:"options,omitempty" maxItems:"100" maxLength:"200" uniqueItems:"true" doc:"Of single and multi: what can be chosen."`
	Min         *float64   `json:"min,omitempty" doc:"Of number and meter: the least answer." example:"0"`
	Max         *float64   `json:"max,omitempty" doc:"Of number and meter: the greatest answer." example:"400"`
	Unit        *string    `json:"unit,omitempty" maxLength:"20" doc:"Of number and meter: what the answer is in, for whoever fills the form in; of a meter, the unit that its reading is sent in." example:"kPa"`
	Meter       *string    `json:"meter,omitempty" maxLength:"255" doc:"Of meter: the name of the subject's meter that the answer is recorded as a reading of." example:"Engine hours"`
	VisibleWhen *Condition `json:"visible_when,omitempty" doc:"The item is shown only when this holds of earlier answers. What is not shown has no answer."`
	FailsWhen   *Condition `json:"fails_when,omitempty" doc:"The item has failed when this holds of its own or earlier answers. A pass_fail without it fails by fail."`
	OnFail      *string    `json:"on_fail,omitempty" enum:"none,deficiency,work_order" doc:"What is made of the subject when the item has failed." example:"deficiency"`
	Category    *string    `json:"category,omitempty" enum:"deferred_maintenance,life_safety,code,environmental,accessibility,functional,renewal" doc:"Of the deficiency that is made; deferred_maintenance when left out." example:"life_safety"`
	Priority    *string    `json:"priority,omitempty" enum:"low,medium,high,urgent" doc:"Of the deficiency or work order that is made." example:"high"`
	Weight      *float64   `json:"weight,omitempty" minimum:"0" maximum:"1000" doc:"How much it counts in the score; 1 when left out." example:"2"`
}

// FormItems are the items of a form, in their order.
type FormItems []FormItem

const maxItems = 300

var itemSchema = schema.Of[FormItem]()

// Check implements schema.Checker.
func (FormItems) Check(at string, value any, problems *schema.Problems) any {
	entries, is := value.([]any)
	if !is || len(entries) > maxItems {
		problems.Add(at, "must be a list of at most %d items", maxItems)
		return value
	}
	items, found := make(FormItems, len(entries)), len(*problems)
	for i, entry := range entries {
		here := fmt.Sprintf("%s[%d]", at, i)
		body, is := entry.(map[string]any)
		if !is {
			problems.Add(here, "must be an object")
			continue
		}
		*problems = append(*problems, itemSchema.Read(body, here+".", reflect.ValueOf(&items[i]).Elem(), nil)...)
	}
	if len(*problems) > found {
		return value
	}
	items.check(at, problems)
	return items
}

// check finds what single items cannot say: keys that are there twice, and conditions that look ahead.
func (items FormItems) check(at string, problems *schema.Problems) {
	earlier := map[string]*FormItem{}
	for i := range items {
		item, here := &items[i], fmt.Sprintf("%s[%d]", at, i)
		if earlier[item.Key] != nil {
			problems.Add(here+".key", "%q is the key of an earlier item", item.Key)
		}
		item.check(here, problems)
		if item.VisibleWhen != nil {
			item.VisibleWhen.fit(here+".visible_when", func(key string) *FormItem { return earlier[key] }, problems)
		}
		earlier[item.Key] = item
		if item.FailsWhen != nil {
			item.FailsWhen.fit(here+".fails_when", func(key string) *FormItem { return earlier[key] }, problems)
		}
	}
}

// only are the members that some types have, by their names.
var only = []struct {
	name  string
	types []string
	given func(*FormItem) bool
}{
	{"options", []string{"single", "multi"}, func(i *FormItem) bool { return len(i.Options) > 0 }},
	{"min", []string{"number", "meter"}, func(i *FormItem) bool { return i.Min != nil }},
	{"max", []string{"number", "meter"}, func(i *FormItem) bool { return i.Max != nil }},
	{"unit", []string{"number", "meter"}, func(i *FormItem) bool { return i.Unit != nil }},
	{"meter", []string{"meter"}, func(i *FormItem) bool { return i.Meter != nil }},
}

func (i *FormItem) check(at string, problems *schema.Problems) {
	for _, o := range only {
		if o.given(i) && !slices.Contains(o.types, i.Type) {
			problems.Add(at+"."+o.name, "is for items of the type %s only", strings.Join(o.types, " or "))
		}
	}
	if (i.Type == "single" || i.Type == "multi") && len(i.Options) == 0 {
		problems.Add(at+".options", "is required for the type %s", i.Type)
	}
	if empty := slices.Index(i.Options, ""); empty >= 0 {
		problems.Add(fmt.Sprintf("%s.options[%d]", at, empty), "must not be empty")
	}
	if i.Min != nil && i.Max != nil && *i.Max < *i.Min {
		problems.Add(at+".max", "must be min (%s) or more", inWords(*i.Min))
	}
	if i.Type == "section" && (i.Required || i.FailsWhen != nil || i.Weight != nil) {
		problems.Add(at+".type", "a section is a heading: it is not answered, and has no required, fails_when and weight")
	}
	switch {
	case i.onFail() == "none":
		if i.Category != nil || i.Priority != nil {
			problems.Add(at+".on_fail", "must be deficiency or work_order where category or priority is given")
		}
	case i.Type != "pass_fail" && i.FailsWhen == nil:
		problems.Add(at+".on_fail", "needs fails_when, or the type pass_fail: nothing else can fail")
	case i.onFail() == "work_order" && i.Category != nil:
		problems.Add(at+".category", "is of deficiencies only")
	}
}

func (i *FormItem) onFail() string {
	if i.OnFail == nil {
		return "none"
	}
	return *i.OnFail
}

func (i *FormItem) weight() float64 {
	if i.Weight == nil {
		return 1
	}
	return *i.Weight
}

const (
	maxText   = 5000
	maxPhotos = 20
)

// wrong says why a value is no answer to the item; "" where it is one.
func (i *FormItem) wrong(value any) string {
	text, isText := value.(string)
	switch i.Type {
	case "section":
		return "is a heading, which is not answered"
	case "check":
		if _, is := value.(bool); !is {
			return "must be true or false"
		}
	case "pass_fail":
		if !isText || !slices.Contains([]string{"pass", "fail", "na"}, text) {
			return "must be pass, fail or na"
		}
	case "single":
		if !isText || !slices.Contains(i.Options, text) {
			return "must be one of " + strings.Join(i.Options, ", ")
		}
	case "multi":
		return i.wrongChoice(value)
	case "number", "meter":
		number, is := value.(float64)
		switch {
		case !is:
			return "must be a number"
		case i.Min != nil && number < *i.Min:
			return "must be " + inWords(*i.Min) + " or more"
		case i.Max != nil && number > *i.Max:
			return "must be " + inWords(*i.Max) + " or less"
		}
	case "text":
		if !isText {
			return "must be a text"
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, text); !isText || err != nil {
			return "must be a date that exists, as YYYY-MM-DD"
		}
	case "photo":
		photos, is := value.([]any)
		if !is || len(photos) > maxPhotos || slices.ContainsFunc(photos, func(p any) bool { name, is := p.(string); return !is || name == "" }) {
			return fmt.Sprintf("must be a list of at most %d ids of documents, names or addresses of pictures", maxPhotos)
		}
	}
	return ""
}

func (i *FormItem) wrongChoice(value any) string {
	chosen, is := value.([]any)
	if !is {
		return "must be a list of options"
	}
	for n, each := range chosen {
		text, is := each.(string)
		if !is || !slices.Contains(i.Options, text) || slices.Contains(chosen[:n], each) {
			return "must be a list of different ones of " + strings.Join(i.Options, ", ")
		}
	}
	return ""
}
