package e2e

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// A resident asks by a link, without a key; staff accept; the work is done; the receipt says so. A request by Open311 goes the same way.
func TestARequestBecomesWorkAndIsClosedByIt(t *testing.T) {
	staff, stranger := fresh(t, city), caller{base: as(t, city, "full").base}
	site := staff.create(t, "/v1/sites", map[string]any{"name": "Mill Park for a request"})
	staff.create(t, "/v1/request-services", map[string]any{"service_code": "E2E-DOOR", "name": "Playground", "public": true})
	link := staff.must(t, 201, "POST", "/v1/request-links",
		map[string]any{"name": "Playground", "site_id": site, "service_codes": []string{"E2E-DOOR"},
			"notice": "Collected under the Municipal Act, 2001.", "notice_fr": "Recueillis en vertu de la Loi."}).object
	token := link["token"].(string)
	if link["url"] != staff.base+"/r/"+token {
		t.Errorf("the link leads to %v", link["url"])
	}
	shown := stranger.do(t, "GET", "/public/links/"+token, nil)
	if shown.status != 200 {
		t.Fatalf("%d %s", shown.status, shown.body)
	}
	time.Sleep(3100 * time.Millisecond) // what comes sooner was not written by a person
	given := stranger.do(t, "POST", "/public/links/"+token,
		map[string]any{"description": "The left chain is broken", "requester_email": "anne@example.ca", "stamp": shown.object["stamp"]})
	if given.status != 201 {
		t.Fatalf("%d %s", given.status, given.body)
	}
	list := staff.must(t, 200, "GET", "/v1/requests?number="+given.object["number"].(string), nil)
	request := list.object["data"].([]any)[0].(map[string]any)
	path := "/v1/requests/" + request["id"].(string)
	accepted := staff.must(t, 200, "POST", path+"/accept", map[string]any{"work_order": map[string]any{"title": "Mend the swing"}}).object
	if accepted["status"] != "accepted" {
		t.Fatalf("%v", accepted)
	}
	state := func() map[string]any { return staff.must(t, 200, "GET", path, nil).object }
	testwait.For(t, 20*time.Second, "the work order is there", func() bool { return state()["work_order_state"] == "linked" })
	order := "/v1/work-orders/" + state()["work_order_id"].(string)
	made := staff.must(t, 200, "GET", order, nil)
	if made.object["title"] != "Mend the swing" || made.object["site_id"] != site || strings.Contains(string(made.body), "anne@") {
		t.Errorf("%s", made.body)
	}
	staff.must(t, 409, "POST", path+"/accept", map[string]any{})
	staff.must(t, 200, "POST", order+"/transition", map[string]any{"to": "completed"})
	testwait.For(t, 20*time.Second, "the request is closed", func() bool { return state()["status"] == "closed" })
	receipt := stranger.do(t, "GET", "/r/status/"+given.object["receipt"].(string), nil, "Accept", "application/json")
	if receipt.object["status"] != "closed" {
		t.Errorf("%d %s", receipt.status, receipt.body)
	}

	jurisdiction := organization(t, city).ID
	form := url.Values{"jurisdiction_id": {jurisdiction}, "api_key": {staff.key}, "service_code": {"E2E-DOOR"},
		"address_string": {"Mill Park"}, "description": {"By an app"}}
	posted, err := http.Post(staff.base+"/open311/v2/requests.json", "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	_ = posted.Body.Close()
	if posted.StatusCode != 201 {
		t.Errorf("by Open311: %d", posted.StatusCode)
	}
	found := staff.must(t, 200, "GET", "/v1/requests?source=open311&service_code=E2E-DOOR", nil).object["data"].([]any)[0].(map[string]any)
	second := "/v1/requests/" + found["id"].(string)
	staff.must(t, 200, "PATCH", second, map[string]any{"published": true})
	listed, err := http.Get(staff.base + "/open311/v2/requests.xml?service_code=E2E-DOOR&jurisdiction_id=" + jurisdiction)
	if err != nil {
		t.Fatal(err)
	}
	published, err := io.ReadAll(listed.Body)
	_ = listed.Body.Close()
	if err != nil || listed.StatusCode != 200 || !strings.Contains(string(published), "By an app") ||
		strings.Contains(string(published), "left chain") {
		t.Errorf("%v %d %s", err, listed.StatusCode, published)
	}
	other := staff.create(t, "/v1/work-orders", map[string]any{"title": "Look at it"})
	linked := staff.must(t, 200, "POST", second+"/accept", map[string]any{"work_order_id": other}).object
	if linked["work_order_state"] != "linked" || linked["work_order_id"] != other {
		t.Errorf("%v", linked)
	}
	staff.must(t, 200, "POST", "/v1/work-orders/"+other+"/transition", map[string]any{"to": "completed"})
	testwait.For(t, 20*time.Second, "the request is closed", func() bool {
		return staff.must(t, 200, "GET", second, nil).object["status"] == "closed"
	})

	third := staff.create(t, "/v1/requests", map[string]any{"title": "Rust", "site_id": site})
	staff.must(t, 200, "POST", "/v1/requests/"+third+"/accept", map[string]any{"deficiency": map[string]any{"estimated_cost": 450}})
	testwait.For(t, 20*time.Second, "the deficiency is there", func() bool {
		record := staff.must(t, 200, "GET", "/v1/requests/"+third, nil).object
		if record["work_order_state"] == "refused" {
			t.Fatalf("%v", record["work_order_message"])
		}
		return record["deficiency_id"] != nil
	})
	if code := staff.must(t, 200, "GET",
		"/v1/request-links/"+link["id"].(string)+"/qr.svg", nil).header.Get("Content-Type"); code != "image/svg+xml" {
		t.Errorf("the QR code is %s", code)
	}
	staff.must(t, 200, "POST", "/v1/request-links/"+link["id"].(string)+"/rotate", nil)
	if gone := stranger.do(t, "GET", "/public/links/"+token, nil); gone.status != 404 {
		t.Errorf("a link that was rotated: %d", gone.status)
	}
}
