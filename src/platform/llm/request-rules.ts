import { isExactObject } from '../../domain/digest/exact-json.js';
import type { ExactJson, ExactObject } from '../../domain/digest/exact-json.js';
import { SandgateError } from '../../domain/errors.js';
import { isStorableName, MAX_NAME_CHARACTERS } from '../../domain/storage/storable-text.js';
import type { ScreenedRequest } from './model-dialect.js';

/** What a request without a limit of its own may produce (docs/design/model-gateway.md). */
const DEFAULT_OUTPUT_TOKENS = 32_768;
const MAX_OUTPUT_TOKENS = 1_000_000;

/**
 * Members with which clients direct model gateways, such as LiteLLM and OpenRouter, to another model, provider, address or key,
 * to stored prompts, or to an answer that no model gave. No provider's own API has them.
 */
const STEERING = [
  'fallbacks', 'context_window_fallbacks', 'content_policy_fallbacks', 'models', 'model_list', 'route', 'plugins', 'provider',
  'preset', 'transforms', 'tags', 'deployment_id', 'organization', 'user_config', 'prompt_id', 'prompt_variables', 'vector_store_ids',
  'api_base', 'base_url', 'api_key', 'api_version', 'custom_llm_provider', 'extra_body', 'extra_headers', 'headers',
] as const; // prettier-ignore
const STEERING_PREFIX = /^(?:mock|aws|azure|vertex|litellm)_/;

/** How every provider spells the names of its members. */
const PLAIN_NAME = /^[a-z0-9_.-]+$/;

/** Throws `invalid_request`. */
export function refuse(message: string): never {
  throw new SandgateError('invalid_request', message);
}

/** Whether a member is absent, null or an empty list. */
export function isAbsent(value: ExactJson | undefined): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** The body as an object; it names the frozen model and no member that leads it elsewhere. */
export function requireBody(value: unknown, frozenModel: string): ExactObject {
  if (!isExactObject(value)) refuse('the request body must be a JSON object');
  refuseOddNames(value, 'the request');
  if (value['model'] !== frozenModel) refuse(`model: this run is bound to ${frozenModel}`);
  for (const name of STEERING) {
    if (!isAbsent(value[name])) refuse(`${name}: requests cannot steer the model gateway`);
  }
  const steering = Object.keys(value).find((name) => STEERING_PREFIX.test(name));
  if (steering !== undefined) refuse(`${steering}: requests cannot steer the model gateway`);
  const { tools } = value;
  if (!isAbsent(tools) && !Array.isArray(tools)) refuse('tools: must be a list');
  return value;
}

/**
 * Servers written in Go read `Model` as `model`, and take whichever comes last: a second spelling would stand for what was
 * screened. No provider has a member whose name is not in lower case.
 */
export function refuseOddNames(holder: ExactObject, place: string): void {
  const odd = Object.keys(holder).find((name) => !PLAIN_NAME.test(name));
  if (odd !== undefined)
    refuse(`${JSON.stringify(odd.slice(0, 64))} in ${place}: names of members are written in lower case`);
}

/** The id that a carried result answers to. */
export function requireResultId(id: ExactJson | undefined, missing: string): string {
  if (typeof id !== 'string') refuse(missing);
  if (!isStorableName(id))
    refuse(`the id of a tool result is text of at most ${MAX_NAME_CHARACTERS} characters without NUL`);
  return id;
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
    refuseOddNames(block, 'the content');
    if (isRemote(block))
      refuse('content: send images and files in the request itself; addresses and ids are not followed');
    const { content, output, source } = block;
    for (const inner of [content, output, isExactObject(source) ? source['content'] : undefined]) {
      if (typeof inner === 'object') refuseRemoteContent(isExactObject(inner) ? [inner] : objectsOf(inner));
    }
  }
}

/** Providers and local servers have addresses of images, files, video and audio, each in a member `…_url`. */
function isRemote(block: ExactObject): boolean {
  const { source, file, file_id: id, file_data: data } = block;
  if (typeof id === 'string' || (typeof data === 'string' && isAddress(data))) return true;
  if (Object.entries(block).some(([name, value]) => name.endsWith('_url') && isRemoteUrl(value))) return true;
  if (isExactObject(file) && isRemote(file)) return true;
  if (!isExactObject(source)) return false;
  refuseOddNames(source, 'the content');
  return source['type'] === 'url' || source['type'] === 'file' || typeof source['url'] === 'string' || isRemote(source);
}

function isRemoteUrl(value: ExactJson): boolean {
  if (isAbsent(value)) return false;
  if (isExactObject(value)) refuseOddNames(value, 'the content');
  const url = isExactObject(value) ? value['url'] : value;
  return typeof url !== 'string' || !/^data:/i.test(url);
}

/** Base64 has no colon; whatever else has one is an address to some gateways. */
function isAddress(data: string): boolean {
  return data.includes(':') && !/^data:/i.test(data);
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
