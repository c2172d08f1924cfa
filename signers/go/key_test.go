package signer

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
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

// keyForms returns a key of the vectors in the forms that are read, by name.
func keyForms(t *testing.T, key crypto.Signer) map[string]string {
	t.Helper()
	pkcs8DER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8PEM, bare := pemOf("PRIVATE KEY", pkcs8DER), base64.StdEncoding.EncodeToString(pkcs8DER)
	forms := map[string]string{
		"PKCS#8":                         pkcs8PEM,
		"PKCS#8, bare":                   bare,
		"CRLF":                           strings.ReplaceAll(pkcs8PEM, "\n", "\r\n"),
		"byte order mark":                "\ufeff" + pkcs8PEM,
		"one line":                       strings.ReplaceAll(pkcs8PEM, "\n", " "),
		`\n of an environment variable`:  strings.ReplaceAll(pkcs8PEM, "\n", `\n`),
		"text around it":                 "Bag Attributes\n" + pkcs8PEM + "\nend",
		"bare, in lines and with spaces": strings.Join(strings.SplitAfter(bare, "A"), " \n"),
	}
	switch key := key.(type) {
	case *rsa.PrivateKey:
		der := x509.MarshalPKCS1PrivateKey(key)
		forms["PKCS#1"], forms["PKCS#1, bare"] = pemOf("RSA PRIVATE KEY", der), base64.StdEncoding.EncodeToString(der)
	case *ecdsa.PrivateKey:
		der, err := x509.MarshalECPrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		forms["SEC1"], forms["SEC1, bare"] = pemOf("EC PRIVATE KEY", der), base64.StdEncoding.EncodeToString(der)
	}
	return forms
}

func TestReadsPrivateKeysInEveryForm(t *testing.T) {
	files := map[string][]string{ // written by OpenSSL
		"rsa-2048-a": {"aes256-sha256.pem", "aes128-sha1.pem", "aes192-sha512.pem"},
		"ed25519":    {"encrypted-ed25519.pem"},
		"ec-p256":    {"encrypted-ec-p256.pem", "ecparam-p256.pem"},
		"ec-p384":    {"encrypted-ec-p384.pem", "ecparam-p384.pem"},
	}
	for name := range algorithmTests {
		key := vectorKey(t, name)
		forms := keyForms(t, key)
		for _, file := range files[name] {
			forms[file] = testFile(t, file)
			if block, rest := pem.Decode([]byte(forms[file])); len(rest) == 0 {
				forms[file+", bare"] = base64.StdEncoding.EncodeToString(block.Bytes)
			}
		}
		for form, text := range forms {
			t.Run(name+"/"+form, func(t *testing.T) {
				read, err := ParsePrivateKey(text, "horse")
				if err != nil {
					t.Fatal(err)
				}
				if !key.(interface{ Equal(crypto.PrivateKey) bool }).Equal(read) {
					t.Error("it is another key")
				}
			})
		}
	}
}

func TestRejectsTextsThatAreNoUsableKey(t *testing.T) {
	vectors := vectorKeyTexts(t)
	good := vectors["rsa-2048-a"].PrivateKeyPem
	accepted := "not an RSA, Ed25519 or ECDSA key (P-256 or P-384)"
	nameCurve := "openssl ec -param_enc named_curve -in old.pem | openssl pkcs8 -topk8 -v2 aes-256-cbc -out new.pem"
	for name, test := range map[string]struct{ text, passphrase, advice string }{
		"empty":            {"", "", "empty"},
		"not a key":        {"hello", "", "damaged"},
		"cut off":          {good[:800], "", "damaged"},
		"damaged":          {strings.Replace(good, "A", "*", 1), "", "damaged"},
		"two keys":         {good + vectors["rsa-2048-b"].PrivateKeyPem, "", "more than one key"},
		"public key":       {vectors["rsa-2048-a"].PublicKeyPem, "", "public key"},
		"two EC keys":      {strings.Repeat(testFile(t, "ecparam-p256.pem"), 2), "", "more than one key"},
		"EC curve only":    {strings.SplitAfter(testFile(t, "ecparam-p256.pem"), "PARAMETERS-----\n")[0], "", "damaged"},
		"RSA-PSS":          {vectors["rsa-pss-2048"].PrivateKeyPem, "", accepted},
		"secp256k1":        {testFile(t, "refused-secp256k1.pem"), "", accepted},
		"P-521":            {testFile(t, "refused-p521.pem"), "", accepted},
		"Ed448":            {testFile(t, "refused-ed448.pem"), "", accepted},
		"X25519":           {testFile(t, "refused-x25519.pem"), "", accepted},
		"DSA":              {testFile(t, "refused-dsa.pem"), "", accepted},
		"DSA, traditional": {testFile(t, "refused-dsa-traditional.pem"), "", accepted},
		"explicit curve":   {testFile(t, "refused-explicit.pem"), "", nameCurve},
		"explicit, PKCS#8": {testFile(t, "refused-explicit-pkcs8.pem"), "", nameCurve},
		"explicit, PBES2":  {testFile(t, "refused-explicit-encrypted.pem"), "horse", nameCurve},
		"Ed25519, cut off": {vectors["ed25519"].PrivateKeyPem[28:80], "", "damaged"},
		"1536 bits":        {vectors["rsa-1536"].PrivateKeyPem, "", "1536 bits"},
		"2047 bits":        {vectors["rsa-2047"].PrivateKeyPem, "", "2047 bits"},
		"exponent 3":       {vectors["rsa-2048-e3"].PrivateKeyPem, "", "exponent"},
		"no passphrase":    {testFile(t, "aes256-sha256.pem"), "", "passphrase"},
		"wrong passphrase": {testFile(t, "aes256-sha256.pem"), "cow", "passphrase"},
		"scrypt":           {testFile(t, "scrypt.pem"), "horse", "openssl pkcs8"},
		"legacy":           {testFile(t, "legacy.pem"), "horse", "openssl pkcs8"},
		"OpenSSH":          {pemOf("OPENSSH PRIVATE KEY", []byte("openssh-key-v1")), "", "ssh-keygen"},
		"far too long":     {strings.Repeat("A", 70_000), "", "too long"},
		"DER of nothing":   {"MAA=", "", accepted},
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

func TestRejectsPrivateKeysThatCannotSign(t *testing.T) {
	edKey := vectorKey(t, "ed25519").(ed25519.PrivateKey)
	for name, test := range map[string]struct {
		key    crypto.Signer
		advice string
	}{
		"Ed25519, a seed":   {ed25519.PrivateKey(edKey.Seed()), "use ed25519.NewKeyFromSeed"},
		"Ed25519, too long": {append(edKey, 0), "65 bytes"},
		"Ed25519, nil":      {ed25519.PrivateKey(nil), "PrivateKey is empty"},
		"RSA, nil":          {(*rsa.PrivateKey)(nil), "PrivateKey is empty"},
		"RSA, no numbers":   {&rsa.PrivateKey{}, "PrivateKey is empty"},
		"ECDSA, nil":        {(*ecdsa.PrivateKey)(nil), "PrivateKey is empty"},
		"ECDSA, no curve":   {&ecdsa.PrivateKey{}, "not an RSA, Ed25519 or ECDSA key"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{ClientID: "shop", PrivateKey: test.key})
			wantCode(t, err, PrivateKeyInvalid)
			if err == nil || !strings.Contains(err.Error(), test.advice) {
				t.Errorf("%v does not contain %q", err, test.advice)
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
		return file.key.publicKey.(*rsa.PublicKey).Equal(vectorKey(t, name).Public())
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
		key := vectorKey(t, name).(*rsa.PrivateKey)
		signed := sign(t, newTestSigner(t, Options{PrivateKey: key}), "GET", "https://api.example.com/"+name, nil)
		encoded := strings.TrimSuffix(strings.TrimPrefix(signed.Header.Get("Signature"), "sig=:"), ":")
		signature, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(signature) != key.Size() {
			t.Errorf("%s: %d bytes, %v", name, len(signature), err)
		}
	}
}
