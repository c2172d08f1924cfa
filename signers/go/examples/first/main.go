// Sends a signed request:
//
//	CLIENT_ID=client_… PRIVATE_KEY_FILE=private.pem go run . https://api.example.com/v1/whoami
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"countersign.dev/signer"
)

func main() {
	requests, err := signer.New(signer.Options{
		ClientID:       os.Getenv("CLIENT_ID"),
		PrivateKeyFile: os.Getenv("PRIVATE_KEY_FILE"),
	})
	if err != nil {
		log.Fatal(err)
	}

	response, err := requests.Client().Get(os.Args[1])
	var refusal *signer.Refusal
	if errors.As(err, &refusal) {
		log.Fatal(refusal) // its code, what is wrong, and what to do
	}
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()

	body, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Status)
	fmt.Printf("%s\n", body)
}
