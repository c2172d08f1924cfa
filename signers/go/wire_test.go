package signer

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign.dev/signer/signertest"
)

// wireServer records requests as they arrive, down to the last byte of the request line.
type wireServer struct {
	address string
	// answer returns what is written to the connection after the n-th request, from 0; "" closes it.
	answer func(n int, request wireRequest) string

	mutex    sync.Mutex
	requests []wireRequest
}

type wireRequest struct {
	method, target string
	header         http.Header
	lines          []string // of the head, without the request line
	body           []byte
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func startWireServer(t *testing.T, answer func(n int, request wireRequest) string) *wireServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &wireServer{address: listener.Addr().String(), answer: answer}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go server.serve(connection)
		}
	}()
	return server
}

func (s *wireServer) serve(connection net.Conn) {
	defer connection.Close()
	reader := bufio.NewReader(connection)
	for {
		request, err := readWireRequest(reader)
		if err != nil {
			return
		}
		s.mutex.Lock()
		n := len(s.requests)
		s.requests = append(s.requests, request)
		s.mutex.Unlock()
		answer := s.answer(n, request)
		if answer == "" {
			return
		}
		if _, err := io.WriteString(connection, answer); err != nil {
			return
		}
	}
}

func readWireRequest(reader *bufio.Reader) (wireRequest, error) {
	var request wireRequest
	var head strings.Builder
	for !strings.HasSuffix(head.String(), "\r\n\r\n") {
		line, err := reader.ReadString('\n')
		if err != nil {
			return request, err
		}
		head.WriteString(line)
	}
	lines := strings.Split(strings.TrimSuffix(head.String(), "\r\n\r\n"), "\r\n")
	request.method, request.target, _ = strings.Cut(lines[0], " ")
	request.target = strings.TrimSuffix(request.target, " HTTP/1.1")
	request.lines = lines[1:]
	// Only for the headers and the body; its request line is not looked at.
	parsed, err := http.ReadRequest(bufio.NewReader(io.MultiReader(
		strings.NewReader("POST / HTTP/1.1\r\n"+strings.Join(lines[1:], "\r\n")+"\r\n\r\n"), reader)))
	if err != nil {
		return request, err
	}
	request.header = parsed.Header
	request.header.Set("Host", parsed.Host)
	request.body = make([]byte, max(parsed.ContentLength, 0))
	_, err = io.ReadFull(parsed.Body, request.body)
	return request, err
}

func (s *wireServer) received() []wireRequest {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]wireRequest(nil), s.requests...)
}

// verifyWire checks a request exactly as it arrived.
func verifyWire(t *testing.T, verifier *signertest.Verifier, request wireRequest) {
	t.Helper()
	err := verifier.Verify(signertest.Request{
		Method: request.method,
		URL:    "http://" + request.header.Get("Host") + request.target,
		Header: request.header,
		Body:   request.body,
	})
	if err != nil {
		t.Errorf("%s %s: %v", request.method, request.target, err)
	}
}

func newTestVerifier(t *testing.T) *signertest.Verifier {
	t.Helper()
	verifier, err := signertest.NewVerifier("shop", vectorKey(t, "rsa-2048-a").Public())
	if err != nil {
		t.Fatal(err)
	}
	return verifier
}

// freshTransport keeps the connections of a test from others.
func freshTransport(t *testing.T) *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

func freshClient(t *testing.T, signer *Signer) *http.Client {
	return &http.Client{Transport: signer.Transport(freshTransport(t))}
}
