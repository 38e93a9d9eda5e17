import { Command, Option } from 'commander';
import { addBench } from './commands/bench.js';
import { addDoctor } from './commands/doctor.js';
import { addDocuments } from './commands/documents.js';
import { addExtract } from './commands/extract.js';
import { addLater } from './commands/later.js';
import { addRuns } from './commands/runs.js';
import { addSchemas } from './commands/schemas.js';
import { addSearch } from './commands/search.js';
import { addSettings } from './commands/settings.js';
import { addUpload } from './commands/upload.js';
import { addWebhooks } from './commands/webhooks.js';
import { OUTPUT_FORMATS } from './terminal/output.js';
import { DOCUMENT_VERBS } from './verbs/document-verbs.js';
import { RECORD_VERBS } from './verbs/record-verbs.js';
import { RUN_VERBS } from './verbs/run-verbs.js';
import { SCHEMA_VERBS } from './verbs/schema-verbs.js';
import { addVerbs } from './verbs/verb.js';
import { WEBHOOK_VERBS } from './verbs/webhook-verbs.js';

/** The whole command line. */
export function buildProgram(): Command {
  const program = new Command('docsvc')
    .description('keeps documents, reads every page of them, and finds what they say')
    .option('--api-url <url>', 'address of the API')
    .option('--project <id>', 'project that the command is about')
    .addOption(new Option('--output <format>', 'how data is printed').choices(OUTPUT_FORMATS))
    .option('--client-id <id>', 'client that asks, with --client-secret')
    .option('--client-secret <secret>', 'its secret; other users of this host can see it here')
    .option('--raw', 'CSV cells as they are, also those that a spreadsheet would run')
    .option('--quiet', 'no progress and no remarks')
    .option('--no-color', 'no colours')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'docsvc: ')) });
  addSettings(program);
  addExtract(program);
  addUpload(program);
  addVerbs(program, [...RECORD_VERBS, ...DOCUMENT_VERBS, ...SCHEMA_VERBS, ...RUN_VERBS, ...WEBHOOK_VERBS]);
  addDocuments(program);
  addSchemas(program);
  addRuns(program);
  addSearch(program);
  addWebhooks(program);
  addBench(program);
  addDoctor(program);
  addLater(program);
  return program;
}
