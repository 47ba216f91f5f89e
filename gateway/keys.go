package main

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"math/big"
	"regexp"
	"strings"
)

// A key's value is the prefix, 32 random bytes in base62 and a checksum of both: "ams_live_" + 43 + 6 characters.
// The checksum lets nonsense be refused without a look-up, and lets secret scanners know a leaked key for certain.
const (
	keyPrefix     = "ams_live_"
	randomBytes   = 32
	randomLength  = 43
	checkLength   = 6
	keyLength     = len(keyPrefix) + randomLength + checkLength
	displayLength = 4
	base62        = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// keyHash is what is stored of a key, and what it is found by. SHA-256 without salt is right here: the value is
// 256 random bits, which nobody can guess.
type keyHash [sha256.Size]byte

var errNoKey = errors.New("not a key")

// generateKey makes a new key's value.
func generateKey() string {
	var random [randomBytes]byte
	_, _ = rand.Read(random[:]) // never fails: the process ends where the system has no randomness
	body := keyPrefix + encode62(new(big.Int).SetBytes(random[:]), randomLength)
	return body + checksum(body)
}

// parseKey gives the hash of a key's value; an error says that its form or its checksum is wrong.
func parseKey(value string) (keyHash, error) {
	if len(value) != keyLength || value[:len(keyPrefix)] != keyPrefix {
		return keyHash{}, errNoKey
	}
	for i := len(keyPrefix); i < keyLength; i++ {
		if !alphanumeric(value[i]) {
			return keyHash{}, errNoKey
		}
	}
	if body := value[:keyLength-checkLength]; checksum(body) != value[keyLength-checkLength:] {
		return keyHash{}, errNoKey
	}
	return sha256.Sum256([]byte(value)), nil
}

// displayKey is how a key is shown to people after its creation.
func displayKey(value string) string { return value[:len(keyPrefix)+displayLength] + "…" }

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

func encode62(number *big.Int, length int) string {
	digits := make([]byte, length) // 62^43 is more than 2^256
	base, digit := big.NewInt(62), new(big.Int)
	for i := length - 1; i >= 0; i-- {
		number.DivMod(number, base, digit)
		digits[i] = base62[digit.Int64()]
	}
	return string(digits)
}

// secretPattern finds keys, and the codes and tokens that the MCP service seals them in.
var secretPattern = regexp.MustCompile(`ams_(live|code|access|refresh)_[0-9A-Za-z_-]+`)

// redact takes keys, codes and tokens out of a text that will be logged.
func redact(text string) string {
	if !strings.Contains(text, "ams_") {
		return text
	}
	return secretPattern.ReplaceAllString(text, "ams_${1}_[redacted]")
}
