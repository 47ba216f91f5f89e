package browser

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestAnEndpointsFormNamesWhatIsWrong(t *testing.T) {
	english := administrator(t, board, "en", desk)
	french := administrator(t, city, "fr", phone)
	r := newReceiver(t)
	for _, b := range []*tab{english, french} {
		b.addEndpoint(r.server.URL+"/taken", "Taken", "asset-all")
	}
	for _, test := range []struct {
		name, field, value string // what is typed instead of something right
		beside, en, fr     string
		message            string // by the service, of this value
	}{
		{"no address", "#url", "", "url", "Enter the address that is to be called.", "Entrez l’adresse à appeler.", ""},
		{"no URL", "#url", "example", "url", "Enter a public https address", "Entrez une adresse https publique", "must be an https URL"},
		{"plain http", "#url", "http://203.0.113.7/hooks", "url", "Enter a public https address", "Entrez une adresse https publique",
			"must be an https URL"},
		{"a password in it", "#url", "https://anne:secret@example.com/hooks", "url", "Enter a public https address",
			"Entrez une adresse https publique", "must not contain a user name or a password"},
		{"a port of another service", "#url", "https://example.com:22/hooks", "url", "Enter a public https address",
			"Entrez une adresse https publique", "port 22"},
		{"an address that is not public", "#url", "https://10.1.2.3/hooks", "url", "Enter a public https address",
			"Entrez une adresse https publique", "10.1.2.3"},
		{"an address of a cloud's inside", "#url", "https://169.254.169.254/latest", "url", "Enter a public https address",
			"Entrez une adresse https publique", "169.254.169.254"},
		{"a name that is not public", "#url", "https://db.internal/hooks", "url", "Enter a public https address",
			"Entrez une adresse https publique", "db.internal"},
		{"taken", "#url", r.server.URL + "/taken", "url", "This is not possible together with what is there already.",
			"Ce n’est pas possible avec ce qui existe déjà.", "There already is a webhook endpoint"},
		{"no events", "events", "", "event_types", "Choose at least one event.", "Choisissez au moins un événement.", ""},
		{"no number", "#rate_limit", "0", "rate_limit", "Enter a whole number from 1 to 1000", "Entrez un nombre entier de 1 à 1000", ""},
		{"a reserved header", "#headers", "Webhook-Id: 7", "headers", "Enter headers of your own.", "Entrez des en-têtes à vous.",
			"is a reserved header"},
		{"a header that is none", "#headers", "Authorization", "headers", "“Authorization” is no header.",
			"« Authorization » n’est pas un en-tête.", ""},
		{"a field that cannot be one", "#changed_any", "Status!", "changed_any", "Enter names of fields", "Entrez des noms de champs",
			"is not a field of the records that these event_types are about"},
		{"a filter that is none", "#filters", "priority=urgent", "filters", "“priority=urgent” is no filter.",
			"« priority=urgent » n’est pas un filtre.", ""},
		{"a filter on no field", "#filters", "condition_ratng: 5", "filters", "Enter fields and values", "Entrez des champs et des valeurs",
			"did you mean condition_rating?"},
	} {
		for _, b := range []*tab{english, french} {
			want := test.en
			if b == french {
				want = test.fr
			}
			b.visit("/settings/webhooks/new")
			b.fill("#url", r.server.URL+"/free")
			b.fill("#description", "Kept words")
			if test.field != "events" {
				b.tick("#event-asset-all")
			}
			b.run(chromedp.Click(chromedp.CSS("details.optional > summary")))
			if strings.HasPrefix(test.field, "#") {
				b.fill(test.field, test.value)
			}
			b.press("#save")
			message := strings.ReplaceAll(b.text("#"+test.beside+"-problem"), "\u00a0", " ")
			if !strings.Contains(message, want) || !strings.Contains(message, test.message) {
				b.t.Errorf("%s: beside the field stands %q, want %q and %q", test.name, message, want, test.message)
			}
			if kept := evaluate(b, chromedp.Value(chromedp.CSS("#description"))); kept != "Kept words" {
				t.Errorf("%s: the description came back as %q", test.name, kept)
			}
			if strings.HasPrefix(test.field, "#") {
				if kept := evaluate(b, chromedp.Value(chromedp.CSS(test.field))); kept != test.value {
					t.Errorf("%s: %s came back as %q", test.name, test.field, kept)
				}
			}
			if test.field != "events" && !evaluate(b, chromedp.Evaluate[bool](`document.querySelector("#event-asset-all").checked`)) {
				t.Errorf("%s: the event is not ticked any more", test.name)
			}
		}
	}
	english.accessible()
	french.accessible()
	english.picture("problem")
	french.picture("problem")
	if body := signedIn(t, board).get("/settings/webhooks").body; strings.Contains(body, "Kept words") {
		t.Error("an endpoint was made all the same")
	}
}

func TestAnEndpointIsEditedAndItsHeadersStay(t *testing.T) {
	b := administrator(t, board, "en", desk)
	r := newReceiver(t)
	path, _ := b.addEndpoint(r.server.URL+"/edited", "First words", "work-order-all")
	b.press("main .actions a.primary")
	b.press(`a[href$="/edit"]`)
	b.run(chromedp.Click(chromedp.CSS("details.optional > summary")))
	b.fill("#headers", "Authorization: Bearer of-the-receiver\nX-Tenant: 7")
	b.fill("#rate_limit", "50")
	b.press("#save")
	b.sees("The endpoint is saved.", "Authorization: ••••", "X-Tenant: ••••", "50 calls a second")
	b.press(`a[href$="/edit"]`)
	b.fill("#description", "Second words")
	b.fill("#headers", strings.Replace(evaluate(b, chromedp.Value(chromedp.CSS("#headers"))), "X-Tenant: ••••", "", 1))
	b.press("#save")
	b.sees("Second words", "Authorization: ••••")
	if strings.Contains(b.words(), "X-Tenant") {
		t.Error("a header that was taken away is still there")
	}
	b.press(`form[action$="/test"] button`)
	b.sees("Answered 200")
	if c := r.awaits(1, "webhook.test", ""); c.header.Get("Authorization") != "Bearer of-the-receiver" || c.header.Get("X-Tenant") != "" {
		t.Errorf("the call came with %v", c.header)
	}
	b.run(chromedp.Click(chromedp.CSS("li.row details:last-of-type > summary")))
	b.sees("Authorization: ••••", "Webhook-Signature: v1,")
	b.picture("sent")
	for _, page := range []string{path, path + "/edit", path + "/deliveries", "/settings/audit"} {
		b.visit(page)
		if strings.Contains(evaluate(b, chromedp.OuterHTML(chromedp.CSS("html"))), "of-the-receiver") {
			t.Errorf("the header's value stands on %s", page)
		}
	}
	unwritten(t, "the header's value", "of-the-receiver", r.server.URL)
}

func TestAnEndpointIsAddedWithTheKeyboardAlone(t *testing.T) {
	b := administrator(t, board, "en", desk)
	r := newReceiver(t)
	b.visit("/settings/webhooks")
	b.tabTo(`a[href="/settings/webhooks/new"]`)
	b.enter()
	b.tabTo("#url")
	b.types(r.server.URL + "/keyboard")
	b.tabTo("#event-asset-all")
	b.types(kb.Tab) // the single events of the same record
	b.types(kb.Enter)
	b.tabTo("#event-asset-condition-changed")
	b.types(" ")
	b.tabTo("#save")
	b.enter()
	b.tabTo(`[data-copy=webhook-secret]`)
	b.types(kb.Enter)
	b.run(chromedp.Poll[chromedp.Void](`document.querySelector("#announcer").textContent === "Copied"`))
	b.tabTo(`form[action$="/test"] button`)
	b.enter()
	b.sees("Answered 200")
	r.awaits(1, "webhook.test", "")
}

func TestAnUnknownEventOrSiteIsRefused(t *testing.T) {
	p := signedIn(t, board)
	for name, more := range map[string]url.Values{
		"event_types": {"event_types": {"boat.sunk"}}, "site_ids": {"site_ids": {"0199a3c5-0000-7000-8000-00000000dead"}},
		"exclude_origins": {"exclude_origins": {"mars"}}, "payload": {"payload": {"thick"}},
	} {
		form := url.Values{"form_token": {p.token("/settings/webhooks/new")},
			"sent": {between(t, p.get("/settings/webhooks/new").body, `name="sent" value="`, `"`)},
			"url":  {"https://example.com/hooks"}, "event_types": {"asset.*"}, "destination": {"https"}, "payload": {"full"}, "format": {"ams"}}
		for field, values := range more {
			form[field] = values
		}
		if a := p.post("/settings/webhooks", form); a.status != 400 || !strings.Contains(a.body, `id="`+name+`-problem"`) {
			t.Errorf("%s: %d %.300s", name, a.status, a.body)
		}
	}
}
