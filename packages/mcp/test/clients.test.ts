import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { createJudgedServer } from '../judge/fixtures.js';
import { memoryMcpStore } from '../src/index.js';
import { Rig } from './support/rig.js';

const URL_ = new URL('http://localhost/mcp');
const INFO = { name: 'official', version: '1.0.0' };
const CAPABILITIES = { sampling: {}, elicitation: {}, roots: {} };
const SAMPLE = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'sampled' } };
const ELICIT = {
  action: 'accept' as const,
  content: { username: 'ada', email: 'a@example.com', name: 'Ada', color: 'blue' },
};
const ROOTS = { roots: [{ uri: 'file:///root', name: 'root' }] };

/** The judged server in process; every request meets a fresh engine. */
class JudgedRig extends Rig {
  override server(store = this.store) {
    return createJudgedServer(store ?? memoryMcpStore(), () => {});
  }
}

interface Official {
  readonly rig: JudgedRig;
  readonly callTool: (name: string, args?: object, onProgress?: (progress: number) => void) => Promise<unknown>;
  readonly listTools: () => Promise<{ tools: readonly { name: string }[] }>;
  readonly terminate: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function sdk1(streaming: boolean): Promise<Official> {
  const rig = new JudgedRig({ streaming });
  const client = new Client1(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLE);
  client.setRequestHandler(ElicitRequestSchema, () => ELICIT);
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  const transport = new Transport1(URL_, { fetch: rig.fetch });
  await client.connect(transport);
  return {
    rig,
    callTool: (name, args = {}, onProgress) =>
      client.callTool(
        { name, arguments: { ...args } },
        undefined,
        onProgress ? { onprogress: ({ progress }) => onProgress(progress) } : {},
      ),
    listTools: () => client.listTools(),
    terminate: () => transport.terminateSession(),
    close: () => client.close(),
  };
}

type Mode = 'auto' | 'legacy' | { pin: string };

const sdk2 = (mode: Mode) =>
  async function connect(streaming: boolean): Promise<Official> {
    const rig = new JudgedRig({ streaming });
    const client = new Client2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } });
    client.setRequestHandler('sampling/createMessage', () => SAMPLE);
    client.setRequestHandler('elicitation/create', () => ELICIT);
    client.setRequestHandler('roots/list', () => ROOTS);
    const transport = new Transport2(URL_, { fetch: rig.fetch });
    await client.connect(transport);
    return {
      rig,
      callTool: (name, args = {}, onProgress) =>
        client.callTool(
          { name, arguments: { ...args } },
          onProgress ? { onprogress: ({ progress }) => onProgress(progress) } : {},
        ),
      listTools: () => client.listTools(),
      terminate: () => transport.terminateSession(),
      close: () => client.close(),
    };
  };

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content.map(({ text }) => text).join();

describe.each([
  ['SDK 1.x', sdk1, true],
  ['SDK 2.x, legacy', sdk2('legacy'), true],
  ['SDK 2.x, auto', sdk2('auto'), false],
  ['SDK 2.x, pinned', sdk2({ pin: '2026-07-28' }), false],
])('%s', (_, connect, hasSessions) => {
  describe.each([
    ['buffered', false],
    ['streaming', true],
  ])('at a %s door', (__, streaming) => {
    let official: Official;

    beforeEach(async () => {
      official = await connect(streaming);
    });
    afterEach(async () => {
      await official.close();
      expect(official.rig.violations).toEqual([]);
    });

    it('lists and calls', async () => {
      expect((await official.listTools()).tools.map(({ name }) => name)).toContain('test_simple_text');
      expect(textOf(await official.callTool('test_simple_text'))).toBe('This is a simple text response for testing.');
    });

    it('gets progress', async () => {
      const seen: number[] = [];
      await official.callTool('test_tool_with_progress', {}, (progress) => seen.push(progress));
      expect(seen).toEqual([0, 50, 100]);
    });

    it('is asked for a person', async () => {
      expect(textOf(await official.callTool('test_elicitation', { message: 'Who?' }))).toContain('"username":"ada"');
    });

    it('is asked for a model', async () => {
      expect(textOf(await official.callTool('test_sampling', { prompt: 'Hi' }))).toBe('LLM response: sampled');
    });

    it('is asked three things at once', async () => {
      expect(textOf(await official.callTool('test_input_required_result_multiple_inputs'))).toContain('Ada 1');
    });

    it('is asked twice', async () => {
      expect(textOf(await official.callTool('test_input_required_result_multi_round'))).toBe('Ada likes blue.');
    });

    it('comes back to a closed stream', async () => {
      expect(textOf(await official.callTool('test_reconnection'))).toBe('Reconnection test completed successfully');
    });

    it('ends its session', async () => {
      await official.terminate();
      const deletes = official.rig.fetched.filter(({ method }) => method === 'DELETE');
      expect(deletes).toEqual(hasSessions ? [{ method: 'DELETE', status: 200 }] : []);
    });

    it('looks for a stream once', async () => {
      await official.callTool('test_simple_text');
      const gets = official.rig.fetched.filter(({ method }) => method === 'GET');
      expect(gets.length).toBe(hasSessions ? 1 : 0);
    });
  });
});
