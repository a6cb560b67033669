import { registerCopy } from '@sallyport/core/internal';
import { toToolSchema } from '../src/agentcore.js';
import { createMcpServer, McpToolError } from '../src/index.js';
import type * as Cores from '../src/server/internal/server-data.js';
import { serverDataOf } from '../src/server/internal/server-data.js';

const OTHER = '../src/server/internal/server-data.js?copy=2';
const other = (await import(OTHER)) as typeof Cores;

// In Jest both evaluations of a module have the same file path.
registerCopy('@sallyport/mcp', '9.9.9', Object.assign(new Error(), { stack: 'Error\n    at /app/other.js:1:2' }));

it('rejects a server of another copy of the package, and names the copies', () => {
  const server = {};
  other.keepServerData(server, other.createServerData({ name: 's', version: '1' } as never));
  expect(() => toToolSchema(server as never)).toThrow(
    expect.objectContaining({
      code: 'app.internal',
      cause: expect.objectContaining({ message: expect.stringContaining('two copies of @sallyport/mcp: ') }),
    }),
  );
  expect(serverDataOf(createMcpServer({ name: 's', version: '1' }))).toBeDefined();
  expect(serverDataOf({})).toBeUndefined();
});

it('recognizes an error for the client of any copy', () => {
  const foreign = Object.create({ [Symbol.for('sallyport.McpToolError/1')]: true });
  expect([foreign instanceof McpToolError, {} instanceof McpToolError]).toEqual([true, false]);
});
