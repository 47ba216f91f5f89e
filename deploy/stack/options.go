package stack

import (
	"io"
	"os"
	"path/filepath"

	"ams.internal/deploy/demo"
)

// Region is the Consul datacenter that a stack's programs run in. Data lives in Canada.
const Region = "ca-central-1"

// Options says which stack to start. Folder and Binaries are needed; everything else has a default.
type Options struct {
	Folder   string // holds everything the stack writes: data, logs, secrets, stack.json
	Binaries string // holds the programs: gateway and every service

	Port      int // public port of the first gateway on 127.0.0.1; 0 takes a free one
	Gateways  int // how many gateways; 0 means 1
	Instances int // how many of each service; 0 means 1

	Discovery string // "consul", "static", or "" for Consul where its program is to be had and static otherwise

	// Given from outside, these are used instead of a process of our own.
	DatabaseURL string // of a role that may create databases and roles
	RedisAddr   string
	ConsulAddr  string

	Demo demo.Volume // how much demonstration data; the zero value is all of it

	Environment []string // NAME=value for our programs, over what the launcher itself has

	InfrastructureOnly bool // PostgreSQL with its roles and schemas, Redis and Consul, without our programs

	Out     io.Writer // progress for people; nil says nothing
	Verbose bool      // everything the processes log, not only what needs attention
}

func (o Options) withDefaults() (Options, error) {
	o.Gateways, o.Instances = max(o.Gateways, 1), max(o.Instances, 1)
	if o.Out == nil {
		o.Out = io.Discard
	}
	var err error
	if o.Folder, err = filepath.Abs(o.Folder); err != nil {
		return o, err
	}
	o.Binaries, err = filepath.Abs(o.Binaries)
	return o, err
}

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
