package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"ams.internal/services/documents/store"
	"ams.internal/services/documents/store/storetest"
)

// stores are what the contract holds for: each gives an empty one.
var stores = map[string]func(t *testing.T) store.Store{
	"folder": func(t *testing.T) store.Store { return open(t, store.Config{Store: t.TempDir()}) },
	"s3": func(t *testing.T) store.Store {
		_, config := storetest.Start(t)
		return open(t, config)
	},
}

func open(t *testing.T, config store.Config) store.Store {
	t.Helper()
	s, err := store.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	organization = "0190a5d4-0000-7000-8000-000000000001"
	other        = "0190a5d4-0000-7000-8000-000000000002"
)

// TestContract makes the same calls on every store.
func TestContract(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			for test, run := range map[string]func(*testing.T, store.Store){
				"put":                           testPut,
				"a taken key is not replaced":   testTaken,
				"one of many writers wins":      testManyWriters,
				"ranges":                        testRanges,
				"delete":                        testDelete,
				"list":                          testList,
				"parts":                         testParts,
				"a part again":                  testPartAgain,
				"complete again":                testCompleteAgain,
				"completed by two at once":      testCompleteAtOnce,
				"parts that make no object":     testWrongParts,
				"abort":                         testAbort,
				"uploads are listed":            testListUploads,
				"a body that ends early":        testShortBody,
				"a body that fails":             testFailingBody,
				"a caller who goes away":        testCancelled,
				"keys and uploads lead nowhere": testClimbing,
			} {
				t.Run(test, func(t *testing.T) {
					s := open(t)
					run(t, s)
					if err := s.Check(t.Context()); err != nil {
						t.Errorf("check: %v", err)
					}
				})
			}
		})
	}
}

func testPut(t *testing.T, s store.Store) {
	for _, size := range []int{1, 1000, store.PartSize} {
		key, body := fmt.Sprintf("%s/blob-%d.256", organization, size), random(size)
		before := time.Now().Add(-2 * time.Second) // S3 has whole seconds
		put(t, s, key, body)
		object, err := s.Stat(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if object.Key != key || object.Size != int64(size) || object.ModifiedAt.Before(before) ||
			object.ModifiedAt.After(time.Now().Add(2*time.Second)) {
			t.Errorf("%+v", object)
		}
		same(t, get(t, s, key, 0, -1), body)
	}
	long := organization + "/long"
	if err := s.Put(t.Context(), long, strings.NewReader("1234567890"), 4); err != nil {
		t.Fatal(err)
	}
	same(t, get(t, s, long, 0, -1), []byte("1234"))
	if err := s.Put(t.Context(), organization+"/large", bytes.NewReader(random(store.PartSize+1)), store.PartSize+1); err == nil {
		t.Error("an object of more than a part was put at once")
	}
}

func testTaken(t *testing.T, s store.Store) {
	key := organization + "/taken"
	put(t, s, key, []byte("first"))
	if err := s.Put(t.Context(), key, strings.NewReader("second"), 6); !errors.Is(err, store.ErrExists) {
		t.Errorf("put on a taken key: %v", err)
	}
	same(t, get(t, s, key, 0, -1), []byte("first"))
	put(t, s, other+"/taken", []byte("another's"))
	same(t, get(t, s, key, 0, -1), []byte("first"))
	noUploads(t, s)
}

func testManyWriters(t *testing.T, s store.Store) {
	const writers = 8
	key := organization + "/wanted"
	errs := make([]error, writers)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			errs[i] = s.Put(t.Context(), key, strings.NewReader(strings.Repeat(fmt.Sprint(i), 100_000)), 100_000)
		})
	}
	all.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner < 0:
			winner = i
		case err == nil:
			t.Errorf("writers %d and %d both won", winner, i)
		case !errors.Is(err, store.ErrExists):
			t.Errorf("writer %d: %v", i, err)
		}
	}
	if winner < 0 {
		t.Fatal("nobody won")
	}
	same(t, get(t, s, key, 0, -1), bytes.Repeat(fmt.Append(nil, winner), 100_000))
}

func testRanges(t *testing.T, s store.Store) {
	key, body := organization+"/ranges", random(1000)
	put(t, s, key, body)
	for _, c := range []struct{ from, length, end int64 }{
		{0, 1, 1}, {0, -1, 1000}, {999, 1, 1000}, {999, -1, 1000}, {990, 10, 1000}, {500, 100, 600}, {0, 1000, 1000}, {990, 100, 1000},
	} {
		same(t, get(t, s, key, c.from, c.length), body[c.from:c.end])
	}
	if _, err := s.Open(t.Context(), organization+"/nothing", 0, -1); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("open of nothing: %v", err)
	}
	if _, err := s.Open(t.Context(), organization+"/nothing", 10, 10); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("open of a range of nothing: %v", err)
	}
	if _, err := s.Stat(t.Context(), organization+"/nothing"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("stat of nothing: %v", err)
	}
}

func testDelete(t *testing.T, s store.Store) {
	key := organization + "/deleted"
	put(t, s, key, []byte("x"))
	for range 2 { // what is not there as well
		if err := s.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Stat(t.Context(), key); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("stat of what was deleted: %v", err)
		}
	}
	if err := s.Delete(t.Context(), "nobody/nothing"); err != nil {
		t.Error(err)
	}
	put(t, s, key, []byte("again"))
	same(t, get(t, s, key, 0, -1), []byte("again"))
}

func testList(t *testing.T, s store.Store) {
	want := []string{}
	for i := range 30 {
		want = append(want, fmt.Sprintf("a-b/%03d", i))
	}
	want = append(want, "a/001", "a/001.256", "b/001")
	for _, key := range want {
		put(t, s, key, []byte(key))
	}
	if _, err := s.Begin(t.Context(), "a/unfinished"); err != nil {
		t.Fatal(err)
	}
	for prefix, keys := range map[string][]string{"": want, "a/": want[30:32], "a/001.": want[31:32], "a": want[:32], "a-b/02": want[20:30],
		"c/": {}, "a/0011": {}} {
		found := []string{}
		if err := s.List(t.Context(), prefix, func(o store.Object) error {
			if o.Size != int64(len(o.Key)) || time.Since(o.ModifiedAt) > time.Minute {
				t.Errorf("%+v", o)
			}
			found = append(found, o.Key)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if strings.Join(found, " ") != strings.Join(keys, " ") {
			t.Errorf("list of %q: %v, want %v", prefix, found, keys)
		}
	}
	enough, calls := errors.New("enough"), 0
	if err := s.List(t.Context(), "", func(store.Object) error { calls++; return enough }); !errors.Is(err, enough) || calls != 1 {
		t.Errorf("a list that is ended: %v after %d calls", err, calls)
	}
}

func testParts(t *testing.T, s store.Store) {
	key, body := organization+"/parts", random(2*store.PartSize+1_222_784)
	upload := begin(t, s, key)
	var parts []store.Part
	for i, from := range []int{0, store.PartSize, 2 * store.PartSize} {
		parts = append(parts, part(t, s, key, upload, 2*i+1, body[from:min(from+store.PartSize, len(body))])) // numbers may have gaps
	}
	if _, err := s.Stat(t.Context(), key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an object is there before its upload is complete: %v", err)
	}
	if err := s.Complete(t.Context(), key, upload, parts); err != nil {
		t.Fatal(err)
	}
	object, err := s.Stat(t.Context(), key)
	if err != nil || object.Size != int64(len(body)) {
		t.Errorf("%+v %v", object, err)
	}
	same(t, get(t, s, key, 0, -1), body)
	same(t, get(t, s, key, store.PartSize-5, 10), body[store.PartSize-5:store.PartSize+5])
	noUploads(t, s)
	if err := s.Put(t.Context(), key, strings.NewReader("x"), 1); !errors.Is(err, store.ErrExists) {
		t.Errorf("put on the key of an upload: %v", err)
	}
	if _, err := s.PutPart(t.Context(), key, upload, 6, body[:10]); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a part after the upload is complete: %v", err)
	}
}

func testPartAgain(t *testing.T, s store.Store) {
	key, first, replaced, last := organization+"/again", random(store.MinPartSize), random(store.MinPartSize+1), random(10)
	upload := begin(t, s, key)
	before := part(t, s, key, upload, 1, first)
	after := part(t, s, key, upload, 1, replaced)
	end := part(t, s, key, upload, 2, last)
	if before.Tag == after.Tag {
		t.Errorf("both parts have the tag %s", after.Tag)
	}
	if err := s.Complete(t.Context(), key, upload, []store.Part{before, end}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("complete with a part that was replaced: %v", err)
	}
	if err := s.Complete(t.Context(), key, upload, []store.Part{after, end}); err != nil {
		t.Fatal(err)
	}
	same(t, get(t, s, key, 0, -1), append(replaced, last...))
}

func testCompleteAgain(t *testing.T, s store.Store) {
	key := organization + "/complete"
	upload := begin(t, s, key)
	parts := []store.Part{part(t, s, key, upload, 1, []byte("whole"))}
	for range 3 {
		if err := s.Complete(t.Context(), key, upload, parts); err != nil {
			t.Fatal(err)
		}
	}
	same(t, get(t, s, key, 0, -1), []byte("whole"))
	if err := s.Complete(t.Context(), key, upload, []store.Part{{1, 4, parts[0].Tag}}); !errors.Is(err, store.ErrExists) {
		t.Errorf("complete where an object of another size is: %v", err)
	}
	second := begin(t, s, key)
	if err := s.Complete(t.Context(), key, second,
		[]store.Part{part(t, s, key, second, 1, []byte("longer"))}); !errors.Is(err, store.ErrExists) {
		t.Errorf("complete of a second upload where an object of another size is: %v", err)
	}
	same(t, get(t, s, key, 0, -1), []byte("whole"))
	if err := s.Complete(t.Context(), organization+"/none", upload, parts); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("complete of an upload of another key: %v", err)
	}
}

func testCompleteAtOnce(t *testing.T, s store.Store) {
	key, body := organization+"/at-once", random(store.MinPartSize)
	upload := begin(t, s, key)
	parts := []store.Part{part(t, s, key, upload, 1, body)}
	errs := make([]error, 2)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = s.Complete(t.Context(), key, upload, parts) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	same(t, get(t, s, key, 0, -1), body)
	noUploads(t, s)
}

func testWrongParts(t *testing.T, s store.Store) {
	key := organization + "/wrong"
	upload := begin(t, s, key)
	first, second := part(t, s, key, upload, 1, random(store.MinPartSize)), part(t, s, key, upload, 2, []byte("x"))
	small := part(t, s, key, upload, 3, []byte("x"))
	for what, parts := range map[string][]store.Part{
		"none": {}, "in wrong order": {second, first}, "doubled": {first, first}, "missing": {first, {7, 10, first.Tag}},
		"small": {second, small}, "of another tag": {{1, first.Size, second.Tag}},
	} {
		if err := s.Complete(t.Context(), key, upload, parts); err == nil || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("parts %s: %v", what, err)
		}
	}
	for _, number := range []int{-1, 0, store.MaxParts + 1} {
		if _, err := s.PutPart(t.Context(), key, upload, number, []byte("x")); err == nil {
			t.Errorf("part %d was taken", number)
		}
	}
	if _, err := s.PutPart(t.Context(), key, upload, 4, nil); err == nil {
		t.Error("an empty part was taken")
	}
	if _, err := s.Stat(t.Context(), key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an object was made: %v", err)
	}
	if err := s.Complete(t.Context(), key, upload, []store.Part{first, second}); err != nil { // nothing of it did harm
		t.Error(err)
	}
}

func testAbort(t *testing.T, s store.Store) {
	key := organization + "/aborted"
	upload := begin(t, s, key)
	written := part(t, s, key, upload, 1, []byte("x"))
	for range 2 { // what is not there as well
		if err := s.Abort(t.Context(), key, upload); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Abort(t.Context(), key, "0190a5d4-0000-7000-8000-00000000abcd"); err != nil {
		t.Error(err)
	}
	if err := s.Abort(t.Context(), "nobody/nothing", upload); err != nil {
		t.Error(err)
	}
	if _, err := s.PutPart(t.Context(), key, upload, 2, []byte("x")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a part after abort: %v", err)
	}
	if err := s.Complete(t.Context(), key, upload, []store.Part{written}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("complete after abort: %v", err)
	}
	noUploads(t, s)
}

func testListUploads(t *testing.T, s store.Store) {
	before := time.Now().Add(-2 * time.Second)
	want := map[string]string{}
	for _, key := range []string{organization + "/one", organization + "/one", other + "/two.256"} { // two of one key
		upload := begin(t, s, key)
		part(t, s, key, upload, 1, []byte("x"))
		want[upload] = key
	}
	if len(want) != 3 {
		t.Fatal("two uploads have one name")
	}
	if err := s.ListUploads(t.Context(), func(u store.Upload) error {
		if want[u.ID] != u.Key || u.StartedAt.Before(before) || u.StartedAt.After(time.Now().Add(2*time.Second)) {
			t.Errorf("%+v", u)
		}
		delete(want, u.ID)
		return s.Abort(t.Context(), u.Key, u.ID) // as a sweeper does
	}); err != nil {
		t.Fatal(err)
	}
	if len(want) != 0 {
		t.Errorf("not listed: %v", want)
	}
	noUploads(t, s)
}

func testShortBody(t *testing.T, s store.Store) {
	key := organization + "/short"
	if err := s.Put(t.Context(), key, strings.NewReader("123"), 4); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a body of 3 bytes instead of 4: %v", err)
	}
	nothing(t, s, key)
}

func testFailingBody(t *testing.T, s store.Store) {
	key, broken := organization+"/broken", errors.New("the sender went away")
	body := io.MultiReader(bytes.NewReader(random(100_000)), failing{broken})
	if err := s.Put(t.Context(), key, body, 200_000); !errors.Is(err, broken) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a body that fails: %v", err)
	}
	nothing(t, s, key)
}

func testCancelled(t *testing.T, s store.Store) {
	key := organization + "/cancelled"
	ctx, cancel := context.WithCancel(t.Context())
	body := io.MultiReader(bytes.NewReader(random(100_000)), doing(cancel), bytes.NewReader(random(900_000)))
	if err := s.Put(ctx, key, body, 1_000_000); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a put whose caller goes away: %v", err)
	}
	nothing(t, s, key)
	if _, err := s.Stat(ctx, key); !errors.Is(err, context.Canceled) {
		t.Errorf("a stat whose caller has gone away: %v", err)
	}
}

func testClimbing(t *testing.T, s store.Store) {
	const upload = "0190a5d4-0000-7000-8000-00000000abcd"
	for _, key := range []string{"", "a", "/", "a/", "/b", "a/b/c", "../b", "a/..", "../../etc/passwd", "a/.b", ".a/b", "a//b", "a/b\x00",
		"a/b c", "a~b/c", "a/é", "a\\b/c", "a/" + strings.Repeat("x", 101)} {
		_, opened := s.Open(t.Context(), key, 0, -1)
		_, stat := s.Stat(t.Context(), key)
		_, begun := s.Begin(t.Context(), key)
		_, written := s.PutPart(t.Context(), key, upload, 1, []byte("x"))
		for call, err := range map[string]error{
			"put": s.Put(t.Context(), key, strings.NewReader("x"), 1), "open": opened, "stat": stat, "delete": s.Delete(t.Context(), key),
			"begin": begun, "part": written, "complete": s.Complete(t.Context(), key, upload, []store.Part{{1, 1, "x"}}),
			"abort": s.Abort(t.Context(), key, upload),
		} {
			if err == nil || !strings.Contains(err.Error(), "is no key") {
				t.Errorf("%s of %q: %v", call, key, err)
			}
		}
	}
	key := organization + "/kept"
	put(t, s, key, []byte("kept"))
	for _, upload := range []string{"", ".", "..", "../../objects/" + organization, "/", "x/../../.."} {
		if _, err := s.PutPart(t.Context(), key, upload, 1, []byte("x")); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a part of upload %q: %v", upload, err)
		}
		if err := s.Abort(t.Context(), key, upload); err != nil {
			t.Errorf("abort of upload %q: %v", upload, err)
		}
	}
	same(t, get(t, s, key, 0, -1), []byte("kept"))
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type doing func()

func (d doing) Read([]byte) (int, error) { d(); return 0, io.EOF }

func random(size int) []byte {
	body := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(size), byte(size >> 8)}).Read(body)
	return body
}

func put(t *testing.T, s store.Store, key string, body []byte) {
	t.Helper()
	if err := s.Put(t.Context(), key, bytes.NewReader(body), int64(len(body))); err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
}

func get(t *testing.T, s store.Store, key string, from, length int64) []byte {
	t.Helper()
	opened, err := s.Open(t.Context(), key, from, length)
	if err != nil {
		t.Fatalf("open %s: %v", key, err)
	}
	content, err := io.ReadAll(opened)
	if err := errors.Join(err, opened.Close()); err != nil {
		t.Fatalf("read %s: %v", key, err)
	}
	return content
}

func same(t *testing.T, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes %.40q…, want %d bytes %.40q…", len(got), got, len(want), want)
	}
}

func begin(t *testing.T, s store.Store, key string) string {
	t.Helper()
	upload, err := s.Begin(t.Context(), key)
	if err != nil {
		t.Fatalf("begin %s: %v", key, err)
	}
	return upload
}

func part(t *testing.T, s store.Store, key, upload string, number int, body []byte) store.Part {
	t.Helper()
	written, err := s.PutPart(t.Context(), key, upload, number, body)
	if err == nil && number%2 == 1 {
		err = s.SyncPart(t.Context(), key, upload, written)
	}
	if err != nil {
		t.Fatalf("part %d of %s: %v", number, key, err)
	}
	if written.Number != number || written.Size != int64(len(body)) || written.Tag == "" {
		t.Errorf("%+v", written)
	}
	return written
}

func noUploads(t *testing.T, s store.Store) {
	t.Helper()
	if err := s.ListUploads(t.Context(), func(u store.Upload) error {
		t.Errorf("an upload is left: %+v", u)
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// nothing holds that no object and no upload is there.
func nothing(t *testing.T, s store.Store, key string) {
	t.Helper()
	if _, err := s.Stat(t.Context(), key); !errors.Is(err, store.ErrNotFound) {
		o, _ := s.Stat(t.Context(), key)
		t.Errorf("an object is there: %v %+v", err, o)
	}
	noUploads(t, s)
}
