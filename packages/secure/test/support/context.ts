import { type Context, silentLogger } from '@sallyport/core';
import {
  ContextState,
  copyPrincipal,
  createMap,
  IncomingRequest,
  parseForm,
  RequestContext,
  unknownProvenance,
} from '@sallyport/core/internal';
import { ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
import { createLambdaContext, type LambdaContextOptions } from './lambda.js';

/** The context of a request that no pipeline runs. */
export function requestContext(lambda?: LambdaContextOptions, clock = new ManualClock()): Context {
  const source = {
    headers: () => createMap<string[]>(),
    header: () => [],
    query: () => createMap<string[]>(),
    cookieValues: () => [],
    rawBody: '',
    isBase64: false,
    provenance: unknownProvenance,
  };
  const runtime = {
    clock,
    ids: new ManualIdGenerator(),
    log: silentLogger,
    environment: {},
    traceHead: [],
    copyPrincipal,
    parseForm,
    tenantOf: () => '',
  };
  const request = new IncomingRequest('GET', '/', '/', source);
  const lambdaContext = lambda && createLambdaContext(clock, lambda);
  return new RequestContext(new ContextState(runtime, request, 'direct', undefined, lambdaContext));
}
