package signer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// rememberFor is how long a used second is remembered: until no service accepts its signature, plus a margin.
const rememberFor = 420 * time.Second

// processSeconds is shared by all signers of the process, because two of them may have the same key.
var processSeconds = newUsedSeconds()

// hashRequest distinguishes a request from others in the same second, in the same way in every language.
func hashRequest(keyid string, covered coveredParts) string {
	parts := []string{keyid, covered.method, covered.url, covered.contentDigest}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// usedSeconds remembers which request was signed in which second. Two equal requests in
// one second would have one signature, or with ECDSA one that counts as the same, and a service takes the second one for a replay.
type usedSeconds struct {
	mutex    sync.Mutex
	seconds  map[int64]*usedSecond
	forgetAt time.Time
	clock    func() time.Time
}

type usedSecond struct {
	hashes  map[string]time.Time // when each was first signed
	lastUse time.Time
}

func newUsedSeconds() *usedSeconds {
	return &usedSeconds{seconds: map[int64]*usedSecond{}, clock: time.Now}
}

// equalReadsFor is how long equal reads share a second. Services accept equal ones for two seconds, which leaves one for the
// way.
const equalReadsFor = time.Second

// take reports whether the request had not been signed in this second, and records that it has been now.
func (u *usedSeconds) take(hash string, second int64) bool {
	return u.takeShared(hash, second, 0)
}

// takeShared also reports true for a second in which the request was signed, but not longer ago than shared.
func (u *usedSeconds) takeShared(hash string, second int64, shared time.Duration) bool {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	now := u.clock() // its monotonic part: a wall clock that jumps forgets nothing
	u.forget(now)
	entry := u.seconds[second]
	if entry == nil {
		entry = &usedSecond{hashes: map[string]time.Time{}}
		u.seconds[second] = entry
	}
	if firstUse, isUsed := entry.hashes[hash]; isUsed {
		return now.Sub(firstUse) < shared
	}
	entry.hashes[hash] = now
	entry.lastUse = now
	return true
}

func (u *usedSeconds) forget(now time.Time) {
	if now.Before(u.forgetAt) {
		return
	}
	u.forgetAt = now.Add(time.Second)
	for second, entry := range u.seconds {
		if now.Sub(entry.lastUse) > rememberFor {
			delete(u.seconds, second)
		}
	}
}

// sharedFolder records used seconds for several processes: a file HASH.SECOND for each signature, created exclusively.
type sharedFolder struct {
	path     string
	mutex    sync.Mutex
	forgetAt time.Time
}

var recordName = regexp.MustCompile(`^[0-9a-f]{32}\.[0-9]+$`)

// take reports whether this call created the record.
func (f *sharedFolder) take(hash string, second int64) (bool, error) {
	f.forget(time.Now())
	name := filepath.Join(f.path, hash+"."+strconv.FormatInt(second, 10))
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, file.Close()
}

// forget deletes old records, at most once a minute. Another process may be doing the same.
func (f *sharedFolder) forget(now time.Time) {
	f.mutex.Lock()
	isDue := !now.Before(f.forgetAt)
	if isDue {
		f.forgetAt = now.Add(time.Minute)
	}
	f.mutex.Unlock()
	if !isDue {
		return
	}
	entries, _ := os.ReadDir(f.path)
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && recordName.MatchString(entry.Name()) && now.Sub(info.ModTime()) > rememberFor {
			_ = os.Remove(filepath.Join(f.path, entry.Name()))
		}
	}
}
