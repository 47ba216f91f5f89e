package browser

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"image"
	"image/draw"
	_ "image/png" // what a browser's picture is
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// asked sends a request with the key that may do everything, and gives the body of the answer.
func asked(t testing.TB, status int, method, path string, body any) []byte {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(method, base(t)+path, bytes.NewReader(encoded))
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
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status {
		t.Fatalf("%s %s: %s %s %v", method, path, response.Status, content, err)
	}
	return content
}

// made makes a record, and gives it.
func made(t testing.TB, path string, body map[string]any) (record map[string]any) {
	t.Helper()
	if err := json.Unmarshal(asked(t, http.StatusCreated, http.MethodPost, path, body), &record); err != nil {
		t.Fatal(err)
	}
	return record
}

// requestLink makes a link with one question, and gives its id and the path of its page.
func requestLink(t testing.TB, code string) (id, page string) {
	t.Helper()
	site := made(t, "/v1/sites", map[string]any{"name": "Mill Park " + code})
	made(t, "/v1/request-services", map[string]any{"service_code": code,
		"name": "Broken playground equipment", "name_fr": "Équipement de jeu brisé", "attributes": []map[string]any{{"code": "KIND",
			"question": "Which equipment?", "question_fr": "Quel équipement?", "datatype": "singlevaluelist",
			"required": true, "values": []map[string]any{{"key": "swing", "name": "Swing", "name_fr": "Balançoire"}}}}})
	link := made(t, "/v1/request-links", map[string]any{"name": "Playground, Mill Park", "name_fr": "Aire de jeux, parc du Moulin",
		"site_id": site["id"], "service_codes": []string{code}, "contact": "required", "notice": "Personal information on this form " +
			"is collected under the Municipal Act, 2001, s. 8, to answer your request. Questions: Municipal " +
			"Clerk, 1 Main Street, 519 555 0100.", "notice_fr": "Les renseignements personnels sont recueillis en vertu de l’art. " +
			"8 de la Loi de 2001 sur les municipalités pour répondre à votre demande. Questions : greffe, 1, rue Principale, 519 555-0100."})
	return link["id"].(string), "/r/" + link["token"].(string)
}

// A resident reports something from a sign: without an account, a script or a large screen, in either language.
func TestAResidentReportsAProblem(t *testing.T) {
	for language, words := range map[string]struct{ first, wrong, received, state string }{
		"en": {"What is the matter?", "Please correct this first", "Your request was received.", "Received; somebody will look at it"},
		"fr": {"Quel est le problème?", "À corriger d’abord", "Votre demande a été reçue.", "Reçue; quelqu’un l’étudiera"},
	} {
		t.Run(language, func(t *testing.T) {
			_, page := requestLink(t, "PLAY-"+strings.ToUpper(language))
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
		if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: off}); err != nil {
			b.t.Fatal(err)
		}
	}
	set(false)
	look()
	set(true)
}

// The sign on the playground, drawn by a browser and read by somebody else's reader (a port of ZXing), leads to the page; also when
// its middle is painted over.
func TestTheSignLeadsToThePage(t *testing.T) {
	id, page := requestLink(t, "PLAY-SIGN")
	picture := asked(t, http.StatusOK, http.MethodGet, "/v1/request-links/"+id+"/qr.svg", nil)
	b := withoutScripts(t, phone)
	b.run(chromedp.Navigate("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(picture)))
	drawn, _, err := image.Decode(bytes.NewReader(evaluate(b, chromedp.FullScreenshot(100))))
	if err != nil {
		t.Fatal(err)
	}
	read := func(sign image.Image) (string, error) {
		bitmap, err := gozxing.NewBinaryBitmapFromImage(sign)
		if err != nil {
			return "", err
		}
		// Upright, as a screen shows it: the search for a code in a photo misses one in a hundred of those that are drawn exactly.
		result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{gozxing.DecodeHintType_PURE_BARCODE: true})
		if err != nil {
			return "", err
		}
		return result.GetText(), nil
	}
	address, err := read(drawn)
	if err != nil || address != base(t)+page {
		t.Fatalf("the sign says %q, want %q: %v", address, base(t)+page, err)
	}
	var size struct {
		Width int `xml:"width,attr"`
	}
	if err := xml.Unmarshal(picture, &size); err != nil || size.Width < 200 {
		t.Fatal(size, err)
	}
	painted := image.NewRGBA(drawn.Bounds())
	draw.Draw(painted, painted.Bounds(), drawn, drawn.Bounds().Min, draw.Src)
	draw.Draw(painted, image.Rect(size.Width*2/5, size.Width*2/5, size.Width*3/5, size.Width*3/5), image.White, image.Point{}, draw.Src)
	if address, err := read(painted); err != nil || address != base(t)+page {
		t.Errorf("the sign with paint on it says %q: %v", address, err)
	}
	b.run(chromedp.Navigate(address + "?lang=fr"))
	b.sees("Quel est le problème?")
}
