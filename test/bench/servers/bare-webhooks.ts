import { createHmac, timingSafeEqual } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';
import { settings } from './report-port.js';

/** A bare receiver: it checks the signature, reads the JSON and inserts one row. */
const { url, secret } = settings<{ url: string; secret: string }>();
const pool = new pg.Pool({ connectionString: url, max: 16, options: '-c role=sandgate_app -c jit=off' });
const server = fastify();
server.removeContentTypeParser('application/json');
server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

server.post<{ Body: Buffer }>('/webhooks', async ({ body, headers }, reply) => {
  const signature = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(String(headers['x-hub-signature-256']));
  if (given.length !== signature.length || !timingSafeEqual(given, signature)) return reply.code(401).send({});
  JSON.parse(body.toString('utf8'));
  await pool.query({
    name: 'bare_webhook',
    text: 'insert into bare.webhooks (id, payload) values ($1, $2) on conflict do nothing',
    values: [headers['x-github-delivery'], body.toString('utf8')],
  });
  return { stored: true };
});

process.once('disconnect', () => process.exit(0));
await server.listen({ port: 0, host: '127.0.0.1' });
const address = server.server.address();
process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
