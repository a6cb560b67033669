import {
  APIGatewayRequestAuthorizerEventSchema,
  APIGatewayTokenAuthorizerEventSchema,
} from '@aws-lambda-powertools/parser/schemas/api-gateway';
import { APIGatewayRequestAuthorizerEventV2Schema } from '@aws-lambda-powertools/parser/schemas/api-gatewayv2';
import {
  CloudFormationCustomResourceCreateSchema,
  CloudFormationCustomResourceDeleteSchema,
  CloudFormationCustomResourceUpdateSchema,
} from '@aws-lambda-powertools/parser/schemas/cloudformation-custom-resource';
import { CloudWatchLogsSchema } from '@aws-lambda-powertools/parser/schemas/cloudwatch';
import { PreSignupTriggerSchema } from '@aws-lambda-powertools/parser/schemas/cognito';
import { S3Schema } from '@aws-lambda-powertools/parser/schemas/s3';
import { SesSchema } from '@aws-lambda-powertools/parser/schemas/ses';
import type { TriggerExtension } from '@sallyport/dispatch';
import { detect } from '@sallyport/dispatch';
import { createApp } from '@sallyport/dispatch/app';
import type { TriggerSurface } from '@sallyport/triggers';
import { alarmAction } from '@sallyport/triggers/alarm';
import {
  type AuthorizerPolicy,
  allow,
  type SimpleAuthorizerAnswer,
  tokenAuthorizer,
} from '@sallyport/triggers/authorizer';
import { type CognitoEvent, cognitoTrigger } from '@sallyport/triggers/cognito';
import { customResource } from '@sallyport/triggers/custom-resource';
import { buildInvocation, directInvoke } from '@sallyport/triggers/invoke';
import { logsTrigger } from '@sallyport/triggers/logs';
import { s3Trigger } from '@sallyport/triggers/s3';
import { sesTrigger } from '@sallyport/triggers/ses';
import * as build from '@sallyport/triggers/testing';
import type {
  APIGatewayAuthorizerResult,
  APIGatewaySimpleAuthorizerResult,
  APIGatewayTokenAuthorizerEvent,
  PreSignUpTriggerEvent,
  S3Event,
} from 'aws-lambda';

const noop = () => undefined;
const SURFACES: Readonly<Record<string, () => TriggerSurface>> = {
  s3: s3Trigger,
  'authorizer-token': () => tokenAuthorizer(() => allow('u')),
  cognito: cognitoTrigger,
  'custom-resource': () => customResource({ create: noop, update: noop, delete: noop }),
  invoke: directInvoke,
  ses: () => sesTrigger({ onError: 'stop' }),
  logs: logsTrigger,
  alarm: () => alarmAction(noop),
};

const EVENTS: readonly [string, object][] = [
  ['s3', build.buildS3Event('uploads', [{ key: 'a' }])],
  ['s3', build.buildS3Event('uploads', [{ key: 'a', event: 'ObjectRemoved:Delete' }])],
  ['authorizer-token', build.buildTokenAuthorizerEvent()],
  ['cognito', build.buildCognitoEvent()],
  ['cognito', build.buildCognitoEvent({ triggerSource: 'CustomSMSSender_SignUp', response: null })],
  ['custom-resource', build.buildCustomResourceEvent()],
  ['custom-resource', build.buildCustomResourceEvent({ requestType: 'Update' })],
  ['custom-resource', build.buildCustomResourceEvent({ requestType: 'Delete' })],
  ['invoke', buildInvocation('a', 1)],
  ['ses', build.buildSesEvent()],
  ['logs', build.buildLogsEvent()],
  ['alarm', build.buildAlarmEvent()],
];

it.each([false, true])('events are of one kind alone, whatever the order of the rows (reversed: %s)', (reversed) => {
  const names = Object.keys(SURFACES);
  const surfaces = (reversed ? names.reverse() : names).map((name) => SURFACES[name]?.() as TriggerSurface);
  const app = createApp({ log: false, surfaces: surfaces satisfies TriggerExtension[] });
  for (const [kind, event] of [
    ...EVENTS,
    ...surfaces.map(({ serves, sample }) => [serves[0], sample as object] as const),
  ]) {
    const { rows, kind: found } = app.explain(event);
    expect(found).toBe(kind);
    expect(rows.filter(({ outcome }) => outcome !== 'missed')).toHaveLength(1);
    expect(() => detect(event)).toThrow('framework: unknown event type');
  }
});

interface Schema {
  safeParse(event: unknown): { error?: { issues: { path: PropertyKey[] }[] } | undefined };
}

it.each<[string, Schema, object]>([
  ['S3', S3Schema, build.buildS3Event('uploads', [{ key: 'a b', versionId: 'v' }])],
  ['S3 delete', S3Schema, build.buildS3Event('uploads', [{ key: 'a', event: 'ObjectRemoved:Delete' }])],
  ['token authorizer', APIGatewayTokenAuthorizerEventSchema, build.buildTokenAuthorizerEvent()],
  ['request authorizer 1.0', APIGatewayRequestAuthorizerEventSchema, build.buildRequestAuthorizerEvent()],
  [
    'request authorizer 2.0',
    APIGatewayRequestAuthorizerEventV2Schema,
    build.buildRequestAuthorizerEvent({ version: '2.0' }),
  ],
  ['SES', SesSchema, build.buildSesEvent()],
  ['log subscription', CloudWatchLogsSchema, build.buildLogsEvent()],
  ['Cognito', PreSignupTriggerSchema, build.buildCognitoEvent()],
  ['Create', CloudFormationCustomResourceCreateSchema, build.buildCustomResourceEvent()],
  ['Update', CloudFormationCustomResourceUpdateSchema, build.buildCustomResourceEvent({ requestType: 'Update' })],
  ['Delete', CloudFormationCustomResourceDeleteSchema, build.buildCustomResourceEvent({ requestType: 'Delete' })],
])('the parser of Powertools accepts what the builder makes: %s', (_what, schema, event) => {
  expect(schema.safeParse(event).error?.issues ?? []).toEqual([]);
});

it('the types are those of @types/aws-lambda', () => {
  const theirs = {} as S3Event;
  const ours: build.S3Event = theirs;
  // Theirs says that every record has a size and an eTag; S3 leaves them out of deletions.
  const record = {} as Omit<build.S3EventRecord, 's3'>;
  const back: Omit<S3Event['Records'][number], 's3'> = record;
  const token: APIGatewayTokenAuthorizerEvent = {} as build.TokenAuthorizerEvent;
  const ourToken: build.TokenAuthorizerEvent = {} as APIGatewayTokenAuthorizerEvent;
  const policy: APIGatewayAuthorizerResult = {} as AuthorizerPolicy;
  const simple: APIGatewaySimpleAuthorizerResult = {} as SimpleAuthorizerAnswer;
  const cognito: CognitoEvent = {} as PreSignUpTriggerEvent;
  expect([ours, back, token, ourToken, policy, simple, cognito]).toHaveLength(7);
});

it.each<[string, () => unknown]>([
  ['S3 without records', () => build.buildS3Event('b', [])],
  ['S3 with an unknown option', () => build.buildS3Event('b', [{ key: 'k', colour: 1 } as never])],
  ['token authorizer', () => build.buildTokenAuthorizerEvent({ token: 5 } as never)],
  ['request authorizer', () => build.buildRequestAuthorizerEvent({ version: '3.0' } as never)],
  ['Cognito', () => build.buildCognitoEvent({ userName: 5 } as never)],
  ['custom resource', () => build.buildCustomResourceEvent({ requestType: 'Destroy' } as never)],
])('builders refuse what they do not know: %s', (_what, make) => {
  expect(make).toThrow('framework: ');
});
