import { canonicalJson } from '../digest/canonical-json.js';
import type { ExactJson, ExactObject } from '../digest/exact-json.js';
import { isExactObject } from '../digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../digest/parse-json.js';
import { SandgateError } from '../errors.js';
import type { Explanation, ShellPartView } from '../policy/verdict.js';

/** What the gate found in the input of a call; as confidential as the input itself. */
export interface CallFindings {
  /** The part of the command or the path that decided. */
  subject: string | null;
  /** The working directory that the input asks for; null when it names none. */
  cwd: string | null;
  parts: ShellPartView[];
  /** Parts beyond those listed. */
  parts_omitted: number;
  /** Words of a command that may name files and whose value is known only when it runs, as they are written. */
  not_known_beforehand: string[];
  /** Why an approval counts for this call alone; null when a grant for the run is possible. */
  once_because: string | null;
}

/**
 * What is stored sealed while an approval is pending, and shown to those who may decide (docs/design/gate.md,
 * docs/design/sealing.md).
 */
export interface ShownCall {
  input: ExactJson;
  findings: CallFindings;
}

/** Which rule of the policy decided and how; the policy's own words, which may be stored in clear. */
export type DecidingRule = Pick<Explanation, 'decided_by' | 'rule' | 'matcher' | 'pattern'>;

/** Splits an explanation into what comes from the policy and what comes from the call. */
export function separateFindings(
  explanation: Explanation,
  input: ExactJson,
  of: Pick<CallFindings, 'not_known_beforehand' | 'once_because'>,
): { rule: DecidingRule; findings: CallFindings } {
  const { decided_by, rule, matcher, pattern, subject, parts, parts_omitted } = explanation;
  const cwd = isExactObject(input) && typeof input['cwd'] === 'string' ? input['cwd'] : null;
  return { rule: { decided_by, rule, matcher, pattern }, findings: { subject, cwd, parts, parts_omitted, ...of } };
}

export function writeShownCall(shown: ShownCall): string {
  return canonicalJson({ input: shown.input, findings: shown.findings as unknown as ExactObject });
}

/**
 * Reads what {@link writeShownCall} wrote.
 *
 * @throws SandgateError `internal` when the text is anything else
 */
export function readShownCall(text: string): ShownCall {
  const value = parseJsonPreservingNumbers(text);
  const { input, findings } = isExactObject(value) ? value : {};
  if (input === undefined || findings === undefined) {
    throw new SandgateError('internal', 'the stored input of a pending call is malformed');
  }
  return { input, findings: findings as unknown as CallFindings };
}
