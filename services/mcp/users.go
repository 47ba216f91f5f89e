package main

import "context"

type listUsersArguments struct {
	Q      string   `json:"q"`
	Role   []string `json:"role" enum:"administrator,manager,technician,viewer,requester"`
	Status []string `json:"status" enum:"invited,active,suspended,removed"`
	pageArguments
}

var listUsers = define("context", tool{
	name: "list_users", title: "List users",
	description: "Members of the organization, for instance to assign work to.",
	scopes:      []string{"users:read"}, operations: []string{"GET /v1/users"},
	output: listOf(object(node{"id": text, "name": text, "email": text, "role": text, "status": text, "job_title": text, "department": text})),
}, func(ctx context.Context, call *toolCall, in *listUsersArguments) (any, error) {
	return call.search(ctx, users, call.query(in), in.pageArguments)
})
