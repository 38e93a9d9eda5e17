/* What the recorder (exec-recorder.c) and the driver (oracle-driver.c) share: one log per confinement, in memory that every process maps. */
#ifndef RECORDER_H
#define RECORDER_H

#include <stdatomic.h>

#define LOG_BYTES (1u << 20)
/* The driver is process 1 of the confinement and keeps the log open under this descriptor. */
#define LOG_FD 1000
#define LOG_PATH "/proc/1/fd/1000"
/* A program that does nothing; it stands in where make insists on starting one. */
#define STUB "/usr/bin/.stub"

struct record_log {
  atomic_uint used;
  atomic_uint forks;
  atomic_uint max_forks;
  /* Records: a letter, then text; each ends with NUL.
   * x name US argument US ...: a program was started.   w path, r program US path: a file was opened.   l: too many processes. */
  char data[LOG_BYTES];
};

extern struct record_log *record_log;

void run_driver(char **argv);

#endif
