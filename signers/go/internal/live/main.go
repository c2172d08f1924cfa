// Command live sends the requests that it reads from standard input, for the tests of all signers. signers/README.md
// describes its input and output.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"countersign.dev/signer"
)

type order struct {
	ID      int         `json:"id"`
	Client  string      `json:"client"`
	Method  string      `json:"method"`
	URL     string      `json:"url"`
	Headers [][2]string `json:"headers"`
	Body    []byte      `json:"body"`
	// IsStream sends the body without its length.
	IsStream  bool `json:"isStream"`
	TimeoutMs int  `json:"timeoutMs"`
}

type result struct {
	ID     int     `json:"id"`
	Status int     `json:"status"`
	Code   *string `json:"code"`
	Body   []byte  `json:"body"`
}

type failure struct {
	ID      int    `json:"id"`
	Error   string `json:"error"`
	Message string `json:"message"`
}

const clientName = "net/http"

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(input io.Reader, output io.Writer) error {
	requests, err := signer.New(signer.Options{
		ClientID:       os.Getenv("CLIENT_ID"),
		PrivateKeyFile: os.Getenv("PRIVATE_KEY_FILE"),
	})
	if err != nil {
		return err
	}
	workers, err := strconv.Atoi(os.Getenv("WORKERS"))
	if err != nil || workers < 1 {
		workers = 4
	}
	encoder := json.NewEncoder(output)
	if err := encoder.Encode(map[string][]string{"clients": {clientName}, "knows": {"isStream", "timeoutMs"}}); err != nil {
		return err
	}
	orders, results := make(chan order), make(chan any)
	var group sync.WaitGroup
	client := requests.Client()
	for range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for order := range orders {
				results <- send(client, order)
			}
		}()
	}
	var readError error
	go func() {
		readError = read(input, orders)
		close(orders)
		group.Wait()
		close(results)
	}()
	for one := range results {
		if err := encoder.Encode(one); err != nil {
			return err
		}
	}
	return readError
}

func read(input io.Reader, orders chan<- order) error {
	decoder := json.NewDecoder(input)
	for {
		var next order
		if err := decoder.Decode(&next); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		orders <- next
	}
}

// send returns a result or a failure.
func send(client *http.Client, order order) any {
	fail := func(code string, err error) failure { return failure{order.ID, code, err.Error()} }
	if order.Client != clientName {
		return fail("client_unknown", errors.New("there is no client "+order.Client))
	}
	var body io.Reader
	if order.Body != nil {
		body = bytes.NewReader(order.Body)
	}
	if order.IsStream {
		body = io.MultiReader(body)
	}
	ctx := context.Background()
	if order.TimeoutMs > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(order.TimeoutMs)*time.Millisecond)
		defer cancel()
		ctx = limited
	}
	request, err := http.NewRequestWithContext(ctx, order.Method, order.URL, body)
	if err != nil {
		return fail(string(signer.RequestInvalid), err)
	}
	for _, header := range order.Headers {
		request.Header.Add(header[0], header[1])
	}
	response, err := client.Do(request)
	var refusal *signer.Refusal
	var unsigned *signer.Error
	switch {
	case errors.As(err, &refusal):
		return result{order.ID, refusal.Status, &refusal.Code, nil}
	case errors.As(err, &unsigned):
		return fail(string(unsigned.Code), err)
	case err != nil:
		return fail("not_sent", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return fail("not_received", err)
	}
	return result{order.ID, response.StatusCode, nil, answer}
}
