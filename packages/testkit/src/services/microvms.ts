import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Agent } from 'node:https';
import type { Clock } from '@sallyport/core';
import { completeClock } from '@sallyport/core/internal';
import { defineOptions, func, integer, object, withMethods } from '@sallyport/core/options';
import { startEndpoints } from './internal/machine-endpoints.js';
import { type Service, ServiceError, startService } from './service.js';

/** Replaces the program in every machine. */
export type MachineProgram = (
  request: IncomingMessage,
  response: ServerResponse,
  machine: { readonly microvmId: string; readonly port: number },
) => void;

/** Options of {@link startMicrovms}. */
export interface MicrovmsOptions {
  /** The module `@aws-sdk/client-lambda-microvms`, whose schemas define the operations. */
  readonly sdk: object;
  /** Answers for the programs in the machines. Default: 200 with the body `ok`. */
  readonly program?: MachineProgram;
  /** Duration of a change of state in milliseconds. Default 0: the next request shows it. */
  readonly settleMs?: number;
  /** The clock for the lifetimes of machines and tokens. Default: the system clock. */
  readonly clock?: Clock;
}

/** Validators and defaults for {@link MicrovmsOptions}. */
const OPTIONS = defineOptions<MicrovmsOptions>()({
  sdk: object().required(),
  program: func<MachineProgram>(),
  settleMs: integer(0).default(0),
  clock: withMethods<Clock>('now'),
});

/** A machine of the local service. */
export interface StandInMachine {
  /** Its id. */
  readonly microvmId: string;
  /** Its state as the service names it. */
  readonly state: string;
  /** The payload that its `run` hook received. */
  readonly runHookPayload: string;
}

/** A local AWS Lambda MicroVMs service. */
export interface MicrovmsService extends Service {
  /** Connects to the endpoints of the machines for any host name: the option `agent` of an HTTPS client. It checks their certificate. */
  readonly agent: Agent;
  /** Port of the endpoints on loopback, and the authority of their certificate as PEM: for agents of other processes. */
  readonly endpoints: { readonly port: number; readonly ca: string };
  /** All issued tokens. */
  readonly secrets: readonly string[];
  /** All started machines, in the order of their start. */
  readonly machines: readonly StandInMachine[];
  /** Puts a machine into a state of the service, as idling or a crash does. */
  setState(microvmId: string, state: string): void;
}

type Input = Readonly<Record<string, unknown>>;

interface Token {
  readonly microvmId: string;
  readonly ports: readonly (readonly [number, number])[];
  readonly expiresAt: number;
}

const HOST = 'lambda-microvm.eu-west-1.on.aws';
const NEXT: Readonly<Record<string, string>> = {
  PENDING: 'RUNNING',
  SUSPENDING: 'SUSPENDED',
  TERMINATING: 'TERMINATED',
};
const MAX_SECONDS = 28_800;
const PAGE = 50;

/**
 * Starts a local server for AWS Lambda MicroVMs: machines in memory with the service's wire protocol. Their TLS endpoints require
 * a token and a port, and remove the service's own headers.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/microvms-networking.html
 * @example
 * const sdk = await import('@aws-sdk/client-lambda-microvms');
 * const service = await startMicrovms({ sdk, program: (request, response) => response.end('hello') });
 */
export async function startMicrovms(options: MicrovmsOptions): Promise<MicrovmsService> {
  const { sdk, program = answerOk, settleMs, clock } = OPTIONS.parse(options);
  const machines = new Machines(settleMs, completeClock(clock));
  const endpoints = await startEndpoints([`*.${HOST}`], (request, response) => {
    const machine = machines.open(request);
    if (!machine) return void response.writeHead(403, { 'content-type': 'text/plain' }).end('Forbidden');
    for (const name of Object.keys(request.headers)) if (name.startsWith('x-aws-proxy-')) delete request.headers[name];
    program(request, response, machine);
  });
  const service = await startService({
    sdk,
    handlers: {
      RunMicrovm: (input) => machines.run(input),
      GetMicrovm: ({ microvmIdentifier }) => machines.find(microvmIdentifier).describe(machines.now()),
      ListMicrovms: (input) => machines.list(input),
      SuspendMicrovm: (input) => machines.change(input, ['RUNNING'], 'SUSPENDING'),
      ResumeMicrovm: (input) => machines.change(input, ['SUSPENDED'], 'PENDING'),
      TerminateMicrovm: (input) =>
        machines.change(input, Object.keys(NEXT).concat('RUNNING', 'SUSPENDED', 'TERMINATED'), 'TERMINATING'),
      CreateMicrovmAuthToken: (input) => machines.mint(input, (input.allowedPorts as readonly Input[]).map(toRange)),
      CreateMicrovmShellAuthToken: (input) => machines.mint(input, []),
    },
  });
  const { stop } = service;
  return Object.defineProperties(service, {
    agent: { value: endpoints.agent },
    endpoints: { value: { port: endpoints.port, ca: endpoints.ca } },
    secrets: { get: () => [...machines.secrets] },
    machines: { get: () => machines.all() },
    setState: { value: (id: string, state: string) => machines.find(id).set(state, machines.now()) },
    stop: {
      value: async () => {
        await Promise.all([stop.call(service), endpoints.stop()]);
      },
    },
  }) as MicrovmsService;
}

function answerOk(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
}

function toRange({ port, range }: Input): readonly [number, number] {
  if (typeof port === 'number') return [port, port];
  const { startPort, endPort } = (range ?? {}) as Input;
  if (typeof startPort !== 'number' || typeof endPort !== 'number') throw invalid('a port or a range is required');
  return [startPort, endPort];
}

class Machines {
  readonly secrets: string[] = [];
  readonly #settleMs: number;
  readonly #clock: Clock;
  readonly #machines = new Map<string, Machine>();
  readonly #byClientToken = new Map<string, { readonly machine: Machine; readonly input: string }>();
  readonly #tokens = new Map<string, Token>();

  constructor(settleMs: number, clock: Clock) {
    this.#settleMs = settleMs;
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now().getTime();
  }

  all(): readonly StandInMachine[] {
    return [...this.#machines.values()].map((machine) => ({
      microvmId: machine.microvmId,
      state: machine.look(this.now()),
      runHookPayload: String(machine.input.runHookPayload ?? ''),
    }));
  }

  find(microvmId: unknown): Machine {
    const machine = this.#machines.get(String(microvmId));
    if (!machine) throw new ServiceError('ResourceNotFoundException', 404, `MicroVM ${String(microvmId)} not found`);
    return machine;
  }

  run(input: Input): object {
    const { clientToken, maximumDurationInSeconds: seconds = MAX_SECONDS, runHookPayload = '' } = input;
    if (!(Number(seconds) >= 1 && Number(seconds) <= MAX_SECONDS)) throw invalid('maximumDurationInSeconds');
    if (Buffer.byteLength(String(runHookPayload)) > 16_384) throw invalid('runHookPayload');
    const text = JSON.stringify(input);
    const known = clientToken === undefined ? undefined : this.#byClientToken.get(String(clientToken));
    if (known && known.input !== text)
      throw new ServiceError('ConflictException', 409, 'another request had this token');
    if (known) return known.machine.describe(this.now());
    const machine = new Machine(input, this.now(), this.#settleMs);
    this.#machines.set(machine.microvmId, machine);
    if (clientToken !== undefined) this.#byClientToken.set(String(clientToken), { machine, input: text });
    return machine.describe(this.now());
  }

  list({ imageIdentifier, maxResults = PAGE, nextToken = '0' }: Input): object {
    const all = [...this.#machines.values()].filter(({ input }) => {
      return imageIdentifier === undefined || input.imageIdentifier === imageIdentifier;
    });
    const from = Number(nextToken);
    const to = from + Number(maxResults);
    return {
      items: all.slice(from, to).map((machine) => machine.summarise(this.now())),
      ...(to < all.length && { nextToken: String(to) }),
    };
  }

  change({ microvmIdentifier }: Input, states: readonly string[], to: string): object {
    const machine = this.find(microvmIdentifier);
    const state = machine.look(this.now());
    if (!states.includes(state)) throw new ServiceError('ConflictException', 409, `MicroVM is ${state}`);
    if (state !== 'TERMINATED') machine.set(to, this.now());
    return {};
  }

  mint({ microvmIdentifier, expirationInMinutes }: Input, ports: Token['ports']): object {
    const { microvmId } = this.find(microvmIdentifier);
    const minutes = Number(expirationInMinutes);
    if (!(minutes >= 1 && minutes <= 60)) throw invalid('expirationInMinutes');
    const part = () => randomUUID().replaceAll('-', '');
    const value = `eyJhbGciOiJkaXIifQ..${part()}.${part()}.${part()}`;
    this.secrets.push(value);
    this.#tokens.set(value, { microvmId, ports, expiresAt: this.now() + minutes * 60_000 });
    return { authToken: { 'X-aws-proxy-auth': value } };
  }

  /** The machine that a request may reach: by its token, its port and its host. */
  open(request: IncomingMessage): { readonly microvmId: string; readonly port: number } | undefined {
    const token = this.#tokens.get(String(request.headers['x-aws-proxy-auth']));
    const port = Number(request.headers['x-aws-proxy-port'] ?? 8080);
    const isOpen = token?.ports.some(([from, to]) => from <= port && port <= to) && token.expiresAt > this.now();
    const machine = token && this.#machines.get(token.microvmId);
    if (!isOpen || !machine || request.headers.host !== machine.host || !machine.wake(this.now())) return undefined;
    return { microvmId: machine.microvmId, port };
  }
}

class Machine {
  readonly microvmId = `microvm-${randomUUID()}`;
  readonly input: Input;
  readonly #startedAt: number;
  readonly #settleMs: number;
  #state = 'PENDING';
  #since: number;
  #terminatedAt: number | undefined;

  constructor(input: Input, now: number, settleMs: number) {
    this.input = input;
    this.#startedAt = now;
    this.#since = now;
    this.#settleMs = settleMs;
  }

  get host(): string {
    return `${this.microvmId}.${HOST}`;
  }

  set(state: string, now: number): void {
    this.#state = state;
    this.#since = now;
    if (state.startsWith('TERMINAT')) this.#terminatedAt ??= now;
  }

  look(now: number): string {
    const seconds = Number(this.input.maximumDurationInSeconds ?? MAX_SECONDS);
    if (now >= this.#startedAt + seconds * 1000 && this.#state !== 'TERMINATED') this.set('TERMINATED', now);
    const next = NEXT[this.#state];
    if (next !== undefined && now - this.#since >= this.#settleMs) this.set(next, now);
    return this.#state;
  }

  wake(now: number): boolean {
    const state = this.look(now);
    const { autoResumeEnabled = false } = (this.input.idlePolicy ?? {}) as Input;
    if (state === 'SUSPENDED' && autoResumeEnabled === true) this.set('RUNNING', now);
    return this.#state === 'RUNNING' || this.#state === 'PENDING';
  }

  /** Times are epoch seconds on the wire. */
  summarise(now: number): object {
    return {
      microvmId: this.microvmId,
      state: this.look(now),
      imageArn: this.input.imageIdentifier,
      imageVersion: this.input.imageVersion ?? '1.0',
      startedAt: this.#startedAt / 1000,
    };
  }

  describe(now: number): object {
    const { idlePolicy, ingressNetworkConnectors, egressNetworkConnectors, executionRoleArn } = this.input;
    return {
      ...this.summarise(now),
      endpoint: `https://${this.host}`,
      maximumDurationInSeconds: this.input.maximumDurationInSeconds ?? MAX_SECONDS,
      stateReason: 'internal text that must reach no client',
      idlePolicy,
      ingressNetworkConnectors,
      egressNetworkConnectors,
      executionRoleArn,
      ...(this.#terminatedAt !== undefined && { terminatedAt: this.#terminatedAt / 1000 }),
    };
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('ValidationException', 400, message);
}
