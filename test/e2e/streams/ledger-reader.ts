import http from 'node:http';
import type { TimelineEvent } from '../../support/installation/live-stack.js';
import type { SeededRandom } from '../../support/random/seeded-random.js';

export interface ReaderTarget {
  url: string;
  token: string;
  runId: string;
}

export type Resume = 'Last-Event-ID' | 'after' | 'poll';

const RETRY_MS = 100;
const PATIENCE_MS = 20_000;

/**
 * A client of one run that keeps nothing but what it has processed and its last seq. It streams for a random while, breaks the
 * connection off at any byte, and goes on by header, by query or by polling, until it has seen `last`.
 */
export class LedgerReader {
  readonly seen: TimelineEvent[] = [];
  readonly cuts: Record<Resume, number> = { 'Last-Event-ID': 0, after: 0, poll: 0 };

  constructor(
    private readonly target: ReaderTarget,
    private readonly random: SeededRandom,
    private readonly ways: readonly Resume[],
  ) {}

  get last(): number {
    return this.seen.at(-1)?.seq ?? 0;
  }

  /** Reads until `end` answers a seq and that seq was seen. */
  async readUntil(end: () => number | undefined): Promise<void> {
    for (;;) {
      const last = end();
      if (last !== undefined && this.last >= last) return;
      const way = this.random.pick(this.ways);
      this.cuts[way] += 1;
      try {
        if (way === 'poll') await this.poll();
        else await this.stream(way, last);
      } catch (error) {
        if (!isCut(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  private async poll(): Promise<void> {
    const limit = this.random.between(1, 30);
    const response = await this.open(`?after=${this.last}&limit=${limit}`, {});
    let text = '';
    for await (const chunk of response) text += String(chunk);
    if (response.statusCode !== 200) throw outage(response);
    this.seen.push(...(JSON.parse(text) as { events: TimelineEvent[] }).events);
    await new Promise((resolve) => setTimeout(resolve, this.random.between(20, 400)));
  }

  private async stream(way: Exclude<Resume, 'poll'>, last: number | undefined): Promise<void> {
    const response =
      way === 'after'
        ? await this.open(`/stream?after=${this.last}`, {})
        : await this.open('/stream', { 'last-event-id': String(this.last) });
    if (response.statusCode !== 200) throw outage(response);
    const cutAfterEvents = this.random.between(0, 12);
    const cutAfterMs = this.random.between(50, 3000);
    const cutAtByte = this.random.next() < 0.3 ? this.random.between(1, 4000) : Infinity;
    const until = last ?? Infinity;
    const timer = setTimeout(() => response.destroy(), cutAfterMs);
    try {
      await this.takeFrames(response, { events: cutAfterEvents, byte: cutAtByte, until });
    } finally {
      clearTimeout(timer);
      response.destroy();
    }
  }

  /** What is a whole frame was processed; the piece of a frame at the cut was not. */
  private async takeFrames(
    response: http.IncomingMessage,
    cut: { events: number; byte: number; until: number },
  ): Promise<void> {
    let rest = '';
    let bytes = 0;
    let taken = 0;
    response.setEncoding('utf8');
    for await (const chunk of response as AsyncIterable<string>) {
      const allowed = chunk.slice(0, Math.max(0, cut.byte - bytes));
      bytes += chunk.length;
      const frames = (rest + allowed).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const data = /^id: \d+\ndata: (.*)$/.exec(frame)?.[1];
        if (data === undefined) continue;
        this.seen.push(JSON.parse(data) as TimelineEvent);
        taken += 1;
        if (taken > cut.events || this.last >= cut.until) return;
      }
      if (bytes >= cut.byte) return;
    }
  }

  private open(path: string, headers: Record<string, string>): Promise<http.IncomingMessage> {
    const { url, token, runId } = this.target;
    return new Promise((resolve, reject) => {
      const request = http.get(`${url}/v1/sessions/${runId}/events${path}`, {
        agent: false,
        headers: { authorization: `Bearer ${token}`, ...headers },
        timeout: PATIENCE_MS,
      });
      request.once('response', resolve);
      request.once('error', reject);
      request.once('timeout', () => request.destroy(Object.assign(new Error('silent'), { code: 'ETIMEDOUT' })));
    });
  }
}

/** A connection that broke, from either side, or a server that is being restarted. */
function isCut(error: unknown): boolean {
  const cuts = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ETIMEDOUT', 'UNAVAILABLE'];
  return cuts.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** While the server restarts it may say 503; anything else is a finding. */
function outage(response: http.IncomingMessage): Error {
  response.destroy();
  const error = new Error(`the server answered ${response.statusCode}`);
  return response.statusCode === 503 ? Object.assign(error, { code: 'UNAVAILABLE' }) : error;
}
