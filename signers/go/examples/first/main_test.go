package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"

	"countersign.dev/signer/signertest"
)

// Runs the program against the verifier.
func Example() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "first")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	keyFile := filepath.Join(folder, "private.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := os.WriteFile(keyFile, text, 0o600); err != nil {
		log.Fatal(err)
	}
	verifier, err := signertest.NewVerifier("client_7", &key.PublicKey)
	if err != nil {
		log.Fatal(err)
	}
	server := verifier.NewServer(http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(response, `{"clientId":"client_7"}`)
	}))
	defer server.Close()

	os.Setenv("CLIENT_ID", "client_7")
	os.Setenv("PRIVATE_KEY_FILE", keyFile)
	os.Args = []string{"first", server.URL + "/v1/whoami"}
	main()
	// Output:
	// 200 OK
	// {"clientId":"client_7"}
}
