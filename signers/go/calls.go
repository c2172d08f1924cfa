package signer

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	neturl "net/url"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"
	"weak"
)

// openCalls knows the unsafe requests that were sent and may have been carried out, so that no RoundTripper or client
// around the transport has a second one signed.
//
// What is sent again is the same *http.Request, or a shallow copy that http.Client made for its timeout, which shares the
// URL and the header. Programs share a header among requests, but not both. A clone for each attempt cannot be told from a
// new request.
//
// It keeps no request alive: one that the program has let go of can't be sent again, and its call is forgotten.
type openCalls struct {
	mutex     sync.Mutex
	byRequest map[weak.Pointer[http.Request]]*openCall
	byParts   map[sharedParts]*openCall
	forgetAt  time.Time
}

// sharedParts is what a shallow copy has in common with its original.
type sharedParts struct {
	url    weak.Pointer[neturl.URL]
	header uintptr
}

func partsOf(request *http.Request) sharedParts {
	return sharedParts{weak.Make(request.URL), reflect.ValueOf(request.Header).Pointer()}
}

// openCall is one call of the program. It keeps the header alive, so that its address stays taken.
type openCall struct {
	request        weak.Pointer[http.Request]
	header         http.Header // of the request at first
	parts          sharedParts
	idempotencyKey string
	begun          time.Time
	unknown        map[string]*unknownOutcome // by method and URL
	whenGone       runtime.Cleanup
}

// unknownOutcome is what was sent, and may have been carried out.
type unknownOutcome struct {
	idempotencyKey string // empty without one
	attempts       int
}

// openCallsFor is longer than anything waits between two attempts.
const openCallsFor = time.Hour

type openCallKey struct{}

func newOpenCalls() *openCalls {
	return &openCalls{byRequest: map[weak.Pointer[http.Request]]*openCall{}, byParts: map[sharedParts]*openCall{}}
}

// isUnsafe reports whether sending a request twice can do something twice (RFC 9110 section 9.2.2).
func isUnsafe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return false
	}
	return true
}

func idempotencyKeyOf(header http.Header) string {
	return strings.TrimSpace(header.Get("Idempotency-Key"))
}

// of returns the call that a request belongs to: it was sent before, follows a redirect, or begins one.
func (c *openCalls) of(request *http.Request) *openCall {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	now := time.Now()
	c.forget(now)
	if request.Response != nil && request.Response.Request != nil {
		if call, isKnown := request.Response.Request.Context().Value(openCallKey{}).(*openCall); isKnown {
			return call
		}
	}
	identity, parts := weak.Make(request), partsOf(request)
	if call := c.byRequest[identity]; call != nil {
		return call
	}
	if call := c.byParts[parts]; call != nil && parts.header != 0 {
		return call
	}
	call := &openCall{
		request: identity, header: request.Header, parts: parts, idempotencyKey: randomUUID(), begun: now,
		unknown: map[string]*unknownOutcome{},
	}
	c.byRequest[identity] = call
	c.byParts[parts] = call
	// Every copy that may be sent again has this URL.
	call.whenGone = runtime.AddCleanup(request.URL, c.end, call)
	return call
}

// begin fails if the request was sent before and may have been carried out. Only the key that it was sent with keeps the API
// from doing it twice.
func (c *openCalls) begin(call *openCall, covered coveredParts, idempotencyKey string) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	name := covered.method + " " + covered.url
	outcome := call.unknown[name]
	if outcome == nil {
		outcome = &unknownOutcome{idempotencyKey: idempotencyKey}
		call.unknown[name] = outcome
	} else if idempotencyKey == "" || idempotencyKey != outcome.idempotencyKey {
		return repeatNotSigned(covered.method)
	}
	outcome.attempts++
	return nil
}

// notDone notes that one attempt was not carried out. Earlier ones may have been.
func (c *openCalls) notDone(call *openCall, covered coveredParts) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	name := covered.method + " " + covered.url
	if outcome := call.unknown[name]; outcome != nil {
		if outcome.attempts--; outcome.attempts == 0 {
			delete(call.unknown, name)
		}
	}
}

// end notes that the whole call has succeeded: what is sent from now on is another one.
func (c *openCalls) end(call *openCall) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.remove(call)
}

func (c *openCalls) remove(call *openCall) {
	call.whenGone.Stop()
	delete(c.byRequest, call.request)
	delete(c.byParts, call.parts)
}

func (c *openCalls) forget(now time.Time) {
	if now.Before(c.forgetAt) {
		return
	}
	c.forgetAt = now.Add(time.Minute)
	for _, call := range c.byRequest {
		if now.Sub(call.begun) > openCallsFor {
			c.remove(call)
		}
	}
}

// guarded is an unsafe request, whose second signature could be a second payment. Its methods do nothing for any other
// request, which is nil.
type guarded struct {
	calls          *openCalls
	call           *openCall
	covered        coveredParts
	idempotencyKey string
}

// guard returns nil if the request may be signed any number of times. It adds an Idempotency-Key if the signer has to, the
// same one for all attempts of a call.
func (t *Transport) guard(request *http.Request, final *finalRequest, covered coveredParts) *guarded {
	if !isUnsafe(covered.method) {
		return nil
	}
	call := t.calls.of(request)
	final.request = final.request.WithContext(context.WithValue(final.request.Context(), openCallKey{}, call))
	idempotencyKey := idempotencyKeyOf(final.request.Header)
	if idempotencyKey == "" && t.signer.idempotencyKeys {
		if final.request.Header == nil {
			final.request.Header = http.Header{}
		}
		idempotencyKey = call.idempotencyKey
		final.request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	return &guarded{t.calls, call, covered, idempotencyKey}
}

// isOnce reports whether a second attempt could be carried out a second time.
func (g *guarded) isOnce() bool { return g != nil && g.idempotencyKey == "" }

func (g *guarded) begin() error {
	if g == nil {
		return nil
	}
	return g.calls.begin(g.call, g.covered, g.idempotencyKey)
}

// answered notes what a response says about the request.
func (g *guarded) answered(status int, refusal *Refusal) {
	if g == nil {
		return
	}
	switch {
	case status < http.StatusMultipleChoices:
		g.calls.end(g.call)
	case refusal != nil && provesNothingWasDone(refusal.Code):
		g.calls.notDone(g.call, g.covered)
	}
}

// failed notes an error before there was a connection: nothing was sent.
func (g *guarded) failed(err error) {
	var operation *net.OpError
	if g != nil && errors.As(err, &operation) && operation.Op == "dial" {
		g.calls.notDone(g.call, g.covered)
	}
}

// provesNothingWasDone reports whether a refusal with this code means that the request did not reach the API.
func provesNothingWasDone(code string) bool {
	switch code {
	case "signature_replayed", "upstream_failed", "upstream_timeout", "outcome_unknown", "request_timeout", "internal_error":
		return false
	}
	return true
}

func randomUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	const digits = "0123456789abcdef"
	var text strings.Builder
	for i, octet := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text.WriteByte('-')
		}
		text.WriteByte(digits[octet>>4])
		text.WriteByte(digits[octet&15])
	}
	return text.String()
}
