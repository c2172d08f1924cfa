/* A PKCS#11 module that passes on to SoftHSM2, and misbehaves as the files in the folder UNRULY_FOLDER say:
     sessions   the number of sessions that the token has
     final-try  the token allows one more try of the PIN
     forbid     no key may sign
     hang       C_Sign does not return while it is there
     unreadable the label of a token that cannot be read
     unasked    no slot is listed until a call without memory asks for new ones; it removes the file
     blind      the next search finds nothing, as one before the login; it removes the file
   It appends a line to the file "logins" for each C_Login. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long word;

static void *inner(const char *name) {
  static void *module;
  if (!module) module = dlopen(getenv("UNRULY_MODULE"), RTLD_NOW);
  return dlsym(module, name);
}

static const char *place(char *path, const char *name) {
  snprintf(path, 4096, "%s/%s", getenv("UNRULY_FOLDER"), name);
  return path;
}

static int there(const char *name) {
  char path[4096];
  return access(place(path, name), F_OK) == 0;
}

static word sessions_max(void) {
  char path[4096];
  unsigned long max = 1000;
  FILE *file = fopen(place(path, "sessions"), "r");
  if (!file) return max;
  if (fscanf(file, "%lu", &max) != 1) max = 1000;
  fclose(file);
  return max;
}

static word sessions;

#define PASS(name, parameters, arguments) \
  word name parameters { return ((word(*) parameters)inner(#name))arguments; }

PASS(C_Initialize, (void *a), (a))
PASS(C_GetSessionInfo, (word a, void *b), (a, b))
PASS(C_FindObjectsInit, (word a, void *b, word c), (a, b, c))
PASS(C_FindObjectsFinal, (word a), (a))
PASS(C_GetAttributeValue, (word a, word b, void *c, word d), (a, b, c, d))
PASS(C_GenerateKeyPair, (word a, void *b, void *c, word d, void *e, word f, word *g, word *h), (a, b, c, d, e, f, g, h))
PASS(C_CloseAllSessions, (word a), (a))

word C_GetSlotList(unsigned char present, word *slots, word *count) {
  char path[4096];
  if (!slots) unlink(place(path, "unasked"));
  if (there("unasked")) {
    *count = 0;
    return 0;
  }
  return ((word(*)(unsigned char, word *, word *))inner("C_GetSlotList"))(present, slots, count);
}

word C_FindObjects(word session, word *found, word max, word *count) {
  char path[4096];
  if (unlink(place(path, "blind")) == 0) {
    *count = 0;
    return 0;
  }
  return ((word(*)(word, word *, word, word *))inner("C_FindObjects"))(session, found, max, count);
}

static int is_unreadable(const unsigned char *info) {
  char path[4096], label[33] = "";
  FILE *file = fopen(place(path, "unreadable"), "r");
  if (!file) return 0;
  if (fscanf(file, "%32s", label) != 1) label[0] = 0;
  fclose(file);
  return label[0] && strncmp((const char *)info, label, strlen(label)) == 0;
}

word C_GetTokenInfo(word slot, unsigned char *info) {
  word result = ((word(*)(word, unsigned char *))inner("C_GetTokenInfo"))(slot, info);
  word flags;
  if (is_unreadable(info)) return 0xe1;
  memcpy(&flags, info + 96, sizeof flags);
  if (there("final-try")) flags |= 0x20000;
  memcpy(info + 96, &flags, sizeof flags);
  return result;
}

word C_OpenSession(word slot, word flags, void *application, void *notify, word *handle) {
  if (__sync_fetch_and_add(&sessions, 1) >= sessions_max()) {
    __sync_fetch_and_sub(&sessions, 1);
    return 0xb1;
  }
  return ((word(*)(word, word, void *, void *, word *))inner("C_OpenSession"))(slot, flags, application, notify, handle);
}

word C_CloseSession(word session) {
  word result = ((word(*)(word))inner("C_CloseSession"))(session);
  if (result == 0) __sync_fetch_and_sub(&sessions, 1);
  return result;
}

word C_Login(word session, word user, unsigned char *pin, word length) {
  char path[4096];
  FILE *file = fopen(place(path, "logins"), "a");
  if (file) {
    fputs("login\n", file);
    fclose(file);
  }
  return ((word(*)(word, word, unsigned char *, word))inner("C_Login"))(session, user, pin, length);
}

word C_SignInit(word session, void *mechanism, word key) {
  if (there("forbid")) return 0x68;
  return ((word(*)(word, void *, word))inner("C_SignInit"))(session, mechanism, key);
}

word C_Sign(word session, unsigned char *data, word length, unsigned char *signature, word *signature_length) {
  while (there("hang")) usleep(5000);
  return ((word(*)(word, unsigned char *, word, unsigned char *, word *))inner("C_Sign"))(session, data, length, signature, signature_length);
}
