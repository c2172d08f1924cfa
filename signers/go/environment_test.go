package signer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadsTheEnvironment(t *testing.T) {
	pem := vectorKeyTexts(t)["rsa-2048-a"].PrivateKeyPem
	encrypted := testFile(t, "aes256-sha256.pem")
	file := filepath.Join(t.TempDir(), "private.pem")
	if err := os.WriteFile(file, []byte(pem), 0o600); err != nil {
		t.Fatal(err)
	}
	encryptedFile := filepath.Join("testdata", "aes256-sha256.pem")
	for name, test := range map[string]struct {
		clientID, key, file, passphrase string
		code                            ErrorCode // empty if there is a signer
	}{
		"nothing":                          {"", "", "", "", KeyIDInvalid},
		"no client ID":                     {"", pem, "", "", KeyIDInvalid},
		"a client ID that is none":         {"a b", pem, "", "", KeyIDInvalid},
		"no key":                           {"shop", "", "", "", PrivateKeyInvalid},
		"two keys":                         {"shop", pem, file, "", PrivateKeyInvalid},
		"a key that is none":               {"shop", "secret", "", "", PrivateKeyInvalid},
		"a file that is missing":           {"shop", "", file + ".none", "", PrivateKeyInvalid},
		"an encrypted key, no passphrase":  {"shop", encrypted, "", "", PrivateKeyInvalid},
		"a key":                            {"shop", pem, "", "", ""},
		"a file":                           {"shop", "", file, "", ""},
		"an encrypted key":                 {"shop", encrypted, "", "horse", ""},
		"an encrypted file":                {"shop", "", encryptedFile, "horse", ""},
		"an encrypted file, no passphrase": {"shop", "", encryptedFile, "", PrivateKeyInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("COUNTERSIGN_SIGNATURE_AGENT", "")
			t.Setenv("COUNTERSIGN_CLIENT_ID", test.clientID)
			t.Setenv("COUNTERSIGN_PRIVATE_KEY", test.key)
			t.Setenv("COUNTERSIGN_PRIVATE_KEY_FILE", test.file)
			t.Setenv("COUNTERSIGN_PASSPHRASE", test.passphrase)
			options, err := OptionsFromEnvironment()
			var signer *Signer
			if err == nil {
				signer, err = New(options)
			}
			if test.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				if signed := sign(t, signer, "GET", url, nil); !strings.Contains(signed.Base, `;keyid="shop"`) {
					t.Errorf("signed was %q", signed.Base)
				}
				return
			}
			wantCode(t, err, test.code)
			if test.clientID == "" && !strings.Contains(err.Error(), "or for an agent COUNTERSIGN_SIGNATURE_AGENT") {
				t.Errorf("%q does not name the variable of agents", err)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%q repeats a value", err)
			}
		})
	}
}

func TestReadsTheAgentOfTheEnvironment(t *testing.T) {
	t.Setenv("COUNTERSIGN_SIGNATURE_AGENT", agentURL)
	t.Setenv("COUNTERSIGN_CLIENT_ID", "")
	t.Setenv("COUNTERSIGN_PRIVATE_KEY_FILE", "")
	t.Setenv("COUNTERSIGN_PRIVATE_KEY", vectorKeyTexts(t)["ed25519"].PrivateKeyPem)
	options, err := OptionsFromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	wantAgentKey(t, newTestAgent(t, options), "ed25519")

	t.Setenv("COUNTERSIGN_CLIENT_ID", "shop")
	if options, err = OptionsFromEnvironment(); err == nil {
		_, err = New(options)
	}
	wantCode(t, err, KeyIDInvalid)
}
