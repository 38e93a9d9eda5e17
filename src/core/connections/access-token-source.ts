/** Access tokens of OAuth connections, in memory only and keyed by connection and generation (docs/design/oauth.md). */
export interface AccessTokenSource {
  /**
   * A token with enough life left, refreshed when it has not.
   *
   * @throws SandgateError `conflict` when the connection is not active at that generation, `upstream_failed` when no token was given
   */
  get(organizationId: string, connectionId: string, generation: number): Promise<string>;
  /** Forgets this token, which the upstream refused; a newer one stays. */
  reject(connectionId: string, generation: number, token: string): void;
  /** Forgets every token of the connection in this process; other processes notice by the generation and the current status. */
  evict(connectionId: string): void;
}
