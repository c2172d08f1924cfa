package signer

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

const attemptsMax = 10

var errSentAgain = errors.New("signer: the connection broke before the service answered")

// sendOnce sends a request on one connection only. net/http by itself sends a safe request again, with its old signature,
// when a connection that was kept open breaks; the service may have used that signature already. The second connection is
// closed before anything is written to it, and the error is errSentAgain. wasWritten tells whether the first one got the
// headers.
func sendOnce(
	ctx context.Context, base http.RoundTripper, build func(context.Context) *http.Request,
) (response *http.Response, wasWritten bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var connections atomic.Int32
	var written atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaders: func() { written.Store(true) },
		GotConn: func(info httptrace.GotConnInfo) {
			// HTTP/2 sends again only what the server has not processed, on connections that others use too.
			if connections.Add(1) > 1 && !isHTTP2(info.Conn) {
				cancel(errSentAgain)
				_ = info.Conn.Close()
			}
		},
	})
	response, err = base.RoundTrip(build(traced))
	if context.Cause(ctx) == errSentAgain {
		if err == nil && response.Body != nil {
			_ = response.Body.Close()
		}
		return nil, written.Load(), errSentAgain
	}
	if err != nil {
		cancel(err)
		return nil, written.Load(), err
	}
	if response.Body == nil {
		response.Body = http.NoBody // some transports for tests leave it out
	}
	response.Body = cancelOnClose(response.Body, cancel)
	return response, true, nil
}

func isHTTP2(connection net.Conn) bool {
	secure, isTLS := connection.(*tls.Conn)
	return isTLS && secure.ConnectionState().NegotiatedProtocol == "h2"
}

// cancelOnClose frees the context when the body is closed. A body that can be written to, after a switch of protocols,
// stays one.
func cancelOnClose(body io.ReadCloser, cancel context.CancelCauseFunc) io.ReadCloser {
	closing := &closingBody{body, cancel}
	if writer, isWriter := body.(io.Writer); isWriter {
		return struct {
			io.ReadCloser
			io.Writer
		}{closing, writer}
	}
	return closing
}

type closingBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *closingBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}
