import { ManualClock } from '@sallyport/core/testing';
import { type ElicitParams, type McpServer, type McpStore, memoryMcpStore } from '../src/index.js';
import { away } from './support/failing-store.js';
import { parseSse, Rig, type SseEvent } from './support/rig.js';

const MINUTE = 60_000;
const CALL_EVERY_MS = 60_000;
const CALLS = 120;
const form = (message: string): ElicitParams => ({
  message,
  requestedSchema: { type: 'object', properties: { v: { type: 'string' } }, required: ['v'] },
});

/** A sequence of numbers from 0 to 1 that is the same in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A store of which every sixth write is applied and its reply is lost. */
function losing(store: McpStore, random: () => number): McpStore & { lost: number } {
  const lossy = {
    lost: 0,
    get: store.get.bind(store),
    list: store.list.bind(store),
    take: store.take.bind(store),
    async put(...args: Parameters<McpStore['put']>) {
      const isPut = await store.put(...args);
      if (random() < 1 / 6) {
        lossy.lost += 1;
        throw away();
      }
      return isPut;
    },
  };
  return lossy;
}

it('two hours of held and parked questions with lost replies: no answers are lost, and no step runs twice', async () => {
  const clock = new ManualClock(1_700_000_000_000);
  const random = randomNumbers(34);
  const store = losing(memoryMcpStore({ clock }), random);
  const effects: string[] = [];
  const register = (server: McpServer) =>
    server.tool('order', { asks: ['elicitation'], input: { type: 'object' } }, async (args, ctx) => {
      const call = String(args.call);
      await ctx.step('reserve', () => effects.push(`${call} reserve`));
      const pay = await ctx.elicit(form('Pay?'), 'pay');
      await ctx.step('pay', () => effects.push(`${call} ${pay.content?.v}`));
      const [a, b] = await Promise.all([ctx.elicit(form('A?'), 'a'), ctx.elicit(form('B?'), 'b')]);
      return `${call} ${pay.content?.v} ${a.content?.v} ${b.content?.v}`;
    });
  const rig = new Rig({ register, streaming: true, clock, remainingMs: 5 * MINUTE, server: { store } });
  const session = await rig.connect();
  const sent = session.sent();
  const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const counts = { held: 0, parked: 0 };

  /** A client that shows each question once, answers it after the user's time, and resumes when the response ends. */
  async function order(call: number): Promise<string> {
    const shown = new Set<string>();
    let lastId = '';
    let result: string | undefined;
    const read = async (opening: ReturnType<Rig['open']>): Promise<void> => {
      let text = '';
      for await (const chunk of (await opening).body) {
        text += Buffer.from(chunk).toString('utf8');
        const whole = text.slice(0, text.lastIndexOf('\n\n') + 2);
        text = text.slice(whole.length);
        for (const event of parseSse(whole)) take(event);
      }
    };
    const take = ({ id, data }: SseEvent): void => {
      lastId = id ?? lastId;
      if (data?.result) result = data.result.content[0].text;
      if (data?.error) result = `error ${data.error.message}`;
      if (data?.method !== 'elicitation/create' || shown.has(data.id)) return;
      shown.add(data.id);
      const answer = { action: 'accept', content: { v: `${String(data.id).slice(13)}!` } };
      const userMs = random() < 0.5 ? random() * 10_000 : 16_000 + random() * 120_000;
      counts[userMs < 15_000 ? 'held' : 'parked'] += 1;
      void wait(userMs).then(() => session.answer(data.id, answer, { streaming: false }));
    };
    const params = { name: 'order', arguments: { call } };
    await read(rig.open('POST', JSON.stringify({ jsonrpc: '2.0', id: call, method: 'tools/call', params }), sent));
    for (let turn = 0; turn < 500 && result === undefined; turn += 1) {
      await wait(1000);
      await read(
        rig.open('GET', '', { headers: { ...sent.headers, accept: 'text/event-stream', 'last-event-id': lastId } }),
      );
    }
    return result ?? 'lost';
  }

  const ended: Promise<string>[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    ended.push(order(call));
    for (let passed = 0; passed < CALL_EVERY_MS; passed += 1000) await clock.advance(1000);
  }
  let isOver = false;
  const results = Promise.all(ended).finally(() => {
    isOver = true;
  });
  while (!isOver) await clock.advance(1000);
  expect(await results).toEqual(Array.from({ length: CALLS }, (_, call) => `${call} pay! a! b!`));
  expect(effects.toSorted()).toEqual(
    Array.from({ length: CALLS }, (_, call) => [`${call} reserve`, `${call} pay!`])
      .flat()
      .toSorted(),
  );
  expect([counts.held, counts.parked, store.lost].map((count) => count > 100)).toEqual([true, true, true]);
  expect(rig.violations).toEqual([]);
});
