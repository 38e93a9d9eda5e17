import { setTimeout as delay } from 'node:timers/promises';
import type { LiveStack } from '../../support/installation/live-stack.js';

const AGENT = 'soaked';
/** Callers that measure what the machine does, and runs that a pace may have in flight before it waits. */
const CALLERS = 6;
const AT_ONCE = 24;

/** What agents do: commands, one of which waits for a human, files that end up in a diff, and some words. */
const STEPS = [
  { say: 'looks around' },
  { tool: 'Bash', input: { command: 'ls -la' } },
  { tool: 'Bash', input: { command: 'echo soaked > note.txt' } },
  { tool: 'Bash', input: { command: 'sh deploy.sh' } },
  { say: 'done' },
];

/** Whole runs of one installation, with everything that users ask of them on the way. */
export class SteadyLoad {
  /** Runs that ended as they should. */
  completed = 0;

  private constructor(private readonly stack: LiveStack) {}

  static async prepare(stack: LiveStack): Promise<SteadyLoad> {
    await stack.createReplayAgent(AGENT);
    return new SteadyLoad(stack);
  }

  /** Runs a second when every caller begins its next run as soon as the last one has ended. */
  async measure(ms: number): Promise<number> {
    const startedAt = performance.now();
    const before = this.completed;
    const caller = async (): Promise<void> => {
      while (performance.now() - startedAt < ms) await this.playRun();
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    return (this.completed - before) / ((performance.now() - startedAt) / 1000);
  }

  /** Begins so many runs a second, evenly; none after the signal. @returns how many were begun */
  async pace(perSecond: number, ms: number, signal: AbortSignal): Promise<number> {
    const inFlight = new Set<Promise<void>>();
    const failures: unknown[] = [];
    const startedAt = performance.now();
    let begun = 0;
    while (performance.now() - startedAt < ms && failures.length === 0 && !signal.aborted) {
      const due = startedAt + (begun * 1000) / perSecond;
      await delay(Math.max(0, due - performance.now()));
      // A machine that falls behind for a moment catches up; one that stays behind shows in what was begun.
      if (inFlight.size >= AT_ONCE) await Promise.race(inFlight);
      const playing: Promise<void> = this.playRun()
        .catch((cause: unknown) => void failures.push(cause))
        .finally(() => void inFlight.delete(playing));
      inFlight.add(playing);
      begun += 1;
    }
    await Promise.all(inFlight);
    if (failures.length > 0) throw failures[0];
    return begun;
  }

  private async playRun(): Promise<void> {
    const id = await this.stack.startRun(AGENT, STEPS);
    const approval = await this.stack.pendingApproval(id);
    await this.stack.decide(approval.id, 'approved_once');
    const { status, status_reason } = await this.stack.untilTerminal(id);
    if (status !== 'completed') throw new Error(`run ${id} is ${status}: ${status_reason}`);
    const events = await this.followedEvents(id);
    if (!events.includes('run.result')) throw new Error(`the stream of run ${id} lacks its result`);
    await this.stack.json('GET', `/v1/sessions/${id}/artifacts`);
    await this.stack.json('GET', '/v1/sessions');
    this.completed += 1;
  }

  /** The ledger as a stream, until it has told the result; then the client goes away. */
  private async followedEvents(id: string): Promise<string> {
    const leave = new AbortController();
    const response = await fetch(`${this.stack.url}/v1/sessions/${id}/events/stream`, {
      headers: { authorization: `Bearer ${this.stack.installation.adminToken}` },
      signal: AbortSignal.any([leave.signal, AbortSignal.timeout(60_000)]),
    });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.includes('run.result')) break;
    }
    leave.abort();
    return text;
  }
}
