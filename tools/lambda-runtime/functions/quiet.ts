import { setImmediate as turn } from 'node:timers/promises';
import { bufferLogs, createEmfSink, createLogger, defineMetrics } from '@sallyport/core/observability';
import { createLambdaFunctionURLStreamingHandler, json, sseEventStream } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';

const app = new SecureApp({
  log: bufferLogs(createLogger()),
  observability: {
    metric: createEmfSink({ namespace: 'Quiet' }),
    metrics: defineMetrics({ Started: { unit: 'Count' } }),
  },
});

const HANGS = new Promise<never>(() => {});
/** A timer keeps the process alive, as an open connection does. */
const keepAlive = () => void setInterval(() => {}, 1000);

app.use((ctx, next) => {
  ctx.log.debug('started', { marker: ctx.query('marker') });
  ctx.metric('Started', 1);
  return next(ctx);
});
app.get('/ok', () => json(200, {}), Public());
app.get('/fails', () => Promise.reject(new Error('no')), Public());
app.get(
  '/hangs',
  () => {
    keepAlive();
    return HANGS;
  },
  Public(),
);
app.get(
  '/throws-later',
  () => {
    setTimeout(() => {
      throw new Error('outside');
    });
    return HANGS;
  },
  Public(),
);
app.get(
  '/rejects-later',
  () => {
    void turn().then(() => Promise.reject(new Error('outside')));
    return HANGS;
  },
  Public(),
);
app.get('/exits', () => process.exit(3), Public());
app.get(
  '/mixed/{fails}',
  async (ctx) => {
    for (let turns = Number(ctx.query('marker')) % 5; turns > 0; turns -= 1) await turn();
    ctx.log.info('ended', { marker: ctx.query('marker') });
    if (ctx.param('fails') === 'yes') throw new Error('no');
    return json(200, {});
  },
  Public(),
);
app.get(
  '/stream',
  (ctx) =>
    sseEventStream(
      (async function* () {
        yield { data: 'a' };
        await turn();
        ctx.log.info('between');
        if (ctx.query('fails') === 'yes') throw new Error('no');
        yield { data: 'b' };
      })(),
    ),
  Public(),
);

export const handler = app.handleLambda;
export const streams = createLambdaFunctionURLStreamingHandler(app);
