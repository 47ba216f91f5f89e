package requests

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/schema"
)

// page is what every page of the public door has.
type page struct {
	Lang, Other *language
	OtherURL    string // this page in the other language
	Style       string
	Title       string
	Wrong       bool // something is to be corrected
}

// formPage is the page of a link.
type formPage struct {
	page
	Place, Notice, Contact string
	Action                 string
	Services               []choice // to choose from first; then nothing else is asked
	Service                *choice  // that is asked for; nil: none is
	Fields                 []input
	Stamp                  string
	Problems               []problem
}

// choice is a service, or an answer to a question.
type choice struct {
	Code, Name, Text string
	URL              string
	Chosen           bool
}

// input is a field of the form.
type input struct {
	ID, Name, Label, Hint, Value string
	Kind                         string // text, area, email, tel, number, datetime, choice, choices, note
	Autocomplete                 string
	Required                     bool
	MaxLength                    int
	Choices                      []choice
	Problem                      string
}

// problem is a sentence about a field, with where it is.
type problem struct{ ID, Text string }

// showForm serves GET /r/{token}.
func (p *publicDoor) showForm(w http.ResponseWriter, r *http.Request) {
	lang := p.languages.of(r, r.URL.Query().Get("lang"))
	if err := p.counter.take(r.Context(), p.limits.reads, source(r)); err != nil {
		p.failPage(w, r, lang, err)
		return
	}
	token := r.PathValue("token")
	l, err := p.link(r.Context(), token)
	if err != nil {
		p.failPage(w, r, lang, err)
		return
	}
	chosen := r.URL.Query().Get("service")
	if chosen == "" && len(l.services) == 1 {
		chosen = l.services[0].ServiceCode
	}
	p.writePage(w, http.StatusOK, lang, "form", p.form(lang, l, l.service(chosen), nil, nil))
}

// takeForm serves POST /r/{token}.
func (p *publicDoor) takeForm(w http.ResponseWriter, r *http.Request) {
	token := r.PathValue("token")
	lang := p.languages.of(r, r.URL.Query().Get("lang"))
	if err := p.admit(r.Context(), source(r), token); err != nil {
		p.failPage(w, r, lang, err)
		return
	}
	if err := r.ParseForm(); err != nil {
		p.failPage(w, r, lang, unreadable(err))
		return
	}
	clean(r.PostForm)
	given, problems, err := p.submit(r, token, bodyOf(r.PostForm))
	if err != nil {
		p.failPage(w, r, lang, err)
		return
	}
	if len(problems) == 0 {
		p.writePage(w, http.StatusCreated, lang, "thanks", thanksPage{p.page(lang, "thanks.title", ""), given})
		return
	}
	l, err := p.link(r.Context(), token)
	if err != nil {
		p.failPage(w, r, lang, err)
		return
	}
	shown := p.form(lang, l, l.service(r.PostForm.Get("service_code")), r.PostForm, problems)
	shown.Wrong, shown.Stamp = true, r.PostForm.Get("stamp") // who corrects something may be quick
	p.writePage(w, http.StatusBadRequest, lang, "form", shown)
}

type thanksPage struct {
	page
	receipt
}

// bodyOf is what a form has, as a body. Empty fields were not filled in.
func bodyOf(form url.Values) map[string]any {
	body, attributes := map[string]any{"stamp": ""}, map[string]any{}
	for name, values := range form {
		if code, is := strings.CutPrefix(name, "attribute["); is && strings.HasSuffix(code, "]") {
			var list []any
			for _, value := range values {
				list = append(list, value)
			}
			attributes[strings.TrimSuffix(code, "]")] = list
			continue
		}
		if value := typedText(name, strings.ReplaceAll(values[0], "\r\n", "\n")); value != "" && submissions.Field(name) != nil {
			body[name] = value
		}
	}
	if len(attributes) > 0 {
		body["attributes"] = attributes
	}
	return body
}

// typedText is what a stranger typed into a field: of one that has one line, with blanks for line breaks.
func typedText(field, value string) string {
	if f := submissions.Field(field); f != nil && f.OneLine {
		return schema.Line(value)
	}
	return value
}

// clean takes out of a form what cannot be kept as text.
func clean(form url.Values) {
	for _, values := range form {
		for i, value := range values {
			values[i] = cleanText(value)
		}
	}
}

func cleanText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// form makes the page of a link, with what was filled in and what is wrong with it.
func (p *publicDoor) form(lang *language, l *openLink, service *RequestService, filled url.Values, problems schema.Problems) formPage {
	base := "/r/" + l.token
	shown := formPage{
		page: p.page(lang, "form.title", base), Place: lang.name(l.name, l.nameFR), Notice: lang.name(l.notice, &l.noticeFR), Contact: l.contact,
		Action: base + "?lang=" + lang.Code, Stamp: p.stamps.give(l.token),
	}
	if len(l.services) > 0 && service == nil {
		for _, s := range l.services {
			shown.Services = append(shown.Services, choice{Code: s.ServiceCode, Name: lang.name(s.Name, s.NameFR),
				Text: lang.describe(s), URL: base + "?" + url.Values{"lang": {lang.Code}, "service": {s.ServiceCode}}.Encode()})
		}
		return shown
	}
	if service != nil {
		shown.Service = &choice{Code: service.ServiceCode, Name: lang.name(service.Name, service.NameFR), Text: lang.describe(service)}
		shown.OtherURL += "&" + url.Values{"service": {service.ServiceCode}}.Encode()
	}
	shown.Fields = inputs(lang, l, service)
	for i := range shown.Fields {
		f := &shown.Fields[i]
		f.fill(filled[f.Name])
		if text := lang.problemOf(f, problems); text != "" {
			f.Problem = text
			shown.Problems = append(shown.Problems, problem{f.ID, f.Label + " – " + text})
		}
	}
	if len(problems) > 0 && len(shown.Problems) == 0 {
		shown.Problems = []problem{{shown.Fields[0].ID, lang.translate("wrong.other")}}
	}
	return shown
}

// describe is a sentence about a service.
func (l *language) describe(s *RequestService) string {
	text := s.Description
	if l.Code == "fr" && s.DescriptionFR != nil {
		text = s.DescriptionFR
	}
	return either(text, "")
}

// inputs are the fields of a form: the questions of the service, the description, and contact data as the link asks for it.
func inputs(lang *language, l *openLink, service *RequestService) []input {
	fields := []input{{ID: "description", Name: "description", Kind: "area", Label: lang.translate("description"),
		Hint: lang.translate("description.hint"), Required: true, MaxLength: 4000}}
	if service != nil {
		for _, a := range service.Attributes {
			fields = append(fields, a.input(lang))
		}
	}
	if l.contact == noContact {
		return fields
	}
	fields = append(fields,
		input{ID: "requester_name", Name: "requester_name", Kind: "text", Label: lang.translate("name"), Autocomplete: "name", MaxLength: 200},
		input{ID: "requester_email",
			Name: "requester_email", Kind: "email", Label: lang.translate("email"), Autocomplete: "email", MaxLength: 254},
		input{ID: "requester_phone", Name: "requester_phone", Kind: "tel", Label: lang.translate("phone"), Autocomplete: "tel", MaxLength: 50})
	if l.contact == requiredContact {
		fields[len(fields)-2].Hint = lang.translate("reach.hint")
	}
	return fields
}

// input is the field of a question.
func (a ServiceAttribute) input(lang *language) input {
	f := input{ID: "attribute-" + a.Code, Name: "attribute[" + a.Code + "]", Label: lang.name(a.Question, a.QuestionFR),
		Hint: either(a.Hint, ""), Required: a.Required, MaxLength: maxValueLength}
	switch {
	case !a.isQuestion():
		f.Kind = "note"
	case a.Datatype == "singlevaluelist":
		f.Kind = "choice"
	case a.Datatype == "multivaluelist":
		f.Kind = "choices"
	case a.Datatype == "text":
		f.Kind = "area"
	case a.Datatype == "number", a.Datatype == "datetime":
		f.Kind = a.Datatype
	default:
		f.Kind = "text"
	}
	for _, v := range a.Values {
		f.Choices = append(f.Choices, choice{Code: v.Key, Name: lang.name(v.Name, v.NameFR)})
	}
	return f
}

// fill shows what was filled in before.
func (f *input) fill(values []string) {
	if len(values) > 0 {
		f.Value = values[0]
	}
	for i := range f.Choices {
		for _, value := range values {
			f.Choices[i].Chosen = f.Choices[i].Chosen || value == f.Choices[i].Code
		}
	}
}

// problemOf is the sentence about a field, in the words of the page.
func (l *language) problemOf(f *input, problems schema.Problems) string {
	name := f.Name
	if code, is := strings.CutPrefix(f.ID, "attribute-"); is {
		name = "attributes." + code
	}
	for _, found := range problems {
		if found.Field != name {
			continue
		}
		switch {
		case strings.Contains(found.Message, "required") || strings.Contains(found.Message, "must be answered") ||
			strings.Contains(found.Message, "must not be empty"):
			return l.translate("wrong.empty")
		case strings.Contains(found.Message, "must be given"):
			return l.translate("wrong.reach")
		case strings.Contains(found.Message, "characters"):
			return l.translate("wrong.long", f.MaxLength)
		}
		return l.translate("wrong." + f.Kind)
	}
	return ""
}

// page makes what every page has. at is its address without the language.
func (p *publicDoor) page(lang *language, title, at string) page {
	other := p.languages["fr"]
	if lang.Code == "fr" {
		other = p.languages["en"]
	}
	shown := page{Lang: lang, Other: other, Style: p.style.path, Title: lang.translate(title)}
	if at != "" {
		shown.OtherURL = at + "?lang=" + other.Code
	}
	return shown
}

// failedPage says that there is nothing, or not now.
type failedPage struct {
	page
	Text string
}

func (p *publicDoor) failPage(w http.ResponseWriter, r *http.Request, lang *language, err error) {
	p.logFailure(r, err)
	e := fault.From(err)
	key := "gone"
	switch {
	case e.Kind == fault.KindRateLimited:
		key = "slow"
	case e.Status() >= http.StatusInternalServerError:
		key = "broken"
	case e.Code == postgres.Suspended().Code:
		key = "suspended"
	case e.Kind != fault.KindNotFound:
		key = "unreadable"
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", retryAfter(e))
	}
	shown := failedPage{p.page(lang, key+".title", ""), lang.translate(key + ".text")}
	shown.OtherURL = "?lang=" + shown.Other.Code // without the path: what leads nowhere is one and the same page
	p.writePage(w, e.Status(), lang, "failed", shown)
}

func (p *publicDoor) writePage(w http.ResponseWriter, status int, lang *language, name string, shown any) {
	var body bytes.Buffer
	if err := lang.pages.ExecuteTemplate(&body, name+".html", shown); err != nil {
		p.log.Error("a page cannot be shown", "page", name, "error", err)
		http.Error(w, "500", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Language", lang.Code)
	w.Header().Add("Vary", "Accept-Language")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // #nosec G705 -- escaped where it was made; fails only where the caller has hung up
}
