import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '../../../domain/json.js';
import type { JsonObject } from '../../../domain/json.js';
import { CliError, EXIT } from '../../terminal/exit-codes.js';
import { decide, listApprovals } from '../../server/approvals.js';
import { readDiff, readRun } from '../../server/runs.js';
import type { SandgateClient } from '../../server/sandgate-client.js';
import type { Approval, Decision, RunEvent, Session } from '../../server/wire.js';
import { Evidence } from './evidence.js';
import type { Observation } from './evidence.js';
import type { Scene, SteeredRun } from './scene.js';

const TERMINAL = new Set(['completed', 'failed', 'cancelled', 'budget_exceeded']);
const POLL_MS = 200;
/** Enough for a run that waits in the queue and takes a minute to wind down. */
const RUN_TIMEOUT_MS = 300_000;
const PAGE = 1000;

/** One run of the kit as it is seen and steered from outside, through `/v1` alone. */
export class SceneRun implements SteeredRun {
  private constructor(
    readonly client: SandgateClient,
    readonly id: string,
  ) {}

  static async start(client: SandgateClient, agent: string, scene: Scene): Promise<SceneRun> {
    const body = {
      agent,
      task: JSON.stringify([{ probe: scene.probes }]),
      autonomous: false,
      allow_unpriced: false,
      ...(scene.budgets === undefined ? {} : { budgets: scene.budgets }),
    };
    const { session } = await client.call((api) => api.POST('/v1/sessions', { body }));
    return new SceneRun(client, session.id);
  }

  /** The pending approval of a call. */
  pending(toolCallId: string): Promise<Approval> {
    return this.until(`an approval of ${toolCallId}`, async () =>
      (await listApprovals(this.client, this.id)).find(
        (approval) => approval.tool_call_id === toolCallId && approval.status === 'pending',
      ),
    );
  }

  async decide(toolCallId: string, decision: Decision): Promise<void> {
    await decide(this.client, (await this.pending(toolCallId)).id, decision);
  }

  /** Resolves when the gate has recorded a call. */
  async asked(toolCallId: string): Promise<void> {
    await this.until(`the call ${toolCallId}`, async () => {
      const seen = await this.events();
      return seen.some((event) => event.type === 'tool.requested' && event.payload.data['tool_call_id'] === toolCallId)
        ? true
        : undefined;
    });
  }

  /** Resolves when the server says that the run is running, which may be after its first call. */
  async running(): Promise<void> {
    await this.until('the status running', async () => {
      const { status } = await readRun(this.client, this.id);
      return status === 'running' ? true : undefined;
    });
  }

  async cancel(): Promise<void> {
    await this.client.call((api) => api.POST('/v1/sessions/{id}/cancel', { params: { path: { id: this.id } } }));
  }

  /** Waits for the run's end and takes what it left. */
  async evidence(): Promise<Evidence> {
    const session = await this.until('the end of the run', async () => {
      const read = await readRun(this.client, this.id);
      return TERMINAL.has(read.status) ? read : undefined;
    });
    return new Evidence(
      session,
      await this.observations(),
      await this.events(),
      await listApprovals(this.client, this.id),
    );
  }

  private async observations(): Promise<Observation[]> {
    const diff = await readDiff(this.client, this.id);
    const lines = diff?.content.split('\n').filter((line) => line.startsWith('+{')) ?? [];
    return lines.map((line) => JSON.parse(line.slice(1)) as unknown).filter(isObservation);
  }

  private async events(): Promise<RunEvent[]> {
    const all: RunEvent[] = [];
    for (;;) {
      const query = { after: all.at(-1)?.seq ?? 0, limit: PAGE };
      const { events } = await this.client.call((api) =>
        api.GET('/v1/sessions/{id}/events', { params: { path: { id: this.id }, query } }),
      );
      all.push(...(events as RunEvent[]));
      if (events.length < PAGE) return all;
    }
  }

  private async until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const deadline = Date.now() + RUN_TIMEOUT_MS;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      const { status }: Session = await readRun(this.client, this.id);
      if (TERMINAL.has(status) && what !== 'the end of the run')
        throw new CliError(`run ${this.id} ended ${status} while the kit waited for ${what}`);
      if (Date.now() > deadline)
        throw new CliError(
          `run ${this.id} is ${status}; the kit waited ${RUN_TIMEOUT_MS / 1000} s for ${what}`,
          EXIT.failure,
        );
      await delay(POLL_MS);
    }
  }
}

function isObservation(value: unknown): value is Observation & JsonObject {
  return isJsonObject(value) && typeof value['id'] === 'string' && typeof value['ms'] === 'number';
}
