package scan

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"
)

// clamd does not tell its configuration. Unless AlertExceedsMax is set, it says OK to content over its limits as it does to clean content,
// and unless AlertEncrypted is, to what is encrypted. So a scanner is tried with content that no configuration can look into: packed more
// often than MaxRecursion can be (100), and an encrypted file in a ZIP. Both are small, and no signature is about them.
const packedTimes = 101

// Probe is nil when the scanner reports what it cannot look into. The error wraps ErrUnavailable, or ErrOverlooks and names the setting of
// clamd.conf that is missing.
func (s *Scanner) Probe(ctx context.Context) error {
	packed, err := packed(packedTimes)
	if err != nil {
		return err
	}
	locked, err := locked()
	if err != nil {
		return err
	}
	for _, probe := range []struct {
		content          []byte
		expects, setting string
	}{
		{packed, limitsExceeded, "AlertExceedsMax yes"},
		{locked, encrypted, "AlertEncrypted yes"},
	} {
		verdict, err := s.Scan(ctx, bytes.NewReader(probe.content), int64(len(probe.content)))
		if err != nil {
			return err
		}
		if verdict.State != Unscannable || !strings.HasPrefix(verdict.Detail, probe.expects) {
			return fmt.Errorf("%w: set %q in clamd.conf", ErrOverlooks, probe.setting)
		}
	}
	return nil
}

// packed is a byte in gzip in gzip and so on.
func packed(times int) ([]byte, error) {
	content := []byte{'a'}
	for range times {
		var around bytes.Buffer
		w := gzip.NewWriter(&around)
		if _, err := w.Write(content); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		content = around.Bytes()
	}
	return content, nil
}

// locked is a ZIP with a file whose header says that it is encrypted (general purpose bit 0 [APPNOTE.TXT 4.4.4]). The key does not matter:
// nobody opens it.
func locked() ([]byte, error) {
	var content bytes.Buffer
	w := zip.NewWriter(&content)
	file, err := w.CreateRaw(&zip.FileHeader{Name: "a", Method: zip.Store, Flags: 1, CompressedSize64: 32, UncompressedSize64: 20})
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(file, strings.Repeat("a", 32)); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return content.Bytes(), nil
}
