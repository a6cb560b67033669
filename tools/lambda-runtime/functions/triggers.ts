import { FrameworkError } from '@sallyport/core';
import { json } from '@sallyport/http';
import { Public, SecureApp } from '@sallyport/secure';
import {
  AppSyncDecision,
  alarmAction,
  allow,
  appSyncAuthorizer,
  appSyncEvents,
  cognitoTrigger,
  customResource,
  deny,
  directInvoke,
  documentDb,
  firehoseTransform,
  kafkaJson,
  kafkaTrigger,
  latticeDoor,
  logsTrigger,
  mqTrigger,
  requestAuthorizer,
  s3Batch,
  s3Trigger,
  secretRotation,
  sesTrigger,
  tokenAuthorizer,
  unauthorized,
} from '@sallyport/triggers';
import { z } from 'zod';

const operations = directInvoke()
  .invoke('double', z.number(), (_ctx, n) => n * 2)
  .invoke('conflict', z.null(), () => {
    throw new FrameworkError('app.conflict', 'taken');
  });

const nothing = () => undefined;
const failed = new Set<string>();

/** A record with `failOnce` fails the first time; a tombstone never does. */
const orders = kafkaTrigger({ onFailure: 'report' }).topic('orders', (_ctx, record) => {
  const order = kafkaJson<{ id: string; failOnce?: boolean }>(record);
  const id = order?.id ?? 'tombstone';
  if (order?.failOnce && !failed.has(id)) {
    failed.add(id);
    throw new Error(id);
  }
});
export const topics = orders.handleLambda;

const app = new SecureApp({
  surfaces: [
    s3Trigger().bucket('uploads', (_ctx, { key }) => {
      if (key === 'a b') return;
      throw new Error(key);
    }),
    operations,
    tokenAuthorizer((_ctx, { token }) => (token === 'Bearer token' ? allow('u1') : unauthorized())),
    cognitoTrigger().on('PreSignUp_*', () => ({ autoConfirmUser: true })),
    customResource(
      { create: () => ({ physicalId: 'made' }), update: () => undefined, delete: () => undefined },
      { responseHosts: [process.env.RESPONSE_HOST ?? ''] },
    ),
    sesTrigger({ onError: 'stop' }).rule((_ctx, { verdicts }) => (verdicts.spam === 'PASS' ? 'continue' : 'stop_rule')),
    logsTrigger().group('/aws/lambda/orders', nothing),
    alarmAction((_ctx, { state }) => {
      if (state !== 'ALARM') throw new Error(state);
    }),
    kafkaTrigger({ onFailure: 'report' }).topic('orders', (_ctx, { offset }) => {
      if (offset === 1) throw new Error('no');
    }),
    mqTrigger().queue('orders', nothing),
    documentDb().collection('shop.orders', nothing),
    firehoseTransform((_ctx, { data }) => Buffer.from(Buffer.from(data).toString().toUpperCase())),
    s3Batch((_ctx, { key }) => key),
    secretRotation().secret('database', {
      createSecret: nothing,
      setSecret: () => {
        throw new Error('secret');
      },
      testSecret: nothing,
      finishSecret: nothing,
    }),
    appSyncEvents()
      .publish('/news/*', (_ctx, { payload }) => ({ payload }), Public())
      .subscribe('/news/*', nothing, Public()),
    appSyncAuthorizer((_ctx, { token }) =>
      token === 'token' ? AppSyncDecision.allow({ context: { user: 'u1' } }) : AppSyncDecision.deny(),
    ),
    latticeDoor(),
  ],
});
app.get('/', () => json(200, {}), Public());

export const container = app.handleLambda;
export const { serveAuthorizer } = requestAuthorizer({ form: 'simple' }, (_ctx, { headers }) =>
  headers['x-api-key'] === 'k' ? allow('u1') : deny(),
);
export const alone = s3Trigger().bucket('uploads', () => {}).handleLambda;
