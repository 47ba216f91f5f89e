package main

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"time"
)

// serviceAway: nobody else notices, and who needs it is told at once, in words.
func serviceAway(service string) row {
	instances := []string{service + "-1", service + "-2"}
	return row{
		name:    "all instances of " + service,
		promise: "503 within 1 s for its paths, nothing else fails; MCP and the settings screens say so; back without a restart of others",
		take:    func(_ context.Context, r *run) error { return r.stack.Halt(syscall.SIGKILL, instances...) },
		during: func(ctx context.Context, r *run) error {
			if service == "users" {
				return r.signInSaysSo(ctx)
			}
			return r.assistantSaysSo(ctx)
		},
		back: func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, instances...) },
		judge: func(r *run) {
			r.only503(r.samples)
			r.noneFailed(r.samples.notOf(service), "of other services")
			away := r.samples.of(service).between(r.gone, r.returned)
			r.promise(len(away) > 0 && len(away.failures()) == len(away), "%d of %d requests for a service that is away were answered", len(away)-len(away.failures()), len(away))
			r.measure("503 after %s, longest %s", away.quantile(0.5), away.longest())
			r.bound(away.longest() < time.Second, "a 503 took %s; it may take 1 s", away.longest())
			r.measureReturn()
		},
	}
}

// measureReturn is how long it took until requests succeeded, once everything was back.
func (r *run) measureReturn() {
	r.measure("serving %s after it was back", max(r.serving.Sub(r.whole), 0).Round(10*time.Millisecond))
}

// assistantSaysSo calls a tool that needs the projects service.
func (r *run) assistantSaysSo(ctx context.Context) error {
	text, err := r.tool(ctx, "search_projects", map[string]any{})
	if err != nil {
		return err
	}
	const words = "The service that this tool needs cannot be reached right now"
	r.promise(strings.Contains(text, words), "the assistant was told %.300q, and not %q", text, words)
	if text, err = r.tool(ctx, "search_assets", map[string]any{}); err != nil {
		return err
	}
	r.promise(!strings.Contains(text, "cannot be reached"), "a tool that needs another service answers: %.300s", text)
	return nil
}

// signInSaysSo tries to sign in while nobody knows passwords.
func (r *run) signInSaysSo(ctx context.Context) error {
	p, err := newPerson(r.stack.Description().BaseURL)
	if err != nil {
		return err
	}
	of := r.stack.Description().Organizations[0].Administrator
	status, text, err := p.signIn(ctx, of.Email, of.Password)
	if err != nil {
		return err
	}
	r.promise(status == 503 && strings.Contains(text, screenAway), "the sign-in answers %d and does not say %q: %.300s", status, screenAway, text)
	return nil
}

// screenAway is what a settings screen says.
const screenAway = "A part of the service does not answer. Nothing was changed; try again in a minute."

// screenSaysSo looks at the webhooks screen as somebody who is signed in.
func (p *person) screenSaysSo(ctx context.Context, r *run) error {
	status, text, err := p.get(ctx, "/settings/webhooks")
	if err != nil {
		return err
	}
	r.promise(status == 503 && strings.Contains(text, screenAway), "the screen answers %d and does not say %q: %.300s", status, screenAway, text)
	if status, text, err = p.get(ctx, "/settings/keys"); err != nil {
		return err
	}
	r.promise(status == 200, "another screen answers %d: %.300s", status, text)
	return nil
}

func unexpected(what string, status int, text string) error {
	return fmt.Errorf("%s answers %d: %.300s", what, status, text)
}
