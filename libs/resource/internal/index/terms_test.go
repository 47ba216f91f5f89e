package index

import (
	"slices"
	"testing"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
)

func TestShortBeginningsStandForTerms(t *testing.T) {
	for term, want := range map[string][]string{
		"na": nil, "nar": {"n\x02ar"}, "nare": {"n\x02ar", "n\x02are"}, "narena": {"n\x02ar", "n\x02are"},
		"nécole": {"n\x02éc", "n\x02éco"}, "e": nil,
	} {
		var got []string
		shortTerms(term, func(short string) { got = append(got, short) })
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", term, got, want)
		}
	}
	for s, want := range map[span]span{
		beginning("nar"): exactly("n\x02ar"), beginning("nare"): exactly("n\x02are"), beginning("narea"): beginning("narea"),
		exactly("nar"): exactly("nar"), beginning("néc"): exactly("n\x02éc"),
	} {
		if got := s.stored(); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestBlocksGiveWhatWasPutIn(t *testing.T) {
	terms := map[string][]uint64{}
	for i := range uint64(3000) {
		for _, term := range []string{"c" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)), "nall", "t" + string(rune(0x600+i))} {
			terms[term] = append(terms[term], i*i+7)
		}
	}
	var blocks []block
	into := builder{done: func(b block) error { blocks = append(blocks, b); return nil }}
	for _, p := range sorted(terms) {
		if err := into.add(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := into.end(); err != nil {
		t.Fatal(err)
	}
	got := map[string][]uint64{}
	for i, b := range blocks {
		all := roaring.New()
		if i > 0 && b.first <= blocks[i-1].last || b.first > b.last {
			t.Errorf("block %d from %q to %q comes behind %q", i, b.first, b.last, blocks[i-1].last)
		}
		err := b.decode(everything, func(p posting) {
			if p.many != nil {
				p.positions = p.many.ToArray()
			}
			got[p.term] = p.positions
			all.AddMany(p.positions)
		})
		if bitmap, err2 := readBitmap(b.positions); err != nil || err2 != nil || !bitmap.Equals(all) {
			t.Errorf("block %d: %v, %v", i, err, err2)
		}
	}
	if len(got) != len(terms) || len(blocks) < 10 {
		t.Errorf("%d terms of %d in %d blocks", len(got), len(terms), len(blocks))
	}
	for term, positions := range terms {
		if !slices.Equal(got[term], positions) {
			t.Errorf("%q has %d positions, want %d", term, len(got[term]), len(positions))
		}
	}
}

// A block that a fault of the disk has changed is an error, not a wrong answer or a crash.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{0, 2, 'n', 'a', 1, 7, 1, 1, 'b', 1, 9})
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, contents []byte) {
		b := block{first: "a", last: "z", contents: contents}
		_ = b.decode(everything, func(p posting) {
			if len(p.positions) == 0 || len(p.positions) > ofItsOwn {
				t.Errorf("%q has %d positions", p.term, len(p.positions))
			}
		})
	})
}
