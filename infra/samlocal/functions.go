package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// function is one of the template, by its name there and by its folder.
type function struct {
	id, folder string
	// routes are its methods and paths, none for a job.
	routes []route
}

type route struct{ method, path string }

// makers are the functions that make what others are asked about, in their order.
var makers = []string{"create-agent", "activation", "put-webhook"}

// readFunctions reads the functions of a template in the order in which they can be tried: an agent is made before it is asked about.
func readFunctions(source []byte) ([]function, error) {
	var template struct {
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(source, &template); err != nil {
		return nil, fmt.Errorf("template.yaml: %w", err)
	}
	var all []function
	for id, resource := range template.Resources {
		if resource.Type != "AWS::Serverless::Function" {
			continue
		}
		var properties struct {
			CodeURI string `yaml:"CodeUri"`
			Events  map[string]struct {
				Type       string `yaml:"Type"`
				Properties struct {
					Method string `yaml:"Method"`
					Path   string `yaml:"Path"`
				} `yaml:"Properties"`
			} `yaml:"Events"`
		}
		if err := resource.Properties.Decode(&properties); err != nil {
			return nil, fmt.Errorf("template.yaml: %s: %w", id, err)
		}
		f := function{id: id, folder: filepath.Base(properties.CodeURI)}
		for _, e := range properties.Events {
			if e.Type == "HttpApi" {
				f.routes = append(f.routes, route{e.Properties.Method, e.Properties.Path})
			}
		}
		slices.SortFunc(f.routes, func(a, b route) int { return strings.Compare(b.path, a.path) })
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b function) int {
		first, second := slices.Index(makers, a.folder), slices.Index(makers, b.folder)
		switch {
		case first >= 0 && (second < 0 || first < second):
			return -1
		case second >= 0 && first != second:
			return 1
		}
		return strings.Compare(a.folder, b.folder)
	})
	return all, nil
}

// architecture is this machine's processor as the template names it.
func architecture() string {
	return map[string]string{"amd64": "x86_64", "arm64": "arm64"}[runtime.GOARCH]
}

// checkBinaries makes sure that every function has a binary that runs here.
func checkBinaries(functions []function) error {
	want := map[string]elf.Machine{"x86_64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[architecture()]
	for _, f := range functions {
		path := filepath.Join("build", f.folder, "bootstrap")
		binary, err := elf.Open(path)
		if err == nil {
			err = errors.Join(binary.Close(), nil)
			if err == nil && binary.Machine != want {
				err = fmt.Errorf("it is for %v", binary.Machine)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w; run make build ARCHITECTURE=%s first", path, err, architecture())
		}
	}
	return nil
}
