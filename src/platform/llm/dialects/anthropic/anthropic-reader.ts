import type { ModelUsage } from '../../../../domain/prices/price-list.js';
import { parseLoosely } from '../../metering/answer-meter.js';
import type { AnswerReader, MeteredAnswer, MeteredToolUse } from '../../metering/answer-meter.js';
import { countOf, listOf, memberOf, textOf } from '../../metering/loose-members.js';

/** Collects what answers of the Messages API say of themselves; the counts of a stream are cumulative, so the largest holds. */
export class AnthropicReader implements AnswerReader {
  /** In text that the model writes these words stand in escaped quotes. */
  readonly telling = ['"usage"', '"tool_use"', '"message_stop"'];
  readonly maxLineBytes = 512 * 1024;
  private usage: ModelUsage | null = null;
  /** Of summaries that the provider wrote for the request; its own totals leave them out. */
  private summaries: ModelUsage[] = [];
  private readonly toolUses: MeteredToolUse[] = [];
  private final = false;

  readEvent(data: string): void {
    const event = parseLoosely(data);
    switch (memberOf(event, 'type')) {
      case 'message_start':
        return this.readUsage(memberOf(memberOf(event, 'message'), 'usage'));
      case 'message_delta':
        this.readUsage(memberOf(event, 'usage'));
        this.final = true;
        return;
      case 'message_stop':
        this.final = true;
        return;
      case 'content_block_start':
        return this.readBlock(memberOf(event, 'content_block'));
    }
  }

  readAnswer(answer: unknown): void {
    this.readUsage(memberOf(answer, 'usage'));
    this.final = true;
    for (const block of listOf(answer, 'content')) this.readBlock(block);
  }

  result(): Omit<MeteredAnswer, 'digest'> {
    return { usage: this.final && this.usage !== null ? this.total(this.usage) : null, toolUses: this.toolUses };
  }

  private total(usage: ModelUsage): ModelUsage {
    const total = { ...usage };
    for (const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } of this.summaries) {
      total.inputTokens += inputTokens;
      total.outputTokens += outputTokens;
      total.cacheReadTokens += cacheReadTokens;
      total.cacheWriteTokens += cacheWriteTokens;
    }
    return total;
  }

  private readUsage(report: unknown): void {
    if (countOf(report, 'input_tokens') === undefined && countOf(report, 'output_tokens') === undefined) return;
    const iterations = listOf(report, 'iterations').filter((one) => memberOf(one, 'type') === 'compaction');
    if (iterations.length > 0) this.summaries = iterations.map(summaryUsage);
    const usage = (this.usage ??= { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 });
    const largest = (known: number, name: string): number => Math.max(known, countOf(report, name) ?? 0);
    usage.inputTokens = largest(usage.inputTokens, 'input_tokens');
    usage.outputTokens = largest(usage.outputTokens, 'output_tokens');
    usage.cacheReadTokens = largest(usage.cacheReadTokens, 'cache_read_input_tokens');
    usage.cacheWriteTokens = largest(usage.cacheWriteTokens, 'cache_creation_input_tokens');
    const oneHour = countOf(memberOf(report, 'cache_creation'), 'ephemeral_1h_input_tokens');
    if (oneHour !== undefined && oneHour > 0) {
      usage.cacheWriteOneHourTokens = Math.min(oneHour, usage.cacheWriteTokens);
    }
  }

  private readBlock(block: unknown): void {
    if (memberOf(block, 'type') !== 'tool_use') return;
    const id = textOf(block, 'id');
    const tool = textOf(block, 'name');
    if (id !== undefined && tool !== undefined) this.toolUses.push({ id, tool });
  }
}

function summaryUsage(report: unknown): ModelUsage {
  return {
    inputTokens: countOf(report, 'input_tokens') ?? 0,
    outputTokens: countOf(report, 'output_tokens') ?? 0,
    cacheReadTokens: countOf(report, 'cache_read_input_tokens') ?? 0,
    cacheWriteTokens: countOf(report, 'cache_creation_input_tokens') ?? 0,
  };
}
