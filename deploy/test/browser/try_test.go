package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// panel opens the panel of an operation by keyboard and waits for its form.
func (b *tab) panel(operation string) {
	b.t.Helper()
	summary := fmt.Sprintf(`section[aria-labelledby=%s] .try > summary`, operation)
	b.run(chromedp.Poll[chromedp.Void](`document.querySelector("` + summary + `")?.checkVisibility()`))
	b.run(chromedp.Focus(chromedp.CSS(summary)))
	b.types(kb.Enter)
	b.run(chromedp.Poll[chromedp.Void](`document.querySelector("#try-` + operation + `-key")?.checkVisibility()`))
}

// responds sends the form that has the focus and waits for a status.
func (b *tab) responds(operation, status string) {
	b.t.Helper()
	b.types(kb.Enter)
	b.run(chromedp.Poll[chromedp.Void](fmt.Sprintf(`[...document.querySelectorAll("section[aria-labelledby=%s] .try-state")].some(s =>
		s.textContent.startsWith("%s "))`, operation, status)))
}

// shows is the body that the panel of an operation shows.
func (b *tab) shows(operation string) string {
	b.t.Helper()
	return evaluate(b, chromedp.Evaluate[string](
		`document.querySelector("section[aria-labelledby=`+operation+`] .try-result pre").textContent`))
}

// nowhere holds that a key is in nothing that outlives the page, and in nothing that the page shows.
func (b *tab) nowhere(key string) {
	b.t.Helper()
	left := evaluate(b, chromedp.Evaluate[string](`(async () => JSON.stringify([localStorage, sessionStorage, document.cookie, location.href,
		history.state, await indexedDB.databases(), await caches.keys(), document.documentElement.outerHTML, document.body.innerText]))()`,
		chromedp.EvalAwaitPromise))
	if strings.Contains(left, key) {
		b.t.Errorf("the key is left in %.3000s", left)
	}
	if !strings.Contains(left, "$AMS_API_KEY") {
		b.t.Errorf("the command has no place for the key: %.3000s", left)
	}
}

// first is the id of the first record of a page.
func first(t *testing.T, page string) string {
	t.Helper()
	var list struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(page), &list); err != nil || len(list.Data) == 0 {
		t.Fatalf("%v: %.500s", err, page)
	}
	return list.Data[0].ID
}

// An operation is tried on its page of the reference, by keyboard, in both languages, on a desk and on a phone.
func TestAnOperationIsTriedOnItsPage(t *testing.T) {
	key := organization(t, city).Keys["full"]
	call(t, "POST", "/v1/sites", key, map[string]any{"name": t.Name()}) // that there is one to find
	for _, visitor := range []struct {
		name, query, try string
		look             look
	}{
		{"English at night", "?lang=en", "Try it", night},
		{"français sur un téléphone", "?lang=fr", "Essayer", phone},
	} {
		t.Run(visitor.name, func(t *testing.T) {
			b := open(t, visitor.look)
			b.visit("/docs/reference/sites" + visitor.query)
			b.panel("list_sites")
			b.sees(visitor.try)
			t.Logf("the form of the first operation is usable %.0f ms after the navigation began, the page was loaded after %.0f ms",
				evaluate(b, chromedp.Evaluate[float64](`performance.now()`)),
				evaluate(b, chromedp.Evaluate[float64](`performance.getEntriesByType("navigation")[0].loadEventEnd`)))
			b.tabTo("#try-list_sites-key")
			b.types(key)
			b.responds("list_sites", "200")
			sites := b.shows("list_sites")
			b.sees("X-Request-Id", "X-RateLimit-Remaining", "application/json", `"total_pages"`)
			b.nowhere(key)
			b.accessible()

			// Another operation: its panel takes the place of the first, and the page still has the key.
			b.panel("get_site")
			if evaluate(b, chromedp.Evaluate[int](`document.querySelectorAll(".try[open]").length`)) != 1 {
				t.Error("two panels are open")
			}
			b.run(chromedp.Focus(chromedp.CSS("#try-get_site-0")))
			b.types(kb.Enter) // without an id nothing is sent
			id := first(t, sites)
			b.types(id)
			b.responds("get_site", "200")
			if body := b.shows("get_site"); !strings.Contains(body, `"id": "`+id+`"`) {
				t.Errorf("the site that was asked for is %.500s", body)
			}
			b.nowhere(key)
			b.accessible()

			b.visit("/docs/reference/sites" + visitor.query)
			b.panel("list_sites")
			if value := evaluate(b, chromedp.Evaluate[string](`document.querySelector("#try-list_sites-key").value`)); value != "" {
				t.Errorf("a new page has the key %q", value)
			}
		})
	}
}

// What an organization has written is text in the panel, and a refusal is shown as a response is.
func TestThePanelShowsWhatComesAsText(t *testing.T) {
	key := organization(t, city).Keys["full"]
	b := open(t, desk)
	b.visit("/docs/reference/vendors")
	b.panel("create_vendor")
	begins := evaluate(b, chromedp.Evaluate[string](`document.querySelector("#try-create_vendor-body").value`))
	if !strings.Contains(begins, `"name": "`) {
		t.Errorf("the body begins with %s", begins)
	}
	b.run(chromedp.Focus(chromedp.CSS("#try-create_vendor-key")))
	b.types("ams_live_of-nobody")
	b.responds("create_vendor", "401")
	b.accessible()
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("#try-create_vendor-key").select()`))
	b.types(key)
	b.fill("#try-create_vendor-body", `{"name": "It's <b id='injected'>bold</b> & more"}`)
	b.run(chromedp.Focus(chromedp.CSS("#try-create_vendor-key")))
	b.responds("create_vendor", "201")
	if body := b.shows("create_vendor"); !strings.Contains(body, `"It's <b id='injected'>bold</b> & more"`) {
		t.Errorf("the panel shows %.500s", body)
	}
	if evaluate(b, chromedp.Evaluate[bool](`document.querySelector("#injected") !== null`)) {
		t.Error("a response has become part of the page")
	}
	b.sees("ETag", "Location", `-H 'Content-Type: application/json'`, `--data-raw '{"name": "It'\''s <b`)
}

// Links to operations in Swagger UI lead to their places in the reference.
func TestFormerLinksToOperationsLeadToTheReference(t *testing.T) {
	b := open(t, desk)
	for _, former := range []string{"/docs#/me/get_me", "/docs/try#/me/get_me"} {
		b.visit(former)
		b.run(chromedp.Poll[chromedp.Void](`location.pathname + location.hash === "/docs/reference/me#get_me"`))
		b.visit("/")
	}
}
