import { json, text } from '@sallyport/http';
import {
  buildAPIGatewayV2Request,
  buildAppSyncEvent,
  buildQueueEvent,
  fakeWebSocketClient,
  interleave,
  type LambdaApp,
  type MarkedEvent,
  type TestEnv,
} from '../src/index.js';

const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012:orders';
const get =
  (path: string): MarkedEvent =>
  (marker) =>
    buildAPIGatewayV2Request('POST', path, { headers: { 'x-user': marker }, json: { marker } });
const requests = [get('/a'), get('/a'), get('/a')];

/** Returns the message of a failure, or `undefined`. */
const run = (build: (env: TestEnv) => LambdaApp, events: readonly MarkedEvent[] = requests) =>
  interleave(build, events, { rounds: 5 });

describe('interleave', () => {
  it('passes an app that keeps everything on the context', async () => {
    const build = (env: TestEnv) => {
      const client = fakeWebSocketClient({ pause: env.pause });
      const app = env.app();
      app.use(async (ctx, next) => {
        ctx.set('user', ctx.header('x-user'));
        await env.pause();
        return next(ctx);
      });
      app.post('/a', async (ctx) => {
        ctx.log.info('seen', { user: ctx.get('user') });
        await new Promise<void>((resolve) => void env.clock.after(10, resolve));
        await client.getConnection('c');
        return json(200, {
          user: ctx.get('user'),
          id: ctx.newId(),
          at: ctx.now(),
          tenant: ctx.tenantId,
          body: ctx.bodyJson(),
        });
      });
      app.appSyncField('Query', 'me', async (ctx) => {
        await env.pause();
        return json(200, ctx.asAppSync()?.arguments);
      });
      app.queue('orders', async (ctx, message) => {
        ctx.set('body', message.body);
        await env.pause();
        ctx.log.info('done', { body: ctx.get('body') });
        if (message.messageId === 'msg-2') throw new Error('no');
      });
      return app;
    };
    const resolver: MarkedEvent = (marker) =>
      buildAppSyncEvent({ parentTypeName: 'Query', fieldName: 'me', arguments: { marker } });
    const batch: MarkedEvent = (marker) => buildQueueEvent(QUEUE, [{ body: marker }, { body: `${marker}!` }]);
    await expect(run(build, [...requests, resolver, resolver, batch, batch, get('/nowhere')])).resolves.toBeUndefined();
  });

  it('finds a bag that is shared', async () => {
    const build = (env: TestEnv) => {
      const bag: Record<string, string> = {};
      return env
        .app()
        .use(async (ctx, next) => {
          bag.user = ctx.header('x-user') ?? '';
          return next(ctx);
        })
        .post('/a', () => text(200, bag.user ?? ''));
    };
    await expect(run(build)).rejects.toThrow(
      /^invocation \d shows marker-000\dx of another: outcome\[0\][\s\S]*seed \d, schedule [\d ]+$/,
    );
  });

  it('finds a variable that middlewares share after their next()', async () => {
    const build = (env: TestEnv) => {
      let answered = '';
      const app = env.app();
      app.use(async (ctx, next) => {
        const response = await next(ctx);
        response.headers['x-answered'] = [answered];
        return response;
      });
      app.use(async (ctx, next) => {
        const response = await next(ctx);
        answered = ctx.header('x-user') ?? '';
        return response;
      });
      return app.post('/a', () => text(200, 'ok'));
    };
    await expect(run(build)).rejects.toThrow(/shows marker-000\dx of another: outcome\[0\]/);
  });

  it('finds a logger that is set for each request', async () => {
    const build = (env: TestEnv) => {
      let log = env.options().log;
      return env.app().post('/a', async (ctx) => {
        log = env.options().log.with({ user: ctx.header('x-user') });
        await env.pause();
        log.info('working');
        return text(200, 'ok');
      });
    };
    await expect(run(build)).rejects.toThrow(/shows marker-000\dx of another: logs\[0\]/);
  });

  it('finds a request that is memoised', async () => {
    const build = (env: TestEnv) => {
      let first: string | undefined;
      return env.app().post('/a', (ctx) => {
        first ??= ctx.bodyText();
        return text(200, first);
      });
    };
    await expect(run(build)).rejects.toThrow(/shows marker-000\dx of another: outcome\[0\]/);
  });

  it('finds an answer that depends on the others without naming them', async () => {
    const build = (env: TestEnv) => {
      let running = 0;
      return env.app().post('/a', async () => {
        running += 1;
        await env.pause();
        running -= 1;
        return json(200, { running });
      });
    };
    await expect(run(build)).rejects.toThrow(/^invocation \d differs from its run alone at outcome\[0\]/);
  });

  it('finds a timer that is left running', async () => {
    const build = (env: TestEnv) =>
      env.app().post('/a', () => {
        env.clock.after(60_000, () => {});
        return text(200, 'ok');
      });
    await expect(run(build)).rejects.toThrow(
      /^1 timers still run after the invocations: clear them, or await them in the handler\nseed 1, schedule/,
    );
  });

  it('finds a change of process.env and of a global', async () => {
    const changing = (change: () => void) => (env: TestEnv) =>
      env.app().post('/a', () => {
        change();
        return text(200, 'ok');
      });
    const scope = globalThis as { interleaveTest?: number | undefined };
    try {
      await expect(run(changing(() => (process.env.INTERLEAVE_TEST = '1')))).rejects.toThrow('process.env was changed');
      delete process.env.INTERLEAVE_TEST;
      await expect(run(changing(() => (scope.interleaveTest = 1)))).rejects.toThrow(
        'the global interleaveTest was changed',
      );
      // A change of a value that was there, and a new name without a value.
      scope.interleaveTest = 0;
      await expect(run(changing(() => (scope.interleaveTest = 1)))).rejects.toThrow(
        'the global interleaveTest was changed',
      );
      delete scope.interleaveTest;
      await expect(run(changing(() => (scope.interleaveTest = undefined)))).rejects.toThrow(
        'the global interleaveTest was changed',
      );
    } finally {
      delete process.env.INTERLEAVE_TEST;
      delete scope.interleaveTest;
    }
  });

  it('reports an invocation that never ends', async () => {
    const build = (env: TestEnv) => env.app().post('/a', () => new Promise<never>(() => {}));
    await expect(run(build)).rejects.toThrow('an invocation waits for something other than a yield point');
  });

  it('repeats itself under the same seed', async () => {
    const build = (env: TestEnv) => {
      let last = '';
      return env.app().post('/a', async (ctx) => {
        last = ctx.header('x-user') ?? '';
        await env.pause();
        return text(200, last);
      });
    };
    const failure = async (seed: number) =>
      interleave(build, requests, { rounds: 3, seed }).catch((error: Error) => error.message);
    expect(await failure(7)).toBe(await failure(7));
  });

  it('rejects unknown options', async () => {
    await expect(interleave((env) => env.app(), [], { round: 1 } as object)).rejects.toThrow(
      expect.failure('app.invalid_configuration', 'unknown option "round"'),
    );
  });
});
