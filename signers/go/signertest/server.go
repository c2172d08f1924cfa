package signertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"time"
)

// NewServer starts a server that verifies each request and passes what is accepted to next. Close it at the end of the
// test.
//
//	server := verifier.NewServer(http.HandlerFunc(yourDouble))
//	defer server.Close()
func (v *Verifier) NewServer(next http.Handler) *httptest.Server {
	return httptest.NewServer(v.Handler(next))
}

// Handler verifies each request. What is rejected is answered as a service answers it, with a problem document; what is
// accepted goes to next, with its body unread. The URL that must have been signed is the one that was called: the
// connection's scheme, the Host header and the raw request target.
func (v *Verifier) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			http.Error(response, "the body cannot be read", http.StatusBadRequest)
			return
		}
		scheme := "http"
		if request.TLS != nil {
			scheme = "https"
		}
		received := Request{
			Method: request.Method,
			URL:    scheme + "://" + request.Host + request.RequestURI,
			Header: request.Header,
			Body:   body,
		}
		var refusal *Refusal
		if errors.As(v.Verify(received), &refusal) {
			v.answer(response, refusal)
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(response, request)
	})
}

// problem is the service's problem document.
type problem struct {
	Type       string `json:"type"`
	Title      string `json:"title"`
	Status     int    `json:"status"`
	Detail     string `json:"detail"`
	Code       string `json:"code"`
	Reason     string `json:"reason"`
	RequestID  string `json:"requestId"`
	ServerTime string `json:"serverTime,omitempty"`
}

func (v *Verifier) answer(response http.ResponseWriter, refusal *Refusal) {
	status := http.StatusUnauthorized
	if refusal.Code == "request_malformed" {
		status = http.StatusBadRequest
	}
	document := problem{
		Type:      "https://example.com/docs/errors#" + refusal.Code,
		Title:     "The request is not signed as the service requires",
		Status:    status,
		Detail:    "Compare the request with the reason.",
		Code:      refusal.Code,
		Reason:    refusal.Reason,
		RequestID: "request_of_signertest",
	}
	switch refusal.Code {
	case "created_expired", "created_in_future", "date_mismatch":
		now := time.Now
		if v.Now != nil {
			now = v.Now
		}
		document.ServerTime = now().UTC().Format("2006-01-02T15:04:05.000Z07:00")
		response.Header().Set("Date", now().UTC().Format(http.TimeFormat))
	}
	if status == http.StatusUnauthorized {
		response.Header().Set("WWW-Authenticate", `Signature error="`+refusal.Code+`"`)
	}
	response.Header().Set("Content-Type", "application/problem+json")
	response.WriteHeader(status)
	_ = json.NewEncoder(response).Encode(document)
}
