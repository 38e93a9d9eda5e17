import { createServer, type ServerResponse } from 'node:http';
import pg from 'pg';
import { serve, settings } from './report-port.js';

/** Subscribers by topic, fed by one listening connection with the notification's own text: no ledger is read. */
const { url } = settings<{ url: string }>();
const subscribers = new Map<string, Set<ServerResponse>>();
const listener = new pg.Client({ connectionString: url });
listener.on('notification', ({ payload = '' }) => {
  const [topic = '', seq = ''] = payload.split(' ');
  for (const response of subscribers.get(topic) ?? []) response.write(`id: ${seq}\ndata: ${payload}\n\n`);
});
await listener.connect();
await listener.query('listen bare_fan_out');

serve(
  createServer((request, response) => {
    const topic = (request.url ?? '').slice(1);
    const all = subscribers.get(topic) ?? new Set();
    subscribers.set(topic, all.add(response));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    response.on('close', () => all.delete(response));
  }),
);
