package keys

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"math/big"

	"ams.internal/libs/apikey"
	"ams.internal/libs/principal"
)

// Mode says whether a key is for an organization's own records or for those of its sandbox.
type Mode string

// The modes, as GET /v1/me tells them.
const (
	Live Mode = "live"
	Test Mode = "test"
)

// ModeOf gives the mode of the keys of an organization.
func ModeOf(organization string) Mode {
	if principal.IsSandbox(organization) {
		return Test
	}
	return Live
}

// prefix is how the values of keys of the mode begin.
func (m Mode) prefix() string {
	if m == Test {
		return apikey.Test
	}
	return apikey.Live
}

// A key's value is the prefix of its mode, 32 random bytes in base62 and a checksum of both: "ams_live_" + 43 + 6 characters.
// The checksum lets nonsense be refused without a look-up, and lets secret scanners know a leaked key for certain.
const (
	randomBytes   = 32
	randomLength  = 43
	checkLength   = 6
	prefixLength  = len(apikey.Live) // and of apikey.Test
	length        = prefixLength + randomLength + checkLength
	displayLength = 4
	base62        = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// Hash is what is stored of a key, and what it is found by. SHA-256 without salt is right here: the value is
// 256 random bits, which nobody can guess.
type Hash [sha256.Size]byte

var errNotAKey = errors.New("not a key")

// Generate makes a new key's value.
func Generate(mode Mode) string {
	var random [randomBytes]byte
	_, _ = rand.Read(random[:]) // never fails: the process ends where the system has no randomness
	body := mode.prefix() + encode62(new(big.Int).SetBytes(random[:]), randomLength)
	return body + checksum(body)
}

// Parse gives the hash of a key's value; an error says that its form or its checksum is wrong.
func Parse(value string) (Hash, error) {
	if len(value) != length || !apikey.Is(value) {
		return Hash{}, errNotAKey
	}
	for i := prefixLength; i < length; i++ {
		if !alphanumeric(value[i]) {
			return Hash{}, errNotAKey
		}
	}
	if body := value[:length-checkLength]; checksum(body) != value[length-checkLength:] {
		return Hash{}, errNotAKey
	}
	return sha256.Sum256([]byte(value)), nil
}

// Display is how a key is shown to people after its creation.
func Display(value string) string { return value[:prefixLength+displayLength] + "…" }

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	var digits [checkLength]byte // 62^6 is more than 2^32
	for i := checkLength - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return string(digits[:])
}

func encode62(number *big.Int, width int) string {
	digits := make([]byte, width) // 62^43 is more than 2^256
	base, digit := big.NewInt(62), new(big.Int)
	for i := width - 1; i >= 0; i-- {
		number.DivMod(number, base, digit)
		digits[i] = base62[digit.Int64()]
	}
	return string(digits)
}
