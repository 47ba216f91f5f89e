package devstack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// A stack can leave one service out, so that a person can start it from an editor or a debugger: Options.Without.

// checkWithout says whether the service can be left out.
func (o Options) checkWithout() error {
	switch {
	case o.Without == "":
		return nil
	case !slices.Contains(services, o.Without):
		return fmt.Errorf("%q cannot be left out: the services are %s", o.Without, strings.Join(services, ", "))
	case len(o.Regions) > 1:
		return fmt.Errorf("%s can be left out in a stack of one region, not of %d", o.Without, len(o.Regions))
	}
	return nil
}

// awaitWithout writes the environment of the service that is left out, says so, and waits until somebody has started it.
func (s *Stack) awaitWithout(ctx context.Context) error {
	service := s.options.Without
	if service == "" {
		return nil
	}
	path := filepath.Join(s.options.Folder, service+".env")
	address := s.home().services[service][0]
	environment := append(s.settings(s.home(), service), "AMS_LISTEN="+address)
	if err := writeEnvironment(path, environment); err != nil {
		return err
	}
	s.progress.logf("%s is left out. Everything waits until it is started with the environment in %s, for instance by", service, path)
	s.progress.line(fmt.Sprintf("\n    set -a; . %s; go run ./deploy/cmd/ams serve %s\n", path, service))
	for httpResponds(ctx, "http://"+address+"/readyz") != nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	s.progress.logf("%s is ready on %s, and is not started again when it ends", service, address)
	return nil
}

// writeEnvironment writes NAME='value' lines, which a shell and the editors' readers of such files understand. It has secrets.
func writeEnvironment(path string, environment []string) error {
	values := map[string]string{}
	var names []string
	for _, setting := range environment { // the last one of a name counts
		name, value, _ := strings.Cut(setting, "=")
		if _, known := values[name]; !known {
			names = append(names, name)
		}
		values[name] = value
	}
	var text strings.Builder
	for _, name := range names {
		fmt.Fprintf(&text, "%s='%s'\n", name, strings.ReplaceAll(values[name], "'", `'\''`))
	}
	return os.WriteFile(path, []byte(text.String()), 0o600)
}

// startServices starts those that are not left out, and waits for all.
func (s *Stack) startServices(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.runAll(ctx, serviceTier, s.serviceProcesses()) })
	group.Go(func() error { return s.awaitWithout(ctx) })
	return group.Wait()
}
