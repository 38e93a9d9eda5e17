import { StartRefused } from '../../embedded/installation.js';
import { runDemo } from './run-demo.js';

/** `npm run demo -w documents`: shows what the documents service does, and whether it keeps what it promises. */

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());

try {
  process.exit(await runDemo({ signal: stop.signal, write: (line) => void process.stdout.write(`${line}\n`) }));
} catch (error) {
  if (stop.signal.aborted) process.exit(130);
  if (!(error instanceof StartRefused)) throw error;
  process.stderr.write(`docsvc: ${error.message}\n`);
  process.exit(69);
}
