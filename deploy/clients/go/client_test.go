package ams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// service is a service of the tests. Waiting takes no time: its client notes how long it would have.
func service(t *testing.T, handler http.HandlerFunc) (client *Client, waits *[]time.Duration) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, waits = NewClient(server.URL+"/", "ams_live_secret"), &[]time.Duration{}
	client.sleep = func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		client.window.mu.Lock()
		client.window.resumeAt = time.Time{}
		client.window.mu.Unlock()
		return ctx.Err()
	}
	return client, waits
}

func TestACallSaysWhoItIsAndKeepsItsIdempotencyKeyOverRepeats(t *testing.T) {
	var keys []string
	client, waits := service(t, func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		body, _ := io.ReadAll(r.Body)
		if got := r.Header.Get("User-Agent") + " " + r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type") + " " +
			string(body); got != "ams-go/"+Version+" Bearer ams_live_secret application/json {\"name\":\"Pump\"}" {
			t.Errorf("attempt %d is %q", len(keys), got)
		}
		switch len(keys) {
		case 1:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			panic(http.ErrAbortHandler)
		case 3:
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, `{"error":"It runs.","code":"idempotency_key_in_use"}`)
		default:
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, `{"id":"019a","name":"Pump"}`)
		}
	})
	made, err := client.Collection("assets").Create(t.Context(), Record{"name": "Pump"})
	if err != nil || made == nil || (*made)["id"] != "019a" {
		t.Fatalf("%v, %v", made, err)
	}
	if len(keys) != 4 || keys[0] == "" || len(slices.Compact(slices.Clone(keys))) != 1 {
		t.Errorf("the keys of the attempts are %q", keys)
	}
	if len(*waits) < 2 || (*waits)[0] != 7*time.Second { // net/http repeats one by itself
		t.Errorf("it waited %v", *waits)
	}
	if _, err := client.Collection("assets").Create(t.Context(), Record{"name": "Pump"}); err != nil || keys[4] == keys[0] {
		t.Errorf("another call has the key %q of the first: %v", keys[4], err)
	}
}

func TestWhatCannotBeRepeatedIsNot(t *testing.T) {
	for name, c := range map[string]struct {
		request  Request
		attempts int
	}{
		"a read":                            {Request{Path: "/v1/assets"}, 2},
		"a merge patch":                     {Request{Method: "PATCH", Path: "/v1/assets/1", Body: Record{}}, 2},
		"a PUT":                             {Request{Method: "PUT", Path: "/v1/assets/by-external-id/1", Body: Record{}}, 2},
		"a POST with a key":                 {Request{Method: "POST", Path: "/v1/assets", Body: Record{}}, 2},
		"a POST outside /v1":                {Request{Method: "POST", Path: "/internal/organizations", Body: Record{}}, 1},
		"one outside /v1, with a key":       {Request{Method: "POST", Path: "/internal/things", IdempotencyKey: "k"}, 2},
		"a DELETE of many, which has a key": {Request{Method: "DELETE", Path: "/v1/assets/bulk", Body: Record{}}, 2},
		"a PATCH of many, which has a key":  {Request{Method: "PATCH", Path: "/v1/assets/bulk", Body: Record{}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			attempts := 0
			client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
				if attempts++; attempts == 1 {
					w.WriteHeader(http.StatusInternalServerError)
					return
				}
				fmt.Fprint(w, `{}`)
			})
			err := client.Request(t.Context(), c.request, nil)
			if attempts != c.attempts || (err == nil) != (c.attempts == 2) {
				t.Errorf("%d attempts, %v", attempts, err)
			}
		})
	}
}

func TestADeleteThatIsRepeatedAndFindsNothingIsDone(t *testing.T) {
	attempts := 0
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if attempts++; attempts == 1 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"There is no such asset."}`)
	})
	if err := client.Assets.Delete(t.Context(), "1", 0); err != nil || attempts != 2 {
		t.Errorf("%d attempts, %v", attempts, err)
	}
	if err := client.Assets.Delete(t.Context(), "1", 0); err == nil {
		t.Error("a DELETE that finds nothing at once is a success")
	}
}

func TestTheRateLimitIsWaitedFor(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Second)
	for name, c := range map[string]struct {
		header map[string]string
		status int
		want   time.Duration
	}{
		"by Retry-After": {map[string]string{"Retry-After": "3", "X-RateLimit-Reset": fmt.Sprint(now.Unix() + 50)}, 429,
			3 * time.Second},
		"by the window, by its clock": {map[string]string{"X-RateLimit-Reset": "1000030",
			"Date": time.Unix(1000000, 0).UTC().Format(http.TimeFormat)}, 429, 30 * time.Second},
		"by the date of a proxy": {map[string]string{"Retry-After": time.Unix(1000040, 0).UTC().Format(http.TimeFormat),
			"Date": time.Unix(1000000, 0).UTC().Format(http.TimeFormat)}, 429, 40 * time.Second},
		"no longer than two minutes":  {map[string]string{"Retry-After": "9000"}, 429, 2 * time.Minute},
		"a refusal that says nothing": {nil, 429, time.Second},
		"before the window is refused": {map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000020",
			"Date": time.Unix(1000000, 0).UTC().Format(http.TimeFormat)}, 200, 20 * time.Second},
		"but not before it is used up": {map[string]string{"X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "1000020"}, 200, 0},
	} {
		t.Run(name, func(t *testing.T) {
			attempts := 0
			client, waits := service(t, func(w http.ResponseWriter, r *http.Request) {
				if attempts++; attempts == 1 {
					for name, value := range c.header {
						w.Header().Set(name, value)
					}
					w.WriteHeader(c.status)
				}
				fmt.Fprint(w, `{}`)
			})
			var notices []string
			client.Notice = func(text string) { notices = append(notices, text) }
			for range 2 {
				if err := client.Request(t.Context(), Request{Method: "POST", Path: "/internal/sign-in"}, nil); err != nil {
					t.Fatal(err)
				}
			}
			if c.want == 0 {
				if len(*waits) != 0 {
					t.Errorf("it waited %v", *waits)
				}
				return
			}
			if len(*waits) != 1 || (*waits)[0] < c.want-time.Second || (*waits)[0] > c.want+time.Second || len(notices) != 1 {
				t.Errorf("it waited %v and said %q", *waits, notices)
			}
		})
	}
}

func TestItGivesUpInTheEnd(t *testing.T) {
	attempts := 0
	client, waits := service(t, func(w http.ResponseWriter, r *http.Request) {
		attempts++
		w.Header().Set("X-Request-Id", "r-1")
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"error":"The plan could not be confirmed.","code":"unavailable"}`)
	})
	var refused *Error
	if _, err := client.Me(t.Context()); !errors.As(err, &refused) || refused.Status != 503 || refused.Code != "unavailable" ||
		refused.RequestID != "r-1" {
		t.Fatalf("%v", err)
	}
	var total time.Duration
	for _, wait := range *waits {
		total += wait
	}
	if total < time.Minute || total > 2*time.Minute || len(*waits) != attempts-1 {
		t.Errorf("it waited %s in %d attempts", total, attempts)
	}
	client.GiveUpAfter, attempts = -1, 0
	if _, err := client.Me(t.Context()); err == nil || attempts != 1 {
		t.Errorf("%d attempts, %v", attempts, err)
	}
}

func TestTheDeadlineOfACallIsItsContexts(t *testing.T) {
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	client.sleep = nil
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := client.Me(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestAnAttemptEndsWhenNothingComes(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "sites") {
			w.Header().Set("Content-Type", "application/x-ndjson")
			fmt.Fprintln(w, `{"name":"a"}`)
			_ = http.NewResponseController(w).Flush()
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	client.Timeout, client.GiveUpAfter = 20*time.Millisecond, -1
	if _, err := client.Me(t.Context()); err == nil || !strings.Contains(err.Error(), "sent nothing for 20ms") {
		t.Errorf("%v", err)
	}
	read := 0
	for _, err := range client.Sites.Stream(t.Context(), nil) {
		if read++; read == 2 && (err == nil || !strings.Contains(err.Error(), "broke off after 1 records: the service sent nothing for 20ms")) {
			t.Errorf("%v", err)
		}
	}
	if read != 2 {
		t.Errorf("the stream gave %d", read)
	}
}

func TestARefusalIsTyped(t *testing.T) {
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w,
			`{"error":"There already is a site with code \"S-1\".","code":"already_exists","request_id":"r-1","field":"code","value":"S-1",
			"existing_id":"019a","dependents":{"work_orders":3},"allowed":["closed"],"fields":[{"field":"code","message":"is taken"}]}`)
	})
	_, err := client.Sites.Get(t.Context(), "1", nil)
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if refused.Status != 409 || refused.Code != "already_exists" || refused.Field != "code" || refused.Value != "S-1" ||
		refused.ExistingID != "019a" || refused.Dependents["work_orders"] != 3 || refused.Allowed[0] != "closed" ||
		refused.Fields[0].Message != "is taken" || refused.RequestID != "r-1" {
		t.Errorf("%+v", refused)
	}
	if text := err.Error(); !strings.Contains(text, `code "S-1"`) || !strings.Contains(text, "code: is taken") ||
		!strings.Contains(text, "(request r-1)") {
		t.Error(text)
	}
}

func TestAKeyDoesNotFollowARedirect(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the key went elsewhere") }))
	defer elsewhere.Close()
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) })
	var refused *Error
	if _, err := client.Me(t.Context()); !errors.As(err, &refused) || refused.Status != http.StatusFound {
		t.Errorf("%v", err)
	}
}

func TestAllPagesGoByCursor(t *testing.T) {
	var queries []string
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		queries = append(queries, r.URL.RawQuery)
		switch r.URL.Query().Get("cursor") {
		case "":
			fmt.Fprint(w, `{"data":[{"name":"a"},{"name":"b"}],"pagination":{"page":1,"per_page":2,"total":3,"total_pages":2,"next_cursor":"c1"}}`)
		default:
			fmt.Fprint(w, `{"data":[{"name":"c"}],"pagination":{"page":null,"per_page":2,"total":3,"total_pages":2,"next_cursor":null}}`)
		}
	})
	for range 2 { // an iterator may be run again
		queries = nil
		var names []any
		for site, err := range client.Collection("sites").All(t.Context(), Filters{"per_page": 2, "status": []string{"active", "clos,ed"},
			"owner": nil}) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, (*site)["name"])
		}
		if fmt.Sprint(names) != "[a b c]" || fmt.Sprint(queries) != "[owner=null&per_page=2&status=active%2Cclos%5C%2Ced "+
			"cursor=c1&owner=null&per_page=2&status=active%2Cclos%5C%2Ced]" {
			t.Errorf("%v by %v", names, queries)
		}
	}
}

func TestAllPagesGoByNumberWhereThereIsNoCursor(t *testing.T) {
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		page := r.URL.Query().Get("page")
		if page == "" {
			page = "1"
		}
		fmt.Fprintf(w, `{"data":[{"version":%s}],"pagination":{"page":%s,"per_page":1,"total":3,"total_pages":3}}`, page, page)
	})
	for range 2 {
		var versions []int64
		for change, err := range client.Assets.History(t.Context(), "1") {
			if err != nil {
				t.Fatal(err)
			}
			versions = append(versions, change.Version)
		}
		if !slices.Equal(versions, []int64{1, 2, 3}) {
			t.Error(versions)
		}
	}
}

func TestAStreamIsWholeOrAnError(t *testing.T) {
	long := strings.Repeat("é", 200_000)
	for name, c := range map[string]struct {
		kind, body string
		abort      bool
		records    int
		err        string
	}{
		"whole":                        {ndjson, "{\"name\":\"a\"}\n{\"name\":\"b\"}\n", false, 2, ""},
		"empty":                        {ndjson, "", false, 0, ""},
		"with a long record":           {ndjson + "; charset=utf-8", `{"name":"` + long + "\"}\n{\"name\":\"b\"}\n", false, 2, ""},
		"broken off between records":   {ndjson, "{\"name\":\"a\"}\n", true, 1, "broke off after 1 records"},
		"broken off inside a record":   {ndjson, "{\"name\":\"a\"}\n{\"na", true, 1, "broke off after 1 records"},
		"ending inside a record":       {ndjson, "{\"name\":\"a\"}\n{\"name\":\"b\"}", false, 1, "broke off after 1 records"},
		"of something that is no JSON": {ndjson, "<html>\n", false, 0, "broke off after 0 records"},
		"of a list that does not":      {"application/json", `{"data":[]}`, false, 0, "cannot be streamed"},
	} {
		t.Run(name, func(t *testing.T) {
			client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				fmt.Fprint(w, c.body)
				if c.abort {
					_ = http.NewResponseController(w).Flush()
					panic(http.ErrAbortHandler)
				}
			})
			records, failure := 0, ""
			for record, err := range client.Collection("sites").Stream(t.Context(), nil) {
				switch {
				case failure != "":
					t.Error("something comes behind the error")
				case err != nil:
					failure = err.Error()
				case (*record)["name"] == nil:
					t.Errorf("%v", record)
				default:
					records++
				}
			}
			if records != c.records || !strings.Contains(failure, c.err) || c.err == "" && failure != "" {
				t.Errorf("%d records, %q", records, failure)
			}
		})
	}
}

func TestAReaderMayStopAStream(t *testing.T) {
	ended := make(chan struct{})
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		w.Header().Set("Content-Type", ndjson)
		for r.Context().Err() == nil {
			if _, err := fmt.Fprintln(w, `{"name":"a"}`); err != nil {
				return
			}
		}
	})
	for range client.Sites.Stream(t.Context(), nil) {
		break
	}
	<-ended
}

func TestAPatchSaysAbsentNullAndValue(t *testing.T) {
	var body, header string
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		body, header = string(text), r.Method+" "+r.URL.Path+" "+r.Header.Get("If-Match")
		fmt.Fprint(w, `{}`)
	})
	patch := AssetPatch{Location: Set("Salle 2"), Manufacturer: Null[string](), Name: new("Pump")}
	if _, err := client.Assets.Update(t.Context(), "a/b", patch, 3); err != nil {
		t.Fatal(err)
	}
	if body != `{"location":"Salle 2","manufacturer":null,"name":"Pump"}` || header != `PATCH /v1/assets/a/b "3"` {
		t.Errorf("%s\n%s", header, body)
	}
	rows := []PatchRow[AssetPatch]{{Key{ExternalID: "x"}, patch}, {Key{ID: "1"}, AssetPatch{}}, {Patch: AssetPatch{AssetTag: Set("T")}}}
	if _, err := client.Assets.BulkUpdate(t.Context(), rows, BulkOptions{EachOnItsOwn: true}); err != nil {
		t.Fatal(err)
	}
	if body != `{"data":[{"external_id":"x","location":"Salle 2","manufacturer":null,"name":"Pump"},{"id":"1"},{"asset_tag":"T"}]}` {
		t.Error(body)
	}
}

func TestOneClientServesSeveralGoroutines(t *testing.T) {
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", "1")
		fmt.Fprint(w, `{}`)
	})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if _, err := client.Me(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestTheFeedIsFollowed(t *testing.T) {
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		after := r.URL.Query().Get("after")
		if r.URL.Query().Get("wait") != "20" {
			t.Errorf("it asks with %s", r.URL.RawQuery)
		}
		_ = json.NewEncoder(w).Encode(Record{"data": []Record{{"id": "e" + after, "type": "asset.created"}}, "next": after + "x",
			"has_more": true})
	})
	var ids []string
	for page, err := range client.FollowEvents(t.Context(), "", Filters{"types": "asset.*"}) {
		if err != nil {
			t.Fatal(err)
		}
		if ids = append(ids, page.Data[0].ID); len(ids) == 3 {
			break
		}
	}
	if !slices.Equal(ids, []string{"e", "ex", "exx"}) {
		t.Error(ids)
	}
}
