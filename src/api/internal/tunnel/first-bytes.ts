import type { Socket } from 'node:net';
import { ClientHelloReader, HANDSHAKE_RECORD } from '../../../domain/network/client-hello.js';
import type { DenialRule } from './tunnel-run.js';

/** What a client begins with. What it said already has to be passed on ahead of everything else. */
export type Opening =
  /** The hello, and what came in one piece with it. */
  | { kind: 'tls'; hello: Buffer; rest: Buffer }
  | { kind: 'http'; held: Buffer[] }
  | { kind: 'denied'; rule: DenialRule; isTls: boolean }
  /** The client went away before it said anything. */
  | { kind: 'gone' };

/** A method of HTTP and the blank behind it; `PRI` opens HTTP/2, which has no plain form here. */
const METHOD = /^(?!PRI )[A-Z]{3,16} /;
const MAX_METHOD = 17;

/** Reads until it is plain what the client speaks and, of TLS, whom it means; nothing is sent to anybody before. */
export function readOpening(client: Socket, name: string, timeoutMs: number): Promise<Opening> {
  const { promise, resolve } = Promise.withResolvers<Opening>();
  const held: Buffer[] = [];
  const hello = new ClientHelloReader();
  const settle = (opening: Opening): void => {
    clearTimeout(timer);
    client.pause();
    client.off('data', onData).off('end', onGone).off('close', onGone);
    resolve(opening);
  };
  const onGone = (): void => settle({ kind: 'gone' });
  const onData = (chunk: Buffer): void => {
    held.push(chunk);
    const opening = held[0]?.[0] === HANDSHAKE_RECORD ? judgeTls(hello, chunk, held, name) : judgePlain(held);
    if (opening !== null) settle(opening);
  };
  const timer = setTimeout(() => settle({ kind: 'denied', rule: 'silent', isTls: false }), timeoutMs);
  client.on('data', onData).once('end', onGone).once('close', onGone);
  client.resume();
  return promise;
}

function judgeTls(hello: ClientHelloReader, chunk: Buffer, held: Buffer[], name: string): Opening | null {
  const finding = hello.push(chunk);
  if (finding.kind === 'more') return null;
  if (finding.kind === 'refused') {
    const rule = finding.fault === 'malformed' ? 'not_tls_or_http' : finding.fault;
    return { kind: 'denied', rule, isTls: true };
  }
  if (finding.name !== name) return { kind: 'denied', rule: 'sni', isTls: true };
  const said = Buffer.concat(held);
  return { kind: 'tls', hello: said.subarray(0, hello.consumed), rest: said.subarray(hello.consumed) };
}

function judgePlain(held: Buffer[]): Opening | null {
  const begin = (held.length === 1 ? held[0] : Buffer.concat(held))?.toString('latin1', 0, MAX_METHOD) ?? '';
  if (METHOD.test(begin)) return { kind: 'http', held };
  const mayBecome = begin.length < MAX_METHOD && /^[A-Z]+$/.test(begin);
  return mayBecome ? null : { kind: 'denied', rule: 'not_tls_or_http', isTls: false };
}
