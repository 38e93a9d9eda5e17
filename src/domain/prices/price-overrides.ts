import { isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Node, Pair } from 'yaml';
import { didYouMean } from '../nearest-name.js';

/** Prices in dollars per million tokens, which are micro-dollars per token. */
export type Rates = Record<
  'input_mtok' | 'output_mtok' | 'cache_read_mtok' | 'cache_write_mtok' | 'cache_write_1h_mtok',
  number
>;

/** The operator's own prices by exact model name. */
export type PriceOverrides = ReadonlyMap<string, Rates>;

const REQUIRED = ['input_mtok', 'output_mtok'] as const;
const OPTIONAL = ['cache_read_mtok', 'cache_write_mtok', 'cache_write_1h_mtok'] as const;
const KNOWN: readonly string[] = [...REQUIRED, ...OPTIONAL];
/** One dollar per token: a higher price means that the unit was misread. */
const MAX_RATE = 1_000_000;

/**
 * Reads prices of YAML or JSON: `models: {<name>: {input_mtok, output_mtok, …}}` in dollars per million tokens. Cached tokens cost
 * what plain input does unless the model says otherwise. Throws an `Error` that names line and field.
 */
export function parsePriceOverrides(text: string): PriceOverrides {
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.2', schema: 'core', lineCounter: lines, logLevel: 'silent' });
  const reader = new OverridesReader(lines);
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined)
    throw new Error(`line ${lines.linePos(problem.pos[0]).line}: ${firstLine(problem.message)}`);
  return reader.read(document.contents);
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+.*$/, '').replace(/:$/, '');
}

/** Walks the nodes, which know where they stand. */
class OverridesReader {
  constructor(private readonly lines: LineCounter) {}

  read(root: Node | null): PriceOverrides {
    const top = this.members(root, 'the document');
    for (const [name, pair] of top) if (name !== 'models') this.fail(pair.key, `${name}: unknown; only models is`);
    const models = top.get('models');
    if (models === undefined) this.fail(root, 'models: missing');
    const found = this.members(models.value, 'models');
    return new Map([...found].map(([model, pair]) => [model, this.rates(model, pair.value)]));
  }

  private rates(model: string, node: unknown): Rates {
    const members = this.members(node, `models.${model}`);
    for (const [name, pair] of members) {
      if (!KNOWN.includes(name)) this.fail(pair.key, `models.${model}.${name}: unknown${didYouMean(name, KNOWN)}`);
    }
    const rate = (name: (typeof KNOWN)[number]): number | undefined => {
      const pair = members.get(name);
      return pair === undefined ? undefined : this.rate(`models.${model}.${name}`, pair.value ?? pair.key);
    };
    const input = rate('input_mtok');
    const output = rate('output_mtok');
    if (input === undefined) this.fail(node, `models.${model}.input_mtok: missing`);
    if (output === undefined) this.fail(node, `models.${model}.output_mtok: missing`);
    const cacheWrite = rate('cache_write_mtok') ?? input;
    return {
      input_mtok: input,
      output_mtok: output,
      cache_read_mtok: rate('cache_read_mtok') ?? input,
      cache_write_mtok: cacheWrite,
      cache_write_1h_mtok: rate('cache_write_1h_mtok') ?? cacheWrite,
    };
  }

  private rate(field: string, node: unknown): number {
    const value = isScalar(node) ? node.value : undefined;
    if (typeof value === 'number' && value >= 0 && value <= MAX_RATE) return value;
    return this.fail(node, `${field}: must be a number of dollars per million tokens, from 0 to ${MAX_RATE}`);
  }

  private members(node: unknown, what: string): Map<string, Pair> {
    if (!isMap(node)) return this.fail(node, `${what}: must be a mapping`);
    return new Map(
      node.items.map((pair) => {
        const name = isScalar(pair.key) ? pair.key.value : undefined;
        if (typeof name !== 'string' || name === '') this.fail(pair.key, `${what}: every key must be a text`);
        return [name, pair];
      }),
    );
  }

  private fail(node: unknown, message: string): never {
    const start = (node as Partial<Node> | null)?.range?.[0] ?? 0;
    throw new Error(`line ${this.lines.linePos(start).line}: ${message}`);
  }
}
