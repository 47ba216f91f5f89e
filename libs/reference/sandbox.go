package reference

import "time"

// Empty has a service delete records of the caller's organization, which must be a sandbox: as many as it can in a few seconds. It is
// called again until nothing is left. The caller waits long enough to hear that it took too long.
var Empty = Contract[struct{}, Emptied]{Path: "/empty", Deadline: 25 * time.Second, Timeout: 30 * time.Second}

// Emptied is what a service did to empty a sandbox.
type Emptied struct {
	Deleted int64 `json:"deleted" doc:"Rows that this call deleted, but for those that go with others."`
	Done    bool  `json:"done" doc:"Nothing is left. Else the caller calls again."`
}
