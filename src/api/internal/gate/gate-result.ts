/** What a runner is told. `inactive`: the run accepts no work. `gone`: the caller hung up before there was an answer. */
export type GateResult =
  { kind: 'allow' } | { kind: 'deny'; message: string } | { kind: 'inactive' } | { kind: 'gone' };
