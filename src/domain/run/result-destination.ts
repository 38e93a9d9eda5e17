/** Where the result of a run goes, frozen when the run is created; it never holds a secret. */
export type ResultDestination = (
  | { kind: 'signed_webhook'; url: string }
  | { kind: 'codehost_pr_comment'; connection_id: string; repository: string; pr_number: number }
  | { kind: 'codehost_check'; connection_id: string; repository: string; head_sha: string }
) & {
  /** The binding under whose authority it goes out. */
  binding_id?: string;
};

/** Where a result goes, as events say it. */
export function addressOf(to: ResultDestination): string {
  return to.kind === 'signed_webhook' ? to.url : `${to.kind}:${to.repository}`;
}
