import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED, type Answer } from 'dns-packet';
import type { Resolve } from '../../../src/platform/egress/outbound-route.js';

/** What a name answers to its `asked`-th question of a type, counted from 0; `'silence'` answers nothing. */
export type Zone = (name: string, type: 'A' | 'AAAA', asked: number) => readonly Answer[] | 'silence';

/** A DNS server of ours on loopback, with answers that may change from question to question. */
export interface DnsServer {
  /** Asks this server for both families, as the system's resolver would. */
  resolve: Resolve;
  /** How often a name was asked for, by type. */
  asked(name: string, type: 'A' | 'AAAA'): number;
  close(): Promise<void>;
}

export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const counts = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (message, peer) => {
    const query = decode(message);
    const question = query.questions?.[0];
    if (question === undefined || (question.type !== 'A' && question.type !== 'AAAA')) return;
    const key = `${question.name.toLowerCase()} ${question.type}`;
    const asked = counts.get(key) ?? 0;
    counts.set(key, asked + 1);
    const answers = zone(question.name.toLowerCase(), question.type, asked);
    if (answers === 'silence') return;
    const flags = RECURSION_DESIRED | RECURSION_AVAILABLE | (answers.length === 0 ? NAME_ERROR : 0);
    const { id = 0 } = query;
    socket.send(
      encode({ type: 'response', id, flags, questions: [question], answers: [...answers] }),
      peer.port,
      peer.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  // Silence is told from an answer that is late because the machine is busy.
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    resolve: async (name) => {
      const families = await Promise.allSettled([resolver.resolve6(name), resolver.resolve4(name)]);
      const found = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
      if (found.length === 0) throw new Error('no such name');
      return found;
    },
    asked: (name, type) => counts.get(`${name} ${type}`) ?? 0,
    close: () => new Promise((closed) => socket.close(() => closed())),
  };
}

const NAME_ERROR = 3;

/** Records of no lifetime. */
export const a = (name: string, data: string): Answer => ({ type: 'A', name, ttl: 0, data });
export const aaaa = (name: string, data: string): Answer => ({ type: 'AAAA', name, ttl: 0, data });
export const cname = (name: string, data: string): Answer => ({ type: 'CNAME', name, ttl: 0, data });
