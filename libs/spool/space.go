package spool

import "sync"

// space is the room that the files of a process may take. It is below what its container has.
type space struct {
	mutex                                 sync.Mutex
	perSpool, perOrganization, perProcess int64
	all                                   int64
	by                                    map[string]int64 // organization
}

var disk = &space{perSpool: 1 << 30, perOrganization: 2 << 30, perProcess: 4 << 30, by: map[string]int64{}}

// share is what one spool has of the space.
type share struct {
	of           *space
	organization string
	taken        int64
}

// take says whether there is room for n more bytes, which are the spool's then.
func (s *share) take(n int64) bool {
	s.of.mutex.Lock()
	defer s.of.mutex.Unlock()
	if s.taken+n > s.of.perSpool || s.of.by[s.organization]+n > s.of.perOrganization || s.of.all+n > s.of.perProcess {
		return false
	}
	s.taken, s.of.by[s.organization], s.of.all = s.taken+n, s.of.by[s.organization]+n, s.of.all+n
	return true
}

// giveBack gives back all that was taken.
func (s *share) giveBack() {
	s.of.mutex.Lock()
	defer s.of.mutex.Unlock()
	s.of.all -= s.taken
	if s.of.by[s.organization] -= s.taken; s.of.by[s.organization] == 0 {
		delete(s.of.by, s.organization)
	}
	s.taken = 0
}
