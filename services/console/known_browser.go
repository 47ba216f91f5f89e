package console

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// browserSigner signs the cookie of a browser that has signed in to an account. The cookie gives no access: it only says that
// attempts with this browser are counted apart from those of strangers.
type browserSigner struct{ keys [][]byte } // the first signs, all verify

// newBrowserSigner derives the keys from the secrets that sign principals.
func newBrowserSigner(secrets []string) browserSigner {
	var s browserSigner
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte("ams settings known browser"))
		s.keys = append(s.keys, mac.Sum(nil))
	}
	return s
}

// sign gives the value of the cookie: the browser's id, the Unix second when it ends, and the signature, which is of the account too.
func (s browserSigner) sign(id, account string, ends time.Time) string {
	content := id + "." + strconv.FormatInt(ends.Unix(), 10)
	return content + "." + base64.RawURLEncoding.EncodeToString(signature(s.keys[0], content, account))
}

// verify gives the id of the browser, and nothing where the cookie is not ours, has ended, or is of another account.
func (s browserSigner) verify(value, account string, now time.Time) string {
	parts := strings.Split(value, ".")
	if len(parts) != 3 {
		return ""
	}
	ends, notANumber := strconv.ParseInt(parts[1], 10, 64)
	signed, notEncoded := base64.RawURLEncoding.DecodeString(parts[2])
	if notANumber != nil || notEncoded != nil || now.Unix() >= ends {
		return ""
	}
	for _, key := range s.keys {
		if hmac.Equal(signed, signature(key, parts[0]+"."+parts[1], account)) {
			return parts[0]
		}
	}
	return ""
}

func signature(key []byte, content, account string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(content + " " + normalAccount(account)))
	return mac.Sum(nil)
}

// knownBrowser gives the id of a browser that has signed in to an account before; nothing for any other.
func (req *pageRequest) knownBrowser(account string) string {
	return req.browsers.verify(req.cookie(browserCookie), account, time.Now())
}

// rememberBrowser sets the cookie after a sign-in. A browser that is known keeps its id, and so its count.
func (req *pageRequest) rememberBrowser(account string) {
	id := req.knownBrowser(account)
	if id == "" {
		id = randomValue()
	}
	req.setCookie(browserCookie, req.browsers.sign(id, account, time.Now().Add(year)), year)
}
