package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"ams.internal/deploy/devstack"
)

// TestMain: the benchmark starts its own program again as upstream and proxy; under test that is this one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestRoundTripsAreCountedHoweverTheyArePacked(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		connection, err := server.Accept()
		if err != nil {
			return
		}
		lines := bufio.NewReader(connection)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			if strings.HasPrefix(line, "answer") {
				fmt.Fprint(connection, "yes\n")
			}
		}
	}()
	c, err := newCounter(server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.listener.Close()
	client, err := net.Dial("tcp", c.address())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for range 3 {
		fmt.Fprint(client, "first\nsecond\nanswer\n")
		if _, err := io.ReadFull(client, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.trips.Load(); got != 3 {
		t.Errorf("%d round trips, want 3", got)
	}
}

func TestProcessFiguresAreThoseOfTheProcess(t *testing.T) {
	own := os.Getpid()
	before := cpuOf(own)
	sum := 0
	for i := range 400_000_000 {
		sum += i
	}
	if used := cpuOf(own) - before; used <= 0 || sum == 0 {
		t.Errorf("counting used %s", used)
	}
	if resident := memory(own, "VmRSS"); resident < 1 || resident > 4096 {
		t.Errorf("%f MB", resident)
	}
	if all := devstack.Family(os.Getppid()); len(all) < 2 {
		t.Errorf("our parent's family is %v", all)
	}
}

func TestTheStatementsOfAnOrganizationAreCounted(t *testing.T) {
	const moment = "2026-11-21 12:34:02.500 UTC "
	log := moment + "[7] LOG:  duration: 0.1 ms  execute stmtcache_1: begin isolation level repeatable read read only\n" +
		moment + "[7] LOG:  duration: 0.1 ms  execute stmtcache_2: select set_config('ams.organization_id', $1, true)\n" +
		moment + "[7] DETAIL:  parameters: $1 = 'ours'\n" +
		moment + "[9] LOG:  duration: 0.1 ms  execute stmtcache_2: select set_config('ams.organization_id', $1, true)\n" +
		moment + "[9] DETAIL:  parameters: $1 = 'another'\n" +
		moment + "[7] LOG:  duration: 0.1 ms  execute stmtcache_3: SET LOCAL work_mem = '32MB'\n" +
		moment + "[7] LOG:  duration: 0.1 ms  bind stmtcache_4: SELECT a\n\tFROM asset\n" +
		moment + "[7] LOG:  duration: 0.1 ms  execute stmtcache_4: SELECT a\n\tFROM asset\n" +
		moment + "[9] LOG:  duration: 0.1 ms  execute stmtcache_4: SELECT b\n" +
		moment + "[9] LOG:  duration: 0.1 ms  execute stmtcache_5: commit\n" +
		moment + "[7] LOG:  duration: 0.1 ms  execute stmtcache_6: SELECT c\n" +
		moment + "[7] LOG:  duration: 0.1 ms  execute stmtcache_5: commit\n" +
		moment + "[7] LOG:  duration: 0.1 ms  execute stmtcache_1: begin\n" +
		moment + "[7] LOG:  duration: 0.1 ms  execute stmtcache_6: SELECT d\n" +
		moment + "[7] LOG:  duration: 0.1 ms  execute stmtcache_5: commit\n"
	if got := strings.Join(statementsFor(log, "ours"), "|"); got != "SELECT a FROM asset|SELECT c" {
		t.Errorf("%s", got)
	}
}

func TestPromisesAreJudgedByTheirBound(t *testing.T) {
	var r report
	r.atLeast("fast", 2, "times", 2)
	r.atMost("small", 101, "MB", 100)
	var out bytes.Buffer
	r.print(&out)
	if text := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(text, "at least 2 met") ||
		!strings.Contains(text, "at most 100 MISSED") {
		t.Errorf("%s", text)
	}
}

func TestTheStatementsOfARequestAreFoundInTheLog(t *testing.T) {
	log := "2026-11-21 12:34:02.500 UTC [7] LOG:  duration: 0.1 ms  execute stmtcache_1: begin read only\n" +
		"2026-11-21 12:34:02.500 UTC [9] LOG:  duration: 0.1 ms  execute stmtcache_5: SELECT other\n" +
		"2026-11-21 12:34:02.501 UTC [7] LOG:  duration: 0.2 ms  bind stmtcache_2: SELECT a\n\tFROM asset WHERE o = $1 AND n = $10\n" +
		"2026-11-21 12:34:02.501 UTC [7] LOG:  duration: 0.2 ms  execute stmtcache_2: SELECT a\n\tFROM asset WHERE o = $1 AND n = $10\n" +
		"2026-11-21 12:34:02.501 UTC [7] DETAIL:  parameters: $1 = 'it''s', $10 = NULL\n" +
		"2026-11-21 12:34:02.502 UTC [7] LOG:  duration: 0.0 ms  execute stmtcache_3: commit\n"
	got := strings.Join(transactionOf(log, "FROM asset "), "|")
	if want := "begin read only|SELECT a FROM asset WHERE o = 'it''s' AND n = NULL|commit"; got != want {
		t.Errorf("%s", got)
	}
}
