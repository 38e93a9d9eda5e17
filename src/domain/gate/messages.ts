import { DENIED_BY_POLICY } from '../policy/outcome.js';

/** Every sentence with which the gate refuses (docs/design/gate.md), so that answers, events and tests share one text. */
export const GATE_MESSAGES = {
  wrongAudience: 'wrong_audience',
  sessionNotActive: 'session is not active',
  protocolViolation: 'tool_call_id reused with different tool or input',
  replayDenied: 'not approved',
  budgetExceeded: 'tool-call budget exceeded',
  malformedMcpName: 'malformed MCP tool name',
  notInToolSet: 'tool is not in the frozen capability set of this run',
  frozenSchemaInvalid: 'frozen schema invalid — refresh the snapshot',
  sessionApproved: 'session-approved',
  deniedByPolicy: DENIED_BY_POLICY,
  inputTooLargeToShow: 'the input is larger than 65536 bytes and cannot be shown to a human, so it was not asked',
  tooManyPending: 'too many pending approvals of this run',
  tooManyFilesToShow: 'the command names more files of the workspace than can be shown to a human, so it was not asked',
  textNotStorable: 'holds characters that cannot be stored (a NUL or half a surrogate pair)',
  numberNotStorable: 'holds a number that is out of range',
  inputNotShowable: 'the input holds characters that cannot be shown to a human, so it was not asked',
} as const;

const QUOTED_COMMAND_LENGTH = 120;

/** Refusal of the read-only trust tier; quotes at most 120 characters of a command. */
export function trustTierMessage(tool: string, command: string | null): string {
  const subject =
    command === null
      ? tool
      : `${tool} \`${Array.from(command.slice(0, 240)).slice(0, QUOTED_COMMAND_LENGTH).join('')}\``;
  return `${subject} is not allowed in the read-only trust tier`;
}

/** Refusal of arguments; the pointers name places in them and never show what stands there. */
export function argumentsRejectedMessage(pointers: string): string {
  return `arguments rejected by frozen schema: ${pointers}`;
}

/** What the ledger says of an unusable schema; the model is told the first part only. */
export function unusableSchemaReason(reason: string): string {
  return `${GATE_MESSAGES.frozenSchemaInvalid}: ${reason}`;
}
