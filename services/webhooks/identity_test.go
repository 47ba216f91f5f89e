package webhooks

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// authority is somebody who makes certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         string
}

func newAuthority(t testing.TB, name string, ends time.Time) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: ends, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return authority{made, key, pemOf(certificateBlock, der)}
}

// sign gives a certificate for 127.0.0.1 with the authority's and its private key as PEM.
func (a authority) sign(t testing.TB, name string, usage x509.ExtKeyUsage) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: a.certificate.NotAfter, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{usage}}, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pemOf(certificateBlock, der) + a.pem + pemOf("PRIVATE KEY", private)
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// tlsReceiver makes a receiver speak TLS: with a certificate of theirs, to clients with one of ours.
func tlsReceiver(t testing.TB, certificate string, ours authority) *receiver {
	t.Helper()
	r := &receiver{t: t}
	r.Server = httptest.NewUnstartedServer(r)
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(certificate))
	if err != nil {
		t.Fatal(err)
	}
	known := x509.NewCertPool()
	known.AddCert(ours.certificate)
	r.Server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: known}
	r.Server.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshakes that are refused
	r.StartTLS()
	t.Cleanup(r.Close)
	return r
}

func TestAReceiverMayAskForOurCertificateAndHaveOneOfItsOwnAuthority(t *testing.T) {
	ours, theirs := newAuthority(t, "AMS webhooks", time.Now().Add(24*time.Hour)), newAuthority(t, "Ville", time.Now().Add(12*time.Hour))
	r := tlsReceiver(t, theirs.sign(t, "receiver", x509.ExtKeyUsageServerAuth), ours)
	f := newFixture(t)
	test := func(f *fixture, id string) fields {
		t.Helper()
		return f.Must(t, 200, "POST", endpointsPath+"/"+id+"/test", nil).JSON
	}
	failure := func(delivery fields) string {
		text, _ := delivery["attempts"].([]any)[0].(fields)["error"].(string)
		return text
	}

	id := f.subscribe(t, r, fields{"ca_certificate": theirs.pem})
	if got := test(f, id); got["state"] != "failed" || !strings.Contains(failure(got), "may want a client certificate") {
		t.Errorf("without a certificate of ours: %v", got)
	}
	shown := config{ClientCertificate: ours.sign(t, "ca-central-1", x509.ExtKeyUsageClientAuth)}
	certificate, err := shown.clientCertificate()
	if err != nil {
		t.Fatal(err)
	}
	f.shown = certificate
	f = f.anotherInstance(t)
	if got := test(f, id); got["state"] != "delivered" || len(r.received()) != 1 {
		t.Errorf("with both: %v", got)
	}
	if name := certificate.Leaf.Subject.CommonName; name != "ca-central-1" {
		t.Errorf("the certificate is of %s", name)
	}
	f.service.startDispatcher(t)
	f.relay(t, f.event(newID(), 1))
	r.waitForCalls(t, 2)

	// Another authority, and the public ones, verify nothing.
	for name, change := range map[string]any{"another's": newAuthority(t, "Another", time.Now().Add(time.Hour)).pem, "the public": nil} {
		f.Must(t, 200, "PATCH", endpointsPath+"/"+id, fields{"ca_certificate": change})
		if got := test(f, id); got["state"] != "failed" || !strings.Contains(failure(got), "needs its authority in ca_certificate") {
			t.Errorf("with %s authority: %v", name, failure(got))
		}
	}
	if got := len(r.received()); got != 2 {
		t.Errorf("%d calls reached a server that is not trusted", got)
	}

	// What receivers may know of us: all but the key.
	answer := f.Must(t, 200, "GET", endpointsPath+"/sender", nil)
	sum := sha256.Sum256(certificate.Leaf.Raw)
	if want, _, _ := strings.Cut(shown.ClientCertificate, "-----BEGIN PRIVATE KEY"); answer.JSON["client_certificate"] != want ||
		answer.JSON["client_certificate_sha256"] != hex.EncodeToString(sum[:]) ||
		answer.JSON["client_certificate_expires_at"] != ours.certificate.NotAfter.UTC().Format(timestampFormat) ||
		answer.JSON["source_addresses"].([]any)[0] != "203.0.113.7" {
		t.Errorf("shown is %s", answer.Body)
	}
	f.withScopes("assets:read").Must(t, 403, "GET", endpointsPath+"/sender", nil)
	if got := newFixture(t).Must(t, 200, "GET", endpointsPath+"/sender", nil).JSON; got["client_certificate"] != nil {
		t.Errorf("without a certificate: %v", got)
	}
}

func TestTheAuthoritiesOfAnEndpointAreCheckedAndTheirEndIsShown(t *testing.T) {
	f := newFixture(t)
	sooner, later := newAuthority(t, "Sooner", time.Now().Add(time.Hour)), newAuthority(t, "Later", time.Now().Add(48*time.Hour))
	past := newAuthority(t, "Past", time.Now().Add(-time.Hour))
	for name, c := range map[string]struct{ pem, message string }{
		"no PEM":                  {"MIIB", "must be one or more certificates as PEM"},
		"something behind it":     {later.pem + "and more", "must be one or more certificates as PEM"},
		"a private key":           {later.sign(t, "x", x509.ExtKeyUsageServerAuth), "a private key is in it"},
		"a request for one":       {pemOf("CERTIFICATE REQUEST", []byte{1}), "a CERTIFICATE REQUEST is in it"},
		"one that cannot be read": {pemOf(certificateBlock, []byte{1, 2, 3}), "cannot be read"},
		"one that has ended":      {later.pem + past.pem, "(CN=Past): send one that is valid"},
		"eleven":                  {strings.Repeat(later.pem, 11), "must hold 10 certificates at most"},
		"more than can be read":   {strings.Repeat("x", 20_000), "at most 16384 characters"},
	} {
		answer := f.Must(t, 400, "POST", endpointsPath, f.endpointBody(1, fields{"ca_certificate": c.pem}))
		if got := messageOf(answer, "ca_certificate"); !strings.Contains(got, c.message) || strings.Contains(got, "BEGIN PRIVATE") {
			t.Errorf("%s: %s", name, answer.Body)
		}
	}
	made := f.createEndpoint(t, fields{"ca_certificate": "\n" + strings.ReplaceAll(later.pem, "\n", "\r\n") + "\n" + sooner.pem})
	if made["ca_certificate"] != later.pem+sooner.pem ||
		made["ca_certificate_expires_at"] != sooner.certificate.NotAfter.UTC().Format(time.RFC3339) {
		t.Errorf("kept is %v until %v", made["ca_certificate"], made["ca_certificate_expires_at"])
	}
	f.advance(2 * time.Hour) // what has ended since is not looked at again when something else changes
	if got := f.Must(t, 200, "PATCH", pathOf(made),
		fields{"description": "x", "ca_certificate": made["ca_certificate"]}).JSON; got["ca_certificate_expires_at"] == nil {
		t.Errorf("after another change: %v", got)
	}
	if got := f.Must(t, 200, "PATCH", pathOf(made), fields{"ca_certificate": nil}).JSON; got["ca_certificate"] != nil ||
		got["ca_certificate_expires_at"] != nil {
		t.Errorf("taken away: %v", got)
	}
}

func TestWhatReceiversMayKnowUsByIsConfigured(t *testing.T) {
	for _, c := range []struct {
		config
		want string // the variable of the problem
	}{
		{config{}, ""},
		{config{SourceAddresses: []string{"203.0.113.7", " 203.0.113.99/28", "2001:db8::/48"}}, ""},
		{config{SourceAddresses: []string{"nat.example.ca"}}, "AMS_WEBHOOK_SOURCE_ADDRESSES"},
		{config{ClientCertificate: "none"}, "AMS_WEBHOOK_CLIENT_CERTIFICATE"},
		{config{ClientCertificate: newAuthority(t, "x", time.Now().Add(time.Hour)).pem}, "AMS_WEBHOOK_CLIENT_CERTIFICATE"},
	} {
		found := ""
		for _, problem := range c.Check() {
			if strings.HasPrefix(problem.Variable, "AMS_WEBHOOK") {
				found += problem.Variable
			}
		}
		if found != c.want {
			t.Errorf("%v: %q", c.SourceAddresses, found)
		}
	}
	addresses, err := config{SourceAddresses: []string{"203.0.113.7", " 203.0.113.99/28"}}.sourceAddresses()
	if got := strings.Join(addresses, " "); err != nil || got != "203.0.113.7 203.0.113.96/28" {
		t.Errorf("the addresses are %s, %v", got, err)
	}
}
