package discovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/consul/api"
)

// Prometheus is the one that has a token and is no program of ours: it reads the figures of Consul's agents, and nothing else.
const Prometheus = "prometheus"

const (
	tokenPrefix   = "ams " // of the description of each token that we made, before the name of who has it
	figuresPolicy = "ams-figures"
	figuresRules  = `agent_prefix "" { policy = "read" }`

	consulTimeout = time.Minute // a Consul that has just been started elects its leader first
	consulPause   = time.Second
	consulOneTry  = 5 * time.Second
	consulNotice  = 10 * time.Second
)

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Tokens makes the tokens by which programs may register, in a Consul that has access control: each is allowed to register under its
// program's own name, and to see who serves. A token is made by whoever keeps the secrets; Consul only learns it.
type Tokens struct {
	client *api.Client
	tokens map[string]string // name of a program, or Prometheus → secret
}

// NewTokens takes the address of a Consul of the primary datacenter, a token that may do everything there, and the tokens by
// the names of the programs.
func NewTokens(address, management string, tokens map[string]string) (*Tokens, error) {
	for _, name := range slices.Sorted(maps.Keys(tokens)) {
		if !uuid.MatchString(tokens[name]) {
			return nil, fmt.Errorf("discovery: the token of %s is no UUID in small letters, such as /proc/sys/kernel/random/uuid gives; "+
				"Consul takes no other", name)
		}
		for other, secret := range tokens {
			if other != name && secret == tokens[name] {
				return nil, fmt.Errorf("discovery: %s and %s have the same token: each needs its own", min(name, other), max(name, other))
			}
		}
	}
	settings := api.DefaultConfig()
	settings.Address, settings.Token = address, management
	client, err := api.NewClient(settings)
	if err != nil {
		return nil, fmt.Errorf("discovery: %w", err)
	}
	return &Tokens{client, tokens}, nil
}

// Prepare has Consul know each of the tokens, and says how many it did not know. It gives Consul a minute to answer, and says on out every
// ten seconds what it waits for. It may be run again at any time.
func (t *Tokens) Prepare(ctx context.Context, out io.Writer) (made int, err error) {
	known, err := t.await(ctx, out)
	if err != nil {
		return 0, err
	}
	for _, name := range slices.Sorted(maps.Keys(t.tokens)) {
		if t.isKnown(name, known) {
			continue
		}
		if err := t.create(ctx, name); err != nil {
			return made, fmt.Errorf("discovery: the token of %s: %w", name, err)
		}
		made++
	}
	return made, nil
}

// Retire ends every token that Prepare made for one of these names and that is none of these, and says how many. Whoever still has one of
// them loses it at once.
func (t *Tokens) Retire(ctx context.Context, out io.Writer) (ended int, err error) {
	known, err := t.await(ctx, out)
	if err != nil {
		return 0, err
	}
	for name := range t.tokens {
		if !t.isKnown(name, known) {
			return 0, fmt.Errorf("discovery: Consul does not know the new token of %s yet: prepare it first, and restart the program", name)
		}
	}
	for _, k := range known {
		name, ours := strings.CutPrefix(k.Description, tokenPrefix)
		if secret := t.tokens[name]; !ours || secret == "" || secret == k.SecretID {
			continue
		}
		if _, err := t.client.ACL().TokenDelete(k.AccessorID, t.write(ctx)); err != nil {
			return ended, fmt.Errorf("discovery: the former token of %s: %w", name, err)
		}
		ended++
	}
	return ended, nil
}

// isKnown says whether the token of a name is among those that Consul has.
func (t *Tokens) isKnown(name string, known []*api.ACLTokenListEntry) bool {
	return slices.ContainsFunc(known, func(k *api.ACLTokenListEntry) bool {
		return k.SecretID == t.tokens[name] && k.Description == tokenPrefix+name
	})
}

// await lists the tokens as soon as Consul does.
func (t *Tokens) await(ctx context.Context, out io.Writer) ([]*api.ACLTokenListEntry, error) {
	started := time.Now()
	lastNotice := started
	for {
		limited, cancel := context.WithTimeout(ctx, consulOneTry)
		known, _, err := t.client.ACL().TokenList((&api.QueryOptions{}).WithContext(limited))
		cancel()
		if err == nil {
			return known, nil
		}
		var status api.StatusError
		disabled := errors.As(err, &status) && status.Code == http.StatusUnauthorized
		switch {
		case ctx.Err() != nil:
			return nil, errors.Join(ctx.Err(), err)
		case disabled:
			return nil, fmt.Errorf("discovery: this Consul has no access control; set acl.enabled in its configuration: %w", err)
		case time.Since(started) >= consulTimeout:
			return nil, fmt.Errorf("discovery: Consul does not list its tokens, tried for %s; see that its address and the management token "+
				"are right: %w", consulTimeout, err)
		}
		if time.Since(lastNotice) >= consulNotice {
			lastNotice = time.Now()
			fmt.Fprintf(out, "waiting for Consul: %v\n", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(consulPause):
		}
	}
}

func (t *Tokens) create(ctx context.Context, name string) error {
	token := &api.ACLToken{SecretID: t.tokens[name], Description: tokenPrefix + name}
	switch name {
	case Prometheus:
		if err := t.keepPolicy(ctx); err != nil {
			return err
		}
		token.Policies = []*api.ACLLink{{Name: figuresPolicy}}
	case "gateway": // it registers its internal listener by a name of its own
		token.ServiceIdentities = []*api.ACLServiceIdentity{{ServiceName: name}, {ServiceName: name + "-internal"}}
	default:
		token.ServiceIdentities = []*api.ACLServiceIdentity{{ServiceName: name}}
	}
	_, _, err := t.client.ACL().TokenCreate(token, t.write(ctx))
	return err
}

func (t *Tokens) keepPolicy(ctx context.Context) error {
	present, _, err := t.client.ACL().PolicyReadByName(figuresPolicy, (&api.QueryOptions{}).WithContext(ctx))
	if err != nil || present != nil {
		return err
	}
	_, _, err = t.client.ACL().PolicyCreate(&api.ACLPolicy{Name: figuresPolicy, Rules: figuresRules, Description: "The figures of agents"},
		t.write(ctx))
	return err
}

func (t *Tokens) write(ctx context.Context) *api.WriteOptions {
	return (&api.WriteOptions{}).WithContext(ctx)
}
