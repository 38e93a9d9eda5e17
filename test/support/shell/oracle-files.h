/* What the driver (oracle-driver.c) and its look at the files (oracle-files.c) share. Hidden: the programs that are recorded load both. */
#ifndef ORACLE_FILES_H
#define ORACLE_FILES_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* A file of the fixture, or a folder when the path ends with a slash. Both texts are kept, not copied. */
void add_fixture(char *path, char *content);
/* Writes the fixture and remembers all files as they are then. */
void write_first_files(void);
/* Answers every file that was created, removed or changed since. Returns whether there was one. */
int compare_files(void);
/* After a comparison: removes what is new, writes the fixture anew, and dies if the confinement is not as it was then. */
void put_files_back(void);

/* Of the driver: ends the process, and adds a record to the answer for this line. */
void fail(const char *what);
void answer_text(char kind, const char *text);
extern char *answer;
extern size_t answered;

#pragma GCC visibility pop

#endif
