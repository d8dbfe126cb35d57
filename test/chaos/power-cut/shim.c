/*
 * Simulates a power cut for a directory tree: everything that was written to a file since its last fsync is forgotten.
 *
 * As a library (LD_PRELOAD), it keeps a copy of the durable content of each file below POWER_CUT_ROOT that is opened for
 * writing. A new file has no durable content. fsync and fdatasync renew the copy. Programs started by the process are
 * watched, too, even with a cleared environment; what runs in a sandbox is not.
 *
 * As a program (`shim restore <root> <copies> <percent> <seed>`), it puts the durable content back, except for that share of
 * the files, which the system happened to write in time. Nothing else may use the tree then.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static int (*real_open)(const char *, int, ...);

__attribute__((constructor)) static void prepare(void) {
  real_open = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
}

/* An inode number alone may be used again by another file, so the time of birth is part of the name. */
static int copy_name(int fd, const char *copies, char *name) {
  struct statx found;
  if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &found) != 0 || !S_ISREG(found.stx_mode)) return -1;
  snprintf(name, PATH_MAX, "%s/%llu-%lld-%u", copies, (unsigned long long)found.stx_ino,
           (long long)found.stx_btime.tv_sec, found.stx_btime.tv_nsec);
  return 0;
}

static int copy_content(int from, int to) {
  char buffer[65536];
  off_t at = 0;
  ssize_t length;
  while ((length = pread(from, buffer, sizeof buffer, at)) > 0) {
    if (pwrite(to, buffer, (size_t)length, at) != length) return -1;
    at += length;
  }
  return length < 0 ? -1 : ftruncate(to, at);
}

static int is_watched(int fd) {
  const char *root = getenv("POWER_CUT_ROOT");
  char link[64], path[PATH_MAX];
  if (root == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  size_t root_length = strlen(root);
  /* The shared memory index of SQLite is rebuilt after a crash and never flushed. */
  if (length > 4 && strcmp(path + length - 4, "-shm") == 0) return 0;
  return strncmp(path, root, root_length) == 0 && path[root_length] == '/';
}

/* Keeps the current content (or none) as the durable one. */
static void keep(int fd, int is_empty, int is_renewed) {
  const char *copies = getenv("POWER_CUT_COPIES");
  char name[PATH_MAX], temporary[PATH_MAX + 32], self[64];
  int saved = errno;
  if (copies != NULL && is_watched(fd) && copy_name(fd, copies, name) == 0 && (is_renewed || access(name, F_OK) != 0)) {
    snprintf(temporary, sizeof temporary, "%s.%d", name, getpid());
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    int to = real_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    /* The descriptor itself may not be readable. */
    int from = is_empty ? -1 : real_open(self, O_RDONLY | O_CLOEXEC);
    if (to >= 0 && (is_empty || (from >= 0 && copy_content(from, to) == 0))) rename(temporary, name);
    if (from >= 0) close(from);
    if (to >= 0) close(to);
  }
  errno = saved;
}

static int open_watched(int directory, const char *path, int flags, mode_t mode) {
  /* Each cut is a new boot. */
  char boot_id[PATH_MAX];
  if (getenv("POWER_CUT_COPIES") != NULL && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) {
    snprintf(boot_id, sizeof boot_id, "%s.boot-id", getenv("POWER_CUT_COPIES"));
    path = boot_id;
  }
  static int (*next)(int, const char *, int, ...);
  if (next == NULL) next = (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
  int writes = (flags & O_ACCMODE) != O_RDONLY && (flags & O_PATH) == 0;
  int existed = writes && faccessat(directory, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  if (existed && (flags & O_TRUNC)) {
    int before = next(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (before >= 0) {
      keep(before, 0, 0);
      close(before);
    }
  }
  int fd = next(directory, path, flags, mode);
  if (fd >= 0 && writes) keep(fd, !existed, !existed);
  return fd;
}

#define MODE_OF(flags) \
  mode_t mode = 0; \
  if (((flags) & O_CREAT) != 0 || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list list; \
    va_start(list, flags); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }

int open(const char *path, int flags, ...) { MODE_OF(flags) return open_watched(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE_OF(flags) return open_watched(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int at, const char *path, int flags, ...) { MODE_OF(flags) return open_watched(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE_OF(flags) return open_watched(at, path, flags | O_LARGEFILE, mode); }
int creat(const char *path, mode_t mode) { return open_watched(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

FILE *fopen(const char *path, const char *mode) {
  static FILE *(*next)(const char *, const char *);
  if (next == NULL) next = (FILE * (*)(const char *, const char *))dlsym(RTLD_NEXT, "fopen");
  int existed = access(path, F_OK) == 0;
  FILE *file = next(path, mode);
  if (file != NULL && mode[0] != 'r') keep(fileno(file), !existed || mode[0] == 'w', !existed);
  return file;
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

#define SYNC(name) \
  int name(int fd) { \
    static int (*next)(int); \
    if (next == NULL) next = (int (*)(int))dlsym(RTLD_NEXT, #name); \
    int result = next(fd); \
    if (result == 0) keep(fd, 0, 1); \
    return result; \
  }
SYNC(fsync)
SYNC(fdatasync)

/* git's `core.fsyncMethod=batch` writes objects out like this, and then flushes the disk once before it renames them. */
int sync_file_range(int fd, off64_t offset, off64_t bytes, unsigned int flags) {
  static int (*next)(int, off64_t, off64_t, unsigned int);
  if (next == NULL) next = (int (*)(int, off64_t, off64_t, unsigned int))dlsym(RTLD_NEXT, "sync_file_range");
  int result = next(fd, offset, bytes, flags);
  if (result == 0) keep(fd, 0, 1);
  return result;
}

/* Nightshift gives programs a fresh environment, so the variables are added here. libuv replaces `environ` before execvp. */
static const char *NAMES[] = {"LD_PRELOAD", "POWER_CUT_ROOT", "POWER_CUT_COPIES"};
static char *values[3];

__attribute__((constructor)) static void remember(void) {
  for (size_t n = 0; n < 3; n++) values[n] = getenv(NAMES[n]) == NULL ? NULL : strdup(getenv(NAMES[n]));
}

static char **with_shim(const char *program, char *const given[]) {
  const char *base = strrchr(program, '/') == NULL ? program : strrchr(program, '/') + 1;
  size_t count = 0;
  while (given != NULL && given[count] != NULL) count++;
  char **all = calloc(count + 4, sizeof *all);
  size_t out = 0;
  for (size_t i = 0; i < count; i++) {
    int is_ours = 0;
    for (size_t n = 0; n < 3; n++)
      is_ours |= strncmp(given[i], NAMES[n], strlen(NAMES[n])) == 0 && given[i][strlen(NAMES[n])] == '=';
    if (!is_ours) all[out++] = given[i];
  }
  int is_sandbox = strcmp(base, "bwrap") == 0;
  for (size_t n = 0; n < 3 && !is_sandbox; n++)
    if (values[n] != NULL && asprintf(&all[out], "%s=%s", NAMES[n], values[n]) >= 0) out++;
  return all;
}

int execve(const char *path, char *const argv[], char *const env[]) {
  static int (*next)(const char *, char *const[], char *const[]);
  if (next == NULL) next = (int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execve");
  return next(path, argv, with_shim(path, env));
}

int execvp(const char *file, char *const argv[]) {
  static int (*next)(const char *, char *const[], char *const[]);
  if (next == NULL) next = (int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execvpe");
  return next(file, argv, with_shim(file, environ));
}

static void restore(const char *dir, const char *copies, int percent) {
  DIR *opened = opendir(dir);
  struct dirent *entry;
  while (opened != NULL && (entry = readdir(opened)) != NULL) {
    char path[PATH_MAX], name[PATH_MAX];
    struct stat found;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
    if (lstat(path, &found) != 0) continue;
    if (S_ISDIR(found.st_mode)) restore(path, copies, percent);
    if (!S_ISREG(found.st_mode)) continue;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) continue;
    int from = copy_name(fd, copies, name) == 0 ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    struct stat durable;
    if (from >= 0 && fstat(from, &durable) == 0 && rand() % 100 >= percent) {
      if (durable.st_size != found.st_size)
        printf("%s: %lld bytes, durable were %lld\n", path, (long long)found.st_size, (long long)durable.st_size);
      copy_content(from, fd);
    }
    if (from >= 0) close(from);
    close(fd);
  }
  if (opened != NULL) closedir(opened);
}

int main(int count, char **arguments) {
  if (count != 6 || strcmp(arguments[1], "restore") != 0) return 2;
  srand((unsigned)atoi(arguments[5]));
  restore(arguments[2], arguments[3], atoi(arguments[4]));
  return 0;
}
