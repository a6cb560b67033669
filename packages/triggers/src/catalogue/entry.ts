import type { Surface } from '@sallyport/core';
import type { EventContext } from '@sallyport/streams/delivery';
import type { SurfaceRow, TriggerShape } from '../internal/surface.js';

/** A handler that fits every kind, for tests. Its result is the kind's {@link TriggerSample.result}. */
export type SampleHandler = <E>(ctx: EventContext, event: E) => Promise<never>;

/** A handler and the name that it is registered under; the name is `''` for kinds without names. */
export type SampleRegistration = readonly [name: string, handler: SampleHandler];

/** Events for tests, and the registrations that receive them. */
export interface TriggerSample {
  /** The builder of an event, exported by `@sallyport/triggers/testing`. */
  readonly build: (...args: never[]) => object;
  /** Events as the service sends them, each with its natural key; `undefined` for an event without a natural key. */
  readonly events: readonly (readonly [event: object, key: string | undefined])[];
  /** Names of the handlers that receive the events: `['']` for a handler without a name, `[]` for a kind without handlers. */
  readonly names: readonly string[];
  /** The alias that the events are sent to, for a kind that only an alias selects. Default: none. */
  readonly alias?: string;
  /** True if the option `client` reports the result to the service. */
  readonly sends?: true;
  /** A result of a handler that the service accepts. Default `undefined`. */
  readonly result?: unknown;
  /** `caller` if the caller chooses the members of an event, so that no AWS documentation lists them. Default `service`. */
  readonly members?: 'service' | 'caller';
  /** Makes the surface with these handlers. Without options, it serves the events above. */
  register(handlers: readonly SampleRegistration[], options?: never): Surface;
}

/** The half of a trigger for tests and tools; its file in `kinds/` has the half that runs. */
export interface TriggerTools {
  /** Events for tests. */
  readonly sample: TriggerSample;
  /** Its section of `docs/triggers.md`, and its rows in the README: exports, and what they do. */
  readonly docs: { readonly section: string; readonly rows: readonly (readonly [exports: string, what: string])[] };
  /** The method of `ServiceWiring` in `@sallyport/constructs` that attaches it; `null` if no construct does. */
  readonly construct:
    | 's3'
    | 'kafka'
    | 'cognito'
    | 'firehose'
    | 'authorizer'
    | 'appSyncAuthorizer'
    | 'appSyncEvents'
    | 'mq'
    | 'documentDb'
    | 'ses'
    | 'secret'
    | 'customResource'
    | 'alarms'
    | 'payload'
    | null;
  /** The source of `triggers` in `@sallyport/testkit` that delivers its events; `null` for a caller that waits for one answer. */
  readonly simulate:
    | 'asynchronous'
    | 'kafka'
    | 'firehose'
    | 'blocking'
    | 'batchJob'
    | 'rotation'
    | 'customResource'
    | 'pipe'
    | 'window'
    | 'pipelineJob'
    | null;
  /** The behaviour of AWS, for the table of all kinds. */
  readonly aws: {
    /** Authors of the members of an event. */
    readonly author: string;
    /** AWS's reaction to an error of the function and to its timeout. */
    readonly failure: string;
    /** The largest answer that the service reads. */
    readonly limit: string;
    /** The resource that names the function, for a kind that no construct attaches. */
    readonly attached?: string;
  };
  /**
   * The hint of `explain` for an event that no registered trigger accepts: the nearest kind of the fixed table, a name, and the member that
   * identifies the event, with its values. Absent: `explain` shows only the failed conditions.
   */
  readonly hint?: readonly [near: string, name: string, place: string, ...values: string[]];
  /** The budget of a bundle with this trigger alone: the function that makes it, and the most gzip bytes. */
  readonly sizes: { readonly factory: string; readonly gzipBytes: number };
}

/** One kind in the catalogue. */
export interface CatalogueEntry<K extends string = string> extends TriggerTools {
  /** The kind of its events. */
  readonly kind: K;
  /** The conditions that detect its events; empty for a kind that only an alias selects. */
  readonly anyOf: SurfaceRow['anyOf'];
  /** The answer to the service. */
  readonly answer: string;
}

/** Describes a trigger for tests and tools. @internal */
export function describeTrigger<K extends string>(
  { kind, anyOf, answer = 'response of a route' }: TriggerShape & { readonly kind: K; readonly answer?: string },
  tools: TriggerTools,
): CatalogueEntry<K> {
  return { kind, anyOf, answer, ...tools };
}

/**
 * The sample events of a kind, for a registered name: the name replaces the first name of the sample. A pattern (`*`) replaces
 * nothing.
 *
 * @param name the name of a registration; `''` for the sample's own name
 */
export function samplesFor({ sample }: Pick<TriggerTools, 'sample'>, name = ''): readonly unknown[] {
  const [first = ''] = sample.names;
  return sample.events.map(([event]): unknown => {
    const text = JSON.stringify(event);
    const isKept = first === '' || name === '' || name.includes('*');
    return JSON.parse(isKept ? text : text.replaceAll(first, () => JSON.stringify(name).slice(1, -1)));
  });
}
