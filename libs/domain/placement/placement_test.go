package placement_test

import (
	"fmt"
	"slices"
	"testing"

	"ams.internal/libs/domain/placement"
)

func TestTheSpecificFillsTheGeneral(t *testing.T) {
	none, here, there := (*string)(nil), "here", "there"
	for name, c := range map[string]struct {
		before, after *string
		implied       string
		agrees        bool
		want          *string
	}{
		"a reference that is empty is filled":                {none, none, here, true, &here},
		"one that says the same stays":                       {none, &here, here, true, &here},
		"one that stayed as it was follows":                  {&here, &here, there, true, &there},
		"one that was cleared is filled again":               {&here, none, here, true, &here},
		"one that the change sets otherwise is refused":      {none, &here, there, false, &here},
		"one that the change moves elsewhere is refused too": {&there, &here, there, false, &here},
	} {
		t.Run(name, func(t *testing.T) {
			value := c.after
			r := placement.Reference{Before: c.before, After: &value}
			if agrees := r.Fill(c.implied); agrees != c.agrees || *value != *c.want {
				t.Errorf("agrees %v, is %q", agrees, *value)
			}
		})
	}
	value := &here
	if r := (placement.Reference{Before: &here, After: &value}); !r.Stayed() {
		t.Error("an unchanged reference has not stayed")
	} else if r.Clear(); value != nil || r.Stayed() {
		t.Error("a cleared reference is there, or has stayed")
	}
}

func TestARecordIsAboutOneThing(t *testing.T) {
	const why = "a meter is of one record"
	id := func(text string) *string { return &text }
	for name, c := range map[string]struct {
		ids       []*string
		field, id string
		wrong     []string
	}{
		"of an asset":   {[]*string{nil, nil, nil, id("a"), nil}, "asset_id", "a", nil},
		"of three":      {[]*string{id("s"), id("b"), nil, nil, id("g")}, "site_id", "s", []string{"building_id", "segment_id"}},
		"about nothing": {make([]*string, 5), "", "", []string{"asset_id"}},
	} {
		var wrong []string
		field, of := placement.One(c.ids, why, func(field, format string, args ...any) {
			wrong = append(wrong, field)
			if text := fmt.Sprintf(format, args...); text[len(text)-len(why):] != why {
				t.Errorf("%s: %s %s", name, field, text)
			}
		})
		if field != c.field || of != c.id || !slices.Equal(wrong, c.wrong) {
			t.Errorf("%s: %s %s, wrong are %v", name, field, of, wrong)
		}
	}
}
