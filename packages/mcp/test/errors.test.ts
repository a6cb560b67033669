import { McpToolError } from '../src/index.js';

describe('McpToolError', () => {
  it('is known across two copies of the package, in both directions', async () => {
    import.meta.jest.resetModules();
    const copy = await import('../src/index.js');
    expect(copy.McpToolError).not.toBe(McpToolError);
    expect(new copy.McpToolError('x') instanceof McpToolError).toBe(true);
    expect(new McpToolError('x') instanceof copy.McpToolError).toBe(true);
  });

  it.each([[null], ['McpToolError'], [{ code: 'mcp.tool_error' }], [new Error('x')]])('is not %p', (value) => {
    expect((value as object) instanceof McpToolError).toBe(false);
  });

  it('keeps instanceof of a subclass to the subclass', () => {
    class NoSuchNote extends McpToolError {}
    expect(new NoSuchNote('x')).toBeInstanceOf(McpToolError);
    expect(new McpToolError('x')).not.toBeInstanceOf(NoSuchNote);
  });
});
