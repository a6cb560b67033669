import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Public, SecureApp } from '@sallyport/secure';
import { createMcpServer, memoryMcpStore, mountMcp } from '../src/index.js';
import { LATEST, SECRET, statelessHeaders, statelessMessage, toEvent } from './support/rig.js';

const CALLS = 2000;
const MIB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** One function that lives long. Its store is small, so that what it holds is not what grows. */
function createFunction() {
  const store = memoryMcpStore({ maxRows: 100 });
  const server = createMcpServer({ name: 'asking', version: '1.0.0', store, secret: SECRET });
  server.tool('ask', { asks: ['elicitation'] }, async ({ text }, ctx) => {
    const kept = String(text).repeat(2);
    const { action } = await ctx.elicit({ message: 'Go on?' });
    return `${kept} ${action}`;
  });
  const app = new SecureApp({ log: false });
  mountMcp(app, server, { posture: Public() });
  return async (message: object, headers: Readonly<Record<string, string>>) => {
    const answer = (await app.handleLambda(toEvent('POST', JSON.stringify(message), { headers }), {})) as {
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    };
    return answer;
  };
}

const args = (call: number) => ({ name: 'ask', arguments: { text: `${call}`.padEnd(1000, '.') } });

/** Calls with questions that are never answered. */
const ERAS: Readonly<Record<string, () => (call: number) => Promise<string>>> = {
  stateless() {
    const post = createFunction();
    return async (call) => {
      const params = args(call);
      const message = statelessMessage(call, 'tools/call', params, { elicitation: {} });
      return (await post(message, statelessHeaders('tools/call', params))).body;
    };
  },
  session() {
    const post = createFunction();
    let session = '';
    return async (call) => {
      if (call % 10 === 0) {
        const params = {
          protocolVersion: LATEST,
          capabilities: { elicitation: {} },
          clientInfo: { name: 'c', version: '1' },
        };
        const { headers } = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, {});
        session = headers['mcp-session-id'] ?? '';
      }
      const message = { jsonrpc: '2.0', id: call, method: 'tools/call', params: args(call) };
      return (await post(message, { 'mcp-session-id': session, 'mcp-protocol-version': LATEST })).body;
    };
  },
};

describe('a function whose questions are not answered', () => {
  it.each(Object.keys(ERAS))('keeps no memory after two thousand calls of the %s era', async (era) => {
    const call = (ERAS[era] as (typeof ERAS)[string])();
    const heapAfter = async (from: number, to: number) => {
      let asked = 0;
      for (let index = from; index < to; index += 1) asked += Number((await call(index)).includes('Go on?'));
      expect(asked).toBe(to - from);
      collect();
      await new Promise((resolve) => setImmediate(resolve));
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await heapAfter(0, 1000);
    const after = await heapAfter(1000, 1000 + CALLS);
    expect((after - before) / MIB).toBeLessThan(1);
  });
});
