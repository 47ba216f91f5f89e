// Package users is what the users service does for our other programs: the contracts of its internal operations. Callers that are none of
// our own services get a 403, unless a contract says who may call besides.
package users

import "ams.internal/libs/reference"

const owner = "users"

var (
	// SignIn gives the user and their organization; 401 sign_in_failed for a wrong password, an unknown e-mail address and a user who is
	// not active alike, in the same time; 409 organization_required, with the organizations' ids in allowed, where e-mail address and password
	// fit users of several. The calling service limits attempts.
	SignIn = reference.Contract[Credentials, SignedIn]{Owner: owner, Path: "/users/sign-in", Repeatable: true}

	// Session gives the user of a session as they are now; 401 session_ended for one who is not active any more, or whose password was
	// changed after the session began. A user may call it too.
	Session = reference.Contract[SessionRequest, SignedIn]{Owner: owner, Path: "/users/session", Repeatable: true}

	// FindState is for services that are about to record the user as responsible for something: name, role and status, unless they are
	// being changed at this moment, which is a 503 user_changing. A user may call it too.
	FindState = reference.Contract[UserRequest, State]{Owner: owner, Path: "/users/standing", Repeatable: true}

	// ChangePassword is for the user's own session or a service of ours. 401 wrong_password, 400 naming new_password, 429 password_slowed. All
	// sessions that began before changed_at end.
	ChangePassword = reference.Contract[PasswordChange, ChangedPassword]{Owner: owner, Path: "/users/password"}

	// Invite makes a token for the first password of a user, for an Administrator of the organization. It is valid once, for seven days;
	// another one for the same user replaces it.
	Invite = reference.Contract[InvitationRequest, CreatedInvitation]{Owner: owner, Path: "/users/invitations"}

	// FindInvitation and SetFirstPassword are for somebody who is not signed in and has such a token.
	FindInvitation   = reference.Contract[TokenRequest, Invitation]{Owner: owner, Path: "/users/invitation", Repeatable: true}
	SetFirstPassword = reference.Contract[FirstPassword, UserWithPassword]{Owner: owner, Path: "/users/first-password"}

	// CreateAdministrator makes an organization's first active administrator, who can sign in at once. 409 administrator_exists when there is
	// one, 409 already_exists when the e-mail address is taken.
	CreateAdministrator = reference.Contract[AdministratorRequest, CreatedAdministrator]{Owner: owner, Path: "/users/administrators"}

	// Forgettable names removed users who are not forgotten yet, FindPerson gives one, and Forget erases the record itself when everything
	// else is erased.
	Forgettable = reference.Contract[ForgettableRequest, ForgettableUsers]{Owner: owner, Path: "/users/forgettable", Repeatable: true}
	FindPerson  = reference.Contract[PersonRequest, Person]{Owner: owner, Path: "/users/person", Repeatable: true}
	Forget      = reference.Contract[UserRequest, Forgotten]{Owner: owner, Path: "/users/forget"}
)
