const HEADER_BYTES = 8;
const STDOUT = 1;
const STDERR = 2;

/** Takes an engine's stream of frames apart: a byte of kind, three of nothing, four of length, and the payload. */
export class FrameReader {
  private pending: Buffer = Buffer.alloc(0);

  constructor(private readonly take: (stream: 'stdout' | 'stderr', payload: Buffer) => void) {}

  push(chunk: Buffer): void {
    this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
    for (;;) {
      if (this.pending.length < HEADER_BYTES) return;
      const end = HEADER_BYTES + this.pending.readUInt32BE(4);
      if (this.pending.length < end) return;
      const kind = this.pending[0];
      const payload = this.pending.subarray(HEADER_BYTES, end);
      if (kind === STDOUT) this.take('stdout', payload);
      if (kind === STDERR) this.take('stderr', payload);
      this.pending = this.pending.subarray(end);
    }
  }
}

/**
 * The log of a run, taken apart. What it prints is all on standard output, because the container's first program says so; standard error
 * has the verdict of the self-check alone.
 */
export function readFrames(log: Buffer): { output: Buffer; verdict: string } {
  const parts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  new FrameReader((stream, payload) => parts[stream].push(payload)).push(log);
  return { output: Buffer.concat(parts.stdout), verdict: Buffer.concat(parts.stderr).toString('utf8') };
}
