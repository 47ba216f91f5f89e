package users

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"ams.internal/libs/fault"
)

// Passwords are stored as argon2id hashes (RFC 9106) in the usual text form
//
//	$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>
//
// with 19 MiB of memory, 2 passes and 1 thread (the parameters that OWASP's Password Storage Cheat Sheet
// names first), 16 random bytes of salt and 32 bytes of hash, both in base64 without padding. Each hash has its own
// parameters, so that they can be raised for new passwords while old hashes stay valid.
const (
	argonMemory  = 19 * 1024 // KiB
	argonPasses  = 2
	argonThreads = 1
	saltBytes    = 16
	hashBytes    = 32
)

// hashSlots bounds how many passwords are hashed at once: each takes 19 MiB and a whole core.
var hashSlots = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)))

// quiet gives the memory of hashes back to the system when nobody has signed in for a second: the runtime keeps it for minutes.
var quiet = time.AfterFunc(time.Hour, debug.FreeOSMemory)

// hashPassword gives the hash of a password, with a salt of its own.
func hashPassword(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // never fails
	hash, err := argon2id(ctx, password, salt, argonMemory, argonPasses, argonThreads)
	if err != nil {
		return "", err
	}
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonPasses, argonThreads, encode(salt),
		encode(hash)), nil
}

// verifyPassword says whether stored is the hash of password.
func verifyPassword(ctx context.Context, password, stored string) (bool, error) {
	var version, memory, passes uint32
	var threads uint8
	var rest string
	if n, err := fmt.Sscanf(stored, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &memory, &passes, &threads, &rest); n != 5 ||
		err != nil || version != argon2.Version {
		return false, fmt.Errorf("a password hash is not argon2id version %d", argon2.Version)
	}
	saltText, hashText, _ := strings.Cut(rest, "$")
	salt, err := base64.RawStdEncoding.DecodeString(saltText)
	if err != nil {
		return false, fmt.Errorf("the salt of a password hash: %w", err)
	}
	hash, err := base64.RawStdEncoding.DecodeString(hashText)
	if err != nil {
		return false, fmt.Errorf("a password hash: %w", err)
	}
	given, err := argon2id(ctx, password, salt, memory, passes, threads)
	return err == nil && subtle.ConstantTimeCompare(given, hash) == 1, err
}

// verifyNothing does the work of verifyPassword when there is no hash to compare with, so that the response time does
// not tell whether an e-mail address is known.
func verifyNothing(ctx context.Context, password string) error {
	_, err := argon2id(ctx, password, make([]byte, saltBytes), argonMemory, argonPasses, argonThreads)
	return err
}

func argon2id(ctx context.Context, password string, salt []byte, memory, passes uint32, threads uint8) ([]byte, error) {
	select {
	case hashSlots <- struct{}{}:
		defer func() {
			<-hashSlots
			quiet.Reset(time.Second)
		}()
		return argon2.IDKey([]byte(password), salt, passes, memory, threads, hashBytes), nil
	case <-ctx.Done():
		return nil, fault.Unavailable("sign_in_busy", "Too many people sign in at this moment; try again in a second.").WithCause(ctx.Err())
	}
}
