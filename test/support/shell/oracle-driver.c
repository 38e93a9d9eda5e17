/*
 * Runs lines in a confinement of which it is process 1: as `bash --noprofile --norc -c LINE` it is the shell itself, before its
 * main function. For each line it forks a child that goes on as bash, kills what is left when time is up, compares the files of the
 * whole confinement with what they were, and puts them back.
 * In: a fixture and then lines, each a length of four bytes and that many bytes. Out: for each line such a block of records, each of
 * which ends with NUL: those of recorder.h, `+path`, `-path` and `~path` for files created, removed and changed, `t` for a timeout.
 */
#define _GNU_SOURCE
#include "oracle-files.h"
#include "recorder.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_LINE (1u << 20)
#define MAX_FORKS 80
#define LINE_ARGUMENT 4

static long limit_ms = 1000;
static char *line;
static struct record_log *shared;
char *answer;
size_t answered;

void fail(const char *what) {
  fprintf(stderr, "oracle: %s: %s\n", what, strerror(errno));
  _exit(3);
}

static int read_all(void *buffer, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t got = read(0, (char *)buffer + done, size - done);
    if (got == 0) return 0;
    if (got < 0 && errno != EINTR) fail("read");
    if (got > 0) done += (size_t)got;
  }
  return 1;
}

static void write_all(const void *buffer, size_t size) {
  for (size_t done = 0; done < size;) {
    ssize_t put = write(1, (const char *)buffer + done, size - done);
    if (put < 0 && errno != EINTR) fail("write");
    if (put > 0) done += (size_t)put;
  }
}

static uint32_t read_block(char *buffer) {
  uint32_t size;
  if (!read_all(&size, sizeof size)) _exit(0);
  if (size >= MAX_LINE || !read_all(buffer, size)) fail("a block");
  buffer[size] = '\0';
  return size;
}

void answer_text(char kind, const char *text) {
  size_t length = strlen(text);
  if (answered + length + 2 > LOG_BYTES) return;
  answer[answered++] = kind;
  memcpy(answer + answered, text, length + 1);
  answered += length + 1;
}

/* Processes. */

static void limit(int resource, rlim_t value) {
  struct rlimit bound = {value, value};
  setrlimit(resource, &bound);
}

static void become_line(char **argv) {
  int in = open("/usr/share/oracle-input", O_RDONLY), out = open("/dev/null", O_RDWR);
  /* An earlier line may have removed the folder of that time. */
  if (chdir("/workspace") != 0) fail("/workspace");
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  close_range(3, ~0u, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  limit(RLIMIT_AS, 512u << 20);
  limit(RLIMIT_FSIZE, 1u << 20);
  limit(RLIMIT_CPU, 2);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 200);
  argv[LINE_ARGUMENT] = line;
  /* From here on; what the driver itself does is not recorded. */
  record_log = shared;
}

static long elapsed_ms(const struct timespec *since) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - since->tv_nsec) / 1000000;
}

/* Until no process is left; whatever lives when time is up is killed. */
static void wait_for_all(void) {
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  for (int killed = 0;;) {
    pid_t ended = waitpid(-1, NULL, WNOHANG);
    if (ended > 0) continue;
    if (ended < 0 && errno == ECHILD) return;
    long left = limit_ms - elapsed_ms(&start);
    if (left <= 0) {
      if (!killed) answer_text('t', "");
      killed = 1;
      kill(-1, SIGKILL);
      left = 20;
    }
    struct timespec wait = {left / 1000, left % 1000 * 1000000};
    sigtimedwait(&child, NULL, &wait);
  }
}

/* Answers in the child alone, as bash. */
static int run_line(char **argv) {
  answered = 0;
  atomic_store(&shared->forks, 0);
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    become_line(argv);
    return 1;
  }
  wait_for_all();
  unsigned used = atomic_load(&shared->used);
  if (used > LOG_BYTES) used = LOG_BYTES;
  int changed = compare_files();
  if (answered + used < LOG_BYTES) {
    memcpy(answer + answered, shared->data, used);
    answered += used;
  } else answer_text('l', "");
  memset(shared->data, 0, used);
  atomic_store(&shared->used, 0);
  uint32_t size = (uint32_t)answered;
  write_all(&size, sizeof size);
  write_all(answer, size);
  if (changed) put_files_back();
  return 0;
}

static void set_up(void) {
  int fd = memfd_create("log", MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate(fd, sizeof *record_log) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    fail("the log");
  if (dup2(fd, LOG_FD) != LOG_FD) fail("the log");
  close(fd);
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, LOG_FD, 0);
  line = malloc(MAX_LINE + 1);
  answer = malloc(LOG_BYTES);
  if (shared == MAP_FAILED || line == NULL || answer == NULL) fail("memory");
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, NULL);
  char *fixture = malloc(MAX_LINE + 1);
  uint32_t size = read_block(fixture);
  for (char *at = fixture; at < fixture + size;) {
    char *path = at;
    at += strlen(at) + 1;
    add_fixture(path, at);
    at += strlen(at) + 1;
  }
  const char *given = getenv("ORACLE_LIMIT_MS");
  if (given != NULL) limit_ms = atol(given);
  unsetenv("ORACLE_LIMIT_MS");
  write_first_files();
  atomic_store(&shared->max_forks, MAX_FORKS);
}

void run_driver(char **argv) {
  set_up();
  do read_block(line);
  while (!run_line(argv));
}
