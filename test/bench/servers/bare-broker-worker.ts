import pg from 'pg';
import { Pool } from 'undici';
import { runWorker } from './one-update-worker.js';
import { settings } from './report-port.js';

/** The worker of a minimal broker: takes a claim, looks the tool up as it is now, calls it once and keeps the answer. */
const { address, taskQueue, url, upstream } = settings<Record<'address' | 'taskQueue' | 'url' | 'upstream', string>>();
const pool = new pg.Pool({ connectionString: url, max: 16 });
const server = new Pool(upstream, { connections: 16 });

async function ask(method: string, params: object): Promise<object> {
  const { body } = await server.request({
    method: 'POST',
    path: '/mcp',
    headers: { 'content-type': 'application/json', authorization: 'Bearer bench-key' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result } = (await body.json()) as { result?: object };
  if (result === undefined) throw new Error(`the upstream answered no result to ${method}`);
  return result;
}

await runWorker(address, taskQueue, async (id) => {
  const { rows } = await pool.query<{ input: object }>({
    name: 'claim',
    text: 'insert into bare.claims (id) values ($1) returning (select input from bare.inputs where id = $1) as input',
    values: [id],
  });
  await ask('tools/list', {});
  const answer = await ask('tools/call', { name: 'echo', arguments: rows[0]?.input });
  const text = 'update bare.claims set answer = $2 where id = $1';
  await pool.query({ name: 'settle', text, values: [id, JSON.stringify(answer)] });
});
