/** Where tool processes find an ordinary Node beside the system's programs (04-sandbox §4). */
export const TOOL_PATH = '/opt/sandgate/node/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * The closed environment of tool processes: nothing of the runner's own is inherited. `agentVariables` are those that the
 * agent's revision defines; they may add to it and replace anything but the account's own members.
 */
export function toolEnvironment(workspace: string, agentVariables: Record<string, string>): Record<string, string> {
  return {
    PATH: TOOL_PATH,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHELL: '/bin/bash',
    TMPDIR: '/tmp',
    GIT_TERMINAL_PROMPT: '0',
    ...agentVariables,
    HOME: '/home/agent',
    USER: 'agent',
    LOGNAME: 'agent',
    PWD: workspace,
  };
}
