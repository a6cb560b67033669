import { ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
import {
  createMicrovmController,
  MICROVM_CODES,
  MICROVM_OPERATIONS,
  MICROVM_TRANSITIONS,
  type MicrovmControllerOptions,
  mountMicrovmController,
  toMicrovmState,
} from '@sallyport/microvm';
import { MICROVM_TABLE_NAME_ENV, MICROVM_TABLE_SCHEMA } from '@sallyport/microvm/schema';
import {
  createFakeMicrovmProvider,
  createMemoryMicrovmRegistry,
  type FakeFailure,
  type FakeMicrovmProvider,
  type MemoryMicrovmRegistry,
  type WorkloadRequest,
} from '@sallyport/microvm/testing';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { camelOptions, renameKeys, toSnake } from '../casing.js';

type Args = Readonly<Record<string, unknown>>;

const IMAGE = 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:notebook';
const START = '2026-11-22T00:00:00.000Z';
const PROVIDER_STATES = ['PENDING', 'RUNNING', 'SUSPENDING', 'SUSPENDED', 'TERMINATING', 'TERMINATED', 'READY'];

export function vocabulary(): object {
  return {
    operations: MICROVM_OPERATIONS,
    transitions: MICROVM_TRANSITIONS,
    provider_states: Object.fromEntries(PROVIDER_STATES.map((state) => [state, toMicrovmState(state) ?? null])),
    codes: MICROVM_CODES,
    table: { variable: MICROVM_TABLE_NAME_ENV, ...(renameKeys(MICROVM_TABLE_SCHEMA, toSnake) as object) },
  };
}

interface World {
  readonly app: SecureApp;
  readonly clock: ManualClock;
  readonly provider: FakeMicrovmProvider;
  readonly registry: MemoryMicrovmRegistry;
  readonly sweep: (options: object) => Promise<object>;
  readonly seen: object[];
}

/** One step: a request, or an event of the machines. */
interface MicrovmStep {
  /** The caller: the principal of the secure container, `null` for an anonymous caller. */
  readonly as?: object | null;
  readonly request?: {
    readonly method: string;
    readonly path: string;
    readonly headers?: object;
    readonly json?: unknown;
  };
  readonly pass_ms?: number;
  readonly machine_state?: string;
  readonly fail?: Readonly<Record<string, unknown>>;
  readonly sweep?: object;
}

/**
 * A secure container with the routes of a controller, over machines and rows in memory. Returns the answers of requests and sweeps in
 * order, the lifecycle events, the requests that programs received, the calls of the service and the rows of the requested partitions.
 */
export async function microvmSteps(args: Args): Promise<object> {
  const events: object[] = [];
  const world = createWorld(args, (event) => events.push(event));
  const answers: unknown[] = [];
  for (const step of args.steps as readonly MicrovmStep[]) {
    const answer = await take(world, step);
    if (answer !== undefined) answers.push(answer);
  }
  const shows = (args.shows ?? []) as readonly string[];
  return {
    answers,
    ...(shows.includes('events') && { events }),
    ...(shows.includes('seen') && { seen: world.seen }),
    ...(shows.includes('calls') && { calls: world.provider.calls.map((call) => renameKeys(call, toSnake)) }),
    ...(args.rows !== undefined && { rows: await rowsOf(world, args.rows as readonly string[]) }),
  };
}

function createWorld(
  { options = {}, program = {}, trust_tenant_header = false }: Args,
  onEvent: (event: object) => void,
): World {
  const clock = new ManualClock(new Date(START));
  const seen: object[] = [];
  const provider = createFakeMicrovmProvider({
    clock,
    ids: new ManualIdGenerator('machine'),
    workload: async (request) => answerOf(request, seen, program as Program),
  });
  const registry = createMemoryMicrovmRegistry({ clock });
  const controller = createMicrovmController({
    provider,
    registry,
    images: [{ ref: IMAGE, version: '3.0' }],
    environment: {},
    clock,
    ids: new ManualIdGenerator('id'),
    onLifecycleEvent: onEvent,
    ...(camelOptions(options as object) as Partial<MicrovmControllerOptions>),
  });
  const app = new SecureApp({
    principalResolver: (ctx) => JSON.parse(ctx.header('x-test-principal') ?? 'null') as never,
    clock,
    ids: new ManualIdGenerator('request'),
    log: false,
    trustTenantHeader: trust_tenant_header === true,
  });
  const posture = Authenticated('microvm:use');
  mountMicrovmController(app, controller, { posture, shellPosture: Authenticated('microvm:shell') });
  return { app, clock, provider, registry, seen, sweep: (given) => controller.sweep(camelOptions(given) as never) };
}

interface Program {
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly text?: string;
}

function answerOf({ microvmId: _, host: __, body, ...request }: WorkloadRequest, seen: object[], program: Program) {
  seen.push({ ...request, body: Buffer.from(body).toString() });
  const { status = 200, headers = [], text = '' } = program;
  return { status, headers, body: once(Buffer.from(text)) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}

async function take(world: World, step: MicrovmStep): Promise<unknown> {
  const { provider, clock } = world;
  if (step.pass_ms !== undefined) clock.tick(step.pass_ms);
  if (step.machine_state !== undefined)
    provider.setState(provider.machines.at(-1)?.microvmId ?? '', step.machine_state);
  if (step.fail !== undefined) {
    const { error, ...rest } = step.fail;
    provider.fail({ name: error, ...camelOptions(rest) } as unknown as FakeFailure);
  }
  if (step.sweep !== undefined) return renameKeys(await world.sweep(step.sweep), toSnake);
  return step.request === undefined ? undefined : send(world, step.as, step.request);
}

const SHOWN_HEADERS = ['retry-after', 'location', 'cache-control'];

async function send({ app }: World, as: unknown, request: NonNullable<MicrovmStep['request']>): Promise<object> {
  const { method, path, headers = {}, json } = request;
  const answer = await app.serve({
    method,
    path,
    headers: { ...headers, 'x-test-principal': JSON.stringify(as ?? null) },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const chunks: Uint8Array[] = [answer.body];
  if (answer.bodyStream) for await (const chunk of answer.bodyStream) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const shown = Object.entries(answer.headers).filter(
    ([name]) => SHOWN_HEADERS.includes(name) || name.startsWith('x-own'),
  );
  return {
    status: answer.status,
    ...(shown.length > 0 && { headers: Object.fromEntries(shown) }),
    ...(answer.cookies.length > 0 && { cookies: answer.cookies }),
    body: text.startsWith('{') ? codeOrBody(JSON.parse(text) as Args) : text,
  };
}

/** The code of an error, because messages differ between runtimes. */
function codeOrBody(body: Args): unknown {
  const { error } = body as { readonly error?: { readonly code: string } };
  return error === undefined ? body : { code: error.code };
}

async function rowsOf({ registry }: World, partitions: readonly string[]): Promise<object[]> {
  const rows: object[] = [];
  for (const value of partitions) {
    const { items } = await registry.table.query({ partition: { name: 'pk', value } });
    // The id of the last write is random.
    rows.push(...items.map(({ w: _, ...row }) => row));
  }
  return rows;
}
