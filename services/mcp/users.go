package main

import "context"

type listUsersArguments struct {
	Q      string   `json:"q" doc:"Text in name, e-mail or employee number."`
	Role   []string `json:"role" enum:"administrator,manager,technician,viewer,requester"`
	Status []string `json:"status" enum:"invited,active,suspended,removed"`
	page
}

var listUsers = define(tool{
	name: "list_users", title: "List users",
	description: "Members of the organization, for instance to assign work to.",
	scopes:      []string{"users:read"}, operations: []string{"GET /v1/users"},
	output: listOf(object(node{"id": text, "name": text, "email": text, "role": text, "status": text, "job_title": text, "department": text})),
}, func(ctx context.Context, u *use, in *listUsersArguments) (any, error) {
	return u.search(ctx, users, u.query(in), in.page)
})
