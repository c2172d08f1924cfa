package signer_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"countersign.dev/signer"
	"countersign.dev/signer/signertest"
)

func ExampleSigner_Client() {
	key, err := rsa.GenerateKey(rand.Reader, 2048) // yours comes from a file or a key store
	if err != nil {
		log.Fatal(err)
	}
	// Stands in for the service in your tests.
	verifier, err := signertest.NewVerifier("client_7", &key.PublicKey)
	if err != nil {
		log.Fatal(err)
	}
	service := verifier.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		response.WriteHeader(http.StatusCreated)
	}))
	defer service.Close()

	requests, err := signer.New(signer.Options{ClientID: "client_7", PrivateKey: key})
	if err != nil {
		log.Fatal(err)
	}
	response, err := requests.Client().Post(service.URL+"/v1/orders", "application/json", strings.NewReader(`{"amount":4200}`))
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	fmt.Println(response.Status)
	// Output: 201 Created
}

// A refusal carries the service's code.
func ExampleRefusal() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		log.Fatal(err)
	}
	verifier, err := signertest.NewVerifier("another client", &key.PublicKey)
	if err != nil {
		log.Fatal(err)
	}
	service := verifier.NewServer(http.NotFoundHandler())
	defer service.Close()

	requests, err := signer.New(signer.Options{ClientID: "client_7", PrivateKey: key})
	if err != nil {
		log.Fatal(err)
	}
	_, err = requests.Client().Get(service.URL + "/v1/orders")
	var refusal *signer.Refusal
	if errors.As(err, &refusal) {
		fmt.Println(refusal.Status, refusal.Code)
	}
	// Output: 401 signature_invalid
}

// Sign is for requests that net/http does not send.
func ExampleSigner_Sign() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		log.Fatal(err)
	}
	requests, err := signer.New(signer.Options{
		ClientID:   "client_7",
		PrivateKey: key,
		Now:        func() time.Time { return time.Unix(1_800_000_000, 0) },
	})
	if err != nil {
		log.Fatal(err)
	}
	signed, err := requests.Sign(context.Background(), signer.Request{
		Method: "GET",
		URL:    "https://api.example.com/v1/orders?limit=10",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(signed.Base)
	// Output:
	// "@method": GET
	// "@target-uri": https://api.example.com/v1/orders?limit=10
	// "date": Fri, 15 Jan 2027 08:00:00 GMT
	// "@signature-params": ("@method" "@target-uri" "date");created=1800000000;keyid="client_7";alg="rsa-v1_5-sha256"
}

// SignatureAgent signs by Web Bot Auth, for services that know an agent by the URL of its keys.
func ExampleOptions_signatureAgent() {
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		fmt.Println(request.Header.Get("Signature-Agent"))
	}))
	defer service.Close()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		log.Fatal(err)
	}

	requests, err := signer.New(signer.Options{
		SignatureAgent: "https://agent.example.com/keys.json",
		PrivateKey:     key,
	})
	if err != nil {
		log.Fatal(err)
	}
	response, err := requests.Client().Get(service.URL + "/v1/offers")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	// Output: sig="https://agent.example.com/keys.json"
}

// A logger hears what the signer decides on its own.
func ExampleOptions_logger() {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		log.Fatal(err)
	}
	verifier, err := signertest.NewVerifier("client_7", &key.PublicKey)
	if err != nil {
		log.Fatal(err)
	}
	verifier.Now = func() time.Time { return time.Now().Add(time.Hour) } // the service's clock is right, this one is not
	service := verifier.NewServer(http.NotFoundHandler())
	defer service.Close()

	onlyMessages := func(_ []string, attribute slog.Attr) slog.Attr {
		if attribute.Key == slog.MessageKey {
			return attribute
		}
		return slog.Attr{}
	}
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: onlyMessages}))
	requests, err := signer.New(signer.Options{ClientID: "client_7", PrivateKey: key, Logger: logger})
	if err != nil {
		log.Fatal(err)
	}
	response, err := requests.Client().Get(service.URL + "/v1/orders")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	// Output:
	// msg="request rejected by the service"
	// msg="clock corrected, request signed again"
}
