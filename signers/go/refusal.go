package signer

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Refusal is the service's answer to a request that it rejected. Match on Code; texts may change.
type Refusal struct {
	// Status is the HTTP status code.
	Status int
	// Code is one of the service's error codes, such as "signature_invalid".
	Code string
	// Title says what happened.
	Title string
	// Detail says what to do.
	Detail string
	// Reason says what is wrong with this request, if the service tells.
	Reason string
	// RequestID identifies the request in the service's log.
	RequestID string
	// ServerTime is the service's clock, with errors about the time; zero otherwise.
	ServerTime time.Time
	// Type is the address of the code's documentation.
	Type string
}

// Error returns the code, what happened, what is wrong with this request, what to do, and the request ID.
func (r *Refusal) Error() string {
	text := r.Code + ":"
	for _, sentence := range []string{r.Title, r.Reason, r.Detail} {
		if sentence == "" {
			continue
		}
		text += " " + sentence
		if !strings.ContainsAny(sentence[len(sentence)-1:], ".!?") {
			text += "."
		}
	}
	if r.Code == "signature_replayed" {
		text += " The first request with this signature may have been accepted: look it up before sending again."
	}
	if r.RequestID != "" {
		text += " (" + r.RequestID + ")"
	}
	return text
}

// refusalBytesMax is far more than a problem document of the service has.
const refusalBytesMax = 64 << 10

// ReadRefusal returns the service's refusal in a response, such as one with status 429 or 503, which the transport leaves as
// it is; nil for a response of the API's own. The response stays readable.
func ReadRefusal(response *http.Response) *Refusal { return readRefusal(response) }

// readRefusal returns nil for a response that is none of the service's refusals. The response stays readable. The type of a
// refusal is the page of its code: an API may use a code like one of these in problem documents of its own.
func readRefusal(response *http.Response) *Refusal {
	if response.StatusCode < http.StatusBadRequest {
		return nil
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if mediaType != "application/problem+json" {
		return nil
	}
	if response.Request != nil && response.Request.Method == http.MethodHead {
		return refusalFromHead(response)
	}
	start, err := io.ReadAll(io.LimitReader(response.Body, refusalBytesMax))
	response.Body = &resumedBody{io.MultiReader(bytes.NewReader(start), response.Body), response.Body}
	if err != nil {
		return nil
	}
	var problem struct{ Code, Title, Detail, Reason, RequestID, ServerTime, Type string }
	if json.Unmarshal(start, &problem) != nil || !isServiceCode(problem.Code) || !strings.HasSuffix(problem.Type, "/docs/errors#"+problem.Code) {
		return nil
	}
	serverTime, _ := time.Parse(time.RFC3339, problem.ServerTime)
	return &Refusal{
		Status: response.StatusCode, Code: problem.Code, Title: problem.Title, Detail: problem.Detail,
		Reason: problem.Reason, RequestID: problem.RequestID, ServerTime: serverTime, Type: problem.Type,
	}
}

var challenge = regexp.MustCompile(`^Signature error="([a-z_]+)"$`)

// refusalFromHead reads the code of a 401 from its headers, because the answer to HEAD has no body.
func refusalFromHead(response *http.Response) *Refusal {
	found := challenge.FindStringSubmatch(response.Header.Get("WWW-Authenticate"))
	if found == nil || !isServiceCode(found[1]) {
		return nil
	}
	serverTime, _ := http.ParseTime(response.Header.Get("Date"))
	return &Refusal{
		Status: response.StatusCode, Code: found[1], Title: http.StatusText(response.StatusCode), ServerTime: serverTime,
	}
}

// isTemporary reports whether the request can be sent again later. The response stays one, because clients and RoundTrippers
// retry these statuses.
func (r *Refusal) isTemporary() bool {
	return r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable
}

// resumedBody begins with what has been read of a body.
type resumedBody struct {
	io.Reader
	io.Closer
}

// clockCorrectionMax keeps a service from having signatures made for the far future.
const clockCorrectionMax = 24 * time.Hour

// correctClock takes over the service's clock if the refusal is about the time, and reports whether it did.
func (s *Signer) correctClock(ctx context.Context, refusal *Refusal) bool {
	switch refusal.Code {
	case "created_expired", "created_in_future", "date_mismatch":
	default:
		return false
	}
	if refusal.ServerTime.IsZero() {
		return false
	}
	offset := refusal.ServerTime.Sub(s.now())
	if offset.Abs() > clockCorrectionMax {
		return false
	}
	s.clockOffset.Store(int64(offset))
	s.events.clockCorrected(ctx, offset)
	return true
}
