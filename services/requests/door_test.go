package requests

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

func TestAStrangerSendsARequestByALink(t *testing.T) {
	f := newFixture(t)
	f.service(t, fields{"priority": "high", "attributes": []fields{{"code": "KIND", "question": "Which?", "datatype": "multivaluelist",
		"required": true, "values": []fields{{"key": "swing", "name": "Swing"}, {"key": "slide", "name": "Slide"}}}}})
	token, link := f.link(t, fields{"service_codes": []string{"PLAYGROUND"}})
	if link["url"] != "https://api.example.ca/r/"+token || len(token) != 26 {
		t.Errorf("%v", link)
	}
	anne := f.stranger(1)
	shown := anne.must(t, 200, "GET", "/public/links/"+token, nil).json
	resourcetest.Expect(t, shown, fields{"name": "Playground, Mill Park", "name_fr": "Aire de jeux, parc du Moulin", "contact": "optional"})
	stamp := anne.stamp(t, token)
	whole := fields{"description": "<script>alert(1)</script> La chaîne\nde gauche", "attributes": fields{"KIND": []string{"swing", "slide"}},
		"requester_email": "anne@example.ca", "stamp": stamp}
	for name, wrong := range map[string]fields{
		"description":     {"stamp": stamp, "attributes": fields{"KIND": "swing"}},
		"attributes.KIND": {"stamp": stamp, "description": "x", "attributes": fields{"KIND": "tree"}},
		"attributes.X":    {"stamp": stamp, "description": "x", "attributes": fields{"KIND": "swing", "X": "1"}},
		"requester_email": {"stamp": stamp, "description": "x", "attributes": fields{"KIND": "swing"}, "requester_email": "anne"},
		"stamp":           {"description": "x", "attributes": fields{"KIND": "swing"}},
		"site_id":         {"stamp": stamp, "description": "x", "attributes": fields{"KIND": "swing"}, "site_id": otherSite},
	} {
		answer := anne.must(t, 400, "POST", "/public/links/"+token, wrong)
		if list, _ := answer.json["fields"].([]any); len(list) == 0 || list[0].(fields)["field"] != name {
			t.Errorf("%s: %s", name, answer.body)
		}
	}
	given := f.stranger(2).must(t, 201, "POST", "/public/links/"+token, whole).json
	if given["number"] != "REQ-000001" || len(given["receipt"].(string)) != 26 {
		t.Errorf("%v", given)
	}
	records, _ := f.List(t, "/v1/requests?source=link")
	resourcetest.Expect(t, records[0],
		fields{"title": "<script>alert(1)</script> La chaîne", "source": "link", "status": "submitted", "priority": "high",
			"asset_id": swing, "building_id": building, "site_id": site, "link_id": link["id"], "attributes": fields{"KIND": "swing,slide"},
			"requester_email": "anne@example.ca", "service_code": "PLAYGROUND"})
	history := f.Must(t, 200, "GET", "/v1/requests/"+records[0]["id"].(string)+"/history", nil)
	if strings.Contains(string(history.Body), "203.0.113") {
		t.Error("the stranger's address is kept")
	}
	status := "/r/status/" + given["receipt"].(string)
	resourcetest.Expect(t, anne.must(t, 200, "GET", status, nil, "Accept", "application/json").json,
		fields{"number": "REQ-000001", "status": "submitted", "public_note": nil})
	f.Must(t, 200, "POST", "/v1/requests/"+records[0]["id"].(string)+"/reject", fields{"reason": "secret", "public_note": "<b>Non</b>"})
	page := anne.must(t, 200, "GET", status+"?lang=fr", nil).body
	if !strings.Contains(page, "&lt;b&gt;Non&lt;/b&gt;") || strings.Contains(page, "secret") || !strings.Contains(page, "Non retenue") {
		t.Errorf("%s", page)
	}
}

// Forms that programs fill in are answered like all others, and nothing of them is kept.
func TestSpamIsTakenAndNotKept(t *testing.T) {
	f := newFixture(t)
	token, _ := f.link(t, fields{})
	stranger := f.stranger(1)
	stamp := func(after time.Duration) string {
		given := stranger.must(t, 200, "GET", "/public/links/"+token, nil).json["stamp"].(string)
		f.clock.pass(after)
		return given
	}
	other, _ := f.link(t, fields{})
	others := stranger.must(t, 200, "GET", "/public/links/"+other, nil).json["stamp"].(string)
	before := f.rows(t)
	for name, body := range map[string]fields{
		"too young": {"stamp": stamp(2900 * time.Millisecond)}, "too old": {"stamp": stamp(24*time.Hour + time.Second)},
		"forged": {"stamp": "AAAA"}, "of another link": {"stamp": others}, "the trap": {"stamp": stamp(5 * time.Second), "website": "https://spam.example"},
	} {
		body["description"] = "Buy"
		given := stranger.must(t, 201, "POST", "/public/links/"+token, body)
		number, receipt := given.json["number"].(string), given.json["receipt"].(string)
		if !strings.HasPrefix(number, "REQ-") || len(number) != 10 || !isToken(receipt) {
			t.Errorf("%s: %s", name, given.body)
		}
		stranger.must(t, 404, "GET", "/r/status/"+receipt, nil)
	}
	form := url.Values{"description": {"Buy"}, "website": {"x"}, "stamp": {stamp(5 * time.Second)}}
	stranger.must(t, 201, "POST", "/r/"+token, form)
	if after := f.rows(t); !maps.Equal(before, after) { // no record, history, event, number or answer
		t.Errorf("something was kept: %v, before %v", after, before)
	}
	stranger.must(t, 201, "POST", "/public/links/"+token, fields{"description": "Bris", "stamp": stamp(3 * time.Second)})
	stranger.must(t, 201, "POST", "/public/links/"+token, fields{"description": "Bris", "stamp": stamp(24*time.Hour - time.Second)})
	if _, pagination := f.List(t, "/v1/requests"); pagination["total"] != 2.0 {
		t.Errorf("%v were kept", pagination["total"])
	}
}

// Links that are unknown, malformed, replaced, deleted, expired, or of an organization without the feature are one and the same 404, by
// byte and by header; and so are receipts.
func TestALinkThatDoesNotWorkIsOneAndTheSame404(t *testing.T) {
	f := newFixture(t)
	working, _ := f.link(t, fields{})
	rotated, link := f.link(t, fields{})
	fresh := f.Must(t, 200, "POST", "/v1/request-links/"+link["id"].(string)+"/rotate", nil).JSON
	if fresh["token"] == rotated || fresh["rotated_at"] == nil || fresh["version"] != 2.0 {
		t.Errorf("%v", fresh)
	}
	expired, _ := f.link(t, fields{"expires_on": time.Now().AddDate(0, 0, -2).Format(time.DateOnly)})
	deleted, gone := f.link(t, fields{})
	f.Must(t, 204, "DELETE", "/v1/request-links/"+gone["id"].(string), nil)
	lapsed := f.otherOrganization()
	theirs, _ := lapsed.link(t, fields{})
	sent := f.stranger(3).must(t, 201, "POST", "/public/links/"+theirs, fields{"description": "Bris", "stamp": f.stranger(3).stamp(t, theirs)})
	lapsed.plan(lapsed.Client, "api_access")
	f.clock.pass(time.Minute)
	s := f.stranger(1)
	stamp := s.stamp(t, working)
	withdrawn := s.must(t, 201, "POST", "/public/links/"+working, fields{"description": "Bris", "stamp": stamp})
	records, _ := f.List(t, "/v1/requests?number="+withdrawn.json["number"].(string))
	f.Must(t, 204, "DELETE", "/v1/requests/"+records[0]["id"].(string), nil)
	links := []string{newToken(), "zz-1", rotated, expired, deleted, theirs, strings.ToUpper(working), working + "a"}
	receipts := []string{newToken(), "zz-1", working, sent.json["receipt"].(string), withdrawn.json["receipt"].(string)}
	for _, c := range []struct {
		path, accept string
		tokens       []string
		methods      []string
	}{
		{"/public/links/", "", links, []string{"GET", "POST"}},
		{"/r/", "", links, []string{"GET", "POST"}},
		{"/r/status/", "", receipts, []string{"GET"}},
		{"/r/status/", "application/json", receipts, []string{"GET"}},
	} {
		answers := map[string][]string{}
		for n, token := range c.tokens {
			for _, method := range c.methods {
				s := f.stranger(10 + n)
				var body any
				if method == "POST" {
					body = fields{"description": "x", "stamp": stamp}
				}
				answer := s.must(t, 404, method, c.path+token, body, "Accept", c.accept)
				whole := fmt.Sprint(answer.header) + answer.body
				answers[whole] = append(answers[whole], method+" "+token)
			}
		}
		if len(answers) != 1 {
			t.Errorf("%s: the answers differ: %v", c.path, answers)
		}
	}
	s.must(t, 200, "GET", "/r/"+fresh["token"].(string), nil)
	f.otherOrganization().Must(t, 404, "POST", "/v1/request-links/"+link["id"].(string)+"/rotate", nil)
}

func TestALapsedPlanClosesTheDoorWithinAMinute(t *testing.T) {
	f := newFixture(t)
	token, _ := f.link(t, fields{})
	s := f.stranger(1)
	s.must(t, 200, "GET", "/public/links/"+token, nil)
	f.plan(f.Client, "api_access")
	s.must(t, 200, "GET", "/public/links/"+token, nil) // as the gateway said a moment ago
	f.clock.pass(time.Minute)
	s.must(t, 404, "GET", "/public/links/"+token, nil)
	s.must(t, 404, "GET", "/open311/v2/services.json?jurisdiction_id="+f.Principal.OrganizationID, nil)
	f.plan(f.Client, "api_access", feature)
	f.clock.pass(time.Minute)
	s.must(t, 200, "GET", "/public/links/"+token, nil)
	f.peers.Refuse("/internal/organizations/" + f.Principal.OrganizationID)
	f.clock.pass(time.Minute)
	s.must(t, 503, "GET", "/public/links/"+token, nil)
}

func TestContactDataIsAskedForAsTheLinkSays(t *testing.T) {
	f := newFixture(t)
	for contact, wants := range map[string]map[string]int{
		"no": {"none": 201, "email": 400}, "optional": {"none": 201, "email": 201}, "required": {"none": 400, "email": 201},
	} {
		token, _ := f.link(t, fields{"contact": contact})
		for given, status := range wants {
			body := fields{"description": "Bris", "stamp": f.stranger(1).stamp(t, token)}
			if given == "email" {
				body["requester_email"] = "anne@example.ca"
			}
			f.stranger(1).must(t, status, "POST", "/public/links/"+token, body)
		}
	}
}

// What is over a limit is refused before the database is asked anything.
func TestLimitsOfStrangersCostNoSQL(t *testing.T) {
	database := postgrestest.New(t, "requests", migrations)
	through, run := postgrestest.CountStatements(t, database.URL)
	counted := *database
	counted.URL = through
	f := newFixtureOn(t, database, counted.Open(t), testLimits)
	f.organization(f.Client, fields{"public_requests_per_day": 70})
	one, _ := f.link(t, fields{})
	two, _ := f.link(t, fields{})
	body := fields{"description": "Bris", "stamp": f.stranger(200).stamp(t, one)}
	refused := func(what string, s stranger, token string) {
		t.Helper()
		before := run.Load()
		for range 500 {
			answer := s.must(t, 429, "POST", "/public/links/"+token, body)
			if answer.header.Get("Retry-After") == "" || answer.json["code"] != "too_many_requests" {
				t.Fatalf("%s: %s", what, answer.body)
			}
		}
		if n := run.Load() - before; n != 0 {
			t.Errorf("%s: 500 refusals ran %d statements", what, n)
		}
	}
	for range 10 {
		f.stranger(1).must(t, 201, "POST", "/public/links/"+one, body)
	}
	refused("an address", f.stranger(1), one)
	for n := range 50 {
		f.stranger(2+n/10).must(t, 201, "POST", "/public/links/"+one, body)
	}
	refused("a link", f.stranger(7), one)
	body["stamp"] = f.stranger(200).stamp(t, two)
	for range 10 {
		f.stranger(8).must(t, 201, "POST", "/public/links/"+two, body)
	}
	refused("an organization", f.stranger(9), two)
	other := f.otherOrganization()
	theirs, _ := other.link(t, fields{})
	body["stamp"] = f.stranger(200).stamp(t, theirs)
	f.stranger(10).must(t, 201, "POST", "/public/links/"+theirs, body) // others see nothing of it
	f.organization(other.Client, fields{"public_requests_per_link": 2})
	f.clock.pass(time.Minute)
	body["stamp"] = f.stranger(200).stamp(t, theirs)
	f.stranger(10).must(t, 201, "POST", "/public/links/"+theirs, body)
	refused("a link of an organization that takes two an hour", f.stranger(11), theirs)
	f.clock.pass(time.Hour)
	body["stamp"] = f.stranger(201).stamp(t, two)
	f.stranger(1).must(t, 429, "POST", "/public/links/"+two, body) // the organization's day is not over
	f.clock.pass(24 * time.Hour)
	body["stamp"] = f.stranger(202).stamp(t, two)
	f.stranger(1).must(t, 201, "POST", "/public/links/"+two, body)
}

// A flood of strangers who guess tokens, receipts and keys, and of one who reads, ends without SQL.
func TestAFloodOfStrangersCostsNoSQL(t *testing.T) {
	database := postgrestest.New(t, "requests", migrations)
	through, run := postgrestest.CountStatements(t, database.URL)
	counted := *database
	counted.URL = through
	limits := testLimits
	limits.reads.max = 20
	f := newFixtureOn(t, database, counted.Open(t), limits)
	token, _ := f.link(t, fields{})
	organization := f.Principal.OrganizationID
	attempts := []func(s stranger) int{
		func(s stranger) int { return s.do(t, "GET", "/r/"+token, nil).status },
		func(s stranger) int { return s.do(t, "GET", "/r/"+newToken(), nil).status },
		func(s stranger) int { return s.do(t, "GET", "/r/status/"+newToken(), nil).status },
		func(s stranger) int {
			return s.do(t, "GET", "/open311/v2/requests.xml?jurisdiction_id="+organization, nil).status
		},
		func(s stranger) int {
			return s.do(t, "GET", "/open311/v2/services.json?jurisdiction_id="+uuid.NewString(), nil).status
		},
		func(s stranger) int {
			return s.do(t, "POST", "/public/links/"+newToken(), fields{"description": "x", "stamp": "y"}).status
		},
		func(s stranger) int {
			return s.do(t, "POST", "/open311/v2/requests.json", url.Values{"jurisdiction_id": {organization}, "service_code": {"X"},
				"api_key": {newToken()}}).status
		},
		func(s stranger) int {
			return s.do(t, "POST", "/open311/v2/requests.json", url.Values{"jurisdiction_id": {organization}, "service_code": {"X"},
				"api_key": {"guess"}}).status
		},
	}
	for n, attempt := range attempts {
		s := f.stranger(n)
		if n == 4 {
			continue // asks the gateway, which the stand-in does not answer for organizations that nobody has
		}
		for range 30 {
			attempt(s)
		}
		before := run.Load()
		for range 200 {
			if status := attempt(s); status != 429 {
				t.Fatalf("attempt %d: %d", n, status)
			}
		}
		if ran := run.Load() - before; ran != 0 {
			t.Errorf("attempt %d: 200 refusals ran %d statements", n, ran)
		}
	}
}

func TestNeighboursOfOneSubscriberShareALimit(t *testing.T) {
	f := newFixture(t)
	token, _ := f.link(t, fields{})
	body := fields{"description": "Bris", "stamp": f.stranger(1).stamp(t, token)}
	for n := range 10 {
		stranger{f, fmt.Sprintf("2001:db8:0:1::%x", n)}.must(t, 201, "POST", "/public/links/"+token, body)
	}
	stranger{f, "2001:db8:0:1:ffff::1"}.must(t, 429, "POST", "/public/links/"+token, body)
	stranger{f, "2001:db8:0:2::1"}.must(t, 201, "POST", "/public/links/"+token, body)
}

// What is no text is made one, and a link, a receipt and a jurisdiction lead to one organization.
func TestStrangersReachOneOrganizationWithWhateverTheySend(t *testing.T) {
	f := newFixture(t)
	other := f.otherOrganization()
	f.service(t, fields{"attributes": []fields{{"code": "KIND", "question": "?"}}})
	token, _ := f.link(t, fields{"service_codes": []string{"PLAYGROUND"}})
	other.link(t, fields{})
	s := f.stranger(1)
	bad := "La cha\xeene\x00 \u202e"
	form := url.Values{"description": {bad}, "attribute[KIND]": {bad}, "attribute[\xff]": {}, "requester_name": {bad},
		"stamp": {s.stamp(t, token)}}
	receipt := s.must(t, 201, "POST", "/r/"+token, form)
	if !strings.Contains(receipt.body, "REQ-000001") {
		t.Errorf("%s", receipt.body)
	}
	s.must(t, 201, "POST", "/open311/v2/requests.json", url.Values{"jurisdiction_id": {f.Principal.OrganizationID}, "api_key": {token},
		"service_code": {"PLAYGROUND"}, "description": {bad}, "attribute[KIND]": {bad}, "address_string": {bad}})
	s.must(t, 200, "GET", "/open311/v2/requests.json?service_code=%FF%00&jurisdiction_id="+f.Principal.OrganizationID, nil)
	s.must(t, 404, "GET", "/open311/v2/requests/%FF.json?jurisdiction_id="+f.Principal.OrganizationID, nil)
	s.must(t, 404, "GET", "/open311/v2/services/%FF.json?jurisdiction_id="+f.Principal.OrganizationID, nil)
	s.must(t, 400, "POST", "/public/links/"+token, "{\"description\": \"\xff\"}")
	if records, _ := f.List(t, "/v1/requests"); len(records) != 2 || records[0]["description"] != "La cha\uFFFDne \u202e" {
		t.Errorf("%v", records)
	}
	if records, _ := other.List(t, "/v1/requests"); len(records) != 0 {
		t.Errorf("another organization has %v", records)
	}
}

func TestOpenPathsTakeWhatTheySay(t *testing.T) {
	f := newFixture(t)
	token, _ := f.link(t, fields{})
	s := f.stranger(1)
	for _, path := range []string{"/r", "/r/status", "/public", "/public/links", "/open311", "/open311/v2", "/r/" + token + "/x",
		"/open311/v2/services"} {
		s.must(t, 404, "GET", path, nil)
	}
	if answer := s.must(t, 400, "DELETE", "/public/links/"+token, nil); answer.header.Get("Allow") != "GET, HEAD, POST" {
		t.Errorf("%v", answer.header)
	}
	s.must(t, 200, "HEAD", "/r/"+token, nil)
	s.must(t, 400, "POST", "/public/links/"+token, "not JSON")
	s.must(t, 400, "POST", "/public/links/"+token, `{"description": "`+strings.Repeat("x", 70_000)+`"}`)
	s.must(t, 400, "POST", "/r/"+token, url.Values{"description": {strings.Repeat("x", 70_000)}})
	page := s.must(t, 200, "GET", "/r/"+token, nil)
	for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
		"Content-Security-Policy": policy} {
		if page.header.Get(name) != want {
			t.Errorf("%s is %q", name, page.header.Get(name))
		}
	}
}
