// Package mcp is what the mcp service does for the settings screens: the contracts of its internal operations.
package mcp

import "ams.internal/libs/reference"

const owner = "mcp"

var (
	// Connections are the assistants that are connected, the newest first. They are for Administrators.
	Connections = reference.Contract[struct{}, ConnectionList]{Owner: owner, Path: "/grants/list", Repeatable: true}

	// EndConnection disconnects an assistant. A connection that has ended already is no error.
	EndConnection = reference.Contract[ConnectionID, ConnectionID]{Owner: owner, Path: "/grants/end", Repeatable: true}
)

// Connection is an assistant that is connected.
type Connection struct {
	ID          string  `json:"id"`
	Client      string  `json:"client"`
	Host        string  `json:"host"`
	KeyID       string  `json:"key_id"`
	KeyName     string  `json:"key_name"`
	ReadOnly    bool    `json:"read_only"`
	ConnectedAt string  `json:"connected_at"`
	LastUsedAt  *string `json:"last_used_at"`
}

// ConnectionList has the connections of an organization.
type ConnectionList struct {
	Data []Connection `json:"data"`
}

// ConnectionID names a connection.
type ConnectionID struct {
	ID string `json:"id" required:"true" format:"uuid"`
}
