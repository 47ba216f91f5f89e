package console

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// tokenField is the hidden field of every form.
const tokenField = "form_token"

// formToken is the token that every form must send back. Only our own pages in this browser contain it. It is derived
// from the session cookie, or from the anonymous cookie before the sign-in, so nothing is stored.
func formToken(cookie string) string {
	mac := hmac.New(sha256.New, []byte(cookie))
	mac.Write([]byte("ams settings form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// hasFormToken reports whether a form came from one of our pages.
func (req *pageRequest) hasFormToken() bool {
	return req.formSecret != "" && hmac.Equal([]byte(req.r.PostFormValue(tokenField)), []byte(formToken(req.formSecret)))
}
