package webhooks

import "strconv"

// The formats of what is sent.
const (
	formatAMS         = "ams"
	formatCloudEvents = "cloudevents"
)

// shape is where an endpoint wants its events, and how: the columns destination, format and payload.
type shape struct{ destination, format, payload string }

// ofAttributes is what the attributes of a message in a queue take at most of the room for its body.
const ofAttributes = 4 << 10

// room is how many bytes a body may have.
func (s shape) room() int {
	if s.destination == toSQS {
		return maxBody - ofAttributes
	}
	return maxBody
}

func (s shape) thin() bool { return s.payload == "thin" }

// content gives what is sent of an event, and its media type.
func (s shape) content(m message) (mediaType string, body []byte) {
	if s.format != formatCloudEvents {
		return "application/json", m.bodyWithin(s.thin(), s.room())
	}
	head := m.cloudEventHead()
	body = append(head, m.bodyWithin(s.thin(), s.room()-len(head)-1)...)
	return "application/cloudevents+json", append(body, '}')
}

// cloudEventHead begins the event in the JSON format of CloudEvents 1.0 (structured mode). Its data is the event as everybody else receives
// it, so that one schema describes both.
func (m message) cloudEventHead() []byte {
	head := make([]byte, 0, 512+len(m.payload))
	head = append(head, `{"specversion":"1.0","id":`...)
	head = strconv.AppendQuote(head, m.id)
	head = strconv.AppendQuote(append(head, `,"source":`...), "urn:uuid:"+m.organizationID)
	head = strconv.AppendQuote(append(head, `,"type":`...), m.eventType)
	head = strconv.AppendQuote(append(head, `,"subject":`...), m.collection+"/"+m.recordID)
	head = strconv.AppendQuote(append(head, `,"time":`...), m.at.UTC().Format(timestampFormat))
	return append(head, `,"datacontenttype":"application/json","data":`...)
}
