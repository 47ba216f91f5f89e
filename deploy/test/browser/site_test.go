package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// withoutScripts is a browser in which scripts are off.
func withoutScripts(t *testing.T, as look) *tab {
	t.Helper()
	b := open(t, as)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	return b
}

// One page of each kind, each as one visitor sees it.
func TestEveryKindOfPageOfTheSiteIsAccessible(t *testing.T) {
	for name, visitor := range map[string]struct {
		look  look
		paths []string
	}{
		"phone, in French": {phone, []string{"/?lang=fr", "/docs", "/docs/guides/first-steps", "/docs/guides/limits", "/docs/reference/reports",
			"/docs/reference/assets/list_assets", "/docs/search?q=cle", "/docs/downloads", "/docs/nowhere"}},
		"night": {night, []string{"/", "/docs", "/docs/guides/paging", "/docs/guides/limits", "/docs/reference", "/docs/reference/webhooks",
			"/docs/reference/documents/create_document", "/docs/search?q=key", "/docs/downloads", "/docs/nowhere"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t, visitor.look)
			for _, path := range visitor.paths {
				b.visit(path)
				b.accessible()
			}
		})
	}
}

// code is the languages of the samples that are shown, of the first group of the page.
func (b *tab) code() string {
	b.t.Helper()
	return evaluate(b, chromedp.Evaluate[string](`[...document.querySelectorAll(".samples")[0].querySelectorAll("pre")].filter(p => `+
		`p.checkVisibility()).map(p => p.dataset.language).join()`))
}

func TestSamplesAreChosenByKeyboardAndRemembered(t *testing.T) {
	b := open(t, desk)
	b.visit("/docs/guides/first-steps")
	if shown := b.code(); shown != "sh" {
		t.Fatalf("a first visitor sees %q", shown)
	}
	b.tabTo(".samples input:checked")
	b.types(kb.ArrowRight)
	b.types(kb.ArrowRight)
	if shown := b.code(); shown != "python" {
		t.Errorf("two to the right of curl is %q", shown)
	}
	b.visit("/docs/guides/paging")
	if shown := b.code(); shown != "python" {
		t.Errorf("another page shows %q", shown)
	}
	b.tabTo(".sample-python .copy")
	b.types(kb.Enter)
	b.run(chromedp.Poll[chromedp.Void](`document.querySelector("#announcer").textContent === "Copied"`))
}

func TestTheSearchAnswersWhileOneTypes(t *testing.T) {
	b := open(t, desk)
	b.visit("/docs/guides/first-steps")
	b.tabTo("#find")
	b.types("IDEMPOTENCE")
	b.enter()
	b.sees("Nothing was found for “IDEMPOTENCE”.")
	b.tabTo("#find")
	b.types("IDEMPOTENCY") // in place of the words that are there: the field was reached by Tab
	b.run(chromedp.Poll[chromedp.Void](`document.querySelector("#results a[href='/docs/guides/api#records']") !== null`))
	b.accessible()
}

// Scripts are for comfort: reading, choosing a language, and searching need none.
func TestTheSiteNeedsNoScript(t *testing.T) {
	b := withoutScripts(t, desk)
	b.visit("/")
	b.press(`.cards a[href="/docs/guides/first-steps"]`)
	b.run(chromedp.Click(chromedp.CSS(".samples label:nth-of-type(4)")))
	// Scripts of the page are off; what a test evaluates is not one of them.
	if shown := b.code(); shown != "go" {
		t.Errorf("the fourth tab shows %q", shown)
	}
	if evaluate(b, chromedp.Evaluate[int](`document.querySelectorAll(".copy").length`)) != 0 {
		t.Error("the page has run a script")
	}
	b.run(chromedp.Focus(chromedp.CSS("#find")))
	b.types("on_conflict")
	b.enter()
	b.press(`#results a[href^="/docs/guides/bulk"]`)
	b.sees("A thousand records in one call")
	b.visit("/docs/reference/assets")
	b.sees("GET", "/v1/assets/{id}", "replacement_cost", "From 1 (negligible) to 5 (catastrophic).")
}

func TestPrintShowsEveryLanguage(t *testing.T) {
	b := open(t, desk)
	b.visit("/docs/guides/first-steps")
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	if shown := b.code(); shown != "sh,ts,python,go" {
		t.Errorf("on paper stand %q", shown)
	}
	if evaluate(b, chromedp.Evaluate[bool](`document.querySelector(".masthead").checkVisibility()`)) {
		t.Error("the navigation is printed")
	}
}

// TestPicturesOfTheSiteForTheREADME takes the two pictures that docs/ has: copy site-home.png and site-first-steps.png from the folder of
// pictures when the site has changed.
func TestPicturesOfTheSiteForTheREADME(t *testing.T) {
	b := open(t, look{width: 1280, height: 800})
	for name, path := range map[string]string{"site-home": "/", "site-first-steps": "/docs/guides/first-steps#a-first-asset"} {
		b.visit(path)
		if content := fmt.Sprint(evaluate(b, chromedp.Evaluate[int](`document.fonts.size`))); content == "0" {
			t.Errorf("%s has no typeface", path)
		}
		b.run(chromedp.Evaluate[chromedp.Void](`document.fonts.ready`, chromedp.EvalAwaitPromise))
		b.framed(name)
	}
	b.visit("/docs/reference/sites?lang=en")
	b.panel("list_sites")
	b.run(chromedp.Evaluate[chromedp.Void](`document.querySelector("details.try[open]").scrollIntoView()`))
	b.framed("site-try")
}
