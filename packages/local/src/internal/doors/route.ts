/** A route of an HTTP API or REST API: `GET /notes/{id}`, `ANY /files/{proxy+}`, `$default`. */
export interface Route {
  /** The route as text: `GET /notes/{id}`. */
  readonly key: string;
  readonly method: string;
  readonly segments: readonly string[];
}

/** The route of a request, and its parameters. */
export interface RouteMatch {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

const ROUTE = /^(?:\$default|([A-Z]+) (\/\S*))$/;
const PARAMETER = /^\{([^{}+]+)(\+?)\}$/;

/** Parses a route; `undefined` if it is not valid. */
export function parseRoute(key: string): Route | undefined {
  const found = ROUTE.exec(key);
  if (!found) return undefined;
  const [, method = 'ANY', path = '/{proxy+}'] = found;
  return { key, method, segments: path.split('/').slice(1) };
}

/**
 * Finds the route of a request. A literal segment has precedence over a parameter, a parameter over a greedy parameter, a method over
 * `ANY`, and every other route over `$default`. https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
 */
export function findRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  const segments = path.split('/').slice(1);
  const matches = routes.flatMap((route) => {
    if (route.method !== 'ANY' && route.method !== method) return [];
    if (route.key === '$default') return { route, parameters: {}, rank: '9' };
    const parameters = matchSegments(route.segments, segments);
    return parameters ? { route, parameters, rank: rankOf(route) } : [];
  });
  const [best] = matches.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
  return best && { route: best.route, parameters: best.parameters };
}

/** Sorts as the door selects: one digit for each segment, then the method. */
function rankOf({ segments, method }: Route): string {
  const digits = segments.map((segment) => {
    const parameter = PARAMETER.exec(segment);
    return parameter === null ? '0' : parameter[2] === '+' ? '2' : '1';
  });
  return `${digits.join('')}${method === 'ANY' ? '1' : '0'}`;
}

function matchSegments(wanted: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const [, name, greedy] = PARAMETER.exec(segment) ?? [];
    const value = given[index];
    if (value === undefined) return undefined;
    if (name === undefined) {
      if (segment !== value) return undefined;
    } else if (greedy === '+') {
      // A greedy parameter needs a value: `/{all+}` does not match `/`.
      if (index !== wanted.length - 1 || value === '') return undefined;
      parameters[name] = decode(given.slice(index).join('/'));
      return parameters;
    } else {
      if (value === '') return undefined;
      parameters[name] = decode(value);
    }
  }
  return wanted.length === given.length ? parameters : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
