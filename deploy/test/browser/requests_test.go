package browser

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// made makes a record with the key that may do everything, and gives it.
func made(t testing.TB, path string, body map[string]any) map[string]any {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, base(t)+path, bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+organization(t, city).Keys["full"])
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: 20 * time.Second}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var record map[string]any
	if err := json.NewDecoder(response.Body).Decode(&record); err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("POST %s: %s %v %v", path, response.Status, record, err)
	}
	return record
}

// requestLink makes a link with one question, and gives the path of its page.
func requestLink(t testing.TB, code string) string {
	t.Helper()
	site := made(t, "/v1/sites", map[string]any{"name": "Mill Park " + code})
	made(t, "/v1/request-services", map[string]any{"service_code": code, "name": "Broken playground equipment", "name_fr": "Équipement de jeu brisé",
		"attributes": []map[string]any{{"code": "KIND", "question": "Which equipment?", "question_fr": "Quel équipement?", "datatype": "singlevaluelist",
			"required": true, "values": []map[string]any{{"key": "swing", "name": "Swing", "name_fr": "Balançoire"}}}}})
	link := made(t, "/v1/request-links", map[string]any{"name": "Playground, Mill Park", "name_fr": "Aire de jeux, parc du Moulin", "site_id": site["id"],
		"service_codes": []string{code}, "contact": "required",
		"notice": "Personal information on this form is collected under the Municipal Act, 2001, s. 8, to answer your request. Questions: Municipal " +
			"Clerk, 1 Main Street, 519 555 0100.",
		"notice_fr": "Les renseignements personnels sont recueillis en vertu de l’art. 8 de la Loi de 2001 sur les municipalités pour répondre à votre " +
			"demande. Questions : greffe, 1, rue Principale, 519 555-0100."})
	return "/r/" + link["token"].(string)
}

// A resident reports something from a sign: without an account, a script or a large screen, in either language.
func TestAResidentReportsAProblem(t *testing.T) {
	for language, words := range map[string]struct{ first, wrong, received, state string }{
		"en": {"What is the matter?", "Please correct this first", "Your request was received.", "Received; somebody will look at it"},
		"fr": {"Quel est le problème?", "À corriger d’abord", "Votre demande a été reçue.", "Reçue; quelqu’un l’étudiera"},
	} {
		t.Run(language, func(t *testing.T) {
			page := requestLink(t, "PLAY-"+strings.ToUpper(language))
			b := withoutScripts(t, phone)
			b.visit(page + "?lang=" + language)
			b.sees(words.first)
			b.scriptsForAxe(func() { b.accessible(); b.picture("form") })
			b.fill("#description", "The left chain of the swing is broken")
			b.run(chromedp.Sleep(4 * time.Second)) // as long as a person needs at least
			b.press("form button")
			b.sees(words.wrong)
			b.scriptsForAxe(func() { b.accessible(); b.picture("wrong") })
			evaluate(b, chromedp.Evaluate[chromedp.Void](`document.querySelector("#attribute-KIND").value = "swing"`))
			b.fill("#requester_phone", "519 555 0134")
			b.press("form button")
			b.sees(words.received, "REQ-")
			b.scriptsForAxe(b.accessible)
			b.press(`a[href^="/r/status/"]`)
			b.sees(words.state, "REQ-")
			b.scriptsForAxe(b.accessible)
			b.visit("/r/nowhere?lang=" + language)
			b.scriptsForAxe(b.accessible)
		})
	}
}

// scriptsForAxe lets scripts run while axe looks at the page, which has been made without.
func (b *tab) scriptsForAxe(look func()) {
	b.t.Helper()
	set := func(off bool) {
		if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: off}); err != nil {
			b.t.Fatal(err)
		}
	}
	set(false)
	look()
	set(true)
}
