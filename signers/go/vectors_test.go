package signer

import (
	"crypto"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

const vectorsFolder = "../../vectors/profile"

func readVectors(t testing.TB, name string, into any) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(vectorsFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, into); err != nil {
		t.Fatal(err)
	}
}

// vectorKeyTexts returns the PEM texts of the key pairs that the vectors publish.
func vectorKeyTexts(t testing.TB) map[string]struct{ PrivateKeyPem, PublicKeyPem string } {
	t.Helper()
	var table struct {
		Keys map[string]struct{ PrivateKeyPem, PublicKeyPem string }
	}
	readVectors(t, "keys.json", &table)
	return table.Keys
}

func vectorKey(t testing.TB, name string) crypto.Signer {
	t.Helper()
	key, err := ParsePrivateKey(vectorKeyTexts(t)[name].PrivateKeyPem, "")
	if err != nil {
		t.Fatal(err)
	}
	return key
}

type vector struct {
	ID      string
	Request struct {
		Body *struct{ Base64, File string }
	}
	Signer struct {
		Input struct {
			Method, URL, PrivateKey, Keyid, Date string
			Created                              int64
		}
		Output struct{ SignatureBase, ContentDigest, SignatureInput, Signature string }
	}
	Expect struct{ Verdict string }
}

// acceptedVectors returns the cases that a service accepts.
func acceptedVectors(t *testing.T, name string, least int) []vector {
	t.Helper()
	var file struct{ Cases []vector }
	readVectors(t, name, &file)
	accepted := slices.DeleteFunc(file.Cases, func(one vector) bool { return one.Expect.Verdict != "accept" })
	if len(accepted) < least {
		t.Fatalf("%s has only %d cases", name, len(accepted))
	}
	return accepted
}

func TestSignsTheVectorsByteForByte(t *testing.T) {
	vectors := append(acceptedVectors(t, "positive.json", 90), acceptedVectors(t, "ed25519.json", 7)...)
	for _, vector := range vectors {
		t.Run(vector.ID, func(t *testing.T) {
			input, output := vector.Signer.Input, vector.Signer.Output
			created := time.Unix(input.Created, 0)
			signer := newTestSigner(t, Options{
				ClientID:   input.Keyid,
				PrivateKey: vectorKey(t, input.PrivateKey),
				Now:        func() time.Time { return created },
			})
			var body []byte
			if vector.Request.Body != nil {
				body = vectorBody(t, vector.Request.Body.Base64, vector.Request.Body.File)
			}
			signed, err := signer.Sign(t.Context(), Request{Method: input.Method, URL: input.URL, Body: body})
			if err != nil {
				t.Fatal(err)
			}
			if date, _ := http.ParseTime(input.Date); !date.Equal(created) {
				// Sign takes both from one reading of the clock.
				covered := coveredParts{signed.Method, input.URL, signed.Header.Get("Content-Digest")}
				if signed, err = signer.signAt(t.Context(), covered, created, date); err != nil {
					t.Fatal(err)
				}
			}
			for name, pair := range map[string][2]string{
				"base":            {signed.Base, output.SignatureBase},
				"Content-Digest":  {signed.Header.Get("Content-Digest"), output.ContentDigest},
				"Date":            {signed.Header.Get("Date"), input.Date},
				"Signature-Input": {signed.Header.Get("Signature-Input"), output.SignatureInput},
				"Signature":       {signed.Header.Get("Signature"), output.Signature},
			} {
				if pair[0] != pair[1] {
					t.Errorf("%s is\n%s\nnot\n%s", name, pair[0], pair[1])
				}
			}
		})
	}
}

func vectorBody(t testing.TB, encoded, file string) []byte {
	t.Helper()
	var body []byte
	var err error
	if file != "" {
		body, err = os.ReadFile(filepath.Join(vectorsFolder, file))
	} else {
		body, err = base64.StdEncoding.DecodeString(encoded)
	}
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func newTestSigner(t testing.TB, options Options) *Signer {
	t.Helper()
	if options.ClientID == "" {
		options.ClientID = "shop"
	}
	if options.PrivateKey == nil && options.PrivateKeyFile == "" && options.SignBytes == nil {
		options.PrivateKey = vectorKey(t, "rsa-2048-a")
	}
	signer, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}
