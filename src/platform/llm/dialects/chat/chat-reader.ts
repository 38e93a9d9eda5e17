import type { ModelUsage } from '../../../../domain/prices/price-list.js';
import { parseLoosely } from '../../metering/answer-meter.js';
import type { AnswerReader, MeteredAnswer } from '../../metering/answer-meter.js';
import { listOf, memberOf, textOf } from '../../metering/loose-members.js';
import { openAiUsage } from '../../metering/openai-usage.js';

/** Tool uses of one answer beyond this are not told apart; no model asks for as many at once. */
const MAX_TOOL_USES = 4096;

interface Named {
  id: string | undefined;
  tool: string | undefined;
}

/**
 * Collects what answers of Chat Completions say of themselves. A stream reports its usage in its last chunk; servers that
 * report it as they go are taken at their last report before the end of the answer.
 */
export class ChatReader implements AnswerReader {
  /** Chunks without a report say `"usage":null`. What an agent writes about these words stands in escaped quotes. */
  readonly telling = ['"usage":{', '"usage": {', '"tool_calls"', '"finish_reason":"', '"finish_reason": "', '[DONE]'];
  readonly maxLineBytes = 512 * 1024;
  private usage: ModelUsage | null = null;
  private over = false;
  private readonly calls = new Map<string, Named>();

  readEvent(data: string): void {
    if (data.trim() === '[DONE]') {
      this.over = true;
      return;
    }
    const chunk = parseLoosely(data);
    if (!Array.isArray(memberOf(chunk, 'choices'))) return;
    const choices = listOf(chunk, 'choices');
    for (const [place, choice] of choices.entries()) {
      if (textOf(choice, 'finish_reason') !== undefined) this.over = true;
      this.readCalls(`${place}`, memberOf(choice, 'delta'));
    }
    const usage = openAiUsage(memberOf(chunk, 'usage'));
    if (usage === null) return;
    this.usage = usage;
    // The chunk of its own in which OpenAI reports: nothing follows it.
    if (choices.length === 0) this.over = true;
  }

  readAnswer(answer: unknown): void {
    this.usage = openAiUsage(memberOf(answer, 'usage'));
    this.over = true;
    for (const [place, choice] of listOf(answer, 'choices').entries()) {
      this.readCalls(`${place}`, memberOf(choice, 'message'));
    }
  }

  result(): Omit<MeteredAnswer, 'digest'> {
    const toolUses = [...this.calls.values()].flatMap(({ id, tool }) =>
      id === undefined || tool === undefined ? [] : [{ id, tool }],
    );
    return { usage: this.over ? this.usage : null, toolUses };
  }

  /** Id and name come with the first piece of a call, from some servers separately; its arguments are skipped. */
  private readCalls(choice: string, holder: unknown): void {
    for (const [place, call] of listOf(holder, 'tool_calls').entries()) {
      const index = memberOf(call, 'index');
      const id = textOf(call, 'id');
      // Servers that leave the index out send each call whole.
      const key = `${choice}/${typeof index === 'number' ? index : (id ?? place)}`;
      const known = this.calls.get(key) ?? { id: undefined, tool: undefined };
      known.id ??= id;
      known.tool ??= textOf(memberOf(call, 'function') ?? memberOf(call, 'custom'), 'name');
      if (this.calls.size < MAX_TOOL_USES) this.calls.set(key, known);
    }
  }
}
