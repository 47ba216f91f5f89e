package devstack

import (
	"fmt"
	"strconv"

	"ams.internal/libs/localport"
)

// region is the part of a stack that is in one Consul datacenter: gateways, services and a Consul of its own, all on an
// address of this machine that nothing else listens on, so that a region can be cut off from the others by its address.
// PostgreSQL and Redis are not part of it: the data is in one place.
type region struct {
	name   string
	prefix string // of the names of its processes: none in the first region
	host   string // where its programs and its Consul's HTTP interface listen

	gateways       []string
	adminListeners []string // the internal listener of each gateway
	services       map[string][]string
	consul         consulAddresses
}

// newRegion says where the region with a number, from 0, is: the first is where a stack of one region always was.
func newRegion(number int, name string) *region {
	r := &region{name: name, host: "127.0.0.1", services: map[string][]string{}}
	if number > 0 {
		r.prefix, r.host = name+".", consulHost(number)
	}
	return r
}

// consulHost is where the Consul servers of a region reach each other, and those of other regions reach them.
func consulHost(number int) string { return "127.0.0." + strconv.Itoa(11+number) }

// chooseAddresses decides where everything will listen before any of it starts: with static discovery programs must know
// each other's addresses, Consul servers always must, and a process that is started again comes back where it was.
func (s *Stack) chooseAddresses() error {
	for number, name := range s.options.Regions {
		r := newRegion(number, name)
		if err := s.choosePrograms(r); err != nil {
			return err
		}
		for at, host := range map[*string]string{
			&r.consul.http: r.host, &r.consul.server: consulHost(number), &r.consul.lan: consulHost(number), &r.consul.wan: consulHost(number),
		} {
			if err := s.ports.choose(at, host); err != nil {
				return err
			}
		}
		s.regions = append(s.regions, r)
	}
	return nil
}

func (s *Stack) choosePrograms(r *region) error {
	r.gateways, r.adminListeners = make([]string, s.options.Gateways), make([]string, s.options.Gateways)
	for i := range s.options.Gateways {
		if err := s.ports.choose(&r.gateways[i], r.host); err != nil {
			return err
		}
		if err := s.ports.choose(&r.adminListeners[i], r.host); err != nil {
			return err
		}
	}
	if s.options.Port != 0 {
		r.gateways[0] = fmt.Sprintf("%s:%d", r.host, s.options.Port)
		if !localport.IsFree(r.gateways[0]) {
			return fmt.Errorf("port %d on %s is taken by another program: choose another one, for instance AMS_PORT=%d make run",
				s.options.Port, r.host, s.options.Port+1)
		}
	}
	for _, service := range services {
		instances := s.options.Instances
		if service == s.options.Without {
			instances = 1
		}
		r.services[service] = make([]string, instances)
		for i := range instances {
			if err := s.ports.choose(&r.services[service][i], r.host); err != nil {
				return err
			}
		}
	}
	return nil
}

// home is the first region: the public gateway is there, and so is the data.
func (s *Stack) home() *region { return s.regions[0] }

// ProcessNames are the names, as in stack.json, of the processes that run a program in a region.
func (s *Stack) ProcessNames(regionName, program string) []string {
	var names []string
	for _, r := range s.regions {
		if r.name != regionName {
			continue
		}
		switch program {
		case "consul":
			names = append(names, r.prefix+"consul")
		case "gateway":
			for i := range r.gateways {
				names = append(names, r.processName(program, i))
			}
		default:
			for i := range r.services[program] {
				names = append(names, r.processName(program, i))
			}
		}
	}
	return names
}

func (r *region) processName(program string, index int) string {
	return fmt.Sprintf("%s%s-%d", r.prefix, program, index+1)
}
