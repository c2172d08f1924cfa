package signer

import (
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// around is a RoundTripper around the signer that sends the same request again until it is answered with status 200.
type around struct{ base http.RoundTripper }

func (a around) RoundTrip(request *http.Request) (response *http.Response, err error) {
	for range 3 {
		if request.GetBody != nil {
			request.Body, _ = request.GetBody()
		}
		response, err = a.base.RoundTrip(request)
		if err == nil && response.StatusCode == http.StatusOK {
			return response, nil
		}
		if err == nil {
			_ = response.Body.Close()
		}
	}
	return response, err
}

// sendRepeatedly is what retryablehttp does, and many a loop.
func sendRepeatedly(client *http.Client, request *http.Request) error {
	var last error
	for range 3 {
		request.Body, _ = request.GetBody()
		response, err := client.Do(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
			err = errors.New(response.Status)
		}
		last = err
	}
	return last
}

const lost = ""

func statusAnswer(status string) string {
	return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n"
}

func refusalAnswer(code string) string {
	problem := `{"type":"https://api.example.com/docs/errors#` + code + `","code":"` + code + `"}`
	return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nContent-Length: " +
		strconv.Itoa(len(problem)) + "\r\n\r\n" + problem
}

func newPayment(t *testing.T, server *wireServer, method string) *http.Request {
	t.Helper()
	request, err := http.NewRequest(method, "http://"+server.address+"/pay", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func TestSignsNoRepeatThatTheAPIMayHaveCarriedOut(t *testing.T) {
	for name, answer := range map[string]string{
		"lost":          lost,
		"status 503":    statusAnswer("503 Service Unavailable"),
		"status 429":    statusAnswer("429 Too Many Requests"),
		"gateway error": refusalAnswer("upstream_timeout"),
		"replayed":      refusalAnswer("signature_replayed"),
	} {
		for _, method := range []string{"POST", "PATCH", "REPORT"} {
			for repeater, send := range map[string]func(*http.Client, *http.Request) error{
				"a loop": sendRepeatedly,
				"a loop with a timeout": func(client *http.Client, request *http.Request) error {
					client.Timeout = time.Minute
					return sendRepeatedly(client, request)
				},
				"a RoundTripper": func(client *http.Client, request *http.Request) error {
					client.Transport = around{client.Transport}
					_, err := client.Do(request)
					return err
				},
			} {
				t.Run(name+" "+method+" "+repeater, func(t *testing.T) {
					server := startWireServer(t, func(int, wireRequest) string { return answer })
					err := send(freshClient(t, newTestSigner(t, Options{})), newPayment(t, server, method))
					if !errors.Is(err, ErrRepeatNotSigned) {
						t.Errorf("the error is %v", err)
					}
					wantCode(t, err, RepeatNotSigned)
					if got := len(server.received()); got != 1 {
						t.Errorf("%d requests arrived", got)
					}
				})
			}
		}
	}
}

func TestSignsNoRepeatAfterARedirect(t *testing.T) {
	server := startWireServer(t, func(_ int, request wireRequest) string {
		if request.target == "/pay" {
			return "HTTP/1.1 307 Temporary Redirect\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n"
		}
		return lost
	})
	err := sendRepeatedly(freshClient(t, newTestSigner(t, Options{})), newPayment(t, server, "POST"))
	if !errors.Is(err, ErrRepeatNotSigned) {
		t.Errorf("the error is %v", err)
	}
	payments := 0
	for _, request := range server.received() {
		if request.target == "/new" {
			payments++
		}
	}
	if payments != 1 {
		t.Errorf("%d payments arrived", payments)
	}
}

func TestSignsNoPaymentAgainAfterARedirect(t *testing.T) {
	// Also not if what follows the redirect is lost, or refused by Countersign.
	for _, status := range []string{"302 Found", "303 See Other", "307 Temporary Redirect"} {
		for name, following := range map[string]string{"lost": lost, "refused": refusalAnswer("rate_limited")} {
			t.Run(status+" "+name, func(t *testing.T) {
				server := startWireServer(t, func(_ int, request wireRequest) string {
					if request.target == "/pay" {
						return "HTTP/1.1 " + status + "\r\nLocation: /done\r\nContent-Length: 0\r\n\r\n"
					}
					return following
				})
				err := sendRepeatedly(freshClient(t, newTestSigner(t, Options{})), newPayment(t, server, "POST"))
				if !errors.Is(err, ErrRepeatNotSigned) {
					t.Errorf("the error is %v", err)
				}
				payments := 0
				for _, request := range server.received() {
					if request.target == "/pay" {
						payments++
					}
				}
				if payments != 1 {
					t.Errorf("%d payments arrived", payments)
				}
			})
		}
	}
}

func TestSignsNoRepeatWithAnotherIdempotencyKey(t *testing.T) {
	for _, keys := range [][]string{{"one", "two"}, {"", "two"}, {"one", ""}} {
		server := startWireServer(t, func(int, wireRequest) string { return lost })
		client := freshClient(t, newTestSigner(t, Options{}))
		request := newPayment(t, server, "POST")
		var err error
		for _, key := range keys {
			request.Header.Set("Idempotency-Key", key)
			request.Body, _ = request.GetBody()
			_, err = client.Do(request)
		}
		if !errors.Is(err, ErrRepeatNotSigned) {
			t.Errorf("%q: the error is %v", keys, err)
		}
		if got := len(server.received()); got != 1 {
			t.Errorf("%q: %d requests arrived", keys, got)
		}
	}
}

func TestARefusalClearsOnlyTheAttemptThatItAnswers(t *testing.T) {
	server := startWireServer(t, func(n int, _ wireRequest) string {
		if n == 0 {
			return lost
		}
		return refusalAnswer("recently_restarted")
	})
	client := freshClient(t, newTestSigner(t, Options{}))
	request := newPayment(t, server, "POST")
	var err error
	for _, key := range []string{"one", "one", "two"} {
		request.Header.Set("Idempotency-Key", key)
		request.Body, _ = request.GetBody()
		_, err = client.Do(request)
	}
	if !errors.Is(err, ErrRepeatNotSigned) {
		t.Errorf("the error is %v", err)
	}
	if got := len(server.received()); got != 2 {
		t.Errorf("%d requests arrived", got)
	}
}

func TestTellsCallsWithACommonHeaderApart(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return statusAnswer("500 Internal Server Error") })
	client := freshClient(t, newTestSigner(t, Options{}))
	client.Timeout = time.Minute
	common := http.Header{"Accept": {"application/json"}}
	for range 2 {
		request := newPayment(t, server, "POST")
		request.Header = common
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
}

func TestGivesEachCallOfARequestAnIdempotencyKeyOfItsOwn(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return okAnswer })
	client := freshClient(t, newTestSigner(t, Options{IdempotencyKeys: true}))
	request := newPayment(t, server, "POST")
	for range 2 {
		if err := sendRepeatedly(client, request); err != nil {
			t.Fatal(err)
		}
	}
	received := server.received()
	if received[0].header.Get("Idempotency-Key") == received[1].header.Get("Idempotency-Key") {
		t.Error("two calls have one key")
	}
}

func TestSignsNoRepeatFromBelow(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return okAnswer })
	client := &http.Client{Transport: newTestSigner(t, Options{}).Transport(retrying{freshTransport(t)})}
	if _, err := client.Do(newPayment(t, server, "POST")); !errors.Is(err, ErrRepeatNotSigned) {
		t.Errorf("the error is %v", err)
	}
	if got := len(server.received()); got != 1 {
		t.Errorf("%d requests arrived", got)
	}
}

func TestSignsNoRepeatForAnotherKey(t *testing.T) {
	// net/http takes this header for an Idempotency-Key, and repeats the request when a kept connection breaks.
	server := startWireServer(t, func(n int, request wireRequest) string {
		if n == 1 && request.method == "POST" {
			return lost
		}
		return okAnswer
	})
	client := freshClient(t, newTestSigner(t, Options{}))
	response, err := client.Get("http://" + server.address + "/first")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	request := newPayment(t, server, "POST")
	request.Header.Set("X-Idempotency-Key", "one")
	if _, err := client.Do(request); !errors.Is(err, ErrRepeatNotSigned) {
		t.Errorf("the error is %v", err)
	}
	if got := len(server.received()); got != 2 {
		t.Errorf("%d requests arrived", got)
	}
}

func TestSignsRepeatsThatAreSafe(t *testing.T) {
	for name, test := range map[string]struct {
		method, key, answer string
		options             Options
	}{
		"refused by Countersign": {"POST", "", refusalAnswer("recently_restarted"), Options{}},
		"with a key":             {"POST", "one", lost, Options{}},
		"with a key of ours":     {"POST", "", lost, Options{IdempotencyKeys: true}},
		"an idempotent method":   {"PUT", "", lost, Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			server := startWireServer(t, func(n int, _ wireRequest) string {
				if n == 0 {
					return test.answer
				}
				return okAnswer
			})
			client := freshClient(t, newTestSigner(t, test.options))
			request := newPayment(t, server, test.method)
			if test.key != "" {
				request.Header.Set("Idempotency-Key", test.key)
			}
			if err := sendRepeatedly(client, request); err != nil {
				t.Fatal(err)
			}
			received := server.received()
			if len(received) != 2 {
				t.Fatalf("%d requests arrived", len(received))
			}
			verifier := newTestVerifier(t)
			var keys []string
			for _, request := range received {
				verifyWire(t, verifier, request)
				keys = append(keys, request.header.Get("Idempotency-Key"))
			}
			if keys[0] != keys[1] || (keys[0] != "") != (test.key != "" || test.options.IdempotencyKeys) {
				t.Errorf("the keys are %q", keys)
			}
		})
	}
}

func TestSignsAgainWhatWasNotSent(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return okAnswer })
	request := newPayment(t, server, "POST")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	request.URL.Host = listener.Addr().String()
	_ = listener.Close() // nobody listens there any more
	client := freshClient(t, newTestSigner(t, Options{}))
	if err := sendRepeatedly(client, request); err == nil || errors.Is(err, ErrRepeatNotSigned) {
		t.Errorf("the error is %v", err)
	}
}

func TestForgetsCallsWhoseRequestsAreGone(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return statusAnswer("500 Internal Server Error") })
	client := freshClient(t, newTestSigner(t, Options{}))
	calls := client.Transport.(*Transport).calls
	send := func(request *http.Request) {
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	for range 20 {
		send(newPayment(t, server, http.MethodPost))
	}
	kept := newPayment(t, server, http.MethodPost)
	send(kept)
	count := func() int {
		calls.mutex.Lock()
		defer calls.mutex.Unlock()
		return len(calls.byRequest)
	}
	for deadline := time.Now().Add(time.Minute); count() > 1; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatalf("%d calls are kept", count())
		}
	}
	if _, err := client.Do(kept); !errors.Is(err, ErrRepeatNotSigned) {
		t.Errorf("what the program still has was sent again: %v", err)
	}
}

func TestSignsTheSameRequestAgainAfterSuccess(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return okAnswer })
	client := freshClient(t, newTestSigner(t, Options{}))
	request := newPayment(t, server, "POST")
	for range 2 {
		if err := sendRepeatedly(client, request); err != nil {
			t.Error(err)
		}
	}
	if len(client.Transport.(*Transport).calls.byRequest) != 0 {
		t.Error("calls that have ended are remembered")
	}
}
