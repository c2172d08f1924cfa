package signer

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// refusing are the sections of the documentation about refusals. The others are about the errors of operations.
var refusing = []string{
	"Framing", "The signature headers", "The time", "The caller", "The body", "An API behind the gateway",
	"The service itself",
}

func TestKnowsEveryCodeOfTheService(t *testing.T) {
	document, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for section := range strings.SplitSeq(string(document), "\n## ") {
		title, text, _ := strings.Cut(section, "\n")
		if !slices.Contains(refusing, title) {
			continue
		}
		for _, match := range regexp.MustCompile("(?m)^### `([a-z_]+)`$").FindAllStringSubmatch(text, -1) {
			documented = append(documented, match[1])
		}
	}
	for _, code := range documented {
		if !isServiceCode(code) {
			t.Errorf("%s is missing in serviceCodes", code)
		}
	}
	if len(serviceCodes) != len(documented) {
		t.Errorf("there are %d codes, and %d are documented", len(serviceCodes), len(documented))
	}
}
