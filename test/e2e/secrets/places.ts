/** Where a canary is planted: what a person says, what the agent says, writes or reads, what fails, what a provider answers. */
export const PLACES = [
  'task',
  'system',
  'narrative',
  'summary',
  'final',
  'command',
  'input',
  'file',
  'output',
  'stderr',
  'diff',
  'upstream',
] as const;
export type Place = (typeof PLACES)[number];

/** Columns of the record that may hold it once its run is over, and routes that may answer it. */
export const BELONGS: Record<Place, { columns: string[]; answers: string[] }> = {
  task: { columns: ['sessions.run_spec', 'sessions.task'], answers: ['GET /v1/sessions', 'GET /v1/sessions/run0'] },
  system: {
    columns: ['agent_revisions.system_prompt', 'sessions.run_spec'],
    answers: ['GET /v1/agents/agent', 'GET /v1/sessions', 'GET /v1/sessions/run0', 'GET /v1/sessions/run1'],
  },
  narrative: {
    columns: ['events.payload'],
    answers: ['GET /v1/sessions/run0/events/export', 'GET /v1/sessions/run0/events?limit=1000'],
  },
  final: {
    columns: ['artifacts.content', 'events.payload', 'sessions.result_summary'],
    answers: [
      'GET /v1/sessions',
      'GET /v1/sessions/run0',
      'GET /v1/sessions/run0/artifacts',
      'GET /v1/sessions/run0/events/export',
      'GET /v1/sessions/run0/events?limit=1000',
    ],
  },
  summary: {
    columns: [
      'approvals.explanation',
      'approvals.scope_key',
      'approvals.scope_keys',
      'approvals.summary',
      'events.payload',
    ],
    answers: [
      'GET /v1/sessions/run0/approvals',
      'GET /v1/sessions/run0/events/export',
      'GET /v1/sessions/run0/events?limit=1000',
    ],
  },
  command: { columns: [], answers: [] },
  input: { columns: [], answers: [] },
  file: { columns: [], answers: [] },
  output: { columns: [], answers: [] },
  stderr: { columns: [], answers: [] },
  diff: { columns: ['artifacts.content'], answers: ['GET /v1/sessions/run0/artifacts'] },
  upstream: {
    columns: ['artifacts.content', 'events.payload', 'sessions.result_summary'],
    answers: [
      'GET /v1/sessions',
      'GET /v1/sessions/run1',
      'GET /v1/sessions/run1/artifacts',
      'GET /v1/sessions/run1/events/export',
      'GET /v1/sessions/run1/events?limit=1000',
    ],
  },
};
