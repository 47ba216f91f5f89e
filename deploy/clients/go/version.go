package ams

// Version is that of the product's release (deploy/ops/version.sh writes it); it goes out in the User-Agent.
const Version = "0.1.0"
