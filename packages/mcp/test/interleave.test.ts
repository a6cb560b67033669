import { memoryMcpStore } from '../src/index.js';
import { Rig } from './support/rig.js';

describe('interleaved invocations', () => {
  it('of twenty principals in both eras share nothing', async () => {
    const gates: (() => void)[] = [];
    const rig = new Rig({
      register: (server) =>
        server.tool('t', { asks: ['elicitation'] }, async (args, ctx) => {
          ctx.log('info', `log ${args.n}`);
          await new Promise<void>((resolve) => gates.push(resolve));
          const answer = await ctx.elicit({ message: `ask ${args.n}` }, 'k');
          return `${ctx.principal?.identity} ${ctx.tenantId} ${args.n} ${answer.content?.n}`;
        }),
    });
    const users = Array.from({ length: 20 }, (_, n) => `external/user-${n}/tenant-${n}`);
    const capabilities = { elicitation: {} };
    const released = async () => {
      for (let turn = 0; gates.length < 20 && turn < 1_000_000; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
      for (const release of gates.splice(0).reverse()) release();
    };
    const meta = { 'io.modelcontextprotocol/logLevel': 'info' };
    const run = async (user: string, n: number): Promise<string> => {
      const mine = `user-${n} tenant-${n} ${n} ${n}`;
      if (n % 2 === 0) {
        const session = await rig.connect({ user, capabilities });
        const first = await session.call('t', { n }, { user });
        expect(first.events.map(({ data }) => data?.params?.data ?? data?.params?.message)).toEqual([
          undefined,
          `log ${n}`,
          `ask ${n}`,
          undefined,
        ]);
        await session.answer(first.events[2]?.data.id, { action: 'accept', content: { n } }, { user });
        const rest = await session.resume(first.events[2]?.id ?? '', { user });
        expect(rest.text).toContain(mine);
        return rest.text;
      }
      const params = { name: 't', arguments: { n } };
      const first = await rig.stateless('tools/call', params, { user, capabilities, meta });
      expect(first.events[0]?.data.params.data).toBe(`log ${n}`);
      const inputResponses = { k: { action: 'accept', content: { n } } };
      const rest = await rig.stateless('tools/call', { ...params, inputResponses }, { user, capabilities, meta });
      expect(rest.text).toContain(mine);
      return rest.text;
    };
    // The test runner cannot load one module twice at the same time.
    await rig.stateless('server/discover');
    await (await rig.connect()).request('ping');
    const running = Promise.all(users.map(run));
    await released();
    await released();
    const texts = await running;
    for (const [n, text] of texts.entries()) {
      const others = [...text.matchAll(/user-(\d+)/g)].map(([, other]) => Number(other));
      expect(new Set(others)).toEqual(new Set([n]));
    }
    expect(rig.violations).toEqual([]);
  });

  it('of one server object share nothing either', async () => {
    const rig = new Rig();
    const server = rig.server(memoryMcpStore());
    server.tool('who', {}, async (_, ctx) => {
      const before = ctx.principal?.identity;
      await new Promise((resolve) => setImmediate(resolve));
      return `${before} ${ctx.principal?.identity}`;
    });
    const shared = new (class extends Rig {
      override server() {
        return server;
      }
    })({ server: { store: null } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        shared.stateless('tools/call', { name: 'who' }, { user: `user-${n}`, id: n }),
      ),
    );
    expect(answers.map(({ json }) => [json.id, json.result.content[0].text])).toEqual(
      Array.from({ length: 20 }, (_, n) => [n, `user-${n} user-${n}`]),
    );
  });
});
