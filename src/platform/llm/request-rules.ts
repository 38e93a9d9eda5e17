import { isExactObject } from '../../domain/digest/exact-json.js';
import type { ExactJson, ExactObject } from '../../domain/digest/exact-json.js';
import { SandgateError } from '../../domain/errors.js';
import type { ScreenedRequest } from './model-dialect.js';

/** What a request without a limit of its own may produce (chapter 20 §15.6). */
const DEFAULT_OUTPUT_TOKENS = 32_768;
const MAX_OUTPUT_TOKENS = 1_000_000;

/**
 * Members with which clients steer model gateways, LiteLLM among them: to another model, provider, address or key, or to an
 * answer that no model gave. No provider's own API has them.
 */
const STEERING = [
  'fallbacks', 'context_window_fallbacks', 'content_policy_fallbacks', 'models', 'model_list', 'route', 'plugins',
  'api_base', 'base_url', 'api_key', 'api_version', 'custom_llm_provider', 'extra_body', 'extra_headers', 'mock_response',
] as const; // prettier-ignore

/** Throws `invalid_request`. */
export function refuse(message: string): never {
  throw new SandgateError('invalid_request', message);
}

/** Whether a member says nothing: absent, null or an empty list. */
export function isAbsent(value: ExactJson | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The body as an object, of the frozen model and with nothing that would lead it elsewhere (chapter 20 §15.3). */
export function requireBody(value: unknown, frozenModel: string): ExactObject {
  if (!isExactObject(value)) refuse('the request body must be a JSON object');
  if (value['model'] !== frozenModel) refuse(`model: this run is bound to ${frozenModel}`);
  for (const name of STEERING) {
    if (!isAbsent(value[name])) refuse(`${name}: requests cannot steer the model gateway`);
  }
  return value;
}

/** Prices are those of the standard tier; another one is billed otherwise than it would be counted. */
export function refuseOtherTiers(body: ExactObject): void {
  const tier = body['service_tier'];
  if (!isAbsent(tier) && tier !== 'auto' && tier !== 'default') refuse('service_tier: only the default tier is priced');
}

/** The declared output limit, bounded; what is reserved for a request that declares none is a default. */
export function boundedOutput(declared: ExactJson | undefined): number {
  if (!isLimit(declared)) return DEFAULT_OUTPUT_TOKENS;
  return Math.min(Math.floor(declared), MAX_OUTPUT_TOKENS);
}

/**
 * Content stands in the request itself. A provider that fetched it from an address would carry what the address says out of a
 * sandbox that has no network; content that it keeps is content that nobody here has seen. `blocks` are messages or items, and
 * are looked at with everything that they contain.
 */
export function refuseRemoteContent(blocks: readonly ExactObject[]): void {
  for (const block of blocks) {
    if (isRemote(block))
      refuse('content: send images and files in the request itself; addresses and ids are not followed');
    const { content, output, source } = block;
    for (const inner of [content, output, isExactObject(source) ? source['content'] : undefined]) {
      if (typeof inner === 'object') refuseRemoteContent(isExactObject(inner) ? [inner] : objectsOf(inner));
    }
  }
}

function isRemote({ source, image_url: image, file_url: address, file_id: id, file }: ExactObject): boolean {
  if (isExactObject(source) && (source['type'] === 'url' || source['type'] === 'file')) return true;
  const url = isExactObject(image) ? image['url'] : image;
  if (typeof url === 'string' && !/^data:/i.test(url)) return true;
  return [address, id, isExactObject(file) ? file['file_id'] : undefined].some((value) => typeof value === 'string');
}

/** Whether a member is an output limit that binds. */
export function isLimit(value: ExactJson | undefined): value is number {
  return typeof value === 'number' && value >= 1;
}

/** How a prompt asks to be written to Anthropic's cache, also through gateways that translate. */
export function cacheWritesOf(text: string): ScreenedRequest['cacheWrites'] {
  if (!text.includes('"cache_control"')) return 'none';
  return text.includes('"1h"') ? 'one_hour' : 'five_minutes';
}

/** Length of a value as JSON, in bytes. */
export function jsonBytes(value: ExactJson | undefined): number {
  return Buffer.byteLength(JSON.stringify(value ?? ''));
}

/** The members of a list that are objects; none when it is no list. */
export function objectsOf(list: ExactJson | undefined): ExactObject[] {
  return Array.isArray(list) ? list.filter((item) => isExactObject(item)) : [];
}
