import { membersOf } from '@sallyport/core/internal';
import { type Resource, referencesOf } from '../../internal/template.js';
import { days, errorQuery, insights, logGroupOf, physicalName, redrive, type Section, shell } from './parts.js';
import { type Service, shortId } from './service.js';

function pauseMapping(mapping: string): string {
  return `**Pause**: the records wait in the source.\n\n${shell(
    `aws lambda update-event-source-mapping --uuid ${physicalName(mapping)} --no-enabled`,
    `aws lambda update-event-source-mapping --uuid ${physicalName(mapping)} --enabled # resume`,
  )}`;
}

/** Mappings, rules, schedules, topics and events of buckets. */
export function sourceSections(service: Service): readonly Section[] {
  return [
    ...service.all('AWS::Lambda::EventSourceMapping').map((mapping) => mappingSection(service, mapping)),
    ...service.all('AWS::Events::Rule', 'AWS::Scheduler::Schedule').map((rule) => ruleSection(service, rule)),
    ...service
      .all('AWS::SNS::Subscription')
      .filter(({ properties }) => properties.Protocol === 'lambda')
      .map((subscription) => topicSection(service, subscription)),
    ...bucketSections(service),
  ];
}

/** The lines of a source: by its registered name, which is in each line. */
function linesOf({ registrations }: Service, name: string): string {
  const isRegistered = registrations.sources.some((source) => source.name === name);
  return isRegistered ? `\n| filter source = "${name}"` : '\n| filter ispresent(record_id)';
}

function lookAt(service: Service, mapping: Resource, filter: string): readonly string[] {
  const fn = service.referenced(mapping.refersTo, 'AWS::Lambda::Function') ?? service.functions()[0];
  if (!fn) return [];
  return [
    `Failed records, in Logs Insights with the log group \`${logGroupOf(service, fn)}\`; \`record_id\` is the id of the message or record:`,
    insights(errorQuery(filter)),
  ];
}

function mappingSection(service: Service, mapping: Resource): Section {
  const source = referencesOf(mapping.properties.EventSourceArn);
  const queue = service.referenced(source, 'AWS::SQS::Queue');
  const stream = service.referenced(
    source,
    'AWS::Kinesis::Stream',
    'AWS::DynamoDB::Table',
    'AWS::DynamoDB::GlobalTable',
  );
  const failures = service.referenced(
    referencesOf(queue?.properties.RedrivePolicy ?? mapping.properties.DestinationConfig),
    'AWS::SQS::Queue',
  );
  const kind = queue ? 'queue' : stream?.type === 'AWS::Kinesis::Stream' ? 'stream' : 'table-stream';
  const resource = queue ?? stream ?? mapping;
  const name = service.registeredName(kind, resource);
  const noun = { queue: 'Queue', stream: 'Stream', 'table-stream': 'Table stream' }[kind];
  const kept = failures
    ? `are in the failure queue for ${days(failures.properties.MessageRetentionPeriod)}, then they are deleted`
    : 'are dropped: there is no failure queue';
  const { maxReceiveCount } = membersOf(queue?.properties.RedrivePolicy);
  const { MaximumRetryAttempts: retries = -1 } = mapping.properties;
  return {
    group: 'Sources',
    title: `${noun} ${name}`,
    does: `Delivers its ${queue ? 'messages' : 'records'} to the function, at most ${String(mapping.properties.BatchSize ?? 10)} a batch${queue?.properties.FifoQueue === true ? ', in the order of each group' : ''}.`,
    resources: [
      mapping.id,
      ...(resource.type.startsWith('AWS::DynamoDB') ? [] : [resource.id]),
      ...(failures ? [failures.id] : []),
    ],
    look: [
      ...lookAt(service, mapping, linesOf(service, name)),
      'The state of the mapping:',
      shell(
        `aws lambda get-event-source-mapping --uuid ${physicalName(mapping.id)} --query '[State,LastProcessingResult]'`,
      ),
      ...(queue ? ['Messages that wait, and messages in flight:', shell(queueDepth(queue.id))] : []),
    ],
    act: [
      ...(failures
        ? [redrive(failures.id, queue ? 'messages' : 'records; they are read again from the stream, while it has them')]
        : []),
      pauseMapping(mapping.id),
      queue
        ? `**Drain**: raise the concurrency until the messages are handled, or delete all of them, which cannot be undone.\n\n${shell(`aws sqs purge-queue --queue-url ${physicalName(queue.id)}`)}`
        : '**Drain**: raise `parallelizationFactor` or the batch size, and deploy.',
    ],
    lost: queue
      ? `A message that waits is deleted after ${days(queue.properties.MessageRetentionPeriod)}. Messages that fail ${String(maxReceiveCount ?? 'every')} times ${kept}.`
      : `A record expires after 24 hours, or the retention of the stream. Records that fail ${retries === -1 ? 'block their shard until they expire' : `${String(retries)} times ${kept}`}.`,
  };
}

const queueDepth = (id: string) =>
  `aws sqs get-queue-attributes --queue-url ${physicalName(id)} --attribute-names ApproximateNumberOfMessages ApproximateNumberOfMessagesNotVisible`;

function ruleSection(service: Service, rule: Resource): Section {
  const { ScheduleExpression: expression, EventPattern } = rule.properties;
  const failures = service.referenced(rule.refersTo, 'AWS::SQS::Queue');
  const isSchedule = expression !== undefined;
  const { source, 'detail-type': detailType } = membersOf(EventPattern);
  const pattern = [source, detailType].flatMap((list) => (Array.isArray(list) ? list : [])).join(' ');
  const name = isSchedule ? service.registeredName('schedule', rule) : pattern || shortId(rule.id);
  const verb = rule.type === 'AWS::Events::Rule' ? 'events' : 'scheduler';
  return {
    group: 'Sources',
    title: `${isSchedule ? 'Schedule' : 'Event rule'} ${name}`,
    does: isSchedule
      ? `Invokes the function: \`${String(expression)}\`.`
      : `Sends the events \`${name}\` of the bus to the function.`,
    resources: [rule.id, ...(failures ? [failures.id] : [])],
    look: lookAt(service, rule, ''),
    act: [
      ...(failures ? [redrive(failures.id, 'events')] : []),
      verb === 'events'
        ? `**Pause**: events that arrive meanwhile are not delivered later.\n\n${shell(`aws events disable-rule --name ${physicalName(rule.id)}`, `aws events enable-rule --name ${physicalName(rule.id)} # resume`)}`
        : '**Pause**: set the state of the schedule to DISABLED, and deploy.',
    ],
    lost: failures
      ? `Events that could not be delivered are in the failure queue for ${days(failures.properties.MessageRetentionPeriod)}, then they are deleted.`
      : 'Events that could not be delivered are dropped: there is no failure queue.',
  };
}

function topicSection(service: Service, subscription: Resource): Section {
  const topic = service.referenced(subscription.refersTo, 'AWS::SNS::Topic');
  const failures = service.referenced(referencesOf(subscription.properties.RedrivePolicy), 'AWS::SQS::Queue');
  const name = service.registeredName('topic', topic ?? subscription);
  return {
    group: 'Sources',
    title: `Topic ${name}`,
    does: 'Sends its notifications to the function.',
    resources: [subscription.id, ...(topic ? [topic.id] : []), ...(failures ? [failures.id] : [])],
    look: lookAt(service, subscription, linesOf(service, name)),
    act: [
      ...(failures
        ? [
            `**Read** the notifications that were not delivered. \`redrive\` lists them; it sends them only with \`--to\`.\n\n${shell(`npx sallyport redrive ${physicalName(failures.id)} --dry-run`)}`,
          ]
        : []),
      '**Pause**: a topic keeps nothing. Pause the function: its asynchronous events are retried for up to 6 hours.',
    ],
    lost: failures
      ? `Notifications that could not be delivered are in the failure queue for ${days(failures.properties.MessageRetentionPeriod)}, then they are deleted.`
      : 'Notifications that could not be delivered are dropped: there is no failure queue.',
  };
}

function bucketSections(service: Service): readonly Section[] {
  return service
    .all('AWS::Lambda::Permission')
    .filter(({ properties }) => properties.Principal === 's3.amazonaws.com')
    .map((permission) => {
      const bucket = service.referenced(referencesOf(permission.properties.SourceArn), 'AWS::S3::Bucket');
      return {
        group: 'Sources' as const,
        title: `Bucket events ${service.registeredName('s3', bucket ?? permission)}`,
        does: 'Invokes the function when an object changes.',
        resources: [permission.id],
        look: lookAt(service, permission, ''),
        act: [
          '**Redrive**: events that fail are in the failure queue of the function.',
          '**Pause**: pause the function: its asynchronous events are retried for up to 6 hours.',
        ],
        lost: 'The bucket keeps the objects. Events that fail are in the failure queue of the function.',
      };
    });
}
