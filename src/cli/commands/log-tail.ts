import { closeSync, fstatSync, openSync, readSync, unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
import { block } from '../terminal/escape.js';

const INTERVAL_MS = 300;

/** Prints what is appended to log files from now on, each line under the name of its part. */
export class LogTail {
  private readonly stops: (() => void)[];

  constructor(logs: string, parts: readonly string[]) {
    this.stops = parts.map((part) => follow(join(logs, `${part}.log`), part));
  }

  stop(): void {
    for (const stop of this.stops) stop();
  }
}

function follow(path: string, part: string): () => void {
  const file = openSync(path, 'r');
  let position = fstatSync(file).size;
  const listener = () => {
    const size = fstatSync(file).size;
    if (size <= position) return;
    const buffer = Buffer.alloc(size - position);
    position += readSync(file, buffer, 0, buffer.length, position);
    for (const line of block(buffer.toString('utf8').trimEnd()).split('\n'))
      process.stderr.write(`${part.padEnd(7)} ${line}\n`);
  };
  watchFile(path, { interval: INTERVAL_MS }, listener);
  return () => {
    unwatchFile(path, listener);
    closeSync(file);
  };
}
