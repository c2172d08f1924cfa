// Needs the private key as PKCS#8 ("BEGIN PRIVATE KEY").
package main

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

const (
	baseURL    = "http://127.0.0.1:8421"
	clientID   = "client_…"
	privateKey = "private.pem"
)

func main() {
	key, err := readKey(privateKey)
	if err != nil {
		log.Fatal(err)
	}
	if err := send(key, "GET", baseURL+"/v1/signature-test", nil); err != nil {
		log.Fatal(err)
	}
	if err := send(key, "POST", baseURL+"/v1/signature-test", []byte("{\"hello\":\"from Go\"}")); err != nil {
		log.Fatal(err)
	}
}

func readKey(file string) (*rsa.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("no PEM block in " + file)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	rsaKey, isRSA := key.(*rsa.PrivateKey)
	if !isRSA {
		return nil, errors.New("not an RSA key: " + file)
	}
	return rsaKey, nil
}

func send(key *rsa.PrivateKey, method, url string, body []byte) error {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	date := now.Format(http.TimeFormat)
	lines := "\"@method\": " + method + "\n\"@target-uri\": " + url + "\n"
	components := "\"@method\" \"@target-uri\""
	if len(body) > 0 {
		sum := sha256.Sum256(body)
		digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Content-Digest", digest)
		lines += "\"content-digest\": " + digest + "\n"
		components += " \"content-digest\""
	}
	params := fmt.Sprintf("(%s \"date\");created=%d;keyid=\"%s\";alg=\"rsa-v1_5-sha256\"",
		components, now.Unix(), clientID)
	// A line feed between the lines, and none at the end.
	base := lines + "\"date\": " + date + "\n\"@signature-params\": " + params

	hash := sha256.Sum256([]byte(base))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, hash[:])
	if err != nil {
		return err
	}
	request.Header.Set("Date", date)
	request.Header.Set("Signature-Input", "sig="+params)
	request.Header.Set("Signature", "sig=:"+base64.StdEncoding.EncodeToString(signature)+":")

	answer, err := http.DefaultTransport.RoundTrip(request) // follows no redirect
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	fmt.Println(string(text))
	fmt.Println("status", answer.StatusCode)
	return nil
}
