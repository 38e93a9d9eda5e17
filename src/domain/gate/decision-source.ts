/** `source` of `tool.decision` (docs/design/events.md). */
export type DecisionSource =
  | 'policy'
  | 'autonomy_rewrite'
  | 'human'
  | 'session_scope'
  | 'trust_tier'
  | 'capability'
  | 'schema'
  | 'binding'
  | 'connection'
  | 'protocol_violation'
  | 'session_terminal'
  | 'budget';
