package browser

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// hostile is the response of a receiver that attacks.
const hostile = `</pre></details><script>document.title = "taken"</script><img src=x onerror="document.title='taken'">` +
	"\x1b[2J\x1b[31m\u202egnp.exe"

// addEndpoint fills in the form of a new endpoint and gives its path and its secret.
func (b *tab) addEndpoint(address, description string, events ...string) (path, secret string) {
	b.t.Helper()
	b.visit("/settings/webhooks/new")
	b.fill("#url", address)
	b.fill("#description", description)
	for _, event := range events {
		b.tick("#event-" + event)
	}
	b.press("#save")
	secret = b.text("#webhook-secret")
	if !strings.HasPrefix(secret, "whsec_") || len(secret) != 50 {
		b.t.Fatalf("the page shows no secret but %q", secret)
	}
	return evaluate(b, chromedp.Evaluate[string](`document.querySelector('main .actions a').getAttribute("href")`)), secret
}

// until visits a page again until it says something.
func (b *tab) until(path, words string) {
	b.t.Helper()
	for deadline := time.Now().Add(90 * time.Second); ; time.Sleep(500 * time.Millisecond) {
		b.visit(path)
		if strings.Contains(b.words(), words) {
			return
		}
		if time.Now().After(deadline) {
			b.picture("failed")
			b.t.Fatalf("%s never says %q:\n%.2500s", path, words, b.words())
		}
	}
}

func TestTheWholeLifeOfAnEndpoint(t *testing.T) {
	for _, test := range fewerByDay([]struct {
		name, organization, language                                                          string
		look                                                                                  look
		once, responded, delivered, failing, failed, active, paused, waiting, deleted, trail1 string
	}{
		{"English on a desk", board, "en", desk, "This is the only time that you see the secret.", "Answered", "Delivered", "Failing since",
			"Trying again", "Active", "Paused", "Waiting", "The endpoint is deleted.", "paused the webhook endpoint"},
		{"français sur un téléphone", city, "fr", phone, "Vous ne verrez le secret que cette fois-ci.", "Réponse", "Livré", "En échec depuis le",
			"Nouvel essai prévu", "Actif", "En pause", "En attente", "Le point de réception est supprimé.", "a mis en pause le point de réception"},
	}) {
		t.Run(test.name, func(t *testing.T) {
			b := administrator(t, test.organization, test.language, test.look)
			key := b.makeKey("Writer "+test.language, "sites:read", "sites:write")
			r := newReceiver(t)
			site := func(name string) {
				t.Helper()
				if status, code := call(t, "POST", "/v1/sites", key, map[string]any{"name": name}); status != 201 {
					t.Fatalf("making %s: %d %s", name, status, code)
				}
			}

			path, secret := b.addEndpoint(r.server.URL+"/hooks", "ERP "+test.language, "site-all")
			b.sees(test.once, r.server.URL+"/hooks", "standardwebhooks")
			b.accessible()
			b.picture("secret")

			// A test, and a change through the REST API.
			b.press(`form[action$="/test"] button`)
			b.sees("webhook.test", test.responded+" 200", "merci", "<b>bold</b>")
			b.picture("tested")
			if c := r.awaits(1, "webhook.test", ""); !c.signed(t, secret) {
				t.Error("the test is not signed with the secret that was shown")
			}
			site("Marina " + test.language)
			c := r.awaits(1, "site.created", "Marina "+test.language)
			if !c.signed(t, secret) || c.signed(t, "whsec_"+strings.Repeat("A", 43)+"=") {
				t.Error("the change is not signed with the secret, or with any")
			}
			b.until(path, "site.created")
			b.until(path, test.delivered)
			b.picture("endpoint")

			// The receiver fails, and everybody can see why.
			r.respond(500, hostile)
			for i := range 6 {
				site(fmt.Sprintf("Hangar %d %s", i, test.language))
			}
			b.until(path, test.failing)
			b.picture("failing")
			b.visit("/settings/webhooks")
			b.sees(test.failing)
			b.picture("list")
			b.visit(path + "/deliveries?state=pending")
			b.picture("deliveries")
			b.accessible()
			// The one that was tried: others may wait behind the pause.
			b.visit(evaluate(b, chromedp.Evaluate[string](
				`[...document.querySelectorAll("li.entry")].find(e => e.querySelector(".state.retrying")).querySelector("a").getAttribute("href")`,
			)))
			b.sees(test.failed, test.responded+" 500", "‹U+001B›[2J", "<script>")
			if title := evaluate(b, chromedp.Evaluate[string](`document.title`)); title == "taken" ||
				evaluate(b, chromedp.Evaluate[int](`document.querySelectorAll("main script, main img").length`)) > 0 {
				t.Errorf("what the receiver answered was obeyed; the title is %q", title)
			}
			b.accessible()
			b.picture("delivery")

			// It works again: sent once more by hand.
			r.respond(200, "merci")
			b.press(`form[action$="/redeliver"] button`)
			again := strings.TrimPrefix(b.address(), base(t))
			b.visit(path)
			b.press(`form[action$="/resume"] button`) // without waiting for the next attempt
			b.until(again, test.delivered)
			b.sees(test.responded + " 200")
			b.picture("redelivered")
			b.until(path, test.active)

			b.press(`a[href$="/rotate"]`)
			b.picture("rotate")
			b.fill("#overlap_hours", "2")
			b.press("main form button.primary")
			second := b.text("#webhook-secret")
			b.picture("rotated")
			b.visit(path)
			b.press(`form[action$="/test"] button`)
			if c := r.awaits(2, "webhook.test", ""); second == secret || !c.signed(t, secret) || !c.signed(t, second) {
				t.Error("during the overlap a call is not signed with both secrets")
			}

			b.visit(path)
			b.press(`form[action$="/pause"] button`)
			b.sees(test.paused)
			site("Pause " + test.language)
			b.until(path, test.waiting)
			if len(r.got("site.created", "Pause "+test.language)) > 0 {
				t.Error("a paused endpoint was called")
			}
			b.picture("paused")
			b.press(`form[action$="/resume"] button`)
			b.sees(test.active)
			r.awaits(1, "site.created", "Pause "+test.language)

			// Everything since a time once more: each event keeps its id.
			b.press(`a[href$="/replay"]`)
			b.picture("replay")
			b.press("main form button.primary")
			b.picture("replaying")
			repeated := r.awaits(2, "site.created", "Pause "+test.language)
			if repeated.header.Get("webhook-id") != r.got("site.created", "Pause "+test.language)[0].header.Get("webhook-id") {
				t.Error("an event that is sent again has another webhook-id")
			}

			b.visit("/settings/audit")
			b.sees(test.trail1, r.server.URL+"/hooks")
			b.picture("audit")

			b.visit(path + "/delete")
			b.sees("site.*", r.server.URL+"/hooks")
			b.picture("delete")
			b.press("main form button.danger")
			b.sees(test.deleted)
			b.visit(path)
			if b.visit("/settings/webhooks"); strings.Contains(b.words(), r.server.URL) {
				t.Error("the endpoint is still on the list")
			}
			secretNowhere(t, b, r.server.URL, secret, second)
		})
	}
}

// secretNowhere looks for secrets in everything that the product wrote, and on the pages.
func secretNowhere(t *testing.T, b *tab, control string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		unwritten(t, "the secret", strings.TrimPrefix(secret, "whsec_"), control)
		for _, path := range []string{"/settings/webhooks", "/settings/audit", "/settings/webhooks/new"} {
			b.visit(path)
			if strings.Contains(evaluate(b, chromedp.OuterHTML(chromedp.CSS("html"))), strings.TrimPrefix(secret, "whsec_")) {
				t.Errorf("the secret stands on %s", path)
			}
		}
	}
}

func TestAnotherOrganizationsEndpointIsRefusedAndRecorded(t *testing.T) {
	theirs := administrator(t, city, "fr", desk)
	r := newReceiver(t)
	path, _ := theirs.addEndpoint(r.server.URL+"/theirs", "Theirs", "asset-all")
	theirs.press(`form[action$="/test"] button`)
	delivery := strings.TrimPrefix(strings.SplitN(theirs.address(), "?", 2)[0], base(t))

	p := signedIn(t, board)
	token := p.token("/settings/webhooks")
	for _, each := range []string{path, path + "/edit", path + "/rotate", path + "/delete", path + "/replay", path + "/deliveries", delivery} {
		if a := p.get(each); a.status != 404 || strings.Contains(a.body, r.server.URL) {
			t.Errorf("GET %s: %d", each, a.status)
		}
	}
	form := url.Values{"form_token": {token}, "overlap_hours": {"0"}, "since": {time.Now().Format("2006-01-02T15:04")}, "url": {r.server.URL},
		"event_types": {"*"}, "destination": {"https"}, "payload": {"full"}, "format": {"ams"}}
	for _, each := range []string{path + "/edit", path + "/pause", path + "/test", path + "/rotate", path + "/delete", path + "/replay",
		delivery + "/redeliver"} {
		if a := p.post(each, form); a.status != 404 {
			t.Errorf("POST %s: %d", each, a.status)
		}
	}
	id := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(path)
	if !p.trailHolds("record.refused", id) {
		t.Error("the audit trail does not say so")
	}
	theirs.visit(path)
	theirs.sees("Actif")
	if found := r.got("webhook.test", ""); len(found) != 1 {
		t.Errorf("the endpoint was called %d times", len(found))
	}
}
