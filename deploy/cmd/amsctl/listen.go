package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

// listener forwards the events of the feed to a receiver under development, as webhooks.
type listener struct {
	s      *session
	client *ams.Client
	to     string
	secret string
	after  string
	state  string // file with the cursor; empty: none
	types  []string
	http   *http.Client
}

// forwarded is one line of what listen says.
type forwarded struct {
	At       time.Time `json:"at"`
	Type     string    `json:"type"`
	ID       string    `json:"id"`
	Record   string    `json:"record_id,omitempty"`
	Status   int       `json:"status,omitempty"`
	Error    string    `json:"error,omitempty"`
	Duration float64   `json:"milliseconds"`
}

func listenCommand(s *session) *cobra.Command {
	l := &listener{s: s}
	cmd := &cobra.Command{Use: "listen", Short: "Forward events to a receiver on this machine, as webhooks, until Ctrl-C", Args: cobra.NoArgs}
	cmd.Long = `Forward events to a receiver on this machine, as webhooks: to write one before the service can call it.

Events are read from the feed (/v1/events) with the key in AMS_API_KEY, which needs the scope webhooks:read and those of the records.
Each is sent once, with the body and the headers of a webhook, and signed with the secret that is shown at the start; the receiver's
status is printed. A receiver that fails is not tried again.

It begins with what happens from now on; with --after, behind a cursor; with --state, where it ended the last time.`
	flags := cmd.Flags()
	flags.StringVar(&l.to, "forward-to", "", "address of the receiver, such as http://localhost:3000/hooks")
	flags.StringSliceVar(&l.types, "types", nil, "only these types or patterns, such as asset.*,work_order.completed")
	flags.StringVar(&l.secret, "secret", "", "secret to sign with, whsec_… (default: a new one each time)")
	flags.StringVar(&l.after, "after", "", "cursor to begin behind")
	flags.StringVar(&l.state, "state", "", "file that keeps the cursor, to go on the next time")
	require(cmd, "forward-to")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if _, err := checkedAddress(l.to); err != nil {
			return err
		}
		var err error
		if l.client, err = s.public(); err != nil {
			return err
		}
		return l.run(cmd.Context())
	}
	return cmd
}

func (l *listener) run(ctx context.Context) error {
	if l.secret == "" {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		l.secret = "whsec_" + base64.StdEncoding.EncodeToString(key)
	}
	if _, err := ams.SignWebhook(nil, "", time.Time{}, l.secret); err != nil {
		return fmt.Errorf("--secret: %w", err)
	}
	// Redirects are no success of a webhook.
	l.http = &http.Client{Timeout: 15 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if err := l.begin(ctx); err != nil {
		return l.ended(ctx, err)
	}
	l.s.note(fmt.Sprintf("Forwarding to %s; the secret is %s\nCtrl-C ends it.", l.to, l.secret))
	return l.ended(ctx, l.follow(ctx))
}

// ended: Ctrl-C is how listening ends, not an error.
func (l *listener) ended(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		if l.after != "" {
			l.s.note("Go on from here with --after " + l.after)
		}
		return nil
	}
	return err
}

// begin finds the cursor to begin behind: the given one, the kept one, or that of the newest event.
func (l *listener) begin(ctx context.Context) error {
	if l.after != "" {
		return nil
	}
	if l.state != "" {
		text, err := os.ReadFile(l.state)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if l.after = strings.TrimSpace(string(text)); l.after != "" {
			return nil
		}
	}
	for {
		page, err := l.page(ctx, 0)
		if err != nil {
			return err
		}
		if l.after = page.Next; !page.HasMore {
			return l.keep()
		}
	}
}

// feedPage is a page of the feed with the events as they are.
type feedPage struct {
	Data    []json.RawMessage `json:"data"`
	Next    string            `json:"next"`
	HasMore bool              `json:"has_more"`
}

func (l *listener) page(ctx context.Context, wait int) (page feedPage, err error) {
	query := url.Values{"limit": {"1000"}, "wait": {fmt.Sprint(wait)}}
	if l.after != "" {
		query.Set("after", l.after)
	}
	if len(l.types) > 0 {
		query.Set("types", strings.Join(l.types, ","))
	}
	err = l.client.Request(ctx, ams.Request{Path: "/v1/events", Query: query}, &page)
	return page, err
}

func (l *listener) follow(ctx context.Context) error {
	for {
		page, err := l.page(ctx, 20)
		if err != nil {
			return err
		}
		for _, body := range page.Data {
			line, err := l.forward(ctx, body)
			if err != nil {
				return err
			}
			if err := l.print(line); err != nil {
				return err
			}
		}
		l.after = page.Next
		if err := l.keep(); err != nil {
			return err
		}
	}
}

// forward sends an event as the service would. What the receiver does wrong stands in the line.
func (l *listener) forward(ctx context.Context, body json.RawMessage) (forwarded, error) {
	var event ams.Event
	if err := json.Unmarshal(body, &event); err != nil {
		return forwarded{}, fmt.Errorf("an event of the feed: %w", err)
	}
	began := time.Now()
	line := forwarded{At: began.UTC(), Type: event.Type, ID: event.ID}
	if id, is := event.Data.Object["id"].(string); is {
		line.Record = id
	} else if event.Data.ID != nil {
		line.Record = *event.Data.ID
	}
	header, err := ams.SignWebhook(body, event.ID, began, l.secret)
	if err != nil {
		return line, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.to, bytes.NewReader(body))
	if err != nil {
		return line, err
	}
	request.Header = header
	request.Header.Set("User-Agent", "amsctl-listen/"+ams.Version)
	request.Header.Set("Webhook-Event-Type", event.Type)
	request.Header.Set("Webhook-Attempt", "1")
	response, err := l.http.Do(request)
	if err == nil {
		line.Status = response.StatusCode
		_, err = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
		response.Body.Close()
	}
	if ctx.Err() != nil {
		return line, ctx.Err()
	}
	if err != nil {
		line.Error = err.Error()
	}
	line.Duration = float64(time.Since(began).Microseconds()/100) / 10
	return line, nil
}

func (l *listener) print(line forwarded) error {
	if l.s.output == "json" {
		return json.NewEncoder(l.s.out).Encode(line)
	}
	outcome := fmt.Sprintf("%d", line.Status)
	if line.Error != "" {
		outcome = plain(line.Error)
	}
	_, err := fmt.Fprintf(l.s.out, "%s  %s  %s  -> %s (%.1f ms)\n", line.At.Format(time.RFC3339), line.Type, line.Record, outcome,
		line.Duration)
	return err
}

func (l *listener) keep() error {
	if l.state == "" {
		return nil
	}
	return os.WriteFile(l.state, []byte(l.after+"\n"), 0o600)
}
