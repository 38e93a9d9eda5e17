import { calcPrice } from '@pydantic/genai-prices';

/** Tokens of one model answer. `inputTokens` counts fresh tokens only; cached ones stand beside it (chapter 10 §9). */
export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** Part of `cacheWriteTokens` that is kept for an hour and costs more. */
  cacheWriteOneHourTokens?: number;
}

/** The price of one model. Amounts are integer micro-dollars, rounded up so that a budget never rounds in the run's favour. */
export interface ModelPrice {
  costOf(usage: ModelUsage): number;
}

function providerOf(model: string): string | undefined {
  const name = model.toLowerCase();
  if (name.startsWith('claude')) return 'anthropic';
  return name.startsWith('gpt-') || /^o\d/.test(name) ? 'openai' : undefined;
}

/**
 * The price of a model from the pinned price package, or null for a model that it does not know: such a model is unpriced,
 * its cost is null and a cost cap cannot bind (06-gate §7). A provider's own list is asked first, because resellers quote other prices.
 */
export function priceOf(model: string): ModelPrice | null {
  const provider = providerOf(model);
  const options = provider === undefined ? {} : { providerId: provider };
  const known = calcPrice({ input_tokens: 1, output_tokens: 1 }, model, options);
  if (known === null) return null;
  return {
    costOf(usage) {
      const oneHour = usage.cacheWriteOneHourTokens ?? 0;
      const priced = calcPrice(
        {
          input_tokens: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
          output_tokens: usage.outputTokens,
          cache_read_tokens: usage.cacheReadTokens,
          cache_write_tokens: usage.cacheWriteTokens,
          ...(oneHour === 0 ? {} : { cache_write_1h_tokens: oneHour }),
        },
        model,
        options,
      );
      const usd = priced?.total_price ?? 0;
      // The product of binary fractions carries an error far below a millionth of a micro-dollar; it must not round up.
      return Math.ceil(Number((usd * 1_000_000).toFixed(6)));
    },
  };
}

/** Cost of one answer in micro-dollars; null for an unpriced model. */
export function costOf(model: string, usage: ModelUsage): number | null {
  return priceOf(model)?.costOf(usage) ?? null;
}
