// Bundles the program that runs inside the sandbox into the folder dist/runner, which needs nothing beside it; main.mjs is
// its entry, describe.mjs that of a smaller one, which asks a server for its tools, and workspace-info.mjs
// the MCP server of that name in the catalog. What must be loaded before the first heartbeat stands in main.mjs; harnesses and tools are files of their own
// that it loads later, because every run waits for the first and only some need the others.
// Refuses to write anything but the runner, the domain and the packages named here: untrusted code stands next to it.
import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { replaceFile } from './replace-file.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const outdir = path.resolve(process.argv[2] ?? path.join(root, 'dist/runner'));
const ALLOWED = [
  'src/runner/',
  'src/domain/',
  'node_modules/@anthropic-ai/sdk/',
  'node_modules/openai/',
  // The MCP client, loaded by runs that have MCP servers, and what it carries.
  'node_modules/@modelcontextprotocol/client/',
  'node_modules/@modelcontextprotocol/core/',
  'node_modules/pkce-challenge/',
  'node_modules/zod/',
  'node_modules/@opentelemetry/api/',
  'node_modules/re2js/',
  // What the model client's index drags in for webhooks; unused here.
  'node_modules/standardwebhooks/',
  'node_modules/@stablelib/base64/',
  'node_modules/fast-sha256/',
];

const result = await build({
  absWorkingDir: root,
  entryPoints: [
    { in: 'src/runner/main.ts', out: 'main' },
    { in: 'src/runner/mcp/describe.main.ts', out: 'describe' },
    { in: 'src/runner/workspace-info/workspace-info.main.ts', out: 'workspace-info' },
  ],
  bundle: true,
  splitting: true,
  write: false,
  metafile: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Imported by the MCP client when it signs in to a server over HTTP, which servers inside the sandbox never ask.
  external: ['jose'],
  outdir,
  outExtension: { '.js': '.mjs' },
  chunkNames: 'parts/[name]-[hash]',
  minify: true,
  legalComments: 'inline',
  logLevel: 'warning',
});

// Only what is written counts, not what was read: the MCP client's index also names parts for browsers and sign-in.
const written = Object.values(result.metafile.outputs).flatMap(({ inputs }) =>
  Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0),
);
const foreign = [...new Set(written)].filter((input) => !ALLOWED.some((prefix) => input.startsWith(prefix)));
if (foreign.length > 0) {
  console.error(`the runner bundle must not contain:\n${foreign.map((input) => `  ${input}`).join('\n')}`);
  process.exit(1);
}
// The entry last: a sandbox that starts meanwhile finds the old program or the new one.
const files = result.outputFiles.toSorted(
  (a, b) => Number(a.path.endsWith('main.mjs')) - Number(b.path.endsWith('main.mjs')),
);
for (const file of files) await replaceFile(file.path, file.contents);
// The settings of agent programs, which stand read-only in the sandboxes of their runs.
await cp(path.join(root, 'src/runner/harness/codex/managed'), path.join(outdir, 'codex'), { recursive: true });
// Parts of earlier builds; running sandboxes have a copy of theirs.
const current = new Set(files.map((file) => path.basename(file.path)));
for (const name of await readdir(path.join(outdir, 'parts'))) {
  if (!current.has(name)) await rm(path.join(outdir, 'parts', name));
}
