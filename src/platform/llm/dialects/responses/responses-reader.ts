import type { ModelUsage } from '../../../../domain/prices/price-list.js';
import { parseLoosely } from '../../metering/answer-meter.js';
import type { AnswerReader, MeteredAnswer, MeteredToolUse } from '../../metering/answer-meter.js';
import { listOf, memberOf, textOf } from '../../metering/loose-members.js';
import { openAiUsage } from '../../metering/openai-usage.js';
import { toolOfCall } from './responses-items.js';

/** The events that end a stream, each with the whole answer and its usage. */
const LAST_EVENTS: readonly unknown[] = ['response.completed', 'response.incomplete', 'response.failed'];

/** Collects what answers of the Responses API say of themselves. Usage stands in the last event of a stream and nowhere else. */
export class ResponsesReader implements AnswerReader {
  /** What an agent writes about these words stands in escaped quotes. */
  readonly telling = [
    '"response.completed"',
    '"response.incomplete"',
    '"response.failed"',
    '"response.output_item.done"',
  ];
  /** The last event repeats the whole answer, with the instructions and tools of the request. */
  readonly maxLineBytes = 8 * 1024 * 1024;
  private usage: ModelUsage | null = null;
  private readonly toolUses = new Map<string, MeteredToolUse>();

  readEvent(data: string): void {
    const event = parseLoosely(data);
    const type = memberOf(event, 'type');
    if (type === 'response.output_item.done') this.readItem(memberOf(event, 'item'));
    else if (LAST_EVENTS.includes(type)) this.readAnswer(memberOf(event, 'response'));
  }

  readAnswer(answer: unknown): void {
    this.usage = openAiUsage(memberOf(answer, 'usage')) ?? this.usage;
    for (const item of listOf(answer, 'output')) this.readItem(item);
  }

  result(): Omit<MeteredAnswer, 'digest'> {
    return { usage: this.usage, toolUses: [...this.toolUses.values()] };
  }

  private readItem(item: unknown): void {
    const tool = toolOfCall(item);
    const id = textOf(item, 'call_id') ?? textOf(item, 'id');
    if (tool !== undefined && id !== undefined) this.toolUses.set(id, { id, tool });
  }
}
