package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	ams "ams.example/program/generated"
)

// caller sends requests with a key. It sends one again when it was too much or too early, as late as the response says; other refusals
// are errors.
type caller struct{ key string }

// Do implements ams.HttpRequestDoer.
func (c caller) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+c.key)
	for {
		if r.GetBody != nil {
			r.Body, _ = r.GetBody() // from the start; of what is in memory
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil || response.StatusCode < 400 {
			return response, err
		}
		refused := &refusal{Status: response.StatusCode}
		if err := errors.Join(json.NewDecoder(response.Body).Decode(&refused.Body), response.Body.Close()); err != nil {
			return nil, err
		}
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if err != nil {
			return nil, refused
		}
		fmt.Println("refused with", refused.Status)
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

// refusal is a response that is an error.
type refusal struct {
	Status int
	Body   ams.Error
}

func (r *refusal) Error() string { return r.Body.Error }

// received gives the bodies of webhooks at a port of this machine whose signatures fit.
func received(port, secret string) <-chan []byte {
	webhook, err := standardwebhooks.NewWebhook(secret)
	check(err)
	bodies := make(chan []byte, 100)
	go http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		check(errors.Join(err, webhook.Verify(body, r.Header)))
		w.WriteHeader(http.StatusNoContent)
		bodies <- body
	}))
	return bodies
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
