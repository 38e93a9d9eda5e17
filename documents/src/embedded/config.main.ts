import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { configWarnings, describeConfig, loadConfig, renderConfigurationDocument } from '../platform/config/index.js';

/** Prints the effective configuration, secrets as digests; with `--document <path>` writes the page that describes every setting. */
const { values } = parseArgs({ options: { document: { type: 'string' } } });
if (values.document !== undefined) writeFileSync(values.document, renderConfigurationDocument());
else {
  const config = loadConfig(process.env);
  for (const warning of configWarnings(config, process.env)) process.stderr.write(`warning: ${warning}\n`);
  for (const { variable, value, source } of describeConfig(config, process.env)) {
    process.stdout.write(`${variable.padEnd(34)} ${source.padEnd(12)} ${value}\n`);
  }
}
