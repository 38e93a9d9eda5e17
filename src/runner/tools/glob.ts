import { defineTool } from './canonical-tool.js';
import { compileGlob } from './glob-pattern.js';
import { cutNotice, openSearch } from './search-scope.js';

const MAX_RESULTS = 1_000;

export const globTool = defineTool({
  name: 'Glob',
  description:
    'Lists files of the workspace whose path matches a pattern such as **/*.ts or src/{a,b}/*.js, sorted by name. A pattern ' +
    'without / matches file names at any depth. .git and node_modules are left out unless named; links are not followed.',
  fields: {
    pattern: { type: 'string', description: 'The pattern, relative to path', minLength: 1 },
    path: { type: 'string', description: 'Folder to search; the workspace when absent', minLength: 1, optional: true },
  },
  run: async (input, { workspace, signal }) => {
    const matches = compileGlob(input.pattern);
    await using scope = await openSearch(workspace, input.path ?? '.', input.pattern, signal);
    const found: string[] = [];
    let tooMany: string | null = null;
    for await (const file of scope.walk.files()) {
      if (!matches(file.relativePath)) continue;
      if (found.length === MAX_RESULTS) {
        tooMany = `the limit of ${MAX_RESULTS} files`;
        break;
      }
      found.push(`${scope.realPath}/${file.relativePath}`);
    }
    const list = found.length === 0 ? 'no file matches' : found.join('\n');
    return { text: list + cutNotice(scope.walk, tooMany), isError: false, note: `found ${found.length} files` };
  },
});
