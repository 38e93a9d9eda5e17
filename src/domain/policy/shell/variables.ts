/** Variables whose assignment before a command changes nothing that a policy cares about (06-gate §1). */
const HARMLESS = /^(?:CI|NODE_ENV|LANG|LC_[A-Z]+|TZ|FORCE_COLOR|NO_COLOR)$/;

/** Variables that make a program load or run something else; a command under one cannot be granted for a session. */
const CODE_BEARING =
  /^(?:PATH|IFS|ENV|BASH.*|SHELLOPTS|BASHOPTS|PS[0-9]|PROMPT_COMMAND|CDPATH|HOME|SHELL|EDITOR|VISUAL|PAGER|BROWSER|MAKEFLAGS|CLASSPATH|_JAVA_OPTIONS|JAVA_TOOL_OPTIONS|RUSTC.*|CARGO_.*|LD_.*|DYLD_.*|GCONV_PATH|GIT_.*|SSH_.*|NODE_.*|npm_config_.*|NPM_CONFIG_.*|PIP_.*|PYTHON.*|PERL.*|RUBY.*|LESS.*|MAN.*)$/;

/** Names that a loop or a builtin may set: bash and programs give none of them a meaning, save proxies and npm's settings. */
const PLAIN_NAME = /^[a-z][a-z0-9_]*$/;
const MEANS_SOMETHING = /_proxy$|^npm_(?:config|package)_/;

/** Names whose value a line can steer without assigning it. */
const STEERED =
  /^(?:_.*|BASH.*|PWD|OLDPWD|REPLY|MAPFILE|OPTARG|DIRSTACK|FUNCNAME|COPROC|READLINE.*|COMP_.*|HISTCMD|PIPESTATUS)$/;

export function isHarmlessVariable(name: string): boolean {
  return HARMLESS.test(name);
}

export function bearsCode(name: string): boolean {
  return CODE_BEARING.test(name);
}

export function isPlainVariable(name: string): boolean {
  return PLAIN_NAME.test(name) && !MEANS_SOMETHING.test(name);
}

export function isSteeredVariable(name: string): boolean {
  return STEERED.test(name);
}
