// Package seal encrypts stored secrets that are needed again: AES-256-GCM under keys that are derived from root secrets. The first
// root secret seals, all of them open, so that one can be rotated.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
)

// Overhead is the number of bytes that sealing adds: the nonce in front and the tag at the end.
const Overhead = nonceSize + 16

const nonceSize = 12

// Keys are the keys of one purpose, one for each root secret.
type Keys []key

type key struct {
	cipher.AEAD
	nonces []byte // of SealSame
}

// Derive makes the keys of a purpose by HKDF. Data that is sealed for one purpose, or with one salt, cannot be opened with
// another. At least one root secret is required, and none may be guessable: libs/service requires 32 characters.
func Derive[Root string | []byte](roots []Root, salt []byte, purpose string) Keys {
	keys := make(Keys, len(roots))
	for i, root := range roots {
		secret, err := hkdf.Key(sha256.New, []byte(root), salt, purpose, 32)
		if err != nil { // only a length that HKDF cannot give
			panic(err)
		}
		block, err := aes.NewCipher(secret)
		if err != nil { // only a key of another length
			panic(err)
		}
		if keys[i].AEAD, err = cipher.NewGCM(block); err != nil { // only another block's size
			panic(err)
		}
		if keys[i].nonces, err = hkdf.Key(sha256.New, []byte(root), salt, purpose+" nonces", 32); err != nil {
			panic(err)
		}
	}
	return keys
}

// Seal encrypts plain, and puts the nonce in front. The result can be opened only with the same bound data: the additional
// authenticated data, such as the owner and the purpose.
func (k Keys) Seal(plain, bound []byte) []byte {
	nonce := make([]byte, nonceSize, Overhead+len(plain))
	_, _ = rand.Read(nonce) // never fails: the program ends where there is no randomness
	return k[0].Seal(nonce, nonce, plain, bound)
}

// SealSame is Seal that gives the same for the same: whoever has two sees that they are. The nonce is an HMAC over what is sealed, so
// that no two that differ have one in common.
func (k Keys) SealSame(plain, bound []byte) []byte {
	mac := hmac.New(sha256.New, k[0].nonces)
	_ = binary.Write(mac, binary.BigEndian, int64(len(bound))) // a hash takes everything
	mac.Write(bound)
	mac.Write(plain)
	nonce := mac.Sum(nil)[:nonceSize:nonceSize]
	return k[0].Seal(nonce, nonce, plain, bound)
}

// Open decrypts sealed. It returns false where sealed was not made with one of these keys and the same bound data.
func (k Keys) Open(sealed, bound []byte) (plain []byte, opened bool) {
	if len(sealed) < Overhead {
		return nil, false
	}
	for _, key := range k {
		if plain, err := key.Open(nil, sealed[:nonceSize], sealed[nonceSize:], bound); err == nil {
			return plain, true
		}
	}
	return nil, false
}
