// Runs inside a network namespace of its own, whose only name server is this program: 200 names that flip, asked through the
// system's resolver by the built client. Prints what arrived where.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { decode, encode } from 'dns-packet';

const [, , clientModule, flips] = process.argv;
const { Egress } = await import(clientModule);
const OUTSIDE = '127.0.0.2';
const INSIDE = '127.0.0.1';
const PORT = 8080;
const counts = { outside: 0, inside: 0, questions: new Map() };

const dns = createSocket('udp4');
dns.on('message', (message, peer) => {
  const { id, questions } = decode(message);
  const [question] = questions;
  const key = `${question.name} ${question.type}`;
  const asked = counts.questions.get(key) ?? 0;
  counts.questions.set(key, asked + 1);
  const data = asked === 0 ? OUTSIDE : INSIDE;
  const answers = question.type === 'A' ? [{ type: 'A', name: question.name, ttl: 0, data }] : [];
  dns.send(encode({ type: 'response', id, flags: 0x180, questions, answers }), peer.port, peer.address);
});
dns.bind(53, '127.0.0.1');
await once(dns, 'listening');
const outside = createServer((_request, response) => {
  counts.outside += 1;
  response.setHeader('connection', 'close').end();
}).listen(PORT, OUTSIDE);
const inside = createTcpServer((socket) => {
  counts.inside += 1;
  socket.destroy();
}).listen(PORT, INSIDE);
await Promise.all([once(outside, 'listening'), once(inside, 'listening')]);

const { guarded } = new Egress({ allowCidrs: [`${OUTSIDE}/32`], proxy: null });
const request = { method: 'GET', headers: {}, timeoutMs: 10_000, maxBodyBytes: 100, redirects: 'refuse' };
const outcomes = [];
for (let index = 0; index < Number(flips); index += 1) {
  const url = `http://n${Math.floor(index / 2)}.rebind.example:${PORT}/`;
  outcomes.push(
    await guarded.request({ ...request, url }).then(
      async (answer) => String((await answer.readBody()).length),
      (cause) => `${cause.reason} ${cause.sent}`,
    ),
  );
}
const most = Math.max(...counts.questions.values());
process.stdout.write(JSON.stringify({ outcomes, outside: counts.outside, inside: counts.inside, most }));
process.exit();
