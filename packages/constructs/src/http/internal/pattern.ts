import type { IConstruct } from 'constructs';
import { misuse } from '../../internal/misuse.js';

const SEGMENT = /^(?:\{[A-Za-z0-9._-]+\+?\}|[A-Za-z0-9._~!$&'()*,;=:@%-]+)$/;

const REST_SEGMENT = /^(?:\{[A-Za-z0-9._:$-]+\+?\}|[A-Za-z0-9._:$-]+)$/;

/**
 * The segments of a router pattern that a REST API can route.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/api/API_CreateResource.html
 */
export function checkRestPattern(at: IConstruct, pattern: string, given: string): readonly string[] {
  const segments = checkPattern(at, pattern);
  if (segments.every((segment) => REST_SEGMENT.test(segment))) return segments;
  throw misuse(at, {
    what: 'path of a route',
    got: given,
    expected:
      'segments of letters, digits and . _ : $ -, which REST APIs accept; or an HttpApi, or addCatchAll() instead of single routes',
  });
}

/** The segments of a router pattern, without the first slash. API Gateway writes parameters as the router does. */
export function checkPattern(at: IConstruct, pattern: string): readonly string[] {
  const segments = pattern === '/' ? [] : pattern.slice(1).split('/');
  const valid = pattern.startsWith('/') && segments.every((segment) => SEGMENT.test(segment));
  if (!valid && pattern.endsWith('/'))
    throw misuse(at, {
      what: 'path of a route',
      got: pattern,
      expected:
        'a pattern without a slash at its end, whose route has trailingSlash: true; or addCatchAll() instead of single routes',
    });
  if (!valid)
    throw misuse(at, {
      what: 'path of a route',
      got: pattern,
      expected: 'a pattern such as /notes/{id} or /files/{path+}',
    });
  return segments;
}

/**
 * A pattern with parameters that are named by their position, `/notes/{p2}`: API Gateway accepts one name at each position of an API, and CloudFormation creates
 * the route of a renamed parameter before it deletes the old one. The function parses the path itself, so the names reach only authorizers of requests.
 *
 * @see https://github.com/aws/aws-cdk/issues/25172
 */
export function withPositions(pattern: string): string {
  const segments = pattern.split('/');
  return segments
    .map((segment, index) => (segment.startsWith('{') ? (segment.endsWith('+}') ? '{path+}' : `{p${index}}`) : segment))
    .join('/');
}

/** The patterns of all requests for a path and the paths below it. */
export function belowPath(path: string): readonly string[] {
  return path === '/' ? ['/', '/{path+}'] : [path, `${path}/{path+}`];
}

/** True if one request can match both patterns. */
export function canOverlap(one: string, other: string): boolean {
  return segmentsOverlap(one.split('/').slice(1), other.split('/').slice(1));
}

function segmentsOverlap([a, ...restA]: readonly string[], [b, ...restB]: readonly string[]): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.endsWith('+}') || b.endsWith('+}')) return true;
  return (a === b || a.startsWith('{') || b.startsWith('{')) && segmentsOverlap(restA, restB);
}

/** True for a path, and for the paths below it. */
export function isBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(parent.endsWith('/') ? parent : `${parent}/`);
}
