import { setTimeout as sleep } from 'node:timers/promises';
import type { KnownEvent, RunnerEventType } from '../../domain/events/event-kinds.js';
import { parseJsonObject } from '../../domain/json.js';
import { normalizeText } from '../../domain/redaction/normalize-text.js';
import type { RunnerTokens } from '../launch/hand-off.js';
import type { RunStop } from './run-stop.js';
import { callText } from './call-text.js';
import type { ToolCallRequest } from './call-text.js';
import { CONTRACT_TIMING, RETRIES } from './contract-timing.js';
import type { ContractTiming } from './contract-timing.js';
import { readBrokered, readPermission, requireSuccess, textMember } from './contract-answers.js';
import type { BrokeredAnswer, PermissionAnswer } from './contract-answers.js';
import type { Lane, ContractAnswer, ContractRequest, ContractTransport } from './contract-transport.js';
import { withRetries, WrongAudienceError } from './retry.js';

export type { ToolCallRequest } from './call-text.js';

/** The events that a runner posts. */
export type NarrativeEvent = Extract<KnownEvent, { type: RunnerEventType }>;

export type RenewalAnswer = 'renewed' | 'final' | 'transient';

interface ContractClientOptions {
  transport: ContractTransport;
  runId: string;
  tokens: RunnerTokens;
  stop: RunStop;
  timing?: ContractTiming;
}

const CREDENTIAL_REFUSED = "the control plane refused the runner's credential";

/**
 * The runner's side of the contract: which token goes where, how long each call may take, what is retried (docs/runner-contract.md).
 * Once the run is told to stop, every call rejects, {@link lastWord} excepted.
 */
export class ContractClient {
  readonly #transport: ContractTransport;
  readonly #prefix: string;
  readonly #tokens: RunnerTokens;
  readonly #stop: RunStop;
  readonly timing: ContractTiming;

  constructor(options: ContractClientOptions) {
    this.#transport = options.transport;
    this.#prefix = `/internal/sessions/${encodeURIComponent(options.runId)}`;
    this.#tokens = options.tokens;
    this.#stop = options.stop;
    this.timing = options.timing ?? CONTRACT_TIMING;
  }

  /**
   * Asks the gate and waits for its verdict, through approvals that last minutes and restarts of the control plane. Repeats the
   * same id forever, because a call without a verdict may not act; 401 and 403 are a denial.
   */
  async permission(call: ToolCallRequest): Promise<PermissionAnswer> {
    const body = callText(call);
    for (let count = 1; ; count += 1) {
      const answer = await this.#permissionOnce(body);
      if (answer) return answer;
      const waitMs = Math.min(this.timing.permissionRetryStepMs * count, this.timing.permissionRetryCapMs);
      await sleep(waitMs, undefined, { signal: this.#stop.signal });
    }
  }

  /** Runs one brokered tool. Three attempts under one id; a call that stays unresolved may have executed, and the answer says so. */
  async callTool(call: ToolCallRequest): Promise<BrokeredAnswer> {
    const waits = this.timing.brokeredRetryWaitsMs;
    const body = callText(call);
    for (let count = 0; ; count += 1) {
      const answer = await this.#callToolOnce(body);
      if (answer) return answer;
      const waitMs = waits[count];
      if (waitMs === undefined)
        return { kind: 'unanswered', message: 'no answer arrived; the call may have executed and was not repeated' };
      await sleep(waitMs, undefined, { signal: this.#stop.signal });
    }
  }

  /** Appends one narrative event. Every event has a key of its own, so a retry never doubles a line. */
  async postEvent(event: NarrativeEvent): Promise<void> {
    const idempotencyKey = freshKey();
    const answer = await this.#retrying(RETRIES.events, 'work', {
      path: `${this.#prefix}/events`,
      token: this.#tokens.control,
      body: eventBody(event),
      timeoutMs: this.timing.callTimeoutMs,
      idempotencyKey,
    });
    requireSuccess(answer);
  }

  /** Reports that the runner is alive, and returns the directive of the control plane. */
  async heartbeat(): Promise<'quiesce' | null> {
    const answer = await this.#retrying(RETRIES.heartbeat, 'vital', {
      path: `${this.#prefix}/heartbeat`,
      token: this.#tokens.control,
      body: '{}',
      timeoutMs: this.timing.callTimeoutMs,
    });
    const body = parseJsonObject(requireSuccess(answer).text);
    return body?.['action'] === 'quiesce' ? 'quiesce' : null;
  }

  /** Reports the outcome; resolves only when the control plane has acknowledged that it is durable. */
  async postResult(outcome: 'completed' | 'failed', summary: string): Promise<void> {
    const answer = await this.#retrying(RETRIES.result, 'vital', {
      path: `${this.#prefix}/result`,
      token: this.#tokens.control,
      body: JSON.stringify({ outcome, summary: normalizeText(summary) }),
      timeoutMs: this.timing.callTimeoutMs,
    });
    requireSuccess(answer);
  }

  /** Extends the tokens of the run. `final` means that there is nothing left to renew. */
  async renewTokens(): Promise<RenewalAnswer> {
    const answer = await this.#retrying(RETRIES.renew, 'vital', {
      path: '/internal/token/renew',
      token: this.#tokens.control,
      body: '{}',
      timeoutMs: this.timing.callTimeoutMs,
    });
    if ([400, 401, 403].includes(answer.status)) return 'final';
    if (answer.status !== 200) return 'transient';
    return parseJsonObject(answer.text)?.['renewed'] === false ? 'final' : 'renewed';
  }

  /** One event after the run was stopped: a single attempt within five seconds; its failure is ignored. */
  async lastWord(event: NarrativeEvent): Promise<boolean> {
    try {
      const answer = await this.#transport.post('vital', {
        path: `${this.#prefix}/events`,
        token: this.#tokens.control,
        body: eventBody(event),
        timeoutMs: this.timing.lastWordTimeoutMs,
        idempotencyKey: freshKey(),
      });
      return answer.status === 200;
    } catch {
      return false;
    }
  }

  /** Stops the run when an answer says that a token was used on a route of another audience. */
  inspectRefusal(route: string, status: number, text: string): void {
    if ((status === 401 || status === 403) && text.includes('wrong_audience')) {
      this.#stop.request({ kind: 'wrong_audience', route });
      throw new WrongAudienceError(route);
    }
  }

  async #permissionOnce(body: string): Promise<PermissionAnswer | null> {
    try {
      const answer = await this.#post('work', {
        path: `${this.#prefix}/permission`,
        token: this.#tokens.tool,
        body,
        timeoutMs: this.timing.permissionTimeoutMs,
      });
      if (answer.status === 401 || answer.status === 403) return { decision: 'deny', message: CREDENTIAL_REFUSED };
      return answer.status === 200 ? readPermission(parseJsonObject(answer.text)) : null;
    } catch (error) {
      this.#rethrowFinal(error);
      return null;
    }
  }

  async #callToolOnce(text: string): Promise<BrokeredAnswer | null> {
    try {
      const answer = await this.#post('work', {
        path: `${this.#prefix}/tools/call`,
        token: this.#tokens.tool,
        body: text,
        timeoutMs: this.timing.brokeredTimeoutMs,
      });
      // Only a call that may have been lost is presented again; any refusal is an answer.
      if (answer.status >= 500) return null;
      const body = parseJsonObject(answer.text);
      if (answer.status !== 200)
        return { kind: 'failed', message: textMember(body, 'error', `refused with status ${answer.status}`) };
      return body ? readBrokered(body) : null;
    } catch (error) {
      this.#rethrowFinal(error);
      return null;
    }
  }

  #rethrowFinal(error: unknown): void {
    this.#stop.signal.throwIfAborted();
    if (error instanceof WrongAudienceError) throw error;
  }

  #retrying(retries: number, lane: Lane, request: ContractRequest): Promise<ContractAnswer> {
    const { retryStepMs: stepMs, retryCapMs: capMs } = this.timing;
    return withRetries({ retries, stepMs, capMs, signal: this.#stop.signal }, () => this.#post(lane, request));
  }

  async #post(lane: Lane, request: ContractRequest): Promise<ContractAnswer> {
    const answer = await this.#transport.post(lane, { ...request, signal: this.#stop.signal });
    this.inspectRefusal(request.path.slice(request.path.lastIndexOf('/') + 1), answer.status, answer.text);
    return answer;
  }
}

/** A model's text may hold characters that cannot be stored; they are replaced, and the rest is posted. */
function eventBody({ actor, type, data }: NarrativeEvent): string {
  return JSON.stringify({ actor, body: { type, data } }, (_member, value: unknown) =>
    typeof value === 'string' ? normalizeText(value) : value,
  );
}

/** Node's cryptography takes five milliseconds to load, so it is loaded by the first event and not before the first heartbeat. */
function freshKey(): string {
  return process.getBuiltinModule('node:crypto').randomUUID();
}
