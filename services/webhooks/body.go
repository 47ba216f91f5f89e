package webhooks

import (
	"encoding/json"
	"strconv"
)

// maxBody limits the body of a delivery: many receivers refuse longer ones.
const maxBody = 256 << 10

// eventData is the part of the payload that says what happened.
type eventData struct {
	Object   json.RawMessage `json:"object"`
	Changed  json.RawMessage `json:"changed"`
	Previous json.RawMessage `json:"previous"`
}

// eventActor identifies who made the change.
type eventActor struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// eventPayload is the payload that a service wrote into its outbox.
type eventPayload struct {
	Data      eventData       `json:"data"`
	Actor     json.RawMessage `json:"actor"`
	Origin    json.RawMessage `json:"origin"`
	BulkID    json.RawMessage `json:"bulk_id"`
	RequestID json.RawMessage `json:"request_id"`
}

// body gives the event as subscribers see it. It is byte for byte the same for every delivery of the event.
//
//	{"id","type","timestamp","organization_id","sequence","data":{"object","changed","previous"},"actor","origin","bulk_id","request_id"}
//
// A body that would be longer than 256 KiB has "truncated": true, and "id", "collection" and "version" of the record in place of
// the object; when the previous values are too long as well, it lacks them too. A thin body has the ids of the record and of the
// actor only.
func (m message) body(thin bool) []byte { return m.bodyWithin(thin, maxBody) }

// bodyWithin gives the body for a place that has room for so many bytes.
func (m message) bodyWithin(thin bool, limit int) []byte {
	if !thin {
		if full := m.head(len(m.payload)); len(full)+len(m.payload)-1 <= limit {
			return append(full, m.payload[1:]...) // the payload's fields follow, in their order
		}
	}
	var p eventPayload
	if err := json.Unmarshal(m.payload, &p); err != nil { // the inbox stores valid payloads only
		p = eventPayload{}
	}
	if thin {
		var actor eventActor
		_ = json.Unmarshal(p.Actor, &actor) // as above
		p.Actor, _ = json.Marshal(actor)    // strings only: cannot fail
		return m.short(p, "")
	}
	data := `,"changed":` + text(p.Data.Changed, "[]")
	if previous := `,"previous":` + text(p.Data.Previous, "{}"); len(previous)+len(data) < limit-2048 {
		data += previous
	}
	return truncated(m.short(p, data))
}

// head gives the beginning of every body, with capacity for more bytes.
func (m message) head(more int) []byte {
	dst := make([]byte, 0, 256+more)
	dst = append(append(append(dst, `{"id":"`...), m.id...), `","type":"`...)
	dst = append(append(append(dst, m.eventType...), `","timestamp":"`...), m.at.UTC().Format(timestampFormat)...)
	dst = append(append(append(dst, `","organization_id":"`...), m.organizationID...), `","sequence":`...)
	if m.sequence == nil {
		dst = append(dst, "null"...)
	} else {
		dst = strconv.AppendInt(dst, *m.sequence, 10)
	}
	return append(dst, ',')
}

// timestampFormat is the format of all times in the API.
const timestampFormat = "2006-01-02T15:04:05.000000Z"

// short gives a body without the object. data follows the ids of the record.
func (m message) short(p eventPayload, data string) []byte {
	dst := m.head(512 + len(data))
	dst = append(append(append(dst, `"data":{"id":"`...), m.recordID...), `","collection":"`...)
	dst = append(append(append(dst, m.collection...), `","version":`...), strconv.Itoa(m.version)...)
	dst = append(append(append(dst, data...), `},"actor":`...), text(p.Actor, "null")...)
	dst = append(append(dst, `,"origin":`...), text(p.Origin, "null")...)
	dst = append(append(dst, `,"bulk_id":`...), text(p.BulkID, "null")...)
	dst = append(append(dst, `,"request_id":`...), text(p.RequestID, "null")...)
	return append(dst, '}')
}

// truncated adds "truncated": true to a body.
func truncated(body []byte) []byte {
	return append(body[:len(body)-1:len(body)-1], `,"truncated":true}`...)
}

func text(raw json.RawMessage, absent string) string {
	if raw == nil {
		return absent
	}
	return string(raw)
}
