package signer

import (
	"context"
	"log/slog"
	"strings"
	"time"
)

// events tells Options.Logger what the signer decides on its own. The attributes are method, url (without its query, which may
// hold secrets) and what is special to the event; never a header, a body or a key.
type events struct{ log *slog.Logger }

func newEvents(logger *slog.Logger) events {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return events{logger}
}

func (e events) waits(ctx context.Context, covered coveredParts) {
	e.log.LogAttrs(ctx, slog.LevelInfo, "request waits for a second of its own", of(covered)...)
}

func (e events) repeatNotSigned(ctx context.Context, covered coveredParts) {
	e.log.LogAttrs(ctx, slog.LevelWarn, "repeated request not signed", of(covered)...)
}

func (e events) refused(ctx context.Context, covered coveredParts, refusal *Refusal) {
	e.log.LogAttrs(ctx, slog.LevelWarn, "request rejected by the service", append(of(covered),
		slog.Int("status", refusal.Status), slog.String("code", refusal.Code), slog.String("request_id", refusal.RequestID))...)
}

func (e events) clockCorrected(ctx context.Context, offset time.Duration) {
	e.log.LogAttrs(ctx, slog.LevelWarn, "clock corrected, request signed again", slog.Duration("offset", offset))
}

func (e events) becameStrict(ctx context.Context) {
	e.log.LogAttrs(ctx, slog.LevelInfo, "service rejects equal reads, each one gets a second of its own")
}

func (e events) keyNotRead(err error) {
	e.log.LogAttrs(context.Background(), slog.LevelWarn, "still signing with the previous key", slog.Any("error", err))
}

func of(covered coveredParts) []slog.Attr {
	url, _, _ := strings.Cut(covered.url, "?")
	return []slog.Attr{slog.String("method", covered.method), slog.String("url", url)}
}
