/*
 * Runs lines in a confinement of which it is process 1: as `bash --noprofile --norc -c LINE` it is the shell itself, before its
 * main function. For each line it forks a child that goes on as bash, kills what is left when time is up, compares the files of the
 * whole confinement with what they were, and puts them back.
 * In: a fixture and then lines, each a length of four bytes and that many bytes. Out: for each line such a block of records, each of
 * which ends with NUL: those of recorder.h, `+path`, `-path` and `~path` for files created, removed and changed, `t` for a timeout.
 */
#define _GNU_SOURCE
#include "recorder.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_ENTRIES 4096
#define MAX_PATH_BYTES 2048
#define MAX_LINE (1u << 20)
#define MAX_FORKS 80
#define LINE_ARGUMENT 4
#define OLD 1000000000

struct entry {
  char *path;
  mode_t mode;
  off_t size;
  time_t changed;
  char *target;
};

struct tree {
  struct entry entries[MAX_ENTRIES];
  size_t count;
};

struct fixture {
  char *path;
  char *content;
};

static struct tree before, after;
static struct fixture fixtures[256];
static size_t fixture_count;
static long limit_ms = 1000;
static char *line;
static struct record_log *shared;
static char *answer;
static size_t answered;

static void fail(const char *what) {
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

static void answer_text(char kind, const char *text) {
  size_t length = strlen(text);
  if (answered + length + 2 > LOG_BYTES) return;
  answer[answered++] = kind;
  memcpy(answer + answered, text, length + 1);
  answered += length + 1;
}

/* The files of the confinement. */

static void clear_tree(struct tree *tree) {
  for (size_t i = 0; i < tree->count; i++) {
    free(tree->entries[i].path);
    free(tree->entries[i].target);
  }
  tree->count = 0;
}

static int is_watched(const char *path) {
  static const char *const skipped[] = {"/proc", "/usr", "/dev/pts", "/bin", NULL};
  for (size_t i = 0; skipped[i] != NULL; i++)
    if (strcmp(path, skipped[i]) == 0) return 0;
  return strncmp(path, "/lib", 4) != 0;
}

static char *link_target(const char *path, const struct stat *status) {
  if (!S_ISLNK(status->st_mode)) return NULL;
  char target[MAX_PATH_BYTES];
  ssize_t length = readlink(path, target, sizeof target);
  return length < 0 ? NULL : strndup(target, (size_t)length);
}

static void scan(struct tree *tree, const char *folder) {
  DIR *open = opendir(*folder == '\0' ? "/" : folder);
  if (open == NULL) return;
  for (struct dirent *found; (found = readdir(open)) != NULL;) {
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
    char path[MAX_PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/%s", folder, found->d_name) >= (int)sizeof path) continue;
    struct stat status;
    if (!is_watched(path) || lstat(path, &status) != 0 || tree->count == MAX_ENTRIES) continue;
    int regular = S_ISREG(status.st_mode);
    tree->entries[tree->count++] = (struct entry){
        strdup(path), status.st_mode, regular ? status.st_size : 0, regular ? status.st_mtime : 0, link_target(path, &status)};
    if (S_ISDIR(status.st_mode)) scan(tree, path);
  }
  closedir(open);
}

/* Entries mostly come in the same order. */
static struct entry *find(struct tree *tree, const char *path, size_t guess) {
  for (size_t i = 0; i < tree->count; i++) {
    struct entry *entry = &tree->entries[(guess + i) % tree->count];
    if (strcmp(entry->path, path) == 0) return entry;
  }
  return NULL;
}

static int same(const struct entry *one, const struct entry *other) {
  if (one->target != NULL && other->target != NULL && strcmp(one->target, other->target) != 0) return 0;
  return one->mode == other->mode && one->size == other->size && one->changed == other->changed;
}

static int compare(void) {
  size_t answered_before = answered;
  clear_tree(&after);
  scan(&after, "");
  for (size_t i = 0; i < after.count; i++) {
    struct entry *old = find(&before, after.entries[i].path, i);
    if (old == NULL) answer_text('+', after.entries[i].path);
    else if (!same(old, &after.entries[i])) answer_text('~', after.entries[i].path);
  }
  for (size_t i = 0; i < before.count; i++)
    if (find(&after, before.entries[i].path, i) == NULL) answer_text('-', before.entries[i].path);
  return answered != answered_before;
}

static void write_fixtures(void) {
  for (size_t i = 0; i < fixture_count; i++) {
    const char *path = fixtures[i].path;
    size_t length = strlen(path);
    if (path[length - 1] == '/') {
      if (mkdir(path, 0755) != 0 && errno != EEXIST) fail(path);
      continue;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    struct timespec times[2] = {{OLD, 0}, {OLD, 0}};
    size_t size = strlen(fixtures[i].content);
    if (fd < 0 || write(fd, fixtures[i].content, size) != (ssize_t)size || futimens(fd, times) != 0) fail(path);
    close(fd);
  }
}

/* Folders and links that bubblewrap made. */
static void make_again(const struct entry *old) {
  struct stat status;
  if (lstat(old->path, &status) == 0) return;
  if (S_ISDIR(old->mode)) mkdir(old->path, old->mode & 07777);
  else if (old->target != NULL && symlink(old->target, old->path) != 0 && errno != EEXIST) fail(old->path);
}

/* Removes what is new, writes the fixture anew, and dies if the confinement is not as it was then. */
static void put_back(void) {
  for (size_t i = after.count; i-- > 0;) {
    struct entry *now = &after.entries[i];
    struct entry *old = find(&before, now->path, i);
    if (old != NULL && old->target == NULL && (old->mode & S_IFMT) == (now->mode & S_IFMT)) {
      if (old->mode != now->mode) chmod(now->path, old->mode & 07777);
    } else if (remove(now->path) != 0 && errno != ENOENT) fail(now->path);
  }
  for (size_t i = 0; i < before.count; i++) make_again(&before.entries[i]);
  write_fixtures();
  size_t said = answered;
  if (compare()) {
    errno = 0;
    fail(answer + said);
  }
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
  int changed = compare();
  if (answered + used < LOG_BYTES) {
    memcpy(answer + answered, shared->data, used);
    answered += used;
  } else answer_text('l', "");
  memset(shared->data, 0, used);
  atomic_store(&shared->used, 0);
  uint32_t size = (uint32_t)answered;
  write_all(&size, sizeof size);
  write_all(answer, size);
  if (changed) put_back();
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
  for (char *at = fixture; at < fixture + size && fixture_count < 256;) {
    fixtures[fixture_count].path = at;
    at += strlen(at) + 1;
    fixtures[fixture_count++].content = at;
    at += strlen(at) + 1;
  }
  const char *given = getenv("ORACLE_LIMIT_MS");
  if (given != NULL) limit_ms = atol(given);
  unsetenv("ORACLE_LIMIT_MS");
  write_fixtures();
  scan(&before, "");
  atomic_store(&shared->max_forks, MAX_FORKS);
}

void run_driver(char **argv) {
  set_up();
  do read_block(line);
  while (!run_line(argv));
}
