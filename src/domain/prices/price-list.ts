import { calcPrice } from '@pydantic/genai-prices';
import type { ModelPrice as ModelPriceTable, PriceOptions } from '@pydantic/genai-prices';
import { LRUCache } from 'lru-cache';
import type { PriceOverrides, Rates } from './price-overrides.js';
import { providerOf } from './provider-of.js';

/** Tokens of one model answer. `inputTokens` counts fresh tokens only; cached ones stand beside it (docs/design/budgets.md). */
export interface ModelUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** Part of `cacheWriteTokens` that is kept for an hour and costs more. */
  cacheWriteOneHourTokens?: number;
}

/** The price of one model. Amounts are integer micro-dollars, rounded up, so that rounding never lets a run exceed its budget. */
export interface ModelPrice {
  costOf(usage: ModelUsage): number;
}

/** The rates of a model that charges the same for every token of a kind; null where steps or gaps need the package's own arithmetic. */
function flatRates(price: ModelPriceTable): Rates | null {
  const { input_mtok, output_mtok, cache_read_mtok, cache_write_mtok } = price;
  const cache_write_1h_mtok = price['cache_write_1h_mtok'] ?? cache_write_mtok;
  const rates = { input_mtok, output_mtok, cache_read_mtok, cache_write_mtok, cache_write_1h_mtok };
  return Object.values(rates).every((rate) => typeof rate === 'number') ? (rates as Rates) : null;
}

function microsOf(usage: ModelUsage, rates: Rates): number {
  const oneHour = usage.cacheWriteOneHourTokens ?? 0;
  return (
    usage.inputTokens * rates.input_mtok +
    usage.outputTokens * rates.output_mtok +
    usage.cacheReadTokens * rates.cache_read_mtok +
    (usage.cacheWriteTokens - oneHour) * rates.cache_write_mtok +
    oneHour * rates.cache_write_1h_mtok
  );
}

function packageMicrosOf(usage: ModelUsage, model: string, options: PriceOptions): number {
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
  return (priced?.total_price ?? 0) * 1_000_000;
}

/** The product of binary fractions carries an error far below a millionth of a micro-dollar; it must not round up. */
function roundUp(micros: number): number {
  return Math.ceil(Number(micros.toFixed(6)));
}

function packagePrice(model: string): ModelPrice | null {
  const provider = providerOf(model);
  const options: PriceOptions = provider === undefined ? {} : { providerId: provider };
  const known = calcPrice({ input_tokens: 1, output_tokens: 1 }, model, options);
  if (known === null) return null;
  const rates = flatRates(known.model_price);
  return {
    costOf: (usage) => roundUp(rates === null ? packageMicrosOf(usage, model, options) : microsOf(usage, rates)),
  };
}

/** A look-up costs a walk through every provider's list, and a price may depend on the date, so it is kept for a while. */
const KEPT_MS = 600_000;
const MAX_KEPT = 1000;

/**
 * The prices of a deployment: the operator's own, and for every other model those of the pinned price package, whose provider is
 * asked first, because resellers quote other prices.
 */
export class PriceList {
  private readonly kept = new LRUCache<string, { price: ModelPrice | null }>({ max: MAX_KEPT, ttl: KEPT_MS });
  private readonly own: ReadonlyMap<string, ModelPrice>;

  constructor(overrides: PriceOverrides = new Map()) {
    this.own = new Map(
      [...overrides].map(([model, rates]) => [model, { costOf: (usage) => roundUp(microsOf(usage, rates)) }]),
    );
  }

  /** Null for a model without a price: its cost is null, and a cost cap cannot apply. */
  priceOf(model: string): ModelPrice | null {
    const own = this.own.get(model);
    if (own !== undefined) return own;
    const known = this.kept.get(model);
    if (known !== undefined) return known.price;
    const price = packagePrice(model);
    this.kept.set(model, { price });
    return price;
  }

  /** Cost of one answer in micro-dollars; null for an unpriced model. */
  costOf(model: string, usage: ModelUsage): number | null {
    return this.priceOf(model)?.costOf(usage) ?? null;
  }
}
