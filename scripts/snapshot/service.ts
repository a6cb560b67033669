// A service with one of each part that makes ids, nonces and waiting times. It is bundled, started once, and restored from
// the same V8 startup snapshot several times (snapshot.test.ts).
import { startupSnapshot } from 'node:v8';
import { json } from '../../packages/http/src/index.js';
import { createMemoryEventBusStore, createMemoryJobLedger, withLease } from '../../packages/jobs/src/index.js';
import { createMcpServer, memoryMcpStore, mountMcp } from '../../packages/mcp/src/index.js';
import { createMemoryRateLimiter, fixedWindow, rateLimitMiddleware } from '../../packages/ratelimit/src/index.js';
import { Public, SecureApp } from '../../packages/secure/src/index.js';

const SECRET = { current: 'only for the snapshots of this repository' };
/** Few enough that Node's bytes for 128 ids are not used up. */
const TIMES = 8;

const waits: number[] = [];
/** The machine's clock; it records the requested waits and waits a millisecond. */
const clock = {
  now: () => new Date(),
  after(ms: number, run: () => void) {
    waits.push(ms);
    const timer = setTimeout(run, 1);
    return () => clearTimeout(timer);
  },
};

const ledger = createMemoryJobLedger();
const waiting = createMemoryJobLedger({ clock });
const events = createMemoryEventBusStore();
const limiter = createMemoryRateLimiter({ strategy: fixedWindow({ limit: 100_000, windowMs: 60_000 }) });

function serve(name: string, options: object): SecureApp {
  const app = new SecureApp();
  const server = createMcpServer({ name, version: '1.0.0', ...options });
  server.tool('report', {}, (_, ctx) => {
    ctx.log('info', 'half');
    return 'reported';
  });
  mountMcp(app, server, { posture: Public() });
  app.use(rateLimitMiddleware({ limiter }));
  app.get('/id', (ctx) => json(200, { id: ctx.newId() }), Public());
  return app;
}
const durable = serve('durable', { store: memoryMcpStore() });
const sealed = serve('sealed', { secret: SECRET });

async function times<T>(make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let index = 0; index < TIMES; index += 1) made.push(await make(index));
  return made;
}

async function post(app: SecureApp, method: string, params: object, session?: string) {
  return app.serve({
    method: 'POST',
    path: '/mcp',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'client', version: '1.0.0' },
};

async function connect(app: SecureApp): Promise<string> {
  return (await post(app, 'initialize', INITIALIZE)).headers['mcp-session-id']?.[0] ?? '';
}

async function streamOf(session: string): Promise<string> {
  const { body } = await post(durable, 'tools/call', { name: 'report' }, session);
  return /^id: ([\w-]{12})/.exec(Buffer.from(body).toString('utf8'))?.[1] ?? '';
}

/** The first and some further attempts of a caller who waits for a lease that another caller holds. */
async function waitForLease(): Promise<number[]> {
  await waiting.acquireLease({ name: 'held', owner: 'somebody', durationMs: 60_000 });
  const signal = AbortSignal.timeout(200);
  await withLease(waiting, { name: 'held', waitMs: 60_000, signal }, async () => undefined).catch(() => undefined);
  return waits.splice(0).slice(0, 10);
}

async function report(): Promise<Record<string, readonly unknown[]>> {
  const answers = await times(() => durable.serve({ method: 'GET', path: '/id' }));
  const seals = await times(() => connect(sealed));
  const sessions = await times(() => connect(durable));
  const slots = await times((index) =>
    ledger.acquireSlot({ scope: 's', subject: 's', limit: 256, owner: `o${index}`, durationMs: 60_000 }),
  );
  const owners: string[] = [];
  await times(async (index) => {
    const name = `l${index}`;
    await withLease(ledger, { name }, async () => {
      const lease = await ledger.getLease(name);
      owners.push(
        lease?.owner ?? '',
        (await ledger.acquireLease({ name: `${name}b`, owner: 'o', durationMs: 1000 })).id,
      );
    });
  });
  const begun = await times((index) => ledger.beginIdempotency({ scope: 's', key: `k${index}`, inProgressMs: 60_000 }));
  const published = await times(() => events.publish({ tenantId: 't', type: 'a', payload: {} }));
  return {
    'ids of contexts': answers.map(({ body }) => JSON.parse(Buffer.from(body).toString('utf8')).id),
    'ids of requests': answers.map(({ headers }) => headers['x-request-id']?.[0]),
    'MCP sessions': sessions,
    'MCP streams': await times((index) => streamOf(sessions[index] ?? '')),
    'nonces of seals': seals.map((seal) => Buffer.from(seal.slice(3), 'base64url').subarray(0, 12).toString('hex')),
    'owners and ids of leases': owners,
    'ids of slots': slots.map(({ id }) => id),
    // A choice of 256 is occasionally equal; the order of all choices is not.
    'choices of slots': [slots.map(({ slot }) => slot).join()],
    'waiting times': [(await waitForLease()).join()],
    'owners of idempotency keys': begun.map((start) => (start.outcome === 'created' ? start.handle.owner : '')),
    'ids of events': published.map(({ event }) => event.id),
    "Node's own ids": Array.from({ length: 20 }, () => crypto.randomUUID()),
    "V8's own numbers": Array.from({ length: 20 }, () => Math.random()),
  };
}

/**
 * Memory as an application leaves it: Node's random bytes are drawn, and `Math.random` continues from a state in the heap, as
 * it does after the memory of a machine is restored (V8 uses a new seed when it reads its own snapshot).
 */
function useRandomness(): void {
  crypto.randomUUID();
  let state = 20_261_122;
  Math.random = () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

useRandomness();
startupSnapshot.setDeserializeMainFunction(() => {
  report().then(
    (made) => process.stdout.write(JSON.stringify(made)),
    (error: unknown) => {
      process.stderr.write(String((error as Error).stack));
      process.exitCode = 1;
    },
  );
});
