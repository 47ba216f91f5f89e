package ams

//go:generate ../../tools/clients.sh go

// Types of records are made from the API's document, and are not in the repository. This is the first line of the package that a
// compiler reads: where they are missing, the name says what to do.
type _ runMakeBuildFirst
