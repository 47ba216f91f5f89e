package devstack

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"ams.internal/deploy/demo"
)

// Region is the Consul datacenter that a stack's programs run in, unless they are told others. Data lives in Canada.
const Region = "ca-central-1"

// Options says which stack to start. Folder and Binaries are needed; everything else has a default.
type Options struct {
	Folder   string // holds everything the stack writes: data, logs, secrets, stack.json
	Binaries string // holds the program, ams

	// Regions are the Consul datacenters that the product runs in, joined with each other; none means Region alone. The first
	// has the data, on 127.0.0.1 as ever; everything of the second listens on 127.0.0.12, of the third on 127.0.0.13, and so on.
	Regions []string

	Port      int // public port of the first gateway of each region; 0 takes a free one
	Gateways  int // how many gateways in each region; 0 means 1
	Instances int // how many of each service in each region; 0 means 1

	Cells   int  // how many PostgreSQL servers share the organizations; 0 means 1
	Standby bool // PostgreSQL is a primary and a standby under Patroni, which needs Consul

	// Together runs all programs in one process, in the place of a process for each. It is for one region with one of everything.
	Together bool

	Discovery string // "consul", "static", or "" for Consul where its program is to be had and static otherwise

	AccessControl bool // Consul lets in only who has a token, and each program has its own

	// Given from outside, these are used instead of a process of our own.
	DatabaseURL  string   // of a role that may create databases and roles
	FurtherCells []string // the same, of each cell behind the first, which DatabaseURL is
	RedisAddr    string
	ConsulAddr   string
	ScannerURL   string // tcp://host:port or unix:///path of a clamd

	Pooler bool // a private PgBouncer between the programs and PostgreSQL

	Prepared bool // a new folder begins with schemas and data that are copied, not made: for tests, which begin many

	Demo demo.Volume // how much demonstration data; the zero value is all of it

	Environment []string // NAME=value for our programs, over what the launcher itself has

	Without string // a service that is left out: a person starts it, with the environment in Folder/NAME.env, and Start waits for it

	InfrastructureOnly bool // PostgreSQL with its roles and schemas, Redis, Consul and clamd, without our programs

	Out     io.Writer // progress for people; nil says nothing
	Verbose bool      // everything the processes log, not only what needs attention
}

func (o Options) withDefaults() (Options, error) {
	o.Gateways, o.Instances = max(o.Gateways, 1), max(o.Instances, 1)
	if o.Out == nil {
		o.Out = io.Discard
	}
	if err := o.chooseRegions(); err != nil {
		return o, err
	}
	if o.Cells = max(o.Cells, 1); o.Cells > len(cellNames) {
		return o, fmt.Errorf("%d cells are more than the %d that one machine is divided into", o.Cells, len(cellNames))
	}
	if o.Cells > 1 && o.DatabaseURL != "" && len(o.FurtherCells) != o.Cells-1 {
		return o, errors.New("several cells need a PostgreSQL each, and AMS_DATABASE_URL names one: leave it out")
	}
	if err := o.checkWithout(); err != nil {
		return o, err
	}
	if several := o.several(); o.Together && several != "" {
		return o, fmt.Errorf("%s needs a process for each program, not one for all", several)
	}
	if o.Standby {
		switch {
		case o.DatabaseURL != "":
			return o, errors.New("a standby is made of our own PostgreSQL: leave out STANDBY or AMS_DATABASE_URL")
		case o.Discovery == "static":
			return o, errors.New("a standby needs Consul, where Patroni keeps who is the primary: leave out STANDBY or AMS_DISCOVERY=static")
		}
		o.Discovery = "consul"
	}
	if o.AccessControl {
		switch {
		case o.ConsulAddr != "":
			return o, errors.New("tokens are made in a Consul of our own: leave out CONSUL_ACL or AMS_CONSUL_ADDR")
		case o.Discovery == "static":
			return o, errors.New("tokens are for Consul: leave out CONSUL_ACL or AMS_DISCOVERY=static")
		}
		o.Discovery = "consul"
	}
	var err error
	if o.Folder, err = filepath.Abs(o.Folder); err != nil {
		return o, err
	}
	o.Binaries, err = filepath.Abs(o.Binaries)
	return o, err
}

// several names what one process for all programs cannot do; empty where it can do everything that is asked for.
func (o Options) several() string {
	switch {
	case len(o.Regions) > 1:
		return "a second region"
	case o.Gateways > 1:
		return "a second gateway"
	case o.Instances > 1:
		return "a second instance"
	case o.Cells > 1:
		return "a second cell"
	case o.Without != "":
		return "a service that is left out"
	case o.Discovery != "":
		return "AMS_DISCOVERY=" + o.Discovery
	case o.Standby:
		return "a standby"
	case o.AccessControl:
		return "Consul's access control"
	case o.ConsulAddr != "":
		return "a Consul"
	}
	return ""
}

// Fits says whether one process can run all programs of such a stack.
func (o Options) Fits() bool { return o.several() == "" }

const maxRegions = 9

// chooseRegions checks the regions. Several need a Consul each: a fixed list knows no regions.
func (o *Options) chooseRegions() error {
	if len(o.Regions) == 0 {
		o.Regions = []string{Region}
	}
	for i, name := range o.Regions {
		if !regionName.MatchString(name) {
			return fmt.Errorf("%q is not the name of a region: small letters, digits and dashes, as in %s", name, Region)
		}
		if slices.Contains(o.Regions[:i], name) {
			return fmt.Errorf("the region %s is named twice", name)
		}
	}
	switch {
	case len(o.Regions) == 1:
		return nil
	case len(o.Regions) > maxRegions:
		return fmt.Errorf("%d regions are more than the %d that one machine is divided into", len(o.Regions), maxRegions)
	case o.Discovery == "static":
		return errors.New("several regions find each other by Consul; AMS_DISCOVERY=static knows one region only")
	case o.ConsulAddr != "":
		return errors.New("several regions need a Consul each, and AMS_CONSUL_ADDR names one: leave it out")
	}
	o.Discovery = "consul"
	return nil
}

var regionName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// ConsulProgram finds Consul in PATH, then in the cache folder that deploy/tools/build.sh fills. Empty: nowhere.
func ConsulProgram() string {
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if candidate := filepath.Join(folder, "consul"); executable(candidate) {
			return candidate
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	if candidate := filepath.Join(cache, "ams", "consul-1.19.2"); executable(candidate) {
		return candidate
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
