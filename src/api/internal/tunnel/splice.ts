import type { Socket } from 'node:net';
import { SecondHelloReader } from '../../../domain/network/second-hello.js';

export interface SpliceParts {
  client: Socket;
  upstream: Socket;
  /** What the client said already: its hello, which was judged, and what it sent behind it, which was not. */
  hello: Buffer;
  rest: Buffer;
  /** Counts bytes; false: the tunnel is cut. */
  carry: (sent: number, received: number) => boolean;
  /** Judges the name of a second hello of the same handshake; false: the tunnel is cut. */
  secondName: (name: string | null) => boolean;
}

/**
 * Carries bytes both ways until both sides have ended; each side's end is passed on as it comes. No promise and no allocation of
 * ours for a chunk: this is where the time of a download goes.
 */
export function splice({ client, upstream, hello, rest, carry, secondName }: SpliceParts): void {
  if (!carry(hello.length, 0) || !upstream.write(hello)) client.pause();
  upstream.on('data', (chunk: Buffer) => {
    if (carry(0, chunk.length) && !client.write(chunk)) upstream.pause();
  });
  client.on('drain', () => upstream.resume());
  upstream.on('end', () => client.end());
  watchSecondHello({ client, upstream, rest, carry, secondName });
  upstream.on('drain', () => client.resume());
  client.on('end', () => upstream.end());
  upstream.resume();
  if (!upstream.writableNeedDrain) client.resume();
}

/** The first thing that the client says now may be a hello again; everything after it is opaque. */
function watchSecondHello({ client, upstream, rest, carry, secondName }: Omit<SpliceParts, 'hello'>): void {
  const reader = new SecondHelloReader();
  let waiting: Buffer = Buffer.alloc(0);
  let passed = 0;
  const pass = (chunk: Buffer): void => {
    if (carry(chunk.length, 0) && !upstream.write(chunk)) client.pause();
  };
  /** An alert is not held back: it may be the last thing that a client says. */
  const passOver = (): void => {
    const clear = waiting.subarray(0, reader.passed - passed);
    waiting = waiting.subarray(clear.length);
    passed = reader.passed;
    if (clear.length > 0) pass(clear);
  };
  const watch = (chunk: Buffer): void => {
    waiting = Buffer.concat([waiting, chunk]);
    const finding = reader.push(chunk);
    if (finding.kind === 'more') return passOver();
    if (finding.kind !== 'none' && !secondName(finding.kind === 'name' ? finding.name : null)) return;
    client.off('data', watch).on('data', pass);
    pass(waiting);
  };
  client.on('data', watch);
  if (rest.length > 0) watch(rest);
}
