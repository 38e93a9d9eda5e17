import { boundedReason } from '../bounded-reason.js';
import type { HarnessResult } from '../harness.js';

/** No model uses a longer tool name; the answer that repeats it must stay under 2 KiB (docs/design/model-gateway.md). */
const MAX_TOOL_NAME = 256;

/** The model's reply cannot be used; the run ends with the reason. */
export class UnusableReplyError extends Error {
  override readonly name = 'UnusableReplyError';
}

/** @throws UnusableReplyError */
export function checkedName(name: string): string {
  if (name.length <= MAX_TOOL_NAME) return name;
  throw new UnusableReplyError(`the model called a tool whose name has ${name.length} characters`);
}

export function completedWith(text: string): HarnessResult {
  return { outcome: 'completed', summary: text || 'The agent finished without a closing message.' };
}

export function refusedToGoOn(text: string): HarnessResult {
  return { outcome: 'failed', summary: `The model refused to go on. ${text}`.trim() };
}

export function outOfTokens(reason: string, text: string): HarnessResult {
  return { outcome: 'failed', summary: `The model reached its token limit (${reason}). ${text}`.trim() };
}

export function outOfTurns(turns: number, text: string): HarnessResult {
  return { outcome: 'failed', summary: `The agent was stopped after ${turns} model turns. ${text}`.trim() };
}

export function failedRequest(error: Error, status: number | undefined): HarnessResult {
  const named = status === undefined ? '' : ` with status ${status}`;
  return { outcome: 'failed', summary: `The model request failed${named}: ${boundedReason(error.message)}` };
}
