import { isObject, membersOf } from '@sallyport/core/internal';
import type { Examples } from './entry.js';

/** A request that an HTTP operation accepts, made from the examples of its parts. */
export interface ExampleRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly query: readonly Pair[];
  readonly headers: readonly Pair[];
  readonly cookies: readonly Pair[];
  /** Absent if the operation reads no body. */
  readonly body?: unknown;
}

type Pair = readonly [name: string, value: string];

/** The key of an idempotent example: a client makes a new one for each call. */
const EXAMPLE_KEY = 'example-1';

/** @param operation method and pattern: `GET /notes/{id}` */
export function exampleRequest(operation: string, examples: Examples, isIdempotent: boolean): ExampleRequest {
  const space = operation.indexOf(' ');
  const params = membersOf(examples.params);
  const pathname = operation
    .slice(space + 1)
    .replaceAll(/\{([^}+]+)(\+?)\}/g, (_, name: string, isRest: string) => segments(params[name], isRest !== ''));
  const query = pairsOf(examples.query);
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  const headers = pairsOf(examples.headers);
  const hasKey = headers.some(([name]) => name.toLowerCase() === 'idempotency-key');
  return {
    method: operation.slice(0, space),
    path: search === '' ? pathname : `${pathname}?${search}`,
    query,
    headers: isIdempotent && !hasKey ? [...headers, ['idempotency-key', EXAMPLE_KEY]] : headers,
    cookies: pairsOf(examples.cookies),
    ...('body' in examples && { body: examples.body }),
  };
}

/** One encoded segment; for `{path+}` several. */
function segments(value: unknown, isRest: boolean): string {
  const text = value === undefined || value === null || value === '' ? 'text' : textOf(value);
  return isRest ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text);
}

/** A list is repeated; members without a value are left out. */
function pairsOf(example: unknown): readonly Pair[] {
  return Object.entries(membersOf(example)).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one): readonly Pair[] =>
      one === undefined || one === null ? [] : [[name, textOf(one)]],
    ),
  );
}

const textOf = (value: unknown) =>
  isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value as string | number | boolean);
