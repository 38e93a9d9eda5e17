import { describe, expect, it } from '@jest/globals';
import { canonicalResource } from './canonical-resource.js';

describe('the canonical spelling of a resource', () => {
  it.each([
    ['HTTPS://MCP.Example.com:443/Mcp/', 'https://mcp.example.com/Mcp'],
    ['https://mcp.example.com/', 'https://mcp.example.com'],
    ['https://mcp.example.com', 'https://mcp.example.com'],
    ['https://mcp.example.com:8443/a/b?c=d#e', 'https://mcp.example.com:8443/a/b'],
    ['http://127.0.0.1:80/mcp//', 'http://127.0.0.1/mcp'],
  ])('of %s is %s', (url, canonical) => {
    expect(canonicalResource(url)).toBe(canonical);
    expect(canonicalResource(canonical)).toBe(canonical);
  });

  it('does not exist for what is no URL', () => {
    expect(() => canonicalResource('/mcp')).toThrow(/Invalid URL/);
  });
});
