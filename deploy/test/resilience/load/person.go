package load

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// Person is somebody at the settings screens.
type Person struct {
	base   string
	client *http.Client
}

// NewPerson is somebody whose browser knows nothing yet.
func NewPerson(base string) (*Person, error) {
	jar, err := cookiejar.New(nil)
	return &Person{base, &http.Client{Jar: jar, Timeout: Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, err
}

// Get asks for a page.
func (p *Person) Get(ctx context.Context, path string) (status int, text string, err error) {
	return p.Send(ctx, http.MethodGet, path, nil)
}

// Send sends a form, or asks for a page where there is none.
func (p *Person) Send(ctx context.Context, method, path string, form url.Values) (status int, text string, err error) {
	request, err := http.NewRequestWithContext(ctx, method, p.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, "", err
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	request.Header.Set("Accept-Language", "en")
	response, err := p.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), err
}

var formToken = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// SignIn fills in the form; the status is a redirect where that succeeds.
func (p *Person) SignIn(ctx context.Context, email, password string) (status int, text string, err error) {
	status, text, err = p.Get(ctx, "/settings/sign-in")
	if err != nil {
		return status, text, err
	}
	token := formToken.FindStringSubmatch(text)
	if token == nil {
		return status, text, fmt.Errorf("the sign-in answers %d without a form: %.300s", status, text)
	}
	return p.Send(ctx, http.MethodPost, "/settings/sign-in", url.Values{"form_token": {token[1]}, "email": {email}, "password": {password}})
}

// Leave ends the session as closing the browser does: what the browser keeps for longer stays.
func (p *Person) Leave() error {
	address, err := url.Parse(p.base + "/settings")
	if err != nil {
		return err
	}
	p.client.Jar.SetCookies(address, []*http.Cookie{{Name: "ams_session", Path: "/settings", MaxAge: -1}})
	return nil
}
