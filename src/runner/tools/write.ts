import { defineTool } from './canonical-tool.js';
import { writeText } from './file-text.js';

export const writeTool = defineTool({
  name: 'Write',
  description:
    'Writes a file in the workspace, replacing what it held and creating missing folders. Prefer Edit for changes.',
  fields: {
    file_path: { type: 'string', description: 'Path of the file, absolute or relative to /workspace', minLength: 1 },
    content: { type: 'string', description: 'The whole new content' },
  },
  run: async (input, { workspace }) => {
    const { realPath, bytes } = await writeText(workspace, input.file_path, input.content);
    return { text: `wrote ${bytes} bytes to ${realPath}`, isError: false, note: `wrote ${bytes} bytes` };
  },
});
