import { gzipSync } from 'node:zlib';

/** One entry of a tar as its bytes are written, whatever that means. */
export interface RawTarEntry {
  name: string | Buffer;
  /** The type as tar writes it: `0` file, `1` hard link, `2` link, `5` folder, `x` pax header, … */
  type?: string;
  content?: string | Buffer;
  link?: string;
  mode?: number;
  /** What the header says, when it lies. */
  size?: string;
}

const BLOCK = 512;

/** Writes the bytes of a tar by hand: archives that no honest program makes. */
export function rawTar(entries: readonly RawTarEntry[], options: { end?: boolean } = {}): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    return [header(entry, content.length), padded(content)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(options.end === false ? 0 : 2 * BLOCK)]);
}

export function rawArchive(entries: readonly RawTarEntry[]): Buffer {
  return gzipSync(rawTar(entries));
}

/** Records of a pax header: each with its length before it. */
export function paxRecords(records: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(records).map(([key, value]) => {
      const text = Buffer.from(` ${key}=${value}\n`);
      let length = text.length + 1;
      while (String(length).length + text.length !== length) length = String(length).length + text.length;
      return Buffer.concat([Buffer.from(String(length)), text]);
    }),
  );
}

function header(entry: RawTarEntry, length: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  Buffer.from(entry.name).copy(block, 0, 0, 100);
  block.write(`${octal(entry.mode ?? 0o644, 7)}\0`, 100);
  block.write(`${octal(0, 7)}\0${octal(0, 7)}\0`, 108);
  block.write((entry.size ?? `${octal(length, 11)}`).padEnd(12, '\0'), 124, 12, 'latin1');
  block.write(`${octal(0, 11)}\0`, 136);
  block.write('        ', 148);
  block.write(entry.type ?? '0', 156);
  block.write(entry.link ?? '', 157, 100);
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
}
