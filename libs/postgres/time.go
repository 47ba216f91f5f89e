package postgres

// TimeText is an SQL expression of type timestamptz as the API writes it.
func TimeText(expression string) string {
	return "to_char(" + expression + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}
