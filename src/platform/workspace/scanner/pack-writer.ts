import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { hashPortions, type ObjectFormat } from './content.js';

const BLOB = 3;
const MAX_STORED_BLOCK = 65_535;
const ADLER_MODULUS = 65_521;
/** So many bytes can be summed before the sums must be reduced. */
const ADLER_RUN = 3800;

/**
 * Collects new blobs in one git pack. Contents are stored, not compressed: the pack of a collection lives for seconds, and one
 * file instead of thousands is what makes many small changes cheap.
 */
export class PackWriter {
  private readonly folder: string;
  private readonly format: ObjectFormat;
  private readonly written = new Set<string>();
  private fd: number | undefined;

  /** @param folder `objects/pack` of the repository that gets the blobs */
  constructor(folder: string, format: ObjectFormat) {
    this.folder = folder;
    this.format = format;
  }

  add(id: string, content: Buffer): void {
    if (this.written.has(id)) return;
    this.written.add(id);
    if (this.fd === undefined) {
      this.fd = openSync(this.partial, 'wx+');
      writeSync(this.fd, packHeader(0));
    }
    writeWhole(this.fd, objectHeader(content.length));
    writeWhole(this.fd, Buffer.from([0x78, 0x01]));
    this.writeStored(this.fd, content);
    writeWhole(this.fd, adler32(content));
  }

  /** Completes the pack; answers its path for `git index-pack`, or undefined when nothing was added. */
  finish(): string | undefined {
    if (this.fd === undefined) return undefined;
    writeSync(this.fd, packHeader(this.written.size), 0, 12, 0);
    const checksum = hashPortions(this.fd, fstatSync(this.fd).size, { algorithm: this.format }) ?? '';
    writeWhole(this.fd, Buffer.from(checksum, 'hex'));
    closeSync(this.fd);
    const path = `${this.folder}/pack-${checksum}.pack`;
    renameSync(this.partial, path);
    return path;
  }

  private writeStored(fd: number, content: Buffer): void {
    for (let start = 0; start === 0 || start < content.length; start += MAX_STORED_BLOCK) {
      const block = content.subarray(start, start + MAX_STORED_BLOCK);
      const head = Buffer.alloc(5);
      head[0] = start + MAX_STORED_BLOCK >= content.length ? 1 : 0;
      head.writeUInt16LE(block.length, 1);
      head.writeUInt16LE(0xffff - block.length, 3);
      writeWhole(fd, head);
      writeWhole(fd, block);
    }
  }

  private get partial(): string {
    return `${this.folder}/collecting`;
  }
}

function packHeader(objects: number): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(objects, 8);
  return header;
}

function objectHeader(bytes: number): Buffer {
  const header = [(BLOB << 4) | (bytes & 0x0f)];
  for (let rest = Math.floor(bytes / 16); rest > 0; rest = Math.floor(rest / 128)) {
    header[header.length - 1] = (header.at(-1) as number) | 0x80;
    header.push(rest & 0x7f);
  }
  return Buffer.from(header);
}

function adler32(content: Buffer): Buffer {
  let a = 1;
  let b = 0;
  for (let start = 0; start < content.length; start += ADLER_RUN) {
    const end = Math.min(start + ADLER_RUN, content.length);
    for (let index = start; index < end; index++) {
      a += content[index] as number;
      b += a;
    }
    a %= ADLER_MODULUS;
    b %= ADLER_MODULUS;
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(b * 65_536 + a);
  return sum;
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
}
