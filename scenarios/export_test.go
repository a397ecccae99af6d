package scenarios

// HeaderKeys lists the keys of the header.
func HeaderKeys() []string { return headerKeys() }
