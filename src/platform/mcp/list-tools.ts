import type { ExactJson } from '../../domain/digest/exact-json.js';
import type { CallContext, McpConnection } from './connection.js';
import { ExchangeError } from './exchange-error.js';
import { MAX_LIST_PAGES } from './limits.js';

/** What of a listing was read. */
export interface OfferedTools {
  tools: ExactJson[];
  /** False when the server would go on after the last page that is read. */
  complete: boolean;
}

/**
 * `tools/list`, page by page, at most four (docs/design/connections.md). A cursor is whatever the server says it is, also an empty text.
 * @param isEnough stops after a page, when what was looked for is there
 * @throws ExchangeError
 */
export async function listTools(
  connection: McpConnection,
  context: CallContext,
  isEnough: (tools: readonly ExactJson[]) => boolean = () => false,
): Promise<OfferedTools> {
  const tools: ExactJson[] = [];
  let cursor: ExactJson | undefined;
  for (let page = 1; page <= MAX_LIST_PAGES; page += 1) {
    const result = await connection.request('tools/list', cursor === undefined ? {} : { cursor }, context);
    if (!Array.isArray(result['tools'])) {
      throw new ExchangeError({ kind: 'invalid' }, 'tools/list: the answer has no list of tools');
    }
    tools.push(...result['tools']);
    cursor = result['nextCursor'] ?? undefined;
    if (cursor === undefined || isEnough(tools)) return { tools, complete: true };
  }
  return { tools, complete: false };
}
