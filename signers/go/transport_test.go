package signer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign.dev/signer/signertest"
)

// onlyReader hides everything but Read, so that net/http does not learn a length and cannot rewind.
type onlyReader struct{ io.Reader }

func newRequest(t *testing.T, method string, body io.Reader) *http.Request {
	t.Helper()
	request, err := http.NewRequest(method, "http://127.0.0.1/v1/echo", body)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// closeRecorder tells whether a body was closed.
type closeRecorder struct {
	io.Reader
	isClosed bool
}

func (c *closeRecorder) Close() error {
	c.isClosed = true
	return nil
}

// failingReader breaks in the middle of a body.
type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("disk failure") }

func TestRejectsBodiesThatCannotBeBuffered(t *testing.T) {
	client := newTestSigner(t, Options{BodyBytesMax: 4}).Client()
	for name, test := range map[string]struct {
		body io.Reader
		code ErrorCode
	}{
		"too large":                 {strings.NewReader("12345"), BodyTooLarge},
		"too large, unknown length": {onlyReader{strings.NewReader("12345")}, BodyTooLarge},
		"broken":                    {failingReader{}, RequestInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			body := &closeRecorder{Reader: test.body}
			request := newRequest(t, "POST", body)
			if sized, isSized := test.body.(*strings.Reader); isSized {
				request.ContentLength = int64(sized.Len())
			}
			_, err := client.Do(request)
			wantCode(t, err, test.code)
			if !body.isClosed {
				t.Error("the body is left open")
			}
		})
	}
}

func TestLeavesTheRequestAsItIs(t *testing.T) {
	server := newTestVerifier(t).NewServer(http.NotFoundHandler())
	defer server.Close()
	body := &closeRecorder{Reader: strings.NewReader("{}")}
	request, err := http.NewRequest("post", strings.Replace(server.URL, "127.0.0.1", "LOCALHOST", 1)+"/?q=é", body)
	if err != nil {
		t.Fatal(err)
	}
	url := request.URL.String()
	request.Header.Set("Content-Type", "application/json")
	response, err := freshClient(t, newTestSigner(t, Options{})).Transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("the status is %d", response.StatusCode)
	}
	if request.Method != "post" || request.URL.String() != url || len(request.Header) != 1 || request.Body != io.ReadCloser(body) {
		t.Errorf("the request became %s %s %v", request.Method, request.URL, request.Header)
	}
	if !body.isClosed {
		t.Error("the body is left open")
	}
}

func TestReplacesSignaturesOfTheCaller(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return okAnswer })
	request := newRequest(t, "GET", nil)
	request.URL.Host, request.Host = server.address, ""
	for _, name := range []string{"Signature", "Signature-Input", "Content-Digest", "Date"} {
		request.Header.Set(name, "old")
	}
	response, err := freshClient(t, newTestSigner(t, Options{})).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if strings.Contains(strings.Join(server.received()[0].lines, "\n"), "old") {
		t.Error(server.received()[0].lines)
	}
	verifyWire(t, newTestVerifier(t), server.received()[0])
}

func TestSignsAgainWhenAKeptConnectionBreaks(t *testing.T) {
	for _, test := range []struct {
		method, idempotencyKey string
		body                   string
	}{{"GET", "", ""}, {"HEAD", "", ""}, {"OPTIONS", "", ""}, {"POST", "order-7", "{}"}, {"DELETE", "order-7", ""}} {
		t.Run(test.method, func(t *testing.T) {
			// The first request is answered, and its connection kept. The second one is read, and the connection closed.
			server := startWireServer(t, func(n int, request wireRequest) string {
				if n == 1 {
					return ""
				}
				return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
			})
			client := freshClient(t, newTestSigner(t, Options{}))
			for range 2 {
				request, err := http.NewRequest(test.method, "http://"+server.address+"/retry", strings.NewReader(test.body))
				if err != nil {
					t.Fatal(err)
				}
				if test.idempotencyKey != "" {
					request.Header.Set("Idempotency-Key", test.idempotencyKey)
				}
				response, err := client.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				_ = response.Body.Close()
			}
			received := server.received()
			if len(received) != 3 {
				t.Fatalf("%d requests arrived", len(received))
			}
			verifier := newTestVerifier(t)
			for _, request := range received {
				verifyWire(t, verifier, request)
			}
		})
	}
}

func TestDoesNotRepeatUnsafeRequests(t *testing.T) {
	server := startWireServer(t, func(n int, request wireRequest) string {
		if n == 1 {
			return ""
		}
		return okAnswer
	})
	client := freshClient(t, newTestSigner(t, Options{}))
	response, err := client.Post("http://"+server.address+"/once", "text/plain", strings.NewReader("1"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	if _, err = client.Post("http://"+server.address+"/once", "text/plain", strings.NewReader("2")); err == nil {
		t.Error("there is an answer")
	}
	if got := len(server.received()); got != 2 {
		t.Errorf("%d requests arrived", got)
	}
}

// retrying is a RoundTripper below the signer that sends everything twice.
type retrying struct{ base http.RoundTripper }

func (r retrying) RoundTrip(request *http.Request) (*http.Response, error) {
	first, err := r.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	_ = first.Body.Close()
	return r.base.RoundTrip(request)
}

func TestStopsRetriesBelowTheSigner(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return okAnswer })
	client := &http.Client{Transport: newTestSigner(t, Options{}).Transport(retrying{freshTransport(t)})}
	if _, err := client.Get("http://" + server.address + "/twice"); !errors.Is(err, errSentAgain) {
		t.Errorf("the error is %v", err)
	}
	verifier := newTestVerifier(t)
	for _, request := range server.received() {
		verifyWire(t, verifier, request)
	}
	if got := len(server.received()); got != attemptsMax {
		t.Errorf("%d requests arrived", got)
	}
}

func TestSignsRedirectsToItsOriginOnly(t *testing.T) {
	var mutex sync.Mutex
	var elsewhere []http.Header
	other := httptest.NewServer(nil)
	defer other.Close()
	verifier := newTestVerifier(t)
	var accepted atomic.Int32
	mux := http.NewServeMux()
	mux.Handle("/see", http.RedirectHandler("/end", http.StatusSeeOther))
	mux.Handle("/same", http.RedirectHandler("/end?again", http.StatusTemporaryRedirect))
	mux.Handle("/away", http.RedirectHandler(other.URL+"/stay", http.StatusTemporaryRedirect))
	mux.Handle("/there-and-back", http.RedirectHandler(other.URL+"/back", http.StatusTemporaryRedirect))
	mux.HandleFunc("/end", func(http.ResponseWriter, *http.Request) { accepted.Add(1) })
	server := verifier.NewServer(mux)
	defer server.Close()
	other.Config.Handler = http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		mutex.Lock()
		elsewhere = append(elsewhere, request.Header)
		mutex.Unlock()
		if request.URL.Path == "/back" {
			http.Redirect(response, request, server.URL+"/end", http.StatusTemporaryRedirect)
		}
	})
	client := freshClient(t, newTestSigner(t, Options{}))
	post := func(path string) (*http.Response, error) {
		response, err := client.Post(server.URL+path, "text/plain", strings.NewReader("x"))
		if err == nil {
			_ = response.Body.Close()
		}
		return response, err
	}
	for _, path := range []string{"/see", "/same"} {
		if _, err := post(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if accepted.Load() != 2 {
		t.Errorf("%d redirects arrived signed", accepted.Load())
	}
	if response, err := post("/away"); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("/away: %v", err)
	}
	// The other origin chose the URL, so the way back is not signed either.
	if response, err := post("/there-and-back"); err != nil || response.StatusCode != http.StatusUnauthorized {
		t.Errorf("/there-and-back: %v", err)
	}
	if len(elsewhere) != 2 {
		t.Errorf("%d requests went elsewhere", len(elsewhere))
	}
	for _, header := range elsewhere {
		for _, name := range []string{"Signature", "Signature-Input", "Content-Digest", "Date"} {
			if _, isThere := header[name]; isThere {
				t.Errorf("%s left its origin", name)
			}
		}
	}
}

func TestTakesOverTheServiceClockOnce(t *testing.T) {
	for _, offset := range []time.Duration{-time.Hour, 10 * time.Minute, 23 * time.Hour} {
		for _, method := range []string{"POST", "HEAD"} {
			t.Run(fmt.Sprint(method, offset), func(t *testing.T) {
				verifier := newTestVerifier(t)
				verifier.Now = func() time.Time { return time.Now().Add(offset) }
				var requests atomic.Int32
				handler := verifier.Handler(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
					_, _ = io.Copy(response, request.Body)
				}))
				server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
					requests.Add(1)
					handler.ServeHTTP(response, request)
				}))
				defer server.Close()
				client := freshClient(t, newTestSigner(t, Options{}))
				for want := range int32(2) {
					request, err := http.NewRequest(method, server.URL+"/clock", strings.NewReader("hello"))
					if err != nil {
						t.Fatal(err)
					}
					response, err := client.Do(request)
					if err != nil {
						t.Fatal(err)
					}
					body, _ := io.ReadAll(response.Body)
					_ = response.Body.Close()
					if method == "POST" && string(body) != "hello" {
						t.Errorf("the answer is %q", body)
					}
					if got := requests.Load(); got != want+2 { // the first one is sent twice, the second one once
						t.Errorf("%d requests were sent", got)
					}
				}
			})
		}
	}
}

// refusingServer answers everything with a problem document.
func refusingServer(t *testing.T, problem string) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		response.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
		response.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(response, problem)
	}))
	t.Cleanup(server.Close)
	return server, &requests
}

func TestCorrectsTheClockAtMostOnceAndADay(t *testing.T) {
	day := 24 * time.Hour
	for name, test := range map[string]struct {
		code       string
		serverTime string
		requests   int32
	}{
		"refused again":         {"created_expired", time.Now().UTC().Format(time.RFC3339), 2},
		"Date refused again":    {"date_mismatch", time.Now().UTC().Format(time.RFC3339), 2},
		"more than a day ahead": {"created_expired", time.Now().Add(day + time.Minute).UTC().Format(time.RFC3339), 1},
		"more than a day back":  {"created_in_future", time.Now().Add(-day - time.Minute).UTC().Format(time.RFC3339), 1},
		"no time":               {"created_expired", "", 1},
		"another code":          {"signature_invalid", time.Now().UTC().Format(time.RFC3339), 1},
	} {
		t.Run(name, func(t *testing.T) {
			server, requests := refusingServer(t, fmt.Sprintf(`{"type":"https://a.test/docs/errors#%s","code":%q,"serverTime":%q}`, test.code, test.code, test.serverTime))
			_, err := freshClient(t, newTestSigner(t, Options{})).Get(server.URL + "/clock")
			var refusal *Refusal
			if !errors.As(err, &refusal) || refusal.Code != test.code {
				t.Errorf("the error is %v", err)
			}
			if requests.Load() != test.requests {
				t.Errorf("%d requests were sent", requests.Load())
			}
		})
	}
}

func TestTakesOverNoClockOfTheAPI(t *testing.T) {
	there := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	server, requests := refusingServer(t, fmt.Sprintf(
		`{"type":"https://shop.example/problems#created_expired","code":"created_expired","serverTime":%q}`, there))
	signer := newTestSigner(t, Options{})
	response, err := freshClient(t, signer).Post(server.URL+"/pay", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized || requests.Load() != 1 {
		t.Errorf("status %d after %d requests", response.StatusCode, requests.Load())
	}
	if offset := signer.clockOffset.Load(); offset != 0 {
		t.Errorf("the clock was changed by %d ns", offset)
	}
}

const problemDocument = `{"type":"https://api.example.com/docs/errors#permission_denied","title":"Not permitted","status":403,
"detail":"Use another client.","code":"permission_denied","reason":"the operation needs payments:write",
"requestId":"request_01","serverTime":"2026-11-21T00:01:58.250Z"}`

func TestRefusalsAreTyped(t *testing.T) {
	server, _ := refusingServer(t, problemDocument)
	_, err := freshClient(t, newTestSigner(t, Options{})).Get(server.URL + "/typed")
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("the error is %v", err)
	}
	want := Refusal{
		Status: 401, Code: "permission_denied", Title: "Not permitted", Detail: "Use another client.",
		Reason: "the operation needs payments:write", RequestID: "request_01",
		ServerTime: time.Date(2026, 11, 21, 0, 1, 58, 250_000_000, time.UTC),
		Type:       "https://api.example.com/docs/errors#permission_denied",
	}
	if *refusal != want {
		t.Errorf("the refusal is %+v", *refusal)
	}
	message := "permission_denied: Not permitted. the operation needs payments:write. Use another client. (request_01)"
	if refusal.Error() != message {
		t.Errorf("the message is %s", refusal.Error())
	}
}

func TestRefusalsCanStayResponses(t *testing.T) {
	server, _ := refusingServer(t, problemDocument)
	response, err := freshClient(t, newTestSigner(t, Options{RefusalsAsResponses: true})).Get(server.URL + "/response")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); string(body) != problemDocument {
		t.Errorf("the body is %s", body)
	}
}

func TestPassesErrorsOfTheAPIThrough(t *testing.T) {
	long := `{"code":"order_closed","detail":"` + strings.Repeat("x", 100_000) + `"}`
	for name, test := range map[string]struct {
		status     int
		mediaType  string
		body       string
		wantsError bool
	}{
		"a code of the API":   {409, "application/problem+json", `{"code":"order_closed"}`, false},
		"a long document":     {409, "application/problem+json", long, false},
		"no document":         {500, "application/problem+json", `oops`, false},
		"another type":        {403, "application/json", `{"type":"https://a.test/docs/errors#client_disabled","code":"client_disabled"}`, false},
		"success":             {200, "application/problem+json", `{"type":"https://a.test/docs/errors#client_disabled","code":"client_disabled"}`, false},
		"ours without a type": {403, "application/problem+json", `{"code":"client_disabled"}`, false},
		"ours with no page":   {403, "application/problem+json", `{"code":"client_disabled","type":"about:blank"}`, false},
		"ours with another page": {
			403, "application/problem+json", `{"code":"client_disabled","type":"https://a.test/problems/client_disabled"}`, false,
		},
		"429":            {429, "application/problem+json", `{"code":"rate_limited","type":"https://a.test/docs/errors#rate_limited"}`, false},
		"503":            {503, "application/problem+json", `{"code":"guard_full","type":"https://a.test/docs/errors#guard_full"}`, false},
		"an operation's": {404, "application/problem+json", `{"code":"not_found"}`, false},
		"ours":           {403, "application/problem+json", `{"type":"https://a.test/docs/errors#client_disabled","code":"client_disabled"}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
				response.Header().Set("Content-Type", test.mediaType)
				response.WriteHeader(test.status)
				_, _ = io.WriteString(response, test.body)
			}))
			defer server.Close()
			response, err := freshClient(t, newTestSigner(t, Options{})).Get(server.URL + "/errors")
			if (err != nil) != test.wantsError {
				t.Fatalf("the error is %v", err)
			}
			if err != nil {
				return
			}
			defer response.Body.Close()
			if body, _ := io.ReadAll(response.Body); string(body) != test.body || response.StatusCode != test.status {
				t.Errorf("%d with %d bytes", response.StatusCode, len(body))
			}
		})
	}
}

func TestEqualRequestsFromManyGoroutinesAreAccepted(t *testing.T) {
	server := newTestVerifier(t).NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	client := freshClient(t, newTestSigner(t, Options{}))
	var group sync.WaitGroup
	for range 6 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 4 {
				response, err := client.Post(server.URL+"/equal", "text/plain", strings.NewReader("same"))
				if err != nil {
					t.Error(err)
					return
				}
				_ = response.Body.Close()
			}
		}()
	}
	group.Wait()
}

func TestEqualReadsAreAcceptedEverywhere(t *testing.T) {
	for _, isStrict := range []bool{false, true} {
		verifier := newTestVerifier(t)
		verifier.Strict = isStrict
		server := verifier.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		defer server.Close()
		client := freshClient(t, newTestSigner(t, Options{}))
		// A strict service gets a second for each, so there are as many as can be signed ahead.
		count := map[bool]int{false: 50, true: 25}[isStrict]
		var group sync.WaitGroup
		for range count {
			group.Add(1)
			go func() {
				defer group.Done()
				response, err := client.Get(server.URL + "/equal")
				if err != nil {
					t.Errorf("strict %v: %v", isStrict, err)
					return
				}
				_ = response.Body.Close()
			}()
		}
		group.Wait()
	}
}

func TestSignsOverHTTP2(t *testing.T) {
	verifier := newTestVerifier(t)
	server := httptest.NewUnstartedServer(verifier.Handler(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		_, _ = io.WriteString(response, request.Proto)
	})))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	client := &http.Client{Transport: newTestSigner(t, Options{}).Transport(server.Client().Transport)}
	for range 3 {
		response, err := client.Post(server.URL+"/h2?q=é", "text/plain", bytes.NewReader([]byte{0, 1}))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if string(body) != "HTTP/2.0" {
			t.Errorf("the protocol is %s", body)
		}
	}
}

func TestPassesCancellationOn(t *testing.T) {
	arrived := make(chan struct{})
	server := startWireServer(t, func(int, wireRequest) string {
		close(arrived)
		select {}
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	request, err := http.NewRequestWithContext(ctx, "GET", "http://"+server.address+"/cancel", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = freshClient(t, newTestSigner(t, Options{})).Do(request); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

func TestBodyCanBeReadAfterRoundTrip(t *testing.T) {
	// The context of the attempt must live until the body is closed.
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(response, "first ")
		_ = http.NewResponseController(response).Flush()
		_, _ = io.WriteString(response, strings.Repeat("x", 1<<20))
	}))
	defer server.Close()
	response, err := freshClient(t, newTestSigner(t, Options{})).Get(server.URL + "/slow")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || len(body) != 6+1<<20 {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

// bareTransport answers as transports for tests do: without a body, and without naming the request.
type bareTransport struct{ status int }

func (b bareTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: b.status, Header: http.Header{"Content-Type": {"application/problem+json"}}}, nil
}

func TestWorksWithTransportsForTests(t *testing.T) {
	for _, status := range []int{http.StatusNoContent, http.StatusNotFound} {
		client := &http.Client{Transport: newTestSigner(t, Options{}).Transport(bareTransport{status})}
		response, err := client.Get("http://127.0.0.1/bare")
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(response.Body); err != nil || len(body) > 0 || response.StatusCode != status {
			t.Errorf("%d %q, %v", response.StatusCode, body, err)
		}
		_ = response.Body.Close()
	}
}

func TestConnectionsCanSwitchProtocols(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string {
		return "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello"
	})
	request := newRequest(t, "GET", nil)
	request.URL.Host, request.Host = server.address, ""
	request.Header.Set("Connection", "Upgrade")
	request.Header.Set("Upgrade", "echo")
	response, err := freshClient(t, newTestSigner(t, Options{})).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, isWriter := response.Body.(io.Writer); !isWriter {
		t.Error("the connection cannot be written to")
	}
	verifyWire(t, newTestVerifier(t), server.received()[0])
}

func TestVerifierAnswersOfTheServerBecomeRefusals(t *testing.T) {
	other, err := signertest.NewVerifier("another", vectorKey(t, "rsa-2048-b").Public())
	if err != nil {
		t.Fatal(err)
	}
	server := other.NewServer(http.NotFoundHandler())
	defer server.Close()
	for _, method := range []string{"GET", "HEAD"} {
		request, err := http.NewRequest(method, server.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = freshClient(t, newTestSigner(t, Options{})).Do(request)
		var refusal *Refusal
		if !errors.As(err, &refusal) || refusal.Code != "signature_invalid" || refusal.Status != 401 {
			t.Errorf("%s: the error is %v", method, err)
		}
	}
}
