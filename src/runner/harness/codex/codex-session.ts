import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject } from '../../../domain/json.js';
import type { JsonObject } from '../../../domain/json.js';
import { messageOf } from '../../log/failure-text.js';
import type { HarnessContext, HarnessResult } from '../harness.js';
import type { CodexProgram } from './codex-program.js';
import { differenceOf, threadParameters } from './codex-settings.js';
import { JsonLinesPeer, RpcError } from './json-lines-peer.js';
import type { OfferedTools } from './offered-tools.js';
import { textMember } from './text-member.js';
import { ToolDesk } from './tool-desk.js';
import { describeTurn } from './turn-result.js';

const CLIENT = { name: 'sandgate', title: 'Sandgate', version: '1' };
/** How long an interrupted turn may take to end before the program is killed. */
const INTERRUPT_MS = 1_000;

/** One program with its one thread and one turn. */
export class CodexSession {
  readonly #peer: JsonLinesPeer;
  readonly #desk: ToolDesk;
  readonly #turnEnded = Promise.withResolvers<JsonObject>();
  readonly #failed = Promise.withResolvers<never>();
  #threadId = '';
  #turnId = '';
  #lastText = '';
  #finalText = '';

  constructor(
    private readonly context: HarnessContext,
    private readonly program: CodexProgram,
    private readonly offered: OfferedTools,
  ) {
    this.#desk = new ToolDesk(context, offered, (reason) => this.#tellModel(reason));
    this.#peer = new JsonLinesPeer(program.input, program.output, {
      onRequest: (method, params) => this.#desk.answer(method, params),
      onNotification: (method, params) => this.#hear(method, params),
    });
    // Reported to whoever waits; when nobody waits, the open call fails with it.
    this.#failed.promise.catch(() => undefined);
    void program.exited.then((how) => this.#gone(how));
  }

  /** Starts the thread and returns the program's version. @throws Error when it does not take the run's settings */
  async open(): Promise<string> {
    await this.#peer.request('initialize', { clientInfo: CLIENT, capabilities: { experimentalApi: true } });
    this.#peer.notify('initialized');
    const started = await this.#peer.request('thread/start', threadParameters(this.context, this.offered));
    const difference = differenceOf(started, this.context.settings.model);
    if (difference !== null) throw new Error(`Codex did not take the setting ${difference} of this run`);
    const thread = isJsonObject(started['thread']) ? started['thread'] : {};
    this.#threadId = textMember(thread, 'id');
    return textMember(thread, 'cliVersion');
  }

  /** The run's task as one turn, to its end. A turn that lasts too long is interrupted, and so is that of a run that stops. */
  async runTurn(task: string, timeoutMs: number): Promise<HarnessResult> {
    const { signal } = this.context;
    const input = [{ type: 'text', text: task, text_elements: [] }];
    const { turn } = await this.#peer.request('turn/start', { threadId: this.#threadId, input });
    this.#turnId = isJsonObject(turn) ? textMember(turn, 'id') : '';
    const over = new AbortController();
    try {
      const late = sleep(timeoutMs, 'late' as const, { ref: false, signal: AbortSignal.any([signal, over.signal]) });
      const ended = await Promise.race([this.#turnEnded.promise, late, this.#failed.promise]);
      if (ended !== 'late') return describeTurn(ended, this.#finalText || this.#lastText);
      await this.#interrupt();
      return { outcome: 'failed', summary: `The turn lasted longer than ${Math.round(timeoutMs / 60_000)} minutes.` };
    } catch (error) {
      if (signal.aborted) await this.#interrupt();
      throw error;
    } finally {
      over.abort();
    }
  }

  async close(): Promise<void> {
    this.program.kill();
    await this.program.exited;
  }

  #hear(method: string, params: JsonObject): void {
    const item = isJsonObject(params['item']) ? params['item'] : {};
    switch (method) {
      case 'item/started':
        return this.#desk.started(item);
      case 'item/completed':
        return this.#itemCompleted(item);
      case 'turn/completed':
        return this.#turnEnded.resolve(isJsonObject(params['turn']) ? params['turn'] : {});
      case 'error':
        if (params['willRetry'] === true) this.context.log('the model request broke off; Codex asks again');
        return;
      default:
        // Deltas, reasoning, usage and the like are not needed for the run's record.
        return;
    }
  }

  #itemCompleted(item: JsonObject): void {
    const ungoverned = this.#desk.completed(item);
    if (ungoverned !== null) {
      this.#failed.reject(ungoverned);
      this.program.kill();
      return;
    }
    const { type, text, phase } = item;
    if (type !== 'agentMessage' || typeof text !== 'string' || text.trim() === '') return;
    this.#lastText = text;
    if (phase === 'final_answer') this.#finalText = text;
    void this.context.narrator.say('agent', text);
  }

  /** Puts a sentence before the model's next step; a turn that is over needs none. */
  async #tellModel(reason: string): Promise<void> {
    const input = [{ type: 'text', text: `[Sandgate] ${reason}`, text_elements: [] }];
    try {
      await this.#peer.request('turn/steer', { threadId: this.#threadId, expectedTurnId: this.#turnId, input });
    } catch (error) {
      this.context.log(`the model was not told the reason of a denial: ${messageOf(error)}`);
      if (!(error instanceof RpcError)) throw error;
    }
  }

  async #interrupt(): Promise<void> {
    const parameters = { threadId: this.#threadId, turnId: this.#turnId };
    // The program is killed right after, so it does not matter whether it ended by itself.
    const asked = this.#peer.request('turn/interrupt', parameters).catch(() => undefined);
    await Promise.race([asked.then(() => this.#turnEnded.promise), sleep(INTERRUPT_MS, undefined, { ref: false })]);
  }

  #gone(how: string): void {
    const words = this.program.lastWords === '' ? '' : ` Its last words: ${this.program.lastWords}`;
    const error = new Error(`Codex is gone: ${how}.${words}`);
    this.#peer.end(error);
    this.#failed.reject(error);
  }
}
