import { deepEqual, fail as failWith, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { isFrameworkError } from '@sallyport/core';
import { ManualClock } from '@sallyport/core/testing';
import { internalCaller, type MicrovmCaller } from '../../controller/caller.js';
import { createMicrovmController, type MicrovmController } from '../../controller/controller.js';
import type { MicrovmControllerOptions } from '../../controller/options.js';
import type { InvokeInput, SweepReport } from '../../controller/types.js';
import type { MicrovmLifecycleEvent } from '../../lifecycle/events.js';
import type { HeaderEntry } from '../../provider/transport.js';
import type { SessionRecord } from '../../registry/registry.js';
import type { MicrovmHarness, MicrovmSetup, ProgramAnswer, ProgramRequest } from '../harness.js';
import { scanForLeaks } from '../scan.js';

/** Test cases by name. */
export type Cases = Readonly<Record<string, (bench: Bench) => Promise<void>>>;

/** The report of a complete sweep with only these findings. */
export function sweepReport(found: Partial<SweepReport> = {}): SweepReport {
  const nothing = { pending: 0, confirmed: 0, failed: 0, terminated: 0, refused: 0, unknown: 0, complete: true };
  return { ...nothing, ...found };
}

/** The image that cases run. */
export const IMAGE = 'arn:aws:lambda:eu-west-1:123456789012:microvm-image:notebook';
const SHELL = 'arn:aws:lambda:eu-west-1:aws:network-connector:aws-network-connector:SHELL_INGRESS';
const START = new Date('2026-11-22T00:00:00.000Z');
/** Message of the harness's failures; it must not be visible to any caller. */
const SERVICE_TEXT = 'a message of the service';

/** Complete response of a program. */
export interface Read {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly cookies: readonly string[];
  readonly body: Buffer;
}

/** A controller with a harness; records all visible output. */
export class Bench {
  readonly setup: MicrovmSetup;
  readonly controller: MicrovmController;
  readonly events: MicrovmLifecycleEvent[] = [];
  readonly caller: MicrovmCaller;
  readonly other: MicrovmCaller;
  /** The time of the service, the registry and the controllers. */
  readonly clock: ManualClock;
  /** The image that cases run. */
  readonly image = IMAGE;
  readonly #shown: unknown[] = [];

  static async open(harness: MicrovmHarness): Promise<Bench> {
    const clock = new ManualClock(START);
    return new Bench(await harness.create({ clock, program }), clock);
  }

  private constructor(setup: MicrovmSetup, clock: ManualClock) {
    this.setup = setup;
    this.clock = clock;
    const run = randomUUID();
    const names = { identity: 'ada', namespace: 'default' };
    this.caller = internalCaller({ ...names, tenantId: `t1-${run}`, requestId: 'request-1' });
    this.other = internalCaller({ ...names, tenantId: `t2-${run}`, requestId: 'request-1' });
    this.controller = this.create();
  }

  /** Creates another controller with the same service and registry, like another instance of the function. */
  create(options: Partial<MicrovmControllerOptions> = {}): MicrovmController {
    const { provider, registry } = this.setup;
    return createMicrovmController({
      provider,
      registry,
      images: [{ ref: IMAGE, version: '3.0' }],
      ingressConnectors: [SHELL],
      clock: this.clock,
      environment: {},
      onLifecycleEvent: (event) => this.events.push(event),
      ...options,
    });
  }

  /** Advances the clock. */
  pass(ms: number): void {
    this.clock.tick(ms);
  }

  /** The current time in epoch milliseconds. */
  get nowMs(): number {
    return this.clock.now().getTime();
  }

  /** Records a response or error for the leak scan. */
  async shown<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer;
      this.#shown.push(value);
      return value;
    } catch (error) {
      this.#shown.push(errorBody(error));
      throw error;
    }
  }

  /** The code, status and `retry-after` of the error of a call. */
  async refusal(answer: Promise<unknown>): Promise<{ code: string; status: number; retryAfter: string | undefined }> {
    try {
      await this.shown(answer);
    } catch (error) {
      if (!isFrameworkError(error)) throw error;
      const retryAfter = error.headers?.['retry-after'];
      return { code: error.code, status: error.status, retryAfter: retryAfter as string | undefined };
    }
    return failWith('the call must be rejected');
  }

  /** Asserts the code of a rejection. */
  async refuses(answer: Promise<unknown>, code: string): Promise<void> {
    deepEqual((await this.refusal(answer)).code, code);
  }

  /** The row of a session. */
  async row(sessionId: string, { tenantId, namespace }: MicrovmCaller = this.caller): Promise<SessionRecord> {
    const row = await this.setup.registry.get({ tenantId, namespace, sessionId });
    ok(row);
    this.#shown.push(row);
    return row;
  }

  /** Sends a request to the program of a session. */
  async invoke(sessionId: string, input: Partial<InvokeInput> = {}, controller = this.controller): Promise<Read> {
    const answer = await this.shown(controller.invoke(this.caller, { sessionId, method: 'GET', path: '/', ...input }));
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.bodyStream) chunks.push(chunk);
    return { ...answer, body: Buffer.concat(chunks) };
  }

  /** Sends a request and returns it as received by the program. */
  async seen(sessionId: string, input: Partial<InvokeInput> = {}, controller = this.controller): Promise<Seen> {
    return JSON.parse((await this.invoke(sessionId, { path: '/echo', ...input }, controller)).body.toString()) as Seen;
  }

  assertNoLeaks(): void {
    const secrets = [...this.setup.secrets(), SERVICE_TEXT];
    deepEqual(scanForLeaks([this.#shown, this.events], { secrets }), []);
  }

  close(): Promise<void> {
    return this.setup.close();
  }
}

/** A request as received by the program. */
export interface Seen {
  readonly microvmId: string;
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly HeaderEntry[];
  readonly body: string;
}

function errorBody(error: unknown): unknown {
  if (!isFrameworkError(error)) return { name: (error as Error).name };
  const { code, message, headers, details } = error;
  return { code, message, headers, details };
}

const text = (body: string): Pick<ProgramAnswer, 'body'> => ({ body: Buffer.from(body) });

/** Test programs by path. */
const ANSWERS: Readonly<Record<string, (request: ProgramRequest) => ProgramAnswer>> = {
  '/redirect-away': () => ({ status: 302, headers: [['location', 'https://evil.example/?x=1']], ...text('') }),
  '/redirect': ({ path }) => ({
    status: 302,
    headers: [['location', decodeURIComponent(path.slice('/redirect?'.length))]],
    ...text(''),
  }),
  '/redirect-home': () => ({ status: 307, headers: [['location', '/login?next=%2F']], ...text('') }),
  '/gzip': () => ({
    status: 200,
    headers: [
      ['content-encoding', 'gzip'],
      ['content-type', 'text/plain'],
    ],
    body: gzipSync('x'.repeat(10_000)),
  }),
  '/gunzip': ({ body }) => ({ status: 200, headers: [], body: gunzipSync(body) }),
  '/headers': () => ({
    status: 200,
    headers: [
      ['connection', 'x-hop'],
      ['x-hop', '1'],
      ['vary', 'Authorization'],
      ['access-control-allow-headers', 'authorization'],
      ['x-aws-proxy-request', '1'],
      ['x-amzn-trace', '1'],
      ['x-own', 'a'],
      ['x-own', 'b'],
    ],
    ...text('headers'),
  }),
  '/cookies': () => ({
    status: 200,
    headers: [
      ['set-cookie', 'sid=1; Path=/; Domain=example.com; HttpOnly'],
      ['set-cookie', 'theme=dark; Max-Age=60'],
    ],
    ...text('cookies'),
  }),
  '/echo': (request) => ({
    status: 200,
    headers: [['content-type', 'application/json']],
    ...text(JSON.stringify({ ...request, body: Buffer.from(request.body).toString('base64') })),
  }),
};

function program(request: ProgramRequest): ProgramAnswer {
  const [path = ''] = request.path.split('?', 1);
  const answer = Object.hasOwn(ANSWERS, path) ? ANSWERS[path] : ANSWERS['/echo'];
  return (answer as (request: ProgramRequest) => ProgramAnswer)(request);
}
