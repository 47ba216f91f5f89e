package seal_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"ams.internal/libs/seal"
)

var (
	first  = strings.Repeat("r", 32)
	second = strings.Repeat("s", 32)
)

func TestWhatIsSealedOpensForItsPurposeAlone(t *testing.T) {
	keys := seal.Derive([]string{first}, []byte("salt"), "purpose")
	sealed := keys.Seal([]byte("plain"), []byte("bound"))
	if len(sealed) != len("plain")+seal.Overhead || bytes.Contains(sealed, []byte("plain")) {
		t.Errorf("sealed: %x", sealed)
	}
	altered := append([]byte{}, sealed...)
	altered[len(altered)-1] ^= 1
	for _, test := range []struct {
		name   string
		keys   seal.Keys
		sealed []byte
		bound  string
		opens  bool
	}{
		{"as it was sealed", keys, sealed, "bound", true},
		{"after another root secret came first", seal.Derive([]string{second, first}, []byte("salt"), "purpose"), sealed, "bound", true},
		{"after its root secret was taken away", seal.Derive([]string{second}, []byte("salt"), "purpose"), sealed, "bound", false},
		{"for another purpose", seal.Derive([]string{first}, []byte("salt"), "other"), sealed, "bound", false},
		{"with another salt", seal.Derive([]string{first}, []byte("pepper"), "purpose"), sealed, "bound", false},
		{"bound to something else", keys, sealed, "other", false},
		{"altered", keys, altered, "bound", false},
		{"cut short", keys, sealed[:seal.Overhead-1], "bound", false},
		{"nothing", keys, nil, "bound", false},
	} {
		if plain, opened := test.keys.Open(test.sealed, []byte(test.bound)); opened != test.opens || opened && string(plain) != "plain" {
			t.Errorf("%s: it opens %t as %q", test.name, opened, plain)
		}
	}
	if again := keys.Seal([]byte("plain"), []byte("bound")); bytes.Equal(again, sealed) {
		t.Error("the same is sealed the same twice: the nonce is not new")
	}
}

// What former versions of the programs have sealed is in databases and in callers' hands.
func TestWhatFormerVersionsSealedOpens(t *testing.T) {
	for _, test := range []struct{ what, salt, purpose, sealed, bound, plain string }{
		{"a webhook endpoint's secret", "", "webhook endpoints", "27e1337233a8fe169baa13000df567946a4770955b9e04034fd5111335b93c6e5e0a8b",
			"secret of endpoint 1", "whsec_x"},
		{"an assistant's code", "salt", "ams mcp code", "a5684b945f875f980d24aa1646bfcc0ba9f029ba9734757122db5e23f418c9055a", "bound", "plain"},
	} {
		sealed, err := hex.DecodeString(test.sealed)
		if err != nil {
			t.Fatal(err)
		}
		if plain, opened := seal.Derive([]string{first}, []byte(test.salt), test.purpose).Open(sealed, []byte(test.bound)); !opened ||
			string(plain) != test.plain {
			t.Errorf("%s opens %t as %q", test.what, opened, plain)
		}
	}
}
