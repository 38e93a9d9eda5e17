import { SandgateError } from '../errors.js';
import { isJsonObject } from '../json.js';
import { leadsOut } from '../network/tool-variables.js';
import { redactText } from '../redaction/redact-text.js';

export const MAX_VARIABLES = 64;
const MAX_NAME_CHARS = 128;
export const MAX_VALUE_BYTES = 32 * 1024;
const MAX_TOTAL_BYTES = 128 * 1024;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables of the user's account, and those that make a shell, loader or program run something other than what the gate judged. */
const RESERVED = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'OLDPWD', 'TMPDIR'],
  ...['IFS', 'ENV', 'CDPATH', 'GLOBIGNORE', 'PROMPT_COMMAND', 'PS4', 'SHELLOPTS'],
  ...['PYTHONHOME', 'PYTHONSTARTUP', 'PERL5OPT', 'RUBYOPT', 'JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', '_JAVA_OPTIONS'],
  ...['EDITOR', 'VISUAL', 'PAGER', 'LESSOPEN', 'LESSCLOSE', 'MANPAGER'],
]);
const RESERVED_PREFIXES = ['SERVICE_', 'SANDGATE_', 'ANTHROPIC_', 'OPENAI_', 'LD_', 'DYLD_', 'BASH', 'NODE_', 'GIT_'];
/** Names of that form that are widely used and harmless. */
const HARMLESS = /^(?:NODE_ENV|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE))$/;
/** Names that say "secret". Their values would be shown with the revision and recorded with every run. */
const SECRET_NAME =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|PRIVATE_KEY|ACCESS_KEY)(?:$|_)/i;
/** A shorter value of such a name is a setting: TOKEN_LIMIT=4096. */
const MIN_SECRET_CHARS = 8;

/**
 * Reads the variables of a revision: shown, frozen into every run and given to tool processes, so none may be a secret or
 * change which program a judged command runs.
 * @throws SandgateError `invalid_request` naming the variable and the reason, never the value
 */
export function parseAgentVariables(value: unknown): Record<string, string> {
  if (!isJsonObject(value)) throw refusal('must be an object of strings');
  const entries = Object.entries(value);
  if (entries.length > MAX_VARIABLES) throw refusal(`must not have more than ${MAX_VARIABLES} variables`);
  let total = 0;
  for (const [name, text] of entries) {
    refuseName(name);
    if (typeof text !== 'string') throw refusal('must be a string', name);
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_VALUE_BYTES) throw refusal(`is ${bytes} bytes, more than ${MAX_VALUE_BYTES}`, name);
    if (text.includes('\0')) throw refusal('must not contain the character U+0000', name);
    refuseSecret(name, text);
    total += name.length + bytes + 2;
  }
  if (total > MAX_TOTAL_BYTES) throw refusal(`is ${total} bytes in all, more than ${MAX_TOTAL_BYTES}`);
  return Object.fromEntries(entries) as Record<string, string>;
}

function refuseName(name: string): void {
  const shown = name.slice(0, MAX_NAME_CHARS);
  if (!NAME.test(name) || name.length > MAX_NAME_CHARS) {
    throw refusal(
      `must be named with A-Z a-z 0-9 _, at most ${MAX_NAME_CHARS} characters, not with a digit first`,
      shown,
    );
  }
  const upper = name.toUpperCase();
  if (HARMLESS.test(upper)) return;
  if (leadsOut(name)) {
    throw refusal(
      "is reserved: the run's network decides by which way tools reach hosts and whom they trust; set network instead",
      name,
    );
  }
  if (RESERVED.has(upper) || RESERVED_PREFIXES.some((prefix) => upper.startsWith(prefix))) {
    throw refusal('is reserved: it decides what tool processes are or run', name);
  }
}

function refuseSecret(name: string, value: string): void {
  const secret = SECRET_NAME.test(name) && value.length >= MIN_SECRET_CHARS;
  if (!secret && redactText(value) === value) return;
  throw refusal(
    'looks like a secret; variables are shown and recorded, so give credentials through a connection',
    name,
  );
}

function refusal(reason: string, name?: string): SandgateError {
  return new SandgateError('invalid_request', `env${name === undefined ? '' : `.${name}`}: ${reason}`);
}
