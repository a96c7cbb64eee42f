// Command answer says what OPA answers: for each line of its input, a set of modules with data and inputs as JSON, one line with what its
// compiler said, which blocks of the modules it let through, and the answer to each path for each input.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"runtime/debug"
)

// A set of modules, and what is asked of it.
type question struct {
	V0      bool     `json:"v0"`
	Modules []module `json:"modules"`
	Data    string   `json:"data"`
	Inputs  []string `json:"inputs"`
	Paths   []string `json:"paths"`
	// Builtins that fail end in errors.
	Strict bool `json:"strict"`
	// Every definition is tried.
	Plain bool `json:"plain"`
	// What is printed is part of the answer.
	Prints bool `json:"prints"`
}

// A text in parts: what must be there, and what can be left out.
type module struct {
	Name   string   `json:"name"`
	Head   string   `json:"head"`
	Blocks []string `json:"blocks"`
}

type result struct {
	Rounds []round `json:"rounds"`
	// By input, by path.
	Answers [][]answer `json:"answers"`
}

// Which blocks were compiled, by module, and what is wrong with them; nothing in the last round.
type round struct {
	Kept   [][]int  `json:"kept"`
	Errors []string `json:"errors"`
}

type answer struct {
	// As JSON; nothing when it is undefined.
	Value  string   `json:"value,omitempty"`
	Error  string   `json:"error,omitempty"`
	Prints []string `json:"prints,omitempty"`
}

func main() {
	// Its values are small and live for one set: to collect them less often takes a third less time.
	debug.SetGCPercent(1000)
	in := json.NewDecoder(bufio.NewReaderSize(os.Stdin, 1<<20))
	out := bufio.NewWriter(os.Stdout)
	for in.More() {
		var q question
		check(in.Decode(&q))
		compiler, rounds := compile(q)
		line, err := json.Marshal(result{Rounds: rounds, Answers: ask(q, compiler)})
		check(err)
		out.Write(append(line, '\n'))
		check(out.Flush())
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
