import type { UpstreamAnswer } from '../../domain/broker/stored-answer.js';
import type { ResourceBinding } from '../../domain/connections/resource-binding.js';
import type { BrokeredToolSet } from '../../domain/run/spec.js';

/** Where a brokered call goes: the tool set of a slot and the binding that it was frozen with. */
export interface CallTarget {
  organizationId: string;
  runId: string;
  binding: ResourceBinding;
  toolSet: BrokeredToolSet;
}

/** What came of one call, in the terms of its claim (docs/design/broker.md). `error` is our own sentence. */
export type UpstreamResult =
  | { state: 'succeeded' | 'failed_upstream'; answer: UpstreamAnswer; error?: string }
  | { state: 'failed_before_send' | 'ambiguous'; error: string }
  /** Nothing of the call was performed, and the model is told that it is denied. */
  | { state: 'denied'; text: string };

/** Makes a call whose claim is taken, with the credential of its binding. */
export interface UpstreamCaller {
  /**
   * Sends `tools/call` at most once, but for the one repetition that is allowed after a refused access token. Never throws for
   * what an upstream, a credential or a limit does.
   *
   * @param argumentsText JSON text; its numbers go upstream as they are written here
   */
  call(target: CallTarget, tool: string, argumentsText: string, signal: AbortSignal): Promise<UpstreamResult>;
  /** Ends the sessions that were opened at upstream servers for a run, by this process or another. */
  close(run: { organizationId: string; runId: string }): Promise<void>;
}

/** An mcp binding always has a connection; a constraint of the table says so. */
export function authorityOf({ binding }: CallTarget): { connectionId: string; generation: number } {
  if (binding.authority.kind !== 'connection') throw new Error(`binding ${binding.id} has no connection`);
  return binding.authority;
}
