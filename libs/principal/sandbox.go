package principal

// version is where a UUID's text has the digit of its version.
const version = 14

// SandboxOf gives the id of the sandbox of an organization: the organization's own id as a UUID of version 8, where organizations have
// version 7. So an organization has one sandbox at most, and whoever sees an id knows which of the two it is. A sandbox has none: it
// gives an empty text, as does what is no UUID.
func SandboxOf(organization string) string {
	if len(organization) != 36 || IsSandbox(organization) {
		return ""
	}
	return organization[:version] + "8" + organization[version+1:]
}

// IsSandbox says whether an organization is a sandbox. The database's is_sandbox says the same.
func IsSandbox(organization string) bool {
	return len(organization) == 36 && organization[version] == '8'
}
