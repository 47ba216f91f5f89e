package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// tokenField is the hidden field that every form has.
const tokenField = "form_token"

// formToken is what every form must send back: only pages of ours, shown to this browser, can know it. It is derived
// from the cookie of the session, or of the visit before signing in, so that nothing needs to be kept.
func formToken(cookie string) string {
	mac := hmac.New(sha256.New, []byte(cookie))
	mac.Write([]byte("ams settings form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// hasFormToken says whether a form came from a page of ours.
func (req *pageRequest) hasFormToken() bool {
	return req.formSecret != "" && hmac.Equal([]byte(req.r.PostFormValue(tokenField)), []byte(formToken(req.formSecret)))
}
