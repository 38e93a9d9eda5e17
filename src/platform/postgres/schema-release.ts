import { createHash } from 'node:crypto';
import type { MigrationInterface } from 'typeorm';
import { MIGRATIONS, readFunctionFiles, type FunctionFile } from '../../../migrations/index.js';
import { ownVersion } from '../host/own-version.js';

/** Where a database keeps the names of the migrations that ran. */
export const MIGRATIONS_TABLE = 'schema_migrations';

/** What a version of Sandgate brings of the schema. */
export interface SchemaRelease {
  version: string;
  migrations: readonly (new () => MigrationInterface)[];
  functions: readonly FunctionFile[];
}

/** The schema of this build. */
export function ownRelease(): SchemaRelease {
  return { version: ownVersion(), migrations: MIGRATIONS, functions: readFunctionFiles() };
}

/** By it a database knows whether the text of a file is the one that ran last. */
export function checksumOf({ sql }: FunctionFile): string {
  return createHash('sha256').update(sql).digest('hex');
}

/** Whether version `one` comes before `other`; of versions with a suffix such as `-rc.1` the numbers alone count. */
export function isOlder(one: string, other: string): boolean {
  const [ours, theirs] = [numbersOf(one), numbersOf(other)];
  const at = ours.findIndex((number, place) => number !== theirs[place]);
  return at !== -1 && (ours[at] ?? 0) < (theirs[at] ?? 0);
}

function numbersOf(version: string): number[] {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(version) ?? [];
  if (numbers.length === 0) throw new Error(`"${version}" is no version such as 1.2.3`);
  return numbers.map(Number);
}
