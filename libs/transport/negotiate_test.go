package transport_test

import (
	"testing"

	"ams.internal/libs/transport"
)

func TestTheHighestWeightIsPreferredAndOfEqualOnesTheFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		accept []string
		want   string
	}{
		{nil, transport.ApplicationJSON},
		{[]string{""}, transport.ApplicationJSON},
		{[]string{"*/*"}, transport.ApplicationJSON},
		{[]string{"text/html"}, transport.ApplicationJSON}, // JSON is what there is
		{[]string{"text/csv"}, transport.CSV},
		{[]string{"TEXT/CSV; charset=utf-8"}, transport.CSV},
		{[]string{"text/csv;q=0.5"}, transport.CSV},
		{[]string{"text/csv;q=0"}, transport.ApplicationJSON},
		{[]string{"text/csv, application/json"}, transport.CSV},
		{[]string{"application/json, text/csv"}, transport.ApplicationJSON},
		{[]string{"text/csv;q=0.5, application/json"}, transport.ApplicationJSON},
		{[]string{"text/csv;q=0.5, application/json;q=0.4"}, transport.CSV},
		{[]string{"text/csv; charset=utf-8; q=0.5, application/json;q=0.6"}, transport.ApplicationJSON},
		{[]string{"text/csv;q=0.5, */*"}, transport.ApplicationJSON},
		{[]string{"text/csv, */*;q=0.1"}, transport.CSV},
		{[]string{"text/csv;q=0.5, application/*;q=0.4"}, transport.CSV},
		{[]string{"application/json;q=0.1, */*, text/csv;q=0.2"}, transport.CSV}, // the most exact range counts
		{[]string{"application/json;q=0, text/csv;q=0.1"}, transport.CSV},
		{[]string{"application/json;q=0"}, transport.ApplicationJSON},
		{[]string{"text/*"}, transport.ApplicationJSON}, // whoever wants a whole collection names it
		{[]string{"application/x-ndjson;q=0.8, text/csv;q=0.9"}, transport.CSV},
		{[]string{"application/json;q=0.5", "application/x-ndjson"}, transport.NDJSON},
		{[]string{"text/csv;q=NaN, application/json;q=0.9"}, transport.CSV}, // a weight that is none
		{[]string{"text/csv;q=7, application/json"}, transport.CSV},
		{[]string{"application/geo+json"}, transport.ApplicationJSON}, // is not offered
	} {
		if got := transport.Negotiate(c.accept, transport.CSV, transport.NDJSON); got != c.want {
			t.Errorf("%q: %s, want %s", c.accept, got, c.want)
		}
	}
}

// The gateway knows the formats of all collections together. Whatever a service streams, it must have counted as a stream.
func FuzzNegotiate(f *testing.F) {
	for _, accept := range []string{"", "text/csv;q=0.5, */*", "application/geo+json, text/csv;q=0.9, application/json;q=0.9", ";;q=,,q=1",
		"a;q=0.5;q=1"} {
		f.Add(accept)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		all := transport.Negotiate([]string{accept}, transport.StreamTypes...)
		for _, offered := range [][]string{{transport.CSV}, {transport.CSV, transport.NDJSON}, transport.StreamTypes} {
			if got := transport.Negotiate([]string{accept}, offered...); got != transport.ApplicationJSON && all == transport.ApplicationJSON {
				t.Errorf("%q: a service gives %s, the gateway counts a page", accept, got)
			}
		}
	})
}
