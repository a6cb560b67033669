import { decodeEscapes } from '@sallyport/core/internal';
import type { ConsoleApi } from './api.js';

/** A request to one route of the API. */
export interface Call {
  /** The values of `{name}` in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The parsed body; `undefined` if the request has no body. */
  readonly body: unknown;
}

/** The routes that read invocations. The thread of the console answers them; the host answers the others. */
type HistoryRoute =
  | 'GET /api/invocations'
  | 'GET /api/search'
  | 'GET /api/compare'
  | 'GET /api/invocations/{id}'
  | 'POST /api/tests'
  | 'GET /api/traces/{id}';

type Answers<R extends keyof ConsoleApi> = {
  readonly [N in R]: (call: Call) => Promise<ConsoleApi[N]['answer']> | ConsoleApi[N]['answer'];
};

/** The handler of each route of the host. The body type is the client's claim: the handlers validate it. */
export type Routes = Answers<Exclude<keyof ConsoleApi, HistoryRoute | 'GET /api/events'>>;

export type HistoryRoutes = Answers<HistoryRoute>;

/** A matched route. */
export interface Found {
  readonly answer: (call: Call) => unknown;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a method and a path. */
export function findRoute(routes: Routes | HistoryRoutes, method: string, path: string): Found | undefined {
  for (const [name, answer] of Object.entries(routes) as readonly [string, Found['answer']][]) {
    const [wanted = '', pattern = ''] = name.split(' ');
    const params = wanted === method ? matchPath(pattern, path) : undefined;
    if (params) return { answer, params };
  }
  return undefined;
}

function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name !== undefined) params[name] = decodeEscapes(value);
    else if (part !== value) return undefined;
  }
  return params;
}
