import { DEFAULT_EMBEDDING_DIMENSIONS, DEFAULT_TITAN_EMBED_TEXT_MODEL_ID } from '@sallyport/vectors/schema';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AttributeType,
  BillingMode,
  type ITable,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import {
  ApiDomain,
  bundleFunction,
  ConnectionsTable,
  DataStream,
  ErrorNotifications,
  type ExternalAttachment,
  GraphqlApi,
  HttpApi,
  type Inventory,
  JobsTable,
  McpServer,
  ObjectBucket,
  RateLimitTable,
  ServiceFunction,
  ServiceQueue,
  ServiceWiring,
  VectorIndex,
  WebSocketApi,
} from '../../../src/index.js';

/** The values that differ between deployments. */
export interface NotesStackProps extends StackProps {
  /** The authorization server. */
  readonly issuer: string;
  /** The address of its keys. */
  readonly jwksUri: string;
  /** The public name of the service. */
  readonly domainName: string;
  /** The ARN of the certificate for the name. */
  readonly certificateArn: string;
  /** The registrations of the service. */
  readonly inventory: Inventory;
}

/** Registrations that this stack does not attach, with the reason. */
const EXTERNAL: readonly ExternalAttachment[] = [
  {
    kind: 'invoke',
    reason: 'Other functions call it by name; they are granted lambda:InvokeFunction where they are made.',
  },
  {
    kind: 'agentcore',
    reason: 'The gateway and its target are made by their owner, whose role is granted lambda:InvokeFunction there.',
  },
];

/** The registrations of the example `notes`, attached by hand: a source for each, by the wiring. */
export class NotesStack extends Stack {
  constructor(scope: Construct, id: string, props: NotesStackProps) {
    super(scope, id, props);
    const { issuer, jwksUri, domainName, inventory } = props;
    const { fn } = new ServiceFunction(this, 'Service', {
      // `entry: 'src/lambda.ts'` if the packages are installed; this workspace runs on their sources.
      code: bundleFunction(this, { entry: 'src/lambda.ts', conditions: ['@sallyport/source'] }),
      memorySize: 512,
      timeout: Duration.seconds(20),
      environment: {
        NOTES_ISSUER: issuer,
        NOTES_AUDIENCE: 'notes',
        NOTES_JWKS_URI: jwksUri,
        NOTES_PUBLIC_URL: `https://${domainName}`,
      },
    });
    const attachments = this.#addState(fn, domainName);
    const wiring = new ServiceWiring(this, 'Wiring', { fn, inventory, external: EXTERNAL });
    this.#addDoors(wiring, props);
    this.#addSources(wiring);
    wiring.s3('uploads', attachments, { filters: [{ prefix: 'notes/' }] });
  }

  /** The tables, the index of vectors, and the bucket of attachments. */
  #addState(fn: IFunction, domainName: string): IBucket {
    new JobsTable(this, 'Jobs').bindTo(fn);
    new RateLimitTable(this, 'Limits').bindTo(fn);
    new ConnectionsTable(this, 'Connections').bindTo(fn);
    const uploadOrigins = [`https://${domainName}`];
    const { bucket } = new ObjectBucket(this, 'Attachments', { uploadOrigins }).bindTo(fn, {
      variable: 'NOTES_BUCKET',
      prefix: 'notes/',
    });
    const modelArn = `arn:aws:bedrock:${this.region}::foundation-model/${DEFAULT_TITAN_EMBED_TEXT_MODEL_ID}`;
    new VectorIndex(this, 'Search', { dimension: DEFAULT_EMBEDDING_DIMENSIONS, modelArn }).bindTo(fn);
    return bucket as IBucket;
  }

  /** HTTP with the MCP server, GraphQL and WebSocket. */
  #addDoors(wiring: ServiceWiring, { domainName, certificateArn }: NotesStackProps): void {
    const { fn } = wiring;
    const certificate = Certificate.fromCertificateArn(this, 'Certificate', certificateArn);
    const domain = new ApiDomain(this, 'Domain', { domainName, certificate });
    const api = new HttpApi(this, 'Http', { fn, domain });
    new McpServer(this, 'Mcp', { fn, api, streaming: false, generateSecret: true });
    wiring.http(api);
    const graphql = new GraphqlApi(this, 'GraphQl', { fn, schemaFile: 'infra/schema.graphql' });
    graphql.addField({ parentType: 'Note', field: 'author', batch: true });
    wiring.graphQl(graphql);
    wiring.webSocket(new WebSocketApi(this, 'Sockets', { fn, respond: true }));
  }

  /** Queues, streams, a topic, a bus and a schedule. */
  #addSources(wiring: ServiceWiring): void {
    const queue = (id: string, fifo = false) => new ServiceQueue(this, id, { fifo }).queue as IQueue;
    wiring.queue('reminders', queue('Reminders'));
    wiring.queue('orders', queue('Orders'));
    wiring.queue('ledger.fifo', queue('Ledger', true));
    wiring.tableStream('notes', this.#notesTable());
    wiring.kinesis('clicks', new DataStream(this, 'Clicks').stream);
    wiring.topic('announcements', new ErrorNotifications(this, 'Announcements').topic);
    wiring.eventBus({ source: 'billing', detailType: 'InvoicePaid' });
    wiring.schedule('nightly-cleanup', Schedule.cron({ hour: '3', minute: '0' }));
  }

  #notesTable(): ITable {
    return new Table(this, 'Notes', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
    }) as ITable;
  }
}
