/*
 * Preloaded into every program of a confinement by /etc/ld.so.preload: records each program that starts and each file that is
 * opened, and lets every program that is not there "run" by ending at once, so that any name in a line is a program.
 */
#define _GNU_SOURCE
#include "recorder.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_RECORD 4096
#define REAL(name) ((__typeof__(&name))real_function((void **)&real_##name, #name))
#define SLOT(name) static void *real_##name

struct record_log *record_log;

static void *real_function(void **slot, const char *name) {
  if (*slot == NULL) *slot = dlsym(RTLD_NEXT, name);
  return *slot;
}

static void append(const char *record, size_t length) {
  if (record_log == NULL) return;
  unsigned at = atomic_fetch_add(&record_log->used, (unsigned)length + 1);
  if (at + length + 1 <= LOG_BYTES) memcpy(record_log->data + at, record, length);
}

static size_t add_text(char *record, size_t at, const char *text) {
  while (*text != '\0' && at < MAX_RECORD) record[at++] = *text++;
  return at;
}

static void record_exec(const char *path, char *const argv[]) {
  char record[MAX_RECORD + 1];
  record[0] = 'x';
  size_t at = add_text(record, 1, path);
  for (size_t i = 0; argv != NULL && argv[i] != NULL; i++) {
    if (at < MAX_RECORD) record[at++] = '\x1f';
    at = add_text(record, at, argv[i]);
  }
  append(record, at);
}

/* Relative paths are made absolute by the folder of the moment; what that folder was is gone when the line has ended. An empty name opens nothing. */
static void record_open(char kind, int folder, const char *path) {
  if (path[0] == '\0') return;
  char record[MAX_RECORD + 1];
  size_t at = 0;
  record[at++] = kind;
  if (kind == 'r') {
    at = add_text(record, at, program_invocation_short_name);
    record[at++] = '\x1f';
  }
  if (path[0] != '/') {
    char link[64], where[2048] = "?";
    if (folder == AT_FDCWD) strcpy(link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, where, sizeof where - 1);
    if (length > 0) where[length] = '\0';
    at = add_text(record, at, where);
    if (at < MAX_RECORD) record[at++] = '/';
  }
  at = add_text(record, at, path);
  append(record, at);
}

static int is_there(const char *path) { return syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0; }

/* Whether a path names a program in a folder of programs. */
static int is_program_path(const char *path) {
  const char *name = strncmp(path, "/usr/bin/", 9) == 0 ? path + 9 : strncmp(path, "/bin/", 5) == 0 ? path + 5 : "";
  return *name != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static void resolve(const char *file, char *path, size_t size) {
  if (strchr(file, '/') != NULL || *file == '\0') snprintf(path, size, "%s", file);
  else snprintf(path, size, "/usr/bin/%s", file);
}

__attribute__((constructor)) static void begin(int argc, char **argv) {
  (void)argc;
  if (getpid() == 1) {
    run_driver(argv);
    return;
  }
  int fd = (int)syscall(SYS_openat, AT_FDCWD, LOG_PATH, O_RDWR | O_CLOEXEC);
  void *log = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *record_log, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  /* A program that cannot be recorded must not run. */
  if (log == MAP_FAILED) _exit(121);
  syscall(SYS_close, fd);
  record_log = log;
  const char *name = (const char *)getauxval(AT_EXECFN);
  if (strcmp(name, STUB) != 0) record_exec(name, argv);
}

/* Processes. */

SLOT(fork);
pid_t fork(void) {
  if (record_log != NULL && atomic_fetch_add(&record_log->forks, 1) >= atomic_load(&record_log->max_forks)) {
    append("l", 1);
    kill(-1, SIGKILL);
    _exit(1);
  }
  return REAL(fork)();
}

pid_t vfork(void) { return fork(); }

static int run_program(const char *path, char *const argv[], char *const envp[]);

SLOT(execve);
int execve(const char *path, char *const argv[], char *const envp[]) { return run_program(path, argv, envp); }

static int run_program(const char *path, char *const argv[], char *const envp[]) {
  if (is_there(path)) return REAL(execve)(path, argv, envp);
  record_exec(path, argv);
  _exit(0);
}

int execv(const char *path, char *const argv[]) { return run_program(path, argv, environ); }

int execvpe(const char *file, char *const argv[], char *const envp[]) {
  char path[4096];
  resolve(file, path, sizeof path);
  return run_program(path, argv, envp);
}

int execvp(const char *file, char *const argv[]) { return execvpe(file, argv, environ); }

#define MAX_ARGUMENTS 256
#define COLLECT(first)                                                                       \
  char *argv[MAX_ARGUMENTS] = {(char *)(first)};                                             \
  va_list rest;                                                                              \
  va_start(rest, first);                                                                     \
  for (int i = 1; i < MAX_ARGUMENTS - 1 && (argv[i] = va_arg(rest, char *)) != NULL;) i++;   \
  va_end(rest)

int execl(const char *path, const char *first, ...) {
  COLLECT(first);
  return run_program(path, argv, environ);
}

int execlp(const char *file, const char *first, ...) {
  COLLECT(first);
  return execvpe(file, argv, environ);
}

static int spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const argv[], char *const envp[]) {
  static int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                     char *const[]);
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "posix_spawn");
  if (is_there(path)) return real(pid, path, actions, attributes, argv, envp);
  record_exec(path, argv);
  return real(pid, STUB, actions, attributes, argv, envp);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                char *const argv[], char *const envp[]) {
  return spawn(pid, path, actions, attributes, argv, envp);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
  char path[4096];
  resolve(file, path, sizeof path);
  return spawn(pid, path, actions, attributes, argv, envp);
}

/* Looking for programs: each name is there. */

SLOT(stat);
int stat(const char *restrict path, struct stat *restrict found) {
  int result = REAL(stat)(path, found);
  return result == -1 && is_program_path(path) ? REAL(stat)(STUB, found) : result;
}

SLOT(stat64);
int stat64(const char *restrict path, struct stat64 *restrict found) {
  int result = REAL(stat64)(path, found);
  return result == -1 && is_program_path(path) ? REAL(stat64)(STUB, found) : result;
}

SLOT(faccessat);
int faccessat(int folder, const char *path, int mode, int flags) {
  int result = REAL(faccessat)(folder, path, mode, flags);
  return result == -1 && is_program_path(path) ? 0 : result;
}

SLOT(access);
int access(const char *path, int mode) {
  int result = REAL(access)(path, mode);
  return result == -1 && is_program_path(path) ? 0 : result;
}

int eaccess(const char *path, int mode) { return faccessat(AT_FDCWD, path, mode, AT_EACCESS); }
int euidaccess(const char *path, int mode) { return faccessat(AT_FDCWD, path, mode, AT_EACCESS); }

/* Files. */

static void note_open(int folder, const char *path, int flags) {
  if (record_log == NULL || path == NULL || (flags & (O_DIRECTORY | O_PATH)) != 0) return;
  int writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
  record_open(writes ? 'w' : 'r', folder, path);
}

static void note_stream(const char *path, const char *mode) {
  note_open(AT_FDCWD, path, mode[0] == 'r' && strchr(mode, '+') == NULL ? O_RDONLY : O_RDWR);
}

#define OPEN(name, folder, first, ...)                        \
  SLOT(name);                                                 \
  int name(first path, int flags, ...) {                      \
    va_list rest;                                             \
    va_start(rest, flags);                                    \
    mode_t mode = (mode_t)va_arg(rest, unsigned);             \
    va_end(rest);                                             \
    note_open(folder, path, flags);                           \
    return REAL(name)(__VA_ARGS__ path, flags, mode);         \
  }
#define AT int folder, const char *

OPEN(open, AT_FDCWD, const char *)
OPEN(open64, AT_FDCWD, const char *)
OPEN(openat, folder, AT, folder, )
OPEN(openat64, folder, AT, folder, )

SLOT(creat);
int creat(const char *path, mode_t mode) {
  note_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC);
  return REAL(creat)(path, mode);
}

SLOT(fopen);
FILE *fopen(const char *restrict path, const char *restrict mode) {
  note_stream(path, mode);
  return REAL(fopen)(path, mode);
}

SLOT(fopen64);
FILE *fopen64(const char *restrict path, const char *restrict mode) {
  note_stream(path, mode);
  return REAL(fopen64)(path, mode);
}

SLOT(freopen);
FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream) {
  if (path != NULL) note_stream(path, mode);
  return REAL(freopen)(path, mode, stream);
}

SLOT(rename);
int rename(const char *from, const char *to) {
  record_open('w', AT_FDCWD, from);
  record_open('w', AT_FDCWD, to);
  return REAL(rename)(from, to);
}

SLOT(unlink);
int unlink(const char *path) {
  record_open('w', AT_FDCWD, path);
  return REAL(unlink)(path);
}

SLOT(unlinkat);
int unlinkat(int folder, const char *path, int flags) {
  record_open('w', folder, path);
  return REAL(unlinkat)(folder, path, flags);
}

/* A line that may open no more files could not be recorded. */
int setrlimit(__rlimit_resource_t resource, const struct rlimit *bound) {
  if (record_log != NULL) return 0;
  return (int)syscall(SYS_prlimit64, 0, resource, bound, NULL);
}
