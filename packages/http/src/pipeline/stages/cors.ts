import { createMap, type MultiMap } from '@sallyport/core';
import { isHeaderValue, OutgoingResponse, STAGE } from '@sallyport/core/pipeline';
import type { CorsPolicy } from '../cors.js';
import type { Exchange } from '../exchange.js';
import type { Stage } from '../run.js';
import { addVary } from '../../responses/internal/vary-header.js';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Answers preflights before routing and auth, with the same bytes for public, closed and unknown paths. */
export function corsPreflight(policy: CorsPolicy): Stage {
  return ({ state }) => {
    const origin = state.request.headerValues('origin')[0];
    if (origin === undefined || origin === '') return undefined;
    state.passed |= STAGE.cors;
    if (state.request.method !== 'OPTIONS') return undefined;
    const method = state.request.headerValues('access-control-request-method')[0]?.trim();
    if (!method) return undefined;
    const headers: MultiMap = createMap();
    if (policy.allows(origin)) {
      addPreflightHeaders(headers, policy, method, state.request.headerValues('access-control-request-headers'));
    }
    return new OutgoingResponse(204, headers, '');
  };
}

function addPreflightHeaders(headers: MultiMap, policy: CorsPolicy, method: string, asked: readonly string[]): void {
  if (TOKEN.test(method)) headers['access-control-allow-methods'] = [method];
  if (policy.allowHeaders === undefined) addVary(headers, 'access-control-request-headers');
  const allowed = policy.allowHeaders ?? headerNames(asked).join(', ');
  if (allowed !== '') headers['access-control-allow-headers'] = [allowed];
  if (policy.maxAge !== '') headers['access-control-max-age'] = [policy.maxAge];
}

const MAX_REFLECTED_NAMES = 100;

/** The header names (RFC 9110 section 5.1) of a comma-separated list; what is none is left out. */
function headerNames(values: readonly string[]): string[] {
  const parts = values.flatMap((value) => value.split(',')).map((part) => part.trim());
  return parts.filter((part) => TOKEN.test(part)).slice(0, MAX_REFLECTED_NAMES);
}

/** Adds the CORS headers of an answer, errors too. The origin is echoed, never `*`; `vary` is always there. */
export function addCorsHeaders(policy: CorsPolicy, { state }: Exchange, response: OutgoingResponse): void {
  const { headers } = response;
  addVary(headers, 'origin');
  const origin = state.request.headerValues('origin')[0];
  if (!origin || !policy.allows(origin) || !isHeaderValue(origin)) return;
  headers['access-control-allow-origin'] = [origin];
  if (policy.credentials) headers['access-control-allow-credentials'] = ['true'];
  if (policy.exposeHeaders !== '') headers['access-control-expose-headers'] = [policy.exposeHeaders];
}
