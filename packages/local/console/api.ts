import type { ConsoleApi, ConsoleEvent } from '../src/internal/console/api.js';

type Route = Exclude<keyof ConsoleApi, 'GET /api/events'>;
type BodyOf<R extends Route> = ConsoleApi[R] extends { readonly body: infer B } ? B : undefined;

const KEY = 'sallyport.token';

/** Stores the token of the fragment for this tab, and clears the fragment, so that history and copied addresses do not contain it. */
export function takeToken(): void {
  const given = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, '', '#/invocations');
}

/** The headers that authenticate this page. */
export function authorization(): Record<string, string> {
  return { authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ''}` };
}

/** An error response of the host. */
export class CallError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Calls one route of the host. */
export async function call<R extends Route>(
  route: R,
  options: {
    readonly params?: Record<string, string>;
    readonly query?: Record<string, string>;
    readonly body?: BodyOf<R>;
  } = {},
): Promise<ConsoleApi[R]['answer']> {
  const [method = 'GET', pattern = ''] = route.split(' ');
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(options.params?.[name] ?? ''));
  const query = options.query ? `?${new URLSearchParams(options.query)}` : '';
  const answer = await fetch(path + query, {
    method,
    headers: { ...authorization(), 'content-type': 'application/json' },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  const value = (await answer.json()) as { readonly error?: { readonly message: string } };
  if (!answer.ok) throw new CallError(answer.status, value?.error?.message ?? `status ${answer.status}`);
  return value as ConsoleApi[R]['answer'];
}

/** Reads the stream of events until it ends. @param since the cursor of an earlier stream; `''` for none */
export async function readEvents(
  onEvent: (event: ConsoleEvent) => void,
  signal: AbortSignal,
  since: string,
): Promise<void> {
  const query = since === '' ? '' : `?${new URLSearchParams({ since })}`;
  const answer = await fetch(`/api/events${query}`, { headers: authorization(), signal });
  if (!answer.ok || !answer.body) throw new CallError(answer.status, 'no events');
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onEvent(JSON.parse(line) as ConsoleEvent);
  }
}
