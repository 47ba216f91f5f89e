// Command load runs in the pods of "make verify-cluster" besides the product:
//
//	load prepare URL           makes the organizations at a gateway's internal listener (token in AMS_OPERATOR_TOKEN), and prints them
//	load run PER-SECOND        calls the API for the organizations of /run/load/organizations, and tells on port 9000 what became of it
//	load reach ADDRESS...      says of each address whether a connection to it is taken: open, or closed
//	load pod                   does nothing until it is told to end; holds the namespaces of a pod
//
// On port 9000, GET /begun?from=…&to=… gives the requests that began between two moments (Unix time, in seconds), once every response has
// come, as "requests, failed, failed with a 502, failed with neither 502 nor 503, longest in ms, outcomes, an example", separated by tabs.
// POST /end ends the load, reads everything back that was acknowledged, and gives how much that is and what is missing.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/load"
)

// ingressAddress is where the callers of this pod find its ingress.
const ingressAddress = "127.0.0.1:8000"

// organization is one as prepare hands it to run.
type organization struct {
	ID   string   `json:"id"`
	Keys []string `json:"keys"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "pod":
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT)
		<-ended
		return nil
	case len(args) == 2 && args[0] == "prepare":
		return prepare(args[1])
	case len(args) == 2 && args[0] == "run":
		perSecond, err := strconv.ParseFloat(args[1], 64)
		if err != nil {
			return err
		}
		return serve(perSecond)
	case len(args) > 1 && args[0] == "reach":
		reach(args[1:])
		return nil
	}
	return fmt.Errorf("usage: load prepare URL | run PER-SECOND | reach ADDRESS... | pod")
}

// prepare makes eight organizations with six keys each: together they may make 800 requests a second.
func prepare(internal string) error {
	admin := load.NewAdmin(devstack.Description{AdminURL: internal, AdminToken: os.Getenv("AMS_OPERATOR_TOKEN")})
	var made []organization
	for number := range 8 {
		o, err := admin.Organization(context.Background(), number+1, 6)
		if err != nil {
			return err
		}
		made = append(made, organization{o.ID, o.Keys})
	}
	return json.NewEncoder(os.Stdout).Encode(made)
}

func serve(perSecond float64) error {
	text, err := os.ReadFile("/run/load/organizations")
	if err != nil {
		return err
	}
	var known []organization
	if err := json.Unmarshal(text, &known); err != nil {
		return err
	}
	var organizations []*load.Organization
	for _, o := range known {
		organizations = append(organizations, load.Known("http://"+ingressAddress, o.ID, o.Keys))
	}
	stopped := make(chan error, 3)
	gateways := &ingress{}
	go func() { stopped <- gateways.follow() }()
	go func() { stopped <- listen(ingressAddress, gateways.handler()) }()
	balancer := load.NewBalancer(context.Background(), []string{"http://" + ingressAddress})
	ready, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := balancer.AwaitReady(ready); err != nil {
		return err
	}
	generator := load.Start(balancer, organizations, load.Reading, perSecond)
	http.HandleFunc("GET /begun", func(w http.ResponseWriter, r *http.Request) {
		from, err := strconv.ParseFloat(r.FormValue("from"), 64)
		to, also := strconv.ParseFloat(r.FormValue("to"), 64)
		if err != nil || also != nil {
			http.Error(w, "from and to are no numbers", http.StatusBadRequest)
			return
		}
		samples, err := generator.Begun(r.Context(), time.Unix(0, int64(from*1e9)), time.Unix(0, int64(to*1e9)))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		failed := samples.Failures()
		cut := failed.Where(func(s load.Sample) bool { return s.Status == http.StatusBadGateway })
		others := failed.Where(func(s load.Sample) bool {
			return s.Status != http.StatusBadGateway && s.Status != http.StatusServiceUnavailable
		})
		example := failed.Example()
		if len(others) > 0 {
			example = others.Example()
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%s\t%s\n", len(samples), len(failed), len(cut), len(others), samples.Max().Milliseconds(),
			failed.Count(), example)
	})
	http.HandleFunc("POST /end", func(w http.ResponseWriter, r *http.Request) {
		generator.End()
		acknowledged := 0
		for _, o := range organizations {
			missing, err := o.ReadBack(r.Context(), balancer)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			for _, each := range missing {
				fmt.Fprintln(w, each)
			}
			acknowledged += len(o.Records())
		}
		fmt.Fprintf(w, "%d records were acknowledged\n", acknowledged)
	})
	go func() { stopped <- listen(":9000", nil) }()
	return <-stopped
}

func listen(address string, handler http.Handler) error {
	return (&http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: 5 * time.Second}).ListenAndServe()
}

func reach(addresses []string) {
	open := make([]bool, len(addresses))
	var tries sync.WaitGroup
	for i, address := range addresses {
		tries.Go(func() {
			conn, err := net.DialTimeout("tcp", address, time.Second)
			if open[i] = err == nil; open[i] {
				_ = conn.Close()
			}
		})
	}
	tries.Wait()
	for i, address := range addresses {
		word := "closed"
		if open[i] {
			word = "open"
		}
		fmt.Println(address, word)
	}
}
