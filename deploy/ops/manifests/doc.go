// Package manifests holds docker-compose.yml and k8s/ against what the programs are and what we promise of them. It
// has nothing but tests, and a module of its own, so that the libraries which read these files do not mix with what
// the product depends on.
package manifests
