/*
 * Fails one system call of a program, or kills the program there. Preload it; a file that is mapped into memory says what to
 * fail, and counts. The program's libraries all call the system through libc, so nothing of them is replaced.
 *
 * FAILING_CALLS_CONTROL  the file, of sizeof(struct control) bytes
 * FAILING_CALLS_FOLDER   the folder whose files count
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* In the order of `callKinds` in failing-calls.ts. */
enum kind { OPEN, READ, WRITE, SYNC, TRUNCATE, RENAME, REMOVE, ACCEPT, CONNECT, SEND, RECEIVE, PRINT, KINDS };

/* Not errnos: the process is killed, or half of the bytes are written and then the disk is full. */
enum { KILL = 1000, HALF = 1001 };

struct control {
  /* 0: nothing counts. 1: files in the folder and sockets count. 2: so does the opening of every other file. */
  _Atomic uint32_t scope;
  _Atomic uint32_t kind;
  /* Counted from 1; 0 fails nothing. */
  _Atomic uint32_t position;
  _Atomic uint32_t fault;
  _Atomic uint32_t fired;
  _Atomic uint32_t counts[KINDS];
  /* What was failed, for people. */
  char call[200];
};

static struct control *control;
static char folder[4096];
static size_t folder_length;
/* After a half-written file the disk is full, once. */
static _Atomic int full_file = -1;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

__attribute__((constructor)) static void start(void) {
  const char *file = getenv("FAILING_CALLS_CONTROL");
  const char *path = getenv("FAILING_CALLS_FOLDER");
  /* What the program starts is not asked about. */
  unsetenv("LD_PRELOAD");
  if (file == NULL || path == NULL) return;
  int descriptor = REAL(open)(file, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) abort();
  void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) abort();
  close(descriptor);
  folder_length = strlen(path);
  if (folder_length >= sizeof(folder)) abort();
  memcpy(folder, path, folder_length + 1);
  control = mapped;
}

static int is_in_folder(const char *path) {
  return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == '\0');
}

/* Counts a call, and returns the fault to fail it with, 0 for none. */
static uint32_t count(enum kind kind, const char *name, const char *what) {
  if (control == NULL || control->scope == 0) return 0;
  uint32_t position = atomic_fetch_add(&control->counts[kind], 1) + 1;
  if (control->position != position || control->kind != kind) return 0;
  if (atomic_exchange(&control->fired, 1) != 0) return 0;
  snprintf(control->call, sizeof(control->call), "%s %s", name, what);
  if (control->fault == KILL) raise(SIGKILL);
  return control->fault;
}

static int fails(enum kind kind, const char *name, const char *what) {
  uint32_t fault = count(kind, name, what);
  if (fault == 0 || fault == HALF) return 0;
  errno = (int)fault;
  return 1;
}

/* Tells a socket and a file in the folder from everything else. */
enum target { OTHER, FILE_IN_FOLDER, SOCKET };

static enum target target_of(int descriptor, char *path, size_t size) {
  struct stat status;
  path[0] = '\0';
  if (control == NULL || control->scope == 0 || fstat(descriptor, &status) != 0) return OTHER;
  if (S_ISSOCK(status.st_mode)) {
    struct sockaddr_storage address;
    socklen_t length = sizeof(address);
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0 || address.ss_family == AF_UNIX) return OTHER;
    snprintf(path, size, "socket");
    return SOCKET;
  }
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return OTHER;
  char link[64];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return OTHER;
  path[length] = '\0';
  return is_in_folder(path) ? FILE_IN_FOLDER : OTHER;
}

static int open_fails(const char *name, const char *path) {
  if (control == NULL || path == NULL) return 0;
  if (control->scope < 2 && !is_in_folder(path)) return 0;
  return fails(OPEN, name, path);
}

#define MODE(flags)                                          \
  mode_t mode = 0;                                           \
  if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list rest;                                            \
    va_start(rest, flags);                                   \
    mode = va_arg(rest, mode_t);                             \
    va_end(rest);                                            \
  }

int open(const char *path, int flags, ...) {
  MODE(flags)
  return open_fails("open", path) ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE(flags)
  return open_fails("open", path) ? -1 : REAL(open64)(path, flags, mode);
}

int openat(int at, const char *path, int flags, ...) {
  MODE(flags)
  return open_fails("openat", path) ? -1 : REAL(openat)(at, path, flags, mode);
}

int openat64(int at, const char *path, int flags, ...) {
  MODE(flags)
  return open_fails("openat", path) ? -1 : REAL(openat64)(at, path, flags, mode);
}

/* Returns whether reading fails. */
static int read_fails(const char *name, int descriptor) {
  char path[4096];
  switch (target_of(descriptor, path, sizeof(path))) {
    case FILE_IN_FOLDER: return fails(READ, name, path);
    case SOCKET: return fails(RECEIVE, name, path);
    default: return 0;
  }
}

/* Returns how many of the bytes may be written; less than 0 when writing fails. */
static ssize_t writable(const char *name, int descriptor, size_t size) {
  char path[4096];
  uint32_t fault = 0;
  enum target target = target_of(descriptor, path, sizeof(path));
  if (target == FILE_IN_FOLDER) {
    if (full_file == descriptor) {
      full_file = -1;
      errno = ENOSPC;
      return -1;
    }
    fault = count(WRITE, name, path);
  } else if (target == SOCKET) {
    fault = count(SEND, name, path);
  } else if (descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO) {
    fault = count(PRINT, name, descriptor == STDOUT_FILENO ? "standard output" : "standard error");
  }
  if (fault == 0) return (ssize_t)size;
  if (fault == HALF && size > 1) {
    full_file = descriptor;
    return (ssize_t)(size / 2);
  }
  errno = fault == HALF ? ENOSPC : (int)fault;
  return -1;
}

static size_t size_of(const struct iovec *parts, int count) {
  size_t size = 0;
  for (int index = 0; index < count; index++) size += parts[index].iov_len;
  return size;
}

/* The parts up to a number of bytes. */
static int first_parts(const struct iovec *parts, int count, size_t size, struct iovec *first) {
  int taken = 0;
  for (; taken < count && size > 0; taken++) {
    first[taken] = parts[taken];
    if (first[taken].iov_len > size) first[taken].iov_len = size;
    size -= first[taken].iov_len;
  }
  return taken;
}

ssize_t read(int descriptor, void *bytes, size_t size) {
  return read_fails("read", descriptor) ? -1 : REAL(read)(descriptor, bytes, size);
}

ssize_t readv(int descriptor, const struct iovec *parts, int count) {
  return read_fails("readv", descriptor) ? -1 : REAL(readv)(descriptor, parts, count);
}

ssize_t pread64(int descriptor, void *bytes, size_t size, off64_t offset) {
  return read_fails("pread", descriptor) ? -1 : REAL(pread64)(descriptor, bytes, size, offset);
}

ssize_t preadv(int descriptor, const struct iovec *parts, int count, off_t offset) {
  return read_fails("preadv", descriptor) ? -1 : REAL(preadv)(descriptor, parts, count, offset);
}

ssize_t recvmsg(int descriptor, struct msghdr *message, int flags) {
  return read_fails("recvmsg", descriptor) ? -1 : REAL(recvmsg)(descriptor, message, flags);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  ssize_t some = writable("write", descriptor, size);
  return some < 0 ? -1 : REAL(write)(descriptor, bytes, (size_t)some);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset) {
  ssize_t some = writable("pwrite", descriptor, size);
  return some < 0 ? -1 : REAL(pwrite64)(descriptor, bytes, (size_t)some, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  size_t size = size_of(parts, count);
  ssize_t some = writable("writev", descriptor, size);
  if (some < 0) return -1;
  if ((size_t)some == size) return REAL(writev)(descriptor, parts, count);
  struct iovec first[count];
  return REAL(writev)(descriptor, first, first_parts(parts, count, (size_t)some, first));
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  size_t size = size_of(parts, count);
  ssize_t some = writable("pwritev", descriptor, size);
  if (some < 0) return -1;
  if ((size_t)some == size) return REAL(pwritev)(descriptor, parts, count, offset);
  struct iovec first[count];
  return REAL(pwritev)(descriptor, first, first_parts(parts, count, (size_t)some, first), offset);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
  return writable("sendmsg", descriptor, 0) < 0 ? -1 : REAL(sendmsg)(descriptor, message, flags);
}

static int file_fails(enum kind kind, const char *name, int descriptor) {
  char path[4096];
  return target_of(descriptor, path, sizeof(path)) == FILE_IN_FOLDER && fails(kind, name, path);
}

int fsync(int descriptor) {
  return file_fails(SYNC, "fsync", descriptor) ? -1 : REAL(fsync)(descriptor);
}

int fdatasync(int descriptor) {
  return file_fails(SYNC, "fdatasync", descriptor) ? -1 : REAL(fdatasync)(descriptor);
}

int ftruncate64(int descriptor, off64_t length) {
  return file_fails(TRUNCATE, "ftruncate", descriptor) ? -1 : REAL(ftruncate64)(descriptor, length);
}

int rename(const char *from, const char *to) {
  return is_in_folder(to) && fails(RENAME, "rename", to) ? -1 : REAL(rename)(from, to);
}

int unlink(const char *path) {
  return is_in_folder(path) && fails(REMOVE, "unlink", path) ? -1 : REAL(unlink)(path);
}

int unlinkat(int at, const char *path, int flags) {
  return is_in_folder(path) && fails(REMOVE, "unlinkat", path) ? -1 : REAL(unlinkat)(at, path, flags);
}

/* Called until nobody waits any more, so only a connection that is there counts: it is taken and cut, as if it had never been. */
static int accepted_or_failed(int accepted) {
  if (accepted < 0) return accepted;
  char path[4096];
  if (target_of(accepted, path, sizeof(path)) != SOCKET || !fails(ACCEPT, "accept", path)) return accepted;
  int fault = errno;
  close(accepted);
  errno = fault;
  return -1;
}

int accept(int descriptor, struct sockaddr *address, socklen_t *length) {
  return accepted_or_failed(REAL(accept)(descriptor, address, length));
}

int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
  return accepted_or_failed(REAL(accept4)(descriptor, address, length, flags));
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  int counts = address->sa_family == AF_INET || address->sa_family == AF_INET6;
  return counts && fails(CONNECT, "connect", "socket") ? -1 : REAL(connect)(descriptor, address, length);
}
