import { setImmediate as turn } from 'node:timers/promises';
import { resolver } from '@sallyport/appsync';
import type { Context } from '@sallyport/core';
import { createLambdaFunctionURLStreamingHandler, json } from '@sallyport/http';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { recordJson } from '@sallyport/streams';

/** Lets other invocations run, some of them for longer. */
async function pause(marker: string): Promise<void> {
  for (let turns = Number(marker) % 5; turns > 0; turns -= 1) await turn();
}

/** The caller of this request, from each part of the context. */
function whose(ctx: Context, marker: string) {
  return {
    marker,
    identity: ctx.securePrincipal()?.identity,
    tenant: ctx.tenantId,
    invocation: ctx.lambdaContext?.awsRequestId,
  };
}

const app = new SecureApp({ principalResolver: (ctx) => ({ identity: ctx.header('x-identity') ?? '' }) });

app.get(
  '/marker/{marker}',
  async (ctx) => {
    await pause(ctx.param('marker'));
    return json(200, whose(ctx, ctx.param('marker')));
  },
  Authenticated(),
);
app.get(
  '/fails/{marker}',
  async (ctx) => {
    await pause(ctx.param('marker'));
    throw new Error(`secret of ${ctx.param('marker')}`);
  },
  Authenticated(),
);
app.get(
  '/stream/{marker}',
  (ctx) => {
    async function* lines() {
      for (let line = 0; line < 3; line += 1) {
        await pause(ctx.param('marker'));
        yield Buffer.from(`${JSON.stringify(whose(ctx, ctx.param('marker')))}\n`);
      }
    }
    return { status: 200, bodyStream: lines() };
  },
  Authenticated(),
);
app.get(
  '/stream-fails/{marker}',
  (ctx) => {
    async function* lines() {
      yield Buffer.from(`${JSON.stringify(whose(ctx, ctx.param('marker')))}\n`);
      await pause(ctx.param('marker'));
      throw new Error(`secret of ${ctx.param('marker')}`);
    }
    return { status: 200, bodyStream: lines() };
  },
  Authenticated(),
);
app.appSyncField(
  'Query',
  'marker',
  resolver<{ marker: string }>(async (ctx, { marker }) => {
    await pause(marker);
    return whose(ctx, marker);
  }),
  Authenticated(),
);
app.queue('orders', async (ctx, message) => {
  const { marker, tenant, invocation, trace, fails } = recordJson<Record<string, string>>(message);
  await pause(marker ?? '');
  if (fails) throw new Error(`secret of ${marker}`);
  const mine = tenant === ctx.tenantId && invocation === ctx.lambdaContext?.awsRequestId && trace === ctx.traceId;
  if (!mine) throw new Error('not mine');
});

export const buffered = app.handleLambda;
export const streaming = createLambdaFunctionURLStreamingHandler(app);
