/** `source` of `tool.decision` (chapter 30 §7.6; `budget` by 00-design §1). */
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
