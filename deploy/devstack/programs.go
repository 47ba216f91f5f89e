package devstack

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/postgres"
)

// services are our programs behind the gateway.
var services = append(catalogue.Product().Services(), "mcp", "console", "search")

// withSchema is every program that keeps data: each has a database schema and a role of its name.
var withSchema = append([]string{"gateway"}, slices.DeleteFunc(slices.Clone(services), keepsNothing)...)

func keepsNothing(program string) bool { return program == "search" }

const database = "ams"

// programName is the program that all of ours are targets of.
const programName = "ams"

// migrate brings the schemas of a cell up to date, as the owner of all schemas.
func (s *Stack) migrate(ctx context.Context, c *cell) error {
	if err := postgres.RefuseBeforeFirstRelease(ctx, s.roleURL(c, postgres.Owner)); err != nil {
		return err // in one sentence, which the end of a log would hide
	}
	// a migration talks to the database and nobody else
	environment := append(os.Environ(), "AMS_OWNER_DATABASE_URL="+s.roleURL(c, postgres.Owner))
	return runOnce(ctx, nil, filepath.Join(s.logs, "migrate-"+c.name+".log"), environment, filepath.Join(s.options.Binaries, programName),
		append([]string{"migrate"}, c.programs()...)...)
}

func (s *Stack) gatewayProcesses() []*process {
	var all []*process
	for _, r := range s.regions {
		for i, address := range r.gateways {
			p := s.programProcess(r, "gateway", i, address)
			p.environment = append(p.environment, "AMS_OPERATOR_LISTEN="+r.adminListeners[i])
			all = append(all, p)
		}
	}
	return all
}

func (s *Stack) serviceProcesses() []*process {
	var all []*process
	for _, r := range s.regions {
		for _, service := range services {
			if service == s.options.Without {
				continue
			}
			for i, address := range r.services[service] {
				all = append(all, s.programProcess(r, service, i, address))
			}
		}
	}
	return all
}

func (s *Stack) programProcess(r *region, program string, index int, address string) *process {
	name := r.processName(program, index)
	return &process{
		name: name, program: filepath.Join(s.options.Binaries, programName), arguments: []string{"serve", program},
		directory: s.options.Folder, address: address,
		environment: append(s.programEnvironment(r, program), "AMS_LISTEN="+address),
		ready:       func(ctx context.Context) error { return httpResponds(ctx, "http://"+address+"/readyz") },
		stopSignal:  syscall.SIGTERM, deathSignal: syscall.SIGKILL,
		logPath: filepath.Join(s.logs, name+".log"),
	}
}

// wholeProcess is the process that runs all of our programs.
func (s *Stack) wholeProcess() *process {
	r := s.home()
	p := s.programProcess(r, "gateway", 0, r.gateways[0])
	p.name, p.arguments, p.logPath = programName, []string{"serve", "all"}, filepath.Join(s.logs, programName+".log")
	p.environment = append(os.Environ(), s.wholeSettings(r)...)
	p.environment = append(p.environment, "AMS_LISTEN="+r.gateways[0], "AMS_OPERATOR_LISTEN="+r.adminListeners[0])
	return p
}

// wholeSettings are what the launcher decides for all programs in one process: what is one program's alone, or different for it, has the
// program in the name of the variable.
func (s *Stack) wholeSettings(r *region) []string {
	var environment []string
	first := map[string]string{}
	for _, program := range append([]string{"gateway"}, services...) {
		for _, setting := range s.settings(r, program) {
			name, value, _ := strings.Cut(setting, "=")
			common, known := first[name]
			switch {
			case !known:
				first[name] = value
				environment = append(environment, setting)
			case value != common:
				own := "AMS_" + strings.ToUpper(program) + strings.TrimPrefix(name, "AMS")
				environment = append(environment, own+"="+value)
			}
		}
	}
	return environment
}

// programEnvironment is what a program of ours has in a region. Settings that people give the launcher (AMS_LOG_LEVEL,
// AMS_TRACE_RATIO …) reach the programs; what the launcher decides itself comes later and wins.
func (s *Stack) programEnvironment(r *region, program string) []string {
	return append(os.Environ(), s.settings(r, program)...)
}

// settings are what the launcher decides for a program.
func (s *Stack) settings(r *region, program string) []string {
	environment := []string{
		"AMS_REGION=" + r.name,
		"AMS_DATABASE_URL=" + s.databaseURL(program),
		"AMS_CELLS=" + s.furtherCells(program),
		"AMS_PRINCIPAL_SECRETS=" + s.secrets.Principal,
		"AMS_DISCOVERY=" + s.discovery,
		"AMS_CONSUL_ADDR=" + r.consul.http,
	}
	if s.options.AccessControl {
		environment = append(environment, "AMS_CONSUL_TOKEN="+s.secrets.Tokens[program])
	}
	if s.discovery == "static" {
		all := []string{"gateway=" + strings.Join(r.gateways, ","), "gateway-internal=" + strings.Join(r.adminListeners, ",")}
		for _, service := range services {
			all = append(all, service+"="+strings.Join(r.services[service], ","))
		}
		environment = append(environment, "AMS_STATIC_SERVICES="+strings.Join(all, ";"))
	}
	if program == "gateway" {
		environment = append(environment, "AMS_OPERATOR_TOKEN="+s.secrets.Admin, "AMS_REDIS_ADDR="+s.redisAddr, "AMS_BASE_URL="+s.baseURL(),
			"AMS_REGIONS="+strings.Join(s.options.Regions, ","))
	}
	if program == "webhooks" {
		environment = append(environment, "AMS_WEBHOOK_SECRETS="+s.secrets.Webhooks, "AMS_WEBHOOK_ALLOW_PREFIXES="+ThisMachine)
	}
	if program == "requests" {
		environment = append(environment, "AMS_BASE_URL="+s.baseURL(), "AMS_REDIS_ADDR="+s.redisAddr)
	}
	if program == "documents" { // one store and one scanner for all instances in all regions
		environment = append(environment, "AMS_DOCUMENTS_STORE="+filepath.Join(s.options.Folder, "documents"),
			"AMS_DOCUMENTS_SCANNER="+s.scannerURL)
	}
	if program == "mcp" {
		environment = append(environment, "AMS_BASE_URL="+s.baseURL(), "AMS_MCP_SECRETS="+s.secrets.Assistants)
	}
	return append(environment, s.options.Environment...)
}

// ThisMachine is what the webhooks of a stack may call besides the public internet, also by plain http: whoever tries them on his
// own machine has his receiver there.
const ThisMachine = "127.0.0.0/8,::1/128"

// databaseURL is how a program reaches its data; empty for one that keeps nothing, also where the launcher was given a database.
func (s *Stack) databaseURL(program string) string {
	if keepsNothing(program) {
		return ""
	}
	address := s.roleURL(s.cells[0], postgres.Role(program))
	if s.replicaHosts == "" {
		return s.throughPooler(address)
	}
	u, err := url.Parse(address)
	if err != nil { // it was written by roleURL
		panic(err)
	}
	query := u.Query()
	query.Set("replica_hosts", s.replicaHosts)
	u.RawQuery = query.Encode()
	return s.throughPooler(u.String())
}

func (s *Stack) baseURL() string { return "http://" + s.home().gateways[0] }

// probes are a path of each service, which tells that a gateway reaches it: that of its first collection, or another one of those
// that have none. search refuses to look for nothing, and asks no other service for that.
var probes = func() map[string]string {
	paths := map[string]string{"mcp": "/.well-known/oauth-protected-resource", "console": "/settings/sign-in", "search": "/v1/search"}
	for row := range catalogue.Product().Collections() {
		if paths[row.Service] == "" {
			paths[row.Service] = row.Path + "?per_page=1"
		}
	}
	return paths
}()

// awaitRoutes waits until every gateway reaches every service in every region: each is ready by itself by now, the gateway
// may hear of it a moment later.
func (s *Stack) awaitRoutes(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	key := ""
	for _, organization := range s.organizations {
		if key == "" {
			key = organization.Keys["full"]
		}
	}
	if key == "" {
		return nil
	}
	for _, from := range s.regions {
		for _, gateway := range from.gateways {
			for _, to := range s.regions {
				for _, service := range services {
					if err := awaitRoute(ctx, "http://"+gateway+probes[service], key, to.name); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// awaitDocuments waits until every gateway has read from every service what that documents.
func (s *Stack) awaitDocuments(ctx context.Context) error {
	for _, r := range s.regions {
		for _, gateway := range r.gateways {
			address := "http://" + gateway + "/openapi.json"
			if err := await(ctx, address, func(ctx context.Context) error { return httpResponds(ctx, address) }); err != nil {
				return err
			}
		}
	}
	return nil
}

func awaitRoute(ctx context.Context, address, key, region string) error {
	for {
		status, err := statusOf(ctx, address, key, region)
		if err == nil && status < 500 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not answered through the gateway in %s (last status %d)", address, region, status)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func statusOf(ctx context.Context, address, key, region string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("X-Region", region)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
