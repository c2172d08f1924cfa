// Sends a signed request and prints the response.
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"countersign.dev/signer"
)

const (
	baseURL        = "http://127.0.0.1:8421"
	clientID       = "client_…"
	privateKeyFile = "private.pem"
)

func main() {
	requests, err := signer.New(signer.Options{ClientID: clientID, PrivateKeyFile: privateKeyFile})
	if err != nil {
		log.Fatal(err)
	}

	body := strings.NewReader(`{"hello":"from Go"}`)
	response, err := requests.Client().Post(baseURL+"/v1/signature-test", "application/json", body)
	var refusal *signer.Refusal
	if errors.As(err, &refusal) {
		log.Fatal(refusal) // its code, what is wrong, and what to do
	}
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()

	answer, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n%s\n", response.Status, answer)
}
