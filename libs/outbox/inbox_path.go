package outbox

// InboxPath is where the webhooks service takes the events that relays publish, each once.
const InboxPath = "/internal/events"
