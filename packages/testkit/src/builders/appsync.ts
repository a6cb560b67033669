import { invalidOption, type OneOrMany } from '@sallyport/core';
import {
  anything,
  type Checks,
  checkOptions,
  nonBlank,
  object,
  objectOrNull,
  oneOrMany,
  text,
  textList,
} from '../internal/check.js';
import type { Answered } from './shape.js';

type Data = Readonly<Record<string, unknown>>;

export interface AppSyncOptions {
  /** `field` unless given. */
  readonly fieldName?: string;
  /** `Mutation` unless given. */
  readonly parentTypeName?: string;
  readonly arguments?: Data | null;
  /** `null` unless given, as in the event of a caller with an API key. */
  readonly identity?: unknown;
  readonly source?: Data | null;
  readonly prev?: Data | null;
  readonly stash?: Data | null;
  readonly headers?: OneOrMany;
  readonly variables?: Data;
  readonly selectionSetList?: readonly string[];
  readonly selectionSetGraphQL?: string;
}

/** A GraphQL resolver event. */
export interface AppSyncEvent extends Answered<unknown> {
  readonly arguments: Data | null;
  readonly identity: unknown;
  readonly source: Data | null;
  readonly request: { readonly headers: OneOrMany; readonly domainName: string | null };
  readonly info: {
    readonly fieldName: string;
    readonly parentTypeName: string;
    readonly variables: Data;
    readonly selectionSetList: readonly string[];
    readonly selectionSetGraphQL: string;
  };
  readonly prev: Data | null;
  readonly stash: Data | null;
}

const CHECKS: Checks<AppSyncOptions> = {
  fieldName: nonBlank,
  parentTypeName: nonBlank,
  arguments: objectOrNull,
  identity: anything,
  source: objectOrNull,
  prev: objectOrNull,
  stash: objectOrNull,
  headers: oneOrMany,
  variables: object,
  selectionSetList: textList,
  selectionSetGraphQL: text,
};

/**
 * A resolver event of one field.
 *
 * @throws FrameworkError for an unknown option or a wrong type
 */
export function buildAppSyncEvent(options: AppSyncOptions = {}): AppSyncEvent {
  checkOptions(options, CHECKS);
  const given = structuredClone(options);
  return {
    arguments: given.arguments === undefined ? {} : given.arguments,
    identity: given.identity ?? null,
    source: given.source ?? null,
    request: { headers: given.headers ?? {}, domainName: null },
    info: {
      fieldName: given.fieldName ?? 'field',
      parentTypeName: given.parentTypeName ?? 'Mutation',
      variables: given.variables ?? {},
      selectionSetList: given.selectionSetList ?? [],
      selectionSetGraphQL: given.selectionSetGraphQL ?? '',
    },
    prev: given.prev ?? null,
    stash: given.stash === undefined ? {} : given.stash,
  };
}

/** The events of one batch invoke: a list with an answer each. */
export interface AppSyncBatch extends Array<AppSyncEvent>, Answered<readonly unknown[]> {}

/**
 * A batch invoke of resolver events.
 *
 * @throws FrameworkError for an empty list, or one that holds something else
 */
export function buildAppSyncBatch(events: readonly AppSyncEvent[]): AppSyncBatch {
  const accepted = Array.isArray(events) && events.length > 0 && events.every(isResolverEvent);
  if (!accepted) throw invalidOption('events', 'a non-empty list of resolver events');
  return structuredClone([...events]) as AppSyncBatch;
}

function isResolverEvent(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'info' in event && 'arguments' in event;
}
