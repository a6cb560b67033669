import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  createLocalClient,
  type Fault,
  type FaultRule,
  FaultyTable,
  retryAtOnce,
  STORE_FAULTS,
  TableClock,
} from '@sallyport/dynamodb-local';
import { dynamoMcpStore, type McpServer } from '../src/index.js';
import { MCP_TABLE_SCHEMA } from '../src/schema.js';
import { type Answer, type Connection, type Line, logTo, Rig } from './support/rig.js';

let faulty: FaultyTable;
let client: DynamoDBClient;
/** Waits and deadlines need no real time. */
const clock = new TableClock();

beforeAll(async () => {
  faulty = await FaultyTable.start(MCP_TABLE_SCHEMA);
  client = await createLocalClient({ endpoint: faulty.proxy.endpoint, retryStrategy: retryAtOnce(2) });
  clock.watch(client, faulty.proxy);
});

afterAll(async () => {
  clock.stop();
  client.destroy();
  await faulty.stop();
});

const STORE_TIMEOUT_MS = 400;
const lastId = (answer: Answer) => answer.events.findLast(({ id }) => id !== undefined)?.id ?? '';
const questionId = (answer: Answer) => answer.events.find(({ data }) => data?.method && data.id !== undefined)?.data.id;
const resultOf = (answer: Answer) => (answer.events.at(-1)?.data ?? answer.json)?.result?.content[0].text;

/** One service whose store is behind the proxy, and how often its handlers continued after a question or a closed stream. */
function service(streaming = false) {
  const ran = { behind: 0 };
  const log: Line[] = [];
  const register = (server: McpServer) => {
    server.tool('ask', { asks: ['elicitation'] }, async (_, ctx) => {
      const { action } = await ctx.elicit({ message: 'Pay?' });
      ran.behind += 1;
      return `paid: ${action}`;
    });
    server.tool('close', {}, async (_, ctx) => {
      await ctx.closeStream();
      ran.behind += 1;
      return 'rest';
    });
    server.tool('count', {}, async (_, ctx) => {
      for (let event = 1; event <= 3; event += 1) ctx.progress(event, 3);
      await new Promise((resolve) => setImmediate(resolve));
      return 'counted';
    });
    server.resource('notes://1', { name: 'note' }, () => 'note');
  };
  const store = dynamoMcpStore({ client, tableName: faulty.name, clock, storeTimeoutMs: STORE_TIMEOUT_MS });
  const rig = new Rig({
    clock,
    register,
    streaming,
    log: logTo(log),
    server: { store, changes: true, resumeWaitMs: 0 },
  });
  return { rig, ran, log };
}

interface Scene {
  /** Everything before the store fails. Returns the request that it fails under. */
  prepare(): Promise<() => Promise<Answer>>;
  /** True if that request, when it was answered well, did what it is for. */
  check(answer: Answer): Promise<void>;
  readonly ran?: { behind: number };
  readonly log: Line[];
}

/** A use of the store by a session: its preparation, the request that fails, and the checks of its effects. */
interface Step<T> {
  readonly streaming?: boolean;
  before?(session: Connection): Promise<T>;
  request(session: Connection, before: T): Promise<Answer>;
  check(answer: Answer, session: Connection, ran: { behind: number }, before: T): Promise<void>;
}

function scene<T>({ streaming = false, before, request, check }: Step<T>): () => Scene {
  return () => {
    const { rig, ran, log } = service(streaming);
    let session: Connection;
    let state: T;
    return {
      ...{ ran, log },
      async prepare() {
        session = await rig.connect();
        state = (await before?.(session)) as T;
        return () => request(session, state);
      },
      check: (answer) => check(answer, session, ran, state),
    };
  };
}

const progress = { meta: { progressToken: 1 } };
const accepted = { action: 'accept', content: {} };
const toldBy = (events: Answer['events']) =>
  events.map(({ data }) => data.params?.progress ?? data.result.content[0].text);
const COUNTED = [1, 2, 3, 'counted'];

/** A request that receives a failure is sent again, as a client may. */
const SCENES: Readonly<Record<string, () => Scene>> = {
  initialize() {
    const { rig, log } = service();
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    return {
      log,
      prepare: async () => () => rig.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      async check({ headers }) {
        const ping = { headers: { 'mcp-session-id': headers['mcp-session-id'] ?? '' } };
        expect((await rig.post({ jsonrpc: '2.0', id: 2, method: 'ping' }, ping)).status).toBe(200);
      },
    };
  },
  park: scene({
    request: (session) => session.call('ask'),
    async check(parked, session, ran) {
      expect((await session.answer(questionId(parked), accepted)).status).toBe(202);
      expect([resultOf(await session.resume(lastId(parked))), ran.behind]).toEqual(['paid: accept', 1]);
    },
  }),
  answer: scene({
    before: (session) => session.call('ask'),
    request: (session, parked) => session.answer(questionId(parked), accepted),
    async check({ status }, session, ran, parked) {
      expect(status).toBe(202);
      expect([resultOf(await session.resume(lastId(parked))), ran.behind]).toEqual(['paid: accept', 1]);
    },
  }),
  claim: scene({
    before: (session) => session.call('close'),
    request: (session, closed) => session.resume(lastId(closed)),
    async check(rest, _, ran) {
      // A second request may find the rest that the first one ran and stored.
      expect([resultOf(rest), ran.behind]).toEqual(['rest', 1]);
    },
  }),
  resume: scene({
    before: (session) => session.call('count', {}, progress),
    request: (session, { events }) => session.resume(events[0]?.id ?? ''),
    check: async ({ events }) => expect(toldBy(events)).toEqual(COUNTED),
  }),
  flush: scene({
    streaming: true,
    request: (session) => session.call('count', {}, progress),
    async check({ events }) {
      expect(toldBy(events.filter(({ data }) => data !== '' && data !== undefined))).toEqual(COUNTED);
    },
  }),
  subscribe: scene({
    streaming: true,
    request: (session) => session.request('resources/subscribe', { uri: 'notes://1' }),
    check: async ({ json }) => expect(json.result).toEqual({}),
  }),
  cancel: scene({
    before: (session) => session.call('ask', {}, { id: 'c' }),
    request: (session) => session.notify('notifications/cancelled', { requestId: 'c' }),
    async check({ status }, session, ran, parked) {
      expect(status).toBe(202);
      await session.answer(questionId(parked), accepted);
      expect([(await session.resume(lastId(parked))).status, ran.behind]).toEqual([405, 0]);
    },
  }),
  delete: scene({
    request: (session) => session.delete(),
    // If the first request deleted it but its response failed, the second request finds no session.
    async check({ status }, session) {
      expect([200, 404]).toContain(status);
      expect((await session.request('ping')).status).toBe(404);
    },
  }),
};

const isTold = ({ status, json }: Answer) => status === 503 && json.error.code === 'mcp.store';

/** Runs a scene with one failing request to DynamoDB; whether there was a request of that number to fail. */
async function survives(scene: Scene, fault: Fault, rule: FaultRule & { readonly after: number }, isQuiet: boolean) {
  faulty.proxy.clear();
  const request = await scene.prepare();
  faulty.proxy.clear();
  faulty.proxy.inject(fault, { ...rule, times: 1 });
  let answer = await request();
  const seen = faulty.proxy.operations.filter(
    (operation) => rule.operation === undefined || operation === rule.operation,
  );
  faulty.proxy.clear();
  if (isTold(answer)) {
    expect(isQuiet).toBe(false);
    // A client that received a failure may send the request again.
    answer = await request();
  }
  await scene.check(answer);
  return seen.length > rule.after;
}

/** Failures that the SDK retries immediately, without an error for the caller. */
const QUIET = new Set([
  'a reset connection',
  'an error of the service',
  'a service that is away',
  'an answer that is lost each time',
]);
/** If it is unknown to the caller whether the write was applied, every request fails once; if the service hangs, every write. */
const SWEPT: Readonly<Record<string, FaultRule>> = {
  'a reset connection': {},
  'an answer that is lost each time': {},
  'silence after the write': { operation: 'PutItem' },
};

describe.each(Object.entries(SCENES))('%s, with one request to DynamoDB that fails', (_, makeScene) => {
  // To the caller, an answer that is too slow is the same as no answer.
  it.each(STORE_FAULTS.filter(({ fault }) => fault.kind !== 'slow'))('survives $name', async ({ name, fault }) => {
    const rule = SWEPT[name];
    let after = 0;
    for (; after < (rule ? 30 : 1); after += 1) {
      if (!(await survives(makeScene(), fault, { ...rule, after }, QUIET.has(name)))) break;
    }
    if (rule?.operation === undefined) expect(after).toBeGreaterThan(0);
  });
});

describe('a store that fails permanently in the middle of a call', () => {
  it('keeps nothing from the client that reads: all events, the result, and one line in the log', async () => {
    const { rig, log } = service(true);
    const session = await rig.connect();
    faulty.proxy.clear();
    faulty.proxy.inject({ kind: 'error', status: 400, type: 'AccessDeniedException' }, { operation: 'PutItem' });
    const { status, events } = await session.call('count', {}, progress);
    faulty.proxy.clear();
    expect([status, events.map(({ id }) => id)]).toEqual([200, [undefined, undefined, undefined, undefined]]);
    expect(toldBy(events)).toEqual(COUNTED);
    expect(log).toMatchObject([{ level: 'WARN', message: 'mcp.stream_not_kept', target: 'count' }]);
  });
});
