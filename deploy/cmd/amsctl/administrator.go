package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

// signIn holds what commands ask for that act as an Administrator of the organization, not as the operator.
type signIn struct {
	*session
	email        string
	organization string
	test         bool // the organization's sandbox is meant
}

// declare gives a group of commands the flags of the sign-in.
func (a *signIn) declare(group *cobra.Command) {
	group.PersistentFlags().StringVar(&a.email, "email", "", "e-mail address of an Administrator")
	group.PersistentFlags().StringVar(&a.organization, "organization", "", "the organization's id, when the address belongs to several")
}

// declareTest gives a group of commands the flag for the sandbox.
func (a *signIn) declareTest(group *cobra.Command) {
	group.PersistentFlags().BoolVar(&a.test, "test", false, "of the organization's sandbox, whose keys begin with ams_test_")
}

// authorize signs in; organization is the path of the Administrator's own.
func (a *signIn) authorize(cmd *cobra.Command) (client *ams.Client, organization string, err error) {
	if client, err = a.anonymous(); err != nil {
		return nil, "", err
	}
	if a.email == "" {
		return nil, "", errors.New("give the e-mail address of an Administrator with --email")
	}
	password, err := a.promptPassword("Password of " + a.email)
	if err != nil {
		return nil, "", err
	}
	if password == "" {
		return nil, "", errors.New("set AMS_PASSWORD to the Administrator's password, or run this at a terminal to be asked for it")
	}
	credentials := map[string]string{"email": a.email, "password": password}
	if a.organization != "" {
		credentials["organization_id"] = a.organization
	}
	var signedIn struct {
		Session      string `json:"session"`
		Organization struct {
			ID string `json:"id"`
		} `json:"organization"`
	}
	if err := client.Request(cmd.Context(), ams.Request{Method: http.MethodPost, Path: "/internal/sign-in", Body: credentials},
		&signedIn); err != nil {
		return nil, "", fmt.Errorf("sign in as %s: %w", a.email, err)
	}
	client.Key = signedIn.Session
	return client, "/internal/organizations/" + url.PathEscape(signedIn.Organization.ID), nil
}

// callOrganization signs in, makes one call about the organization and shows the response; the request's path begins after the
// organization.
func (a *signIn) callOrganization(cmd *cobra.Command, request ams.Request, columns []column) error {
	client, organization, err := a.authorize(cmd)
	if err != nil {
		return err
	}
	if a.test {
		var sandbox struct {
			ID string `json:"id"`
		}
		if err := client.Request(cmd.Context(), ams.Request{Method: http.MethodGet, Path: organization + "/sandbox"}, &sandbox); err != nil {
			return err
		}
		organization = "/internal/organizations/" + url.PathEscape(sandbox.ID)
	}
	request.Path = organization + request.Path
	return a.call(cmd, client, request, columns)
}

// given makes a query of name, value pairs, without those that have no value.
func given(pairs ...string) url.Values {
	query := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	return query
}
