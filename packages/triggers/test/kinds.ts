import type { TriggerSurface } from '@sallyport/triggers';
import { alarmAction } from '@sallyport/triggers/alarm';
import { appSyncAuthorizer, deny as refuse } from '@sallyport/triggers/appsync-authorizer';
import { appSyncEvents } from '@sallyport/triggers/appsync-events';
import { deny, tokenAuthorizer } from '@sallyport/triggers/authorizer';
import { cognitoTrigger } from '@sallyport/triggers/cognito';
import { customResource } from '@sallyport/triggers/custom-resource';
import { documentDb } from '@sallyport/triggers/documentdb';
import { drop, firehoseTransform } from '@sallyport/triggers/firehose';
import { buildInvocation, directInvoke } from '@sallyport/triggers/invoke';
import { kafkaTrigger } from '@sallyport/triggers/kafka';
import { type LatticeDoor, latticeDoor } from '@sallyport/triggers/lattice';
import { logsTrigger } from '@sallyport/triggers/logs';
import { mqTrigger } from '@sallyport/triggers/mq';
import { s3Trigger } from '@sallyport/triggers/s3';
import { s3Batch } from '@sallyport/triggers/s3-batch';
import { secretRotation } from '@sallyport/triggers/secret-rotation';
import { sesTrigger } from '@sallyport/triggers/ses';
import * as build from '@sallyport/triggers/testing';
import { z } from 'zod';

/** Every surface of the package with a handler for the builders' events; `ran` is called for each call. */
export const SURFACES: Readonly<Record<string, (ran: () => undefined) => TriggerSurface | LatticeDoor>> = {
  s3: (ran) => s3Trigger().bucket('uploads', ran),
  ses: (ran) => sesTrigger({ onError: 'stop' }).rule(() => ran() ?? 'continue'),
  'authorizer-token': (ran) => tokenAuthorizer(() => ran() ?? deny()),
  cognito: (ran) => cognitoTrigger().on('PreSignUp_*', ran).on('CustomSMSSender_*', ran),
  'custom-resource': (ran) => customResource({ create: ran, update: ran, delete: ran }, { cdkProvider: true }),
  logs: (ran) => logsTrigger().group('/aws/lambda/orders', ran),
  'appsync-events': (ran) =>
    appSyncEvents()
      .publish('/news/*', (_ctx, { payload }) => ran() ?? payload)
      .subscribe('/news/*', ran),
  'appsync-authorizer': (ran) => appSyncAuthorizer(() => ran() ?? refuse()),
  kafka: (ran) => kafkaTrigger().topic('orders', ran),
  mq: (ran) => mqTrigger().queue('orders', ran),
  documentdb: (ran) => documentDb().collection('shop.orders', ran),
  firehose: (ran) => firehoseTransform(() => ran() ?? drop()),
  alarm: (ran) => alarmAction(ran),
  's3-batch': (ran) => s3Batch(ran),
  'secret-rotation': (ran) =>
    secretRotation().secret('database', { createSecret: ran, setSecret: ran, testSecret: ran, finishSecret: ran }),
  lattice: latticeDoor,
  invoke: (ran) => directInvoke().invoke('a', z.any(), ran),
};

/** Events of the builders, by kind. */
export const EVENTS: readonly [string, object][] = [
  ['s3', build.buildS3Event('uploads', [{ key: 'a' }])],
  ['s3', build.buildS3Event('uploads', [{ key: 'a', event: 'ObjectRemoved:Delete' }])],
  ['ses', build.buildSesEvent()],
  ['ses', build.buildSesEvent({ invocationType: 'RequestResponse' })],
  ['authorizer-token', build.buildTokenAuthorizerEvent()],
  ['cognito', build.buildCognitoEvent()],
  ['cognito', build.buildCognitoEvent({ triggerSource: 'CustomSMSSender_SignUp', response: null })],
  ['custom-resource', build.buildCustomResourceEvent()],
  ['custom-resource', build.buildCustomResourceEvent({ requestType: 'Update' })],
  ['custom-resource', build.buildCustomResourceEvent({ requestType: 'Delete' })],
  ['logs', build.buildLogsEvent()],
  ['appsync-events', build.buildAppSyncEventsEvent('/news/sport')],
  ['appsync-events', build.buildAppSyncEventsEvent('/news/sport', { operation: 'SUBSCRIBE' })],
  ['appsync-authorizer', build.buildAppSyncAuthorizerEvent()],
  ['appsync-authorizer', build.buildAppSyncAuthorizerEvent({ api: 'events' })],
  ['kafka', build.buildKafkaEvent('orders', [{}])],
  ['kafka', build.buildKafkaEvent('orders', [{}], { cluster: 'self-managed' })],
  ['mq', build.buildMqEvent('orders', [{}])],
  ['mq', build.buildMqEvent('orders', [{}], { broker: 'rabbitmq' })],
  ['documentdb', build.buildDocumentDbEvent('shop.orders', [{}])],
  ['firehose', build.buildFirehoseEvent('clicks', [{}])],
  ['alarm', build.buildAlarmEvent()],
  ['s3-batch', build.buildS3BatchEvent('uploads')],
  ['s3-batch', build.buildS3BatchEvent('uploads', { schema: '2.0' })],
  ['secret-rotation', build.buildSecretRotationEvent('database')],
  ['secret-rotation', build.buildSecretRotationEvent('database', { step: 'finishSecret' })],
  ['lattice', build.buildLatticeRequest('GET', '/', { version: 1 })],
  ['lattice', build.buildLatticeRequest('GET', '/')],
  ['invoke', buildInvocation('a', 1)],
];
