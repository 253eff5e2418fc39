/* Fault points inside DuckDB: its calls to libc, counted, logged, and killed or failed at a number.

   Loaded with LD_PRELOAD. Only files of DuckDB's own making are looked at (the build database, the
   version being written, their logs, and the rows of a lake); everything else passes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096
enum { NONE, RECORD, KILL, FULL };
static int mode = NONE, target = 0, once = 0, log_fd = -1;
static int count = 0;

void rostrum_faults_arm(int new_mode, int new_target, const char *log_path, int new_once) {
    log_fd = new_mode == RECORD
        ? (int)syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;
    count = 0; target = new_target; once = new_once; mode = new_mode;
}

static int is_ours(const char *path) {
    const char *name = strrchr(path, '/');
    if (name == NULL) return 0;
    if (strstr(path, "/lake/") != NULL) return strstr(name, ".parquet") != NULL;
    if (strstr(path, "/warehouse/") == NULL) return 0;
    return strstr(name, ".duckdb") != NULL || strncmp(name, "/.v", 3) == 0;
}

static int is_ours_fd(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

/* One point. Returns 1 where the call is to fail for want of space. */
static int reached(const char *operation, const char *path, const char *when, int can_fail) {
    int number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (mode == RECORD) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%s %s %s\n", operation, path, when);
        syscall(SYS_write, log_fd, line, (size_t)length);
    }
    if (mode == KILL && number == target) syscall(SYS_kill, getpid(), SIGKILL);
    int is_full = once ? number == target : number >= target;
    return mode == FULL && can_fail && is_full;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__) = NULL; \
    if (real == NULL) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define AROUND(operation, path, can_fail, call) \
    if (reached(operation, path, "before", can_fail)) { errno = ENOSPC; return -1; } \
    __auto_type result = call; \
    int kept = errno; reached(operation, path, "after", 0); errno = kept; \
    return result

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    char path[PATH_MAX];
    if (mode == NONE || !is_ours_fd(fd, path)) return real(fd, data, size);
    AROUND("write", path, 1, real(fd, data, size));
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    char path[PATH_MAX];
    if (mode == NONE || !is_ours_fd(fd, path)) return real(fd, data, size, at);
    if (size > PAGE) {
        /* A kill within the call leaves the pages that were copied by then. */
        if (mode == KILL && count + 1 == target) real(fd, data, size / 2 / PAGE * PAGE, at);
        reached("pwrite", path, "half", 0);
    }
    AROUND("pwrite", path, 1, real(fd, data, size, at));
}

ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) { return pwrite(fd, data, size, at); }

int fsync(int fd) {
    REAL(int, "fsync", int);
    char path[PATH_MAX];
    if (mode == NONE || !is_ours_fd(fd, path)) return real(fd);
    AROUND("fsync", path, 1, real(fd));
}

int ftruncate(int fd, off_t size) {
    REAL(int, "ftruncate", int, off_t);
    char path[PATH_MAX];
    if (mode == NONE || !is_ours_fd(fd, path)) return real(fd, size);
    AROUND("ftruncate", path, 0, real(fd, size));
}

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    if (mode == NONE || !is_ours(to)) return real(from, to);
    AROUND("rename", to, 1, real(from, to));
}

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    if (mode == NONE || !is_ours(path)) return real(path);
    AROUND("unlink", path, 0, real(path));
}

int remove(const char *path) {
    REAL(int, "remove", const char *);
    if (mode == NONE || !is_ours(path)) return real(path);
    AROUND("remove", path, 0, real(path));
}
