import { type Logger, silentLogger } from '../src/index.js';
import {
  bearerOf,
  copyBearer,
  describeCopies,
  isOutgoingResponse,
  OutgoingResponse,
  parseLog,
  registerCopy,
  toResponse,
  withBearer,
} from '../src/internal.js';

type Copies = unknown[] & { reported?: number };

const REGISTERED = Symbol.for('sallyport.copies/1');
const shared = globalThis as { [REGISTERED]?: Copies };
const at = (place: string) =>
  Object.assign(new Error(), { stack: `Error\n    at ${place}\n    at Module.run (node:x:1:2)` });

let before: Copies | undefined;
beforeEach(() => {
  before = shared[REGISTERED];
  shared[REGISTERED] = [];
});
afterEach(() => {
  if (before) shared[REGISTERED] = before;
});

it('registers each package at its load', () => {
  expect(before).toEqual([['@sallyport/core', expect.stringMatching(/^\d+\.\d+\.\d+/), expect.any(Error)]]);
});

it('names two versions whose places are unknown', () => {
  for (const version of ['1.0.0', '2.0.0']) registerCopy('@sallyport/x', version, { stack: undefined } as never);
  expect(describeCopies('@sallyport/x')).toBe('two copies of @sallyport/x: 1.0.0 in this bundle, 2.0.0 in this bundle');
});

it.each([
  [
    'as modules',
    'file:///app/node_modules/a/errors.js:1:2',
    '/app/node_modules/b/errors.js:1:2',
    '1.0.0 at /app/node_modules/a/errors.js, 2.0.0 at /app/node_modules/b/errors.js',
  ],
  [
    'in a function',
    'async init (/app/a.js:1:2)',
    'Object.<anonymous> (C:\\b.js:1:2)',
    '1.0.0 at /app/a.js, 2.0.0 at C:\\b.js',
  ],
  [
    'in one bundle',
    'file:///var/task/index.mjs:12:3',
    'file:///var/task/index.mjs:900:3',
    '1.0.0 in this bundle, 2.0.0 in this bundle',
  ],
])('names two copies with version and place: %s', (_, first, second, text) => {
  registerCopy('@sallyport/x', '1.0.0', at(first));
  registerCopy('@sallyport/y', '1.0.0', at(first));
  registerCopy('@sallyport/x', '2.0.0', at(second));
  expect(describeCopies('@sallyport/x')).toBe(`two copies of @sallyport/x: ${text}`);
  expect(describeCopies('@sallyport/y')).toBe('');
});

it('counts a module that is evaluated again as one copy, and three copies as three', () => {
  for (let run = 0; run < 3; run += 1) registerCopy('@sallyport/x', '1.0.0', at('/app/a.js:1:2'));
  expect(describeCopies('@sallyport/x')).toBe('');
  registerCopy('@sallyport/x', '1.0.0', at('/app/b.js:1:2'));
  registerCopy('@sallyport/x', '1.0.0', at('/app/c.js:1:2'));
  expect(describeCopies('@sallyport/x')).toMatch(/^3 copies of @sallyport\/x: /);
});

it('names copies without a stack', () => {
  registerCopy('@sallyport/x', '1.0.0', Object.assign(new Error(), { stack: undefined }));
  registerCopy('@sallyport/x', '2.0.0', at('/app/b.js:1:2'));
  expect(describeCopies('@sallyport/x')).toBe(
    'two copies of @sallyport/x: 1.0.0 at an unknown place, 2.0.0 at /app/b.js',
  );
});

describe('the first container', () => {
  const warnings: string[] = [];
  const logger = (isEnabled: boolean): Logger => ({
    debug() {},
    info() {},
    error() {},
    warn: (message) => void warnings.push(message),
    isEnabled: () => isEnabled,
    with: () => logger(isEnabled),
  });
  beforeEach(() => {
    warnings.length = 0;
  });

  it('warns once of each package with two copies', () => {
    for (const name of ['x', 'y', 'x']) {
      registerCopy(`@sallyport/${name}`, '1.0.0', at(`/app/${shared[REGISTERED]?.length}.js:1:2`));
    }
    parseLog(logger(false), {});
    for (let run = 0; run < 3; run += 1) parseLog(logger(true), {});
    expect(warnings).toEqual([
      'framework: two copies of @sallyport/x: 1.0.0 at /app/0.js, 1.0.0 at /app/2.js; install one version: npm ls @sallyport/x',
    ]);
    registerCopy('@sallyport/y', '1.0.0', at('/app/9.js:1:2'));
    parseLog(logger(true), {});
    expect(warnings).toHaveLength(2);
  });

  it('is silent with one copy of each', () => {
    registerCopy('@sallyport/x', '1.0.0', at('/app/a.js:1:2'));
    registerCopy('@sallyport/y', '1.0.0', at('/app/a.js:5:2'));
    parseLog(logger(true), {});
    expect(warnings).toEqual([]);
  });
});

describe('a value of another copy', () => {
  it('is a response by its brand, and a spread copy of a response is not one', () => {
    class OtherResponse {
      status = 201;
      get [Symbol.for('sallyport.core.response/1')]() {
        return true;
      }
    }
    const other = new OtherResponse();
    expect(isOutgoingResponse(other)).toBe(true);
    expect(toResponse(other)).toBe(other);
    const own = new OutgoingResponse(200, {}, 'text');
    expect([isOutgoingResponse(own), isOutgoingResponse({ ...own })]).toEqual([true, false]);
    expect(toResponse({ ...own, status: 202 })).toMatchObject({ status: 202, content: 'text' });
  });

  it('keeps its bearer token: it is rejected where the token is read, and never empty', () => {
    const other = Object.defineProperty({ identity: 'ada' }, Symbol.for('sallyport.core.bearer/1'), { value: true });
    const copy = { identity: 'ada' };
    copyBearer(other, copy);
    registerCopy('@sallyport/core', '1.0.0', at('/app/a.js:1:2'));
    registerCopy('@sallyport/core', '2.0.0', at('/app/b.js:1:2'));
    for (const principal of [other, copy]) {
      expect(() => bearerOf(principal)).toThrow(
        expect.objectContaining({
          code: 'app.internal',
          message: 'internal error',
          cause: expect.objectContaining({
            message: expect.stringContaining('two copies of @sallyport/core: 1.0.0 at /app/a.js, 2.0.0 at /app/b.js'),
          }),
        }),
      );
    }
    expect(bearerOf({ identity: 'ada' })).toBeUndefined();
    expect(bearerOf(withBearer({ identity: 'ada' }, 'token'))).toBe('token');
  });
});

it('finds the invocation that another copy of the package runs', async () => {
  const OTHER = '../src/context/async-context.js?copy=2';
  const { currentContext, runWithContext } = await import('../src/async-context.js');
  const other = (await import(OTHER)) as { currentContext: typeof currentContext };
  const ctx = { requestId: 'r', traceId: '', log: silentLogger };
  expect([other.currentContext === currentContext, runWithContext(ctx, () => other.currentContext())]).toEqual([
    false,
    ctx,
  ]);
});
