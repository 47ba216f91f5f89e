package requests

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"ams.internal/libs/resource/resourcetest"
)

// document is a page as a browser reads it.
type document struct{ nodes []*html.Node }

func parse(t testing.TB, page string) document {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	d := document{}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			d.nodes = append(d.nodes, n)
		}
	}
	return d
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (d document) all(tags ...string) (found []*html.Node) {
	for _, n := range d.nodes {
		if slices.Contains(tags, n.Data) {
			found = append(found, n)
		}
	}
	return found
}

func (d document) byID(id string) *html.Node {
	for _, n := range d.nodes {
		if attr(n, "id") == id {
			return n
		}
	}
	return nil
}

func textOf(n *html.Node) string {
	var text strings.Builder
	for below := range n.Descendants() {
		if below.Type == html.TextNode {
			text.WriteString(below.Data)
		}
	}
	return strings.TrimSpace(text.String())
}

// checkPage checks what every page owes to people who cannot see it, have no script, or hold it in one hand.
func checkPage(t testing.TB, name, page, lang string) document {
	t.Helper()
	d := parse(t, page)
	if root := d.all("html"); attr(root[0], "lang") != lang {
		t.Errorf("%s: the language is %q, want %q", name, attr(root[0], "lang"), lang)
	}
	if len(d.all("script", "iframe", "style", "img", "object")) > 0 || len(d.all("h1")) != 1 || len(d.all("main")) != 1 ||
		textOf(d.all("title")[0]) == "" {
		t.Errorf("%s: a page has no script, style or picture of its own, one heading, one main part and a title: %s", name, page)
	}
	if !strings.Contains(page, `content="width=device-width, initial-scale=1"`) {
		t.Errorf("%s: the page is not made for phones", name)
	}
	ids := map[string]bool{}
	for _, n := range d.nodes {
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
				t.Errorf("%s: <%s %s=%q>", name, n.Data, a.Key, a.Val)
			}
		}
		if id := attr(n, "id"); id != "" && ids[id] {
			t.Errorf("%s: two elements have the id %s", name, id)
		} else if id != "" {
			ids[id] = true
		}
	}
	for _, n := range d.nodes {
		for described := range strings.FieldsSeq(attr(n, "aria-describedby")) {
			if !ids[described] {
				t.Errorf("%s: %s is described by %s, which is not there", name, attr(n, "id"), described)
			}
		}
		if href := attr(n, "href"); strings.HasPrefix(href, "#") && !ids[href[1:]] {
			t.Errorf("%s: a link leads to %s, which is not there", name, href)
		}
	}
	for _, n := range d.all("input", "select", "textarea") {
		if attr(n, "type") == "hidden" {
			continue
		}
		labelled := slices.ContainsFunc(d.all("label"), func(l *html.Node) bool { return attr(l, "for") == attr(n, "id") && textOf(l) != "" })
		if !labelled {
			t.Errorf("%s: %s has no label", name, attr(n, "name"))
		}
	}
	for _, n := range d.all("fieldset") {
		if n.FirstChild == nil || !slices.ContainsFunc(slices.Collect(n.ChildNodes()), func(c *html.Node) bool {
			return c.Data == "legend" && textOf(c) != ""
		}) {
			t.Errorf("%s: a fieldset has no legend", name)
		}
	}
	if regexp.MustCompile(`>[a-z]+\.[a-z.0-9]+<`).MatchString(page) {
		t.Errorf("%s: a message is missing: %s", name, page)
	}
	return d
}

var questions = []fields{
	{"code": "KIND", "question": "Which equipment?", "question_fr": "Quel équipement?", "datatype": "singlevaluelist", "required": true,
		"values": []fields{{"key": "swing", "name": "Swing", "name_fr": "Balançoire"}, {"key": "slide", "name": "Slide", "name_fr": "Glissade"}}},
	{"code": "HURT", "question": "Is somebody hurt?", "question_fr": "Quelqu’un est-il blessé?", "datatype": "multivaluelist",
		"values": []fields{{"key": "child", "name": "A child", "name_fr": "Un enfant"},
			{"key": "adult", "name": "An adult", "name_fr": "Un adulte"}}},
	{"code": "SINCE", "question": "Since when?", "question_fr": "Depuis quand?", "datatype": "datetime", "hint": "2026-11-23"},
	{"code": "COUNT", "question": "How many?", "question_fr": "Combien?", "datatype": "number"},
	{"code": "MORE", "question": "Anything else?", "question_fr": "Autre chose?", "datatype": "text"},
	{"code": "NOTE", "question": "In an emergency call 911.", "question_fr": "En cas d’urgence, faites le 911.", "variable": false},
}

func TestThePageIsForEverybody(t *testing.T) {
	f := newFixture(t)
	f.service(t, fields{"attributes": questions})
	f.service(t,
		fields{"service_code": "LIGHT", "name": "Light", "name_fr": "Éclairage", "description": "It is dark", "description_fr": "Il fait noir"})
	one, _ := f.link(t, fields{"service_codes": []string{"PLAYGROUND"}, "contact": "required"})
	several, _ := f.link(t, fields{"service_codes": []string{"PLAYGROUND", "LIGHT"}})
	none, _ := f.link(t, fields{"contact": "no"})
	s := f.stranger(1)
	given := s.must(t, 201, "POST", "/public/links/"+none, fields{"description": "Bris", "stamp": s.stamp(t, none)}).json["receipt"].(string)
	for _, lang := range []string{"en", "fr"} {
		for name, path := range map[string]string{"form": "/r/" + one, "choice": "/r/" + several, "chosen": "/r/" + several + "?service=LIGHT",
			"plain": "/r/" + none, "receipt": "/r/status/" + given, "gone": "/r/" + newToken()} {
			at, _ := url.Parse(path)
			query := at.Query()
			query.Set("lang", lang)
			at.RawQuery = query.Encode()
			answer := s.do(t, "GET", at.String(), nil)
			if want := map[bool]int{true: 404, false: 200}[name == "gone"]; answer.status != want || answer.header.Get("Content-Language") != lang {
				t.Fatalf("%s: %d %v", name, answer.status, answer.header)
			}
			checkPage(t, name+" "+lang, answer.body, lang)
		}
	}
	form := s.must(t, 200, "GET", "/r/"+one+"?lang=fr", nil).body
	for _, text := range []string{"Aire de jeux, parc du Moulin", "Quel équipement?", "Glissade", "Recueillis en vertu de la Loi", "Envoyer",
		"En cas d’urgence", `autocomplete="email"`, `href="/r/` + one + `?lang=en&amp;service=PLAYGROUND"`} {
		if !strings.Contains(form, text) {
			t.Errorf("the form in French does not say %q: %s", text, form)
		}
	}
	plain := s.must(t, 200, "GET", "/r/"+none, nil).body
	if strings.Contains(plain, "requester_") || !strings.Contains(plain, "Municipal Act") {
		t.Errorf("the form without contact data: %s", plain)
	}
	choice := checkPage(t, "choice", s.must(t, 200, "GET", "/r/"+several, nil).body, "en")
	if len(choice.all("form")) != 0 || len(choice.all("li")) != 2 {
		t.Error("two services are not chosen from first")
	}
}

func TestThePageHasTheBrowsersLanguage(t *testing.T) {
	f := newFixture(t)
	token, _ := f.link(t, fields{})
	for accept, want := range map[string]string{"fr-CA,fr;q=0.9,en;q=0.8": "fr", "en-CA": "en", "de,fr;q=0.5": "fr", "": "en", "de": "en"} {
		page := f.stranger(1).must(t, 200, "GET", "/r/"+token, nil, "Accept-Language", accept)
		checkPage(t, accept, page.body, want)
	}
	page := f.stranger(1).must(t, 200, "GET", "/r/"+token+"?lang=en", nil, "Accept-Language", "fr-CA")
	checkPage(t, "chosen", page.body, "en")
}

// What is wrong is said at the top and at the field, and nothing that was written is lost or becomes markup.
func TestAFormThatIsNotRightComesBackAsItWas(t *testing.T) {
	f := newFixture(t)
	f.service(t, fields{"attributes": questions})
	token, _ := f.link(t, fields{"service_codes": []string{"PLAYGROUND"}, "contact": "required"})
	s := f.stranger(1)
	fresh := checkPage(t, "fresh", s.must(t, 200, "GET", "/r/"+token+"?lang=fr", nil).body, "fr")
	stamp := ""
	for _, n := range fresh.all("input") {
		if attr(n, "name") == "stamp" {
			stamp = attr(n, "value")
		}
	}
	action := attr(fresh.all("form")[0], "action")
	f.clock.pass(20 * time.Second)
	form := url.Values{"stamp": {stamp}, "service_code": {"PLAYGROUND"}, "description": {`</textarea><script>alert("x")</script>`},
		"attribute[HURT]": {"child", "adult"}, "attribute[COUNT]": {"many"}, "requester_name": {`"><b>Anne`}, "website": {""}}
	answer := s.must(t, 400, "POST", action, form)
	d := checkPage(t, "wrong", answer.body, "fr")
	if strings.Contains(answer.body, "<script") || strings.Contains(answer.body, "<b>Anne") {
		t.Errorf("markup was not shown as text: %s", answer.body)
	}
	if !strings.HasPrefix(textOf(d.all("title")[0]), "Erreur") || !strings.Contains(answer.body, `role="alert"`) {
		t.Errorf("the page does not say that something is wrong: %s", answer.body)
	}
	for id, wrong := range map[string]bool{"attribute-KIND": true, "attribute-COUNT": true, "requester_email": true, "description": false,
		"requester_name": false} {
		n := d.byID(id)
		if (attr(n, "aria-invalid") == "true") != wrong || wrong && attr(n, "aria-describedby") == "" {
			t.Errorf("%s is marked %q", id, attr(n, "aria-invalid"))
		}
	}
	if textOf(d.byID("description")) != form.Get("description") || attr(d.byID("requester_name"), "value") != form.Get("requester_name") {
		t.Error("what was written is lost")
	}
	for _, id := range []string{"attribute-HURT-0", "attribute-HURT-1"} {
		if !slices.ContainsFunc(d.byID(id).Attr, func(a html.Attribute) bool { return a.Key == "checked" }) {
			t.Errorf("%s is not checked any more", id)
		}
	}
	for _, n := range d.all("input") {
		if attr(n, "name") == "stamp" && attr(n, "value") != stamp {
			t.Error("who corrects something in less than 3 seconds would be taken for a program")
		}
	}
	form.Set("attribute[KIND]", "slide")
	form.Set("attribute[COUNT]", "2,5")
	form.Set("requester_phone", "519 555 0134")
	thanks := s.must(t, 201, "POST", action, form)
	d = checkPage(t, "thanks", thanks.body, "fr")
	if !strings.Contains(thanks.body, "REQ-000001") {
		t.Errorf("%s", thanks.body)
	}
	records, _ := f.List(t, "/v1/requests")
	resourcetest.Expect(t, records[0], fields{"attributes": fields{"KIND": "slide", "HURT": "child,adult", "COUNT": "2,5"},
		"requester_phone": "519 555 0134", "description": form.Get("description"), "source": "link"})
	receipt := ""
	for _, a := range d.all("a") {
		if strings.HasPrefix(attr(a, "href"), "/r/status/") {
			receipt = attr(a, "href")
		}
	}
	checkPage(t, "receipt", s.must(t, 200, "GET", receipt, nil).body, "fr")
}

func TestStrangersWhoMustWaitAreToldSo(t *testing.T) {
	f := newFixture(t)
	token, _ := f.link(t, fields{})
	s := f.stranger(1)
	form := url.Values{"description": {"Bris"}, "stamp": {s.stamp(t, token)}}
	for range 10 {
		s.must(t, 201, "POST", "/r/"+token, form)
	}
	answer := s.must(t, 429, "POST", "/r/"+token+"?lang=fr", form)
	checkPage(t, "slow", answer.body, "fr")
	if !strings.Contains(answer.body, "Veuillez patienter") || answer.header.Get("Retry-After") == "" {
		t.Errorf("%s", answer.body)
	}
}

func TestEveryMessageIsInBothLanguages(t *testing.T) {
	all := loadLanguages()
	english, french := slices.Sorted(maps.Keys(all["en"].words)), slices.Sorted(maps.Keys(all["fr"].words))
	if !slices.Equal(english, french) {
		t.Errorf("the languages have other messages:\n%v\n%v", english, french)
	}
	files, _ := filepath.Glob("templates/*.html")
	said := regexp.MustCompile(`say "([a-z.]+)"`)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range said.FindAllStringSubmatch(string(content), -1) {
			if all["en"].words[match[1]] == "" {
				t.Errorf("%s says %s, which is no message", file, match[1])
			}
		}
	}
	for _, state := range []string{submitted, accepted, rejected, duplicate, withdrawn, closed, workCancelled} {
		if all["fr"].words["state."+state] == "" {
			t.Errorf("the state %s has no words", state)
		}
	}
}

func TestTheStyleIsKeptByBrowsers(t *testing.T) {
	f := newFixture(t)
	token, _ := f.link(t, fields{})
	d := parse(t, f.stranger(1).must(t, 200, "GET", "/r/"+token, nil).body)
	href := attr(d.all("link")[0], "href")
	answer := f.stranger(1).must(t, 200, "GET", href, nil)
	if !strings.Contains(answer.header.Get("Cache-Control"), "immutable") || answer.header.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Errorf("%v", answer.header)
	}
	f.stranger(1).must(t, 404, "GET", "/r/assets/0/request.css", nil)
}
