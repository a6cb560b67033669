import { type McpServer, McpToolError } from '../../src/index.js';

const NUMBERS = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
};

/** One of everything. */
export function registerAll(server: McpServer): void {
  server.tool('echo', { description: 'Answers with its arguments.' }, (args) => JSON.stringify(args));
  server.tool('add', { input: NUMBERS, output: { type: 'object', required: ['sum'] } }, ({ a, b }) => ({
    structured: { sum: Number(a) + Number(b) },
  }));
  server.tool('fail', {}, () => {
    throw new Error('hunter2 is the password');
  });
  server.tool('refuse', {}, () => {
    throw new McpToolError('No such note.');
  });
  server.tool('report', {}, (_, ctx) => {
    ctx.progress(1, 2, 'half');
    ctx.log('info', { at: 'half' }, 'reporter');
    return 'reported';
  });
  server.tool('scoped', { scopes: ['notes:write'] }, () => 'written');
  server.tool('sampler', { requires: ['sampling'] }, () => 'sampled');
  server.tool('ask', { asks: ['elicitation'] }, async (_, ctx) => {
    const answer = await ctx.elicit({
      message: 'Name?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    return `${answer.action} ${JSON.stringify(answer.content ?? null)}`;
  });
  server.tool('ask-model', { asks: ['sampling'] }, async (_, ctx) => {
    const answer = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
      maxTokens: 5,
    });
    return answer.model;
  });
  server.resource('notes://index', { name: 'index', mimeType: 'text/plain' }, () => 'all notes');
  server.resource('notes://broken', { name: 'broken' }, () => {
    throw new Error('hunter2 is the password');
  });
  server.resourceTemplate('notes://{id}/text', { name: 'note', complete: { id: ['7', '71', '8'] } }, ({ id }) => {
    return id === 'gone' ? undefined : `note ${id}`;
  });
  server.prompt(
    'greet',
    { args: { name: { required: true, complete: ['Ada', 'Alan'] } } },
    ({ name }) => `Greet ${name}.`,
  );
}
