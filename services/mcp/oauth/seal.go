package oauth

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"ams.internal/libs/seal"
)

// Codes and tokens are envelopes. The key is stored in them and nowhere else. Each is sealed (libs/seal) under a key
// that is derived from a root secret and the salt of its grant, and is bound to its kind, its grant and its resource.
// Replacing or clearing the salt of a grant makes all its earlier envelopes useless.

// kind is what an envelope may be used for.
type kind string

const (
	kindCode    kind = "code"
	kindAccess  kind = "access"
	kindRefresh kind = "refresh"
)

// prefix is the beginning of an envelope of this kind. Scanners recognize a leaked one by it.
func (k kind) prefix() string { return "ams_" + string(k) + "_" }

const (
	saltSize = 32
	// maxEnvelope is longer than any envelope that we issue. Longer texts are refused unread.
	maxEnvelope = 4096
)

// sealer seals and opens envelopes for one resource.
type sealer struct {
	roots    []string // the first seals; all of them open
	resource string
}

func newSealer(secrets []string, resource string) sealer {
	return sealer{secrets, resource}
}

// grantID identifies a grant in the unsealed part of an envelope.
type grantID struct{ organization, id uuid.UUID }

func (g grantID) bytes() []byte { return slices.Concat(g.organization[:], g.id[:]) }

// seal returns an envelope with the content.
func (s sealer) seal(k kind, of grantID, salt []byte, content any) string {
	plain, err := json.Marshal(content)
	if err != nil { // texts and numbers cannot fail
		panic(err)
	}
	return k.prefix() + encoded(slices.Concat(of.bytes(), s.keys(salt, string(k)).Seal(plain, s.associatedData(k, of))))
}

// envelope is a parsed envelope that is not opened yet. Its content is untrusted.
type envelope struct {
	kind  kind
	grant grantID
	body  []byte
}

// parseEnvelope parses an envelope. It returns false for a text of another kind.
func parseEnvelope(k kind, text string) (envelope, bool) {
	rest, found := strings.CutPrefix(text, k.prefix())
	if !found || len(text) > maxEnvelope {
		return envelope{}, false
	}
	all, err := decoded(rest)
	if err != nil || len(all) < 32+seal.Overhead {
		return envelope{}, false
	}
	return envelope{k, grantID{uuid.UUID(all[:16]), uuid.UUID(all[16:32])}, all[32:]}, true
}

// open reads the content of an envelope. It returns false where the envelope was not sealed by us, for the current salt
// of this grant and for this resource.
func (s sealer) open(e envelope, salt []byte, content any) bool {
	if len(salt) != saltSize {
		return false
	}
	plain, opened := s.keys(salt, string(e.kind)).Open(e.body, s.associatedData(e.kind, e.grant))
	return opened && json.Unmarshal(plain, content) == nil
}

// associatedData are the unsealed parts of an envelope that the seal protects against changes.
func (s sealer) associatedData(k kind, of grantID) []byte {
	return slices.Concat([]byte(k), []byte{0}, of.bytes(), []byte(s.resource))
}

// sealTransaction seals an authorization request for the browser with this cookie.
func (s sealer) sealTransaction(cookie string, content any) string {
	plain, err := json.Marshal(content)
	if err != nil { // texts and numbers cannot fail
		panic(err)
	}
	return encoded(s.keys(nil, "transaction").Seal(plain, transactionData(cookie)))
}

// openTransaction reads an authorization request. It returns false where it was sealed for another browser.
func (s sealer) openTransaction(cookie, text string, content any) bool {
	sealed, err := decoded(text)
	if err != nil || cookie == "" {
		return false
	}
	plain, opened := s.keys(nil, "transaction").Open(sealed, transactionData(cookie))
	return opened && json.NewDecoder(bytes.NewReader(plain)).Decode(content) == nil
}

func transactionData(cookie string) []byte {
	sum := sha256.Sum256([]byte(cookie))
	return sum[:]
}

// keys returns the keys of a purpose under a salt.
func (s sealer) keys(salt []byte, purpose string) seal.Keys {
	return seal.Derive(s.roots, salt, "ams mcp "+purpose)
}

func randomBytes(count int) []byte {
	random := make([]byte, count)
	_, _ = rand.Read(random) // never fails
	return random
}

func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}
