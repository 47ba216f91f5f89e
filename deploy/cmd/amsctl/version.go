package main

import (
	"runtime/debug"

	ams "ams.internal/clients/go"
)

// release is set by the build of an image, which has no repository: -ldflags "-X main.release=1.2.3".
var release string

// version is the release and the commit that amsctl was built from, as far as they are known.
func version() string {
	text := release
	if text == "" {
		text = ams.Version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return text
	}
	var commit, changed string
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			commit = setting.Value[:min(12, len(setting.Value))]
		case setting.Key == "vcs.modified" && setting.Value == "true":
			changed = ", with changes"
		}
	}
	if commit == "" {
		commit = "unknown"
	}
	return text + " (commit " + commit + changed + ", " + info.GoVersion + ")"
}
