import type { Clock, StandardSchema, Surface } from '@sallyport/core';
import { kind, oneOf } from '@sallyport/core/options';
import { PIPELINE_OPTION_KINDS, SCHEMA_MAP } from '@sallyport/http/internal';
import { EVENT_KINDS } from '#events';
import { GRAPHQL_KINDS } from '#graphql';
import { SURFACES_KIND } from '#surfaces';
import type { DirectInvocations } from '../internal/plan.js';

/** Options of both containers for triggers outside the fixed table, and for direct invocations. */
export interface SurfaceOptions {
  /** Surfaces for triggers outside the fixed table, in the order in which their rows are tried; at most 32. */
  readonly surfaces?: readonly Surface[];
  /**
   * The handling of direct invocations (a client context, or a Cognito identity, in the Lambda context) that no surface
   * accepts: `serve` them as if they came from a trigger, or `refuse` them. `serve` by default, `refuse` in `SecureApp`.
   */
  readonly directInvocations?: DirectInvocations;
  /** The data of the messages that the service sends to WebSocket clients, by type: for contracts. Messages are not validated. */
  readonly sends?: Readonly<Record<string, StandardSchema>>;
  /** Facts about the WebSocket API, for contracts and clients. */
  readonly socket?: SocketFacts;
}

/** The names of the members of WebSocket messages. */
export interface MessageEnvelope {
  /** The member that names the action: the one of the route selection expression. Default `action`, for `$request.body.action`. */
  readonly route?: string;
  /** The member with the type of a message to clients. Default `type`. */
  readonly type?: string;
  /** The member with the data, in both directions. Default `data`. */
  readonly data?: string;
}

/** Facts about a WebSocket API that its registrations do not state. */
export interface SocketFacts {
  /** The names of the members of messages, if they are not `action`, `type` and `data`. */
  readonly envelope?: MessageEnvelope;
}

const ENVELOPE_MEMBERS = ['route', 'type', 'data'];

/** True for an object whose members are among these names, each accepted by the function. */
const hasOnly = (value: unknown, names: readonly string[], accepts: (member: unknown) => boolean) =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(([name, member]) => names.includes(name) && (member === undefined || accepts(member)));

const isFunctionOrAbsent = (value: unknown) => value === undefined || typeof value === 'function';

/** The options that `createApp` and `SecureApp` share: the options of their parts, and options only for containers. */
export const CONTAINER_KINDS = {
  ...EVENT_KINDS,
  ...GRAPHQL_KINDS,
  ...PIPELINE_OPTION_KINDS,
  clock: kind<Clock>('an object with now() and optional functions monotonicMs and after', (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const { now, monotonicMs, after } = value as Readonly<Record<string, unknown>>;
    return typeof now === 'function' && isFunctionOrAbsent(monotonicMs) && isFunctionOrAbsent(after);
  }),
  surfaces: SURFACES_KIND,
  directInvocations: oneOf('refuse', 'serve'),
  sends: SCHEMA_MAP,
  socket: kind<SocketFacts>('{ envelope: { route, type, data } } with names of members', (value) =>
    hasOnly(value, ['envelope'], (envelope) =>
      hasOnly(envelope, ENVELOPE_MEMBERS, (name) => typeof name === 'string' && name !== ''),
    ),
  ),
};
