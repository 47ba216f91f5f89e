package forms

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestAPublishedTemplateIsFrozen(t *testing.T) {
	f := newFixture(t)
	template := f.Create(t, templatesURL, fields{"name": "Pompes", "items": pumpForm})
	path := templatesURL + "/" + template["id"].(string)
	resourcetest.Expect(t, template, fields{"status": "draft", "revision": 1, "published_at": nil})
	refused := f.Must(t, http.StatusConflict, "POST", responsesURL, fields{"template_id": template["id"], "asset_id": pump})
	if refused.JSON["code"] != "template_not_published" {
		t.Errorf("a response to a draft: %s", refused.Body)
	}
	f.Must(t, http.StatusConflict, "PATCH", path, fields{"status": "archived"})
	done := f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "published"}).JSON
	if fmt.Sprint(done["effect_scopes"]) != "[deficiencies:write infrastructure:write]" || done["published_at"] == nil {
		t.Errorf("published: %v", done)
	}
	for _, change := range []fields{{"items": []any{}}, {"name": "X"}, {"description": "X"}} {
		if refused := f.Must(t, http.StatusConflict, "PATCH", path, change); refused.JSON["code"] != "template_frozen" {
			t.Errorf("%v: %s", change, refused.Body)
		}
	}
	f.Must(t, http.StatusOK, "PATCH", path, fields{"tags": []string{"pompe"}})
	f.Must(t, http.StatusConflict, "PATCH", path, fields{"status": "draft"})
	response := begin(t, f.Client, template["id"].(string), nil)
	f.Must(t, http.StatusConflict, "DELETE", path, nil)

	next := f.Must(t, http.StatusCreated, "POST", path+"/revise", nil).JSON
	resourcetest.Expect(t, next, fields{"status": "draft", "revision": 2, "name": "Pompes"})
	if fmt.Sprint(next["items"]) != fmt.Sprint(done["items"]) {
		t.Errorf("the next revision has the items %v", next["items"])
	}
	again := f.Must(t, http.StatusConflict, "POST", path+"/revise", nil)
	resourcetest.Expect(t, again.JSON, fields{"existing_id": next["id"]})
	nextPath := templatesURL + "/" + next["id"].(string)
	f.Must(t, http.StatusBadRequest, "PATCH", nextPath, fields{"name": "Autres"})
	f.Must(t, http.StatusOK, "PATCH", nextPath, fields{"status": "published", "items": pumpForm[:1]})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"status": "archived"})
	refused = f.Must(t, http.StatusConflict, "POST", responsesURL, fields{"template_id": template["id"], "asset_id": pump})
	resourcetest.Expect(t, refused.JSON, fields{"existing_id": next["id"]})
	resourcetest.Expect(t, submit(t, f.Client, response, fields{"runs": "pass"}), fields{"template_id": template["id"], "status": "submitted"})
	f.Must(t, http.StatusNotFound, "POST", templatesURL+"/"+nobodys+"/revise", nil)
}

// Everything that is wrong with a form is named, at its place.
func TestItemsAreChecked(t *testing.T) {
	f := newFixture(t)
	with := func(more fields) []any {
		item := fields{"key": "b", "type": "number", "label": "B"}
		for name, value := range more {
			item[name] = value
		}
		return []any{fields{"key": "a", "type": "pass_fail", "label": "A"}, fields{"key": "s", "type": "section", "label": "S"}, item,
			fields{"key": "c", "type": "single", "label": "C", "options": []string{"x", "y"}}}
	}
	many := make([]any, 301)
	for i := range many {
		many[i] = fields{"key": fmt.Sprint("k", i), "type": "text", "label": "L"}
	}
	test := func(item, op string, value any) fields { return fields{"item": item, "op": op, "value": value} }
	for _, c := range []struct {
		name  string
		items any
		field string
	}{
		{"301 items", many, "items"},
		{"no list", fields{"key": "a"}, "items"},
		{"an item that is a text", []any{"a"}, "items[0]"},
		{"no label", []any{fields{"key": "a", "type": "text"}}, "items[0].label"},
		{"an unknown type", with(fields{"type": "color"}), "items[2].type"},
		{"an unknown member", with(fields{"colour": "red"}), "items[2].colour"},
		{"a key with a space", with(fields{"key": "b b"}), "items[2].key"},
		{"a key twice", with(fields{"key": "a"}), "items[2].key"},
		{"options of a number", with(fields{"options": []string{"x"}}), "items[2].options"},
		{"a choice without options", with(fields{"type": "multi"}), "items[2].options"},
		{"an option without a text", with(fields{"type": "multi", "options": []string{"x", " "}}), "items[2].options[1]"},
		{"max below min", with(fields{"min": 5, "max": 4}), "items[2].max"},
		{"a required section", with(fields{"type": "section", "required": true}), "items[2].type"},
		{"shown by a later item", with(fields{"visible_when": test("c", "eq", "x")}), "items[2].visible_when.item"},
		{"shown by itself", with(fields{"visible_when": test("b", "eq", 1)}), "items[2].visible_when.item"},
		{"shown by a section", with(fields{"visible_when": test("s", "answered", true)}), "items[2].visible_when.item"},
		{"shown by nobody's item", with(fields{"visible_when": fields{"all": []any{test("a", "eq", "pass"), test("z", "eq", 1)}}}),
			"items[2].visible_when.all[1].item"},
		{"failing by a later item", with(fields{"fails_when": test("c", "eq", "x")}), "items[2].fails_when.item"},
		{"a comparison that the type has not", with(fields{"visible_when": test("a", "gt", "pass")}), "items[2].visible_when.op"},
		{"a value that the item never has", with(fields{"visible_when": test("a", "eq", "yes")}), "items[2].visible_when.value"},
		{"a number as a text", with(fields{"fails_when": test("b", "gt", "5")}), "items[2].fails_when.value"},
		{"an unknown operator", with(fields{"fails_when": test("b", "above", 5)}), "items[2].fails_when.op"},
		{"no value", with(fields{"fails_when": fields{"item": "b", "op": "gt"}}), "items[2].fails_when.value"},
		{"a condition that is a text", with(fields{"fails_when": "b > 5"}), "items[2].fails_when"},
		{"all beside a test", with(fields{"fails_when": fields{"item": "b", "op": "gt", "value": 1, "all": []any{}}}), "items[2].fails_when.all"},
		{"an empty any", with(fields{"fails_when": fields{"any": []any{}}}), "items[2].fails_when.any"},
		{"too deep", with(fields{"fails_when": fields{"any": []any{fields{"all": []any{fields{"any": []any{test("b", "gt", 1)}}}}}}}),
			"items[2].fails_when.any[0].all[0].any"},
		{"on_fail of what cannot fail", with(fields{"on_fail": "deficiency"}), "items[2].on_fail"},
		{"a category of nothing", with(fields{"category": "code"}), "items[2].on_fail"},
		{"a negative weight", with(fields{"weight": -1}), "items[2].weight"},
		{"a meter of a number", with(fields{"meter": "Heures"}), "items[2].meter"},
	} {
		refused := f.Must(t, http.StatusBadRequest, "POST", templatesURL, fields{"name": "Formulaire", "items": c.items})
		if !slices.Contains(refused.Fields(), c.field) {
			t.Errorf("%s names %v, want %s: %s", c.name, refused.Fields(), c.field, refused.Body)
		}
	}
	f.Must(t, http.StatusBadRequest, "POST", templatesURL, fields{"name": "Vide", "items": []any{}, "status": "published"})
	f.Create(t, templatesURL, fields{"name": "Grand", "items": many[:300]})
}

func TestAnswersAreThoseOfTheItems(t *testing.T) {
	f := newFixture(t)
	template := newTemplate(t, f.Client, "Types", []any{
		fields{"key": "a_check", "type": "check", "label": "L"}, fields{"key": "a_pass", "type": "pass_fail", "label": "L"},
		fields{"key": "a_single", "type": "single", "label": "L", "options": []string{"x", "y"}},
		fields{"key": "a_multi", "type": "multi", "label": "L", "options": []string{"x", "y"}},
		fields{"key": "a_number", "type": "number", "label": "L", "min": 1, "max": 5}, fields{"key": "a_text", "type": "text", "label": "L"},
		fields{"key": "a_date", "type": "date", "label": "L"}, fields{"key": "a_photo", "type": "photo", "label": "L"},
		fields{"key": "a_section", "type": "section", "label": "L"},
	})
	for key, values := range map[string][]any{
		"a_check": {"true", 1}, "a_pass": {"yes", true}, "a_single": {"z", []string{"x"}}, "a_multi": {"x", []string{"z"}, []string{"x", "x"}},
		"a_number": {"3", 0.5, 6}, "a_text": {5, []string{"x"}}, "a_date": {"2026-02-30", 5}, "a_photo": {"a.jpg", []string{""}},
		"a_section": {"x"}, "a_none": {"x"}, "a_text2": {fields{"x": 1}}, "a_tex": {strings.Repeat("x", 5001)},
	} {
		for _, value := range values {
			refused := f.Must(t, http.StatusBadRequest, "POST", responsesURL,
				fields{"template_id": template, "asset_id": pump, "answers": fields{key: value}})
			if fmt.Sprint(refused.Fields()) != "[answers."+key+"]" {
				t.Errorf("%s = %.50v names %v: %.300s", key, value, refused.Fields(), refused.Body)
			}
		}
	}
	for name, c := range map[string]struct {
		body  fields
		field string
	}{
		"about none": {fields{"template_id": template}, "asset_id"},
		"about two":  {fields{"template_id": template, "asset_id": pump, "site_id": site}, "asset_id"},
		"no object":  {fields{"template_id": template, "asset_id": pump, "answers": []any{}}, "answers"},
	} {
		if refused := f.Must(t, http.StatusBadRequest, "POST", responsesURL, c.body); fmt.Sprint(refused.Fields()) != "["+c.field+"]" {
			t.Errorf("%s: %s", name, refused.Body)
		}
	}
	other := newTemplate(t, f.Client, "Autres", pumpForm)
	response := begin(t, f.Client, template, nil)
	f.Must(t, http.StatusBadRequest, "PATCH", responsesURL+"/"+response, fields{"template_id": other})
	f.Must(t, http.StatusBadRequest, "POST", responsesURL+"/"+response+"/submit", fields{"answers": fields{"a_number": 7}})
	f.Must(t, http.StatusBadRequest, "POST", responsesURL+"/"+response+"/submit", fields{"reponses": fields{}})
	f.Must(t, http.StatusNotFound, "POST", responsesURL+"/"+nobodys+"/submit", fields{})
}

// Numbers and lists stand in titles and messages as people write them.
func TestAnswersInWords(t *testing.T) {
	for want, answer := range map[string]any{"1500000": 1.5e6, "0.25": 0.25, "x, y": []any{"x", "y"}, "true": true, "fail": "fail"} {
		if got := inWords(answer); got != want {
			t.Errorf("%#v is %q in words, want %q", answer, got, want)
		}
	}
}

// A preset makes its form once.
func TestAPresetMakesItsFormOnce(t *testing.T) {
	f := newFixture(t)
	preset := fields{"code": "pump-monthly", "name": "Pompes", "items": pumpForm, "publish": true}
	first := f.Must(t, http.StatusOK, "POST", "/internal/forms/templates", preset).JSON
	resourcetest.Expect(t, first, fields{"status": "published", "created": true})
	again := f.Must(t, http.StatusOK, "POST", "/internal/forms/templates", preset).JSON
	resourcetest.Expect(t, again, fields{"id": first["id"], "created": false})
	made := f.Must(t, http.StatusOK, "GET", templatesURL+"/"+first["id"].(string), nil).JSON
	resourcetest.Expect(t, made, fields{"external_id": "preset:pump-monthly", "name": "Pompes", "revision": 1})
	limited := *f.Client
	limited.Principal.Scopes = []string{"maintenance:write"}
	limited.Must(t, http.StatusForbidden, "POST", "/internal/forms/templates", fields{"code": "x", "name": "X", "items": pumpForm})
}
