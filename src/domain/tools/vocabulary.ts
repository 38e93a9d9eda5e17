export const TOOL_GROUPS = ['files', 'search', 'shell', 'web', 'meta'] as const;
export type ToolGroup = (typeof TOOL_GROUPS)[number];

export interface CanonicalTool {
  name: string;
  group: ToolGroup;
}

const GROUPS: readonly (readonly [ToolGroup, string])[] = [
  ['files', 'Read Write Edit MultiEdit NotebookRead NotebookEdit'],
  ['search', 'Glob Grep LS'],
  ['shell', 'Bash BashOutput KillShell'],
  ['web', 'WebFetch WebSearch'],
  [
    'meta',
    'TodoWrite Task ToolSearch Agent Workflow Skill TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate SendMessage ' +
      'AskUserQuestion EnterPlanMode ExitPlanMode ReportFindings Monitor CronCreate CronDelete CronList ScheduleWakeup PushNotification',
  ],
  ['web', 'DesignSync'],
  ['shell', 'EnterWorktree ExitWorktree'],
];

/**
 * The built-in tools that a harness may have, in the row order of the governance matrix (docs/design/tools.md). Advisory: an
 * unknown name is no error.
 */
export const CANONICAL_TOOLS: readonly CanonicalTool[] = GROUPS.flatMap(([group, names]) =>
  names.split(' ').map((name) => ({ name, group })),
);

const GROUP_BY_NAME: ReadonlyMap<string, ToolGroup> = new Map(CANONICAL_TOOLS.map(({ name, group }) => [name, group]));

export function toolGroup(name: string): ToolGroup | null {
  return GROUP_BY_NAME.get(name) ?? null;
}

export function isCanonicalTool(name: string): boolean {
  return GROUP_BY_NAME.has(name);
}
