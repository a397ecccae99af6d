package fakepi

// Sessions is where a worker finds the session files of others, for the commands that go to another session. A path is
// absolute. The error says why a file cannot be read; one that is not there is fs.ErrNotExist. A session goes on in its own working directory, if Exists finds that.
type Sessions interface {
	Read(path string) ([]byte, error)
	Exists(path string) bool
}
