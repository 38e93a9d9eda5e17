import { redactText } from '../redaction/redact-text.js';
import type { DecidedBy, Explanation, PolicyVerdict, VerdictKind } from '../policy/verdict.js';

const SHOWN_PARTS = 8;
const SHOWN_CHARACTERS = 200;

/** A verdict of a simulation as its caller sees it: redacted like the lines of the ledger, and bounded. */
export interface ShownVerdict {
  verdict: VerdictKind;
  /** What a supervised run would have got. */
  original_verdict: VerdictKind;
  reason: string | null;
  /** What a session grant would cover; null when the call does not ask, or nothing can be granted. */
  scope_key: string | null;
  /** Seconds until an unanswered question denies; null when the call does not ask. */
  ttl_secs: number | null;
  explanation: Explanation;
}

export function showVerdict({ verdict, original_verdict, reason, approval, explanation }: PolicyVerdict): ShownVerdict {
  return {
    verdict,
    original_verdict,
    reason: showText(reason),
    scope_key: showText(approval?.scope_key ?? null),
    ttl_secs: approval?.ttl_secs ?? null,
    explanation: showExplanation(explanation),
  };
}

/** What decided, without the call itself. */
export interface Decider {
  decided_by: DecidedBy;
  matcher: string | null;
  pattern: string | null;
}

export function deciderOf({ explanation: { decided_by, matcher, pattern } }: PolicyVerdict): Decider {
  return { decided_by, matcher, pattern };
}

/** Redacted before it is cut, because half a secret would not be recognized. */
export function showText<T extends string | null>(text: T): T {
  if (text === null) return text;
  const shown = redactText(text);
  return (shown.length > SHOWN_CHARACTERS ? `${shown.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : shown) as T;
}

function showExplanation(explanation: Explanation): Explanation {
  const { parts, subject } = explanation;
  return {
    ...explanation,
    subject: showText(subject),
    parts: parts.slice(0, SHOWN_PARTS).map((part) => {
      return { ...part, text: showText(part.text), subject: showText(part.subject) };
    }),
    parts_omitted: explanation.parts_omitted + Math.max(0, parts.length - SHOWN_PARTS),
  };
}
