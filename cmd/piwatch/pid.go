package main

import (
	"errors"
	"strconv"
)

// pid is the value of a flag that names a process; 0 where it was not given.
type pid int

func (p *pid) String() string { return strconv.Itoa(int(*p)) }

func (p *pid) Type() string { return "pid" }

func (p *pid) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("a pid is a number from 1 on")
	}
	*p = pid(n)
	return nil
}
