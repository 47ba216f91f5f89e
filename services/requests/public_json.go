package requests

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"ams.internal/libs/fault"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// shownLink is a link as programs of strangers see it: what its page shows.
type shownLink struct {
	Name     string         `json:"name"`
	NameFR   string         `json:"name_fr"`
	Services []shownService `json:"services"`
	Notice   string         `json:"notice"`
	NoticeFR string         `json:"notice_fr"`
	Contact  string         `json:"contact"`
	Stamp    string         `json:"stamp"` // to be sent back with a request, 3 seconds later at the earliest
}

type shownService struct {
	ServiceCode   string             `json:"service_code"`
	Name          string             `json:"name"`
	NameFR        *string            `json:"name_fr"`
	Description   *string            `json:"description"`
	DescriptionFR *string            `json:"description_fr"`
	Attributes    []ServiceAttribute `json:"attributes"`
}

// showLink serves GET /public/links/{token}.
func (p *publicDoor) showLink(w http.ResponseWriter, r *http.Request) {
	if err := p.counter.take(r.Context(), p.limits.reads, source(r)); err != nil {
		refuse(w, r, err)
		return
	}
	token := r.PathValue("token")
	l, err := p.link(r.Context(), token)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	shown := shownLink{Name: l.name, NameFR: either(l.nameFR, l.name), Services: []shownService{}, Notice: l.notice, NoticeFR: l.noticeFR,
		Contact: l.contact, Stamp: p.stamps.give(token)}
	for _, s := range l.services {
		shown.Services = append(shown.Services, shownService{s.ServiceCode, s.Name, s.NameFR, s.Description, s.DescriptionFR, s.Attributes})
	}
	writeJSON(w, http.StatusOK, shown)
}

// takeLink serves POST /public/links/{token}.
func (p *publicDoor) takeLink(w http.ResponseWriter, r *http.Request) {
	token := r.PathValue("token")
	if err := p.admit(r.Context(), source(r), token); err != nil {
		p.fail(w, r, err)
		return
	}
	body, err := readBody(r)
	if err != nil {
		p.fail(w, r, err)
		return
	}
	given, problems, err := p.submit(r, token, body)
	switch {
	case err == nil && len(problems) > 0:
		refuse(w, r, fault.InvalidFields(problems...))
	case err != nil:
		p.fail(w, r, err)
	default:
		w.Header().Set("Location", given.URL)
		writeJSON(w, http.StatusCreated, given)
	}
}

// submit keeps a body that was admitted, or pretends to.
func (p *publicDoor) submit(r *http.Request, token string, body map[string]any) (given receipt, problems schema.Problems, err error) {
	err = p.openByToken(r.Context(), token, func(ctx context.Context, l *openLink) (err error) {
		if p.isSpam(token, body) {
			given = p.pretend()
			return nil
		}
		var in *submission
		in, problems = readSubmission(body)
		if problems = append(problems, in.check(l)...); len(problems) > 0 {
			return nil
		}
		given, err = p.create(ctx, mark{fromLink, &l.id}, in.body(l))
		return err
	})
	return given, problems, err
}

func readBody(r *http.Request) (map[string]any, error) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != transport.ApplicationJSON {
		return nil, fault.Invalid("content_type", "A request with a body needs the header Content-Type: %s, in UTF-8.", transport.ApplicationJSON)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, unreadable(err)
	}
	return schema.ParseObject(body)
}

// unreadable is the error of a body that was cut off or is too large.
func unreadable(err error) error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return fault.Invalid("body_too_large", "The body is larger than %d bytes, which is the most that is taken here.", maxForm)
	}
	return fault.Invalid("body_incomplete", "The body did not arrive whole.").WithCause(err)
}

// fail writes an error; what is wrong with ourselves is logged.
func (p *publicDoor) fail(w http.ResponseWriter, r *http.Request, err error) {
	p.logFailure(r, err)
	refuse(w, r, err)
}

func (p *publicDoor) logFailure(r *http.Request, err error) {
	if e := fault.From(err); e.Status() >= http.StatusInternalServerError {
		p.log.ErrorContext(r.Context(), "a request of a stranger failed", "error", e.Error())
	}
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil { // texts and numbers cannot fail
		panic(err)
	}
	w.Header().Set("Content-Type", transport.ApplicationJSON)
	w.WriteHeader(status)
	_, _ = w.Write(body) // #nosec G705 -- JSON; nobody reads the error: the caller is gone
}

// either is a text in French, where there is one.
func either(text *string, otherwise string) string {
	if text != nil {
		return *text
	}
	return otherwise
}
