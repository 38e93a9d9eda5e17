/** Why the beginning of a connection is not let through; a closed list, and the `rule` of `network.denied`. */
export type HelloFault =
  /** No TLS of a version from 1.0 on, or not as its standards write it. */
  | 'malformed'
  | 'too_long'
  /** No name of a server, or not exactly one. */
  | 'no_sni'
  /** The name is hidden (Encrypted Client Hello, encrypted SNI). */
  | 'ech'
  /** Data ahead of the server's answer, behind which a second hello could hide. */
  | 'early_data';

export type HelloFinding = { kind: 'more' } | { kind: 'name'; name: string } | { kind: 'refused'; fault: HelloFault };

/** Of one hello, its framing in records included. */
export const MAX_HELLO_BYTES = 16_384;

/** With which a record that is part of a handshake begins, and a message of it that is a hello. */
export const HANDSHAKE_RECORD = 22;
export const CLIENT_HELLO = 1;
/** Bytes ahead of what a record holds: its type, its version, and the length. */
export const RECORD_HEADER = 5;
const MESSAGE_HEADER = 4;
const MAX_RECORD = 16_384;
const RANDOM_BYTES = 32;
const MAX_SESSION_ID = 32;

const SERVER_NAME = 0;
const EARLY_DATA = 42;
/** Encrypted Client Hello, its drafts, and encrypted SNI before it. */
const HIDDEN_NAMES: ReadonlySet<number> = new Set([0xfe0d, 0xfe08, 0xfe09, 0xfe0a, 0xfe0b, 0xfe0c, 0xffce]);
/** As names stand in a hello: letters, digits, hyphens, underscores and dots, no dot at either end (RFC 6066 §3). */
const NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

const MORE: HelloFinding = { kind: 'more' };

/**
 * Reads the name of the server from the ClientHello with which a TLS client begins (RFC 5246 §7.4.1.2, RFC 8446 §4.1.2), from
 * chunks as they arrive: a hello may be cut anywhere, and spread over records. What a lenient reader would take otherwise than this
 * one is refused: a second name, an extension twice, empty records, lengths that do not agree, more behind the hello in its record.
 */
export class ClientHelloReader {
  private readonly header = new Uint8Array(RECORD_HEADER);
  private headerBytes = 0;
  /** Of the record that is being read. */
  private left = 0;
  /** The message without framing; replaced by one of its whole length as soon as that is known. */
  private message = new Uint8Array(MESSAGE_HEADER);
  private messageBytes = 0;
  private total = 0;
  private finding: HelloFinding = MORE;

  /** How many bytes were looked at: the whole hello and nothing behind it, once its name is known. */
  get consumed(): number {
    return this.total;
  }

  /** What is known after this chunk; bytes behind the record that ends the hello are not looked at. */
  push(chunk: Uint8Array): HelloFinding {
    let at = 0;
    while (at < chunk.length && this.finding.kind === 'more') {
      if (this.total >= MAX_HELLO_BYTES) return this.refuse('too_long');
      at += this.left === 0 ? this.readHeader(chunk, at) : this.readFragment(chunk, at);
    }
    return this.finding;
  }

  private readHeader(chunk: Uint8Array, at: number): number {
    this.header[this.headerBytes] = chunk[at] ?? 0;
    this.headerBytes += 1;
    this.total += 1;
    // Judged byte by byte, so that what is no TLS is refused without waiting for more of it.
    const [type, major = 3, minor = 1] = this.header.subarray(0, this.headerBytes);
    if (type !== HANDSHAKE_RECORD || major !== 3 || minor < 1 || minor > 3) this.refuse('malformed');
    if (this.headerBytes < RECORD_HEADER) return 1;
    this.left = uint16(this.header, 3);
    this.headerBytes = 0;
    if (this.left === 0 || this.left > MAX_RECORD) this.refuse('malformed');
    return 1;
  }

  private readFragment(chunk: Uint8Array, at: number): number {
    const wanted = Math.min(this.left, this.message.length - this.messageBytes, chunk.length - at);
    this.message.set(chunk.subarray(at, at + wanted), this.messageBytes);
    this.messageBytes += wanted;
    this.left -= wanted;
    this.total += wanted;
    if (this.messageBytes < this.message.length) return wanted;
    if (this.message.length > MESSAGE_HEADER) this.finish();
    else this.expectMessage();
    return wanted;
  }

  private expectMessage(): void {
    const length = uint24(this.message, 1);
    if (this.message[0] !== CLIENT_HELLO || length === 0) this.refuse('malformed');
    else if (length > MAX_HELLO_BYTES) this.refuse('too_long');
    const whole = new Uint8Array(MESSAGE_HEADER + length);
    whole.set(this.message);
    this.message = whole;
  }

  private finish(): void {
    // A hello ends its record: nothing can follow it before the server has answered (RFC 8446 §5.1).
    if (this.left > 0) this.refuse('malformed');
    else this.finding = readHello(this.message.subarray(MESSAGE_HEADER));
  }

  private refuse(fault: HelloFault): HelloFinding {
    this.finding = { kind: 'refused', fault };
    return this.finding;
  }
}

function readHello(body: Uint8Array): HelloFinding {
  const fields = new Fields(body);
  const version = fields.number(2);
  fields.skip(RANDOM_BYTES);
  const sessionId = fields.vector(1);
  const ciphers = fields.vector(2);
  const compressions = fields.vector(1);
  if (!fields.ok || version < 0x0301 || version > 0x0303) return refused('malformed');
  if (sessionId.length > MAX_SESSION_ID || ciphers.length < 2 || ciphers.length % 2 !== 0 || compressions.length === 0)
    return refused('malformed');
  if (fields.ended) return refused('no_sni');
  const extensions = fields.vector(2);
  if (!fields.ok || !fields.ended) return refused('malformed');
  return readExtensions(extensions);
}

function readExtensions(block: Uint8Array): HelloFinding {
  const fields = new Fields(block);
  const found = new Map<number, Uint8Array>();
  while (!fields.ended) {
    const type = fields.number(2);
    const data = fields.vector(2);
    if (!fields.ok || found.has(type)) return refused('malformed');
    found.set(type, data);
  }
  if ([...found.keys()].some((type) => HIDDEN_NAMES.has(type))) return refused('ech');
  if (found.has(EARLY_DATA)) return refused('early_data');
  const names = found.get(SERVER_NAME);
  return names === undefined ? refused('no_sni') : readServerName(names);
}

function readServerName(data: Uint8Array): HelloFinding {
  const outer = new Fields(data);
  const list = new Fields(outer.vector(2));
  const type = list.number(1);
  const bytes = list.vector(2);
  if (!outer.ok || !outer.ended || !list.ok || type !== 0) return refused('malformed');
  if (!list.ended) return refused('no_sni');
  const name = String.fromCharCode(...bytes.subarray(0, 256));
  if (bytes.length > 255 || !NAME.test(name)) return refused('malformed');
  return { kind: 'name', name: name.toLowerCase() };
}

function refused(fault: HelloFault): HelloFinding {
  return { kind: 'refused', fault };
}

/** Reads one member after the other; `ok` is false from the first one on that is not all there. */
class Fields {
  ok = true;
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get ended(): boolean {
    return this.at >= this.bytes.length;
  }

  number(width: 1 | 2): number {
    const [high = 0, low = 0] = this.take(width);
    return width === 1 ? high : high * 256 + low;
  }

  /** A member that begins with its length. */
  vector(width: 1 | 2): Uint8Array {
    return this.take(this.number(width));
  }

  skip(count: number): void {
    this.take(count);
  }

  private take(count: number): Uint8Array {
    if (count > this.bytes.length - this.at) this.ok = false;
    const taken = this.ok ? this.bytes.subarray(this.at, this.at + count) : new Uint8Array();
    this.at += taken.length;
    return taken;
  }
}

function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
}

function uint24(bytes: Uint8Array, at: number): number {
  return uint16(bytes, at) * 256 + (bytes[at + 2] ?? 0);
}
