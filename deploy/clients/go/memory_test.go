package ams

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestMain is also the program that reads a list in a process of its own.
func TestMain(m *testing.M) {
	way, address, reads := strings.Cut(os.Getenv("AMS_TEST_READ"), " ")
	if !reads {
		os.Exit(m.Run())
	}
	client := NewClient(address, "")
	read := client.Assets.All
	if way == "stream" {
		read = client.Assets.Stream
	}
	count := 0
	for asset, err := range read(context.Background(), nil) {
		if err != nil || asset.Name == "" {
			fmt.Fprintln(os.Stderr, asset, err)
			os.Exit(1)
		}
		count++
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Println(count, strings.Fields(peak)[0])
}

// TestALongListIsReadInConstantMemory reads 40,000 records, of which each takes more than 4 kB when it is held.
func TestALongListIsReadInConstantMemory(t *testing.T) {
	const records, perPage = 40_000, 1000
	record := `{"name":"Pompe","description":"` + strings.Repeat("é", 2000) + `"}`
	line, page := record+"\n", strings.Repeat(record+",", perPage-1)+record
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") == ndjson {
			w.Header().Set("Content-Type", ndjson)
			for range records {
				fmt.Fprint(w, line)
			}
			return
		}
		cursor, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		next := `null`
		if cursor+1 < records/perPage {
			next = fmt.Sprintf(`"%d"`, cursor+1)
		}
		fmt.Fprintf(w, `{"data":[%s],"pagination":{"per_page":1000,"total":%d,"total_pages":%d,"next_cursor":%s}}`, page, records,
			records/perPage, next)
	}))
	defer server.Close()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"stream", "pages"} {
		program := exec.CommandContext(t.Context(), own)
		program.Env = append(os.Environ(), "AMS_TEST_READ="+way+" "+server.URL)
		program.Stderr = os.Stderr
		printed, err := program.Output()
		if err != nil {
			t.Fatal(err)
		}
		var count, kilobytes int
		if _, err := fmt.Sscan(string(printed), &count, &kilobytes); err != nil || count != records {
			t.Fatalf("by %s: %s, %v", way, printed, err)
		}
		if kilobytes > 150<<10 {
			t.Errorf("reading by %s takes %d kB", way, kilobytes)
		}
		t.Logf("by %s: %d kB", way, kilobytes)
	}
}
