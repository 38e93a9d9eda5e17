/** What the command line does with tool packages in the state folder of this machine. */
export { describeTool } from './describe-tool.js';
export { installTool, removeTool } from '../platform/packages/tools/install-tool.js';
export { listInstalled, type InstalledTool } from '../platform/packages/tools/tool-folder.js';
