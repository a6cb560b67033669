import { resolver } from '@sallyport/appsync';
import { createApp } from '@sallyport/dispatch/app';
import { json, type Tier } from '@sallyport/http';
import { type Tracer, tracing, udpExporter } from '@sallyport/otel';
import { Authenticated, SecureApp } from '@sallyport/secure';
import { appSyncIdentityPrincipal } from '@sallyport/secure/authorizers';
import { FIELDS, findUser, type Job, resolveField, runJob } from '../application.js';
import { apiClient, memoryClient } from '../durable.js';
import { type Handlers, httpHandlers, type Invoke } from '../invoke.js';
import { createDurable } from './ours-durable.js';
import { createHttp, log } from './ours-http.js';
import { createSecure } from './ours-secure.js';
import { startReceiver } from './receiver.js';

/** Sallyport at one tier. Only error lines are disabled. */
export function createOurs(tier: Tier): Handlers {
  return {
    ...httpHandlers((options) => createHttp(tier, options)),
    'routes-1000': () => createHttp(tier, { routes: 1000, steps: [], stores: false }),
    sqs() {
      const app = createApp({ tier, log });
      app.queue('jobs', (_ctx, { body }) => runJob(JSON.parse(body ?? '') as Job));
      return app.handleLambda;
    },
    kinesis() {
      const app = createApp({ tier, log, streamFailureIdentifier: 'sequenceNumber' });
      app.kinesis('jobs', (_ctx, { kinesis }) =>
        runJob(JSON.parse(Buffer.from(kinesis?.data ?? '', 'base64').toString()) as Job),
      );
      return app.handleLambda;
    },
    graphql() {
      const app = createApp({ tier, log });
      for (const field of FIELDS) app.appSyncField('Query', field, resolveOne(field));
      return app.handleLambda;
    },
    'graphql-gate'() {
      const app = new SecureApp({ tier, log, principalResolver: appSyncIdentityPrincipal() });
      for (const field of FIELDS) app.appSyncField('Query', field, resolveOne(field), Authenticated());
      return app.handleLambda;
    },
    'spans-off': () => createSpans(tier, undefined),
    spans: () => createTraced(tier, 1),
    durable: async () => createDurable(tier, await apiClient(), 10),
    'durable-memory': () => createDurable(tier, memoryClient, 10),
    'durable-replay': () => createDurable(tier, memoryClient, 50),
    secure: createSecure,
    'secure-new': createSecure,
  };
}

function resolveOne(field: string) {
  return resolver<{ id: string }>((_ctx, { id }) => resolveField(field, id));
}

/** A handler with three spans, sent to a process that reads them. */
export async function createTraced(tier: Tier, ratio: number): Promise<Invoke> {
  const exporter = udpExporter({ address: await startReceiver() });
  return createSpans(tier, tracing({ service: 'bench', ratio, exporter }));
}

function createSpans(tier: Tier, span: Tracer | undefined): Invoke {
  const app = createApp({ tier, log, ...(span && { observability: { span } }) });
  app.get('/users/{id}', async (ctx) => {
    const id = await ctx.span('read', () => ctx.param('id'), { 'user.kind': 'known' });
    const user = await ctx.span('find', async () => findUser(id));
    return ctx.span('answer', () => json(200, user));
  });
  return app.handleLambda;
}
