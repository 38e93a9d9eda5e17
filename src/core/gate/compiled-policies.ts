import { LRUCache } from 'lru-cache';
import { digestOfText } from '../../domain/digest/digest.js';
import type { JsonValue } from '../../domain/json.js';
import { compileFrozenPolicy, type CompiledPolicy } from '../../domain/policy/compile-policy.js';

const MAX_POLICIES = 256;
/** Of policy text: what is compiled of it is some hundred times as large. */
const MAX_POLICY_CHARACTERS = 524_288;

/** Compiled policies by what they say: runs that froze the same one share it, because one for each would fill the memory. */
export class CompiledPolicies {
  private readonly compiled = new LRUCache<string, CompiledPolicy>({
    max: MAX_POLICIES,
    maxSize: MAX_POLICY_CHARACTERS,
  });

  /** Never throws, as {@link compileFrozenPolicy}; a specification without a policy denies every call, too. */
  of(frozen: JsonValue | undefined, engine: number): CompiledPolicy {
    const content = frozen ?? null;
    const text = JSON.stringify(content);
    const key = `${engine} ${digestOfText(text)}`;
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    const policy = compileFrozenPolicy(content, engine);
    this.compiled.set(key, policy, { size: text.length });
    return policy;
  }
}
