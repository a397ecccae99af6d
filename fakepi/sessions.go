package fakepi

// Sessions is the file system as far as commands need it that go to another session, or write one as a page. Errors have the
// texts that Node gives them, and are told to the client.
type Sessions interface {
	// Path is what Pi takes a path for that a client names; one that is not absolute is under the working directory of
	// the process.
	Path(named string) string
	// Read reads the session file of an absolute path. One that is not there is fs.ErrNotExist.
	Read(path string) ([]byte, error)
	// Exists reports whether there is anything of that name: a session goes on in its own working directory, if that exists.
	Exists(path string) bool
	// MakeFolder makes a folder and those above it, unless there is something of that name.
	MakeFolder(path string) error
	// Export writes the page of a session.
	Export(path string, page []byte) error
}
