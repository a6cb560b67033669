import { TRIGGER_KINDS } from '@sallyport/core';
import { isObject, isText, leftOut, ownOf } from '@sallyport/core/internal';
import { type CompiledTable, NOT_AN_OBJECT } from '../../compile.js';
import type * as part from '../extensions.js';

/** The entrypoints of the fixed rows, in their order. */
const ENTRYPOINTS = [
  'serveQueueEvent',
  'serveTableStream',
  'serveStreamEvent',
  'serveTopicEvent',
  'serveEventBus',
  'serveAppSync',
  'serveWebSocket',
  'serveGatewayV2',
  'serveLambdaFunctionURL',
  'serveLoadBalancer',
  'serveGatewayProxy',
];

/** The fixed rows without their data: `classify` implements them, and lists are only accepted by the row of GraphQL. */
export const compileExtensions: typeof part.compileExtensions = (extensions): CompiledTable => {
  if (extensions.length > 0) throw leftOut('the code for surfaces with own rows', 'sallyport-no-surfaces');
  return {
    fixed: ENTRYPOINTS.map((entrypoint) => ({ entrypoint })),
    kinds: TRIGGER_KINDS,
    rows: undefined,
    writtenOut: ENTRYPOINTS.length,
    rowOf: () => -1,
    rowOfList: (events) => (isBatch(events) ? TRIGGER_KINDS.indexOf('appsync') : NOT_AN_OBJECT),
  };
};

/** By index: a missing entry does not match. */
function isBatch(events: readonly unknown[]): boolean {
  for (let index = 0; index < events.length; index += 1) {
    const event = Object.hasOwn(events, index) ? events[index] : undefined;
    const info = isObject(event) ? ownOf(event, 'info') : undefined;
    const isResolverEvent = isObject(info) && isText(ownOf(info, 'fieldName')) && isText(ownOf(info, 'parentTypeName'));
    if (!isResolverEvent || !Object.hasOwn(event as object, 'arguments')) return false;
  }
  return events.length > 0;
}
