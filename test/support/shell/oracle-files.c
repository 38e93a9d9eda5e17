/* The files of a confinement: what they were before the first line, how they differ after one, and how they get back. */
#define _GNU_SOURCE
#include "oracle-files.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_ENTRIES 4096
#define MAX_FIXTURES 256
#define MAX_PATH_BYTES 2048
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
static struct fixture fixtures[MAX_FIXTURES];
static size_t fixture_count;

void add_fixture(char *path, char *content) {
  if (fixture_count < MAX_FIXTURES) fixtures[fixture_count++] = (struct fixture){path, content};
}

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

int compare_files(void) {
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

void put_files_back(void) {
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
  if (compare_files()) {
    errno = 0;
    fail(answer + said);
  }
}

void write_first_files(void) {
  write_fixtures();
  scan(&before, "");
}
