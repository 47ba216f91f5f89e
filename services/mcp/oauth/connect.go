package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/domain/contracts/gateway"
	"ams.internal/libs/fault"
)

// maxForm is the largest form, in bytes.
const maxForm = 64 << 10

// connectAssistant handles the form of the page: connect with a key, cancel, or change the language.
func (d *Authorizer) connectAssistant(w http.ResponseWriter, r *http.Request) {
	req := d.newPageRequest(w, r)
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || r.URL.RawQuery != "" {
		req.refuse(http.StatusBadRequest, "malformed")
		return
	}
	if !isSameOrigin(r) {
		req.refuse(http.StatusForbidden, "forged")
		return
	}
	for _, values := range r.PostForm {
		if len(values) > 1 {
			req.refuse(http.StatusBadRequest, "repeated")
			return
		}
	}
	var t transaction
	if !d.sealer.openTransaction(req.cookie, r.PostForm.Get("transaction"), &t) || time.Now().Unix() >= t.Expires {
		req.refuse(http.StatusBadRequest, "stale")
		return
	}
	if req.language = languageOf(t.Language); req.language == nil {
		req.language = languages[0]
	}
	switch chosen := languageOf(r.PostForm.Get("language")); {
	case chosen != nil:
		req.language = chosen
		req.show(http.StatusOK, &t, "")
	case r.PostForm.Get("answer") == "cancel":
		req.redirectToClient(&t, url.Values{"error": {"access_denied"}, "error_description": {"The person did not connect the assistant."}})
	default:
		req.connectWithKey(&t)
	}
}

// isSameOrigin reports whether a page of this host sent a form. Browsers say so in a header. A browser that sends no
// such header, or "null" because of our Referrer-Policy, is identified by its cookie, which forms of other sites do not
// send.
func isSameOrigin(r *http.Request) bool {
	arrived := r.Clone(r.Context())
	if host := r.Header.Get("X-Forwarded-Host"); host != "" { // the host that the browser used
		arrived.Host = host
	}
	if arrived.Header.Get("Sec-Fetch-Site") == "" && arrived.Header.Get("Origin") == "null" {
		arrived.Header.Del("Origin")
	}
	return http.NewCrossOriginProtection().Check(arrived) == nil
}

// connectWithKey connects the assistant with the pasted key, or shows the page with the problem.
func (req *pageRequest) connectWithKey(t *transaction) {
	key, from := strings.TrimSpace(req.r.PostForm.Get("key")), requestSourceFrom(req.r.Context())
	if key == "" {
		req.show(http.StatusBadRequest, t, req.language.translate("problem.key_missing"))
		return
	}
	wait, err := req.beginAttempt(req.r.Context(), from.address)
	if err != nil {
		req.fail(err)
		return
	}
	if wait > 0 {
		req.retryLater(wait)
		req.show(http.StatusTooManyRequests, t, req.language.waitMessage(int(wait/time.Second)))
		return
	}
	checked, err := req.checkKey(req.r.Context(), key, from.address, from.requestID)
	if err != nil {
		req.refuseKey(t, fault.From(err))
		return
	}
	req.endAttempt(req.r.Context(), from.address)
	code, err := req.newCode(t, key, checked)
	if err != nil {
		req.fail(err)
		return
	}
	req.redirectToClient(t, url.Values{"code": {code}})
}

// refuseKey shows the page with the problem of the key: unknown, revoked, expired, suspended, wrong network, not in the
// plan.
func (req *pageRequest) refuseKey(t *transaction, e *fault.Error) {
	word := "problem." + e.Code
	if _, found := req.language.words[word]; !found {
		word = "problem.refused"
	}
	if e.Kind == fault.KindUnavailable {
		req.endAttempt(req.r.Context(), requestSourceFrom(req.r.Context()).address)
		req.retryLater(e.RetryAfter)
		word = "problem.unavailable"
	}
	req.show(e.Status(), t, req.language.translate(word))
}

// newCode stores a grant without the key and returns a code that has the key sealed in it.
func (req *pageRequest) newCode(t *transaction, key string, checked gateway.CheckedKey) (string, error) {
	g := &grant{
		organization: checked.Organization.ID, id: uuid.Must(uuid.NewV7()).String(), keyID: checked.Key.ID, keyName: checked.Key.Name,
		clientID: t.ClientID, clientName: t.ClientName, redirectHost: t.Host, readOnly: req.r.PostForm.Get("read_only") != "",
		salt: randomBytes(saltSize), goodUntil: time.Now().Add(codeLifetime), address: requestSourceFrom(req.r.Context()).address,
	}
	code := req.sealer.seal(kindCode, g.grantID(), g.salt, codeContent{
		Key: key, Expires: g.goodUntil.Unix(), Client: hashOf(t.ClientID), Redirect: hashOf(t.Redirect), Challenge: t.Challenge,
	})
	g.codeHash = hashOf(code)
	return code, req.insertGrant(req.r.Context(), g)
}
