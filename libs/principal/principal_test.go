package principal_test

import (
	"encoding/base64"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/principal"
)

const (
	former  = "the secret of last month, 32+ characters"
	present = "the secret of this month, 32+ characters"
)

func signer(t testing.TB, secrets ...string) *principal.Signer {
	t.Helper()
	s, err := principal.NewSigner(secrets...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var someone = principal.Principal{
	OrganizationID: "0b8f3c52-0000-7000-8000-000000000001", Currency: "CAD",
	Actor:  principal.Actor{Type: "api_key", ID: "0b8f3c52-0000-7000-8000-000000000002", Name: "BI – lecture seule"},
	Scopes: []string{"assets:read"}, Features: []string{"api_access"}, StorageLimit: 5 << 30, Cell: "second", Region: "ca-central-1",
	RequestID: "r-1", Origin: "api",
}

func TestASignedPrincipalArrivesAsItWasSent(t *testing.T) {
	s := signer(t, present)
	got, err := s.Verify(s.Sign(someone))
	if err != nil {
		t.Fatal(err)
	}
	if got.ExpiresAt <= time.Now().UnixMilli() {
		t.Errorf("expires at %d", got.ExpiresAt)
	}
	got.ExpiresAt = 0
	if !reflect.DeepEqual(got, someone) {
		t.Errorf("arrived as %+v", got)
	}
}

func TestTwoSecretsAreValidDuringRotation(t *testing.T) {
	old, during, after := signer(t, former), signer(t, present, former), signer(t, present)
	for _, c := range []struct {
		name     string
		from, to *principal.Signer
		accepted bool
	}{
		{"an old process to one that knows both", old, during, true},
		{"one that knows both to itself", during, during, true},
		{"one that knows both signs with the new secret", during, after, true},
		{"one that knows both does not sign with the old secret", during, old, false},
		{"an old process is refused when the rotation is over", old, after, false},
	} {
		if _, err := c.to.Verify(c.from.Sign(someone)); (err == nil) != c.accepted {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestVerifyRefuses(t *testing.T) {
	s := signer(t, present)
	payload, signature, _ := strings.Cut(s.Sign(someone), ".")
	raised := base64.RawURLEncoding.EncodeToString([]byte(`{"org":"another","scp":["*:*"],"exp":99999999999999}`))
	for name, value := range map[string]string{
		"nothing":                            "",
		"no signature":                       payload,
		"an empty signature":                 payload + ".",
		"a signature that is not base64":     payload + ".!!",
		"another payload":                    raised + "." + signature,
		"another's signature":                payload + "." + strings.Repeat("A", len(signature)),
		"a shortened signature":              payload + "." + signature[:20],
		"an unsigned principal":              raised + ".",
		"something before the payload":       "x" + payload + "." + signature,
		"something after the signature":      payload + "." + signature + "." + signature,
		"one that expired a millisecond ago": s.SignFor(someone, -time.Millisecond),
		"one that expires now":               s.SignFor(someone, 0),
		"another signer's secret":            signer(t, "a secret that somebody else has made up").Sign(someone),
	} {
		if got, err := s.Verify(value); !errors.Is(err, principal.ErrInvalid) || got.OrganizationID != "" {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
}

func TestSecretsMustBeLong(t *testing.T) {
	for _, secrets := range [][]string{nil, {""}, {strings.Repeat("x", 31)}, {present, "short"}} {
		if _, err := principal.NewSigner(secrets...); err == nil {
			t.Errorf("the secrets %q are taken", secrets)
		}
	}
}

func TestScopesAndFeatures(t *testing.T) {
	all := principal.Principal{Scopes: []string{"*:*"}}
	none := principal.From(t.Context())
	for _, c := range []struct {
		p       principal.Principal
		scope   string
		allowed bool
	}{
		{someone, "assets:read", true}, {someone, "assets:write", false}, {someone, "assets", false}, {someone, "", false},
		{someone, "sites:read", false}, {all, "users:write", true}, {none, "assets:read", false},
	} {
		if got := c.p.Allows(c.scope); got != c.allowed {
			t.Errorf("%v allows %q: %v", c.p.Scopes, c.scope, got)
		}
	}
	if !someone.Has("") || !someone.Has("api_access") || someone.Has("los") || none.Has("los") {
		t.Error("Has does not follow the features")
	}
}

func TestAPinIsTheRegionThatThePrincipalMustStayIn(t *testing.T) {
	if someone.Pin() != "" {
		t.Errorf("somebody who pinned nothing is held to %s", someone.Pin())
	}
	pinned := someone
	pinned.Pinned = true
	if pinned.Pin() != "ca-central-1" {
		t.Errorf("the pin is %q", pinned.Pin())
	}
}

func TestAPrincipalThatSaysNoCellHasThatOfItsContext(t *testing.T) {
	none, first, second := principal.Principal{}, principal.Principal{Cell: principal.First}, principal.Principal{Cell: "second"}
	for _, c := range []struct {
		outer, inner principal.Principal
		want         string
	}{
		{none, none, principal.First}, {none, second, "second"}, {second, none, "second"}, {second, first, principal.First},
		{first, second, "second"},
	} {
		ctx := principal.Into(principal.Into(t.Context(), c.outer), c.inner)
		if got := principal.From(ctx).CellName(); got != c.want {
			t.Errorf("%q in %q is %q", c.inner.Cell, c.outer.Cell, got)
		}
	}
}

func TestTheContextCarriesThePrincipal(t *testing.T) {
	if got := principal.From(principal.Into(t.Context(), someone)); !reflect.DeepEqual(got, someone) {
		t.Errorf("the context carries %+v", got)
	}
}

// Whatever arrives in the header is refused, unless this signer made it.
func FuzzVerify(f *testing.F) {
	s := signer(f, present)
	f.Add("", "")
	f.Add("e30", "e30")
	f.Add("eyJvcmciOiJ4IiwiZXhwIjo5OTk5OTk5OTk5OTk5OX0", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, payload, signature string) {
		good, made, _ := strings.Cut(s.Sign(someone), ".")
		for _, value := range []string{payload, payload + "." + signature, payload + "." + made, good + "." + signature} {
			if got, err := s.Verify(value); !errors.Is(err, principal.ErrInvalid) || got.OrganizationID != "" {
				t.Errorf("accepted %q: %v", value, err)
			}
		}
	})
}
