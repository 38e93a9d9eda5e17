/** What the command line does with tool packages in the state folder of this machine. */
export { describeTool } from '../platform/tool-packages/describe-tool.js';
export { installTool, removeTool } from '../platform/tool-packages/install-tool.js';
export { listInstalled, type InstalledTool } from '../platform/tool-packages/tool-folder.js';
