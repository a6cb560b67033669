import {
  type Clock,
  type DoorsOptions,
  type Environment,
  FrameworkError,
  type IdGenerator,
  type Logger,
  type Middleware,
  type PolicyHook,
  randomIds,
} from '@sallyport/core';
import {
  type ContextRuntime,
  type ContextState,
  completeClock,
  copyPrincipal,
  createDoorGuard,
  parseLog,
  reportHooks,
} from '@sallyport/core/internal';
import {
  boolean,
  func,
  group,
  integer,
  invalidOption,
  kind,
  oneOf,
  parsed,
  withMethods,
} from '@sallyport/core/options';
import { parseForm } from '#forms';
import { observe } from '#observability';
import { isMiddleware, type Registration, type RegistrationInit, type Run } from '../routing/registration.js';
import { HTTP_ERROR_FORMAT_FLAT_LEGACY, HTTP_ERROR_FORMAT_NESTED, HTTP_ERROR_FORMAT_PROBLEM } from './error-body.js';
import type { Observation } from './observation.js';
import { composeChain } from './run.js';
import type { Gate } from './stages.js';

/**
 * The amount of work of the pipeline: P0 routes and gates, P1 adds request ids, CORS and limits, P2 adds policy and observability.
 */
export type Tier = 'p0' | 'p1' | 'p2';

/** Sizes in bytes; 0 means only the front door's limit. */
export interface Limits {
  /** Maximum size of a request body in bytes, after base64 decoding. A larger body is answered with 413. Default 0. */
  readonly maxRequestBytes?: number;
  /** Maximum size of an answer body in bytes. A larger body is answered with 413 and logged as a failure. Default 0. */
  readonly maxResponseBytes?: number;
}

/** The data that all surfaces of one container share. */
export interface Kernel {
  /** The values of the container that contexts use. */
  readonly runtime: ContextRuntime;
  /** The tier of the pipelines. */
  readonly tier: Tier;
  /** Limits on bodies. */
  readonly limits: Limits;
  /** Called for every routed request, at tier P2. */
  readonly policyHook: PolicyHook | undefined;
  /** Receives every request, at tier P2. */
  readonly observation: Observation | undefined;
  /** Accepts a caller, or throws. */
  readonly gate: Gate;
  /** The operations and middlewares. */
  readonly book: RegistrationBook;
}

/** The differences between the kinds of containers. */
export interface KernelInit extends Partial<Pick<ContextRuntime, 'copyPrincipal'>>, Pick<ContextRuntime, 'tenantOf'> {
  /** Accepts a caller, or throws. */
  readonly gate: Gate;
  /** Creates the guard of the front doors. @throws FrameworkError for a malformed variable */
  readonly toDoors: ToDoors;
}

/** Creates the guard of the front doors, from an option or from the variable `FRAMEWORK_DOORS`; `undefined` if no door is named. */
export type ToDoors = (environment: Environment, log: Logger) => ContextRuntime['doors'];

/** The settings of a kernel; the options were checked before. */
export interface KernelOptions {
  /** Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** The generator of request ids. Default: random. */
  readonly ids?: IdGenerator | undefined;
  /** Receives failures and the lines of `ctx.log`; `false` to turn off logging. */
  readonly log?: Logger | false | undefined;
  /** Environment variables instead of `process.env`. */
  readonly environment?: Environment | undefined;
  /** Default `p2`. */
  readonly tier?: Tier | undefined;
  /** Limits on bodies. */
  readonly limits?: Limits | undefined;
  /** Called for every routed request. */
  readonly policyHook?: PolicyHook | undefined;
}

/** Stage names at the start of the trace of every request above tier P0. */
const TRACE_HEAD = ['request_id', 'recovery', 'logging'];

/**
 * The shared part of a container. A bundle contains the code for observability only when `observation` is given.
 *
 * @throws FrameworkError `app.invalid_configuration` for a variable `FRAMEWORK_DOORS` that is malformed
 */
export function assembleKernel(
  options: KernelOptions,
  observation: Observation | undefined,
  { gate, toDoors, ...own }: KernelInit,
): Kernel {
  const environment = options.environment ?? process.env;
  const log = parseLog(options.log, environment);
  const { tier = 'p2', limits = {}, policyHook } = options;
  const observed = tier === 'p2' ? observation : undefined;
  const runtime: ContextRuntime = {
    clock: completeClock(options.clock),
    ids: options.ids ?? randomIds,
    log,
    environment,
    parseForm,
    traceHead: tier === 'p0' ? [] : TRACE_HEAD,
    ...own,
    observability: observed && reportHooks(observed.hooks, log),
    doors: toDoors(environment, log),
  };
  return { runtime, tier, limits, policyHook, observation: observed, gate, book: new RegistrationBook() };
}

/**
 * The shared part of a container whose option `observability` is an object of hooks.
 */
export function createKernel(
  options: KernelOptions & {
    readonly observability?: Observation['hooks'] | undefined;
    readonly doors?: DoorsOptions | undefined;
  },
  init: Omit<KernelInit, 'toDoors'>,
): Kernel {
  const toDoors: ToDoors = (environment, log) => createDoorGuard(options.doors, environment, log);
  return assembleKernel(options, observe(options.observability ?? {}), { copyPrincipal, toDoors, ...init });
}

/** The tenant in the open container, as in the legacy contract: from the header, else from the query. */
export function legacyTenant(state: ContextState): string {
  const header = state.request.headerValues('x-tenant-id')[0]?.trim() ?? '';
  return header === '' ? (state.request.query.tenant?.[0]?.trim() ?? '') : header;
}

/**
 * The options that a router and all containers share. They are separate from the other options to keep the bundle of a router
 * small.
 */
export const ROUTER_KINDS = {
  clock: withMethods<Clock>('now'),
  ids: withMethods<IdGenerator>('newId'),
  httpErrorFormat: oneOf(HTTP_ERROR_FORMAT_NESTED, HTTP_ERROR_FORMAT_PROBLEM, HTTP_ERROR_FORMAT_FLAT_LEGACY),
  limits: group<Limits>()({
    maxRequestBytes: integer(0, Number.MAX_SAFE_INTEGER, 'bytes'),
    maxResponseBytes: integer(0, Number.MAX_SAFE_INTEGER, 'bytes'),
  }),
  policyHook: func<PolicyHook>(),
  log: parsed<Logger | false>('false or a Logger', (value) => {
    parseLog(value, {});
    return value as Logger | false;
  }),
  environment: kind<Environment>('an object of variables', (value) => typeof value === 'object' && value !== null),
  basePath: parsed<string | readonly string[]>('a path or a list of paths', parseBasePath),
  autoHead: boolean,
};

/**
 * The prefixes, longest first.
 *
 * @throws FrameworkError `app.invalid_configuration` for anything but paths of whole segments
 */
export function parseBasePath(basePath: unknown): readonly string[] {
  const list: unknown[] = basePath === undefined ? [] : Array.isArray(basePath) ? basePath : [basePath];
  const isPath = (prefix: unknown): prefix is string => typeof prefix === 'string' && /^(\/[^/?#]+)+$/.test(prefix);
  if (!list.every(isPath)) {
    throw invalidOption('basePath', 'a path of whole segments such as /api, or a list of them');
  }
  return [...list].sort((a, b) => b.length - a.length);
}

const TOO_MANY_PARAMETERS =
  'framework: middleware must be a function of (ctx, next), which returns an answer: return next(ctx)';

/** The operations of a container and the middlewares around each of them; shared by its surfaces. */
export class RegistrationBook {
  readonly #middlewares: Middleware[] = [];
  readonly #registrations: { -readonly [K in keyof Registration]: Registration[K] }[] = [];

  /** Builds the chain here once, and again only when a middleware is added. */
  register(init: RegistrationInit): Registration {
    const use = toFrozenList(init.use);
    const registration = {
      ...init,
      route: Object.freeze(init.route),
      authRequired: init.authRequired ?? false,
      use,
      tags: toFrozenList(init.tags),
      run: this.#compose({ use, handler: init.handler }),
    };
    this.#registrations.push(registration);
    return registration;
  }

  /**
   * Adds a middleware inside the existing ones, around every operation, also those registered before.
   *
   * @throws FrameworkError `app.bad_request` when it is not a function
   */
  use(middleware: Middleware): void {
    if (typeof middleware !== 'function') {
      throw new FrameworkError('app.bad_request', 'framework: middleware must be a function');
    }
    if (!isMiddleware(middleware)) throw new FrameworkError('app.bad_request', TOO_MANY_PARAMETERS);
    this.#middlewares.push(middleware);
    for (const registration of this.#registrations) registration.run = this.#compose(registration);
  }

  #compose({ use, handler }: Pick<Registration, 'use' | 'handler'>): Run {
    return composeChain(use.length === 0 ? this.#middlewares : [...this.#middlewares, ...use], handler);
  }

  /** In the order of registration. */
  get all(): readonly Registration[] {
    return this.#registrations;
  }
}

const NOTHING: readonly never[] = Object.freeze([]);

/** A frozen copy. Most operations have no separate middlewares and tags; they share one list. */
function toFrozenList<T>(given: readonly T[] = NOTHING): readonly T[] {
  return given.length === 0 ? NOTHING : Object.freeze([...given]);
}
