package recovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// A case's approvals and events are files of JSON lines. A last line without its end is torn: whoever wrote it was killed,
// and has done nothing on the strength of it, since a line counts from when it is durable.

// readLines reads the whole lines of a file; a torn one is passed over. A file that is not there has none.
func readLines(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data[:bytes.LastIndexByte(data, '\n')+1], err
}

// appendLine adds one JSON line to a file in one write, and makes it durable. A torn line before it is cut off.
func appendLine(file string, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	alone := flock.New(file, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600)) // what is torn is nobody's work in progress
	if err := alone.Lock(); err != nil {
		return err
	}
	defer alone.Unlock()
	whole, err := readLines(file)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = f.Truncate(int64(len(whole)))
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	return errors.Join(err, f.Sync(), f.Close())
}
