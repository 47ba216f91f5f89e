package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"sync"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

const (
	followPause    = 250 * time.Millisecond // between two looks at the gateways' addresses
	checkPause     = 500 * time.Millisecond // between two checks whether a gateway is ready
	checkTimeout   = time.Second
	checksUntilCut = 2
	serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"
	gatewaySlices  = "/apis/discovery.k8s.io/v1/namespaces/ams/endpointslices?labelSelector=kubernetes.io/service-name=ams-gateway"
)

// ingress hands requests on to the gateways as an Ingress does, or the load balancer of a cloud: to the addresses of their pods, which it
// has from the cluster. A connection that is not taken is tried at the next one; nothing is sent twice that may have arrived. A gateway
// that does not say for 2.5 seconds whether it is ready gets nothing more, and what waits for it is cut off. Who was cut off gets 502.
type ingress struct {
	mu       sync.Mutex
	gateways []*gateway
	turn     int
}

type gateway struct {
	address   string // of its pod, with the port
	transport *http.Transport
	unwanted  bool            // it reports that it is not ready, or did not respond
	ended     context.Context // ends when it no longer responds, or the cluster does not have it any more
	cut       context.CancelFunc
}

// handler takes the callers' requests.
func (i *ingress) handler() http.Handler {
	return &httputil.ReverseProxy{
		Transport: i,
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "ams-gateway"}) },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			status := http.StatusBadGateway
			if errors.Is(err, errNoneReady) {
				status = http.StatusServiceUnavailable
			}
			http.Error(w, err.Error(), status)
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
}

// errNoneReady is what a request gets while no gateway wants any: 503, as an Ingress says it.
var errNoneReady = errors.New("no gateway is ready")

// RoundTrip is one request at the first gateway that takes the connection.
func (i *ingress) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	tried := errNoneReady
	for _, g := range i.candidates() {
		ctx, cancel := context.WithCancel(r.Context())
		uncut := context.AfterFunc(g.ended, cancel)
		context.AfterFunc(r.Context(), func() { uncut() })
		sent := r.Clone(ctx)
		sent.URL.Host, sent.Body = g.address, io.NopCloser(bytes.NewReader(body))
		response, err := g.transport.RoundTrip(sent)
		if err == nil {
			return response, nil
		}
		tried = fmt.Errorf("the gateway at %s: %w", g.address, err)
		if !load.Refused(err) {
			break
		}
	}
	return nil, tried
}

// candidates gives the gateways that want requests, from the one whose turn it is.
func (i *ingress) candidates() []*gateway {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.turn++
	var wanted []*gateway
	for n := range i.gateways {
		if g := i.gateways[(i.turn+n)%len(i.gateways)]; !g.unwanted {
			wanted = append(wanted, g)
		}
	}
	return wanted
}

// use has requests sent to these addresses, and to no others.
func (i *ingress) use(addresses []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	var used []*gateway
	known := map[string]bool{}
	for _, g := range i.gateways {
		if slices.Contains(addresses, g.address) && g.ended.Err() == nil {
			used, known[g.address] = append(used, g), true
		}
	}
	for _, address := range addresses {
		if !known[address] {
			g := &gateway{address: address, unwanted: true, transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: time.Second}).DialContext,
				MaxIdleConnsPerHost: 256, IdleConnTimeout: 30 * time.Second, DisableCompression: true,
			}}
			g.ended, g.cut = context.WithCancel(context.Background())
			used = append(used, g)
			go i.check(g)
		}
	}
	i.gateways = used
}

// check queries a gateway whether it is ready, as long as it is one.
func (i *ingress) check(g *gateway) {
	client := &http.Client{Transport: g.transport, Timeout: checkTimeout}
	for failures := 0; failures < checksUntilCut; time.Sleep(checkPause) {
		response, err := client.Get("http://" + g.address + "/readyz")
		if err != nil {
			failures++
		} else {
			failures = 0
			_ = response.Body.Close()
		}
		i.mu.Lock()
		g.unwanted = err != nil || response.StatusCode != http.StatusOK
		used := slices.Contains(i.gateways, g)
		i.mu.Unlock()
		if !used {
			return // what it has begun it ends
		}
	}
	g.cut()
}

// follow has the gateways be those that the cluster calls ready.
func (i *ingress) follow() error {
	authority, err := os.ReadFile(serviceAccount + "/ca.crt")
	if err != nil {
		return err
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority)
	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	server := "https://" + net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	for ; ; time.Sleep(followPause) {
		if addresses, err := ready(client, server); err != nil {
			log.Printf("the gateways' addresses stay as they are: %v", err)
		} else {
			i.use(addresses)
		}
	}
}

// ready asks the cluster for the addresses of the gateways that are.
func ready(client *http.Client, server string) ([]string, error) {
	token, err := os.ReadFile(serviceAccount + "/token") // renewed by the kubelet
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodGet, server+gatewaySlices, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+string(token))
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var found struct {
		Items []struct {
			Endpoints []struct {
				Addresses  []string
				Conditions struct{ Ready bool }
			}
			Ports []struct {
				Name string
				Port int
			}
		}
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the cluster responds %s", response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		return nil, err
	}
	var addresses []string
	for _, slice := range found.Items {
		for _, port := range slice.Ports {
			for _, endpoint := range slice.Endpoints {
				if port.Name == "http" && endpoint.Conditions.Ready {
					addresses = append(addresses, fmt.Sprintf("%s:%d", endpoint.Addresses[0], port.Port))
				}
			}
		}
	}
	return addresses, nil
}
