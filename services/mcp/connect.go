package main

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/fault"
)

// mostForm is how large the form may be, in bytes.
const mostForm = 64 << 10

// connectAssistant takes the form of the page: the key and the answer, or another language.
func (d *door) connectAssistant(w http.ResponseWriter, r *http.Request) {
	v := d.visit(w, r)
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	if err := r.ParseForm(); err != nil || r.URL.RawQuery != "" {
		v.refuse(http.StatusBadRequest, "malformed")
		return
	}
	if !fromOurPage(r) {
		v.refuse(http.StatusForbidden, "forged")
		return
	}
	for _, values := range r.PostForm {
		if len(values) > 1 {
			v.refuse(http.StatusBadRequest, "repeated")
			return
		}
	}
	var t transaction
	if !d.sealer.openTransaction(v.cookie, r.PostForm.Get("transaction"), &t) || time.Now().Unix() >= t.Expires {
		v.refuse(http.StatusBadRequest, "stale")
		return
	}
	if v.wording = wordingOf(t.Language); v.wording == nil {
		v.wording = wordings[0]
	}
	switch chosen := wordingOf(r.PostForm.Get("language")); {
	case chosen != nil:
		v.wording = chosen
		v.show(http.StatusOK, &t, "")
	case r.PostForm.Get("answer") == "cancel":
		v.leave(&t, url.Values{"error": {"access_denied"}, "error_description": {"The person did not connect the assistant."}})
	default:
		v.takeKey(&t)
	}
}

// fromOurPage says whether a form was sent by a page of this host. Browsers say so themselves; one that says nothing, or no
// more than "null" because of our Referrer-Policy, is known by its cookie, which other sites' forms do not bring.
func fromOurPage(r *http.Request) bool {
	arrived := r.Clone(r.Context())
	if host := r.Header.Get("X-Forwarded-Host"); host != "" { // the gateway says how the browser came in
		arrived.Host = host
	}
	if arrived.Header.Get("Sec-Fetch-Site") == "" && arrived.Header.Get("Origin") == "null" {
		arrived.Header.Del("Origin")
	}
	return http.NewCrossOriginProtection().Check(arrived) == nil
}

// takeKey connects the assistant with the key that was pasted, or says on the page what is wrong with it.
func (v *visit) takeKey(t *transaction) {
	key, from := strings.TrimSpace(v.r.PostForm.Get("key")), arrivalFrom(v.r.Context())
	if key == "" {
		v.show(http.StatusBadRequest, t, v.wording.say("problem.key_missing"))
		return
	}
	wait, err := v.begin(v.r.Context(), from.address)
	if err != nil {
		v.fail(err)
		return
	}
	if wait > 0 {
		v.retryLater(wait)
		v.show(http.StatusTooManyRequests, t, v.wording.wait(int(wait/time.Second)))
		return
	}
	checked, err := v.check(v.r.Context(), key, from.address, from.request)
	if err != nil {
		v.refuseKey(t, fault.From(err))
		return
	}
	v.succeed(v.r.Context(), from.address)
	code, err := v.newCode(t, key, checked)
	if err != nil {
		v.fail(err)
		return
	}
	v.leave(t, url.Values{"code": {code}})
}

// refuseKey tells the person what is wrong with the key: unknown, revoked, expired, suspended, not from here, not in the plan.
func (v *visit) refuseKey(t *transaction, e *fault.Error) {
	word := "problem." + e.Code
	if _, found := v.wording.words[word]; !found {
		word = "problem.refused"
	}
	if e.Kind == fault.KindUnavailable {
		v.succeed(v.r.Context(), arrivalFrom(v.r.Context()).address)
		v.retryLater(e.RetryAfter)
		word = "problem.unavailable"
	}
	v.show(e.Status(), t, v.wording.say(word))
}

// newCode keeps a grant without the key, and seals the key into a code for it.
func (v *visit) newCode(t *transaction, key string, checked checkedKey) (string, error) {
	g := &grant{
		organization: checked.Organization.ID, id: uuid.Must(uuid.NewV7()).String(), keyID: checked.Key.ID, keyName: checked.Key.Name,
		clientID: t.ClientID, clientName: t.ClientName, redirectHost: t.Host, readOnly: v.r.PostForm.Get("read_only") != "",
		salt: randomBytes(saltSize), goodTill: time.Now().Add(codeLife), address: arrivalFrom(v.r.Context()).address,
	}
	code := v.sealer.seal(kindCode, g.named(), g.salt, codeContent{
		Key: key, Expires: g.goodTill.Unix(), Client: hashOf(t.ClientID), Redirect: hashOf(t.Redirect), Challenge: t.Challenge,
	})
	g.codeHash = hashOf(code)
	return code, v.keepGrant(v.r.Context(), g)
}
