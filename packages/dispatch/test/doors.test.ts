import type { DoorsOptions, Surface } from '@sallyport/core';
import { createLogger } from '@sallyport/core/observability';
import { createDispatcher, createDispatcherWith } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import { createHttpRouter, type HttpRouter, json, namedDoors } from '@sallyport/http';

const ARN = 'arn:aws:lambda:eu-west-1:123456789012:function:notes';
const FOREIGN = { code: 'dispatch.foreign_door' };
const request = {
  version: '2.0',
  routeKey: '$default',
  rawPath: '/op',
  requestContext: { apiId: 'api1', http: { method: 'GET', path: '/op' } },
};

function router(doors?: DoorsOptions | 'variable') {
  const ran: string[] = [];
  const http = createHttpRouter({
    log: false,
    ...(doors && { doors: doors === 'variable' ? namedDoors() : namedDoors(doors) }),
  });
  http.get('/op', () => {
    ran.push('handler');
    return json(200, 1);
  });
  return { http, ran };
}

describe('the doors of a router', () => {
  const before = process.env.FRAMEWORK_DOORS;
  afterEach(() => {
    if (before === undefined) delete process.env.FRAMEWORK_DOORS;
    else process.env.FRAMEWORK_DOORS = before;
  });

  it.each([
    ['createDispatcher', (http: HttpRouter) => createDispatcher(http)],
    ['createDispatcherWith', (http: HttpRouter) => createDispatcherWith({ log: false }, http)],
  ])('are read from its option, in %s', async (_name, make) => {
    const { http, ran } = router({ qualifier: 'doors' });
    const { handleLambda } = make(http);
    await expect(handleLambda(request, { invokedFunctionArn: ARN })).rejects.toMatchObject(FOREIGN);
    expect(ran).toEqual([]);
    await handleLambda(request, { invokedFunctionArn: `${ARN}:doors` });
    expect(ran).toEqual(['handler']);
  });

  it('are read from the variable, once at construction', async () => {
    process.env.FRAMEWORK_DOORS = '{"qualifier":"doors"}';
    const { http, ran } = router('variable');
    delete process.env.FRAMEWORK_DOORS;
    const { handleLambda } = createDispatcher(http);
    await expect(handleLambda(request, { invokedFunctionArn: ARN })).rejects.toMatchObject(FOREIGN);
    expect(ran).toEqual([]);
  });

  it('are rejected at construction where the variable is malformed', () => {
    process.env.FRAMEWORK_DOORS = '{}';
    expect(() => router('variable')).toThrow(expect.objectContaining({ code: 'app.invalid_configuration' }));
  });

  it.each([{}, { qualifier: '' }, { gateway: 'a' }])('are rejected where the option is malformed: %j', (doors) => {
    expect(() => router(doors as never)).toThrow(expect.objectContaining({ code: 'app.invalid_configuration' }));
  });

  it('must be there where the variable names them', () => {
    process.env.FRAMEWORK_DOORS = '{"qualifier":"doors"}';
    expect(() => router()).toThrow(expect.failure('app.invalid_configuration', 'FRAMEWORK_DOORS', 'namedDoors()'));
    delete process.env.FRAMEWORK_DOORS;
    expect(() => router()).not.toThrow();
  });
});

/** A surface of an application: its own kind of event runs through the HTTP routes. */
function ownDoor(): Surface {
  let host: Parameters<NonNullable<Surface['attach']>>[0] | undefined;
  return {
    serves: ['own'],
    rows: [{ kind: 'own', anyOf: [[{ path: 'own', test: 'present' }]] }],
    sample: { own: 1 },
    attach: (given: typeof host) => {
      host = given;
    },
    serve: (_kind: string, event: unknown, invocation: { lambdaContext: undefined }) =>
      (host as NonNullable<typeof host>).serveHttp(
        {
          kind: 'own',
          traits: { maxAnswerBytes: 1000, streams: 'collect', measure: undefined },
          read: () => ({ method: 'GET', path: '/op', rawPath: '/op', source: SOURCE }) as never,
          write: ({ status }) => ({ status }),
        },
        event,
        invocation,
      ),
  } as unknown as Surface;
}

const SOURCE = {
  headers: () => ({}),
  header: () => [],
  query: () => ({}),
  cookieValues: () => [],
  rawBody: '',
  isBase64: false,
  provenance: () => ({ sourceIP: '', provider: 'unknown', source: 'unknown', valid: false }),
};

describe("a surface of the application's own with a door", () => {
  it('is checked too', async () => {
    const app = createApp({ log: false, surfaces: [ownDoor()], doors: { qualifier: 'doors' } });
    app.get('/op', () => json(200, 1));
    await expect(app.handleLambda({ own: 1 }, { invokedFunctionArn: ARN })).rejects.toMatchObject(FOREIGN);
    expect(await app.handleLambda({ own: 1 }, { invokedFunctionArn: `${ARN}:doors` })).toEqual({ status: 200 });
  });

  it('cannot be named by an id', async () => {
    const lines: string[] = [];
    const log = createLogger({ write: (line) => lines.push(line) });
    const app = createApp({ log, surfaces: [ownDoor()], doors: { httpApi: 'api1' } });
    app.get('/op', () => json(200, 1));
    await expect(app.handleLambda({ own: 1 }, {})).rejects.toMatchObject(FOREIGN);
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ expected: 'no own', got: 'own without an id' }),
    );
  });
});
