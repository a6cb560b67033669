import type { AppSyncOptions } from '@sallyport/appsync';
import type { Clock, IdGenerator, Observability, Surface } from '@sallyport/core';
import { boolean, integer, kind, number, OptionKind, oneOf, withMethods } from '@sallyport/core/options';
import { parseObservability } from '@sallyport/core/pipeline';
import type { OpenPipelineOptions } from '@sallyport/http';
import { assertPipelineOptions } from '@sallyport/http/pipeline';
import type { EventRouterOptions } from '@sallyport/streams';
import type { DirectInvocations } from '../dispatcher.js';

/** Options that only event registrations read. */
export type EventOptions = Pick<
  EventRouterOptions,
  'streamFailureIdentifier' | 'queueConcurrency' | 'deadlineMarginMs' | 'maskErrors'
>;

/** Options for triggers outside the fixed table, and for invocations by no trigger, of both containers. */
export interface SurfaceOptions {
  /** Surfaces for triggers outside the fixed table, in the order in which their rows are tried; at most 32. */
  readonly surfaces?: readonly Surface[];
  /**
   * What becomes of direct invocations (a client context, or a Cognito identity, in the Lambda context) that no surface
   * accepts: `serve` them as if they came from a trigger, or `refuse` them. `serve` by default, `refuse` in `SecureApp`.
   */
  readonly directInvocations?: DirectInvocations;
}

/** Options of `createApp`. An unknown key is rejected at construction. */
export type AppOptions = OpenPipelineOptions & EventOptions & AppSyncOptions & SurfaceOptions;

/** Names of the options of `streams` that a container takes. */
export const EVENT_OPTIONS: readonly string[] = [
  'streamFailureIdentifier',
  'queueConcurrency',
  'deadlineMarginMs',
  'maskErrors',
  'clock',
  'ids',
  'environment',
  'observability',
  'log',
];

/** An option that the pipeline checks; its error says what the option must be. */
function pipelineOption<N extends keyof OpenPipelineOptions>(name: N): OptionKind<NonNullable<OpenPipelineOptions[N]>> {
  return new OptionKind('what the request pipeline accepts', (value) => {
    assertPipelineOptions({ [name]: value } as OpenPipelineOptions);
    return value as NonNullable<OpenPipelineOptions[N]>;
  });
}

const isFunctionOrAbsent = (value: unknown) => value === undefined || typeof value === 'function';

/** The options that `createApp` and `SecureApp` share. */
export const CONTAINER_KINDS = {
  clock: kind<Clock>('an object with now(), and functions for monotonicMs and after where they are given', (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const { now, monotonicMs, after } = value as Readonly<Record<string, unknown>>;
    return typeof now === 'function' && isFunctionOrAbsent(monotonicMs) && isFunctionOrAbsent(after);
  }),
  ids: withMethods<IdGenerator>('newId'),
  observability: new OptionKind<Observability>('an object with hooks', (value, { name, fail }) => {
    if (typeof value !== 'object' || value === null) throw fail(`option "${name}" must be an object with hooks`);
    parseObservability(value);
    return value as Observability;
  }),
  tier: pipelineOption('tier'),
  httpErrorFormat: pipelineOption('httpErrorFormat'),
  limits: pipelineOption('limits'),
  cors: pipelineOption('cors'),
  policyHook: pipelineOption('policyHook'),
  log: pipelineOption('log'),
  environment: pipelineOption('environment'),
  webSocketClientFactory: pipelineOption('webSocketClientFactory'),
  webSocketEndpoint: pipelineOption('webSocketEndpoint'),
  basePath: pipelineOption('basePath'),
  autoHead: pipelineOption('autoHead'),
  streamFailureIdentifier: oneOf('auto', 'eventID', 'sequenceNumber'),
  queueConcurrency: integer(1),
  deadlineMarginMs: number(0, undefined, 'milliseconds'),
  maskErrors: boolean,
  batchConcurrency: integer(1),
  batchResult: oneOf('native', 'envelope'),
  errorMode: oneOf('object', 'throw'),
  surfaces: kind<readonly Surface[]>('a list of surfaces', Array.isArray),
  directInvocations: oneOf('refuse', 'serve'),
};

/** The options of the open container. */
export const APP_KINDS = { ...CONTAINER_KINDS, authHook: pipelineOption('authHook') };
