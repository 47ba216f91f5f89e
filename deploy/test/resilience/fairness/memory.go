package fairness

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// memory watches how much of it processes take.
type memory struct{ pids map[string]int }

// peak is the process that took most.
type peak struct {
	process string
	bytes   int64
	ended   string // a process that is no longer there
}

// watchMemory forgets what the product's own processes took at most so far.
func watchMemory(pids map[string]int) (memory, error) {
	m := memory{map[string]int{}}
	for name, pid := range pids {
		if _, err := strconv.Atoi(name[strings.LastIndex(name, "-")+1:]); err != nil {
			continue // Consul, Redis, PostgreSQL
		}
		m.pids[name] = pid
		if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0); err != nil {
			return m, fmt.Errorf("%s: %w", name, err)
		}
	}
	return m, nil
}

// peak is the most that any process took since.
func (m memory) peak() (highest peak, err error) {
	for name, pid := range m.pids {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			highest.ended = name
			continue
		}
		_, text, _ := strings.Cut(string(status), "VmHWM:")
		text, _, _ = strings.Cut(text, "kB")
		kilobytes, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return highest, fmt.Errorf("%s: %w", name, err)
		}
		if kilobytes<<10 > highest.bytes {
			highest.process, highest.bytes = name, kilobytes<<10
		}
	}
	return highest, nil
}
