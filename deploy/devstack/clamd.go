package devstack

import (
	"context"
	"os"
	"path/filepath"
	"syscall"

	"ams.internal/libs/clamd"
)

// startScanner starts a private clamd, which all instances in all regions use. It knows the EICAR test file and nothing else; a clamd
// with ClamAV's signatures is given in AMS_DOCUMENTS_SCANNER.
func (s *Stack) startScanner(ctx context.Context) error {
	if s.scannerURL = s.options.ScannerURL; s.scannerURL != "" {
		return nil // documents wait for one that does not answer
	}
	program, err := clamd.Program()
	if err != nil {
		return err
	}
	address, err := s.ports.free("127.0.0.1")
	if err != nil {
		return err
	}
	folder := filepath.Join(s.options.Folder, "clamd")
	configuration, err := clamd.Configure(folder, address)
	if err != nil {
		return err
	}
	err = s.run(ctx, infrastructureTier, &process{
		name: "clamd", program: program, arguments: []string{"--config-file", configuration}, environment: os.Environ(), directory: folder,
		address: address, ready: func(ctx context.Context) error { return clamd.Responds(ctx, address) },
		stopSignal: syscall.SIGTERM, deathSignal: syscall.SIGKILL,
		logPath: filepath.Join(s.logs, "clamd.log"),
	})
	if err != nil {
		return err
	}
	s.scannerURL = "tcp://" + address
	s.progress.logf("clamd is ready on %s: it finds the EICAR test file alone", address)
	return nil
}
