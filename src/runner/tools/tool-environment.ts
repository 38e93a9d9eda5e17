/** Where tool processes find an ordinary Node beside the system's programs. */
export const TOOL_PATH =
  '/opt/sandgate/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin';

/**
 * Settings of git that win over those of any repository: none runs a hook or a monitor of its own, and a folder that holds
 * the bare files of a repository is not taken for one unless the command names it.
 */
const GIT_SETTINGS = [
  ['safe.bareRepository', 'explicit'],
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
] as const;

/** The variables that carry the settings to git wherever it is started. */
export const GIT_VARIABLES: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_COUNT: String(GIT_SETTINGS.length),
  ...Object.fromEntries(
    GIT_SETTINGS.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};

/**
 * The closed environment of tool processes: nothing of the runner's own is inherited. `agentVariables` are those that the
 * agent's revision defines; they may add to it and replace anything but the account's own members and those of `network`, which
 * lead out, in whatever case they are written.
 */
export function toolEnvironment(
  workspace: string,
  agentVariables: Record<string, string>,
  network: Record<string, string> = {},
): Record<string, string> {
  return {
    PATH: TOOL_PATH,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHELL: '/bin/bash',
    TMPDIR: '/tmp',
    ...without(agentVariables, network),
    ...network,
    ...GIT_VARIABLES,
    HOME: '/home/agent',
    USER: 'agent',
    LOGNAME: 'agent',
    PWD: workspace,
  };
}

/** Some tools take their variables in any case, and the one that stands last. */
function without(variables: Record<string, string>, others: Record<string, string>): Record<string, string> {
  const taken = new Set(Object.keys(others).map((name) => name.toUpperCase()));
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !taken.has(name.toUpperCase())));
}
