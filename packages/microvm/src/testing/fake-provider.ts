import { isDeepStrictEqual } from 'node:util';
import { type Clock, type IdGenerator, randomIds } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { defineOptions, func, integer, withMethods } from '@sallyport/core/options';
import { controllerIncomplete } from '../errors.js';
import type {
  MicrovmDescription,
  MicrovmProvider,
  MicrovmSummary,
  PortScope,
  RunMicrovmInput,
} from '../provider/provider.js';
import { SecretToken } from '../provider/secret-token.js';
import type { MicrovmTransport, TransportRequest, TransportResponse } from '../provider/transport.js';
import { FakeMachine, serviceError } from './internal/fake-machine.js';

/** A request to the program in a fake machine. */
export interface WorkloadRequest extends Omit<TransportRequest, 'authorize' | 'times'> {
  /** The machine. */
  readonly microvmId: string;
  /** The port of the request. */
  readonly port: number;
}

/** Replaces the programs in the machines. */
export type FakeWorkload = (
  request: WorkloadRequest,
  signal: AbortSignal,
) => TransportResponse | Promise<TransportResponse>;

/** Options of {@link createFakeMicrovmProvider}. */
export interface FakeMicrovmProviderOptions {
  /** Time source for the lifetime of machines. Default: the system's clock. */
  readonly clock?: Clock;
  /** Creates machine ids and tokens. Default: random UUIDs. */
  readonly ids?: IdGenerator;
  /** Duration of a state change in milliseconds. Default 0: the next read shows it. */
  readonly settleMs?: number;
  /** Responds for the programs in the machines. Default: 200 with the body `ok`. */
  readonly workload?: FakeWorkload;
  /** Machines per page of a list. Default 50. */
  readonly pageSize?: number;
}

/** Validators and defaults for {@link FakeMicrovmProviderOptions}. */
export const FAKE_PROVIDER_OPTIONS = defineOptions<FakeMicrovmProviderOptions>()(
  {
    clock: withMethods<Clock>('now'),
    ids: withMethods<IdGenerator>('newId').default(randomIds),
    settleMs: integer(0).default(0),
    workload: func<FakeWorkload>(),
    pageSize: integer(1, 50).default(50),
  },
  { fail: controllerIncomplete },
);

/** One call of the fake. */
export interface FakeCall {
  /** `run`, `get`, …, `send` for a request to a program. */
  readonly operation: string;
  /** The machine. */
  readonly microvmId?: string;
  /** The input of the call. */
  readonly input?: unknown;
}

/** A simulated failure. */
export interface FakeFailure {
  /** The method that fails: `run`, `get`, … */
  readonly operation: string;
  /** The name of the service's error: `ThrottlingException`. */
  readonly name: string;
  /** Its message; it must not be visible to any caller. */
  readonly message?: string;
  /** True if the call takes effect although it fails. Default `false`. */
  readonly applied?: boolean;
  /** Number of failing calls. Default 1. */
  readonly times?: number;
  /** Retry delay of the service in seconds. */
  readonly retryAfterSeconds?: number;
}

/** A service of machines in memory, with access to its state. */
export interface FakeMicrovmProvider extends MicrovmProvider {
  /** The last calls, at most 1,000. */
  readonly calls: readonly FakeCall[];
  /** All issued tokens, for `scanForLeaks`. */
  readonly secrets: readonly string[];
  /** All machines in the order of their start, including terminated machines. */
  readonly machines: readonly { readonly microvmId: string; readonly state: string; readonly runHookPayload: string }[];
  /** Makes calls fail from now on. */
  fail(failure: FakeFailure): void;
  /** Sets a machine's state, like an idle timeout or a crash. */
  setState(microvmId: string, state: string): void;
  /** Removes failures and calls; keeps machines. */
  clear(): void;
}

const MAX_CALLS = 1000;

/**
 * Creates a provider with machines in memory, and with the states, client tokens, pages and errors of the service, for tests and local runs.
 *
 * @throws MicrovmError `microvm.controller_incomplete` for a wrong option
 * @example const provider = createFakeMicrovmProvider({ workload: async () => ({ status: 200, headers: [], body: [] }) });
 */
export function createFakeMicrovmProvider(options: FakeMicrovmProviderOptions = {}): FakeMicrovmProvider {
  return new FakeProvider(options);
}

class FakeProvider implements FakeMicrovmProvider {
  readonly transport: MicrovmTransport;
  readonly #clock: Clock;
  readonly #ids: IdGenerator;
  readonly #settleMs: number;
  readonly #pageSize: number;
  readonly #workload: FakeWorkload;
  readonly #machines = new Map<string, FakeMachine>();
  readonly #byClientToken = new Map<string, FakeMachine>();
  readonly #tokens = new Map<
    string,
    { readonly microvmId: string; readonly ports: readonly PortScope[]; readonly expiresAt: number }
  >();
  readonly #secrets: string[] = [];
  #calls: FakeCall[] = [];
  #failures: { readonly failure: FakeFailure; left: number }[] = [];

  constructor(options: FakeMicrovmProviderOptions) {
    const { clock, ids, settleMs, workload = answerOk, pageSize } = FAKE_PROVIDER_OPTIONS.parse(options);
    this.#clock = completeClock(clock);
    this.#ids = ids;
    this.#settleMs = settleMs;
    this.#workload = workload;
    this.#pageSize = pageSize;
    this.transport = { send: (request, signal) => this.#send(request, signal) };
    // A test may replace one method with an object that inherits the others.
    this.run = this.run.bind(this);
    this.get = this.get.bind(this);
    this.list = this.list.bind(this);
    this.suspend = this.suspend.bind(this);
    this.resume = this.resume.bind(this);
    this.terminate = this.terminate.bind(this);
    this.authToken = this.authToken.bind(this);
    this.shellAuthToken = this.shellAuthToken.bind(this);
  }

  get calls(): readonly FakeCall[] {
    return [...this.#calls];
  }

  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  get machines(): FakeMicrovmProvider['machines'] {
    return [...this.#machines.values()].map((machine) => ({
      microvmId: machine.microvmId,
      state: machine.look(this.#now()),
      runHookPayload: machine.input.runHookPayload,
    }));
  }

  fail(failure: FakeFailure): void {
    this.#failures.push({ failure, left: failure.times ?? 1 });
  }

  setState(microvmId: string, state: string): void {
    this.#find(microvmId).set(state, this.#now());
  }

  clear(): void {
    this.#failures = [];
    this.#calls = [];
  }

  run(input: RunMicrovmInput, signal: AbortSignal): Promise<MicrovmDescription> {
    return this.#call({ operation: 'run', input }, signal, () => {
      const known = this.#byClientToken.get(input.clientToken);
      if (known && !isDeepStrictEqual(onWire(known.input), onWire(input))) {
        throw serviceError('ConflictException', 'another input had this client token');
      }
      if (known) return known.describe(this.#now());
      const machine = new FakeMachine(`microvm-${this.#ids.newId()}`, input, this.#now(), this.#settleMs);
      this.#machines.set(machine.microvmId, machine);
      this.#byClientToken.set(input.clientToken, machine);
      return machine.describe(this.#now());
    });
  }

  get(microvmId: string, signal: AbortSignal): Promise<MicrovmDescription> {
    return this.#call({ operation: 'get', microvmId }, signal, () => this.#find(microvmId).describe(this.#now()));
  }

  async list(imageRef: string, signal: AbortSignal): Promise<readonly MicrovmSummary[]> {
    const all = [...this.#machines.values()].filter(({ input }) => input.imageRef === imageRef);
    const found: MicrovmSummary[] = [];
    for (let from = 0; from === 0 || from < all.length; from += this.#pageSize) {
      const page = await this.#call({ operation: 'list' }, signal, () => all.slice(from, from + this.#pageSize));
      found.push(...page.map((machine) => machine.describe(this.#now())));
    }
    return found;
  }

  suspend(microvmId: string, signal: AbortSignal): Promise<void> {
    return this.#change('suspend', microvmId, signal, ['RUNNING'], 'SUSPENDING');
  }

  resume(microvmId: string, signal: AbortSignal): Promise<void> {
    return this.#change('resume', microvmId, signal, ['SUSPENDED'], 'PENDING');
  }

  terminate(microvmId: string, signal: AbortSignal): Promise<void> {
    const states = ['PENDING', 'RUNNING', 'SUSPENDING', 'SUSPENDED', 'TERMINATING', 'TERMINATED'];
    return this.#change('terminate', microvmId, signal, states, 'TERMINATING');
  }

  authToken(
    input: { microvmId: string; expirationInMinutes: number; ports: readonly PortScope[] },
    signal: AbortSignal,
  ): Promise<SecretToken> {
    return this.#mint('authToken', input, input.ports, signal);
  }

  shellAuthToken(input: { microvmId: string; expirationInMinutes: number }, signal: AbortSignal): Promise<SecretToken> {
    return this.#mint('shellAuthToken', input, [], signal);
  }

  #mint(
    operation: string,
    { microvmId, expirationInMinutes }: { microvmId: string; expirationInMinutes: number },
    ports: readonly PortScope[],
    signal: AbortSignal,
  ): Promise<SecretToken> {
    return this.#call({ operation, microvmId, input: { expirationInMinutes, ports } }, signal, () => {
      this.#find(microvmId);
      // The form of the service's tokens: a JWE in compact form.
      const random = () => this.#ids.newId().replaceAll(/[^\w-]/g, '');
      const value = `eyJhbGciOiJkaXIifQ..${random()}.${random()}.${random()}`;
      this.#secrets.push(value);
      this.#tokens.set(value, { microvmId, ports, expiresAt: this.#now() + expirationInMinutes * 60_000 });
      return new SecretToken(value);
    });
  }

  #change(
    operation: string,
    microvmId: string,
    signal: AbortSignal,
    states: readonly string[],
    to: string,
  ): Promise<void> {
    return this.#call({ operation, microvmId }, signal, () => {
      const machine = this.#find(microvmId);
      const state = machine.look(this.#now());
      if (!states.includes(state)) throw serviceError('ConflictException', `microvm is ${state}`);
      if (state !== 'TERMINATED') machine.set(to, this.#now());
    });
  }

  #find(microvmId: string): FakeMachine {
    const machine = this.#machines.get(microvmId);
    if (!machine) throw serviceError('ResourceNotFoundException', `no microvm ${microvmId}`);
    return machine;
  }

  async #call<T>(call: FakeCall, signal: AbortSignal, run: () => T): Promise<T> {
    this.#calls = [...this.#calls.slice(1 - MAX_CALLS), call];
    const broken = this.#failures.find(({ failure, left }) => failure.operation === call.operation && left > 0);
    await Promise.resolve();
    signal.throwIfAborted();
    if (!broken) return run();
    broken.left -= 1;
    const { name, message = `secret text of ${name}`, applied = false, retryAfterSeconds } = broken.failure;
    if (applied) run();
    throw serviceError(name, message, retryAfterSeconds);
  }

  /** Simulates the service's proxy: checks the token and its port, resumes the machine, and removes the headers of the service. */
  async #send(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse> {
    const { authorize, times: _, ...rest } = request;
    const opened = Object.fromEntries(authorize()) as Readonly<Record<string, string>>;
    const token = this.#tokens.get(opened['X-aws-proxy-auth'] ?? '');
    const port = Number(opened['X-aws-proxy-port']);
    const machine = token && this.#machines.get(token.microvmId);
    this.#calls.push({ operation: 'send', ...(machine && { microvmId: machine.microvmId }) });
    const isOpen = token?.ports.some((scope) =>
      'port' in scope ? scope.port === port : scope.start <= port && port <= scope.end,
    );
    if (!machine || !isOpen || token.expiresAt <= this.#now() || machine.host !== request.host) return forbidden();
    if (!machine.wake(this.#now())) return forbidden();
    return this.#workload({ ...rest, microvmId: machine.microvmId, port }, signal);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

function onWire(input: RunMicrovmInput): unknown {
  return JSON.parse(JSON.stringify(input));
}

function forbidden(): TransportResponse {
  return { status: 403, headers: [['content-type', 'text/plain']], body: bytes('Forbidden') };
}

function answerOk(): TransportResponse {
  return { status: 200, headers: [['content-type', 'text/plain']], body: bytes('ok') };
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
