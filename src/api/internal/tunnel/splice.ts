import type { Socket } from 'node:net';
import { SecondHelloReader } from '../../../domain/network/second-hello.js';

export interface SpliceParts {
  client: Socket;
  upstream: Socket;
  /** What the client said already. */
  held: readonly Buffer[];
  /** Counts bytes; false: the tunnel is cut. */
  carry: (sent: number, received: number) => boolean;
  /** Judges the name of a second hello of the same handshake; false: the tunnel is cut. */
  secondName: (name: string | null) => boolean;
}

/**
 * Carries bytes both ways until both sides have ended; each side's end is passed on as it comes. No promise and no allocation of
 * ours for a chunk: this is where the time of a download goes.
 */
export function splice({ client, upstream, held, carry, secondName }: SpliceParts): void {
  for (const chunk of held) if (!carry(chunk.length, 0) || !upstream.write(chunk)) client.pause();
  upstream.on('data', (chunk: Buffer) => {
    if (carry(0, chunk.length) && !client.write(chunk)) upstream.pause();
  });
  client.on('drain', () => upstream.resume());
  upstream.on('end', () => client.end());
  watchSecondHello({ client, upstream, carry, secondName });
  upstream.on('drain', () => client.resume());
  client.on('end', () => upstream.end());
  upstream.resume();
  if (!upstream.writableNeedDrain) client.resume();
}

/** The first thing that the client sends now may be a hello again; everything after it is opaque. */
function watchSecondHello({ client, upstream, carry, secondName }: Omit<SpliceParts, 'held'>): void {
  const reader = new SecondHelloReader();
  const waiting: Buffer[] = [];
  const pass = (chunk: Buffer): void => {
    if (carry(chunk.length, 0) && !upstream.write(chunk)) client.pause();
  };
  const watch = (chunk: Buffer): void => {
    waiting.push(chunk);
    const finding = reader.push(chunk);
    if (finding.kind === 'more') return;
    if (finding.kind !== 'none' && !secondName(finding.kind === 'name' ? finding.name : null)) return;
    client.off('data', watch).on('data', pass);
    waiting.forEach(pass);
  };
  client.on('data', watch);
}
