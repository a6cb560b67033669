import { type AuthorizationConfig, AuthorizationType } from 'aws-cdk-lib/aws-appsync';
import type { UserPool } from 'aws-cdk-lib/aws-cognito';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Schedule } from 'aws-cdk-lib/aws-events';
import type { IStream } from 'aws-cdk-lib/aws-kinesis';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { GraphqlApi } from '../graphql/graphql-api.js';
import { ApiAuthorization } from '../http/authorization.js';
import type { DoorRoute, IHttpDoor } from '../http/door.js';
import type { LambdaAuthorizerProps } from '../http/lambda-authorizer.js';
import type { WebSocketApi } from '../http/websocket-api.js';
import { misuse } from '../internal/misuse.js';
import { defineProps, flag, literal, many, thing } from '../internal/props.js';
import { functionBehind } from '../internal/targets.js';
import { type CognitoMappingProps, CognitoTrigger } from '../triggers/cognito-trigger.js';
import { type EventRuleMappingProps, EventRuleTrigger } from '../triggers/event-rule-trigger.js';
import { type FirehoseMappingProps, FirehoseTransform } from '../triggers/firehose-transform.js';
import { type QueueMappingProps, QueueTrigger } from '../triggers/queue-trigger.js';
import { type S3MappingProps, S3Trigger } from '../triggers/s3-trigger.js';
import type { StreamMappingProps } from '../triggers/stream-mapping.js';
import { StreamTrigger, TableStreamTrigger } from '../triggers/stream-triggers.js';
import { type TopicMappingProps, TopicTrigger } from '../triggers/topic-trigger.js';
import { type ExternalAttachment, isExternal } from './external.js';
import { Attachments } from './internal/attachments.js';
import { findMismatches } from './internal/findings.js';
import { writeManifests } from './internal/manifest.js';
import { isOfScheduler, isScheduled, ofRoute, ofSelector, ofTrigger, selectorText } from './internal/registrations.js';
import { type EventSelector, type Inventory, parseInventory } from './inventory.js';

/** Props of {@link ServiceWiring}. */
export interface ServiceWiringProps {
  /** The function that runs the application. */
  readonly fn: IFunction;
  /** What the application registers: {@link toInventory}, {@link inventoryFromEntry}, {@link inventoryFromFile}. */
  readonly inventory: Inventory;
  /**
   * Registrations that something else attaches.
   *
   * @default - none
   */
  readonly external?: readonly ExternalAttachment[];
  /**
   * Whether the open container may be behind a door that lets every caller through.
   *
   * @default false
   */
  readonly allowOpenContainer?: boolean;
  /**
   * Routes that stream although their record does not say so, as `GET /events`.
   *
   * @default - none
   */
  readonly streamingRoutes?: readonly string[];
}

/** Which routes {@link ServiceWiring.http} lets through a door. */
export interface HttpWiringProps {
  /**
   * Whether one route of the door takes every request. The application answers 404 and 405 then.
   *
   * @default false
   */
  readonly catchAll?: boolean;
  /**
   * Only the routes below these paths, as `/mcp`.
   *
   * @default - all routes
   */
  readonly only?: readonly string[];
}

/** The kinds of {@link ServiceWiringProps}. */
export const SERVICE_WIRING_PROPS = defineProps<ServiceWiringProps>('ServiceWiring')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  inventory: literal<Inventory>('an inventory', (value) => typeof value === 'object' && value !== null).required(),
  external: many<ExternalAttachment>('a list of { kind, name, reason }, each with a reason', isExternal).default([]),
  allowOpenContainer: flag.default(false),
  streamingRoutes: many<string>('a list of routes such as "GET /events"', (one) =>
    /^[A-Z]+ \//.test(String(one)),
  ).default([]),
});

const wired = new WeakMap<IFunction, ServiceWiring>();

/**
 * Attaches what an application registers, and nothing else. What the application does not register throws at once; what it registers and
 * nothing attaches fails at synth, all findings in one message. It also sets `FRAMEWORK_EVENT_SOURCES`, which maps the names of handlers
 * to those of the deployed sources, and writes `sallyport.json` into the cloud assembly, which the local runtime reads.
 *
 * @example
 * const wiring = new ServiceWiring(this, 'Wiring', { fn, inventory: toInventory(app) });
 * wiring.queue('orders', orders.queue);
 * wiring.schedule('nightly', Schedule.cron({ hour: '3', minute: '0' }));
 * wiring.http(api);
 */
export class ServiceWiring extends Construct {
  /** The function that runs the application. */
  readonly fn: IFunction;
  /** What the application registers. */
  readonly inventory: Inventory;
  readonly #allowsOpen: boolean;
  readonly #streaming: readonly string[];
  readonly #attachments: Attachments;

  /**
   * @throws ConstructError `constructs.invalid_prop`, `constructs.invalid_inventory`; `constructs.conflict` for a second wiring of one
   *   function
   */
  constructor(scope: Construct, id: string, props: ServiceWiringProps) {
    super(scope, id);
    const { fn, inventory, external, allowOpenContainer, streamingRoutes } = SERVICE_WIRING_PROPS.parse(this, props);
    this.fn = fn;
    this.inventory = parseInventory(inventory);
    this.#allowsOpen = allowOpenContainer;
    this.#streaming = streamingRoutes;
    this.#attachments = new Attachments(this, this.inventory, external);
    const behind = functionBehind(fn);
    const other = wired.get(behind);
    if (other) {
      const what = `a second wiring of ${behind.node.path}; the first is ${other.node.path}`;
      throw misuse(this, { what, expected: 'one wiring for each function', code: 'constructs.conflict' });
    }
    wired.set(behind, this);
    this.node.addValidation({ validate: () => [...findMismatches(this, this.#attachments.findings())] });
    writeManifests(this, () => this.#attachments.manifest());
  }

  /**
   * Attaches a queue to the handler of `queue(name)`. The visibility timeout of a {@link ServiceQueue} is raised to six times the timeout
   * of the function.
   *
   * @throws ConstructError `constructs.not_registered`; `constructs.invalid_prop` when one of name and queue is FIFO, and as
   *   {@link QueueTrigger}
   * @example wiring.queue('orders', orders.queue, { batchSize: 5 });
   */
  queue(name: string, queue: IQueue, props: QueueMappingProps = {}): QueueTrigger {
    this.#attachments.claim('queue', name);
    if (name.endsWith('.fifo') !== queue.fifo) {
      const expected = 'a FIFO queue for a name that ends in .fifo, and a standard queue for every other name';
      throw misuse(this, { what: `queue "${name}" and ${queue.node.path}: one of them is FIFO`, expected });
    }
    const trigger = new QueueTrigger(this, `Queue-${name}`, { ...props, fn: this.fn, queue });
    this.#attachments.named('queue', name, queue.queueName, { mapping: trigger.mapping, queue });
    return trigger;
  }

  /**
   * Attaches the stream of a table to the handler of `tableStream(name)`.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link TableStreamTrigger}
   * @example wiring.tableStream('notes', notesTable);
   */
  tableStream(name: string, table: ITable, props: StreamMappingProps = {}): TableStreamTrigger {
    this.#attachments.claim('table-stream', name);
    const trigger = new TableStreamTrigger(this, `TableStream-${name}`, { ...props, fn: this.fn, table });
    this.#attachments.named('tableStream', name, table.tableName, { mapping: trigger.mapping });
    return trigger;
  }

  /**
   * Attaches a data stream to the handler of `kinesis(name)`.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link StreamTrigger}
   * @example wiring.kinesis('clicks', clicks.stream);
   */
  kinesis(name: string, stream: IStream, props: StreamMappingProps = {}): StreamTrigger {
    this.#attachments.claim('stream', name);
    const trigger = new StreamTrigger(this, `Kinesis-${name}`, { ...props, fn: this.fn, stream });
    this.#attachments.named('kinesis', name, stream.streamName, { mapping: trigger.mapping });
    return trigger;
  }

  /**
   * Subscribes the handler of `topic(name)` to a topic.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link TopicTrigger}
   * @example wiring.topic('announcements', topic);
   */
  topic(name: string, topic: ITopic, props: TopicMappingProps = {}): TopicTrigger {
    this.#attachments.claim('topic', name);
    const trigger = new TopicTrigger(this, `Topic-${name}`, { ...props, fn: this.fn, topic });
    this.#attachments.named('topic', name, topic.topicName, {});
    return trigger;
  }

  /**
   * Notifies the handler of `s3Trigger().bucket(name)` of the events of a bucket.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link S3Trigger}
   * @example wiring.s3('uploads', uploads.bucket, { filters: [{ prefix: 'notes/' }] });
   */
  s3(name: string, bucket: IBucket, props: S3MappingProps = {}): S3Trigger {
    this.#attachments.claim('s3', name);
    const trigger = new S3Trigger(this, `S3-${name}`, { ...props, fn: this.fn, bucket });
    this.#attachments.named('s3', name, bucket.bucketName, {});
    return trigger;
  }

  /**
   * Lets a user pool ask the handlers of `cognitoTrigger()`.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link CognitoTrigger}
   * @example wiring.cognito(userPool);
   */
  cognito(userPool: UserPool, props: CognitoMappingProps = {}): CognitoTrigger {
    const sources = this.#attachments.claimAll('cognito').map(({ name = '' }) => name);
    return new CognitoTrigger(this, 'Cognito', { ...props, fn: this.fn, userPool, sources });
  }

  /**
   * Lets delivery streams of Firehose transform their records by the handler of `firehoseTransform()`. Give the result to their destinations.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link FirehoseTransform}
   * @example new DeliveryStream(this, 'Clicks', { destination: new S3Bucket(bucket, { processors: [wiring.firehose()] }) });
   */
  firehose(props: FirehoseMappingProps = {}): FirehoseTransform {
    this.#attachments.claimAll('firehose');
    return new FirehoseTransform(this, 'Firehose', { ...props, fn: this.fn });
  }

  /**
   * Makes the rule of a handler of `eventBus(selector)`: its pattern is the selector.
   *
   * @throws ConstructError `constructs.not_registered`; `constructs.invalid_prop` for a selector without `source` and `detailType`, and
   *   for scheduled events of EventBridge Scheduler, which no bus gets
   * @example wiring.eventBus({ source: 'billing', detailType: 'InvoicePaid' });
   */
  eventBus(selector: EventSelector, props: EventRuleMappingProps = {}): EventRuleTrigger {
    this.#attachments.attach(ofSelector(selector));
    const { source, detailType, ruleName, scheduleName } = selector;
    if (isOfScheduler(selector)) {
      throw misuse(this, {
        what: `no rule gets events of ${selectorText(selector)}`,
        expected: ofSelector(selector).remedy,
      });
    }
    if ((source === undefined && detailType === undefined) || scheduleName !== undefined) {
      const expected =
        'a selector with source or detailType; wiring.schedule(ruleName, …) for a rule that is a schedule';
      throw misuse(this, { what: `no pattern follows from ${selectorText(selector)}`, expected });
    }
    const pattern = {
      ...(source !== undefined && { source: [source] }),
      ...(detailType !== undefined && { detailType: [detailType] }),
    };
    const id = `Bus-${[source, detailType, ruleName].filter((part) => part !== undefined).join('-')}`;
    const trigger = new EventRuleTrigger(this, id, {
      ...props,
      fn: this.fn,
      pattern,
      ...(ruleName !== undefined && { ruleName }),
    });
    this.#attachments.addSource({ kind: 'event-bus', name: 'default', selector, rule: trigger.rule });
    return trigger;
  }

  /**
   * Makes a rule that invokes the function on a schedule, for the handler of `eventBus({ ruleName })`. The rule gets this name.
   *
   * @throws ConstructError `constructs.not_registered` when no handler is for this rule or for all scheduled events of rules
   * @example wiring.schedule('nightly', Schedule.cron({ hour: '3', minute: '0' }));
   */
  schedule(ruleName: string, schedule: Schedule, props: EventRuleMappingProps = {}): EventRuleTrigger {
    const own = ofSelector({ ruleName });
    const all = this.inventory.triggers.filter(({ selector }) => isScheduled(selector)).map(ofTrigger);
    if (this.#attachments.has(own) || all.length === 0) this.#attachments.attach(own);
    for (const one of all) this.#attachments.cover(one);
    const trigger = new EventRuleTrigger(this, `Schedule-${ruleName}`, { ...props, fn: this.fn, schedule, ruleName });
    this.#attachments.addSource({ kind: 'schedule', name: ruleName, rule: trigger.rule });
    return trigger;
  }

  /**
   * Lets the handler of `tokenAuthorizer()` decide about the callers of REST APIs. Answers are reused only where the handler has the scope `api`.
   *
   * @throws ConstructError `constructs.not_registered`
   * @example const api = new RestApi(this, 'Api', { fn: reports.fn, authorization: wiring.authorizer() });
   */
  authorizer(props: Omit<LambdaAuthorizerProps, 'fn' | 'scope'> = {}): ApiAuthorization {
    const record = this.#attachments.claimAll('authorizer-token')[0];
    const scope = record?.options?.scope === 'api' ? 'api' : 'method';
    return ApiAuthorization.token({ ...props, fn: this.fn, scope });
  }

  /**
   * Lets the handler of `appSyncAuthorizer()` decide about the callers of a GraphQL API. Each answer says how long it is reused.
   *
   * @throws ConstructError `constructs.not_registered`
   * @example new GraphqlApi(this, 'GraphQl', { fn, schemaFile: 'schema.graphql', authorization: wiring.appSyncAuthorizer() });
   */
  appSyncAuthorizer(): AuthorizationConfig {
    this.#attachments.claimAll('appsync-authorizer');
    const lambdaAuthorizerConfig = { handler: this.fn, resultsCacheTtl: Duration.seconds(0) };
    return { defaultAuthorization: { authorizationType: AuthorizationType.LAMBDA, lambdaAuthorizerConfig } };
  }

  /**
   * Lets the HTTP routes of the application through a door. Streaming routes get a streaming integration.
   *
   * @throws ConstructError `constructs.not_registered` when the application has no such route; `constructs.invalid_prop` for the open
   *   container behind a door that lets every caller through, a door of another function, a streaming route where the door buffers
   * @example wiring.http(api);
   */
  http(door: IHttpDoor, { catchAll = false, only }: HttpWiringProps = {}): this {
    this.#checkDoor(door);
    const routes = this.inventory.routes.filter(
      ({ surface, path = '' }) => surface === 'http' && (only?.some((prefix) => isBelow(path, prefix)) ?? true),
    );
    if (routes.length === 0)
      throw this.#attachments.notRegistered(`HTTP routes${only ? ` below ${only.join(', ')}` : ''}`);
    const given = routes.map(
      ({ method = '', path = '', streaming }): DoorRoute => ({
        method,
        path,
        streaming: streaming === true || this.#streaming.includes(`${method} ${path}`),
      }),
    );
    const streams = given.some(({ streaming }) => streaming);
    if (catchAll) door.addCatchAll({ streaming: streams && door.canStream });
    else door.addRoutes(given);
    door.attachContainer(this.inventory.container);
    for (const route of routes) this.#attachments.cover(ofRoute(route));
    this.#attachments.addDoor({ kind: door.doorKind, streams: streams && door.canStream, routes: given, door });
    return this;
  }

  /**
   * Makes one resolver for each GraphQL field of the application.
   *
   * @throws ConstructError `constructs.not_registered` when the application has none; `constructs.invalid_prop` for a field that the
   *   schema has not
   * @example wiring.graphQl(graphql);
   */
  graphQl(api: GraphqlApi): this {
    this.#checkFunction(api);
    const routes = this.inventory.routes.filter(({ surface }) => surface === 'appsync');
    if (routes.length === 0) throw this.#attachments.notRegistered('GraphQL fields');
    for (const route of routes) {
      api.addField({ parentType: route.appSyncParentType ?? '', field: route.appSyncField ?? '' });
      this.#attachments.cover(ofRoute(route));
    }
    this.#attachments.addDoor({ kind: 'graphql' });
    return this;
  }

  /**
   * Makes one route of a WebSocket API for each route key of the application.
   *
   * @throws ConstructError `constructs.not_registered` when the application has none
   * @example wiring.webSocket(socket);
   */
  webSocket(api: WebSocketApi): this {
    this.#checkFunction(api);
    const routes = this.inventory.routes.filter(({ surface }) => surface === 'websocket');
    if (routes.length === 0) throw this.#attachments.notRegistered('WebSocket routes');
    for (const route of routes) {
      api.addRouteKey(route.webSocketRouteKey ?? '');
      this.#attachments.cover(ofRoute(route));
    }
    api.attachContainer(this.inventory.container);
    this.#attachments.addDoor({ kind: 'websocket' });
    return this;
  }

  #checkFunction(door: { readonly fn: IFunction; readonly node: Construct['node'] }): void {
    if (functionBehind(door.fn) === functionBehind(this.fn)) return;
    throw misuse(this, {
      what: `${door.node.path} is in front of ${door.fn.node.path}`,
      expected: `a door of ${this.fn.node.path}`,
    });
  }

  #checkDoor(door: IHttpDoor): void {
    this.#checkFunction(door);
    if (this.inventory.container === 'secure' || door.authenticatesCallers || this.#allowsOpen) return;
    throw misuse(this, {
      what: `the open container behind ${door.node.path}, which lets every caller through`,
      expected: 'a SecureApp, an authorizer on the door, or allowOpenContainer: true',
    });
  }
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}
