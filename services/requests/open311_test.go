package requests

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// geo gets a path of Open311 as JSON, which must be a list or an object.
func (s stranger) geo(t testing.TB, status int, path string, query url.Values) (list []fields, object fields) {
	t.Helper()
	answer := s.must(t, status, "GET", "/open311/v2/"+path+".json?"+query.Encode(), nil)
	if answer.header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%s is %s", path, answer.header.Get("Content-Type"))
	}
	if json.Unmarshal([]byte(answer.body), &list) != nil {
		if err := json.Unmarshal([]byte(answer.body), &object); err != nil {
			t.Fatalf("%s: %v: %s", path, err, answer.body)
		}
	}
	return list, object
}

func (f fixture) jurisdiction() url.Values {
	return url.Values{"jurisdiction_id": {f.Principal.OrganizationID}}
}

func with(query url.Values, pairs ...string) url.Values {
	all := url.Values{}
	for name, values := range query {
		all[name] = values
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		all.Set(pairs[i], pairs[i+1])
	}
	return all
}

// The examples of the specification, in XML: names, order and nesting of the elements.
func TestOpen311IsAsSpecified(t *testing.T) {
	f := newFixture(t)
	s := f.stranger(1)
	f.service(t, fields{"description": "Swings", "group": "parks", "keywords": []string{"swing", "slide"}, "expected_days": 5,
		"attributes": questions[:1]})
	f.service(t, fields{"service_code": "INNER", "name": "Not for the public", "public": false})
	path, record := f.request(t,
		fields{"service_code": "PLAYGROUND", "published": true, "description": "La <chaîne>", "latitude": 43.65, "longitude": -79.34,
			"address_text": "8TH AVE", "public_note": "Mardi", "media_url": "https://example.ca/1.jpg", "requester_name": "Anne", "requester_email": "anne@example.ca"})
	f.request(t, fields{"service_code": "PLAYGROUND"})               // not published
	f.request(t, fields{"service_code": "INNER", "published": true}) // not public
	f.request(t, fields{"published": true})                          // of no service
	f.otherOrganization().request(t, fields{"published": true})      // somebody else's
	shown := func(path string, query url.Values) string {
		answer := s.must(t, 200, "GET", "/open311/v2/"+path+"?"+query.Encode(), nil)
		if answer.header.Get("Content-Type") != "text/xml; charset=utf-8" ||
			!strings.HasPrefix(answer.body, `<?xml version="1.0" encoding="utf-8"?>`) {
			t.Errorf("%s is %s: %s", path, answer.header.Get("Content-Type"), answer.body)
		}
		return answer.body
	}
	for path, want := range map[string]string{
		"services.xml": `<services><service><service_code>PLAYGROUND</service_code><service_name>Broken playground equipment</service_name>` +
			`<description>Swings</description><metadata>true</metadata><type>realtime</type><keywords>swing, slide</keywords><group>parks</group>` +
			`</service></services>`,
		"services/PLAYGROUND.xml": `<service_definition>` +
			`<service_code>PLAYGROUND</service_code><attributes><attribute><variable>true</variable><code>KIND</code>` +
			`<datatype>singlevaluelist</datatype><required>true</required><datatype_description></datatype_description><order>1</order>` +
			`<description>Which equipment?</description><values><value><key>swing</key><name>Swing</name></value><value><key>slide</key>` +
			`<name>Slide</name></value>` + `</values></attribute></attributes></service_definition>`,
	} {
		if got := shown(path, f.jurisdiction()); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := shown("discovery.xml", nil); !strings.Contains(got, "<endpoints><endpoint><specification>http://wiki.open311.org/GeoReport_v2</specification>"+
		"<url>https://api.example.ca/open311/v2</url>") || !strings.Contains(got, "<formats><format>text/xml</format><format>application/json</format></formats>") {
		t.Errorf("%s", got)
	}
	list := shown("requests.xml", f.jurisdiction())
	var read struct {
		XMLName  xml.Name
		Requests []struct {
			Inner string `xml:",innerxml"`
		} `xml:"request"`
	}
	if err := xml.Unmarshal([]byte(list), &read); err != nil || read.XMLName.Local != "service_requests" || len(read.Requests) != 1 {
		t.Fatalf("%v: %s", err, list)
	}
	created, _ := time.Parse(time.RFC3339Nano, record["created_at"].(string))
	updated, _ := time.Parse(time.RFC3339Nano, record["updated_at"].(string))
	if want := `<service_request_id>REQ-000001</service_request_id><status>open</status><status_notes>Mardi</status_notes>` +
		`<service_name>Broken playground ` +
		`equipment</service_name><service_code>PLAYGROUND</service_code><description>La &lt;chaîne&gt;</description>` +
		`<agency_responsible></agency_responsible><service_notice></service_notice><requested_datetime>` + created.Format(time.RFC3339) +
		`</requested_datetime><updated_datetime>` + updated.Format(time.RFC3339) + `</updated_datetime><expected_datetime>` +
		created.AddDate(0, 0, 5).Format(time.RFC3339) + `</expected_datetime><address>8TH AVE</address><address_id></address_id>` +
		`<zipcode></zipcode>` + `<lat>43.65</lat><long>-79.34</long><media_url>https://example.ca/1.jpg</media_url>`; read.Requests[0].Inner != want {
		t.Errorf("got  %s\nwant %s", read.Requests[0].Inner, want)
	}
	if strings.Contains(list, "anne") || strings.Contains(list, "Anne") {
		t.Errorf("contact data is public: %s", list)
	}
	one, _ := s.geo(t, 200, "requests/req-000001", f.jurisdiction())
	resourcetest.Expect(t, one[0], fields{"service_request_id": "REQ-000001", "lat": 43.65, "agency_responsible": nil, "zipcode": nil})
	f.Must(t, 200, "POST", path+"/reject", fields{"reason": "secret"})
	one, _ = s.geo(t, 200, "requests/REQ-000001", f.jurisdiction())
	resourcetest.Expect(t, one[0], fields{"status": "closed"})
	if french := shown("services.xml", with(f.jurisdiction(), "locale", "fr")); !strings.Contains(french, "Équipement de jeu brisé") {
		t.Errorf("%s", french)
	}
}

func TestOpen311RefusesAsSpecified(t *testing.T) {
	f := newFixture(t)
	f.service(t, fields{})
	f.service(t, fields{"service_code": "INNER", "public": false})
	s := f.stranger(1)
	unknown := uuid.NewString()
	for _, path := range []string{"/internal/organizations/" + unknown, "/internal/jurisdictions/city.gov"} {
		f.peers.Handle("gateway-internal", path, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			transport.WriteFault(w, nil, fault.NotFound("organization", unknown))
		}))
	}
	for _, c := range []struct {
		path   string
		query  url.Values
		status int
	}{
		{"services", nil, 400},
		{"services", url.Values{"jurisdiction_id": {"city.gov"}}, 404}, {"services", url.Values{"jurisdiction_id": {unknown}}, 404},
		{"services", url.Values{"jurisdiction_id": {"../keys/check"}}, 404}, {"services", url.Values{"jurisdiction_id": {".."}}, 404},
		{"services/NONE", f.jurisdiction(), 404}, {"services/INNER", f.jurisdiction(), 404}, {"requests", nil, 400},
		{"requests/REQ-000009", f.jurisdiction(), 404}, {"tokens/123", f.jurisdiction(), 404},
		{"requests", with(f.jurisdiction(), "status", "new"), 400}, {"requests", with(f.jurisdiction(), "start_date", "yesterday"), 400},
		{"requests", with(f.jurisdiction(), "start_date", "2026-01-01T00:00:00Z", "end_date", "2026-06-01T00:00:00Z"), 400},
		{"requests", with(f.jurisdiction(), "start_date", "2026-02-01T00:00:00Z", "end_date", "2026-01-01T00:00:00Z"), 400},
	} {
		list, _ := s.geo(t, c.status, c.path, c.query)
		if len(list) != 1 || list[0]["code"] != float64(c.status) || list[0]["description"] == "" {
			t.Errorf("%s %v: %v", c.path, c.query, list)
		}
	}
	if answer := s.must(t, 400, "GET", "/open311/v2/services.xml", nil); !strings.HasSuffix(answer.body,
		"<errors><error><code>400</code><description>jurisdiction_id was not provided.</description></error></errors>") {
		t.Errorf("%s", answer.body)
	}
}

// A jurisdiction is the name that the operator gave the organization, or its id; a key of one is good for no other.
func TestAJurisdictionIsANameOrAnID(t *testing.T) {
	f := newFixture(t)
	other := f.otherOrganization()
	f.service(t, fields{})
	other.service(t, fields{"service_code": "THEIRS"})
	token, _ := f.link(t, fields{})
	const ours, theirs = "/internal/jurisdictions/riviere-claire.ca", "/internal/jurisdictions/northgate.ca"
	f.peers.Respond(ours, fields{"organization_id": f.Principal.OrganizationID})
	f.peers.Respond(theirs, fields{"organization_id": other.Principal.OrganizationID})
	s := f.stranger(1)
	for jurisdiction, want := range map[string]string{"riviere-claire.ca": "PLAYGROUND", " Riviere-Claire.CA ": "PLAYGROUND",
		strings.ToUpper(f.Principal.OrganizationID): "PLAYGROUND", "northgate.ca": "THEIRS"} {
		list, _ := s.geo(t, 200, "services", url.Values{"jurisdiction_id": {jurisdiction}})
		if len(list) != 1 || list[0]["service_code"] != want {
			t.Errorf("%s: %v", jurisdiction, list)
		}
	}
	if asked := f.peers.Requests(ours); asked != 1 {
		t.Errorf("the gateway was asked %d times", asked)
	}
	form := url.Values{"jurisdiction_id": {"riviere-claire.ca"}, "api_key": {token}, "service_code": {"PLAYGROUND"}}
	s.must(t, 201, "POST", "/open311/v2/requests.json", form)
	s.must(t, 403, "POST", "/open311/v2/requests.json", with(form, "jurisdiction_id", "northgate.ca"))
	f.peers.Respond(ours, fields{"organization_id": other.Principal.OrganizationID}) // given to somebody else
	f.clock.pass(time.Minute)
	s.must(t, 403, "POST", "/open311/v2/requests.json", form)
	f.peers.Refuse(ours)
	f.clock.pass(time.Minute)
	s.must(t, 503, "POST", "/open311/v2/requests.json", form)
}

func TestOpen311ListsBySpanStatusAndCode(t *testing.T) {
	f := newFixture(t)
	f.service(t, fields{})
	f.service(t, fields{"service_code": "LIGHT"})
	s := f.stranger(1)
	old, _ := f.request(t, fields{"title": "old", "service_code": "PLAYGROUND", "published": true})
	f.request(t, fields{"title": "new", "service_code": "LIGHT", "published": true})
	done, _ := f.request(t, fields{"title": "done", "service_code": "LIGHT", "published": true})
	f.Must(t, 200, "POST", done+"/reject", fields{"reason": "Non"})
	if _, err := f.owner(t).Exec(t.Context(), "UPDATE request SET created_at = created_at - interval '91 days' WHERE id = $1",
		strings.TrimPrefix(old, "/v1/requests/")); err != nil {
		t.Fatal(err)
	}
	day := func(offset int) string { return time.Now().UTC().AddDate(0, 0, offset).Format(time.RFC3339) }
	for _, c := range []struct {
		query []string
		want  string
	}{
		{nil, "REQ-000003 REQ-000002"}, {[]string{"status", "open"}, "REQ-000002"}, {[]string{"status", "closed"}, "REQ-000003"},
		{[]string{"status", "open,closed"}, "REQ-000003 REQ-000002"}, {[]string{"service_code", "light,none"}, "REQ-000003 REQ-000002"},
		{[]string{"service_code", "PLAYGROUND"}, ""}, {[]string{"service_request_id", "REQ-000001,REQ-000002", "status", "closed"},
			"REQ-000002 REQ-000001"}, {[]string{"start_date", day(-95)}, "REQ-000001"}, {[]string{"end_date", day(-90)}, "REQ-000001"},
		{[]string{"start_date", day(-95), "end_date", day(-90)}, "REQ-000001"},
		{[]string{"start_date", day(-1), "unknown", "x"}, "REQ-000003 REQ-000002"},
	} {
		list, _ := s.geo(t, 200, "requests", with(f.jurisdiction(), c.query...))
		var got []string
		for _, r := range list {
			got = append(got, r["service_request_id"].(string))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v, want %s", c.query, got, c.want)
		}
	}
}

func TestOpen311TakesRequestsByALink(t *testing.T) {
	f := newFixture(t)
	f.service(t, fields{"attributes": questions[:2]})
	f.service(t, fields{"service_code": "INNER", "public": false})
	token, link := f.link(t, fields{"service_codes": []string{"PLAYGROUND"}})
	silent, _ := f.link(t, fields{"contact": "no"})
	s := f.stranger(1)
	form := with(f.jurisdiction(), "api_key", token, "service_code", "PLAYGROUND", "lat", "43.65", "long", "-79.34", "address_string",
		"1234 5th street", "email", "smit333@example.ca", "first_name", "john", "last_name", "smith", "phone", "111111111", "description",
		"A large <b>sinkhole</b>", "media_url", "https://example.ca/1.jpg", "device_id", "tt222111", "account_id", "123456", "attribute[KIND]", "swing")
	form["attribute[HURT][]"] = []string{"child", "adult"}
	answer := s.must(t, 201, "POST", "/open311/v2/requests.xml", form)
	if !strings.HasSuffix(answer.body,
		"<service_requests><request><service_request_id>REQ-000001</service_request_id><service_notice></service_notice>"+
			"<account_id></account_id></request></service_requests>") {
		t.Errorf("%s", answer.body)
	}
	records, _ := f.List(t, "/v1/requests")
	resourcetest.Expect(t, records[0], fields{"source": "open311",
		"link_id": link["id"], "asset_id": swing, "latitude": 43.65, "longitude": -79.34, "address_text": "1234 5th street",
		"requester_name": "john smith", "requester_email": "smit333@example.ca", "requester_phone": "111111111",
		"description": "A large <b>sinkhole</b>", "media_url": "https://example.ca/1.jpg", "attributes": fields{"KIND": "swing", "HURT": "child,adult"},
		"published": false})
	other := f.otherOrganization()
	other.service(t, fields{})
	for name, c := range map[string]struct {
		form   url.Values
		status int
	}{
		"another jurisdiction":    {with(form, "jurisdiction_id", other.Principal.OrganizationID), 403},
		"a token that is unknown": {with(form, "api_key", newToken()), 403},
		"no key":                  {with(form, "api_key", ""), 403},
		"no service":              {with(form, "service_code", ""), 400},
		"an unknown service":      {with(form, "service_code", "NONE"), 404},
		"a required answer":       {with(form, "attribute[KIND]", ""), 400},
		"an unknown answer":       {with(form, "attribute[KIND]", "tree"), 400},
		"half a place":            {with(form, "long", ""), 400},
		"no number":               {with(form, "lat", "NaN"), 400},
		"a long description":      {with(form, "description", strings.Repeat("x", 4001)), 400},
		"a script for a picture":  {with(form, "media_url", "javascript:alert(1)"), 400},
	} {
		if answer := f.stranger(2+c.status%100).do(t, "POST", "/open311/v2/requests.json", c.form); answer.status != c.status {
			t.Errorf("%s: %d, want %d: %s", name, answer.status, c.status, answer.body)
		}
	}
	form.Set("api_key", silent)
	form.Del("attribute[HURT][]")
	f.stranger(50).must(t, 201, "POST", "/open311/v2/requests.json", form)
	f.stranger(50).must(t, 404, "POST", "/open311/v2/requests.json", with(form, "service_code", "INNER"))
	records, _ = f.List(t, "/v1/requests?number=REQ-000002")
	resourcetest.Expect(t, records[0], fields{"requester_name": nil, "requester_email": nil})
	if _, pagination := f.List(t, "/v1/requests"); pagination["total"] != 2.0 {
		t.Errorf("%v requests were kept", pagination["total"])
	}
}

const apiKey = "ams_live_0123456789"

func TestOpen311TakesRequestsByAKey(t *testing.T) {
	f := newFixture(t)
	f.service(t, fields{})
	scopes := []string{"requests:write"}
	f.peers.Handle("gateway-internal", "/internal/keys/check", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var question fields
		_ = json.NewDecoder(r.Body).Decode(&question)
		if question["key"] != apiKey || question["requests"] != 1.0 {
			transport.WriteFault(w, nil, fault.New(fault.KindUnauthenticated, "key_unknown", "This API key is not known."))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(fields{"organization": fields{"id": f.Principal.OrganizationID}, "key": fields{"scopes": scopes}})
	}))
	for path, id := range map[string]string{"/v1/assets": "", "/v1/buildings": building, "/v1/sites": ""} {
		found := []fields{}
		if id != "" {
			found = append(found, fields{"id": id})
		}
		f.peers.Respond(path, fields{"data": found})
	}
	s := f.stranger(1)
	form := with(f.jurisdiction(), "api_key", apiKey, "service_code", "PLAYGROUND", "address_string", "5th street",
		"description", "A sinkhole")
	for range 12 { // more than a stranger may: a city's own app sends for many people
		s.must(t, 201, "POST", "/open311/v2/requests.json", form)
	}
	s.must(t, 201, "POST", "/open311/v2/requests.json", with(form, "address_string", "", "address_id", "BLD-0001"))
	records, _ := f.List(t, "/v1/requests?number=REQ-000013")
	resourcetest.Expect(t, records[0], fields{"building_id": building, "site_id": site, "source": "open311", "link_id": nil})
	s.must(t, 400, "POST", "/open311/v2/requests.json", with(form, "address_string", ""))
	s.must(t, 403, "POST", "/open311/v2/requests.json", with(form, "jurisdiction_id", f.otherOrganization().Principal.OrganizationID))
	f.peers.Respond("/v1/buildings", fields{"data": []fields{}})
	s.must(t, 400, "POST", "/open311/v2/requests.json", with(form, "address_string", "", "address_id", "BLD-0009"))
	s.must(t, 201, "POST", "/open311/v2/requests.json", with(form, "address_string", "12, rue du Quai\nRivière-Claire", "address_id",
		"BLD-0009"))
	s.must(t, 201, "POST", "/open311/v2/requests.json", with(form, "address_string", "", "address_id", "BLD-0009", "lat", "46.34", "long",
		"-72.55"))
	scopes = []string{"requests:read"}
	for range 10 {
		s.must(t, 403, "POST", "/open311/v2/requests.json", form)
	}
	before := f.peers.Requests("/internal/keys/check")
	s.must(t, 429, "POST", "/open311/v2/requests.json", with(form, "api_key", apiKey+"x"))
	if f.peers.Requests("/internal/keys/check") != before {
		t.Error("the gateway is asked about the keys of somebody who guesses")
	}
}
