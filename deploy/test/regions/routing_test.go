package regions

import (
	"slices"
	"testing"
)

func TestARequestIsProcessedInTheGatewaysOwnRegion(t *testing.T) {
	inCanada, inStates := callers(t)
	for region, c := range map[string]caller{canada: inCanada, states: inStates} {
		other := canada
		if region == canada {
			other = states
		}
		for path, program := range programs {
			id, traceparent := trace()
			if got := c.must(t, 200, "GET", path, nil, "Traceparent", traceparent); got.served != region {
				t.Errorf("%s at %s says that it was processed in %s", path, region, got.served)
			}
			if program != "assets" { // one of them is looked at from the inside
				continue
			}
			parts := whoServed(t, id, c.key)
			if in(parts, region, "assets") != 1 || in(parts, region, "gateway") != 1 || in(parts, other, "") != 0 {
				t.Errorf("%s at %s was processed by %v", path, region, parts)
			}
		}
		if me := c.must(t, 200, "GET", "/v1/me", nil); me.object["region"] != region ||
			!slices.Equal(words(me.object["regions"]), []string{canada, states}) {
			t.Errorf("me at %s: %s", region, me.body)
		}
	}
}

func TestAPinnedRequestIsProcessedWhereItSays(t *testing.T) {
	inCanada, inStates := callers(t)
	for _, c := range []struct {
		what   string
		at     caller
		query  string
		header []string
		region string
	}{
		{"header, there", inCanada, "", []string{"X-Region", states}, states},
		{"header, back", inStates, "", []string{"x-region", canada}, canada},
		{"header, here", inStates, "", []string{"X-Region", states}, states},
		{"query, there", inCanada, "?forceFunctionRegion=" + states, nil, states},
		{"query, back", inStates, "?forceFunctionRegion=" + canada, nil, canada},
		{"header before query, there", inCanada, "?forceFunctionRegion=" + canada, []string{"X-Region", states}, states},
		{"header before query, back", inStates, "?forceFunctionRegion=" + states, []string{"X-Region", canada}, canada},
	} {
		t.Run(c.what, func(t *testing.T) {
			id, traceparent := trace()
			for path := range programs {
				got := c.at.must(t, 200, "GET", path+c.query, nil, append(c.header, "Traceparent", traceparent)...)
				if got.served != c.region {
					t.Errorf("%s was processed in %s", path, got.served)
				}
			}
			parts := whoServed(t, id, c.at.key)
			for _, program := range programs {
				if in(parts, c.region, program) == 0 {
					t.Errorf("%s of %s had no part: %v", program, c.region, parts)
				}
			}
			for _, p := range parts {
				if p.region != c.region && p.program != "gateway" { // the gateway where it came in
					t.Errorf("%v had a part", p)
				}
			}
		})
	}
}

// What a gateway responds to itself is processed by a gateway; a pin holds for that as for everything else.
func TestAPinHoldsForWhatGatewaysAnswerThemselves(t *testing.T) {
	inCanada, _ := callers(t)
	value, revoke := key(t, 7)
	limited := caller{gateway(canada), value}
	me := limited.must(t, 200, "GET", "/v1/me", nil, "X-Region", states)
	if me.object["region"] != states || me.served != states {
		t.Errorf("/v1/me was answered in %v: %s", me.served, me.body)
	}
	before := me.header.Get("X-RateLimit-Remaining")
	if again := limited.must(t, 200, "GET", "/v1/me", nil); before == "6" && again.header.Get("X-RateLimit-Remaining") != "5" &&
		again.header.Get("X-RateLimit-Reset") == me.header.Get("X-RateLimit-Reset") {
		t.Errorf("what was handed over was counted otherwise than once: %s, then %s", before, again.header.Get("X-RateLimit-Remaining"))
	}
	if key := me.object["key"].(map[string]any); key["rate_limit"] != 7.0 {
		t.Errorf("it is about another key: %s", me.body)
	}
	for _, path := range []string{"/openapi.json", "/docs"} {
		id, traceparent := trace()
		got := caller{base: gateway(canada)}.must(t, 200, "GET", path, nil, "X-Region", states, "Traceparent", traceparent)
		if got.served != states || len(got.body) < 500 {
			t.Errorf("%s: %s, %d bytes", path, got.served, len(got.body))
		}
		if parts := whoServed(t, id, inCanada.key); in(parts, states, "gateway") != 1 {
			t.Errorf("%s was answered by %v", path, parts)
		}
	}
	if got := (caller{base: gateway(canada)}).do(t, "GET", "/v1/me", nil, "X-Region", states); got.status != 401 {
		t.Errorf("without a key: %d %s", got.status, got.body)
	}
	revoke()
	limited.do(t, "GET", "/v1/me", nil, "X-Region", states).says(t, 401, "key_revoked")
}

func TestAnUnknownRegionIsRefused(t *testing.T) {
	inCanada, inStates := callers(t)
	for _, c := range []caller{inCanada, inStates} {
		c.do(t, "GET", "/v1/assets", nil, "X-Region", "eu-west-1").says(t, 400, `"x-region"`, "eu-west-1", canada, states)
		c.do(t, "GET", "/v1/assets?forceFunctionRegion=mars", nil).says(t, 400, `"x-region"`, "mars", canada, states)
		c.do(t, "GET", "/v1/assets?forceFunctionRegion="+canada, nil, "X-Region", "mars").says(t, 400, `"x-region"`, "mars")
		c.do(t, "GET", "/v1/me", nil, "X-Region", "mars").says(t, 400, `"x-region"`)
		c.do(t, "POST", "/v1/sites", map[string]any{"name": "Nowhere"}, "X-Region", "CA-CENTRAL-1").says(t, 400, `"x-region"`, canada)
	}
}
