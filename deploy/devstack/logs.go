package devstack

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// watchLog shows on the screen what needs a person's attention in a process's log, or all of it when verbose.
// The process writes its file itself: it never waits for the launcher, and nothing is lost when the launcher dies.
func watchLog(p *process, verbose bool, line func(string), done <-chan struct{}) {
	file, err := os.Open(p.logPath)
	if err != nil {
		return
	}
	defer file.Close()
	reader := bufio.NewReaderSize(file, 64<<10)
	var partial []byte
	for {
		text, err := reader.ReadSlice('\n')
		partial = append(partial, text...)
		if err == nil {
			if shown := attention(p.name, bytes.TrimRight(partial, "\n"), verbose); shown != "" {
				line(fmt.Sprintf("          %-11s %s", p.name, shown))
			}
			partial = partial[:0]
			continue
		}
		switch {
		case errors.Is(err, io.EOF):
			select {
			case <-done:
				return
			case <-time.After(200 * time.Millisecond):
			}
		case !errors.Is(err, bufio.ErrBufferFull):
			return
		}
	}
}

// attention gives the line as people should see it, empty for one that they need not see. PostgreSQL calls every
// refused duplicate an ERROR and Consul warns about being alone: only what stops them counts.
func attention(name string, text []byte, verbose bool) string {
	switch {
	case verbose:
		return string(text)
	case name == "postgres" || strings.HasPrefix(name, "patroni-"):
		if bytes.Contains(text, []byte("PANIC:")) {
			return string(text)
		}
	case name == "redis" || strings.HasSuffix(name, "consul"):
	case bytes.Contains(text, []byte(unreadDocument)) || bytes.Contains(text, []byte(`"path":"/openapi.json","status":503`)):
		// The launcher itself asks until the gateways have it.
	case bytes.Contains(text, []byte(`"level":"WARN"`)) || bytes.Contains(text, []byte(`"level":"ERROR"`)):
		return readable(name, text)
	case bytes.HasPrefix(text, []byte("panic:")) || bytes.HasPrefix(text, []byte("fatal error:")):
		return string(text)
	}
	return ""
}

// unreadDocument is what a gateway says of a description that it has not read yet.
const unreadDocument = "The description of the API is not complete"

// readable turns a JSON log line into a short sentence.
func readable(name string, text []byte) string {
	var entry struct {
		Level   string `json:"level"`
		Service string `json:"service"`
		Message string `json:"msg"`
		Error   any    `json:"error"`
	}
	if json.Unmarshal(text, &entry) != nil {
		return string(text)
	}
	sentence := strings.ToLower(entry.Level) + ": " + entry.Message
	if name == programName { // several share the process
		sentence = entry.Service + ": " + sentence
	}
	if entry.Error != nil {
		sentence += fmt.Sprintf(": %v", entry.Error)
	}
	return sentence
}
