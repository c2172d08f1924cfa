use std::collections::HashMap;
use std::fs::{self, DirEntry, OpenOptions};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use ring::digest::{SHA256, digest};

use crate::error::{Error, ErrorCode};

/// How long a used second is remembered: until no service accepts its signature, plus a margin.
const REMEMBER_FOR: Duration = Duration::from_secs(420);

/// Shared by all signers of the process, because two of them may have the same key.
static PROCESS_SECONDS: LazyLock<Mutex<UsedSeconds>> = LazyLock::new(Mutex::default);

/// Distinguishes a request from others in the same second, in the same way in every language.
pub(crate) fn hash_request(keyid: &str, method: &str, url: &str, content_digest: &str) -> String {
    let text = [keyid, method, url, content_digest].join("\0");
    digest(&SHA256, text.as_bytes()).as_ref()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reports whether a request had not been signed in this second, or not longer ago than `shared`, and records that it has
/// been now.
pub(crate) fn take(own: Option<&Mutex<UsedSeconds>>, hash: &str, second: i64, shared: Duration) -> bool {
    let seconds = own.unwrap_or(&PROCESS_SECONDS);
    seconds.lock().unwrap_or_else(PoisonError::into_inner).take(hash, second, shared, Instant::now())
}

/// Remembers which request was signed in which second. RSASSA-PKCS1-v1_5 is deterministic, so two equal requests in one
/// second would have one signature, and a service takes the second one for a replay.
#[derive(Default)]
pub(crate) struct UsedSeconds {
    seconds: HashMap<i64, UsedSecond>,
    forget_at: Option<Instant>,
}

struct UsedSecond {
    /// When each request was first signed.
    hashes: HashMap<String, Instant>,
    last_use: Instant,
}

impl UsedSeconds {
    /// Takes a monotonic time, so that a wall clock that jumps forgets nothing.
    fn take(&mut self, hash: &str, second: i64, shared: Duration, now: Instant) -> bool {
        self.forget(now);
        let entry = self.seconds.entry(second).or_insert_with(|| UsedSecond { hashes: HashMap::new(), last_use: now });
        if let Some(first) = entry.hashes.get(hash) {
            return now.duration_since(*first) < shared;
        }
        entry.hashes.insert(hash.to_owned(), now);
        entry.last_use = now;
        true
    }

    fn forget(&mut self, now: Instant) {
        if self.forget_at.is_some_and(|due| now < due) {
            return;
        }
        self.forget_at = Some(now + Duration::from_secs(1));
        self.seconds.retain(|_, entry| now.duration_since(entry.last_use) <= REMEMBER_FOR);
    }
}

/// Records used seconds for several processes: a file `HASH.SECOND` for each signature, created exclusively.
pub(crate) struct SharedFolder {
    path: PathBuf,
    forget_at: Mutex<Option<Instant>>,
}

impl SharedFolder {
    pub(crate) fn open(path: PathBuf) -> Result<Self, Error> {
        create_private_folder(&path).map_err(|source| {
            Error::with_source(ErrorCode::SigningFailed, "the shared folder cannot be created", source)
        })?;
        Ok(Self { path, forget_at: Mutex::new(None) })
    }

    /// Reports whether this call created the record.
    pub(crate) fn take(&self, hash: &str, second: i64) -> Result<bool, Error> {
        self.forget(Instant::now());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(self.path.join(format!("{hash}.{second}"))) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(source) => {
                Err(Error::with_source(ErrorCode::SigningFailed, "the shared folder cannot be written", source))
            }
        }
    }

    /// Deletes old records, at most once a minute. Another process may be doing the same.
    fn forget(&self, now: Instant) {
        let mut forget_at = self.forget_at.lock().unwrap_or_else(PoisonError::into_inner);
        if forget_at.is_some_and(|due| now < due) {
            return;
        }
        *forget_at = Some(now + Duration::from_secs(60));
        drop(forget_at);
        let Ok(entries) = fs::read_dir(&self.path) else {
            return;
        };
        for entry in entries.flatten().filter(is_old_record) {
            // Ignored: another process was faster, or the next one will be.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_old_record(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let Some((hash, second)) = name.to_str().and_then(|name| name.split_once('.')) else {
        return false;
    };
    let is_record = hash.len() == 32
        && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && !second.is_empty()
        && second.bytes().all(|byte| byte.is_ascii_digit());
    let age = entry.metadata().and_then(|data| data.modified()).map(|time| SystemTime::now().duration_since(time));
    is_record && matches!(age, Ok(Ok(age)) if age > REMEMBER_FOR)
}

fn create_private_folder(path: &PathBuf) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_seconds_that_no_service_accepts() {
        let start = Instant::now();
        let mut used = UsedSeconds::default();
        assert!(used.take("request", 1, Duration::ZERO, start));
        assert!(!used.take("request", 1, Duration::ZERO, start + REMEMBER_FOR));
        assert!(used.take("other", 2, Duration::ZERO, start + REMEMBER_FOR + Duration::from_secs(2)));
        assert_eq!(used.seconds.len(), 1);
    }

    #[test]
    fn shares_a_second_only_for_a_while() {
        let start = Instant::now();
        let shared = Duration::from_secs(1);
        let mut used = UsedSeconds::default();
        assert!(used.take("read", 1, shared, start));
        assert!(used.take("read", 1, shared, start + Duration::from_millis(999)));
        assert!(!used.take("read", 1, shared, start + Duration::from_secs(1)));
        assert!(!used.take("read", 1, Duration::ZERO, start));
    }
}
