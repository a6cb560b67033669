import { createHash } from 'node:crypto';
import { type AuthorizationConfig, AuthorizationType } from 'aws-cdk-lib/aws-appsync';
import type { UserPool } from 'aws-cdk-lib/aws-cognito';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { EventPattern, Schedule } from 'aws-cdk-lib/aws-events';
import type { IStream } from 'aws-cdk-lib/aws-kinesis';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Duration, Names, Stack, Token } from 'aws-cdk-lib/core';
import { Construct, type IConstruct } from 'constructs';
import { EventChannels, type EventChannelsMappingProps } from '../../graphql/event-channels.js';
import { ApiAuthorization } from '../../http/authorization.js';
import type { LambdaAuthorizerProps } from '../../http/lambda-authorizer.js';
import { misuse, show } from '../../internal/misuse.js';
import { type AgentCoreMappingProps, AgentCoreTarget, type AgentCoreTool } from '../../mcp/agent-core-target.js';
import { type CognitoMappingProps, CognitoTrigger } from '../../triggers/cognito-trigger.js';
import { type EventRuleMappingProps, EventRuleTrigger } from '../../triggers/event-rule-trigger.js';
import { type FirehoseMappingProps, FirehoseTransform } from '../../triggers/firehose-transform.js';
import { type KafkaMappingProps, KafkaTrigger } from '../../triggers/kafka-trigger.js';
import { type QueueMappingProps, QueueTrigger } from '../../triggers/queue-trigger.js';
import { type S3MappingProps, S3Trigger } from '../../triggers/s3-trigger.js';
import type { StreamMappingProps } from '../../triggers/stream-mapping.js';
import { StreamTrigger, TableStreamTrigger } from '../../triggers/stream-triggers.js';
import { type TopicMappingProps, TopicTrigger } from '../../triggers/topic-trigger.js';
import type { EventSelector, Inventory } from '../inventory.js';
import type { Attachments } from './attachments.js';
import { isOfScheduler, isScheduled, ofSelector, ofTrigger, selectorText } from './registrations.js';

/** The part of a wiring that attaches event sources, and other services that invoke the function. */
export abstract class SourceWiring extends Construct {
  /** The function that runs the application. */
  abstract readonly fn: IFunction;
  /** The function or the alias that sources invoke. @internal */
  protected abstract readonly invoked: IFunction;
  /** The name of the application. @internal */
  protected abstract readonly application: string | undefined;
  /** The registrations of the application. */
  abstract readonly inventory: Inventory;
  /** The attachments so far. @internal */
  protected abstract readonly attachments: Attachments;

  /**
   * Attaches a queue to the handler of `queue(name)`. The visibility timeout of a {@link ServiceQueue} is raised to six times the timeout
   * of the function.
   *
   * @throws ConstructError `constructs.not_registered`; `constructs.invalid_prop` if only the name or only the queue is FIFO, and as
   *   {@link QueueTrigger}
   * @example wiring.queue('orders', orders.queue, { batchSize: 5 });
   */
  queue(name: string, queue: IQueue, props: QueueMappingProps = {}): QueueTrigger {
    this.attachments.claim('queue', name);
    // QueueTrigger rejects any other value.
    if (typeof queue?.queueArn === 'string' && name.endsWith('.fifo') !== queue.fifo) {
      const expected = 'a FIFO queue for a name that ends in .fifo, and a standard queue for every other name';
      throw misuse(this, { what: `queue "${name}" and ${queue.node.path}: one of them is FIFO`, expected });
    }
    const trigger = new QueueTrigger(this, sourceId('Queue', queue), { ...props, fn: this.invoked, queue });
    this.attachments.named('queue', name, queue.queueName, { mapping: trigger.mapping, queue });
    return trigger;
  }

  /**
   * Attaches the stream of a table to the handler of `tableStream(name)`.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link TableStreamTrigger}
   * @example wiring.tableStream('notes', notesTable);
   */
  tableStream(name: string, table: ITable, props: StreamMappingProps = {}): TableStreamTrigger {
    this.attachments.claim('table-stream', name);
    const trigger = new TableStreamTrigger(this, sourceId('TableStream', table), { ...props, fn: this.invoked, table });
    this.attachments.named('table-stream', name, table.tableName, { mapping: trigger.mapping });
    return trigger;
  }

  /**
   * Attaches a data stream to the handler of `kinesis(name)`.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link StreamTrigger}
   * @example wiring.kinesis('clicks', clicks.stream);
   */
  kinesis(name: string, stream: IStream, props: StreamMappingProps = {}): StreamTrigger {
    this.attachments.claim('stream', name);
    const trigger = new StreamTrigger(this, sourceId('Kinesis', stream), { ...props, fn: this.invoked, stream });
    this.attachments.named('stream', name, stream.streamName, { mapping: trigger.mapping });
    return trigger;
  }

  /**
   * Subscribes the handler of `topic(name)` to a topic.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link TopicTrigger}
   * @example wiring.topic('announcements', topic);
   */
  topic(name: string, topic: ITopic, props: TopicMappingProps = {}): TopicTrigger {
    this.attachments.claim('topic', name);
    const trigger = new TopicTrigger(this, sourceId('Topic', topic), { ...props, fn: this.invoked, topic });
    this.attachments.named('topic', name, topic.topicName, { subscription: trigger.subscription, topic });
    return trigger;
  }

  /**
   * Invokes the handler of `s3Trigger().bucket(name)` with the events of a bucket.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link S3Trigger}
   * @example wiring.s3('uploads', uploads.bucket, { filters: [{ prefix: 'notes/' }] });
   */
  s3(name: string, bucket: IBucket, props: S3MappingProps = {}): S3Trigger {
    this.attachments.claim('s3', name);
    const trigger = new S3Trigger(this, sourceId('S3', bucket), { ...props, fn: this.invoked, bucket });
    this.attachments.named('s3', name, bucket.bucketName, { filters: props.filters });
    return trigger;
  }

  /**
   * Attaches a topic of Amazon MSK, or of a self-managed Kafka, to the handler of `kafkaTrigger().topic(name)`. The topic has the name of the handler unless you pass `topic`.
   * The consumer group has the name of the application and the topic.
   *
   * @throws ConstructError `constructs.not_registered`; `constructs.invalid_prop` without `application` and `consumerGroup`; and as {@link KafkaTrigger}
   * @example wiring.kafka('orders', { clusterArn: cluster.attrArn });
   */
  kafka(name: string, { topic = name, ...props }: KafkaMappingProps & { readonly topic?: string }): KafkaTrigger {
    this.attachments.claim('kafka', name);
    const { consumerGroup = this.#consumerGroup(topic) } = props;
    const trigger = new KafkaTrigger(
      this,
      kafkaId(this, props.clusterArn ?? (props.bootstrapServers ?? []).join(','), topic, name),
      {
        ...props,
        fn: this.invoked,
        topic,
        consumerGroup,
      },
    );
    this.attachments.named('kafka', name, topic, { mapping: trigger.mapping });
    return trigger;
  }

  /**
   * Connects a user pool to the handlers of `cognitoTrigger()`.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link CognitoTrigger}
   * @example wiring.cognito(userPool);
   */
  cognito(userPool: UserPool, props: CognitoMappingProps = {}): CognitoTrigger {
    const sources = this.attachments.claimAll('cognito').map(({ name = '' }) => name);
    return new CognitoTrigger(this, 'Cognito', { ...props, fn: this.invoked, userPool, sources });
  }

  /**
   * Transforms the records of Firehose delivery streams with the handler of `firehoseTransform()`. Pass the result to the streams' destinations.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link FirehoseTransform}
   * @example new DeliveryStream(this, 'Clicks', { destination: new S3Bucket(bucket, { processors: [wiring.firehose()] }) });
   */
  firehose(props: FirehoseMappingProps = {}): FirehoseTransform {
    this.attachments.claimAll('firehose');
    return new FirehoseTransform(this, 'Firehose', { ...props, fn: this.invoked });
  }

  /**
   * Creates the rule of a handler of `eventBus(selector)`: its pattern is the selector, extended by `pattern`.
   *
   * @throws ConstructError `constructs.not_registered`; `constructs.invalid_prop` for a selector without `source` and `detailType`, for
   *   a pattern with a member that the selector states, and for scheduled events of EventBridge Scheduler, which no bus gets
   * @example wiring.eventBus({ source: 'billing' }, { pattern: { detail: { total: Match.greaterThan(100) } } });
   */
  eventBus(
    selector: EventSelector,
    { pattern: narrower = {}, ...props }: EventRuleMappingProps & { readonly pattern?: EventPattern } = {},
  ): EventRuleTrigger {
    this.attachments.attach(ofSelector(selector));
    const { source, detailType, ruleName, scheduleName } = selector;
    if (isOfScheduler(selector)) {
      throw misuse(this, {
        what: `no rule receives events of ${selectorText(selector)}`,
        expected: ofSelector(selector).remedy,
      });
    }
    if ((source === undefined && detailType === undefined) || scheduleName !== undefined) {
      const expected =
        'a selector with source or detailType; wiring.schedule(ruleName, …) for a rule that is a schedule';
      throw misuse(this, { what: `no pattern follows from ${selectorText(selector)}`, expected });
    }
    const stated = {
      ...(source !== undefined && { source: [source] }),
      ...(detailType !== undefined && { detailType: [detailType] }),
    };
    const twice = Object.keys(stated).find((name) => name in narrower);
    if (twice !== undefined) {
      throw misuse(this, { what: `pattern.${twice}`, expected: `no ${twice}: the selector states it` });
    }
    const pattern = { ...narrower, ...stated };
    const id = `Bus-${[source, detailType, ruleName].filter((part) => part !== undefined).join('-')}`;
    const trigger = new EventRuleTrigger(this, id, { ...props, fn: this.invoked, pattern });
    if (ruleName !== undefined) this.attachments.nameRule(ruleName, trigger.nameRule());
    const bus = props.bus?.eventBusName ?? 'default';
    // The name of a bus that the stack creates is known only after deployment.
    const named = Token.isUnresolved(bus) ? {} : { name: bus };
    this.attachments.addSource({ kind: 'event-bus', ...named, selector, rule: trigger.rule });
    return trigger;
  }

  /**
   * Creates a rule that invokes the function on a schedule, for the handler of `eventBus({ ruleName })`. The name of the rule contains the name of the
   * stack, so that two stages can be in one account; `FRAMEWORK_EVENT_SOURCES` maps the name of the handler to it.
   *
   * @throws ConstructError `constructs.not_registered` when no handler is for this rule or for all scheduled events of rules
   * @example wiring.schedule('nightly', Schedule.cron({ hour: '3', minute: '0' }));
   */
  schedule(ruleName: string, schedule: Schedule, props: EventRuleMappingProps = {}): EventRuleTrigger {
    const own = ofSelector({ ruleName });
    const all = this.inventory.triggers.filter(({ selector }) => isScheduled(selector)).map(ofTrigger);
    if (this.attachments.has(own) || all.length === 0) this.attachments.attach(own);
    for (const one of all) this.attachments.cover(one);
    const trigger = new EventRuleTrigger(this, this.#scheduleId(ruleName, schedule), {
      ...props,
      fn: this.invoked,
      schedule,
    });
    this.attachments.nameRule(ruleName, trigger.nameRule());
    this.attachments.addSource({ kind: 'schedule', name: ruleName, rule: trigger.rule });
    return trigger;
  }

  /** Two equal schedules differ in the name of the handler. */
  #scheduleId(ruleName: string, schedule: Schedule): string {
    const id = `Schedule-${hashOf(this, schedule.expressionString)}`;
    return this.node.tryFindChild(id) ? `${id}-${ruleName}` : id;
  }

  #consumerGroup(topic: string): string {
    if (this.application !== undefined) return `${this.application}-${topic}`;
    throw misuse(this, {
      what: `no consumer group for the topic ${show(topic)}`,
      expected:
        'the prop "application" of the wiring, or consumerGroup: a group with another name reads the whole topic again',
    });
  }

  /**
   * Authorizes the callers of REST APIs with the handler of `tokenAuthorizer()`. Results are cached only if the handler has the scope `api`.
   *
   * @throws ConstructError `constructs.not_registered`
   * @example const api = new RestApi(this, 'Api', { fn: reports.fn, authorization: wiring.authorizer() });
   */
  authorizer(props: Omit<LambdaAuthorizerProps, 'fn' | 'scope'> = {}): ApiAuthorization {
    const record = this.attachments.claimAll('authorizer-token')[0];
    const scope = record?.options?.scope === 'api' ? 'api' : 'method';
    return ApiAuthorization.token({ ...props, fn: this.invoked, scope });
  }

  /**
   * Authorizes the callers of a GraphQL API with the handler of `appSyncAuthorizer()`. Each result contains its cache time.
   *
   * @throws ConstructError `constructs.not_registered`
   * @example new GraphqlApi(this, 'GraphQl', { fn, schemaFile: 'schema.graphql', authorization: wiring.appSyncAuthorizer() });
   */
  appSyncAuthorizer(): AuthorizationConfig {
    this.attachments.claimAll('appsync-authorizer');
    const lambdaAuthorizerConfig = { handler: this.invoked, resultsCacheTtl: Duration.seconds(0) };
    return { defaultAuthorization: { authorizationType: AuthorizationType.LAMBDA, lambdaAuthorizerConfig } };
  }

  /**
   * Connects an AppSync Event API to the handlers of `appSyncEvents()`: creates the namespaces of their channels.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link EventChannels}
   * @example wiring.appSyncEvents({ apiId: eventApi.apiId });
   */
  appSyncEvents(props: EventChannelsMappingProps): EventChannels {
    const channels = this.attachments.claimAll('appsync-events').map(({ name = '', options }) => ({
      pattern: name,
      operation: String(options?.operation),
    }));
    return new EventChannels(this, 'EventChannels', { ...props, fn: this.invoked, channels });
  }

  /**
   * Creates the target of an AgentCore Gateway with the tools of `agentCoreTools()`.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link AgentCoreTarget}; `constructs.invalid_prop` for another target name than the
   *   application's target
   * @example wiring.agentCore({ gatewayIdentifier: gateway.attrGatewayIdentifier, gatewayRole });
   */
  agentCore(props: AgentCoreMappingProps): AgentCoreTarget {
    const records = this.attachments.claimAll('agentcore');
    const target = records[0]?.options?.target as string | undefined;
    const { targetName = target } = props;
    if (target !== undefined && targetName !== target) {
      const expected = `"${target}", the target of agentCoreTools(server, { target }), which rejects calls of other targets`;
      throw misuse(this, { what: 'targetName', got: targetName, expected });
    }
    const tools = records.map(({ name, options: { target: _target, ...schema } = {} }) => ({ name, ...schema }));
    return new AgentCoreTarget(this, 'AgentCore', {
      ...props,
      ...(targetName !== undefined && { targetName }),
      fn: this.invoked,
      tools: tools as unknown as readonly AgentCoreTool[],
    });
  }
}

/** The id of a trigger comes from its source, so that a renamed handler keeps its mapping: AWS rejects a second mapping of a source, and a new mapping reads it from the beginning. */
export function sourceId(kind: string, source: IConstruct): string {
  return `${kind}-${Names.nodeUniqueId(source.node)}`;
}

function kafkaId(wiring: Construct, cluster: string, topic: string, name: string): string {
  return `Kafka-${Token.isUnresolved(topic) ? name : topic}-${hashOf(wiring, cluster)}`;
}

export function hashOf(at: Construct, value: string): string {
  return createHash('sha256')
    .update(JSON.stringify(Stack.of(at).resolve(value)))
    .digest('hex')
    .slice(0, 8);
}
