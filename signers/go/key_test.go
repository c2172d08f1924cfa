package signer

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func testFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestReadsPrivateKeysInEveryForm(t *testing.T) {
	key := vectorKey(t, "rsa-2048-a")
	pkcs1DER := x509.MarshalPKCS1PrivateKey(key)
	pkcs8DER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8PEM := pemOf("PRIVATE KEY", pkcs8DER)
	encryptedDER, _ := pem.Decode([]byte(testFile(t, "aes256-sha256.pem")))
	for name, text := range map[string]string{
		"PKCS#8":                         pkcs8PEM,
		"PKCS#1":                         pemOf("RSA PRIVATE KEY", pkcs1DER),
		"PKCS#8, bare":                   base64.StdEncoding.EncodeToString(pkcs8DER),
		"PKCS#1, bare":                   base64.StdEncoding.EncodeToString(pkcs1DER),
		"CRLF":                           strings.ReplaceAll(pkcs8PEM, "\n", "\r\n"),
		"byte order mark":                "\ufeff" + pkcs8PEM,
		"one line":                       strings.ReplaceAll(pkcs8PEM, "\n", " "),
		`\n of an environment variable`:  strings.ReplaceAll(pkcs8PEM, "\n", `\n`),
		"text around it":                 "Bag Attributes\n" + pkcs8PEM + "\nend",
		"encrypted, AES-256, SHA-256":    testFile(t, "aes256-sha256.pem"),
		"encrypted, AES-128, SHA-1":      testFile(t, "aes128-sha1.pem"),
		"encrypted, AES-192, SHA-512":    testFile(t, "aes192-sha512.pem"),
		"encrypted, AES-256, bare":       base64.StdEncoding.EncodeToString(encryptedDER.Bytes),
		"bare, in lines and with spaces": strings.Join(strings.SplitAfter(base64.StdEncoding.EncodeToString(pkcs8DER), "A"), " \n"),
	} {
		t.Run(name, func(t *testing.T) {
			read, err := ParsePrivateKey(text, "horse")
			if err != nil {
				t.Fatal(err)
			}
			if !read.Equal(key) {
				t.Error("it is another key")
			}
		})
	}
}

func TestRejectsTextsThatAreNoUsableKey(t *testing.T) {
	vectors := vectorKeyTexts(t)
	good := vectors["rsa-2048-a"].PrivateKeyPem
	for name, test := range map[string]struct{ text, passphrase, advice string }{
		"empty":            {"", "", "empty"},
		"not a key":        {"hello", "", "damaged"},
		"cut off":          {good[:800], "", "damaged"},
		"damaged":          {strings.Replace(good, "A", "*", 1), "", "damaged"},
		"two keys":         {good + vectors["rsa-2048-b"].PrivateKeyPem, "", "more than one key"},
		"public key":       {vectors["rsa-2048-a"].PublicKeyPem, "", "public key"},
		"EC":               {vectors["ec-p256"].PrivateKeyPem, "", "not an RSA"},
		"Ed25519":          {vectors["ed25519"].PrivateKeyPem, "", "not an RSA"},
		"RSA-PSS":          {vectors["rsa-pss-2048"].PrivateKeyPem, "", "not an RSA"},
		"1536 bits":        {vectors["rsa-1536"].PrivateKeyPem, "", "1536 bits"},
		"2047 bits":        {vectors["rsa-2047"].PrivateKeyPem, "", "2047 bits"},
		"exponent 3":       {vectors["rsa-2048-e3"].PrivateKeyPem, "", "exponent"},
		"no passphrase":    {testFile(t, "aes256-sha256.pem"), "", "passphrase"},
		"wrong passphrase": {testFile(t, "aes256-sha256.pem"), "cow", "passphrase"},
		"scrypt":           {testFile(t, "scrypt.pem"), "horse", "openssl pkcs8"},
		"legacy":           {testFile(t, "legacy.pem"), "horse", "openssl pkcs8"},
		"OpenSSH":          {pemOf("OPENSSH PRIVATE KEY", []byte("openssh-key-v1")), "", "ssh-keygen"},
		"far too long":     {strings.Repeat("A", 70_000), "", "too long"},
		"DER of nothing":   {"MAA=", "", "not an RSA"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParsePrivateKey(test.text, test.passphrase)
			wantCode(t, err, PrivateKeyInvalid)
			if err == nil || !strings.Contains(err.Error(), test.advice) {
				t.Errorf("%v does not contain %q", err, test.advice)
			}
			for line := range strings.Lines(test.text) {
				if line = strings.TrimSpace(line); err != nil && len(line) > 10 && strings.Contains(err.Error(), line) {
					t.Errorf("the message repeats the text: %v", err)
				}
			}
		})
	}
}

// replaceFile writes a file as a rotation does, atomically.
func replaceFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func TestFollowsTheKeyFile(t *testing.T) {
	vectors := vectorKeyTexts(t)
	path := filepath.Join(t.TempDir(), "private.pem")
	replaceFile(t, path, vectors["rsa-2048-a"].PrivateKeyPem)
	signer := newTestSigner(t, Options{PrivateKeyFile: path})
	file := signer.key.(*fileKey)
	uses := func(name string) bool {
		sign(t, signer, "GET", "https://api.example.com/follows", nil)
		public := vectorKey(t, name).PublicKey
		return file.key.publicKey.Equal(&public)
	}
	if !uses("rsa-2048-a") {
		t.Fatal("the key of the file is not used")
	}
	if fileCheckInterval > time.Second {
		t.Error("a change takes longer than a second")
	}
	// Makes the next check due without waiting for it.
	elapse := func() { file.checkedAt = time.Now().Add(-fileCheckInterval) }

	replaceFile(t, path, vectors["rsa-2048-b"].PrivateKeyPem)
	if elapse(); !uses("rsa-2048-b") {
		t.Error("the new key is not used")
	}
	replaceFile(t, path, vectors["rsa-2048-a"].PrivateKeyPem[:500])
	if elapse(); !uses("rsa-2048-b") {
		t.Error("a file that is half written changes the key")
	}
	replaceFile(t, path, vectors["rsa-2048-a"].PrivateKeyPem)
	if elapse(); !uses("rsa-2048-a") {
		t.Error("the file is not read again after a failure")
	}
}

func TestDecryptsTheKeyFile(t *testing.T) {
	signer := newTestSigner(t, Options{PrivateKeyFile: filepath.Join("testdata", "aes256-sha256.pem"), Passphrase: "horse"})
	sign(t, signer, "GET", url, nil)
	_, err := New(Options{ClientID: "shop", PrivateKeyFile: filepath.Join("testdata", "aes256-sha256.pem")})
	wantCode(t, err, PrivateKeyInvalid)
}

func TestFileErrorsKeepTheirCause(t *testing.T) {
	_, err := New(Options{ClientID: "shop", PrivateKeyFile: filepath.Join(t.TempDir(), "none.pem")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v is not os.ErrNotExist", err)
	}
}

func TestAcceptsKeysOfEverySize(t *testing.T) {
	for _, name := range []string{"rsa-2048-a", "rsa-3072-a", "rsa-4096-a"} {
		key := vectorKey(t, name)
		signed := sign(t, newTestSigner(t, Options{PrivateKey: key}), "GET", "https://api.example.com/"+name, nil)
		encoded := strings.TrimSuffix(strings.TrimPrefix(signed.Header.Get("Signature"), "sig=:"), ":")
		signature, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(signature) != key.Size() {
			t.Errorf("%s: %d bytes, %v", name, len(signature), err)
		}
	}
}
