package requests

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"ams.internal/libs/seal"
)

// A form is filled in by a person in more than youngestForm, and in less than oldestForm.
const (
	youngestForm = 3 * time.Second
	oldestForm   = 24 * time.Hour
)

// stamps say when a form was given out. Nobody else can make one, and it is good for one link.
type stamps struct {
	keys seal.Keys
	now  func() time.Time
}

// give makes the stamp of a form for a link.
func (s stamps) give(token string) string {
	at := binary.BigEndian.AppendUint64(nil, uint64(s.now().UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(s.keys.Seal(at, []byte(token)))
}

// byPerson says whether a stamp was given out for the link, and as long ago as a person needs.
func (s stamps) byPerson(token, stamp string) bool {
	sealed, err := base64.RawURLEncoding.DecodeString(stamp)
	if err != nil {
		return false
	}
	at, opened := s.keys.Open(sealed, []byte(token))
	if !opened || len(at) != 8 {
		return false
	}
	age := s.now().Sub(time.UnixMilli(int64(binary.BigEndian.Uint64(at))))
	return age >= youngestForm && age <= oldestForm
}
