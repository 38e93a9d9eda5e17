import type { Command } from 'commander';
import type { JsonObject } from '../../../../src/domain/json.js';
import { CliContext } from '../context/cli-context.js';
import { boxesOf } from '../runs/cited-leaves.js';
import { listOf } from '../verbs/verb.js';

const HIT = { Document: 'documentName', Page: 'pageNumber', Excerpt: 'excerpt', Score: 'score' };
const CITED = { ...HIT, Version: 'version', Boxes: 'boxes' };

interface SearchFlags {
  citations?: boolean;
  limit?: string;
  labels?: string;
  kinds?: string;
}

/** `search` (DI-019). */
export function addSearch(program: Command): void {
  program
    .command('search <query...>')
    .description('ask what the documents of the project say')
    .option('--citations', 'with the places on the pages')
    .option('--limit <number>', 'most results, up to 50')
    .option('--labels <list>', 'in documents with these labels')
    .option('--kinds <list>', 'in documents of these kinds')
    .action(async (words: string[], flags: SearchFlags, command: Command) => {
      const context = CliContext.of(command);
      const filters = { labels: listOf(flags.labels), kinds: listOf(flags.kinds) };
      const answer = await context.api.object(`/api/projects/${encodeURIComponent(context.project)}/search`, {
        method: 'POST',
        body: {
          query: words.join(' '),
          includeCitations: flags.citations === true,
          ...(flags.limit === undefined ? {} : { limit: Number(flags.limit) }),
          ...(flags.labels === undefined && flags.kinds === undefined ? {} : { filters }),
        },
      });
      const results = answer['results'] as JsonObject[];
      if (flags.citations !== true) return context.printRows(results, HIT);
      const { format } = context.style;
      const isData = format === 'json' || format === 'jsonl';
      context.printRows(
        isData ? results : results.map((hit) => ({ ...hit, boxes: boxesOf((hit['citations'] ?? []) as never) })),
        CITED,
      );
    });
}
