import type { ModelUsage } from '../../../domain/prices/price-list.js';
import { countOf, memberOf } from './loose-members.js';

/**
 * A usage report of the OpenAI dialects, in either's spelling (docs/design/model-gateway.md). Cached tokens are part of the input there and
 * stand beside it here; reasoning tokens are part of the output in both. Null for anything that counts nothing.
 */
export function openAiUsage(report: unknown): ModelUsage | null {
  const input = countOf(report, 'input_tokens') ?? countOf(report, 'prompt_tokens');
  const output = countOf(report, 'output_tokens') ?? countOf(report, 'completion_tokens');
  if (input === undefined && output === undefined) return null;
  const details = memberOf(report, 'input_tokens_details') ?? memberOf(report, 'prompt_tokens_details');
  const cacheReadTokens = countOf(details, 'cached_tokens') ?? 0;
  // Reported by gateways before models whose provider charges for writing to its cache.
  const cacheWriteTokens = countOf(details, 'cache_write_tokens') ?? countOf(details, 'cache_creation_tokens') ?? 0;
  return {
    inputTokens: Math.max(0, (input ?? 0) - cacheReadTokens - cacheWriteTokens),
    outputTokens: output ?? 0,
    cacheReadTokens,
    cacheWriteTokens,
  };
}
