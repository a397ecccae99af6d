package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/benbjohnson/clock"
	"github.com/spf13/cobra"

	"fakepi.example/fakepi/script"
	"fakepi.example/internal/fakepi/model"
	"fakepi.example/scenarios"
)

// modelName is the command of the model endpoint.
const modelName = "model"

// modelOptions are the flags of model.
type modelOptions struct {
	script, listen, dir, log string
	once, json               bool
	config                   model.Config
	clientRetries            int
}

func modelCommand() *cobra.Command {
	var o modelOptions
	cmd := &cobra.Command{
		Use:   modelName + " --script FILE",
		Short: "Serve the model's half of a script to a real Pi",
		Long: `Serve the model's half of a script to a real Pi: a model endpoint in the form of OpenAI's chat completions and of
Anthropic's messages, on this machine alone. Each request of Pi gets the script's next reply, at the script's times counted
from the request; summaries for a compaction are told apart. A request that the script does not know gets a short reply.

The first line of standard output is the address, "http://127.0.0.1:PORT", or with --json an object with "url". The
command serves until SIGINT or SIGTERM, or with --once until every reply was sent. The file - is standard
input; a pipe, such as <(...), is read to its end.

--write-config writes an agent folder with which Pi asks this endpoint:
  PI_CODING_AGENT_DIR=DIR pi --mode json "hello"
The delay of Pi's first retry, the model's name and whether it thinks are then those of the script.

Exit status: 0 every reply was sent, or stopped by SIGTERM or SIGINT; 1 the script has problems; 3 wrong usage, a file or
folder that cannot be read or written, or an address that cannot be listened on.`,
		Example: "  fakepi model --script demo.txtar --listen 127.0.0.1:8080\n  fakepi model --script demo.txtar --write-config /tmp/agent --once --log requests.jsonl",
		Args:    usage(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return serveModel(cmd, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.script, "script", "", "the script")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "address of this machine; port 0 takes a free one")
	f.StringVar(&o.dir, "write-config", "", "agent folder to write for Pi")
	f.StringVar(&o.log, "log", "", "file for what Pi asks and is sent, a JSON object a line")
	f.BoolVar(&o.once, "once", false, "end when every reply was sent")
	f.BoolVar(&o.json, "json", false, "print the address as JSON")
	f.StringVar((*string)(&o.config.API), "api", string(model.OpenAI), "how Pi asks: "+string(model.OpenAI)+" or "+string(model.Anthropic))
	f.Int64Var(&o.config.ContextWindow, "context-window", 0, "tokens of the model's context (default: the fake's)")
	f.DurationVar(&o.config.RetryDelay, "retry-delay", 0, "Pi's delay before its first retry (default: the script's, or Pi's)")
	f.IntVar(&o.clientRetries, "library-retries", 0, "hidden retries of Pi's client library (default: Pi's)")
	f.DurationVar(&o.config.IdleTimeout, "idle-timeout", 0, "after which Pi gives up a silent response (default: Pi's)")
	f.Int64Var(&o.config.ReserveTokens, "reserve-tokens", 0, "free tokens below which Pi compacts (default: Pi's)")
	f.Int64Var(&o.config.KeepRecentTokens, "keep-recent-tokens", 0, "tokens that a compaction keeps (default: Pi's)")
	complete(cmd, "api", string(model.OpenAI), string(model.Anthropic))
	return cmd
}

var (
	errNoScript = errors.New("--script is needed")
	errAPI      = fmt.Errorf("--api must be %s or %s", model.OpenAI, model.Anthropic)
	errNegative = errors.New("times and numbers must be 0 or more")
)

func (o modelOptions) check() error {
	c := o.config
	switch {
	case o.script == "":
		return errNoScript
	case c.API != model.OpenAI && c.API != model.Anthropic:
		return errAPI
	case min(c.ContextWindow, c.ReserveTokens, c.KeepRecentTokens, int64(c.RetryDelay), int64(c.IdleTimeout), int64(o.clientRetries)) < 0:
		return errNegative
	}
	return nil
}

func serveModel(cmd *cobra.Command, o modelOptions) error {
	if cmd.Flags().Changed("library-retries") {
		o.config.LibraryRetries = &o.clientRetries
	}
	if err := o.check(); err != nil {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	steps, replies, err := o.read(cmd)
	if err != nil {
		return err
	}
	l, err := model.Listen(o.listen)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := o.writeConfig(steps, l); err != nil {
		return err
	}
	out, err := o.openLog()
	if err != nil {
		return err
	}
	if err := o.printAddress(cmd.OutOrStdout(), l); err != nil {
		return err
	}
	server := model.NewServer(replies, clock.New(), out)
	serve := server.Serve
	if o.once {
		serve = server.ServeOnce
	}
	err = serve(cmd.Context(), l)
	if closer, ok := out.(io.Closer); ok {
		err = errors.Join(err, closer.Close())
	}
	return err
}

// read reads the script and makes the model's replies of it.
func (o modelOptions) read(cmd *cobra.Command) ([]script.Step, []model.Reply, error) {
	src, err := readSource(o.script, cmd.InOrStdin())
	if err != nil {
		return nil, nil, err
	}
	if scenarios.Is(src.data) {
		return nil, nil, fmt.Errorf("%s: %w", src.name, errScenario)
	}
	s, errs := src.script()
	if len(errs) > 0 {
		return nil, nil, problemsTold(report(cmd.ErrOrStderr(), errs))
	}
	steps := s.For(script.DefaultActor)
	replies, err := model.Compile(steps, s.Files)
	return steps, replies, err
}

func urlOf(l net.Listener) string { return "http://" + l.Addr().String() }

func (o modelOptions) writeConfig(steps []script.Step, l net.Listener) error {
	if o.dir == "" {
		return nil
	}
	c := o.config
	c.URL = urlOf(l)
	own := model.ConfigOf(steps)
	c.Model, c.Thinks = own.Model, own.Thinks
	if c.RetryDelay == 0 {
		c.RetryDelay = own.RetryDelay
	}
	return c.Write(o.dir)
}

// openLog opens the log; without one it is nil.
func (o modelOptions) openLog() (io.Writer, error) {
	if o.log == "" {
		return nil, nil
	}
	return os.OpenFile(o.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
}

func (o modelOptions) printAddress(w io.Writer, l net.Listener) error {
	if !o.json {
		_, err := fmt.Fprintln(w, urlOf(l))
		return err
	}
	return json.NewEncoder(w).Encode(struct {
		URL string `json:"url"`
	}{urlOf(l)})
}
