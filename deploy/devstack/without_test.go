package devstack

import (
	"strings"
	"testing"
)

func TestOnlyAServiceOfOneRegionCanBeLeftOut(t *testing.T) {
	for wanted, options := range map[string]Options{
		`"gateway" cannot be left out: the services are assets`: {Without: "gateway"},
		"can be left out in a stack of one region, not of 2":    {Without: "los", Regions: []string{"ca-central-1", "us-east-1"}},
	} {
		if _, err := options.withDefaults(); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%v, not %q", err, wanted)
		}
	}
}
