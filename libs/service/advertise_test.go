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

// Processes of one name (containers of one service) are each told to the others by their own address: the name leads to any of
// them, also to one that is about to end. A name that leads elsewhere, to what stands before the process, is told as it is.
func TestANameOfThisMachineIsToldAsItsAddress(t *testing.T) {
	agent := consultest.Start(t)
	for name, want := range map[string]string{"localhost": "127.0.0.1", "before-it.invalid": "before-it.invalid"} {
		p := start(t, "stateless", "AMS_CONSUL_ADDR="+agent.Addr, "AMS_LISTEN=0.0.0.0:0", "AMS_ADVERTISE="+name)
		var told string
		testwait.For(t, 20*time.Second, "it is in Consul", func() bool {
			var entries []struct {
				Service struct {
					Address string
					Port    int
				}
			}
			if err := json.Unmarshal([]byte(get(t, "http://"+agent.Addr+"/v1/health/service/assets?passing")), &entries); err != nil || len(entries) != 1 {
				return false
			}
			told = net.JoinHostPort(entries[0].Service.Address, strconv.Itoa(entries[0].Service.Port))
			return true
		})
		if want = net.JoinHostPort(want, port(p.address)); told != want {
			t.Errorf("%s is told as %s, want %s", name, told, want)
		}
		p.signal(t, syscall.SIGTERM)
		p.wait(t, 20*time.Second)
	}
}
