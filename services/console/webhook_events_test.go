package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
)

func TestEveryEventHasWordsInBothLanguages(t *testing.T) {
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	for each := range catalogue.Product().EventTypes() {
		kind := eventType{Name: each.Name, Scope: each.Scope, Feature: each.Feature, Description: each.Description}
		if each.Name == "webhook.test" {
			continue
		}
		for _, l := range all {
			if _, foreign := l.event(kind); foreign {
				t.Errorf("%s.json has no line for %s", l.Code, each.Name)
			}
			if l.words["record."+kind.singular()] == "" {
				t.Errorf("%s.json does not name the record of %s", l.Code, each.Name)
			}
		}
	}
	if line, foreign := all[1].event(eventType{Name: "boat.sunk", Description: "A boat has sunk."}); line != "A boat has sunk." || !foreign {
		t.Errorf("an event that the catalogue does not have is %q", line)
	}
}

func TestAPresetTicksWhatThePlanIncludes(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	ticked := func(preset string, features ...string) []string {
		f.mu.Lock()
		f.features = features
		f.mu.Unlock()
		resp := b.post("/settings/webhooks", filledForm(url.Values{"preset": {preset}, "description": {"Kept"}}))
		if resp.status != http.StatusOK || !strings.Contains(resp.body, `value="Kept"`) {
			t.Fatalf("%s: %d", preset, resp.status)
		}
		var names []string
		for part := range strings.SplitSeq(resp.body, `name="event_types" value="`) {
			if name, rest, _ := strings.Cut(part, `"`); strings.HasPrefix(rest, " checked") {
				names = append(names, name)
			}
		}
		return names
	}
	for _, p := range eventPresets {
		got := ticked(p.Name, "api_access", "los", "infrastructure", "projects", "maintenance", "planning", "accounting")
		if len(got) != len(p.types) || slices.ContainsFunc(got, func(name string) bool { return !slices.Contains(p.types, name) }) {
			t.Errorf("%s ticks %v, want %v", p.Name, got, p.types)
		}
		for _, l := range f.console.languages {
			if l.words["event_preset."+p.Name] == "" {
				t.Errorf("%s.json has no event_preset.%s", l.Code, p.Name)
			}
		}
	}
	if got := ticked("accounting", "api_access"); got != nil {
		t.Errorf("beyond the plan, accounting ticks %v", got)
	}
	if got := ticked("condition", "api_access"); !slices.Equal(got, []string{"asset.condition_changed", "condition_assessment.*"}) {
		t.Errorf("beyond the plan, condition ticks %v", got)
	}
	page := b.get("/settings/webhooks/new").body
	if !strings.Contains(page, `value="project.*" disabled`) || strings.Contains(page, `value="asset.*" disabled`) {
		t.Error("the form does not keep people from choosing what the plan does not include")
	}
}

func TestOneChoiceContainsOthers(t *testing.T) {
	for _, test := range []struct{ chosen, want []string }{
		{nil, []string{}},
		{[]string{"asset.updated", "asset.updated"}, []string{"asset.updated"}},
		{[]string{"asset.created", "asset.*", "site.created"}, []string{"asset.*", "site.created"}},
		{[]string{"asset.created", "*", "site.*"}, []string{"*"}},
		{[]string{"asset.deleted", "*.deleted", "site.*", "site.created"}, []string{"*.deleted", "site.*"}},
		{[]string{"los.target_missed", "los_target.*"}, []string{"los.target_missed", "los_target.*"}},
	} {
		if got := withoutRedundant(test.chosen); !slices.Equal(got, test.want) {
			t.Errorf("%v becomes %v", test.chosen, got)
		}
	}
}

func TestWhatWasChosenThroughTheAPIIsKept(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	id := f.endpoint("https://example.ca/x", map[string]any{"event_types": []string{"boat.*", "*.deleted"},
		"site_ids": []string{"0199a3c5-0000-7000-8000-00000000dead"}})
	page := b.get("/settings/webhooks/" + id + "/edit").body
	for _, want := range []string{`value="boat.*" checked`, `id="event-all-deleted" name="event_types" value="*.deleted" checked`,
		`value="0199a3c5-0000-7000-8000-00000000dead" checked`, "Chosen through the API"} {
		if !strings.Contains(page, want) {
			t.Errorf("the form does not have %s", want)
		}
	}
}
