import { defineTool } from './canonical-tool.js';
import { readText, writeText } from './file-text.js';
import { ToolFailure } from './tool-failure.js';

export const editTool = defineTool({
  name: 'Edit',
  description:
    'Replaces text in a file of the workspace. old_string must be copied exactly, white space included and without line ' +
    'numbers, and must occur exactly once unless replace_all is true.',
  fields: {
    file_path: { type: 'string', description: 'Path of the file, absolute or relative to /workspace', minLength: 1 },
    old_string: { type: 'string', description: 'The text to replace', minLength: 1 },
    new_string: { type: 'string', description: 'The text to put in its place' },
    replace_all: { type: 'boolean', description: 'Replace every occurrence', optional: true },
  },
  run: async (input, { workspace }) => {
    const { text, realPath } = await readText(workspace, input.file_path);
    const parts = text.split(input.old_string);
    const count = parts.length - 1;
    if (count === 0) throw new ToolFailure(`old_string does not occur in ${realPath}`);
    if (count > 1 && input.replace_all !== true) {
      throw new ToolFailure(
        `old_string occurs ${count} times in ${realPath}; give more of its surroundings or set replace_all`,
      );
    }
    await writeText(workspace, input.file_path, parts.join(input.new_string));
    const note = `replaced ${count} ${count === 1 ? 'occurrence' : 'occurrences'}`;
    return { text: `${note} in ${realPath}`, isError: false, note };
  },
});
