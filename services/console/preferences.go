package main

import "strings"

// chooseLanguage holds for the session, or before signing in for this browser until it is closed.
func chooseLanguage(v *visit) error {
	chosen := v.languages.of(v.r.PostFormValue("language"), "").Code
	if v.session != nil && v.session.alive {
		v.session.language = chosen
		if err := v.rememberLanguage(v.ctx(), v.session); err != nil {
			return err
		}
		v.language = v.languages.of(chosen, "")
		v.keepLanguage()
	} else {
		v.setCookie(languageCookie, chosen, 0)
	}
	return v.lead(v.back())
}

// keepLanguage has the sign-in page speak the same language when the session is over. It does not decide about the next
// session: that is its user's.
func (v *visit) keepLanguage() { v.setCookie(languageCookie, v.language.Code+"-kept", year) }

func chooseAppearance(v *visit) error {
	chosen := v.r.PostFormValue("appearance")
	if chosen != "light" && chosen != "dark" {
		chosen = ""
	}
	v.setCookie(appearanceCookie, chosen, year)
	return v.lead(v.back())
}

// appearance is light, dark, or empty for what the browser is set to.
func (v *visit) appearance() string {
	if chosen := v.cookie(appearanceCookie); chosen == "light" || chosen == "dark" {
		return chosen
	}
	return ""
}

// back is the page that a small form stood on; never one of another site.
func (v *visit) back() string {
	path := v.r.PostFormValue("path")
	if !strings.HasPrefix(path, "/settings/") || strings.ContainsAny(path, "\\?#\r\n") || strings.Contains(path, "//") {
		return "/settings/keys"
	}
	return path
}
