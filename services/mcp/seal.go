package main

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

// Codes and tokens are envelopes: the key is in them, and nowhere else. Each is sealed (libs/seal) under a key that is
// derived from a root secret of ours and the salt of its grant, and is bound to what it is, whose it is and where it is good.
// A grant whose salt is replaced or cleared opens none of the envelopes from before, whoever has them.

// kind is what an envelope is good for.
type kind string

const (
	kindCode    kind = "code"
	kindAccess  kind = "access"
	kindRefresh kind = "refresh"
)

// prefix is how an envelope of the kind begins, so that one that leaks is known for what it is.
func (k kind) prefix() string { return "ams_" + string(k) + "_" }

const (
	saltSize = 32
	// maxEnvelope is longer than any envelope of ours: what is longer is not looked at.
	maxEnvelope = 4096
)

// sealer seals and opens envelopes for one resource.
type sealer struct {
	roots    []string // the first seals, all open
	resource string
}

func newSealer(secrets []string, resource string) sealer {
	return sealer{secrets, resource}
}

// grantID names a grant, as it stands in the open part of an envelope.
type grantID struct{ organization, id uuid.UUID }

func (g grantID) bytes() []byte { return slices.Concat(g.organization[:], g.id[:]) }

// seal puts content into an envelope.
func (s sealer) seal(k kind, of grantID, salt []byte, content any) string {
	plain, err := json.Marshal(content)
	if err != nil { // texts and numbers
		panic(err)
	}
	return k.prefix() + encoded(slices.Concat(of.bytes(), s.keys(salt, string(k)).Seal(plain, s.associatedData(k, of))))
}

// envelope is one that was taken apart and not opened yet: anybody may have written it.
type envelope struct {
	kind  kind
	grant grantID
	body  []byte
}

// parseEnvelope reads whose envelope it is; false where the text is none of the kind.
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

// open reads an envelope's content; false where it was not sealed by us, for this grant as it is now and for this resource.
func (s sealer) open(e envelope, salt []byte, content any) bool {
	if len(salt) != saltSize {
		return false
	}
	plain, opened := s.keys(salt, string(e.kind)).Open(e.body, s.associatedData(e.kind, e.grant))
	return opened && json.Unmarshal(plain, content) == nil
}

// associatedData is what an envelope says outside and what must not be altered.
func (s sealer) associatedData(k kind, of grantID) []byte {
	return slices.Concat([]byte(k), []byte{0}, of.bytes(), []byte(s.resource))
}

// sealTransaction seals what was asked for on the way to the page, for the browser with this cookie.
func (s sealer) sealTransaction(cookie string, content any) string {
	plain, err := json.Marshal(content)
	if err != nil { // texts and numbers
		panic(err)
	}
	return encoded(s.keys(nil, "transaction").Seal(plain, transactionData(cookie)))
}

// openTransaction reads a transaction; false where it is not of the browser with this cookie.
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

// keys are those of a purpose under a salt.
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
