/** Variables whose assignment before a command changes nothing that a policy cares about (docs/design/policy.md). */
export const HARMLESS_NAMES = '(?:CI|NODE_ENV|LANG|LC_[A-Z]+|TZ|FORCE_COLOR|NO_COLOR)';
const HARMLESS = new RegExp(`^${HARMLESS_NAMES}$`);

/** Names that a loop or a builtin may set: bash and programs give none of them a meaning, save proxies and npm's settings. */
const PLAIN_NAME = /^[a-z][a-z0-9_]*$/;
const MEANS_SOMETHING = /_proxy$|^npm_(?:config|package)_/;

/** Names whose value a line can steer without assigning it. */
const STEERED =
  /^(?:_.*|BASH.*|PWD|OLDPWD|REPLY|MAPFILE|OPTARG|DIRSTACK|FUNCNAME|COPROC|READLINE.*|COMP_.*|HISTCMD|PIPESTATUS)$/;

export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.test(name);
}

export function isPlainVariable(name: string): boolean {
  return PLAIN_NAME.test(name) && !MEANS_SOMETHING.test(name);
}

export function isSteeredVariable(name: string): boolean {
  return STEERED.test(name);
}
