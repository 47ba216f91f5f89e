package load

import (
	"fmt"
	"testing"

	"ams.internal/deploy/test/resilience/consistency"
)

func TestTheSharesOfAMixAreAHundred(t *testing.T) {
	for name, m := range map[string]Mix{"everyday": Everyday, "changes": Changes, "bulks": Bulks} {
		if sum := m.get + m.list + m.create + m.update + m.remove + m.bulkCreate + m.bulkUpdate + m.bulkRemove; sum != 100 {
			t.Errorf("%s: %d %%", name, sum)
		}
	}
}

func TestARecordIsDeletedByOneCallerOnly(t *testing.T) {
	o := &Organization{Keys: []string{"key"}, place: map[string]int{}}
	for i := range 3 {
		o.Acknowledge(0, consistency.Change{Record: fmt.Sprint(i), Action: "created", Version: 1})
	}
	first := o.Records()[0]
	if r := o.remove(first); r.Kind != "delete" {
		t.Fatalf("the first caller makes a %s", r.Kind)
	}
	if r := o.remove(first); r.Kind != "create" {
		t.Errorf("the second caller makes a %s", r.Kind)
	}
	o.Acknowledge(0, consistency.Change{Record: first.ID, Action: "updated", Version: 2}) // was under way
	for _, r := range o.Records() {
		if r.ID == first.ID {
			t.Error("it is picked again")
		}
	}
	if len(o.Records()) != 2 || len(o.Subject().Acknowledged) != 4 {
		t.Errorf("%d records, %d acknowledgements", len(o.Records()), len(o.Subject().Acknowledged))
	}
}
