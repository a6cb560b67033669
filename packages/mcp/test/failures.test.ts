import { createLogger } from '@sallyport/core/observability';
import { McpToolError } from '@sallyport/mcp';
import { Rig } from './support/rig.js';

type Line = Readonly<Record<string, unknown>>;

/** The answers to a tool that throws, in both eras, and the error lines of each. */
async function callThrowing(thrown: unknown) {
  const lines: Line[] = [];
  const rig = new Rig({
    register: (server) =>
      server.tool('fail', {}, () => {
        throw thrown;
      }),
    log: createLogger({ environment: {}, write: (line) => lines.push(JSON.parse(line) as Line) }),
  });
  const session = await (await rig.connect()).call('fail');
  const inSession = lines.splice(0).filter(({ level }) => level === 'ERROR');
  const stateless = await rig.stateless('tools/call', { name: 'fail', arguments: {} });
  return [
    { text: session.json.result.content[0].text as string, lines: inSession },
    { text: stateless.json.result.content[0].text as string, lines: lines.filter(({ level }) => level === 'ERROR') },
  ];
}

describe('a tool that fails', () => {
  it.each([
    ['an error', new TypeError('password=hunter2', { cause: new Error('disk') }), 'TypeError'],
    ['null', null, 'NonError'],
    ['nothing', undefined, 'NonError'],
    ['a revoked proxy', revoked(), 'NonError'],
  ])('with %s is one error line with its route and request, and a fixed text', async (_, thrown, name) => {
    for (const { text, lines } of await callThrowing(thrown)) {
      expect(text).toMatch(/^Tool failed \(request .+\)$/);
      expect(lines).toMatchObject([
        { message: 'mcp.handler_failed', route: '/mcp', request_id: expect.stringMatching(/./), error: { name } },
      ]);
      expect(JSON.stringify(lines)).not.toContain('hunter2');
    }
  });

  it('with a message for the client writes no error line', async () => {
    for (const { text, lines } of await callThrowing(new McpToolError('No such note.'))) {
      expect([text, lines]).toEqual(['No such note.', []]);
    }
  });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
