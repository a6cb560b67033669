import type { MultiMap } from '@sallyport/core';
import {
  decodeQueryPart,
  type EncodedBody,
  LOAD_BALANCER_MAX_BYTES,
  type OutgoingResponse,
  stringOf,
  unknownProvenance,
} from '@sallyport/core/internal';
import { statusPhrase } from '../../pipeline/error-body.js';
import { bufferedDoor, type HttpDoor, objectOf, rawHeaders } from './event.js';
import { ProxySource, type ProxyTraits } from './gateway-v1.js';
import { joinHeaders } from './gateway-v2.js';

const TRAITS: ProxyTraits = { decodeQuery: decodeQueryPart, provenance: unknownProvenance };

/** Application load balancer. The event shows which of the two header modes the target group uses. */
export const loadBalancerDoor: HttpDoor = {
  projection: 'ALB response',
  traits: /* @__PURE__ */ bufferedDoor(LOAD_BALANCER_MAX_BYTES, writeLoadBalancer),
  read(input) {
    const event = objectOf(input);
    const rawPath = stringOf(event.path);
    return { method: stringOf(event.httpMethod), path: rawPath, rawPath, source: new ProxySource(event, TRAITS) };
  },
  write: writeLoadBalancer,
  warningOf({ cookies }, event) {
    if (cookies.length < 2 || isMultiValue(event)) return undefined;
    return {
      message: 'several cookies through a load balancer in single-value mode; turn on multi-value headers',
      event: 'http.load_balancer_cookies',
    };
  },
};

function writeLoadBalancer(response: OutgoingResponse, body: EncodedBody, event: unknown): Record<string, unknown> {
  const answer: Record<string, unknown> = {
    statusCode: response.status,
    statusDescription: statusDescription(response.status),
    body: body.body,
    isBase64Encoded: body.isBase64Encoded,
  };
  if (isMultiValue(event)) answer.multiValueHeaders = listHeaders(response);
  else answer.headers = singleHeaders(response);
  return answer;
}

/** True if a load balancer event uses the multi-value mode; the answer must use the same mode. */
function isMultiValue(event: unknown): boolean {
  return rawHeaders(objectOf(event).multiValueHeaders) !== undefined;
}

function listHeaders({ headers, cookies }: OutgoingResponse): MultiMap {
  const lists = Object.assign(Object.create(null) as MultiMap, headers);
  if (cookies.length > 0) lists['set-cookie'] = cookies;
  return lists;
}

/** Further cookies use other spellings of the header name: header names ignore case, object keys do not. */
function singleHeaders({ headers, cookies }: OutgoingResponse): Record<string, string> {
  const single = joinHeaders(headers);
  for (const [index, cookie] of cookies.entries()) single[spelling('set-cookie', index)] = cookie;
  return single;
}

/** The `index`-th spelling of a name: the bits of the number select the letters in upper case. */
function spelling(name: string, index: number): string {
  let bit = 1;
  return name.replace(/[a-z]/g, (letter) => {
    const capital = (index & bit) !== 0;
    bit *= 2;
    return capital ? letter.toUpperCase() : letter;
  });
}

/** `200 OK`; only the number when the status has no phrase. */
export function statusDescription(status: number): string {
  const phrase = statusPhrase(status);
  return phrase === undefined ? String(status) : `${status} ${phrase}`;
}
