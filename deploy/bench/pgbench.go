package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// pgbench runs SQL as a service's own role, with the organization set, and gives transactions a second.
func (b *bench) pgbench(service, name, sql string, clients int) (metrics, error) {
	script := filepath.Join(b.folder, "statement.sql")
	if err := os.WriteFile(script, []byte(sql+"\n"), 0o600); err != nil {
		return metrics{}, err
	}
	folder, err := exec.Command("pg_config", "--bindir").Output()
	if err != nil {
		return metrics{}, fmt.Errorf("pg_config says where pgbench is: %w", err)
	}
	var out []byte
	for seconds := b.seconds; ; seconds *= 4 { // in a second a machine with other work may not get a single one done
		command := exec.Command(filepath.Join(strings.TrimSpace(string(folder)), "pgbench"), "--no-vacuum", "--protocol=prepared",
			"--client="+strconv.Itoa(clients), "--time="+strconv.Itoa(seconds), "--file="+script, b.roleURL("ams_"+service, b.postgresAddress))
		command.Env = append(os.Environ(), "PGOPTIONS=-c ams.organization_id="+b.Organization+" -c search_path="+service)
		if out, err = command.CombinedOutput(); err != nil {
			return metrics{}, fmt.Errorf("pgbench, %s: %w: %s", name, err, out)
		}
		if tpsLine.Match(out) || seconds >= 60 {
			break
		}
	}
	f := metrics{Name: name, Callers: clients}
	for _, read := range []struct {
		pattern *regexp.Regexp
		into    *float64
	}{{tpsLine, &f.PerSecond}, {latencyLine, &f.P50}} {
		found := read.pattern.FindSubmatch(out)
		if found == nil {
			return metrics{}, fmt.Errorf("pgbench, %s: its output is not understood: %s", name, out)
		}
		*read.into, _ = strconv.ParseFloat(string(found[1]), 64)
	}
	f.Requests = int(f.PerSecond * float64(b.seconds))
	return f, nil
}

var (
	tpsLine     = regexp.MustCompile(`tps = ([0-9.]+)`)
	latencyLine = regexp.MustCompile(`latency average = ([0-9.]+) ms`)
)
