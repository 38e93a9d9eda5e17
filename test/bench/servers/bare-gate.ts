import fastify from 'fastify';
import pg from 'pg';
import { settings } from './report-port.js';

/** A bare handler with one SQL call: the least that a gate could cost. */
const { url, tenant } = settings<{ url: string; tenant: string }>();
const pool = new pg.Pool({ connectionString: url, max: 16, options: '-c role=sandgate_app -c jit=off' });
const server = fastify();

interface Body {
  session: string;
  call: string;
  tool: string;
  input: object;
}

server.post<{ Body: Body }>('/permission', async (request) => {
  const { session, call, tool, input } = request.body;
  const { rows } = await pool.query<{ seq: string }>({
    name: 'bare_gate',
    text: 'select bare.gate($1, $2, $3, $4, $5::jsonb) as seq',
    values: [tenant, session, call, tool, JSON.stringify(input)],
  });
  return { decision: 'allow', seq: Number(rows[0]?.seq) };
});

const waiting = new Map<string, () => void>();

/** A blocked call: parked in memory until its row is settled. */
server.post<{ Body: { id: string } }>('/wait', async (request) => {
  await new Promise<void>((resolve) => waiting.set(request.body.id, resolve));
  return { decision: 'allow' };
});

server.post<{ Body: { id: string } }>('/decide', async (request) => {
  const { id } = request.body;
  await pool.query({
    name: 'bare_decide',
    text: 'insert into bare.decisions (id) values ($1)',
    values: [id],
  });
  waiting.get(id)?.();
  waiting.delete(id);
  return { ok: true };
});

process.once('disconnect', () => process.exit(0));
await server.listen({ port: 0, host: '127.0.0.1' });
const address = server.server.address();
process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
