import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { LiveStack } from '../../support/installation/live-stack.js';

/** An installation whose record, histories, logs and answers are searched for words that belong nowhere. */
export interface SearchedStack {
  stack: LiveStack;
  /** The record, with the rights of its owner. */
  owner: pg.Client;
  temporal: Client;
  /** A folder of the part's own, which its runs may copy. */
  folder: string;
}

/** How a part of a suite comes to it, before its first test. */
export type EnterSearched = (part: string) => SearchedStack;

/** One for the parts of a suite. It logs everything. @param env its settings, once the hooks before it have run */
export function shareSearchedStack(env: () => NodeJS.ProcessEnv): EnterSearched {
  const roots = mkdtempSync(join(tmpdir(), 'sg-secrets-'));
  let searched: Omit<SearchedStack, 'folder'> | undefined;
  beforeAll(async () => {
    const stack = await LiveStack.start({
      SERVICE_LOCAL_COPY_ROOTS: roots,
      SERVICE_LOG_LEVEL: 'trace',
      ...env(),
    });
    const owner = new pg.Client({ host: join(stack.dataDir, 'pg'), user: 'sandgate', database: 'sandgate' });
    const connection = Connection.lazy({ address: stack.installation.temporalAddress });
    searched = { stack, owner, temporal: new Client({ connection }) };
    await owner.connect();
  }, MAKE_WITHIN_MS);
  afterAll(async () => {
    await searched?.temporal.connection.close();
    await searched?.owner.end();
    await searched?.stack.stop();
    rmSync(roots, { recursive: true, force: true });
  }, 120_000);
  return (part) => {
    if (searched === undefined) throw new Error('the installation has not been started');
    const folder = join(roots, part);
    mkdirSync(folder);
    return { ...searched, folder };
  };
}
