package signer

import (
	"os"
	"regexp"
	"testing"
)

func TestKnowsEveryCodeOfTheService(t *testing.T) {
	document, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := regexp.MustCompile("(?m)^### `([a-z_]+)`$").FindAllSubmatch(document, -1)
	for _, match := range documented {
		if !isServiceCode(string(match[1])) {
			t.Errorf("%s is missing in serviceCodes", match[1])
		}
	}
	if len(serviceCodes) != len(documented) {
		t.Errorf("there are %d codes, and %d are documented", len(serviceCodes), len(documented))
	}
}
