import { CLIENT_HELLO, ClientHelloReader, HANDSHAKE_RECORD, RECORD_HEADER, type HelloFinding } from './client-hello.js';

/** What a client sends next is no hello; nothing else in it tells which host is meant. */
export type SecondFinding = HelloFinding | { kind: 'none' };

const CHANGE_CIPHER_SPEC = 20;
const ALERT = 21;
/** Type, length and version of a hello: no ciphertext looks like these by chance. */
const OPENING = 6;
/** Records that hosts pass over; none takes as many. */
const MAX_PASSED = 64;

/**
 * Looks at what a client sends after its hello. A server may ask for the hello again (RFC 8446 §4.1.4), and the second one names a
 * host in clear like the first. Before it servers pass over changes of cipher, which are sent for the sake of middleboxes, and
 * over alerts that only warn: so any number of those may stand in front of it.
 */
export class SecondHelloReader {
  private held: Buffer = Buffer.alloc(0);
  private hello: ClientHelloReader | null = null;
  private records = 0;
  private passedBytes = 0;

  /** How many bytes, from the first one on, belong to records that are no hello: they may be sent on. */
  get passed(): number {
    return this.passedBytes;
  }

  push(chunk: Uint8Array): SecondFinding {
    if (this.hello !== null) return this.hello.push(chunk);
    this.held = Buffer.concat([this.held, chunk]);
    for (;;) {
      const [type] = this.held;
      if (type === undefined) return { kind: 'more' };
      if (type !== HANDSHAKE_RECORD && type !== CHANGE_CIPHER_SPEC && type !== ALERT) return { kind: 'none' };
      if (this.held.length < RECORD_HEADER) return { kind: 'more' };
      const length = this.held.readUInt16BE(3);
      if (type === HANDSHAKE_RECORD) return this.judgeRecord(length);
      if (this.held.length < RECORD_HEADER + length) return { kind: 'more' };
      this.records += 1;
      if (this.records > MAX_PASSED) return { kind: 'refused', fault: 'too_long' };
      this.passedBytes += RECORD_HEADER + length;
      this.held = this.held.subarray(RECORD_HEADER + length);
    }
  }

  private judgeRecord(length: number): SecondFinding {
    const opening = this.held.subarray(RECORD_HEADER, RECORD_HEADER + Math.min(length, OPENING));
    if (opening.length > 0 && opening[0] !== CLIENT_HELLO) return { kind: 'none' };
    if (opening.length < Math.min(length, OPENING)) return { kind: 'more' };
    // A finished message under a cipher that was agreed on before may begin with the same byte.
    if (length >= OPENING && (opening[1] !== 0 || opening[4] !== 3)) return { kind: 'none' };
    this.hello = new ClientHelloReader();
    return this.hello.push(this.held);
  }
}
