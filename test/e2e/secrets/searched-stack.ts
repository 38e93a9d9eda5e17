import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import type { LiveStack } from '../../support/installation/live-stack.js';
import { shareStack } from '../../support/installation/share-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';

/** An installation whose record, histories, logs and answers are searched for words that belong nowhere. */
export interface SearchedStack {
  stack: LiveStack;
  database: StackDatabase;
  temporal: Client;
  /** A folder of the part's own, which its runs may copy. */
  folder: string;
}

/** How a part of a suite comes to it, before its first test. */
export type EnterSearched = (part: string) => Promise<SearchedStack>;

/** One for the parts of a suite. It logs everything. @param env its settings, once the hooks before it have run */
export function shareSearchedStack(env: () => NodeJS.ProcessEnv): EnterSearched {
  const roots = mkdtempSync(join(tmpdir(), 'sg-secrets-'));
  const enter = shareStack(
    () => ({ SERVICE_LOCAL_COPY_ROOTS: roots, SERVICE_LOG_LEVEL: 'trace', ...env() }),
    MAKE_WITHIN_MS,
  );
  let temporal: Client | undefined;
  beforeAll(async () => {
    const { installation } = await enter();
    temporal = new Client({ connection: Connection.lazy({ address: installation.temporalAddress }) });
  });
  afterAll(async () => {
    await temporal?.connection.close();
    rmSync(roots, { recursive: true, force: true });
  });
  return async (part) => {
    if (temporal === undefined) throw new Error('the installation has not been started');
    const stack = await enter();
    const folder = join(roots, part);
    mkdirSync(folder);
    return { stack, database: StackDatabase.of(stack), temporal, folder };
  };
}
