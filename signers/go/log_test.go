package signer

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// logged collects what a logger writes, a line for each event, without the time.
type logged struct {
	mutex  sync.Mutex
	text   bytes.Buffer
	onLine func()
}

func (l *logged) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.onLine != nil {
		l.onLine()
	}
	return l.text.Write(line)
}

func (l *logged) lines() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return strings.Split(strings.TrimSuffix(l.text.String(), "\n"), "\n")
}

func newLog() (*slog.Logger, *logged) {
	lines := &logged{}
	leaveOutTime := func(_ []string, attribute slog.Attr) slog.Attr {
		if attribute.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return attribute
	}
	return slog.New(slog.NewTextHandler(lines, &slog.HandlerOptions{ReplaceAttr: leaveOutTime})), lines
}

func wantLines(t *testing.T, log *logged, want ...string) {
	t.Helper()
	got := log.lines()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the log is\n%s\ninstead of\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLogsARejectionWithoutTheQuery(t *testing.T) {
	server, _ := refusingServer(t, `{"type":"https://a.test/docs/errors#client_disabled","code":"client_disabled","requestId":"req_1"}`)
	logger, log := newLog()
	_, err := freshClient(t, newTestSigner(t, Options{Logger: logger})).Get(server.URL + "/pay?token=secret")
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	wantLines(t, log, `level=WARN msg="request rejected by the service" method=GET url=`+server.URL+
		`/pay status=401 code=client_disabled request_id=req_1`)
}

func TestLogsNoAnswerOfTheAPI(t *testing.T) {
	server, _ := refusingServer(t, `{"type":"https://a.test/problems#client_disabled","code":"client_disabled"}`)
	logger, log := newLog()
	response, err := freshClient(t, newTestSigner(t, Options{Logger: logger})).Get(server.URL + "/pay")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	wantLines(t, log, "")
}

func TestLogsARepeatThatItDoesNotSign(t *testing.T) {
	server := startWireServer(t, func(int, wireRequest) string { return lost })
	logger, log := newLog()
	err := sendRepeatedly(freshClient(t, newTestSigner(t, Options{Logger: logger})), newPayment(t, server, "POST"))
	if !errors.Is(err, ErrRepeatNotSigned) {
		t.Fatal(err)
	}
	lines := log.lines()
	for _, line := range lines {
		want := `level=WARN msg="repeated request not signed" method=POST url=http://` + server.address + `/pay`
		if line != want {
			t.Errorf("the log has %q", line)
		}
	}
}

func TestLogsAClockThatItCorrects(t *testing.T) {
	now := time.Unix(1_800_000_000, 0).UTC()
	serverTime := now.Add(time.Hour).Format(time.RFC3339)
	server, _ := refusingServer(t, fmt.Sprintf(
		`{"type":"https://a.test/docs/errors#created_expired","code":"created_expired","serverTime":%q}`, serverTime))
	logger, log := newLog()
	options := Options{Logger: logger, Now: func() time.Time { return now }}
	if _, err := freshClient(t, newTestSigner(t, options)).Get(server.URL + "/"); err == nil {
		t.Fatal("the request was not rejected")
	}
	rejected := `level=WARN msg="request rejected by the service" method=GET url=` + server.URL + `/ status=401 code=created_expired request_id=""`
	wantLines(t, log, rejected, `level=WARN msg="clock corrected, request signed again" offset=1h0m0s`, rejected)
}

func TestLogsAServiceThatIsStrict(t *testing.T) {
	server, _ := refusingServer(t, `{"type":"https://a.test/docs/errors#signature_replayed","code":"signature_replayed"}`)
	logger, log := newLog()
	if _, err := freshClient(t, newTestSigner(t, Options{Logger: logger})).Get(server.URL + "/"); err == nil {
		t.Fatal("the request was not rejected")
	}
	lines := log.lines()
	if len(lines) != 3 || lines[1] != `level=INFO msg="service rejects equal reads, each one gets a second of its own"` {
		t.Errorf("the log is %q", lines)
	}
}

func TestLogsARequestThatWaits(t *testing.T) {
	logger, log := newLog()
	var moved atomic.Int64
	options := Options{Logger: logger, Now: func() time.Time { return time.Unix(1_800_000_000+moved.Load(), 0) }}
	signer := newTestSigner(t, options)
	for range aheadSecondsMax + 1 {
		sign(t, signer, "POST", url, nil)
	}
	wantLines(t, log, "")
	// The next second comes when the request says that it waits for it.
	log.onLine = func() { moved.Add(1) }
	sign(t, signer, "POST", url, nil)
	wantLines(t, log, `level=INFO msg="request waits for a second of its own" method=POST url=`+url)
}

func TestLogsAKeyFileThatBreaksOnce(t *testing.T) {
	vectors := vectorKeyTexts(t)
	path := filepath.Join(t.TempDir(), "private.pem")
	replaceFile(t, path, vectors["rsa-2048-a"].PrivateKeyPem)
	logger, log := newLog()
	signer := newTestSigner(t, Options{PrivateKeyFile: path, Logger: logger})
	file := signer.key.(*fileKey)
	signWhenDue := func(content string) {
		replaceFile(t, path, content)
		file.checkedAt = time.Now().Add(-fileCheckInterval)
		sign(t, signer, "POST", url, nil)
	}
	broken := vectors["rsa-2048-a"].PrivateKeyPem[:500]
	signWhenDue(broken)
	signWhenDue(broken)
	if lines := log.lines(); len(lines) != 1 || !strings.Contains(lines[0], `msg="still signing with the previous key" error="signer: `) {
		t.Errorf("the log is %q", lines)
	}
	signWhenDue(vectors["rsa-2048-a"].PrivateKeyPem)
	signWhenDue(broken)
	if lines := log.lines(); len(lines) != 2 {
		t.Errorf("the log is %q", lines)
	}
}
