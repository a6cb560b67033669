import { ManualClock } from '@sallyport/core/testing';
import { Optional, SecureApp } from '@sallyport/secure';
import { type McpServer, memoryMcpStore, mountMcp } from '../src/index.js';
import { type McpTaskEvent, mcpTasks } from '../src/tasks.js';
import { away, FAILURES, FailingStore, type Failure, LONG_FAILURES } from './support/failing-store.js';
import { type Answer, type Line, logTo, parseSse, Rig, readAll } from './support/rig.js';

const START = Date.UTC(2026, 0, 1);
const EXTENSIONS = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: {} };
const FORM = { type: 'object' as const, properties: { name: { type: 'string' } }, required: ['name'] };
const ADA = { action: 'accept', content: { name: 'Ada' } };

/** One service over a failing store, in a time that the test moves, and how often the end of its tools ran. */
class Service {
  readonly clock = new ManualClock(START);
  readonly store = new FailingStore(memoryMcpStore({ clock: this.clock }), this.clock);
  readonly lines: Line[] = [];
  readonly events: McpTaskEvent[] = [];
  readonly rig: Rig;
  ran = 0;
  begun = 0;
  /** Number of runs of the work before the question. */
  stepped = 0;
  slowMs = 30_000;
  /** Deliveries of task events, and what rejected ones were rejected with. */
  deliveries = 0;
  readonly rejected: unknown[] = [];

  constructor(public remainingMs = 60_000) {
    const { clock, store, lines, events } = this;
    this.rig = new Rig({
      ...{ clock, remainingMs, log: logTo(lines), register: (server) => this.#register(server) },
      server: { store, changes: true, resumeWaitMs: 0, tasks: { start: (event) => events.push(event) } },
    });
  }

  #register(server: McpServer): void {
    const end = () => {
      this.ran += 1;
      return 'done';
    };
    server.tool('run', { task: {} }, async () => {
      await this.wait(100);
      return end();
    });
    server.tool('slow', { task: {} }, async () => {
      this.begun += 1;
      const run = this.begun;
      await this.wait(this.slowMs);
      return `run ${run}`;
    });
    server.tool('long', {}, async () => {
      await this.wait(45_000);
      return end();
    });
    server.tool('ask', { asks: ['elicitation'] }, async (_, ctx) => {
      await ctx.step('before', () => {
        this.stepped += 1;
        return null;
      });
      const { content } = await ctx.elicit<{ name: string }>({ message: 'Name?', requestedSchema: FORM }, 'name');
      await this.wait(100);
      return `${content?.name} ${end()}`;
    });
    server.tool('askLater', { asks: ['elicitation'], task: {} }, async (_, ctx) => {
      const { content } = await ctx.elicit<{ name: string }>({ message: 'Name?', requestedSchema: FORM }, 'name');
      return `${content?.name} ${end()}`;
    });
    server.tool('askLarge', { asks: ['elicitation'] }, async (_, ctx) => {
      await ctx.step('large', () => 'x'.repeat(20_000));
      const { content } = await ctx.elicit<{ name: string }>({ message: 'Name?', requestedSchema: FORM }, 'name');
      return `${content?.name} ${end()}`;
    });
    server.tool('count', {}, async (_, ctx) => {
      for (let event = 1; event <= 3; event += 1) {
        await this.wait(300);
        ctx.progress(event, 3);
      }
      await this.wait(300);
      return end();
    });
    server.tool('later', { task: { at: 'closeStream' } }, async (_, ctx) => {
      await ctx.step('work', () => end());
      await ctx.closeStream();
      return 'later';
    });
    server.tool('close', {}, async (_, ctx) => {
      await ctx.closeStream();
      await this.wait(100);
      return end();
    });
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.after(ms, resolve));
  }

  /** A request of a client: a failure of the store is answered with 503, and the request is sent again. */
  async send(request: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await request();
      if (answer.status !== 503 || attempt > 100) return answer;
      // Without `expect`, because there are thousands of answers.
      if (answer.json.error.code !== 'mcp.store') throw new Error(answer.text);
      await this.wait(500);
    }
  }

  /** Delivers the events so far as Lambda does: a failed event twice more, after one minute and after two. */
  async deliver(events = this.events.splice(0)): Promise<void> {
    for (const event of events) {
      for (const waitMs of [0, 60_000, 120_000]) {
        await this.wait(waitMs);
        try {
          await this.deliverOnce(event);
          break;
        } catch (error) {
          this.rejected.push(error);
        }
      }
    }
  }

  async deliverOnce(event: McpTaskEvent | undefined, awsRequestId = 'task-run'): Promise<void> {
    this.deliveries += 1;
    const { clock, remainingMs, lines } = this;
    const server = this.rig.server();
    const app = new SecureApp({
      clock,
      log: logTo(lines),
      surfaces: [mcpTasks(server)],
      principalResolver: () => null,
    });
    mountMcp(app, server, { posture: Optional() });
    const started = clock.now().getTime();
    const getRemainingTimeInMillis = () => remainingMs - (clock.now().getTime() - started);
    expect(await app.handleLambda(event, { awsRequestId, getRemainingTimeInMillis })).toBeNull();
  }

  stateless(method: string, params: object, name: string): Promise<Answer> {
    const sent = { capabilities: EXTENSIONS, headers: { 'mcp-name': name } };
    return this.send(() => this.rig.stateless(method, params, sent));
  }

  async startTask(name: string): Promise<string> {
    return (await this.stateless('tools/call', { name, arguments: {} }, name)).json.result.taskId;
  }

  async task(taskId: string) {
    return (await this.stateless('tasks/get', { taskId }, taskId)).json.result;
  }

  /** Polls a task, and delivers the events of the polls, until it is over or requires input. */
  async poll(taskId: string) {
    for (let turn = 0; turn < 30; turn += 1) {
      await this.deliver();
      const task = await this.task(taskId);
      if (task.status !== 'working') return task;
      await this.wait(61_000);
    }
    throw new Error('the task never ends');
  }

  errors(): unknown[] {
    return this.lines.filter(({ level }) => level === 'ERROR').map(({ message }) => message);
  }
}

const LONGEST_SCENE_MS = 1_200_000;

/** Moves time until the work is over. */
async function inTime<T>({ clock }: Service, work: Promise<T>): Promise<T> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  const until = clock.now().getTime() + LONGEST_SCENE_MS;
  while (!isOver && clock.now().getTime() < until) await clock.advance(100);
  if (!isOver) throw new Error('nothing happens any more');
  return work;
}

const textOf = (answer: Answer) => (answer.events.at(-1)?.data ?? answer.json)?.result?.content?.[0].text;
const questionOf = (answer: Answer) => answer.events.find(({ data }) => data?.method && data.id !== undefined)?.data.id;
const lastId = ({ events }: Pick<Answer, 'events'>) => events.findLast(({ id }) => id !== undefined)?.id ?? '';
const progress = { meta: { progressToken: 1 } };

/** Actions of a client, and the final result. */
const SCENES: Readonly<Record<string, (service: Service) => Promise<unknown>>> = {
  async 'a task'(service) {
    const { status, result } = await service.poll(await service.startTask('run'));
    return [status, result?.content[0].text];
  },
  async 'a task that asks'(service) {
    const taskId = await service.startTask('askLater');
    expect((await service.poll(taskId)).status).toBe('input_required');
    await service.stateless('tasks/update', { taskId, inputResponses: { name: ADA } }, taskId);
    const { status, result } = await service.poll(taskId);
    return [status, result?.content[0].text];
  },
  async 'a call that becomes a task after its work'(service) {
    const { status, result } = await service.poll(await service.startTask('later'));
    return [status, result?.content[0].text];
  },
  async 'a parked call and the answer of a person'(service) {
    const session = await connected(service);
    const parked = await service.send(() => session.call('ask'));
    const answered = await service.send(() => session.answer(questionOf(parked), ADA));
    return [answered.status, textOf(await service.send(() => session.resume(lastId(parked))))];
  },
  async 'a question on an open stream'(service) {
    const session = await connected(service, '2025-06-18');
    const { text, question } = await heldCall(service, session);
    const answered = await service.send(async () => session.answer(await question, ADA, { streaming: false }));
    return [answered.status, parseSse(await text).at(-1)?.data.result.content[0].text];
  },
  async 'a stream with events'(service) {
    const session = await connected(service);
    const { status, events } = await service.send(() => session.call('count', {}, { ...progress, streaming: true }));
    return [status, ...events.flatMap(({ data }) => data?.params?.progress ?? data?.result?.content[0].text ?? [])];
  },
  async 'a stream whose client disconnects'(service) {
    const session = await connected(service);
    const request = {
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { name: 'count', _meta: { progressToken: 1 } },
    };
    let first = '';
    for (let attempt = 0; first === '' && attempt < 100; attempt += 1) {
      const opened = await service.rig.open('POST', JSON.stringify(request), session.sent({ streaming: true }));
      if (opened.status === 503) await service.wait(500);
      else first = await readFirst(opened.body);
    }
    const events = parseSse(first);
    // After an outage all events come together.
    if (events.at(-1)?.data?.result) return [200, events.at(-1)?.data.result.content[0].text];
    let from = lastId({ events });
    for (let turn = 0; turn < 100; turn += 1) {
      const rest = await service.send(() => session.resume(from));
      if (textOf(rest) !== undefined) return [200, textOf(rest)];
      from = lastId(rest) || from;
      await service.wait(500);
    }
    return 'no result';
  },
  async 'a call that closes its stream'(service) {
    const session = await connected(service);
    const parked = await service.send(() => session.call('close'));
    const rest = await service.send(() => session.resume(lastId(parked)));
    return [rest.status, textOf(rest)];
  },
  async 'a question with a large state'(service) {
    const asked = await service.stateless('tools/call', { name: 'askLarge', arguments: {} }, 'askLarge');
    const { requestState } = asked.json.result;
    const retry = { name: 'askLarge', arguments: {}, requestState, inputResponses: { name: ADA } };
    const answer = await service.stateless('tools/call', retry, 'askLarge');
    return [answer.status, textOf(answer)];
  },
};

const EXPECTED: Readonly<Record<string, unknown>> = {
  'a task': ['completed', 'done'],
  'a task that asks': ['completed', 'Ada done'],
  'a call that becomes a task after its work': ['completed', 'later'],
  'a parked call and the answer of a person': [202, 'Ada done'],
  'a question on an open stream': [202, 'Ada done'],
  'a stream with events': [200, 1, 2, 3, 'done'],
  'a stream whose client disconnects': [200, 'done'],
  'a call that closes its stream': [200, 'done'],
  'a question with a large state': [200, 'Ada done'],
};

async function connected(service: Service, version = '2025-11-25') {
  const session = await service.rig.connect({ version });
  expect(session.id).not.toBe('');
  return session;
}

/** Reads the head of a body, until the first event with progress, then disconnects. */
async function readFirst(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.includes('"progress":1')) break;
  }
  return text;
}

/** A call whose stream is open during its question: its text, and the id of its question. */
async function heldCall(service: Service, session: Awaited<ReturnType<typeof connected>>) {
  const request = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'ask' } };
  const open = () => service.rig.open('POST', JSON.stringify(request), session.sent({ streaming: true }));
  let opened = await open();
  for (; opened.status === 503; opened = await open()) await service.wait(500);
  let found = (_: string) => {};
  const question = new Promise<string>((resolve) => {
    found = resolve;
  });
  const read = async function* () {
    let text = '';
    for await (const chunk of opened.body) {
      text += Buffer.from(chunk).toString('utf8');
      const id = /"id":"([\w-]{12}\.name)"/.exec(text)?.[1];
      if (id) found(id);
      yield chunk;
    }
  };
  return { text: readAll(read()), question };
}

async function play(name: string, fails?: { at: number; failure: Failure }): Promise<Service> {
  const service = new Service();
  // The session of a client is made while the store works: `initialize` does no work that could be lost.
  const scene = SCENES[name]?.(service);
  service.store.fails = fails;
  const outcome = await inTime(service, Promise.resolve(scene));
  const where = fails ? `${fails.failure.name} at call ${fails.at}` : 'undisturbed';
  expect({ where, outcome, ran: service.ran }).toEqual({ where, outcome: EXPECTED[name], ran: 1 });
  // Work before a question is not lost either.
  expect({ where, stepped: service.stepped }).toEqual({
    where,
    stepped: name.includes('person') || name.includes('open') ? 1 : 0,
  });
  expect({ where, violations: service.rig.violations }).toEqual({ where, violations: [] });
  return service;
}

describe.each(Object.keys(SCENES))('%s', (name) => {
  it.each(FAILURES)('is completed, and runs once, with $name at each call of the store', async (failure) => {
    const { calls } = (await play(name)).store;
    expect(calls).toBeGreaterThan(1);
    // The first call of a session makes it: a client without a session connects again.
    for (let at = name.includes('task') || name.includes('state') ? 0 : 1; at < calls; at += 1)
      await play(name, { at, failure });
  });
});

/** Here a client gets its answer without the store, and a client that has disconnected would miss it. */
const AWAITED = ['a stream whose client disconnects', 'a question on an open stream', 'a stream with events'];

describe.each(Object.keys(SCENES).filter((name) => !AWAITED.includes(name)))('%s', (name) => {
  it.each(LONG_FAILURES)('is completed, and runs once, with $name', async (failure) => {
    const { calls } = (await play(name)).store;
    for (let at = name.includes('task') || name.includes('state') ? 0 : 1; at < calls; at += 1)
      await play(name, { at, failure });
  });
});

describe('a store that is away for longer than the invocation lasts', () => {
  /** The store fails from the first call that this one matches, for `awayMs`. */
  const failsFrom = (service: Service, isFirst: (method: string, key: string) => boolean, awayMs: number) => {
    service.store.before = (method, key) => {
      if (service.store.fails || !isFirst(method, key)) return;
      service.store.fails = { at: service.store.calls - 1, failure: { name: 'away', awayMs, lost: 0 } };
    };
  };

  it('loses a task that ran: one line, the second delivery marks it as failed, no second run', async () => {
    const service = new Service(3000);
    const taskId = await inTime(service, service.startTask('run'));
    failsFrom(service, (method, key) => method === 'get' && key === 'task' && service.ran === 1, 30_000);
    const [event] = service.events;
    await inTime(service, service.deliver());
    expect([service.ran, service.deliveries, service.rejected]).toEqual([
      1,
      2,
      [expect.objectContaining({ code: 'mcp.store', statusCode: 503 })],
    ]);
    expect(service.errors()).toEqual(['mcp.task_lost', 'mcp.task_lost']);
    const { status, error } = await inTime(service, service.task(taskId));
    expect([status, error]).toEqual(['failed', { code: -32603, message: 'Interrupted' }]);
    await inTime(service, service.deliverOnce(event));
    expect(service.errors()).toHaveLength(2);
  });

  it('reports this in time: the last attempt begins a second before the deadline', async () => {
    const service = new Service(20_000);
    await inTime(service, service.startTask('run'));
    const began = service.clock.now().getTime();
    let last = 0;
    failsFrom(service, (method, key) => method === 'get' && key === 'task' && service.ran === 1, 600_000);
    const { before } = service.store;
    service.store.before = (method, key) => {
      before(method, key);
      last = service.clock.now().getTime() - began;
    };
    await inTime(
      service,
      service.deliverOnce(service.events[0]).catch(() => {}),
    );
    expect(last).toBeGreaterThan(17_000);
    expect(last).toBeLessThanOrEqual(19_000);
  });

  it('answers a connected client, whose call is then not resumable', async () => {
    const service = new Service(25_000);
    const session = await service.rig.connect();
    failsFrom(service, (method, key) => method === 'put' && key === '!', 600_000);
    const began = service.clock.now().getTime();
    const { status, events } = await inTime(service, session.call('count', {}, { ...progress, streaming: true }));
    expect([status, events.map(({ id }) => id), service.ran]).toEqual([
      200,
      [undefined, undefined, undefined, undefined],
      1,
    ]);
    expect(service.clock.now().getTime() - began).toBeLessThan(12_000);
    expect(service.lines.map(({ message }) => message)).toEqual(['mcp.stream_not_kept']);
  });

  it('answers a client that resumes, whose stream is then not resumable again', async () => {
    const service = new Service(60_000);
    const session = await service.rig.connect();
    const parked = await inTime(service, session.call('close'));
    failsFrom(service, (method) => method === 'put' && service.ran === 1, 600_000);
    const began = service.clock.now().getTime();
    expect(textOf(await inTime(service, session.resume(lastId(parked))))).toBe('done');
    expect(service.clock.now().getTime() - began).toBeLessThan(12_000);
    expect(service.lines.map(({ message }) => message)).toEqual(['mcp.stream_not_kept']);
  });

  it('notifies the user, and logs one error, when the rest of the call cannot be stored', async () => {
    const service = new Service(6000);
    const session = await service.rig.connect();
    const parked = await inTime(service, session.call('ask'));
    failsFrom(service, (method) => method === 'put' && service.ran === 1, 30_000);
    const answered = await inTime(service, session.answer(questionOf(parked), ADA));
    expect([answered.status, answered.json.error.code, service.ran]).toEqual([503, 'mcp.store', 1]);
    expect(service.errors()).toHaveLength(1);
  });
});

describe('a claim of a task', () => {
  /** Every answer to the claiming write is lost until the invocation is over. */
  const losesClaim = (service: Service) => {
    let isClaimed = false;
    service.store.before = (method, key) => {
      if (method !== 'put' || key !== 'task' || isClaimed) return;
      isClaimed = true;
      service.store.fails = { at: service.store.calls - 1, failure: { name: 'lost', awayMs: 0, lost: 1000 } };
    };
  };

  it('that loses its final answer is taken over by the next delivery, and the handler runs once', async () => {
    const service = new Service(5000);
    const taskId = await inTime(service, service.startTask('run'));
    const [event] = service.events.splice(0);
    losesClaim(service);
    await expect(inTime(service, service.deliverOnce(event))).rejects.toMatchObject({ code: 'mcp.store' });
    expect(service.ran).toBe(0);
    service.store.fails = undefined;
    await inTime(service, service.wait(60_000));
    await expect(deliverWith(service, 30_000, event)).resolves.toBeUndefined();
    expect([service.ran, (await inTime(service, service.task(taskId))).status]).toEqual([1, 'completed']);
  });

  it('that is not taken over is given up by a poll after its lease, and the handler runs once', async () => {
    const service = new Service(5000);
    const taskId = await inTime(service, service.startTask('run'));
    const [event] = service.events.splice(0);
    losesClaim(service);
    await expect(inTime(service, service.deliverOnce(event))).rejects.toMatchObject({ code: 'mcp.store' });
    service.store.fails = undefined;
    await inTime(service, service.wait(11_000));
    expect((await inTime(service, service.task(taskId))).status).toBe('working');
    expect(service.events).toHaveLength(1);
    await inTime(service, service.deliver());
    expect([service.ran, (await inTime(service, service.task(taskId))).status]).toEqual([1, 'completed']);
  });

  it('fails the invocation, so that the event is delivered again, where its time is too short to know whether the handler began', async () => {
    const service = new Service(5000);
    await inTime(service, service.startTask('run'));
    const [event] = service.events.splice(0);
    losesClaim(service);
    await inTime(
      service,
      service.deliverOnce(event).catch(() => {}),
    );
    service.store.fails = undefined;
    await expect(inTime(service, service.deliverOnce(event))).rejects.toMatchObject({ code: 'mcp.store' });
    expect(service.ran).toBe(0);
  });

  it('of an earlier release, which has no mark, is not taken over', async () => {
    const service = new Service();
    const taskId = await inTime(service, service.startTask('run'));
    const [event] = service.events.splice(0);
    const put = service.store.put;
    service.store.put = (row, when) => {
      const task = JSON.parse(Buffer.from(row.data).toString('utf8'));
      const { claim: _, ...old } = task;
      return put(row.sort === 'task' ? { ...row, data: Buffer.from(` ${JSON.stringify(old)}`) } : row, when);
    };
    // Its process dies while the handler runs.
    const { before } = service.store;
    service.store.before = (method, key) => {
      if (method === 'put' && key.startsWith('begun#')) throw new Error('dead');
    };
    void service.deliverOnce(event).catch(() => {});
    await service.clock.advance(50);
    service.store.before = before;
    service.store.put = put;
    await inTime(service, service.deliverOnce(event));
    expect(service.deliveries).toBe(2);
    expect((await inTime(service, service.task(taskId))).status).toBe('working');
    expect(service.ran).toBe(1);
  });

  it.each(['the same request id', 'another request id'])(
    'of one event delivered twice at the same time is made only once, with %s',
    async (which) => {
      const service = new Service();
      const taskId = await inTime(service, service.startTask('run'));
      const [event] = service.events;
      const ids = which === 'the same request id' ? ['a', 'a', 'a'] : ['a', 'b', 'c'];
      await inTime(service, Promise.all(ids.map((id) => service.deliverOnce(event, id))));
      expect([service.ran, (await inTime(service, service.task(taskId))).status]).toEqual([1, 'completed']);
    },
  );

  it('of a second delivery waits for the late mark of the first delivery, and runs nothing', async () => {
    const service = new Service();
    await inTime(service, service.startTask('run'));
    const [event] = service.events;
    let marks = 0;
    service.store.before = (method, key) => {
      // The first attempts to mark the claim fail, while the store works for others.
      if (method === 'put' && key.startsWith('begun#') && marks++ < 4) throw away();
    };
    await inTime(service, Promise.all([service.deliverOnce(event, 'a'), service.deliverOnce(event, 'a')]));
    expect([service.ran, marks]).toEqual([1, 5]);
  });

  // The second run begins after ten seconds. The first one ends while the second runs, before or after it looks whether it continues.
  it.each([30_000, 10_800])('that was taken over stores no result after %i ms', async (slowMs) => {
    const service = new Service(120_000);
    service.slowMs = slowMs;
    const taskId = await inTime(service, service.startTask('slow'));
    const [event] = service.events;
    // No mark of the first claim arrives, as if its process were frozen.
    let first = '';
    service.store.before = (method, key) => {
      if (method !== 'put' || !key.startsWith('begun#')) return;
      first ||= key;
      if (key === first) throw away();
    };
    await inTime(service, Promise.all([service.deliverOnce(event, 'a'), service.deliverOnce(event, 'b')]));
    const { status, result } = await inTime(service, service.task(taskId));
    expect([status, result.content[0].text]).toEqual(['completed', 'run 2']);
  });
});

describe('a failure that is not transient', () => {
  const refused = () =>
    Object.assign(new Error('refused'), { name: 'ValidationException', $metadata: { httpStatusCode: 400 } });
  const isEnd = (service: Service, method: string, key: string) =>
    method === 'put' && key === 'task' && service.ran === 1;

  it('is not repeated: the task fails, with one line', async () => {
    const service = new Service();
    const taskId = await inTime(service, service.startTask('run'));
    let refusals = 0;
    service.store.before = (method, key) => {
      if (isEnd(service, method, key) && refusals++ === 0) throw refused();
    };
    await inTime(service, service.deliver());
    const { status, error } = await inTime(service, service.task(taskId));
    expect([refusals, status, error.code, service.rejected]).toEqual([2, 'failed', -32603, []]);
    expect(service.errors()).toEqual(['mcp.task_lost']);
  });

  it('of every write fails the invocation, without waiting', async () => {
    const service = new Service();
    await inTime(service, service.startTask('run'));
    let refusals = 0;
    service.store.before = (method, key) => {
      if (!isEnd(service, method, key)) return;
      refusals += 1;
      throw refused();
    };
    const began = service.clock.now().getTime();
    await expect(inTime(service, service.deliverOnce(service.events[0]))).rejects.toThrow('refused');
    expect([refusals, service.errors()]).toEqual([2, ['mcp.task_lost']]);
    expect(service.clock.now().getTime() - began).toBeLessThan(1000);
  });
});

describe('effects of a stored change', () => {
  it('a notification that cannot be sent is logged, and the task is over', async () => {
    const service = new Service();
    const taskId = await inTime(service, service.startTask('run'));
    service.store.before = (method, key) => {
      if (method === 'put' && /^\d{15}/.test(key)) throw new Error('refused');
    };
    await inTime(service, service.deliver());
    expect((await inTime(service, service.task(taskId))).status).toBe('completed');
    expect([service.rejected, service.lines.map(({ message }) => message)]).toEqual([[], ['mcp.change_not_sent']]);
    expect(
      (
        await inTime(
          service,
          service.startTask('run').then((id) => cancel(service, id)),
        )
      ).status,
    ).toBe(200);
  });

  it('a published change outlives an outage of five seconds', async () => {
    const service = new Service();
    const rig = new Rig({
      clock: service.clock,
      server: { store: service.store, changes: true, clock: service.clock },
    });
    service.store.fails = { at: 0, failure: { name: 'away', awayMs: 5000, lost: 0 } };
    await inTime(service, rig.server().publish({ list: 'tools' }));
    expect(service.store.calls).toBeGreaterThan(5);
    service.store.fails = { at: service.store.calls, failure: { name: 'away', awayMs: 60_000, lost: 0 } };
    await expect(inTime(service, rig.server().publish({ list: 'tools' }))).rejects.toMatchObject({ code: 'mcp.store' });
  });

  const failingStart = (isDown: () => boolean, started: McpTaskEvent[]) => (event: McpTaskEvent) => {
    if (isDown()) throw new Error('no function');
    started.push(event);
  };

  it('a poll answers the task when it cannot be started again, and a later one starts it', async () => {
    let isDown = false;
    const service = new Service();
    const started: McpTaskEvent[] = [];
    const tasks = { start: failingStart(() => isDown, started) };
    Object.assign(service.rig.options.server ?? {}, { tasks });
    const taskId = await inTime(service, service.startTask('run'));
    await service.clock.advance(61_000);
    isDown = true;
    expect((await inTime(service, service.task(taskId))).status).toBe('working');
    expect(service.errors()).toEqual(['mcp.task_not_started']);
    isDown = false;
    await service.clock.advance(61_000);
    expect((await inTime(service, service.task(taskId))).status).toBe('working');
    expect(started).toHaveLength(2);
  });

  it('answers are stored when the task cannot be started, and a later poll starts it', async () => {
    let isDown = false;
    const service = new Service();
    const started: McpTaskEvent[] = [];
    Object.assign(service.rig.options.server ?? {}, { tasks: { start: failingStart(() => isDown, started) } });
    const taskId = await inTime(service, service.startTask('askLater'));
    await inTime(service, service.deliver(started.splice(0)));
    isDown = true;
    const update = service.stateless('tasks/update', { taskId, inputResponses: { name: ADA } }, taskId);
    expect((await inTime(service, update)).status).toBe(200);
    expect(service.errors()).toEqual(['mcp.task_not_started']);
    isDown = false;
    await service.clock.advance(61_000);
    expect((await inTime(service, service.task(taskId))).status).toBe('working');
    await inTime(service, service.deliver(started.splice(0)));
    expect((await inTime(service, service.task(taskId))).result.content[0].text).toBe('Ada done');
  });
});

it('a renewed lease whose answers are lost does not end its run', async () => {
  const service = new Service(120_000);
  const session = await service.rig.connect();
  const request = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'long' } };
  let writes = 0;
  service.store.before = (method, key) => {
    if (method === 'put' && key === '!') writes += 1;
    // The second write of the head is the first renewal; its answers are lost for longer than it is repeated.
    if (writes === 2 && !service.store.fails) {
      service.store.fails = {
        at: service.store.calls - 1,
        failure: { name: 'lost', awayMs: 0, lost: 0, lostMs: 9000 },
      };
    }
  };
  const opened = service.rig.open('POST', JSON.stringify(request), session.sent({ streaming: true }));
  const text = await inTime(
    service,
    opened.then(({ body }) => readAll(body)),
  );
  expect(parseSse(text).at(-1)?.data.result.content[0].text).toBe('done');
  expect([service.ran, service.lines]).toEqual([1, []]);
});

it('a store that answers after the deadline overwrites no newer change', async () => {
  const service = new Service(10_000);
  const taskId = await inTime(service, service.startTask('run'));
  const [event] = service.events.splice(0);
  const late: (() => void)[] = [];
  const put = service.store.put;
  // The end of the task reaches the store, which applies it after the invocation.
  service.store.put = (row, when) => {
    if (row.sort !== 'task' || service.ran !== 1) return put(row, when);
    return new Promise((resolve, reject) => late.push(() => void put(row, when).then(resolve, reject)));
  };
  await expect(inTime(service, service.deliverOnce(event))).rejects.toThrow();
  expect(service.errors()).toEqual(['mcp.task_lost']);
  service.store.put = put;
  await service.clock.advance(60_000);
  await inTime(service, service.deliverOnce(event));
  const before = await inTime(service, service.task(taskId));
  for (const apply of late) apply();
  await service.clock.advance(100);
  expect(late.length).toBeGreaterThan(1);
  expect([before.status, await inTime(service, service.task(taskId))]).toEqual(['failed', before]);
});

function cancel(service: Service, taskId: string): Promise<Answer> {
  return service.stateless('tasks/cancel', { taskId }, taskId);
}

/** Delivers an event to a function with another time limit. */
async function deliverWith(service: Service, remainingMs: number, event: McpTaskEvent | undefined): Promise<void> {
  service.remainingMs = remainingMs;
  await inTime(service, service.deliverOnce(event));
}
