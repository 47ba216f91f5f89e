package service

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/caarlos0/env/v11"
)

// checkReady calls /readyz of the process that runs with the same environment. It is the health check of a container that has
// nothing but the program.
func checkReady(environ []string) error {
	listening := env.ToMap(environ)["AMS_LISTEN"]
	host, port, err := net.SplitHostPort(listening)
	if err != nil || port == "0" {
		return &ConfigError{[]Problem{{"AMS_LISTEN", fmt.Sprintf(
			"is %q: give the host:port, with a port of your choice, that the process listens on", listening)}}}
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	client := &http.Client{Timeout: 2 * time.Second}
	response, err := client.Get("http://" + net.JoinHostPort(host, port) + "/readyz")
	if err != nil {
		return fmt.Errorf("ask whether it is ready: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	_, _ = io.Copy(os.Stderr, io.LimitReader(response.Body, 1024))
	return fmt.Errorf("it answers %s", response.Status)
}
