import type { Duplex } from 'node:stream';
import { attach } from './attach.js';
import { FrameReader } from './frames.js';

/** More than a verdict ever is. */
const MAX_VERDICT_BYTES = 16 * 1024;

/** The streams of a container that is about to start. */
export class AttachedContainer {
  private verdict = '';
  private output: Buffer = Buffer.alloc(0);
  private ended = false;
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly stream: Duplex) {
    const reader = new FrameReader((kind, payload) => {
      if (kind === 'stderr') this.verdict = (this.verdict + payload.toString('utf8')).slice(0, MAX_VERDICT_BYTES);
      else this.output = Buffer.concat([this.output, payload]).subarray(-MAX_VERDICT_BYTES);
      this.wake();
    });
    stream.on('data', (chunk: Buffer) => reader.push(chunk));
    const end = (): void => {
      this.ended = true;
      this.wake();
    };
    stream.once('end', end).once('close', end).once('error', end);
  }

  /** @throws SandgateError `unavailable` or `sandbox_failed` */
  static async open(socketPath: string, id: string): Promise<AttachedContainer> {
    return new AttachedContainer(await attach(socketPath, id));
  }

  /** Its length first: no engine passes on reliably that its input has ended. */
  handOff(document: string): void {
    const bytes = Buffer.from(document);
    this.stream.write(Buffer.concat([Buffer.from(`${bytes.length}\n`), bytes]));
  }

  /** The first line of the verdict; what was printed instead when the container ended without one, or the time is over. */
  async awaitVerdict(timeoutMs: number): Promise<{ verdict: string } | { output: string; ended: boolean }> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const newline = this.verdict.indexOf('\n');
      if (newline >= 0) return { verdict: this.verdict.slice(0, newline) };
      const left = deadline - Date.now();
      if (this.ended || left <= 0)
        return { output: (this.output.toString('utf8') + this.verdict).trim(), ended: this.ended };
      await this.change(left);
    }
  }

  /** @returns the last that was printed, when the container has ended or the time is over */
  async awaitEnd(timeoutMs: number): Promise<string> {
    for (const deadline = Date.now() + timeoutMs; !this.ended && Date.now() < deadline;)
      await this.change(deadline - Date.now());
    return this.output.toString('utf8');
  }

  close(): void {
    this.stream.destroy();
  }

  private change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.waiting.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, timeoutMs);
      this.waiting.add(settle);
    });
  }

  private wake(): void {
    for (const settle of [...this.waiting]) settle();
  }
}
