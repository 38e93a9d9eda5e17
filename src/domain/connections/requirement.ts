import { SandgateError } from '../errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import { didYouMean } from '../nearest-name.js';

export const BINDING_MODES = ['invoking_user', 'organization'] as const;
export type BindingMode = (typeof BINDING_MODES)[number];

/**
 * What an agent needs of a connected service (docs/design/connections.md). It says which service and which of its tools, and has no member
 * that could name a connection or a credential: whose connection serves is decided for each run.
 */
export interface ConnectionRequirement {
  slot: string;
  /** `url` selects; `slug` is a label for people. */
  connector: { url: string; slug?: string };
  required_tools: string[];
  binding_mode: BindingMode;
}

export const MAX_REQUIREMENTS = 16;
export const MAX_REQUIRED_TOOLS = 64;
export const SLOT_PATTERN = '^[a-z0-9][a-z0-9-]{0,63}$';
export const SLUG_PATTERN = '^[a-z0-9][a-z0-9-]{0,63}$';
export const TOOL_NAME_PATTERN = '^[A-Za-z0-9_.-]{1,128}$';

const FIELD = 'connection_requirements';
const SLOT = new RegExp(SLOT_PATTERN);
const SLUG = new RegExp(SLUG_PATTERN);
const TOOL_NAME = new RegExp(TOOL_NAME_PATTERN);
const MEMBERS = ['slot', 'connector', 'required_tools', 'binding_mode'];
const CONNECTOR_MEMBERS = ['url', 'slug'];
const MAX_URL_CHARACTERS = 2048;

/**
 * Reads the requirements of a revision. Unknown members are refused, so that nobody believes to have named a connection.
 * @throws SandgateError `invalid_request` that names the member and the reason
 */
export function parseRequirements(value: unknown): ConnectionRequirement[] {
  if (!Array.isArray(value)) throw refusal(FIELD, 'must be a list of requirements');
  if (value.length > MAX_REQUIREMENTS) throw refusal(FIELD, `must not have more than ${MAX_REQUIREMENTS} entries`);
  const requirements = value.map((entry: JsonValue, index) => parseRequirement(entry, `${FIELD}[${index}]`));
  const slots = new Set<string>();
  for (const [index, { slot }] of requirements.entries()) {
    if (slots.has(slot)) throw refusal(`${FIELD}[${index}].slot`, `${slot} is named twice`);
    slots.add(slot);
  }
  return requirements;
}

function parseRequirement(value: JsonValue, place: string): ConnectionRequirement {
  const members = object(value, MEMBERS, place);
  const slot = members['slot'];
  if (typeof slot !== 'string' || !SLOT.test(slot))
    throw refusal(`${place}.slot`, 'must be 1 to 64 of a-z 0-9 - and start with a letter or digit');
  const mode = BINDING_MODES.find((known) => known === members['binding_mode']);
  if (mode === undefined) throw refusal(`${place}.binding_mode`, `must be ${BINDING_MODES.join(' or ')}`);
  return {
    slot,
    connector: parseConnector(members['connector'], `${place}.connector`),
    required_tools: parseTools(members['required_tools'], `${place}.required_tools`),
    binding_mode: mode,
  };
}

function parseConnector(value: JsonValue | undefined, place: string): ConnectionRequirement['connector'] {
  const { url, slug } = object(value, CONNECTOR_MEMBERS, place);
  const problem = urlProblem(url);
  if (typeof url !== 'string' || problem !== null) throw refusal(`${place}.url`, problem ?? 'must be a URL');
  if (slug === undefined || slug === null) return { url };
  if (typeof slug !== 'string' || !SLUG.test(slug))
    throw refusal(`${place}.slug`, 'must be 1 to 64 of a-z 0-9 - and start with a letter or digit');
  return { url, slug };
}

function urlProblem(value: JsonValue | undefined): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL_CHARACTERS)
    return `must be a URL of at most ${MAX_URL_CHARACTERS} characters`;
  const url = URL.parse(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'must be an absolute http or https URL';
  // It is shown to everybody who reads the agent, and frozen into every run.
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  return null;
}

function parseTools(value: JsonValue | undefined, place: string): string[] {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_REQUIRED_TOOLS)
    throw refusal(place, `must be a list of 1 to ${MAX_REQUIRED_TOOLS} tool names`);
  const names = value.map((name, index) => {
    if (typeof name !== 'string' || !TOOL_NAME.test(name))
      throw refusal(`${place}[${index}]`, 'must be a tool name: 1 to 128 of A-Z a-z 0-9 _ . -');
    return name;
  });
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refusal(place, `${twice} is named twice`);
  return names;
}

function object(value: JsonValue | undefined, known: readonly string[], place: string): JsonObject {
  if (!isJsonObject(value)) throw refusal(place, 'must be an object');
  const unknown = Object.keys(value).find((member) => !known.includes(member));
  if (unknown === undefined) return value;
  throw refusal(place, `has no member ${unknown.slice(0, 80)}${didYouMean(unknown, known)}`);
}

function refusal(place: string, reason: string): SandgateError {
  return new SandgateError('invalid_request', `${place}: ${reason}`);
}
