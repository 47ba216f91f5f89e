package service

import (
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"time"

	"ams.internal/libs/discovery"
)

// Config is the part of the configuration that every process of the product reads from its environment. A program with more
// variables embeds it in a struct of its own.
type Config struct {
	Listen              string        `env:"AMS_LISTEN" envDefault:"127.0.0.1:0" format:"address" doc:"Where to listen, as host:port. Port 0 takes a free one."`
	Advertise           string        `env:"AMS_ADVERTISE" doc:"Where others reach this process, as host:port or host; of a name that leads to this machine, its address on Consul's network. Without it: where it listens."`
	DatabaseURL         string        `env:"AMS_DATABASE_URL" format:"database" secret:"true" example:"postgres://ams_assets:…@127.0.0.1:5432/ams" doc:"The database, as the service's own role, which owns nothing. Of a pooler in transaction mode with ?session_hosts=host:port: the servers behind it, for the few connections that hold a session. Several hosts with target_session_attrs=read-write follow the primary; replica_hosts=host:port,host:port are standbys that exports and reports are read from."`
	Cells               string        `env:"AMS_CELLS" secret:"true" example:"second=postgres://ams_assets:…@127.0.0.2:5432/ams;third=postgres://…" doc:"The further cells: their databases by name, like AMS_DATABASE_URL, which is the cell named first. Separated by semicolons; one in a password is written %3B."`
	DatabaseConnections int           `env:"AMS_DATABASE_CONNECTIONS" envDefault:"8" minimum:"2" maximum:"200" doc:"Connections to the database at most, of each cell."`
	PrincipalSecrets    []string      `env:"AMS_PRINCIPAL_SECRETS" secret:"true" required:"true" each:"32" doc:"Secrets that sign on whose behalf a request is made, separated by commas. The first signs, all are accepted. The same for every process."`
	Discovery           string        `env:"AMS_DISCOVERY" envDefault:"consul" allowed:"consul,static,process" doc:"How the other services are found. process: they are targets of this process; ams serve all has that by default."`
	ConsulAddr          string        `env:"AMS_CONSUL_ADDR" envDefault:"127.0.0.1:8500" format:"address" doc:"The Consul agent's HTTP address. For AMS_DISCOVERY=consul."`
	ConsulToken         string        `env:"AMS_CONSUL_TOKEN" secret:"true" doc:"The token by which this program may register in Consul, and see the others. Needed where Consul has access control."`
	StaticServices      string        `env:"AMS_STATIC_SERVICES" example:"assets=127.0.0.1:7001,127.0.0.1:7002;users=127.0.0.1:7003" doc:"Where the services are. For AMS_DISCOVERY=static."`
	Region              string        `env:"AMS_REGION" envDefault:"ca-central-1" doc:"The region that this process runs in; the name of its Consul datacenter too."`
	LogLevel            string        `env:"AMS_LOG_LEVEL" envDefault:"info" allowed:"debug,info,warn,error" doc:"The least important log lines that are written."`
	OTLPEndpoint        string        `env:"AMS_OTLP_ENDPOINT" format:"url" example:"http://127.0.0.1:4318" doc:"An OTLP/HTTP collector for traces and metrics. Without it nothing is exported."`
	TraceRatio          float64       `env:"AMS_TRACE_RATIO" envDefault:"0.01" minimum:"0" maximum:"1" doc:"Share of the traces that begin here which are sampled, from 0 to 1. What fails is recorded in any case."`
	DrainDelay          time.Duration `env:"AMS_DRAIN_DELAY" envDefault:"200ms" minimum:"0s" maximum:"5m" doc:"How long requests are still taken after SIGTERM, while /readyz says 503: until those who send them have noticed. Up to three seconds where Consul was away a moment ago. Part of AMS_DRAIN_TIMEOUT."`
	DrainTimeout        time.Duration `env:"AMS_DRAIN_TIMEOUT" envDefault:"20s" minimum:"0s" maximum:"10m" doc:"How long running requests may take to finish after SIGTERM."`
}

// Migration is the configuration of a program's migrate command.
type Migration struct {
	OwnerDatabaseURL string `env:"AMS_OWNER_DATABASE_URL" format:"database" secret:"true" required:"true" example:"postgres://ams_owner:…@127.0.0.1:5432/ams" doc:"The database as the role that owns the tables, of one cell: migrate runs once for each. Needed by migrate alone; keep it from the running process."`
}

// Settings is any configuration struct that embeds Config.
type Settings interface{ Common() Config }

// Common implements Settings.
func (c Config) Common() Config { return c }

// Check implements Checked: the rules over several variables.
func (c Config) Check() []Problem {
	var problems []Problem
	report := func(variable, format string, args ...any) {
		problems = append(problems, Problem{variable, fmt.Sprintf(format, args...)})
	}
	if _, err := discovery.ParseStatic(c.StaticServices); err != nil {
		report("AMS_STATIC_SERVICES", "cannot be read: %v", err)
	}
	if _, err := c.cells(); err != nil {
		report("AMS_CELLS", "%v", err)
	}
	host, _, err := net.SplitHostPort(c.Listen)
	everywhere := err == nil && (host == "" || net.ParseIP(host).IsUnspecified())
	if c.Discovery == string(discovery.Consul) && everywhere && c.Advertise == "" {
		report("AMS_ADVERTISE", "is not set, and AMS_LISTEN=%s is not an address that others can reach: "+
			"set it to one they can, or AMS_DISCOVERY=static", c.Listen)
	}
	return problems
}

// level is the slog level of LogLevel, which the tags have checked.
func (c Config) level() slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return slog.LevelInfo
	}
	return level
}

// database is DatabaseURL with the size of the pool and the name that the server shows for our connections.
func (c Config) database(name string) (string, error) {
	address, err := c.pooled(c.DatabaseURL, name)
	if err != nil {
		return "", &ConfigError{[]Problem{{"AMS_DATABASE_URL", "cannot be read: give postgres://user:password@host:port/database"}}}
	}
	return address, nil
}

func (c Config) pooled(given, name string) (string, error) {
	address, err := url.Parse(given)
	if err != nil {
		return "", err
	}
	query := address.Query()
	if !query.Has("pool_max_conns") {
		query.Set("pool_max_conns", strconv.Itoa(c.DatabaseConnections))
	}
	if !query.Has("application_name") {
		query.Set("application_name", name)
	}
	address.RawQuery = query.Encode()
	return address.String(), nil
}
