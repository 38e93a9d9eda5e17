import { describe, expect, it } from '@jest/globals';
import { isMcpName, parseMcpName } from './mcp-name.js';
import { summarize } from './summary.js';
import { pathsOf } from './tool-input.js';
import { CANONICAL_TOOLS, toolGroup } from './vocabulary.js';

describe('tool vocabulary', () => {
  it('holds each canonical name once, with a group', () => {
    const names = CANONICAL_TOOLS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect([names[0], names.at(-1)]).toEqual(['Read', 'ExitWorktree']);
    expect([toolGroup('Bash'), toolGroup('DesignSync'), toolGroup('Nope')]).toEqual(['shell', 'web', null]);
  });
});

describe('MCP names', () => {
  it.each([
    ['mcp__kb__find', 'kb', 'find'],
    ['mcp__kb__a_b__c', 'kb', 'a_b__c'],
    ['mcp__a_b__c', 'a_b', 'c'],
  ])('parses %s', (name, server, tool) => {
    expect(parseMcpName(name)).toEqual({ server, tool });
  });

  it.each(['mcp__', 'mcp__kb', 'mcp____t', 'mcp__s__', 'MCP__kb__x', 'Bash'])('does not parse %s', (name) => {
    expect(parseMcpName(name)).toBeNull();
  });

  it('counts by a lower-case start alone', () => {
    expect([isMcpName('mcp__'), isMcpName('MCP__kb__x')]).toEqual([true, false]);
  });
});

describe('what is read of an input', () => {
  it('collects the named members, then every edit', () => {
    const input = {
      path: 'b',
      file_path: 'a',
      notebook_path: 3,
      filePath: 'c',
      edits: [{ file_path: 'd' }, { file_path: 4 }, 'e'],
    };
    expect(pathsOf(input)).toEqual(['a', 'b', 'c', 'd']);
    expect(pathsOf(null)).toEqual([]);
  });
});

describe('summary line', () => {
  it.each([
    ['Bash', { command: 'ls' }, 'ls'],
    ['Bash', { command: 'x'.repeat(300) }, 'x'.repeat(200)],
    ['MultiEdit', { edits: [{ file_path: 'a' }, { file_path: 'b' }], file_path: 'c' }, 'MultiEdit: a, b'],
    ['Read', { path: 'b', file_path: 'a' }, 'Read: a'],
    ['Grep', { pattern: 'x' }, 'Grep: x'],
    ['Read', { file_path: 4 }, 'Read'],
    ['Read', undefined, 'Read'],
  ])('%s %j', (tool, input, expected) => {
    expect(summarize(tool, input)).toBe(expected);
  });

  it('never cuts a character in two', () => {
    expect(summarize('Bash', { command: '😀'.repeat(250) })).toBe('😀'.repeat(200));
  });
});
