import type { OneOrMany } from '@sallyport/core';
import { defineOptions, invalidOption } from '@sallyport/core/options';
import { anyText, anything, type Data, filled, object, objectOrNull, oneOrMany, textList } from '../internal/kinds.js';
import type { Answered } from './shape.js';

/** Options of {@link buildAppSyncEvent}. */
export interface AppSyncOptions {
  /** The field that is resolved. Default: `field`. */
  readonly fieldName?: string;
  /** The type that the field belongs to. Default: `Mutation`. */
  readonly parentTypeName?: string;
  /** Arguments of the field. Default: `{}`. */
  readonly arguments?: Data | null;
  /** The caller. Default: `null`, as in the event of a caller with an API key. */
  readonly identity?: unknown;
  /** The resolved parent object. Default: `null`. */
  readonly source?: Data | null;
  /** The result of the function before this one in a pipeline resolver. Default: `null`. */
  readonly prev?: Data | null;
  /** Object that the functions of a pipeline resolver share. Default: `{}`. */
  readonly stash?: Data | null;
  /** Headers of the GraphQL request. Default: `{}`. */
  readonly headers?: OneOrMany;
  /** Variables of the GraphQL request. Default: `{}`. */
  readonly variables?: Data;
  /** Paths of the selected fields. Default: `[]`. */
  readonly selectionSetList?: readonly string[];
  /** The selection set as GraphQL text. Default: `''`. */
  readonly selectionSetGraphQL?: string;
}

/**
 * A GraphQL resolver event.
 *
 * @see https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html
 */
export interface AppSyncEvent extends Answered<unknown> {
  /** Arguments of the field. */
  readonly arguments: Data | null;
  /** The caller; `null` for a caller with an API key. */
  readonly identity: unknown;
  /** The resolved parent object; `null` for a root field. */
  readonly source: Data | null;
  /** The GraphQL request: its headers, and the custom domain or `null`. */
  readonly request: { readonly headers: OneOrMany; readonly domainName: string | null };
  /** The resolved field. */
  readonly info: AppSyncInfo;
  /** The result of the function before this one in a pipeline resolver; `null` for none. */
  readonly prev: Data | null;
  /** Object that the functions of a pipeline resolver share. */
  readonly stash: Data | null;
}

/** The field of a resolver eventand the client's selection. */
export interface AppSyncInfo {
  /** Name of the field. */
  readonly fieldName: string;
  /** Name of the type that the field belongs to. */
  readonly parentTypeName: string;
  /** Variables of the GraphQL request. */
  readonly variables: Data;
  /** Paths of the selected fields, `author/name`. */
  readonly selectionSetList: readonly string[];
  /** The selection set as GraphQL text. */
  readonly selectionSetGraphQL: string;
}

const OPTIONS = defineOptions<AppSyncOptions>()({
  fieldName: filled.default('field'),
  parentTypeName: filled.default('Mutation'),
  arguments: objectOrNull.default({}),
  identity: anything.default(null),
  source: objectOrNull.default(null),
  prev: objectOrNull.default(null),
  stash: objectOrNull.default({}),
  headers: oneOrMany.default({}),
  variables: object().default({}),
  selectionSetList: textList.default([]),
  selectionSetGraphQL: anyText.default(''),
});

/**
 * Builds the resolver event of one field.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function buildAppSyncEvent(options: AppSyncOptions = {}): AppSyncEvent {
  const given = structuredClone(OPTIONS.parse(options));
  const { fieldName, parentTypeName, variables, selectionSetList, selectionSetGraphQL } = given;
  return {
    arguments: given.arguments,
    identity: given.identity,
    source: given.source,
    request: { headers: given.headers, domainName: null },
    info: { fieldName, parentTypeName, variables, selectionSetList, selectionSetGraphQL },
    prev: given.prev,
    stash: given.stash,
  };
}

/** The events of one batch invoke; the answer is a list with one entry for each. */
export interface AppSyncBatch extends Array<AppSyncEvent>, Answered<readonly unknown[]> {}

/**
 * Builds a batch invoke of resolver events.
 *
 * @throws FrameworkError `app.invalid_configuration` for an empty list, or one with other values
 */
export function buildAppSyncBatch(events: readonly AppSyncEvent[]): AppSyncBatch {
  const isResolverEvent = (event: unknown) =>
    typeof event === 'object' && event !== null && 'info' in event && 'arguments' in event;
  const accepted = Array.isArray(events) && events.length > 0 && events.every(isResolverEvent);
  if (!accepted) throw invalidOption('events', 'a non-empty list of resolver events');
  return structuredClone([...events]) as AppSyncBatch;
}
