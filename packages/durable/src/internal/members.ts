import type { Logger, MetricOptions, SpanAttributes, SpanScope } from '@sallyport/core';
import { NO_SPAN } from '@sallyport/core/internal';
import type { Durable } from '../types.js';
import { quietLogger } from './quiet.js';

/** The operations without the types of their values. */
type Operations = { readonly execution: Durable['execution'] } & Readonly<
  Record<'step' | 'wait' | 'callback' | 'map', (...args: never[]) => Promise<unknown>>
>;

/** The members of a context that are silent during a replay. */
interface Observed {
  readonly log?: Logger;
  metric?(name: string, value: number, options?: MetricOptions): void;
  span?<T>(name: string, run: (span: SpanScope) => T, attributes?: SpanAttributes): T;
}

/** The members of a flow for its lines. */
interface Quiet {
  /** Fields of every line. */
  readonly fields: Readonly<Record<string, string>>;
  readonly isSilent: boolean;
}

/** The members of a flow that its context takes over. */
interface Replayed extends Quiet {
  now(): Date;
  newId(): string;
}

/** Adds the operations to the one context that a record or request has. */
export function addOperations(context: object, operations: Operations): void {
  define(context, {
    execution: operations.execution,
    step: operations.step.bind(operations),
    wait: operations.wait.bind(operations),
    callback: operations.callback.bind(operations),
    map: operations.map.bind(operations),
  });
}

/** Replaces the members that differ inside an execution: time, ids, and lines, which are written once. */
export function addReplayRules(context: object, scope: Replayed): void {
  define(context, { now: () => scope.now(), newId: () => scope.newId() });
  addQuiet(context, scope);
}

/** Replaces the members that write lines, metrics and spans, once for each context. */
export function addQuiet(context: object, scope: Quiet): void {
  if (Object.hasOwn(context, 'log')) return;
  const { log, metric, span } = context as Observed;
  define(context, {
    ...(log && { log: quietLogger(log.with(scope.fields), scope) }),
    ...(metric && {
      metric: (...args: Parameters<typeof metric>) => (scope.isSilent ? undefined : metric.apply(context, args)),
    }),
    ...(span && {
      span: <T>(name: string, run: (span: SpanScope) => T, attributes?: SpanAttributes): T =>
        scope.isSilent ? run(NO_SPAN) : (span.call(context, name, run as never, attributes) as T),
    }),
  });
}

function define(context: object, members: object): void {
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(context, name, { value, configurable: true, enumerable: false, writable: false });
  }
}
