import { json } from '@sallyport/http';
import { Authenticated, Public, SecureApp } from '@sallyport/secure';

/** Forty ways to fail: most of them in the process, the others in an app. */
class OrderError extends Error {
  override readonly name = 'OrderError';
}

const deep = (): never => {
  throw new TypeError('no price', { cause: new RangeError('the list', { cause: new Error('row 3') }) });
};

const circular: { self?: unknown } = {};
circular.self = circular;

const later = (action: () => void) => {
  setImmediate(action);
  return new Promise(() => {});
};

const WAYS: Readonly<Record<string, () => unknown>> = {
  error: () => {
    throw new Error('plain');
  },
  typeError: () => (undefined as unknown as { price: number }).price,
  ownClass: () => {
    throw new OrderError('order 7');
  },
  causes: deep,
  text: () => {
    throw 'a text';
  },
  nothing: () => {
    throw undefined;
  },
  nullValue: () => {
    throw null;
  },
  number: () => {
    throw 42;
  },
  object: () => {
    throw { code: 'E7', message: 'an object' };
  },
  withoutStack: () => {
    throw Object.assign(new Error('no stack'), { stack: undefined });
  },
  aggregate: () => Promise.any([Promise.reject(new Error('one')), Promise.reject(new Error('two'))]),
  rejected: () => Promise.reject(new Error('rejected')),
  lines: () => {
    throw new Error('first line\nsecond line');
  },
  secret: () => {
    throw new Error('the password=hunter2 is wrong');
  },
  controls: () => {
    throw new Error('red \u001b[31m text');
  },
  frozen: () => {
    throw Object.freeze(new Error('frozen'));
  },
  circularCause: () => {
    const error = new Error('circular');
    error.cause = error;
    throw error;
  },
  longMessage: () => {
    throw new Error('x'.repeat(3000));
  },
  json: () => JSON.parse('{'),
  recursion: function again(): unknown {
    return again();
  },
  evalError: () => {
    throw new EvalError('evaluated');
  },
  uri: () => decodeURIComponent('%'),
  abortError: () => {
    throw new DOMException('stopped', 'AbortError');
  },
  missingModule: () => import('no-such-module-of-this-test'.slice(0)),
  missingFile: async () => (await import('node:fs/promises')).readFile('/no-such-file'),
  refused: () => fetch('http://127.0.0.1:1/'),
  bigint: () => 7n,
  circularAnswer: () => circular,
  getter: () => ({
    get price() {
      throw new Error('in a getter');
    },
  }),
  tooLarge: () => 'x'.repeat(7 * 1024 * 1024),
  uncaught: () =>
    later(() => {
      throw new RangeError('late');
    }),
  unhandled: () => later(() => void Promise.reject(new Error('nobody waits'))),
  exit: () => process.exit(3),
  exitOk: () => process.exit(0),
  kill: () => later(() => process.kill(process.pid, 'SIGKILL')),
  abort: () => process.abort(),
  neverEnds: () => new Promise(() => {}),
  busy: () => {
    for (;;);
  },
  waits: () => new Promise((resolve) => setTimeout(resolve, 60_000)),
};

const app = new SecureApp({
  principalResolver: (ctx) => (ctx.header('x-who') ? { identity: 'ada', scopes: [] } : null),
});
app.get('/throws', () => deep(), Public());
app.get('/closed', () => json(200, {}), Authenticated('notes:read'));
app.get('/ada', () => json(200, {}), Authenticated('notes:admin'));
app.queue('orders', (_ctx, { body }) => {
  throw new RangeError(`the order ${body} has no price`);
});

interface Event {
  readonly way?: string;
}

export const handler = async (event: Event, context: object) =>
  event.way === undefined ? app.handleLambda(event as never, context as never) : WAYS[event.way]?.();
