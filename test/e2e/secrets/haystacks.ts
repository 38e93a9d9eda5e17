import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { LiveStack } from '../../support/installation/live-stack.js';
import type { StackDatabase } from '../../support/installation/stack-database.js';
import type { Haystack } from './canary-search.js';

const RUN_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** Every history of the namespace with every payload decoded to its bytes, and the files of the store itself. */
export async function readHistories(client: Client, stack: LiveStack): Promise<Haystack[]> {
  const histories: Haystack[] = [];
  for await (const { workflowId, runId, memo, searchAttributes } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const parts: Buffer[] = [Buffer.from(JSON.stringify({ memo, searchAttributes }))];
    collectBytes(history, parts, new Set());
    histories.push({ name: `history ${workflowId}`, bytes: Buffer.concat(parts) });
  }
  const store = readdirSync(stack.dataDir).filter((file) => file.startsWith('temporal.db'));
  return [
    ...histories,
    ...store.map((file) => ({ name: `store ${file}`, bytes: readFileSync(join(stack.dataDir, file)) })),
  ];
}

function collectBytes(value: unknown, into: Buffer[], seen: Set<unknown>): void {
  if (typeof value === 'string') into.push(Buffer.from(`${value}\n`));
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (ArrayBuffer.isView(value)) into.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  else for (const [key, member] of Object.entries(value)) collectBytes([key, member].at(1), into, seen);
}

/** The logs of all parts. */
export function readLogs(stack: LiveStack): Haystack[] {
  const folder = join(stack.dataDir, 'logs');
  const files = readdirSync(folder).map((file) => ({ name: `log ${file}`, bytes: readFileSync(join(folder, file)) }));
  return [...files, { name: 'log of the supervisor', bytes: Buffer.from(stack.notices.join('\n')) }];
}

/** Every column of every table, as text. */
export async function dumpDatabase(database: StackDatabase): Promise<Haystack[]> {
  const columns = await database.query<{ name: string; column: string }>(
    `select table_name as name, column_name as column from information_schema.columns
      where table_schema = 'public' order by table_name, ordinal_position`,
  );
  const dump: Haystack[] = [];
  for (const { name, column } of columns) {
    const rows = await database.query<{ cell: string }>(`select "${column}"::text as cell from "${name}"`);
    dump.push({ name: `${name}.${column}`, bytes: Buffer.from(rows.map((row) => row.cell ?? '').join('\n')) });
  }
  return dump;
}

/**
 * Every answer of the public plane that concerns the runs, and those that list things.
 *
 * @param runs ids by the name that all these runs have in the names of the answers
 */
export async function readAnswers(
  stack: LiveStack,
  runs: Readonly<Record<string, readonly string[]>>,
  agent: string,
): Promise<Haystack[]> {
  const names = new Map(Object.entries(runs).flatMap(([name, ids]) => ids.map((id) => [id, name] as const)));
  const paths = [
    '/v1/health',
    '/v1/health/ready',
    '/v1/harnesses',
    '/v1/agents',
    `/v1/agents/${agent}`,
    '/v1/policies',
    '/v1/policies/standard',
    '/v1/approvals',
    '/v1/ledger-key',
    '/v1/openapi.json',
    '/v1/sessions',
  ];
  for (const run of names.keys()) {
    const at = `/v1/sessions/${run}`;
    paths.push(
      at,
      ...['events?limit=1000', 'events/export', 'approvals', 'artifacts', 'cost'].map((part) => `${at}/${part}`),
    );
  }
  const answers: Haystack[] = [];
  for (const path of paths) {
    const response = await stack.request('GET', path);
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    const plain = path.replace(RUN_ID, (id) => names.get(id) ?? id).replace(agent, 'agent');
    const name = `GET ${plain}`;
    answers.push({ name, bytes: Buffer.from(await response.arrayBuffer()) });
  }
  return answers;
}
