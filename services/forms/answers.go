package forms

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
)

// Answers are what was answered, by the keys of the items: true or false, a number, a text, or a list of texts.
type Answers map[string]any

// Schema implements huma.SchemaProvider.
func (Answers) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// Check implements schema.Checker. What an item takes is checked with its template.
func (Answers) Check(at string, value any, problems *schema.Problems) any {
	members, is := value.(map[string]any)
	if !is || len(members) > maxItems {
		problems.Add(at, "must be an object with an answer for each key, of at most %d items", maxItems)
		return value
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		here := at + "." + shorten(key)
		switch v := members[key].(type) {
		case nil, bool, float64:
		case string:
			members[key] = schema.LineOrLines(v)
			if len([]rune(v)) > maxText {
				problems.Add(here, "must have at most %d characters", maxText)
			}
		case []any:
			if len(v) > 100 || slices.ContainsFunc(v, func(each any) bool { text, is := each.(string); return !is || len(text) > 2000 }) {
				problems.Add(here, "must be a list of at most 100 texts of at most 2000 characters")
				continue
			}
			for i, each := range v {
				v[i] = schema.Line(each.(string))
			}
		default:
			problems.Add(here, "must be a text, a number, true, false or a list of texts")
		}
	}
	return value
}

func shorten(key string) string {
	if long := []rune(key); len(long) > 60 {
		return string(long[:60]) + "…"
	}
	return key
}

// isEmpty says of an answer that it is none.
func isEmpty(answer any) bool {
	list, isList := answer.([]any)
	return answer == nil || answer == "" || isList && len(list) == 0
}

// inWords is an answer as people write it.
func inWords(answer any) string {
	switch v := answer.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		texts := make([]string, len(v))
		for i, entry := range v {
			texts[i] = inWords(entry)
		}
		return strings.Join(texts, ", ")
	}
	return fmt.Sprint(answer)
}

// findWrong finds the answers that the items do not take.
func (items FormItems) findWrong(answers Answers, fieldError func(field, format string, args ...any)) {
	byKey, keys := map[string]*FormItem{}, []string{}
	for i := range items {
		byKey[items[i].Key], keys = &items[i], append(keys, items[i].Key)
	}
	for _, key := range slices.Sorted(maps.Keys(answers)) {
		field := "answers." + shorten(key)
		if item := byKey[key]; item == nil {
			fieldError(field, "is not the key of an item of the template%s", suggest.DidYouMean(key, keys))
		} else if answer := answers[key]; !isEmpty(answer) {
			if wrong := item.wrong(answer); wrong != "" {
				fieldError(field, "%s", wrong)
			}
		}
	}
}

// outcome is a form that was filled in.
type outcome struct {
	answers Answers // those of visible items
	missing []string
	failed  []*FormItem
	score   *float64 // 100 × the weight of what passed ÷ the weight of what was assessed; nil where nothing was
}

// evaluate goes through a form: what is hidden has no answer, and a hidden section hides its items.
func (items FormItems) evaluate(given Answers) outcome {
	o := outcome{answers: Answers{}}
	sectionHidden := false
	var assessed, passed float64
	for i := range items {
		item := &items[i]
		visible := item.VisibleWhen == nil || item.VisibleWhen.holds(o.answers)
		if item.Type == "section" {
			sectionHidden = !visible
			continue
		}
		if !visible || sectionHidden {
			continue
		}
		answer := given[item.Key]
		if isEmpty(answer) {
			if item.Required {
				o.missing = append(o.missing, item.Key)
			}
			continue
		}
		o.answers[item.Key] = answer
		fails, counts := item.assess(o.answers)
		if !counts {
			continue
		}
		assessed += item.weight()
		if fails {
			o.failed = append(o.failed, item)
		} else {
			passed += item.weight()
		}
	}
	if assessed > 0 {
		score := math.Round(10_000*passed/assessed) / 100
		o.score = &score
	}
	return o
}

// assess says whether an answered item has failed, and whether it is assessed at all: what does not apply, and what cannot fail, is not.
func (i *FormItem) assess(answers Answers) (fails, assessed bool) {
	if i.Type == "pass_fail" && answers[i.Key] == "na" {
		return false, false
	}
	if i.FailsWhen != nil {
		return i.FailsWhen.holds(answers), true
	}
	return answers[i.Key] == "fail", i.Type == "pass_fail"
}

// keysOf lists the keys of items.
func keysOf(items []*FormItem) []string {
	keys := make([]string, len(items))
	for i, item := range items {
		keys[i] = item.Key
	}
	return keys
}
