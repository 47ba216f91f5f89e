package console

import "strings"

// chooseLanguage sets the language of the session, or of this browser until it is closed.
func chooseLanguage(req *pageRequest) error {
	chosen := req.languages.of(req.r.PostFormValue("language"), "").Code
	if req.session != nil && req.session.alive {
		req.session.language = chosen
		if err := req.rememberLanguage(req.ctx(), req.session); err != nil {
			return err
		}
		req.language = req.languages.of(chosen, "")
		req.setLanguageCookie()
	} else {
		req.setCookie(languageCookie, chosen, 0)
	}
	return req.redirect(req.returnPath())
}

// setLanguageCookie keeps the language for the sign-in page after the session. The next session has its user's language.
func (req *pageRequest) setLanguageCookie() {
	req.setCookie(languageCookie, req.language.Code+"-kept", year)
}

func chooseAppearance(req *pageRequest) error {
	chosen := req.r.PostFormValue("appearance")
	if chosen != "light" && chosen != "dark" {
		chosen = ""
	}
	req.setCookie(appearanceCookie, chosen, year)
	return req.redirect(req.returnPath())
}

// appearance is light, dark, or empty for the browser's setting.
func (req *pageRequest) appearance() string {
	if chosen := req.cookie(appearanceCookie); chosen == "light" || chosen == "dark" {
		return chosen
	}
	return ""
}

// returnPath is the page that a preference form was on. It is never on another site.
func (req *pageRequest) returnPath() string {
	path := req.r.PostFormValue("path")
	if !strings.HasPrefix(path, "/settings/") || strings.ContainsAny(path, "\\?#\r\n") || strings.Contains(path, "//") {
		return "/settings/keys"
	}
	return path
}
