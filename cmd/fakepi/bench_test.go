package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// build makes the program as it is installed: the test's own starts slower.
func build(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "fakepi")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// consumption is what runs of the program have printed and used.
type consumption struct {
	lines     int
	took, cpu time.Duration
	memory    int64 // the most that one had, in bytes
}

// one adds a run of the program in virtual time.
func (c *consumption) one(b *testing.B, program, script string) {
	b.Helper()
	cmd := exec.Command(program, "--mode", "json", "--no-session", "--fakepi-script", script, "go")
	cmd.Env = []string{"HOME=" + b.TempDir(), "FAKEPI_TIME=virtual"}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 1<<16)
	for {
		n, err := out.Read(buf)
		c.lines += bytes.Count(buf[:n], []byte("\n"))
		if err == io.EOF {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	unit := int64(1024)
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	c.took += time.Since(start)
	c.cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	c.memory = max(c.memory, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss*unit)
}

func scriptOf(b *testing.B, chunks int) string {
	b.Helper()
	name := filepath.Join(b.TempDir(), "script.txtar")
	text := fmt.Sprintf("0s prompt \"x\"\n+1s says \"w\" over 1000s chunks %d\n+0s settles\n", chunks)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	return name
}

// BenchmarkStart is a whole one-shot with a short reply, by the clock and in CPU time, which other work on the machine does
// not stretch; next to it a program that does nothing, and Node doing nothing.
func BenchmarkStart(b *testing.B) {
	program, script := build(b), scriptOf(b, 1)
	b.Run("fakepi", func(b *testing.B) {
		var c consumption
		for b.Loop() {
			c.one(b, program, script)
		}
		b.ReportMetric(float64(c.cpu.Microseconds())/1000/float64(b.N), "cpu-ms/op")
	})
	for _, other := range [][]string{{"true"}, {"node", "-e", ""}} {
		b.Run(other[0], func(b *testing.B) {
			path, err := exec.LookPath(other[0])
			if err != nil {
				b.Skip(err)
			}
			for b.Loop() {
				if err := exec.Command(path, other[1:]...).Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStream is a reply of many deltas through a pipe, each a write of its own: how many lines a second by the clock and
// of CPU time, and how much memory for a tenth of them and for all, of which the text itself takes some. Bare is this process
// writing as many lines of that length to a pipe.
func BenchmarkStream(b *testing.B) {
	program := build(b)
	for _, chunks := range []int{100_000, 1_000_000} {
		script := scriptOf(b, chunks)
		b.Run(fmt.Sprint(chunks), func(b *testing.B) {
			var c consumption
			for b.Loop() {
				c.one(b, program, script)
			}
			b.ReportMetric(float64(c.lines)/c.took.Seconds(), "lines/s")
			b.ReportMetric(float64(c.lines)/c.cpu.Seconds(), "lines/cpu-s")
			b.ReportMetric(float64(c.memory)/(1<<20), "MB")
		})
	}
	b.Run("bare", func(b *testing.B) {
		const lines = 1_000_000
		line := append(bytes.Repeat([]byte("x"), 240), '\n')
		var took time.Duration
		n := 0
		for b.Loop() {
			start := time.Now()
			r, w, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			go func() {
				defer w.Close()
				for range lines {
					w.Write(line)
				}
			}()
			scanner := bufio.NewScanner(r)
			for scanner.Scan() {
				n++
			}
			took += time.Since(start)
		}
		b.ReportMetric(float64(n)/took.Seconds(), "lines/s")
	})
}
