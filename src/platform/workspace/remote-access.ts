/** How git reaches one host. Names were looked up and judged before: git looks up nothing itself (docs/design/workspaces.md). */
export interface GitRoute {
  /** Entries `host:port:address[,address…]` for `http.curloptResolve`, IPv6 in brackets: of the host, or of the proxy. */
  resolve: readonly string[];
  /** Address of the proxy that resolves the host's name and carries everything; it may hold a password. Null: none. */
  proxy: string | null;
}

/** What a run may use to fetch its repository from a code host. */
export interface RemoteAccess {
  /**
   * @throws SandgateError `invalid_request` for a host that may not be dialled, `upstream_failed` for one that cannot be found now
   */
  route(url: URL): Promise<GitRoute>;
  /**
   * Value of the `Authorization` header, null for a public repository. Asked for once, right before the fetch; whoever answers
   * re-verifies that the run may still use the connection.
   */
  authorization(): Promise<string | null>;
  /** Certificates (PEM) that vouch for this host in place of the system's; null: the system's. */
  authorities(url: URL): string | null;
}
