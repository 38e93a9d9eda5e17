import { SharedStatements } from './shared-statements.js';

/** Finds what a key stands for; null where there is nothing. */
export type Lookup<R> = (key: string) => Promise<R | null>;

const MAX_TOGETHER = 64;

/** Lookups that share statements under load. @param look answers each key, in their order */
export function shareLookups<R>(look: (keys: readonly string[]) => Promise<(R | null)[]>): Lookup<R> {
  const shared = new SharedStatements<string, R | null>({
    together: (_, keys) => look(keys),
    alone: async (_, key) => (await look([key]))[0] ?? null,
    items: MAX_TOGETHER,
    atOnce: 1,
  });
  return (key) => shared.make('', key);
}
