package service_test

import (
	"encoding/json"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/discovery/consultest"
	"ams.internal/libs/testwait"
)

// Processes of one name (containers of one service) are each advertised by their own address: the name resolves to any of
// them, also to one that is about to end. A name that resolves elsewhere, such as a load balancer's, is advertised as it is.
func TestANameOfThisMachineIsAdvertisedAsItsAddress(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	for name, want := range map[string]string{"localhost": "127.0.0.1", "before-it.invalid": "before-it.invalid"} {
		p := start(t, "stateless", "AMS_CONSUL_ADDR="+agent.Addr, "AMS_LISTEN=0.0.0.0:0", "AMS_ADVERTISE="+name)
		var advertised string
		testwait.For(t, 20*time.Second, "it is in Consul", func() bool {
			var entries []struct {
				Service struct {
					Address string
					Port    int
				}
			}
			if err := json.Unmarshal([]byte(get(t, "http://"+agent.Addr+"/v1/health/service/assets?passing")), &entries); err != nil ||
				len(entries) != 1 {
				return false
			}
			advertised = net.JoinHostPort(entries[0].Service.Address, strconv.Itoa(entries[0].Service.Port))
			return true
		})
		if want = net.JoinHostPort(want, port(p.address)); advertised != want {
			t.Errorf("%s is advertised as %s, want %s", name, advertised, want)
		}
		p.signal(t, syscall.SIGTERM)
		p.wait(t, 20*time.Second)
	}
}
