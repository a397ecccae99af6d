package world

// Choice is one point of a history at which it could have gone another way.
type Choice struct {
	N      int    // how many ways there were, at least 2
	Picked int    // from 0
	Label  string // what was chosen among
}

// Chooser makes the choices of one history by a vector: the i-th choice takes the i-th number, and 0 behind the
// vector's end. The history of the empty vector is the base history.
type Chooser struct {
	vector []int
	taken  []Choice
	stray  bool
}

// NewChooser returns a chooser that follows a vector.
func NewChooser(vector []int) *Chooser { return &Chooser{vector: vector} }

// Choose picks one of n ways; a choice of one way is none. A number of the vector that is out of range counts as 0 and
// is remembered as stray.
func (c *Chooser) Choose(n int, label string) int {
	if n < 2 {
		return 0
	}
	picked := 0
	if i := len(c.taken); i < len(c.vector) {
		picked = c.vector[i]
	}
	if picked < 0 || picked >= n {
		picked, c.stray = 0, true
	}
	c.taken = append(c.taken, Choice{N: n, Picked: picked, Label: label})
	return picked
}

// Taken lists the choices so far.
func (c *Chooser) Taken() []Choice { return c.taken }

// Fits reports whether the history had every choice that the vector speaks of: it does not if the scenario, the world
// or the subject is another than the one that the vector was made for.
func (c *Chooser) Fits() bool { return !c.stray && len(c.vector) <= len(c.taken) }
