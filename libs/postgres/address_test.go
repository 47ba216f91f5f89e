package postgres

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestAnAddressMayNameSeveralHostsAndReplicas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ address, hosts, replicas, others string }{
		{"postgres://u:p@h1:1/ams?sslmode=disable", "h1:1", "", ""},
		{"postgres://u:p@h1:1,h2:2/ams?sslmode=disable&target_session_attrs=read-write&replica_hosts=h3:3,h4:4", "h1:1 h2:2",
			"h3:3,h4:4", "h3:3 h4:4"},
		{"postgres://u:p%40@127.0.0.1:1,127.0.0.1:2/ams?replica_hosts=h3%3A3&sslmode=disable", "127.0.0.1:1 127.0.0.1:2", "h3:3", "h3:3"},
		{"postgres://u:p@[::1]:1,[::2]:2/ams?sslmode=disable&replica_hosts=[::3]:3", "::1:1 ::2:2", "[::3]:3", "::3:3"},
		{"postgres://u:p@/ams?host=h1,h2&port=1,2&sslmode=disable&replica_hosts=h3:3", "h1:1 h2:2", "h3:3", "h3:3"},
	} {
		rest, replicas, err := takeParameter(c.address, replicaHosts)
		if err != nil || replicas != c.replicas || strings.Contains(rest, replicaHosts) {
			t.Errorf("%s: replicas %q in %s, %v", c.address, replicas, rest, err)
		}
		if got := hostsOf(t, rest); got != c.hosts {
			t.Errorf("%s: hosts %s", c.address, got)
		}
		if replicas == "" {
			continue
		}
		other, err := withHosts(rest, replicas)
		if err != nil || hostsOf(t, other) != c.others {
			t.Errorf("%s: the replicas are read as %s, %v", c.address, hostsOf(t, other), err)
		}
		if main, there := parsed(t, rest), parsed(t, other); main.User != there.User || main.Password != there.Password ||
			main.Database != there.Database {
			t.Errorf("%s: the replicas' user, password or database is another", c.address)
		}
	}
	// What reads AMS_DATABASE_URL as a URL takes hosts by name or IPv4; those of IPv6 are given as host= and port=.
	if _, err := url.Parse("postgres://u:p@127.0.0.1:1,h2.example.ca:2/ams"); err != nil {
		t.Error(err)
	}
}

func TestASilentHostLeavesTimeForTheNext(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]time.Duration{
		"postgres://u:p@127.0.0.1:1/ams?sslmode=disable":                                     connectTimeout,
		"postgres://u:p@127.0.0.1:1,127.0.0.1:2/ams":                                         connectTimeout / 2,
		"postgres://u:p@127.0.0.1:1,127.0.0.1:2,127.0.0.1:3,127.0.0.1:4/ams?sslmode=disable": shortestDial,
	} {
		config := parsed(t, address)
		dialled := 0
		config.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) { // a machine that is silent
			dialled++
			begin := time.Now()
			<-ctx.Done()
			if waited := time.Since(begin); waited < want/2 || waited > want+time.Second {
				t.Errorf("%s: a host is waited for %s, want %s", address, waited, want)
			}
			return nil, ctx.Err()
		}
		followPrimary(config)
		if _, err := pgx.ConnectConfig(t.Context(), config); err == nil {
			t.Errorf("%s: connected to nobody", address)
		}
		if hosts := strings.Count(address, ",") + 1; dialled < hosts {
			t.Errorf("%s: %d of %d hosts were tried", address, dialled, hosts)
		}
	}
}

func TestAQueryThatCannotBeReadIsNotShown(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), "postgres://h/ams?password=secret%zz")
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func parsed(t *testing.T, address string) *pgx.ConnConfig {
	t.Helper()
	config, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func hostsOf(t *testing.T, address string) string {
	t.Helper()
	config := parsed(t, address)
	hosts := []string{fmt.Sprint(config.Host, ":", config.Port)}
	for _, f := range config.Fallbacks {
		if at := fmt.Sprint(f.Host, ":", f.Port); hosts[len(hosts)-1] != at {
			hosts = append(hosts, at)
		}
	}
	return strings.Join(hosts, " ")
}
