import {
  FrameworkError,
  type Handler,
  type Invocation,
  type LambdaContext,
  type MaybePromise,
  type Surface,
  type Target,
  type TriggerKind,
} from '@sallyport/core';
import {
  ContextState,
  handlerName,
  isPromise,
  logRefusal,
  type OutgoingResponse,
  remainingMs,
  type Scoped,
} from '@sallyport/core/internal';
import { defineOptions, integer, number, type OptionKinds, oneOf } from '@sallyport/core/options';
import {
  assertBoundParams,
  assertRouteHandler,
  type DescribePosture,
  type Exchange,
  type HttpSurface,
  hasFailed,
  isRequestId,
  type Kernel,
  type Observe,
  type Pipeline,
  type Registration,
  registrationError,
  reportFailure,
  toFrameworkError,
} from '@sallyport/http/internal';
import { createAppSyncPipeline, ResolverExchange } from '../internal/pipeline.js';
import { project, ResolverError, toErrorObject } from '../internal/project.js';
import {
  AppSyncTransport,
  type FieldNames,
  isResolverEvent,
  methodOf,
  namesOf,
  toRequest,
} from '../internal/read-event.js';
import type { AppSyncErrorObject } from '../resolver/event-types.js';
import {
  type AppSyncBatchHandler,
  BatchGroup,
  BatchSlot,
  type BatchSlots,
  mapLimited,
  toBatchElementHandler,
} from '../resolver/handlers.js';

const KIND = 'appsync';

/** GraphQL options of both containers. */
export interface AppSyncOptions {
  /** Concurrent elements of a batch invoke: a whole number, at least 1; default 10. */
  readonly batchConcurrency?: number;
  /**
   * Entries in the result of a batch invoke: payloads (`native`, the default), or `{ data, errorMessage, errorType }` (`envelope`).
   * AppSync reads the envelope if a batched direct Lambda resolver has no response function.
   */
  readonly batchResult?: 'native' | 'envelope';
  /** Milliseconds that must be left in the invocation when an element of a batch invoke starts; default 500. */
  readonly deadlineMarginMs?: number;
  /**
   * Result of a failed field: the error object (`object`, the default), for resolvers with a response function, or a rejection (`throw`),
   * for direct Lambda resolvers, which treat the error object as data. The rejection contains only the data of the error object: `message`
   * is its `error_message`, `name` its code, or its `error_type` if there is no code. A batch invoke always reports errors by position: a
   * rejection would fail all elements.
   */
  readonly errorMode?: 'object' | 'throw';
}

/** Validators and defaults for {@link AppSyncOptions}, for containers that include them in their options. */
export const APPSYNC_OPTION_KINDS = {
  batchConcurrency: integer(1).default(10),
  batchResult: oneOf('native', 'envelope').default('native'),
  deadlineMarginMs: number(0, undefined, 'milliseconds').default(500),
  errorMode: oneOf('object', 'throw').default('object'),
} satisfies OptionKinds<AppSyncOptions>;

const OPTIONS = defineOptions<AppSyncOptions>()(APPSYNC_OPTION_KINDS);

/** Arguments of {@link AppSyncSurface} from its container. */
export interface AppSyncSurfaceInit extends AppSyncOptions {
  /** The open container's HTTP routes, tried if no field matches. Default: only fields are served. */
  readonly http?: HttpSurface | undefined;
  /** Describes the posture of a field for `explain`. Default: `null`. */
  readonly describePosture?: DescribePosture;
}

/** A registered field, with a handler for one element or for a batch. */
interface Field {
  readonly registration: Registration;
  readonly batch: AppSyncBatchHandler | undefined;
}

/** The GraphQL operations of one container. */
export class AppSyncSurface implements Surface {
  /** The served kind: `appsync`. */
  readonly serves: readonly TriggerKind[] = [KIND];
  readonly #kernel: Kernel;
  readonly #options: ReturnType<typeof OPTIONS.parse>;
  readonly #http: HttpSurface | undefined;
  readonly #describePosture: DescribePosture | undefined;
  /** By parent type, then by name. */
  readonly #fields = new Map<string, Map<string, Field>>();
  readonly #slots: BatchSlots = new WeakMap();
  readonly #pipeline: Pipeline;
  readonly #observe: Observe | undefined;
  /** Converts the outcome of one event to its answer. */
  readonly #answer: (outcome: Outcome) => unknown;

  /** @throws FrameworkError `app.invalid_configuration` for an unknown or wrong option */
  constructor(kernel: Kernel, { http, describePosture, ...options }: AppSyncSurfaceInit = {}) {
    this.#kernel = kernel;
    this.#options = OPTIONS.parse(options);
    this.#http = http;
    this.#describePosture = describePosture;
    this.#answer = this.#options.errorMode === 'throw' ? payloadOrRejection : payloadOrErrorObject;
    this.#pipeline = createAppSyncPipeline(kernel, http);
    this.#observe = kernel.observation?.report;
  }

  /**
   * Registers the handler of a field.
   *
   * @param parentType the type that the field belongs to, trimmed: `Query`, `Mutation`, or a type of the schema
   * @param field its name, trimmed
   * @param posture the posture of the field; only in the secure container
   * @throws FrameworkError `app.bad_request` for a blank name, a handler that is not a function, or a field that has a handler
   */
  register(parentType: string, field: string, handler: Handler, posture?: unknown): void {
    this.#add(parentType, field, handler, posture, undefined);
  }

  /**
   * Registers the handler of a field whose elements of one invocation are answered together.
   *
   * @throws FrameworkError as in `register`
   */
  registerBatch(parentType: string, field: string, handler: AppSyncBatchHandler, posture?: unknown): void {
    assertRouteHandler(handler, `${parentType}.${field}`);
    this.#add(parentType, field, toBatchElementHandler(this.#slots, handler), posture, handler);
  }

  #add(parentType: string, field: string, handler: Handler, posture: unknown, batch: AppSyncBatchHandler | undefined) {
    const parent = typeof parentType === 'string' ? parentType.trim() : '';
    const name = typeof field === 'string' ? field.trim() : '';
    if (parent === '' || name === '') {
      throw new FrameworkError('app.bad_request', 'framework: appsync parent type and field are required');
    }
    const pattern = `${parent}.${name}`;
    assertRouteHandler(handler, pattern);
    assertBoundParams(handler, [], pattern);
    const fields = this.#fields.get(parent) ?? new Map<string, Field>();
    if (fields.has(name)) throw registrationError('duplicate route', pattern);
    const route = { surface: 'appsync', method: methodOf(parent), pattern } as const;
    this.#fields.set(parent, fields);
    fields.set(name, {
      registration: this.#kernel.book.register({ route, paramNames: [], handler, posture }),
      batch,
    });
  }

  #fieldOf({ parentType, field }: FieldNames): Field | undefined {
    return this.#fields.get(parentType)?.get(field);
  }

  /**
   * Answers a resolver event, or the list of a batch invoke.
   *
   * @throws FrameworkError `dispatch.not_an_object` for an empty list
   */
  serve(_kind: TriggerKind, event: unknown, { lambdaContext }: Invocation): Promise<unknown> {
    return Array.isArray(event) ? this.#serveBatch(event, lambdaContext) : this.#serveOne(event, lambdaContext);
  }

  /** The handler that an event would reach; for a list, the handler of the first event. Runs nothing. */
  explainTarget(_kind: TriggerKind, event: unknown): Target {
    const first: unknown = Array.isArray(event) ? event[0] : event;
    const names = namesOf(first);
    const projection = 'payload';
    const registration = this.#fieldOf(names)?.registration ?? this.#httpFallback(names);
    const route = `${names.parentType}.${names.field}`;
    if (!registration) return { route, handler: null, posture: null, outcome: 'not_found', projection };
    const posture = this.#describePosture?.(registration.posture) ?? null;
    return { route, handler: handlerName(registration.handler), posture, outcome: 'handled', projection };
  }

  #httpFallback({ parentType, field }: FieldNames): Registration | undefined {
    return this.#http?.match(methodOf(parentType), `/${field}`)?.registration;
  }

  #serveOne(event: unknown, lambdaContext: LambdaContext | undefined): Promise<unknown> {
    const names = namesOf(event);
    const field = this.#fieldOf(names);
    const group = field?.batch && new BatchGroup(field.batch, 1);
    const outcome = this.#run(this.#open({ event, names, field, group, suffix: '' }, lambdaContext));
    return isPromise(outcome) ? outcome.then(this.#answer) : Promise.resolve(this.#answer(outcome));
  }

  async #serveBatch(events: readonly unknown[], lambdaContext: LambdaContext | undefined): Promise<unknown[]> {
    if (events.length === 0) {
      const error = new FrameworkError('dispatch.not_an_object', 'framework: event must be an object');
      logRefusal(this.#kernel.runtime.log, error, lambdaContext, KIND);
      throw error;
    }
    const read = events.map((event) => {
      const names = namesOf(event);
      return { event, names, field: this.#fieldOf(names) };
    });
    const groups = createGroups(read);
    const elements = read.map((item, index) => {
      const group = item.field && groups.get(item.field);
      return this.#open({ ...item, group, suffix: `#${index}` }, lambdaContext);
    });
    // Elements of batch fields wait for each other, so they must not wait for a free place.
    const started = new Map(elements.filter(({ slot }) => slot).map((element) => [element, this.#start(element)]));
    const limit = this.#options.batchConcurrency;
    const outcomes = await mapLimited(elements, limit, (element) => started.get(element) ?? this.#start(element));
    return outcomes.map((outcome) => this.#toListEntry(outcome));
  }

  #open({ event, names, field, group, suffix }: ReadEvent, lambdaContext: LambdaContext | undefined): Element {
    const state = new ContextState(this.#kernel.runtime, toRequest(event, names), KIND, event, lambdaContext);
    state.transport = new AppSyncTransport(event);
    if (this.#kernel.tier !== 'p0') state.requestId = requestIdOf(state, suffix);
    const slot = group && new BatchSlot(group);
    if (slot) this.#slots.set(state, slot);
    return { exchange: new ResolverExchange(state, isResolverEvent(event, names), field?.registration), slot };
  }

  /** Starts one element of a batch, in an execution as a separate flow. */
  async #start(element: Element): Promise<Outcome> {
    const { state } = element.exchange;
    const scope = (state.lambdaContext as Scoped | undefined)?.['sallyport.execution'];
    if (!scope) return this.#startInTime(element);
    try {
      return await scope.element(state, async () => {
        const outcome = await this.#startInTime(element);
        return 'payload' in outcome ? { payload: outcome.payload ?? null } : outcome;
      });
    } catch (error) {
      return { error: toErrorObject(error, state) };
    } finally {
      // An element that an earlier invocation has answered is not in its group.
      element.slot?.close();
    }
  }

  /** Starts one element of a batch, unless the time is up. */
  async #startInTime(element: Element): Promise<Outcome> {
    const { state } = element.exchange;
    const left = remainingMs(state.lambdaContext);
    const margin = this.#options.deadlineMarginMs;
    if (left === 0 || left >= margin) return this.#run(element);
    element.slot?.close();
    return { error: toErrorObject(new FrameworkError('app.timeout'), state) };
  }

  #run(element: Element): MaybePromise<Outcome> {
    const response = this.#pipeline.run(element.exchange);
    return isPromise(response) ? response.then((settled) => this.#end(element, settled)) : this.#end(element, response);
  }

  #end({ exchange, slot }: Element, response: OutgoingResponse): MaybePromise<Outcome> {
    slot?.close();
    const outcome = this.#conclude(exchange, response);
    exchange.state.end(hasFailed(exchange, response));
    const deliveries = exchange.state.kept && exchange.state.settleDeliveries();
    return deliveries ? deliveries.then(() => outcome) : outcome;
  }

  #conclude(exchange: Exchange, response: OutgoingResponse): Outcome {
    const projection = project(exchange, response);
    if ('payload' in projection) {
      this.#observe?.(exchange, response, () => response.body.byteLength);
      return projection;
    }
    reportFailure(exchange, projection.error);
    exchange.error = toFrameworkError(projection.error);
    response.status = exchange.error.status;
    this.#observe?.(exchange, response, () => 0);
    return { error: toErrorObject(projection.error, exchange.state) };
  }

  #toListEntry(outcome: Outcome): unknown {
    const native = this.#options.batchResult !== 'envelope';
    if ('payload' in outcome) {
      return native ? outcome.payload : { data: outcome.payload, errorMessage: null, errorType: null };
    }
    const { error } = outcome;
    return native ? error : { data: null, errorMessage: error.error_message, errorType: error.error_info.code ?? null };
  }
}

/** A parsed event: its field, and the group of its batch field. */
interface ReadEvent {
  readonly event: unknown;
  readonly names: FieldNames;
  readonly field: Field | undefined;
  readonly group: BatchGroup | undefined;
  /** Appended to the invocation's request id. */
  readonly suffix: string;
}

interface Element {
  readonly exchange: Exchange;
  /** Set for batch fields only. */
  readonly slot: BatchSlot | undefined;
}

type Outcome = { readonly payload: unknown } | { readonly error: AppSyncErrorObject };

function payloadOrErrorObject(outcome: Outcome): unknown {
  return 'payload' in outcome ? outcome.payload : outcome.error;
}

function payloadOrRejection(outcome: Outcome): unknown {
  return 'payload' in outcome ? outcome.payload : Promise.reject(new ResolverError(outcome.error));
}

/** The forwarded id if it is printable; else the request id of the invocation, or a new id, followed by the element's position. */
function requestIdOf({ request, lambdaContext, runtime }: ContextState, suffix: string): string {
  const sent = request.headerValues('x-request-id')[0];
  if (isRequestId(sent)) return sent;
  return `${lambdaContext?.awsRequestId?.trim() || runtime.ids.newId()}${suffix}`;
}

/** Creates the group of each batch field, with the number of its elements. */
function createGroups(read: readonly { readonly field: Field | undefined }[]): Map<Field, BatchGroup> {
  const sizes = new Map<Field, number>();
  for (const { field } of read) if (field?.batch) sizes.set(field, (sizes.get(field) ?? 0) + 1);
  return new Map(
    [...sizes].map(([field, size]) => [field, new BatchGroup(field.batch as AppSyncBatchHandler, size)] as const),
  );
}
