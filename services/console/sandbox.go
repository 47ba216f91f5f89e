package console

import (
	"net/http"
	"strings"
)

// sandbox is the organization's sandbox as the gateway returns it.
type sandbox struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Limits    map[string]int `json:"limits"`
	CreatedAt string         `json:"created_at"`
	Emptying  *emptying      `json:"emptying"`
}

// emptying is the last time that the sandbox was emptied. It may still be going on.
type emptying struct {
	RequestedAt string  `json:"requested_at"`
	Deleted     int     `json:"deleted"`
	FinishedAt  *string `json:"finished_at"`
}

// BeingEmptied reports whether the sandbox is being emptied now.
func (s sandbox) BeingEmptied() bool { return s.Emptying != nil && s.Emptying.FinishedAt == nil }

// inSandbox is an action about the organization's sandbox.
func inSandbox(do action) action {
	return func(req *pageRequest) error {
		req.test = true
		return do(req)
	}
}

type sandboxPage struct {
	Sandbox   *sandbox // nil: there is none yet
	Keys      int      // active or suspended
	Limits    []limitLine
	APIAccess bool
}

func showSandbox(req *pageRequest) error {
	plan, err := req.plan()
	if err != nil {
		return err
	}
	shown := sandboxPage{APIAccess: plan.has("api_access")}
	found, err := req.sandbox()
	if refusedWith(err, "no_sandbox") {
		return req.show(http.StatusOK, "sandbox", req.language.translate("sandbox.title"), shown)
	}
	if err != nil {
		return err
	}
	shown.Sandbox = &found
	for _, name := range limitNames {
		shown.Limits = append(shown.Limits, limitLine{name, found.Limits[name]})
	}
	req.test = true
	all, err := req.allKeys()
	req.test = false
	if err != nil {
		return err
	}
	for _, k := range all {
		if k.Open() {
			shown.Keys++
		}
	}
	return req.show(http.StatusOK, "sandbox", req.language.translate("sandbox.title"), shown)
}

func (req *pageRequest) sandbox() (found sandbox, err error) {
	err = req.callGateway(http.MethodGet, "/sandbox", nil, &found)
	return found, err
}

// createSandbox makes the sandbox. A form that is sent twice makes one.
func createSandbox(req *pageRequest) error {
	err := req.callGateway(http.MethodPost, "/sandbox", struct{}{}, nil)
	if refusedWith(err, "sandbox_exists") {
		return req.redirectWithNotice("/settings/sandbox", "sandbox_exists")
	}
	if err != nil {
		return err
	}
	return req.redirectWithNotice("/settings/sandbox", "sandbox_created")
}

type emptySandboxPage struct {
	Form    *form
	Sandbox sandbox
	Word    string // to be typed
}

func confirmEmptySandbox(req *pageRequest) error {
	return req.showEmptySandbox(http.StatusOK, &form{values: map[string][]string{}})
}

func (req *pageRequest) showEmptySandbox(status int, f *form) error {
	found, err := req.sandbox()
	if err != nil {
		return err
	}
	return req.show(status, "sandbox_empty", req.language.translate("sandbox_empty.title"),
		emptySandboxPage{f, found, req.language.translate("sandbox_empty.word")})
}

// emptySandbox has the sandbox emptied, once the word was typed. The deletion goes on after the response.
func emptySandbox(req *pageRequest) error {
	f := req.readForm()
	if word := req.language.translate("sandbox_empty.word"); !strings.EqualFold(strings.TrimSpace(f.Value("word")), word) {
		f.add("word", req.language.translate("problem.sandbox.word", word))
		return req.showEmptySandbox(http.StatusBadRequest, f)
	}
	if err := req.callGateway(http.MethodPost, "/sandbox/empty", struct{}{}, nil); err != nil {
		return err
	}
	return req.redirectWithNotice("/settings/sandbox", "sandbox_emptying")
}
