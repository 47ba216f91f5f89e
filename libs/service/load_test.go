package service_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/service"
)

const secret = "0123456789abcdef0123456789abcdef"

// gatewayLike is a configuration with more variables than the common ones.
type gatewayLike struct {
	service.Config
	RedisAddr string `env:"AMS_REDIS_ADDR" format:"address" required:"true" doc:"Redis, as host:port."`
	Burst     int    `env:"AMS_BURST" envDefault:"20" minimum:"1" maximum:"100" doc:"Requests in flight per key."`
	Open      bool   `env:"AMS_OPEN" doc:"Whether it is open."`
}

func (c gatewayLike) Check() []service.Problem {
	if c.Open && c.Burst > 50 {
		return []service.Problem{{Variable: "AMS_BURST", Message: "is over 50, which AMS_OPEN does not allow"}}
	}
	return nil
}

func TestAnInvalidEnvironmentIsReportedByVariableWithTheRemedy(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	right := []string{"AMS_PRINCIPAL_SECRETS=" + secret, "AMS_REDIS_ADDR=127.0.0.1:6379"}
	cases := map[string]struct {
		environ []string
		want    []string // parts of the message, all of which must be there
	}{
		"a word that is not among the allowed ones": {[]string{"AMS_LOG_LEVEL=loud"},
			[]string{`AMS_LOG_LEVEL is "loud"`, "debug, info, warn, error"}},
		"another mode of discovery": {[]string{"AMS_DISCOVERY=dns"}, []string{`AMS_DISCOVERY is "dns"`, "consul, static"}},
		"a duration without a unit": {[]string{"AMS_DRAIN_TIMEOUT=20"},
			[]string{`AMS_DRAIN_TIMEOUT is "20"`, "20s or 1m30s", "from 0s to 10m"}},
		"a duration that is too long": {[]string{"AMS_DRAIN_TIMEOUT=1h"}, []string{`AMS_DRAIN_TIMEOUT is "1h"`, "from 0s to 10m"}},
		"a ratio above one":           {[]string{"AMS_TRACE_RATIO=2"}, []string{`AMS_TRACE_RATIO is "2"`, "a number from 0 to 1"}},
		"a ratio that is no number":   {[]string{"AMS_TRACE_RATIO=NaN"}, []string{`AMS_TRACE_RATIO is "NaN"`}},
		"a number that is not whole": {[]string{"AMS_DATABASE_CONNECTIONS=many"},
			[]string{`AMS_DATABASE_CONNECTIONS is "many"`, "a whole number from 2 to 200"}},
		"a number that is too small": {[]string{"AMS_BURST=0"}, []string{`AMS_BURST is "0"`, "from 1 to 100"}},
		"a cell without a name": {[]string{"AMS_CELLS=postgres://ams:hunter2@db/ams"},
			[]string{"AMS_CELLS cannot be read", "entry 1", "%3B"}},
		"a cell with capitals": {[]string{"AMS_CELLS=Second=postgres://ams:hunter2@db/ams"}, []string{"AMS_CELLS", "small letters"}},
		"a further cell that is the first": {[]string{"AMS_CELLS=first=postgres://ams:hunter2@db/ams"},
			[]string{"AMS_CELLS", "AMS_DATABASE_URL"}},
		"a cell that stands there twice": {[]string{"AMS_CELLS=b=postgres://ams:hunter2@db/ams;b=postgres://ams:hunter2@other/ams"},
			[]string{"AMS_CELLS names the cell b twice"}},
		"a cell that is no database": {[]string{"AMS_CELLS=b=mysql://ams:hunter2@db/ams"}, []string{"AMS_CELLS", "cell b", "postgres://"}},
		"two cells in one database": {[]string{"AMS_CELLS=b=postgres://ams:hunter2@db/ams;c=postgres://other:hunter2@DB/ams"},
			[]string{"gives the cell c the database of the cell b"}},
		"a cell in the first database": {[]string{"AMS_DATABASE_URL=postgres://ams:hunter2@db/ams", "AMS_CELLS=b=postgres://ams:hunter2@db/ams"},
			[]string{"gives the cell b the database of the cell first"}},
		"neither true nor false":        {[]string{"AMS_OPEN=perhaps"}, []string{`AMS_OPEN is "perhaps"`, "true or false"}},
		"an address without a port":     {[]string{"AMS_LISTEN=localhost"}, []string{`AMS_LISTEN is "localhost"`, "host:port"}},
		"a port that is too high":       {[]string{"AMS_LISTEN=127.0.0.1:70000"}, []string{"AMS_LISTEN"}},
		"a collector that is not a URL": {[]string{"AMS_OTLP_ENDPOINT=collector:4318"}, []string{"AMS_OTLP_ENDPOINT", "http://"}},
		"a database that is not Postgres": {[]string{"AMS_DATABASE_URL=mysql://ams:hunter2@db/ams"},
			[]string{"AMS_DATABASE_URL cannot be used", "postgres://", "AMS_DATABASE_URL_FILE"}},
		"a secret that is too short": {[]string{"AMS_PRINCIPAL_SECRETS=" + secret + ",hunter2"},
			[]string{"AMS_PRINCIPAL_SECRETS", "7 characters", "32"}},
		"a secret that is not set": {[]string{"AMS_PRINCIPAL_SECRETS="},
			[]string{"AMS_PRINCIPAL_SECRETS is not set", "AMS_PRINCIPAL_SECRETS_FILE"}},
		"a secret twice": {[]string{"AMS_PRINCIPAL_SECRETS_FILE=" + empty},
			[]string{"AMS_PRINCIPAL_SECRETS and AMS_PRINCIPAL_SECRETS_FILE are both set"}},
		"a secret's file that is missing": {[]string{"AMS_DATABASE_URL_FILE=" + missing}, []string{"AMS_DATABASE_URL_FILE", missing}},
		"a secret's file that is empty":   {[]string{"AMS_DATABASE_URL_FILE=" + empty}, []string{"AMS_DATABASE_URL_FILE", "empty"}},
		"services that cannot be read":    {[]string{"AMS_STATIC_SERVICES=assets:7001"}, []string{"AMS_STATIC_SERVICES", "assets:7001"}},
		"nothing that others can reach": {[]string{"AMS_LISTEN=0.0.0.0:80"},
			[]string{"AMS_ADVERTISE is not set", "AMS_LISTEN=0.0.0.0:80"}},
		"what is required and not there": {[]string{"AMS_REDIS_ADDR="}, []string{"AMS_REDIS_ADDR is not set", "host:port"}},
		"a rule over two variables":      {[]string{"AMS_OPEN=true", "AMS_BURST=60"}, []string{"AMS_BURST is over 50"}},
		"all that is wrong, not the first alone": {[]string{"AMS_LOG_LEVEL=loud", "AMS_BURST=x", "AMS_REDIS_ADDR="},
			[]string{"AMS_LOG_LEVEL", "AMS_BURST", "AMS_REDIS_ADDR"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := service.Load[gatewayLike](append(append([]string{}, right...), c.environ...))
			var invalid *service.ConfigError
			if !errors.As(err, &invalid) {
				t.Fatalf("not refused: %v", err)
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), secret) {
				t.Errorf("%q shows a secret", err)
			}
		})
	}
}

func TestDefaultsAreSafeAndEmptyCountsAsNotSet(t *testing.T) {
	t.Parallel()
	config, err := service.Load[service.Config]([]string{"AMS_PRINCIPAL_SECRETS=" + secret, "AMS_LOG_LEVEL=", "AMS_UNRELATED=1"})
	if err != nil {
		t.Fatal(err)
	}
	want := service.Config{
		Listen: "127.0.0.1:0", DatabaseConnections: 8, PrincipalSecrets: []string{secret}, Discovery: "consul", ConsulAddr: "127.0.0.1:8500",
		Region: "ca-central-1", LogLevel: "info", TraceRatio: 0.01, DrainDelay: 200 * time.Millisecond, DrainTimeout: 20 * time.Second,
	}
	if !reflect.DeepEqual(config, want) {
		t.Errorf("config = %+v\nwant     %+v", config, want)
	}
}

func TestASecretMayStandInAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(path, []byte(secret+","+strings.ToUpper(secret)+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := service.Load[service.Config]([]string{"AMS_PRINCIPAL_SECRETS_FILE=" + path})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(config.PrincipalSecrets, []string{secret, strings.ToUpper(secret)}) {
		t.Errorf("secrets = %q", config.PrincipalSecrets)
	}
}

func TestHelpAndReferenceNameEveryVariable(t *testing.T) {
	t.Parallel()
	var help, reference, own bytes.Buffer
	if err := service.Describe(&help, "gateway", gatewayLike{}, service.Migration{}); err != nil {
		t.Fatal(err)
	}
	if err := service.Reference(&reference, service.Section{Title: "Every process", Config: service.Config{}},
		service.Section{Title: "gateway", Config: gatewayLike{}}); err != nil {
		t.Fatal(err)
	}
	if err := service.Reference(&own, service.Section{Title: "gateway", Config: gatewayLike{}, Besides: service.Config{}}); err != nil {
		t.Fatal(err)
	}
	for field := range reflect.TypeFor[service.Config]().Fields() {
		name := field.Tag.Get("env")
		if name == "" || field.Tag.Get("doc") == "" {
			t.Errorf("%s has no variable or no meaning", field.Name)
		}
		if !strings.Contains(help.String(), "\n  "+name) {
			t.Errorf("-help does not list %s", name)
		}
		if n := strings.Count(reference.String(), "| `"+name+"`"); n != 1 {
			t.Errorf("the reference lists %s %d times", name, n)
		}
		if strings.Contains(own.String(), "`"+name+"`") {
			t.Errorf("the gateway's own section lists %s", name)
		}
	}
	for _, want := range []string{"AMS_REDIS_ADDR  (must be set)", "AMS_BURST  (default 20)", "From 1 to 100.",
		"AMS_OWNER_DATABASE_URL", "or AMS_DATABASE_URL_FILE"} {
		if !strings.Contains(help.String(), want) {
			t.Errorf("-help does not say %q:\n%s", want, &help)
		}
	}
	for _, want := range []string{"| `AMS_REDIS_ADDR` | must be set |", "| `AMS_BURST` | `20` |"} {
		if !strings.Contains(reference.String(), want) || !strings.Contains(own.String(), want) {
			t.Errorf("the reference does not say %q:\n%s", want, &reference)
		}
	}
}
