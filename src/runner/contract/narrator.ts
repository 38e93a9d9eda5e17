import type { EventActor } from '../../domain/events/event-kinds.js';
import { messageOf } from '../log/failure-text.js';
import type { RunnerLog } from '../log/runner-log.js';
import type { NarrativeEvent, ContractClient } from './contract-client.js';

/** An event may be 64 KiB in all (docs/design/runner.md); the remainder is for its envelope and for JSON's escapes. */
const MAX_TEXT_BYTES = 48 * 1024;
const CUT_MARK = '\n… (cut)';

/**
 * Posts the narrative of the run: events in order, one at a time. One that cannot be delivered is
 * logged and the run goes on, because narrative never holds up work.
 */
export class Narrator {
  #tail: Promise<void> = Promise.resolve();

  constructor(
    private readonly contract: ContractClient,
    private readonly log: RunnerLog,
  ) {}

  say(actor: Extract<EventActor, 'agent' | 'harness'>, text: string): Promise<void> {
    const role = actor === 'agent' ? 'assistant' : 'system';
    return this.tell({ actor, type: 'agent.message', data: { role, text: boundText(text) } });
  }

  error(message: string): Promise<void> {
    return this.tell({ actor: 'harness', type: 'run.error', data: { message: boundText(message) } });
  }

  /** `summary` is in our own words: a tool's result never enters the ledger. */
  toolCompleted(toolCallId: string, tool: string, ok: boolean, summary: string): Promise<void> {
    const data = { tool_call_id: toolCallId, tool, ok, summary };
    return this.tell({ actor: 'harness', type: 'tool.completed', data });
  }

  /** Resolves when every event so far is delivered or given up. */
  flush(): Promise<void> {
    return this.#tail;
  }

  /** Any event whose texts are our own or bounded. */
  tell(event: NarrativeEvent): Promise<void> {
    this.#tail = this.#tail.then(async () => {
      try {
        await this.contract.postEvent(event);
      } catch (error) {
        this.log(`event ${event.type} was not recorded: ${messageOf(error)}`);
      }
    });
    return this.#tail;
  }
}

/** Cuts text so that its JSON form stays within an event, whatever it is made of. */
export function boundText(text: string): string {
  if (Buffer.byteLength(JSON.stringify(text)) <= MAX_TEXT_BYTES) return text;
  let keep = Math.min(text.length, MAX_TEXT_BYTES);
  while (Buffer.byteLength(JSON.stringify(text.slice(0, keep))) > MAX_TEXT_BYTES) keep = Math.floor(keep * 0.8);
  return text.slice(0, keep).toWellFormed() + CUT_MARK;
}
