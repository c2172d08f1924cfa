package signertest

import (
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"
)

const vectorsFolder = "../../../vectors/profile"

type vector struct {
	ID     string
	Verify struct {
		Now     int64
		Clients []struct{ ClientID, PublicKey string }
	}
	Request struct {
		Method, URL string
		Headers     [][2]string
		Body        *struct{ Base64, File string }
	}
	Expect struct {
		Verdict string
		Class   string
		AlsoOk  []string
	}
}

// codesByClass are the codes that fit a class of the vectors.
var codesByClass = map[string][]string{
	"algorithm":                 {"algorithm_not_allowed"},
	"components":                {"components_invalid"},
	"date_mismatch":             {"date_mismatch"},
	"date_window":               {"date_mismatch"},
	"digest_algorithm":          {"digest_malformed"},
	"digest_mismatch":           {"digest_mismatch"},
	"duplicate_header":          {"signature_missing", "date_invalid", "digest_malformed"},
	"in_future":                 {"created_in_future"},
	"label":                     {"signature_malformed"},
	"malformed_date":            {"date_invalid"},
	"malformed_digest":          {"digest_malformed"},
	"malformed_request":         {"request_malformed"},
	"malformed_signature":       {"signature_malformed"},
	"malformed_signature_input": {"signature_malformed"},
	"missing_date":              {"date_invalid"},
	"missing_digest":            {"digest_missing"},
	"missing_signature":         {"signature_missing"},
	"missing_signature_input":   {"signature_missing"},
	"params":                    {"parameters_invalid"},
	"signature_mismatch":        {"signature_invalid"},
	"too_old":                   {"created_expired"},
	"unknown_client":            {"signature_invalid"},
	"weak_key":                  {"signature_invalid"}, // a key that cannot be registered is nobody's
}

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(vectorsFolder, name))
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func readCases(t *testing.T, name string, least int) []vector {
	t.Helper()
	var file struct{ Cases []vector }
	readVectors(t, name, &file)
	if len(file.Cases) < least {
		t.Fatalf("%s has only %d cases", name, len(file.Cases))
	}
	return file.Cases
}

func publicKeys(t *testing.T) map[string]crypto.PublicKey {
	t.Helper()
	var table struct {
		Keys map[string]struct{ PublicKeyPem string }
	}
	readVectors(t, "keys.json", &table)
	keys := map[string]crypto.PublicKey{}
	for name, key := range table.Keys {
		block, _ := pem.Decode([]byte(key.PublicKeyPem))
		if parsed, err := x509.ParsePKIXPublicKey(block.Bytes); err == nil {
			keys[name] = parsed
		}
	}
	return keys
}

var keyidPattern = regexp.MustCompile(`keyid="([^"]*)"`)

// verdict is the code with which a vector is refused, or "ok".
func verdict(t *testing.T, one vector, keys map[string]crypto.PublicKey, acceptWithoutDate bool) string {
	t.Helper()
	// A verifier knows one client: the one that the request names, or any if there is none of that name.
	named := one.Verify.Clients[0]
	for _, header := range one.Request.Headers {
		found := keyidPattern.FindStringSubmatch(header[1])
		for _, client := range one.Verify.Clients {
			if found != nil && client.ClientID == found[1] {
				named = client
			}
		}
	}
	verifier, err := NewVerifier(named.ClientID, keys[named.PublicKey])
	if err != nil {
		return "signature_invalid"
	}
	verifier.Now = func() time.Time { return time.Unix(one.Verify.Now, 0) }
	verifier.AcceptWithoutDate = acceptWithoutDate
	header := http.Header{}
	for _, line := range one.Request.Headers {
		octets := make([]byte, 0, len(line[1]))
		for _, point := range line[1] {
			octets = append(octets, byte(point)) // one code point up to U+00FF is one octet
		}
		header.Add(line[0], string(octets))
	}
	var body []byte
	if given := one.Request.Body; given != nil && given.File != "" {
		body, err = os.ReadFile(filepath.Join(vectorsFolder, given.File))
	} else if given != nil {
		body, err = base64.StdEncoding.DecodeString(given.Base64)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = verifier.Verify(Request{Method: one.Request.Method, URL: one.Request.URL, Header: header, Body: body})
	var refusal *Refusal
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &refusal):
		return refusal.Code
	default:
		t.Fatalf("the error is of type %T", err)
		return ""
	}
}

// readVerdicts returns the cases that are accepted, or those that are not.
func readVerdicts(t *testing.T, name, wanted string, least int) []vector {
	t.Helper()
	isOther := func(one vector) bool { return one.Expect.Verdict != wanted }
	cases := slices.DeleteFunc(readCases(t, name, least), isOther)
	if len(cases) < least {
		t.Fatalf("%s has only %d cases with the verdict %s", name, len(cases), wanted)
	}
	return cases
}

func TestAcceptsPositiveVectors(t *testing.T) {
	keys := publicKeys(t)
	for _, one := range slices.Concat(
		readVerdicts(t, "positive.json", "accept", 90),
		readVerdicts(t, "ed25519.json", "accept", 7),
		readVerdicts(t, "ecdsa.json", "accept", 14),
	) {
		t.Run(one.ID, func(t *testing.T) {
			if got := verdict(t, one, keys, false); got != "ok" {
				t.Error(got)
			}
		})
	}
}

func TestRefusesNegativeVectors(t *testing.T) {
	keys := publicKeys(t)
	for _, one := range slices.Concat(
		readVerdicts(t, "negative.json", "reject", 300),
		readVerdicts(t, "fuzz.json", "reject", 300),
		readVerdicts(t, "ed25519.json", "reject", 19),
		readVerdicts(t, "ecdsa.json", "reject", 50),
	) {
		t.Run(one.ID, func(t *testing.T) {
			var codes []string
			for _, class := range append([]string{one.Expect.Class}, one.Expect.AlsoOk...) {
				codes = append(codes, codesByClass[class]...)
			}
			if one.ID == "keyid/trailing-space" {
				codes = []string{"parameters_invalid"} // keyid has visible characters only
			}
			if got := verdict(t, one, keys, false); !slices.Contains(codes, got) {
				t.Errorf("%s, not one of %v", got, codes)
			}
		})
	}
}

// decided is what the profile answers in the open cases (docs/profile.md section 2.3).
var decided = map[string]string{
	"tamper-signature/text-no-padding": "signature_malformed",
	"tamper-signature/text-pad-bits":   "signature_malformed",
	"tamper-signature/params":          "signature_malformed",
	"components/no-date":               "components_invalid",
	"components/no-date-no-header":     "components_invalid",
	"components/no-date-get":           "components_invalid",
	"label/two-good":                   "signature_malformed",
	"label/two-junk":                   "signature_malformed",
	"crypto/missing-null":              "signature_invalid",
	"crypto/pss-oid-key":               "signature_invalid",
	"window/edge-future-60":            "ok",
	"keyid/quote-escaped":              "ok",
	"params/expires":                   "parameters_invalid",
	"params/nonce":                     "parameters_invalid",
	"params/tag":                       "parameters_invalid",
	"params/unknown":                   "parameters_invalid",
	"params/order-1":                   "ok",
	"params/order-3":                   "ok",
	"date/differs-120":                 "date_mismatch",
	"digest/both-right":                "digest_malformed",
	"digest/wrong-512":                 "digest_malformed",
	"digest/unpadded":                  "digest_malformed",
	"digest/empty-body-covered":        "components_invalid",
	"target-open/default-port-signed":  "signature_invalid",
	"target-open/default-port-seen":    "signature_invalid",
	"target-open/http-80":              "signature_invalid",
	"target-open/upper-host-seen":      "signature_invalid",
	"target-open/empty-path":           "signature_invalid",
	"target-open/fragment":             "signature_invalid",
	"target-open/explicit-443":         "ok",
}

func TestDecidesOpenCasesAsTheProfileDoes(t *testing.T) {
	keys := publicKeys(t)
	for _, one := range readCases(t, "policy.json", 30) {
		t.Run(one.ID, func(t *testing.T) {
			if got := verdict(t, one, keys, false); got != decided[one.ID] {
				t.Errorf("%s, not %s", got, decided[one.ID])
			}
			if decided[one.ID] == "components_invalid" && one.ID != "digest/empty-body-covered" {
				if got := verdict(t, one, keys, true); got != "ok" {
					t.Errorf("with AcceptWithoutDate: %s", got)
				}
			}
		})
	}
}
