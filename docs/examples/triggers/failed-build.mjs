// Prints the body that asks for a repair: the commit, and as much of the end of a log as fits into the 8192 bytes of a context.
import { readFileSync } from 'node:fs';

const MAX_LOG_BYTES = 7_000;
const { GITHUB_SHA: commit = '', GITHUB_REF_NAME: branch = '' } = process.env;

/** Text without the colours and control characters of a terminal, from the beginning of a character on. */
function endOf(log) {
  // eslint-disable-next-line no-control-regex -- control characters are what is taken out
  const text = log.toString('utf8').replaceAll(/\u001b\[[\d;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
  const bytes = Buffer.from(text);
  let start = Math.max(0, bytes.length - MAX_LOG_BYTES);
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start).toString('utf8');
}

const context = { commit, branch, log: endOf(readFileSync(process.argv[2] ?? 'build.log')) };
console.log(JSON.stringify({ context, workspace: { commit_sha: commit } }));
