package watchdog

import "time"

type commandJSON struct {
	Key        string      `json:"key"`
	Kind       CommandKind `json:"kind"`
	Worker     string      `json:"worker,omitempty"`
	Generation int         `json:"generation,omitempty"`
	Cause      Cause       `json:"cause,omitzero"`
	Evidence   []int       `json:"evidence,omitempty"`
	Text       string      `json:"text,omitempty"`
	What       What        `json:"what,omitempty"`
	Stream     Stream      `json:"stream,omitempty"`
	ToolCall   string      `json:"tool_call,omitempty"`
	Input      blob        `json:"input,omitempty"`
	Item       string      `json:"item,omitempty"`
	Act        CommandKind `json:"act,omitempty"`
	Session    string      `json:"session,omitempty"`
	Snapshot   string      `json:"snapshot,omitempty"`
	Token      string      `json:"token,omitempty"`
	Target     *Target     `json:"target,omitempty"`
	IfGen      int         `json:"if_gen,omitempty"`
	IfDigest   string      `json:"if_digest,omitempty"`
	NotAfter   time.Time   `json:"not_after,omitzero"`
}

// MarshalJSON implements json.Marshaler. Input has the form of Bytes.Data.
func (c Command) MarshalJSON() ([]byte, error) {
	return encode(commandJSON{
		c.Key, c.Kind, c.Worker, c.Generation, c.Cause, c.Evidence, c.Text, c.What, c.Stream, c.ToolCall, c.Input,
		c.Item, c.Act, c.Session, c.Snapshot, c.Token, c.Target, c.IfGen, c.IfDigest, c.NotAfter,
	})
}

// UnmarshalJSON implements json.Unmarshaler. Its errors wrap ErrJSON.
func (c *Command) UnmarshalJSON(data []byte) error {
	var j commandJSON
	if err := decode("command", data, &j); err != nil {
		return err
	}
	*c = Command{
		j.Key, j.Kind, j.Worker, j.Generation, j.Cause, j.Evidence, j.Text, j.What, j.Stream, j.ToolCall, j.Input,
		j.Item, j.Act, j.Session, j.Snapshot, j.Token, j.Target, j.IfGen, j.IfDigest, j.NotAfter,
	}
	return nil
}

type evidenceJSON struct {
	N          int    `json:"n"`
	Age        millis `json:"age_ms"`
	Generation int    `json:"generation,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (e Evidence) MarshalJSON() ([]byte, error) {
	return encode(evidenceJSON{e.N, millis(e.Age), e.Generation})
}

// UnmarshalJSON implements json.Unmarshaler. Its errors wrap ErrJSON.
func (e *Evidence) UnmarshalJSON(data []byte) error {
	var j evidenceJSON
	if err := decode("evidence", data, &j); err != nil {
		return err
	}
	*e = Evidence{j.N, time.Duration(j.Age), j.Generation}
	return nil
}

type verdictJSON struct {
	Worker     string      `json:"worker"`
	Generation int         `json:"generation,omitempty"`
	Name       VerdictName `json:"name"`
	Status     Status      `json:"status"`
	Since      millis      `json:"since_ms"`
	Cause      Cause       `json:"cause,omitzero"`
	Evidence   []Evidence  `json:"evidence,omitempty"`
	Vetoes     []string    `json:"vetoes,omitempty"`
	Next       millis      `json:"next_ms"`
	Flags      []Flag      `json:"flags,omitempty"`
	Detail     *Detail     `json:"detail,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (v Verdict) MarshalJSON() ([]byte, error) {
	j := verdictJSON{
		v.Worker, v.Generation, v.Name, v.Status, millis(v.Since), v.Cause, v.Evidence, v.Vetoes, millis(v.Next),
		v.Flags, &v.Detail,
	}
	if v.Detail.empty() {
		j.Detail = nil
	}
	return encode(j)
}

// UnmarshalJSON implements json.Unmarshaler. Its errors wrap ErrJSON.
func (v *Verdict) UnmarshalJSON(data []byte) error {
	j := verdictJSON{Detail: &Detail{}}
	if err := decode("verdict", data, &j); err != nil {
		return err
	}
	*v = Verdict{
		j.Worker, j.Generation, j.Name, j.Status, time.Duration(j.Since), j.Cause, j.Evidence, j.Vetoes,
		time.Duration(j.Next), j.Flags, *j.Detail,
	}
	return nil
}

func (d *Detail) empty() bool {
	return len(d.Calls) == 0 && d.Holder == 0 && d.Terminal == 0 && d.Until.IsZero() && d.Credential == "" &&
		d.Dialog == "" && d.Reason == "" && !d.DeadChain && d.StopReason == ""
}

type decisionJSON struct {
	Commands []Command `json:"commands,omitempty"`
	Verdicts []Verdict `json:"verdicts,omitempty"`
	Wake     millis    `json:"wake_ms"`
	Ack      int       `json:"ack"`
}

// MarshalJSON implements json.Marshaler.
func (d Decision) MarshalJSON() ([]byte, error) {
	return encode(decisionJSON{d.Commands, d.Verdicts, millis(d.Wake), d.Ack})
}

// UnmarshalJSON implements json.Unmarshaler. Its errors wrap ErrJSON.
func (d *Decision) UnmarshalJSON(data []byte) error {
	var j decisionJSON
	if err := decode("decision", data, &j); err != nil {
		return err
	}
	*d = Decision{j.Commands, j.Verdicts, time.Duration(j.Wake), j.Ack}
	return nil
}

type bootJSON struct {
	Policy      Policy   `json:"policy"`
	Incarnation int      `json:"incarnation"`
	Now         Instant  `json:"now"`
	Roster      []Worker `json:"roster,omitempty"`
	Spawner     Spawner  `json:"spawner,omitempty"`
	OwnerKey    []byte   `json:"owner_key,omitempty"`
	Poll        millis   `json:"poll_ms"`
}

// MarshalJSON implements json.Marshaler. State stays behind: it is a means, not a value.
func (b Boot) MarshalJSON() ([]byte, error) {
	return encode(bootJSON{b.Policy, b.Incarnation, b.Now, b.Roster, b.Spawner, b.OwnerKey, millis(b.Poll)})
}

// UnmarshalJSON implements json.Unmarshaler and leaves State as it is. Its errors wrap ErrJSON.
func (b *Boot) UnmarshalJSON(data []byte) error {
	var j bootJSON
	if err := decode("boot", data, &j); err != nil {
		return err
	}
	*b = Boot{j.Policy, j.Incarnation, j.Now, j.Roster, j.Spawner, j.OwnerKey, b.State, time.Duration(j.Poll)}
	return nil
}
