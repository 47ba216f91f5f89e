package main

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// serviceDown: nobody else notices, and who needs it is told at once, in words. What else is tried while it is away is others' work that
// needs it.
func serviceDown(service string, others func(ctx context.Context, r *run) error) scenario {
	instances := []string{service + "-1", service + "-2"}
	return scenario{
		name:    "all instances of " + service,
		promise: "503 within 1 s for its paths, nothing else fails; who needs it besides is told so; back without a restart of others",
		inject:  func(_ context.Context, r *run) error { return r.stack.Halt(syscall.SIGKILL, instances...) },
		during: func(ctx context.Context, r *run) error {
			for of, c := range load.Collections {
				for range r.balancer.Gateways {
					if c.Service == service {
						r.load.Note(r.load.Call(r.organizations[0].List(of)))
					}
				}
			}
			return others(ctx, r)
		},
		restore: func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, instances...) },
		evaluate: func(r *run) {
			r.only503(r.samples)
			r.noneFailed(r.samples.NotOf(service), "of other services")
			down := r.samples.Of(service).Between(r.down, r.restoring)
			r.promise(len(down) > 0 && len(down.Failures()) == len(down), "%d of %d requests for a service that is away were answered",
				len(down)-len(down.Failures()), len(down))
			r.measure("503 after %s, longest %s", down.Quantile(0.5), down.Max())
			r.bound(down.Max() < time.Second, "a 503 took %s; it may take 1 s", down.Max())
			r.measureReturn()
		},
	}
}

// measureReturn is how long it took until requests succeeded, once everything was back.
func (r *run) measureReturn() {
	r.measure("serving %s after it was back", max(r.serving.Sub(r.restored), 0).Round(10*time.Millisecond))
}

// assistantReportsOutage calls a tool that needs the projects service.
func assistantReportsOutage(ctx context.Context, r *run) error {
	text, err := r.tool(ctx, "search_projects", map[string]any{})
	if err != nil {
		return err
	}
	r.promise(strings.Contains(text, toolUnavailable), "the assistant was told %.300q, and not %q", text, toolUnavailable)
	if text, err = r.tool(ctx, "find", map[string]any{"text": "pump"}); err != nil {
		return err
	}
	r.promise(strings.Contains(text, "do not answer right now: project."), "a search does not say who is away: %.300s", text)
	if text, err = r.tool(ctx, "search_assets", map[string]any{}); err != nil {
		return err
	}
	r.promise(!strings.Contains(text, "cannot be reached"), "a tool that needs another service answers: %.300s", text)
	return nil
}

// toolUnavailable is the text that an assistant gets.
const toolUnavailable = "The service that this tool needs cannot be reached right now"

// signInReportsOutage tries to sign in while nobody knows passwords.
func signInReportsOutage(ctx context.Context, r *run) error {
	p, err := load.NewPerson(r.stack.Description().BaseURL)
	if err != nil {
		return err
	}
	of := r.stack.Description().Organizations[0].Administrator
	status, text, err := p.SignIn(ctx, of.Email, of.Password)
	if err != nil {
		return err
	}
	r.promise(status == 503 && strings.Contains(text, unavailableScreen), "the sign-in answers %d and does not say %q: %.300s", status,
		unavailableScreen, text)
	return nil
}

// unavailableScreen is what a settings screen says.
const unavailableScreen = "A part of the service does not answer. Nothing was changed; try again in a minute."

// screenReportsOutage opens the webhooks screen as a person who is signed in.
func screenReportsOutage(ctx context.Context, p *load.Person, r *run) error {
	status, text, err := p.Get(ctx, "/settings/webhooks")
	if err != nil {
		return err
	}
	r.promise(status == 503 && strings.Contains(text, unavailableScreen), "the screen answers %d and does not say %q: %.300s", status,
		unavailableScreen, text)
	if status, text, err = p.Get(ctx, "/settings/keys"); err != nil {
		return err
	}
	r.promise(status == 200, "another screen answers %d: %.300s", status, text)
	return nil
}

func unexpected(what string, status int, text string) error {
	return fmt.Errorf("%s answers %d: %.300s", what, status, text)
}
