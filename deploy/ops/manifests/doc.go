// Package manifests tests docker-compose.yml and k8s/ against the programs and the product's promises. It has nothing but tests, and
// a module of its own, so that the libraries which read these files do not mix with the product's dependencies.
package manifests
