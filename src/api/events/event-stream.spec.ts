import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { EventStream } from './event-stream.js';
import { resumePosition } from './resume-position.js';
import { RunTail } from './run-tail.js';

/** A socket that takes `room` writes and then is full until it is drained. */
class SlowSocket extends EventEmitter {
  destroyed = false;
  writableEnded = false;
  written: string[] = [];

  constructor(private room: number) {
    super();
  }

  write(bytes: Buffer): boolean {
    this.written.push(bytes.toString());
    this.room -= 1;
    return this.room > 0;
  }

  drain(room: number): void {
    this.room = room;
    this.emit('drain');
  }
}

const frames = (after: number, last: number, limit = 500) =>
  Array.from({ length: Math.max(0, Math.min(limit, last - after)) }, (_, index) => ({
    seq: after + 1 + index,
    bytes: Buffer.from(`${after + 1 + index}${'.'.repeat(1000)}|`),
  }));
const seen = (socket: SlowSocket): number[] =>
  socket.written
    .flatMap((chunk) => chunk.split('|').filter((frame) => frame !== ''))
    .map((frame) => Number.parseInt(frame, 10));
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a stream', () => {
  it('CP-197 goes on where a full socket stopped it, and keeps nothing meanwhile', async () => {
    const socket = new SlowSocket(2);
    let last = 300;
    const tail = new RunTail(
      last,
      (after) => Promise.resolve(frames(after, last)),
      () => undefined,
    );
    tail.add(new EventStream(socket as unknown as ServerResponse, 0));
    await settle();
    const stopped = seen(socket).length;
    expect(stopped).toBeLessThan(100);
    last = 900;
    tail.refresh();
    await settle();
    expect(seen(socket)).toHaveLength(stopped);
    socket.drain(1000);
    await settle();
    expect(seen(socket)).toEqual(Array.from({ length: 900 }, (_, index) => index + 1));
    tail.close();
  });

  it('CP-198 survives reads that fail', async () => {
    const socket = new SlowSocket(1000);
    let failures = 1;
    const errors: unknown[] = [];
    const read = (after: number) =>
      failures-- > 0 ? Promise.reject(new Error('away')) : Promise.resolve(frames(after, 10));
    const tail = new RunTail(0, read, (error) => errors.push(error));
    tail.add(new EventStream(socket as unknown as ServerResponse, 0));
    await settle();
    tail.refresh();
    await settle();
    expect(errors).toHaveLength(1);
    expect(seen(socket)).toHaveLength(10);
    tail.close();
  });

  it('one read feeds all streams of a run', async () => {
    const sockets = Array.from({ length: 100 }, () => new SlowSocket(1000));
    let reads = 0;
    let last = 50;
    const tail = new RunTail(
      50,
      (after) => {
        reads += 1;
        return Promise.resolve(frames(after, last));
      },
      () => undefined,
    );
    for (const socket of sockets) tail.add(new EventStream(socket as unknown as ServerResponse, 50));
    await settle();
    reads = 0;
    last = 60;
    tail.refresh();
    await settle();
    expect(sockets.every((socket) => seen(socket).length === 10)).toBe(true);
    expect(reads).toBe(2);
    tail.close();
  });

  it('CP-196 Last-Event-ID wins over the query', () => {
    expect(resumePosition(undefined, undefined)).toBe(0);
    expect(resumePosition(undefined, '5')).toBe(5);
    expect(resumePosition('7', '5')).toBe(7);
    expect(resumePosition('nonsense', '5')).toBe(0);
    expect(resumePosition('', '5')).toBe(5);
    expect(() => resumePosition('7', 'x')).toThrow('after');
  });
});
