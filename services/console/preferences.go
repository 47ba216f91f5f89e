package main

import "strings"

// chooseLanguage holds for the session, or before signing in for this browser until it is closed.
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

// setLanguageCookie has the sign-in page speak the same language when the session is over. It does not decide about the next
// session: that is its user's.
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

// appearance is light, dark, or empty for what the browser is set to.
func (req *pageRequest) appearance() string {
	if chosen := req.cookie(appearanceCookie); chosen == "light" || chosen == "dark" {
		return chosen
	}
	return ""
}

// returnPath is the page that a small form stood on; never one of another site.
func (req *pageRequest) returnPath() string {
	path := req.r.PostFormValue("path")
	if !strings.HasPrefix(path, "/settings/") || strings.ContainsAny(path, "\\?#\r\n") || strings.Contains(path, "//") {
		return "/settings/keys"
	}
	return path
}
