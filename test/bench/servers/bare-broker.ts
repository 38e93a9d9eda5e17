import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import type { oneUpdate } from './one-update.workflow.js';
import { serve, settings } from './report-port.js';

interface Call {
  id: string;
  workflow: string;
  input: object;
}

/** The front of a minimal broker that keeps verdict, input, claim and answer: the cost of a brokered call without governance. */
const { address, url } = settings<{ address: string; url: string }>();
const pool = new pg.Pool({ connectionString: url, max: 16 });
const client = new Client({ connection: await Connection.connect({ address }) });

async function execute({ id, workflow, input }: Call): Promise<string> {
  await pool.query({ name: 'verdict', text: 'insert into bare.verdicts (id) values ($1)', values: [id] });
  const text = 'insert into bare.inputs (id, input) values ($1, $2)';
  await pool.query({ name: 'input', text, values: [id, JSON.stringify(input)] });
  await client.workflow
    .getHandle(workflow)
    .executeUpdate<void, [string], typeof oneUpdate.name>('oneUpdate', { args: [id], updateId: id });
  const { rows } = await pool.query<{ answer: object }>({
    name: 'answer',
    text: 'select answer from bare.claims where id = $1',
    values: [id],
  });
  return JSON.stringify({ ok: true, result: rows[0]?.answer });
}

serve(
  createServer((request, response) => {
    void json(request)
      .then((call) => execute(call as Call))
      .catch((cause: unknown) => JSON.stringify({ ok: false, cause: String(cause) }))
      .then((body) => response.writeHead(200, { 'content-length': Buffer.byteLength(body) }).end(body));
  }),
);
