package throughput_test

import (
	"errors"
	"testing"
	"time"

	"ams.internal/libs/throughput"
)

func TestOnlyWhoIsSlowOverAWholeWindowIsTooSlow(t *testing.T) {
	type piece struct {
		bytes int
		spent time.Duration
	}
	many := func(of piece, times int) (pieces []piece) {
		for range times {
			pieces = append(pieces, of)
		}
		return pieces
	}
	for name, row := range map[string]struct {
		pieces []piece
		slow   bool
	}{
		"exactly the least":                      {many(piece{1000, time.Second}, 90), false},
		"one byte less in each second":           {many(piece{999, time.Second}, 90), true},
		"less than a window":                     {many(piece{0, time.Second}, 29), false},
		"nothing for a window":                   {[]piece{{0, 30 * time.Second}}, true},
		"a rest between pieces that took time":   {append(many(piece{2000, time.Second}, 15), many(piece{0, time.Second}, 15)...), false},
		"slow after a window that was fast":      {append(many(piece{9000, time.Second}, 30), many(piece{10, time.Second}, 30)...), true},
		"much at once, for which no time passed": {many(piece{1 << 20, 0}, 1000), false},
	} {
		m := &throughput.Minimum{BytesPerSecond: 1000, Window: 30 * time.Second}
		var err error
		for _, of := range row.pieces {
			if err = m.Took(of.bytes, of.spent); err != nil {
				break
			}
		}
		var slow *throughput.TooSlow
		if errors.As(err, &slow) != row.slow {
			t.Errorf("%s: %v", name, err)
		}
	}
}
