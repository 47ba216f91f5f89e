package webhooks

import (
	"context"
	"encoding/base64"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

const formerKey = "a root key of last year, long enough too"

func mustSeal(t testing.TB, roots ...string) *sealer {
	t.Helper()
	s, err := newSealer(roots)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWhatIsSealedOpensUnderEveryRootKeyAndAsItselfOnly(t *testing.T) {
	old, both, present := mustSeal(t, formerKey), mustSeal(t, rootKey, formerKey), mustSeal(t, rootKey)
	for _, c := range []struct {
		name     string
		by, with *sealer
		about    string
		opens    bool
	}{
		{"by whom it was sealed", old, old, "a", true},
		{"after a new key was put first", old, both, "a", true},
		{"the first key seals", both, present, "a", true},
		{"what the new key sealed is closed to the old one", both, old, "a", false},
		{"after the old key was removed", old, present, "a", false},
		{"as something else's", old, old, "b", false},
	} {
		sealed, err := c.by.seal("whsec_x", "a")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(sealed), "whsec") {
			t.Errorf("%s: it can be read", c.name)
		}
		if plain, err := c.with.open(sealed, c.about); (err == nil) != c.opens || c.opens && plain != "whsec_x" {
			t.Errorf("%s: %q, %v", c.name, plain, err)
		}
		sealed[len(sealed)-1] ^= 1
		if _, err := c.by.open(sealed, "a"); err == nil {
			t.Errorf("%s: it opens after it was altered", c.name)
		}
	}
	one, _ := old.seal("same", "a")
	two, _ := old.seal("same", "a")
	if slices.Equal(one, two) {
		t.Error("the same is sealed the same twice")
	}
	for _, sealed := range [][]byte{nil, {}, {sealed1}, one[:13], append([]byte{9}, one[1:]...)} {
		if _, err := old.open(sealed, "a"); err == nil {
			t.Errorf("%x opens", sealed)
		}
	}
}

func TestNothingIsSealedByNothing(t *testing.T) {
	if _, err := mustSeal(t, rootKey).seal("", "a"); err == nil {
		t.Error("an empty secret is sealed")
	}
	for _, roots := range [][]string{nil, {""}, {rootKey, "short"}} {
		if _, err := newSealer(roots); err == nil {
			t.Errorf("the root keys %q are taken", roots)
		}
	}
}

func TestASecretIs32RandomBytesAsStandardWebhooksWritesThem(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		secret := newSecret()
		encoded, found := strings.CutPrefix(secret, "whsec_")
		if raw, err := base64.StdEncoding.DecodeString(encoded); !found || err != nil || len(raw) != 32 || seen[secret] {
			t.Fatalf("%q: %v", secret, err)
		}
		seen[secret] = true
		if _, err := standardwebhooks.NewWebhook(secret); err != nil {
			t.Error(err)
		}
	}
}

// liveSecrets gives the secrets that calls to an endpoint are signed with at the moment.
func (f *fixture) liveSecrets(t testing.TB, id string) (secrets []string) {
	t.Helper()
	f.inTransaction(t, func(ctx context.Context, tx pgx.Tx) (err error) {
		secrets, err = mustSeal(t, rootKey).liveSecrets(ctx, tx, id)
		return err
	})
	return secrets
}

func TestRotationHasNoGap(t *testing.T) {
	f := newFixture(t)
	receiver := newReceiver(t, nil)
	endpoint := f.createEndpoint(t, fields{"url": receiver.URL})
	first, path := endpoint["secret"].(string), pathOf(endpoint)
	verify := func(secret string, want bool) {
		t.Helper()
		webhook, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		last := receiver.last(t)
		if err := webhook.Verify(last.body, last.header); (err == nil) != want {
			t.Errorf("call %d under a secret: %v, want %v", len(receiver.received()), err, want)
		}
	}
	f.Must(t, 200, "POST", path+"/test", nil)
	verify(first, true)

	rotated := f.Must(t, 200, "POST", path+"/secret/rotate", fields{}, "Idempotency-Key", "rotation")
	second := rotated.JSON["secret"].(string)
	if second == first || !strings.HasPrefix(second, "whsec_") || rotated.JSON["previous_expires_at"] == nil {
		t.Errorf("rotated: %s", rotated.Body)
	}
	f.Must(t, 200, "POST", path+"/test", nil)
	verify(first, true)
	verify(second, true)
	if live := f.liveSecrets(t, endpoint["id"].(string)); !slices.Equal(live, []string{second, first}) {
		t.Errorf("%d secrets sign, the newest first: %v", len(live), live[0] == second)
	}
	if again := f.Must(t, 200, "POST", path+"/secret/rotate", fields{}, "Idempotency-Key",
		"rotation"); string(again.Body) != string(rotated.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the same Idempotency-Key: %s", again.Body)
	}
	got := f.Must(t, 200, "GET", path, nil).JSON
	if got["secret"] != nil || got["secret_rotated_at"] == nil || got["version"] != 2.0 {
		t.Errorf("the endpoint afterwards: %v", got)
	}
	if history, _ := f.List(t, path+"/history"); len(history) != 2 || history[1]["changes"].(fields)["secret_rotated_at"] == nil {
		t.Errorf("the history does not tell of it: %v", history)
	}

	third := f.Must(t, 200, "POST", path+"/secret/rotate", fields{"overlap_hours": 0}).JSON["secret"].(string)
	f.Must(t, 200, "POST", path+"/test", nil)
	verify(first, false)
	verify(second, false)
	verify(third, true)
	if again := f.Must(t, 200, "POST", path+"/secret/rotate", fields{}, "Idempotency-Key", "rotation"); again.JSON["secret"] != nil {
		t.Error("the stored response to a rotation shows a secret that is not valid any more")
	}
	for range maxSecrets - 1 {
		f.Must(t, 200, "POST", path+"/secret/rotate", fields{"overlap_hours": 168})
	}
	if refused := f.Must(t, 409, "POST", path+"/secret/rotate", fields{}); refused.JSON["code"] != "too_many_secrets" ||
		refused.JSON["field"] != "overlap_hours" {
		t.Errorf("one secret too many: %s", refused.Body)
	}
	f.Must(t, 200, "POST", path+"/secret/rotate", fields{"overlap_hours": 0})
	if live := f.liveSecrets(t, endpoint["id"].(string)); len(live) != 1 {
		t.Errorf("%d secrets sign after a rotation without overlap", len(live))
	}
}

// A secret of the caller's own signs as one of ours does, and is shown and kept in no other way.
func TestASecretOfTheCallersOwnIsTaken(t *testing.T) {
	f := newFixture(t)
	receiver := newReceiver(t, nil)
	secretOf := func(bytes int, fill string) string {
		return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(fill, bytes)))
	}
	first, second := secretOf(24, "a"), secretOf(64, "b")
	for name, bad := range map[string]any{
		"23 bytes": secretOf(23, "k"), "65 bytes": secretOf(65, "k"), "no prefix": strings.TrimPrefix(first, "whsec_"), "no base64": first + "%",
		"a prefix only": "whsec_", "a line break": "whsec_\n" + first[6:], "much": "whsec_" + strings.Repeat("k", 5000), "a number": 5,
	} {
		body := f.endpointBody(1, fields{"secret": bad})
		for _, answer := range []resourcetest.Response{f.Must(t, 400, "POST", endpointsPath, body),
			f.Must(t, 400, "POST", endpointsPath+"/bulk", fields{"data": []any{body}})} {
			if text, _ := bad.(string); !strings.Contains(string(answer.Body), "secret") ||
				len(text) > 10 && strings.Contains(string(answer.Body), text) {
				t.Errorf("%s: %s", name, answer.Body)
			}
		}
	}
	endpoint := f.createEndpoint(t, fields{"url": receiver.URL, "secret": first})
	id, path := endpoint["id"].(string), pathOf(endpoint)
	if endpoint["secret"] != first {
		t.Errorf("the answer to the create has %v", endpoint["secret"])
	}
	receiver.secret.Store(first)
	f.Must(t, 200, "POST", path+"/test", nil)
	if answer := f.Must(t, 400, "PATCH", path, fields{"secret": second}); !strings.Contains(messageOf(answer, "secret"), "/secret/rotate") {
		t.Errorf("a change to another: %s", answer.Body)
	}
	f.Must(t, 200, "PATCH", path, fields{"description": "Mirror", "secret": nil})
	f.Must(t, 400, "POST", path+"/secret/rotate", fields{"secret": "whsec_c2hvcnQ="})
	rotated := f.Must(t, 200, "POST", path+"/secret/rotate", fields{"secret": second}, "Idempotency-Key", "own")
	if rotated.JSON["secret"] != second || !slices.Equal(f.liveSecrets(t, id), []string{second, first}) {
		t.Errorf("rotated to one of the caller's: %s", rotated.Body)
	}
	f.Must(t, 200, "POST", path+"/test", nil) // the receiver verifies with the first still
	for _, shown := range []string{path, path + "/history", endpointsPath, "/v1/events"} {
		if answer := f.Must(t, 200, "GET", shown, nil); strings.Contains(string(answer.Body), "whsec_") {
			t.Errorf("%s shows a secret: %s", shown, answer.Body)
		}
	}
	var dump string
	if err := f.ownerConn(t).QueryRow(t.Context(), `SELECT concat((SELECT string_agg(t::text, '') FROM webhook_endpoint t),
		(SELECT string_agg(t::text, '') FROM history t), (SELECT string_agg(t::text, '') FROM outbox t),
		(SELECT string_agg(t::text, '') FROM idempotency t), (SELECT string_agg(t::text, '')
			FROM webhook_endpoint_secret t))`).Scan(&dump); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{first, second} {
		if dump == "" || strings.Contains(dump, secret) || strings.Contains(dump, strings.TrimPrefix(secret, "whsec_")) {
			t.Errorf("a secret is in the database: %.2000s", dump)
		}
	}
}

func TestHeaderValuesAreShownToNobodyAndSent(t *testing.T) {
	f := newFixture(t)
	receiver := newReceiver(t, nil)
	endpoint := f.createEndpoint(t, fields{"url": receiver.URL, "headers": fields{"Authorization": "Bearer one", "X-Tenant": "a"}})
	path := pathOf(endpoint)
	sent := func(want map[string]string) {
		t.Helper()
		f.Must(t, 200, "POST", path+"/test", nil)
		for name, value := range want {
			if got := receiver.last(t).header.Get(name); got != value {
				t.Errorf("%s is sent as %q, want %q", name, got, value)
			}
		}
	}
	shown := func(want fields) {
		t.Helper()
		got := f.Must(t, 200, "GET", path, nil).JSON["headers"].(fields)
		if len(got) != len(want) {
			t.Errorf("shown are %v", got)
		}
		for name := range want {
			if got[name] != masked {
				t.Errorf("%s is shown as %v", name, got[name])
			}
		}
	}
	shown(fields{"Authorization": 1, "X-Tenant": 1})
	sent(map[string]string{"Authorization": "Bearer one", "X-Tenant": "a"})

	f.Must(t, 200, "PATCH", path, f.Must(t, 200, "GET", path, nil).JSON) // what was read is sent back
	sent(map[string]string{"Authorization": "Bearer one", "X-Tenant": "a"})
	changed := f.Must(t, 200, "PATCH", path, fields{"headers": fields{"Authorization": "Bearer two", "X-More": "b"}})
	if changed.JSON["version"] != 2.0 {
		t.Errorf("a new value of a header makes version %v", changed.JSON["version"])
	}
	shown(fields{"Authorization": 1, "X-Tenant": 1, "X-More": 1})
	sent(map[string]string{"Authorization": "Bearer two", "X-Tenant": "a", "X-More": "b"})
	f.Must(t, 200, "PATCH", path, fields{"headers": fields{"X-Tenant": nil}, "description": "sans"})
	shown(fields{"Authorization": 1, "X-More": 1})
	sent(map[string]string{"Authorization": "Bearer two", "X-Tenant": "", "X-More": "b"})
	f.Must(t, 200, "PATCH", path, fields{"headers": nil})
	shown(fields{})
	sent(map[string]string{"Authorization": "", "X-More": ""})
}

// Who steals the database, a dump or a log finds no secret in it.
func TestSecretsAndHeaderValuesAreNowhereInTheDatabase(t *testing.T) {
	f := newFixture(t)
	receiver := newReceiver(t, nil)
	const one, two, three = "Bearer 5f2c0e7d-do-not-keep-one", "Bearer 8a91b3cc-do-not-keep-two", "9c77-do-not-keep-three"
	first := f.Must(t, 201, "POST", endpointsPath, f.endpointBody(1, fields{"url": receiver.URL, "headers": fields{"Authorization": one}}),
		"Idempotency-Key", "first")
	again := f.Must(t, 201, "POST", endpointsPath, f.endpointBody(1, fields{"url": receiver.URL, "headers": fields{"Authorization": one}}),
		"Idempotency-Key", "first")
	if string(again.Body) != string(first.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Error("the same Idempotency-Key gives another answer")
	}
	bulk := f.Must(t, 200, "POST", endpointsPath+"/bulk", fields{"data": []any{f.endpointBody(2,
		fields{"headers": fields{"X-Api-Key": two}})}}, "Idempotency-Key", "bulk")
	path := pathOf(first.JSON)
	f.Must(t, 200, "PATCH", path, fields{"headers": fields{"X-Other": three}})
	rotated := f.Must(t, 200, "POST", path+"/secret/rotate", fields{}, "Idempotency-Key", "rotation")
	f.Must(t, 200, "POST", path+"/test", nil, "Idempotency-Key", "test")
	f.Must(t, 400, "POST", endpointsPath, f.endpointBody(3, fields{"url": "https://10.0.0.1", "headers": fields{"X-Other": three}}))
	f.Must(t, 200, "GET", path+"/history", nil)

	secrets := []string{
		first.JSON["secret"].(string), bulk.JSON["data"].([]any)[0].(fields)["secret"].(string), rotated.JSON["secret"].(string), one, two, three,
	}
	if slices.Contains(secrets, "") {
		t.Fatal("a secret was not shown")
	}
	// What is looked for may stand there in other forms too.
	var wanted []string
	for _, secret := range secrets {
		plain := strings.TrimPrefix(secret, "whsec_")
		wanted = append(wanted, plain, base64.StdEncoding.EncodeToString([]byte(plain))[:len(plain)])
		if raw, err := base64.StdEncoding.DecodeString(plain); err == nil {
			wanted = append(wanted, string(raw))
		}
	}
	dump := f.dump(t)
	if !strings.Contains(dump, receiver.URL) || !strings.Contains(dump, "Idempotency-Replayed") && !strings.Contains(dump, "rotation") {
		t.Fatal("the dump lacks what is known to be there")
	}
	for _, secret := range wanted {
		if strings.Contains(dump, secret) {
			t.Errorf("%.12q… stands in the database", secret)
		}
	}
	for _, answer := range []resourcetest.Response{f.Must(t, 200, "GET", endpointsPath, nil), f.Must(t, 200, "GET", path+"/history", nil),
		f.Must(t, 200, "GET", path+"/deliveries", nil)} {
		for _, secret := range wanted {
			if strings.Contains(string(answer.Body), secret) {
				t.Errorf("%.12q… is shown again: %s", secret, answer.Body)
			}
		}
	}
}

// dump gives the whole database as text: bytea in hexadecimal and as text.
func (f *fixture) dump(t testing.TB) string {
	t.Helper()
	bin := ""
	if out, err := exec.CommandContext(t.Context(), "pg_config", "--bindir").Output(); err == nil {
		bin = strings.TrimSpace(string(out))
	}
	address, _, _ := strings.Cut(f.database.OwnerURL, "?") // its parameters are our driver's
	out, err := exec.CommandContext(t.Context(), filepath.Join(bin, "pg_dump"), "--data-only", "--inserts", "--enable-row-security",
		address).CombinedOutput() // #nosec G204 -- the test's own database
	if err != nil {
		t.Fatalf("pg_dump: %v: %.500s", err, out)
	}
	text := strings.Builder{}
	text.Write(out)
	conn := f.ownerConn(t)
	rows, err := conn.Query(t.Context(), "SELECT encode(body, 'escape') FROM idempotency WHERE body IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	bodies, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(bodies) == 0 {
		t.Fatalf("the stored responses: %d, %v", len(bodies), err)
	}
	text.WriteString(strings.Join(bodies, "\n"))
	return text.String()
}

// Root keys are replaced without losing what was sealed under the former one.
func TestRootKeysAreReplacedInTwoSteps(t *testing.T) {
	f := newFixture(t)
	receiver := newReceiver(t, nil)
	endpoint := f.createEndpoint(t, fields{"url": receiver.URL, "headers": fields{"X-Token": "a"}})
	next := f.anotherInstance(t, formerKey, rootKey) // the new key is first
	if shown := next.Must(t, 200, "POST", pathOf(endpoint)+"/test", nil).JSON; shown["state"] != "delivered" {
		t.Errorf("%v", shown)
	}
	lost := f.anotherInstance(t, formerKey)
	err := lost.service.db.Read(principal.Into(t.Context(), f.Principal), func(ctx context.Context, tx pgx.Tx) error {
		_, err := mustSeal(t, formerKey).target(ctx, tx, endpoint["id"].(string))
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "is a former root key missing?") || postgres.Fault(err, nil) == nil {
		t.Errorf("without the key: %v", err)
	}
}
