package script

// Usage is a verb's grammar in one line.
func Usage(name string) string {
	v, _ := verbOf(name)
	return v.usage()
}
