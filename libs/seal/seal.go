// Package seal keeps what must be known again and never be read where it lies: AES-256-GCM under keys that are derived from root
// secrets. The first root secret seals, all of them open, so that one can be replaced.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
)

// Overhead is how many bytes longer what is sealed is than what was plain: the nonce in front, the tag behind.
const Overhead = nonceSize + 16

const nonceSize = 12

// Keys are the keys of one purpose, one for each root secret.
type Keys []cipher.AEAD

// Derive makes the keys of a purpose by HKDF. What is sealed for one purpose, or with one salt, cannot be opened for another. There
// must be a root secret, and each must be one that cannot be guessed: libs/service asks for 32 characters.
func Derive[Root string | []byte](roots []Root, salt []byte, purpose string) Keys {
	keys := make(Keys, len(roots))
	for i, root := range roots {
		key, err := hkdf.Key(sha256.New, []byte(root), salt, purpose, 32)
		if err != nil { // only a length that HKDF cannot give
			panic(err)
		}
		block, err := aes.NewCipher(key)
		if err != nil { // only a key of another length
			panic(err)
		}
		if keys[i], err = cipher.NewGCM(block); err != nil { // only another block's size
			panic(err)
		}
	}
	return keys
}

// Seal hides plain, behind a nonce. It can be opened only with what it is bound to: whose it is, and what it is for.
func (k Keys) Seal(plain, bound []byte) []byte {
	nonce := make([]byte, nonceSize, Overhead+len(plain))
	_, _ = rand.Read(nonce) // never fails: the program ends where there is no randomness
	return k[0].Seal(nonce, nonce, plain, bound)
}

// Open gives what was sealed; false where it was not sealed with one of these keys and bound to this.
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
