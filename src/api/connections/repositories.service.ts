import { Injectable } from '@nestjs/common';
import { requireActive } from '../../domain/connections/require-active.js';
import { SandgateError } from '../../domain/errors.js';
import { Codehost } from '../../core/codehost/codehost.js';
import { CodehostError } from '../../platform/codehost/codehost-error.js';
import { ConnectionRecords } from '../../core/connections/connection-records.js';
import { ConnectionSecrets } from '../../core/connections/connection-secrets.js';
import type { Viewer } from '../../core/connections/viewer.js';
import type { CodeHost, CodehostPage } from '../../platform/codehost/code-host.js';
import type { CodehostToken } from '../../core/codehost/codehost-tokens.js';
import type { RefList, RepositoryList } from './repositories.dto.js';

/** Lists what a connection of the code host sees, page by page, for pickers (docs/design/connections.md). */
@Injectable()
export class RepositoriesService {
  constructor(
    private readonly records: ConnectionRecords,
    private readonly secrets: ConnectionSecrets,
    private readonly codehost: Codehost,
  ) {}

  /**
   * @throws SandgateError `not_found` for an invisible connection, `invalid_request` for one of another kind and when the host refuses or
   * cannot be asked, `conflict` when the connection is not active, `unavailable` without a sealing key
   */
  async list(viewer: Viewer, id: string, page: CodehostPage): Promise<RepositoryList> {
    const repos = await this.ask(viewer, id, 'repositories', (api, { token, lister }) =>
      api.repositories(token, lister, page),
    );
    return { repos, repositories: repos };
  }

  /** The branches of a repository. @throws SandgateError as {@link list} */
  async refs(viewer: Viewer, id: string, repository: string, page: CodehostPage): Promise<RefList> {
    return {
      refs: await this.ask(viewer, id, 'branches', (api, { token }) => api.branches(token, repository, page)),
    };
  }

  private async ask<T>(
    viewer: Viewer,
    id: string,
    what: string,
    list: (api: CodeHost, token: CodehostToken) => Promise<T>,
  ): Promise<T> {
    const connection = await this.records.get(viewer, id);
    // Checked before anything is opened: the credential of another server must never be shown to the code host.
    if (connection.provider === 'mcp_http')
      throw new SandgateError('invalid_request', `this connection does not belong to a code host and lists no ${what}`);
    requireActive(connection);
    this.secrets.requireKey();
    const { api, tokens } = this.codehost;
    try {
      return await list(api, await tokens.get({ organizationId: viewer.organizationId, connectionId: id }));
    } catch (cause) {
      const isOfHost =
        cause instanceof CodehostError || (cause instanceof SandgateError && cause.code === 'upstream_failed');
      if (!isOfHost) throw cause;
      throw new SandgateError('invalid_request', `the ${what} could not be listed: ${cause.message}`, { cause });
    }
  }
}
