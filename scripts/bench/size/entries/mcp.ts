import { createMcpServer } from '@sallyport/mcp';

const server = createMcpServer({ name: 'hello', version: '1.0.0' });
server.tool('hello', { description: 'Says hello.' }, () => 'hello');

export const handler = server.handler;
