import { ManualClock } from '@sallyport/core/testing';
import { type McpServer, type McpStore, memoryMcpStore } from '../src/index.js';
import { parseSse, Rig, type RigOptions, type Sent, type SseEvent } from './support/rig.js';

/** One process that serves one request, until it is killed. What it does afterwards, it does not do. */
class Instance {
  readonly killed: Promise<void>;
  isDead = false;
  #kill: () => void = () => {};

  constructor() {
    this.killed = new Promise((resolve) => {
      this.#kill = resolve;
    });
  }

  kill(): Promise<never> {
    this.isDead = true;
    this.#kill();
    return new Promise(() => {});
  }

  /** Work that a dead process does not do any more. */
  async live<T>(work: () => T | Promise<T>): Promise<T> {
    return this.isDead ? new Promise<never>(() => {}) : work();
  }
}

interface Death {
  /** The store call of the whole scenario at which its process is killed; the first is 0. */
  readonly at: number;
  readonly when: 'before' | 'after';
}

/** Functions that share a store. The process that makes one certain call to it is killed before or after the store has applied it. */
class MortalRig extends Rig {
  readonly effects: string[] = [];
  readonly carriedOut: string[] = [];
  /** Calls to the store since the client has connected. */
  calls = Number.NEGATIVE_INFINITY;
  instance = new Instance();
  readonly #death: Death | undefined;

  constructor(options: RigOptions, death?: Death) {
    super(options);
    this.#death = death;
  }

  override server(store: McpStore | undefined = this.store): McpServer {
    const instance = new Instance();
    this.instance = instance;
    const server = super.server(store && this.#mortal(store, instance));
    register(server, this, instance);
    return server;
  }

  #mortal(store: McpStore, instance: Instance): McpStore {
    const call = async <T>(method: () => Promise<T>): Promise<T> => {
      if (instance.isDead) return instance.kill();
      const at = this.calls;
      this.calls += 1;
      const dies = at === this.#death?.at ? this.#death.when : undefined;
      if (dies === 'before') return instance.kill();
      const result = await method();
      return dies === 'after' ? instance.kill() : result;
    };
    return {
      get: (key) => call(() => store.get(key)),
      put: (row, when) => call(() => store.put(row, when)),
      take: (key) => call(() => store.take(key)),
      list: (partition, after, limit) => call(() => store.list(partition, after, limit)),
    };
  }
}

/** A tool that moves money, with a question in the middle. */
function register(server: McpServer, { effects, carriedOut }: MortalRig, instance: Instance): void {
  server.tool('order', { asks: ['elicitation'] }, async (_, ctx) => {
    ctx.log('info', 'ordering');
    const effect = (name: string) => () => instance.live(() => effects.push(name));
    await ctx.step('reserve', effect('reserve'));
    const pay = await ctx.elicit({ message: 'Pay 10?' }, 'pay');
    await ctx.step('pay', effect('pay'));
    ctx.log('info', 'paid');
    const ship = await ctx.elicit({ message: 'Ship to Bonn?' }, 'ship');
    await instance.live(() => carriedOut.push(`Pay 10? ${pay.action}`, `Ship to Bonn? ${ship.action}`));
    return 'ordered';
  });
}

/** The part of a response that was received before its connection broke, if it did. */
interface Reply {
  readonly status: number | 'broken';
  readonly events: readonly SseEvent[];
  readonly result?: string;
}

async function send(rig: MortalRig, method: string, body: object | undefined, sent: Sent): Promise<Reply> {
  const opening = rig.open(method, body ? JSON.stringify(body) : '', sent);
  const { instance } = rig;
  const broken = instance.killed.then(() => 'broken' as const);
  const opened = await Promise.race([opening, broken]);
  if (opened === 'broken') return { status: 'broken', events: [] };
  const iterator = toIterator(opened.body);
  let text = '';
  for (;;) {
    const chunk = await Promise.race([iterator.next(), broken]);
    if (chunk === 'broken') return { status: 'broken', ...toReply(text) };
    if (chunk.done) return { status: opened.status, ...toReply(text) };
    text += Buffer.from(chunk.value).toString('utf8');
  }
}

function toIterator(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterator<Uint8Array> {
  return (async function* () {
    yield* body;
  })();
}

function toReply(text: string): Pick<Reply, 'events' | 'result'> {
  const whole = text.slice(0, text.lastIndexOf('\n\n') + 2);
  const events = text.startsWith('{') ? [{ data: JSON.parse(text) }] : parseSse(whole);
  const last = events.find(({ data }) => data?.result ?? data?.error)?.data;
  const result = last?.result?.content[0].text ?? last?.error?.message;
  return result === undefined ? { events } : { events, result };
}

/** A client with a patient user: it answers each question after it was shown, repeats a broken answer, and reconnects. */
async function play(
  rig: MortalRig,
  clock: ManualClock,
  awayMs: number,
): Promise<{ end: string; shown: string[]; answers: number }> {
  const session = await rig.connect();
  rig.calls = 0;
  const sent = session.sent();
  const shown = new Map<string, string>();
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'order' } };
  let reply = await send(rig, 'POST', call, sent);
  let lastId = '';
  for (let turn = 0; turn < 400; turn += 1) {
    lastId = reply.events.findLast(({ id }) => id !== undefined)?.id ?? lastId;
    const answers = reply.events.filter(({ data }) => data?.result ?? data?.error).length;
    if (reply.result !== undefined) return { end: reply.result, shown: [...shown.values()], answers };
    if (reply.status === 405) return { end: 'nothing more', shown: [...shown.values()], answers };
    for (const { data } of reply.events) {
      if (data?.method !== 'elicitation/create' || shown.has(data.id)) continue;
      shown.set(data.id, data.params.message);
      const answer = { jsonrpc: '2.0', id: data.id, result: { action: 'accept', content: {} } };
      const taken = await send(rig, 'POST', answer, sent);
      if (taken.status === 'broken') await send(rig, 'POST', answer, sent);
    }
    if (lastId === '') return { end: 'connection lost', shown: [...shown.values()], answers };
    clock.tick(Math.max(awayMs, reply.events.at(-1)?.retry ?? 1000));
    reply = await send(rig, 'GET', undefined, {
      headers: { ...sent.headers, accept: 'text/event-stream', 'last-event-id': lastId },
    });
  }
  return { end: 'never', shown: [...shown.values()], answers: 0 };
}

/** Moves the time of waits inside requests along with everything else. */
async function played({ streaming, whileWaiting }: Door, death?: Death, awayMs = 0) {
  const clock = new ManualClock(1_700_000_000_000);
  const server = { resumeWaitMs: 0, whileWaiting, store: memoryMcpStore({ clock }) };
  const rig = new MortalRig({ clock, streaming, server }, death);
  const playing = play(rig, clock, awayMs);
  let over = false;
  void playing.finally(() => {
    over = true;
  });
  for (let turn = 0; turn < 20_000 && !over; turn += 1) await clock.advance(50);
  return { rig, ...(await playing) };
}

interface Door {
  readonly streaming: boolean;
  readonly whileWaiting: 'auto' | 'park';
  /** The part of the kills after which the call still gets its result: a process that holds a question is killed with its call. */
  readonly completed: number;
}

describe.each<[string, Door]>([
  ['buffered door', { streaming: false, whileWaiting: 'auto', completed: 1 / 3 }],
  ['streaming door that parks', { streaming: true, whileWaiting: 'park', completed: 1 / 3 }],
  ['streaming door that holds', { streaming: true, whileWaiting: 'auto', completed: 1 / 5 }],
])('a call with two steps and two questions at a %s', (_, door) => {
  it('is executed', async () => {
    const { rig, end, shown } = await played(door);
    expect([end, shown]).toEqual(['ordered', ['Pay 10?', 'Ship to Bonn?']]);
    expect(rig.effects).toEqual(['reserve', 'pay']);
    expect(rig.carriedOut).toEqual(['Pay 10? accept', 'Ship to Bonn? accept']);
    expect(rig.violations).toEqual([]);
  });

  it.each([
    ['before', 0],
    ['after', 0],
    // Longer than the lease of a run: the run is lost when the client reconnects.
    ['after', 40_000],
  ] as const)(
    'whose process is killed %s any call to the store: nothing happens twice, and the client, away for %d ms, receives the result or an error',
    async (when, awayMs) => {
      const { rig: whole } = await played(door);
      const ends: Record<string, number> = {};
      for (let at = 0; at < whole.calls; at += 1) {
        const { rig, end, shown, answers } = await played(door, { at, when }, awayMs);
        ends[end] = (ends[end] ?? 0) + 1;
        const place = `killed ${when} call ${at} of ${whole.calls}, end: ${end}`;
        expect([place, rig.effects]).toEqual([place, [...new Set(rig.effects)]]);
        expect([place, ['ordered', 'Interrupted', 'connection lost']]).toEqual([place, expect.arrayContaining([end])]);
        expect([place, answers]).toEqual([place, end === 'connection lost' ? 0 : 1]);
        expect([place, ...shown]).toEqual(
          expect.arrayContaining(rig.carriedOut.map((text) => text.replace(' accept', ''))),
        );
        if (end === 'ordered') expect([place, rig.effects]).toEqual([place, ['reserve', 'pay']]);
        if (end !== 'ordered') expect([place, shown.length < 2 || rig.carriedOut.length <= 2]).toEqual([place, true]);
        // A client with a question has an id, and a client with an id gets the end of the call.
        if (end === 'connection lost') expect([place, shown]).toEqual([place, []]);
      }
      expect(ends.ordered).toBeGreaterThan(whole.calls * door.completed);
    },
  );
});
