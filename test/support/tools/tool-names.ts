/** Tools that most runs use, in every list of tools that tests draw from. */
export const EVERYDAY_TOOLS = ['Bash', 'Read', 'Write', 'Edit', 'MultiEdit', 'Grep'];
