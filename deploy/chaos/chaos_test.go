package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if work, is := writerOf(os.Environ()); is { // this program once more, as a writer
		work.run()
		return
	}
	os.Exit(m.Run())
}

func TestNothingIsLostWhileTwentyProcessesAreKilled(t *testing.T) {
	p := plan{kills: 20, organizations: 2, folder: t.TempDir() + "/stack", say: t.Logf}
	f, err := p.carryOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	f.print(&table)
	t.Logf("\n%s", table.String())
	if err := f.verdict(); err != nil {
		t.Error(err)
	}
	if f.kills["postgres"] != 1 || f.committed < 200 {
		t.Errorf("the test did not try what it should: %v, %d changes", f.kills, f.committed)
	}
}

// The comparison itself notices each kind of mistake.
func TestTheComparisonNoticesEveryMistake(t *testing.T) {
	tell := func(sequence int64, id, eventType, record string, version int) event {
		e := event{ID: id, Type: eventType, Sequence: sequence, Timestamp: time.Now()}
		e.Data.Object.ID, e.Data.Object.Version = record, version
		return e
	}
	first, second, gone := tell(8, "a", "asset.created", "r", 1), tell(9, "b", "asset.updated", "r", 2), tell(10, "c", "asset.deleted", "r", 2)
	feed := []event{first, second, gone}
	history := map[change]bool{{"r", "created", 1}: true, {"r", "updated", 2}: true, {"r", "deleted", 3}: true}
	for what, test := range map[string]struct {
		said    []change
		feed    []event
		arrived []event
		want    string
	}{
		"nothing": {[]change{{"r", "created", 1}, {"r", "deleted", 0}}, feed, feed, "0 lost, 0 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"an acknowledged change that was not kept": {[]change{{"r", "updated", 4}}, feed, feed, "1 lost, 0 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"a committed change that was not told":     {nil, feed[:2], feed[:2], "1 lost, 0 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"an event that did not come":               {nil, feed, feed[:2], "1 lost, 0 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"an event that came twice":                 {nil, feed, []event{first, first, second, gone}, "0 lost, 0 surplus, 0 inversions, 0 gaps, 1 duplicates"},
		"events in the wrong order":                {nil, feed, []event{first, gone, second}, "0 lost, 0 surplus, 1 inversions, 0 gaps, 0 duplicates"},
		"a former event once more, later":          {nil, feed, []event{first, second, first, gone}, "0 lost, 0 surplus, 1 inversions, 0 gaps, 1 duplicates"},
		"an event of nothing":                      {nil, append(feed[:3:3], tell(11, "d", "asset.updated", "s", 1)), append(feed[:3:3], tell(11, "d", "asset.updated", "s", 1)), "0 lost, 1 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"a further event of a change":              {nil, append(feed[:3:3], tell(11, "d", "asset.condition_changed", "r", 2)), append(feed[:3:3], tell(11, "d", "asset.condition_changed", "r", 2)), "0 lost, 0 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"a number that is missing":                 {nil, []event{first, second, tell(11, "c", "asset.deleted", "r", 2)}, []event{first, second, gone}, "0 lost, 0 surplus, 0 inversions, 1 gaps, 0 duplicates"},
	} {
		var f figures
		o := &organization{base: 7, writers: []*writerProcess{{said: test.said}}}
		r := &receiver{pattern: "*"}
		for _, e := range test.arrived {
			r.arrivals = append(r.arrivals, arrival{e, time.Now()})
		}
		f.acknowledgements(o, history)
		f.compareFeed(o, history, test.feed)
		f.compareReceived(r, o.base, test.feed)
		got := strings.Join([]string{fmt.Sprint(f.lost, " lost"), fmt.Sprint(f.surplus, " surplus"), fmt.Sprint(f.inversions, " inversions"), fmt.Sprint(f.gaps, " gaps"), fmt.Sprint(f.duplicates, " duplicates")}, ", ")
		if got != test.want {
			t.Errorf("%s: %s, want %s", what, got, test.want)
		}
	}
}
