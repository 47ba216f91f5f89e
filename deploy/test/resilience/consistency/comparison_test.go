package consistency

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The comparison itself notices each kind of mistake.
func TestTheComparisonNoticesEveryMistake(t *testing.T) {
	event := func(sequence int64, id, eventType, record string, version int) Event {
		e := Event{ID: id, Type: eventType, Sequence: sequence, Timestamp: time.Now()}
		e.Data.Object.ID, e.Data.Object.Version = record, version
		return e
	}
	first, second, deleted := event(8, "a", "asset.created", "r", 1), event(9, "b", "asset.updated", "r", 2),
		event(10, "c", "asset.deleted", "r", 2)
	feed := []Event{first, second, deleted}
	history := map[Change]bool{{"r", "created", 1}: true, {"r", "updated", 2}: true, {"r", "deleted", 3}: true}
	for what, test := range map[string]struct {
		acknowledged []Change
		feed         []Event
		arrived      []Event
		want         string
	}{
		"nothing": {[]Change{{"r", "created", 1}, {"r", "deleted", 0}}, feed, feed, "0 lost, 0 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"an acknowledged change that was not kept": {[]Change{{"r", "updated", 4}}, feed, feed,
			"1 lost, 0 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"a committed change that was not emitted": {nil, feed[:2], feed[:2], "1 lost, 0 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"an event that did not come":              {nil, feed, feed[:2], "1 lost, 0 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"an event that came twice": {nil, feed, []Event{first, first, second, deleted},
			"0 lost, 0 surplus, 0 inversions, 0 gaps, 1 duplicates"},
		"events in the wrong order": {nil, feed, []Event{first, deleted, second}, "0 lost, 0 surplus, 1 inversions, 0 gaps, 0 duplicates"},
		"a former event once more, later": {nil, feed, []Event{first, second, first, deleted},
			"0 lost, 0 surplus, 1 inversions, 0 gaps, 1 duplicates"},
		"an event of nothing": {nil, append(feed[:3:3], event(11, "d", "asset.updated", "s", 1)),
			append(feed[:3:3], event(11, "d", "asset.updated", "s", 1)), "0 lost, 1 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"a further event of a change": {nil, append(feed[:3:3], event(11, "d", "asset.condition_changed", "r", 2)),
			append(feed[:3:3], event(11, "d", "asset.condition_changed", "r", 2)), "0 lost, 0 surplus, 0 inversions, 0 gaps, 0 duplicates"},
		"a number that is missing": {nil, []Event{first, second, event(11, "c", "asset.deleted", "r", 2)}, []Event{first, second, deleted},
			"0 lost, 0 surplus, 0 inversions, 1 gaps, 0 duplicates"},
	} {
		var f Comparison
		const base = 7
		r := &Receiver{Pattern: "*"}
		for _, e := range test.arrived {
			r.arrivals = append(r.arrivals, Arrival{e, time.Now()})
		}
		f.acknowledgements(test.acknowledged, history)
		f.feed(base, history, test.feed)
		f.deliveries(r, base, test.feed)
		got := strings.Join([]string{fmt.Sprint(f.Lost, " lost"), fmt.Sprint(f.Surplus, " surplus"), fmt.Sprint(f.Inversions, " inversions"),
			fmt.Sprint(f.Gaps, " gaps"), fmt.Sprint(f.Duplicates, " duplicates")}, ", ")
		if got != test.want {
			t.Errorf("%s: %s, want %s", what, got, test.want)
		}
	}
}
