import {
  APIGatewayRequestAuthorizerEventSchema,
  APIGatewayTokenAuthorizerEventSchema,
} from '@aws-lambda-powertools/parser/schemas/api-gateway';
import { APIGatewayRequestAuthorizerEventV2Schema } from '@aws-lambda-powertools/parser/schemas/api-gatewayv2';
import {
  AppSyncEventsPublishSchema,
  AppSyncEventsSubscribeSchema,
} from '@aws-lambda-powertools/parser/schemas/appsync-events';
import {
  CloudFormationCustomResourceCreateSchema,
  CloudFormationCustomResourceDeleteSchema,
  CloudFormationCustomResourceUpdateSchema,
} from '@aws-lambda-powertools/parser/schemas/cloudformation-custom-resource';
import { CloudWatchLogsSchema } from '@aws-lambda-powertools/parser/schemas/cloudwatch';
import { CustomSMSSenderTriggerSchema, PreSignupTriggerSchema } from '@aws-lambda-powertools/parser/schemas/cognito';
import { KafkaMskEventSchema, KafkaSelfManagedEventSchema } from '@aws-lambda-powertools/parser/schemas/kafka';
import { KinesisFirehoseSchema } from '@aws-lambda-powertools/parser/schemas/kinesis-firehose';
import { S3Schema } from '@aws-lambda-powertools/parser/schemas/s3';
import { SesSchema } from '@aws-lambda-powertools/parser/schemas/ses';
import { TransferFamilySchema } from '@aws-lambda-powertools/parser/schemas/transfer-family';
import { VpcLatticeSchema } from '@aws-lambda-powertools/parser/schemas/vpc-lattice';
import { VpcLatticeV2Schema } from '@aws-lambda-powertools/parser/schemas/vpc-latticev2';
import * as build from '@sallyport/triggers/testing';

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
  ['MSK', KafkaMskEventSchema, build.buildKafkaEvent('orders', [{ key: 'k', headers: { a: 'b' } }])],
  ['Kafka', KafkaSelfManagedEventSchema, build.buildKafkaEvent('orders', [{}], { cluster: 'self-managed' })],
  ['Firehose', KinesisFirehoseSchema, build.buildFirehoseEvent('clicks', [{}, {}])],
  ['publication', AppSyncEventsPublishSchema, build.buildAppSyncEventsEvent('/news/sport')],
  ['subscription', AppSyncEventsSubscribeSchema, build.buildAppSyncEventsEvent('/news/*', { operation: 'SUBSCRIBE' })],
  ['Transfer Family', TransferFamilySchema, build.buildTransferEvent()],
  ['Lattice 1', VpcLatticeSchema, build.buildLatticeRequest('GET', '/', { version: 1 })],
  ['Lattice 2', VpcLatticeV2Schema, build.buildLatticeRequest('GET', '/')],
])('the parser of Powertools accepts what the builder makes: %s', (_what, schema, event) => {
  expect(schema.safeParse(event).error?.issues ?? []).toEqual([]);
});

// Powertools 2.35 is narrower here than what AWS sends; a case that passes can move up.
it.each<[string, Schema, object]>([
  ['lists of headers of Lattice 2', VpcLatticeV2Schema, build.buildLatticeRequest('GET', '/', { headers: { a: 'b' } })],
  ['a tombstone', KafkaMskEventSchema, build.buildKafkaEvent('orders', [{ value: null }])],
  [
    'a sign-in with a key, without a password',
    TransferFamilySchema,
    { ...build.buildTransferEvent(), password: undefined },
  ],
  ['SES that waits', SesSchema, build.buildSesEvent({ invocationType: 'RequestResponse' })],
  ['a payload that is text', AppSyncEventsPublishSchema, build.buildAppSyncEventsEvent('/a', { payloads: ['x'] })],
  [
    'arrival time 0',
    KinesisFirehoseSchema,
    { ...build.buildFirehoseEvent('s', [{}]), records: [{ recordId: 'r', approximateArrivalTimestamp: 0, data: '' }] },
  ],
  [
    'PreSignUp_ExternalProvider',
    PreSignupTriggerSchema,
    build.buildCognitoEvent({ triggerSource: 'PreSignUp_ExternalProvider' }),
  ],
  [
    'a custom sender, whose event has no response',
    CustomSMSSenderTriggerSchema,
    build.buildCognitoEvent({
      triggerSource: 'CustomSMSSender_SignUp',
      request: { type: 'customSMSSenderRequestV1', code: 'c', clientMetadata: null },
      response: null,
    }),
  ],
])('the parser of Powertools rejects events that AWS sends: %s', (_what, schema, event) => {
  expect(schema.safeParse(event).error?.issues.length).toBeGreaterThan(0);
});

it.each<[string, () => unknown]>([
  ['S3 without records', () => build.buildS3Event('b', [])],
  ['S3 with an unknown option', () => build.buildS3Event('b', [{ key: 'k', colour: 1 } as never])],
  ['token authorizer', () => build.buildTokenAuthorizerEvent({ token: 5 } as never)],
  ['request authorizer', () => build.buildRequestAuthorizerEvent({ version: '3.0' } as never)],
  ['Cognito', () => build.buildCognitoEvent({ userName: 5 } as never)],
  ['custom resource', () => build.buildCustomResourceEvent({ requestType: 'Destroy' } as never)],
  ['Kafka without records', () => build.buildKafkaEvent('t', [])],
  ['Kafka with a wrong offset', () => build.buildKafkaEvent('t', [{ offset: -1 }])],
  ['MQ', () => build.buildMqEvent('q', [{}], { broker: 'kafka' as never })],
  ['DocumentDB', () => build.buildDocumentDbEvent('a.b', [{ operation: 5 as never }])],
  ['Firehose', () => build.buildFirehoseEvent('s', [{ data: 5 as never }])],
  ['S3 Batch', () => build.buildS3BatchEvent('b', { schema: '3.0' as never })],
  ['rotation', () => build.buildSecretRotationEvent('s', { step: 'drop' as never })],
  ['AppSync authorizer', () => build.buildAppSyncAuthorizerEvent({ api: 'rest' as never })],
  ['AppSync Events', () => build.buildAppSyncEventsEvent('/a', { operation: 'DELETE' as never })],
  ['Lattice', () => build.buildLatticeRequest('GET', '/', { version: 3 })],
])('builders reject unknown members: %s', (_what, make) => {
  expect(make).toThrow(expect.failure('app.invalid_configuration'));
});
