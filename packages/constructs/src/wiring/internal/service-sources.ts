import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { misuse } from '../../internal/misuse.js';
import { doorAliasesOf, payloadAlias } from '../../internal/targets.js';
import { type AlarmMappingProps, AlarmTrigger } from '../../triggers/alarm-trigger.js';
import { type CustomResourceMappingProps, CustomResourceTrigger } from '../../triggers/custom-resource-trigger.js';
import { type DocumentDbMappingProps, DocumentDbTrigger } from '../../triggers/documentdb-trigger.js';
import { type MqMappingProps, MqTrigger } from '../../triggers/mq-trigger.js';
import { type ScheduleMappingProps, ScheduleTrigger } from '../../triggers/schedule-trigger.js';
import { type SecretRotationMappingProps, SecretRotationTrigger } from '../../triggers/secret-rotation-trigger.js';
import { type SesMappingProps, SesTrigger } from '../../triggers/ses-trigger.js';
import { isOfScheduler, isScheduled, ofSelector, ofTrigger, PAYLOAD_KINDS } from './registrations.js';
import { hashOf, SourceWiring, sourceId } from './source-wiring.js';

/** The part of a wiring that attaches services which are not in every stack. */
export abstract class ServiceSources extends SourceWiring {
  /**
   * Creates a schedule of EventBridge Scheduler, with a time zone or for a single time, for the handler of `eventBus({ scheduleName })`, or of
   * `eventBus({ source: 'aws.scheduler' })`. The name of the schedule contains the name of the stack; `FRAMEWORK_EVENT_SOURCES` maps the name of the handler to it.
   *
   * @throws ConstructError `constructs.not_registered` when no handler is for this schedule, and as {@link ScheduleTrigger}
   * @example wiring.scheduler('report', ScheduleExpression.cron({ hour: '8', minute: '0', timeZone: TimeZone.EUROPE_BERLIN }));
   */
  scheduler(scheduleName: string, schedule: ScheduleExpression, props: ScheduleMappingProps = {}): ScheduleTrigger {
    const own = ofSelector({ scheduleName });
    const all = this.inventory.triggers
      .filter(
        ({ selector }) =>
          selector && (isOfScheduler(selector) || isScheduled(selector)) && selector.source !== 'aws.events',
      )
      .map(ofTrigger);
    if (this.attachments.has(own) || all.length === 0) this.attachments.attach(own);
    for (const one of all) this.attachments.cover(one);
    const id = `Scheduler-${hashOf(this, `${schedule.expressionString} ${schedule.timeZone?.timezoneName ?? ''}`)}`;
    const trigger = new ScheduleTrigger(this, this.node.tryFindChild(id) ? `${id}-${scheduleName}` : id, {
      ...props,
      fn: this.invoked,
      schedule,
    });
    this.attachments.nameSchedule(scheduleName, trigger.nameSchedule());
    this.attachments.addSource({ kind: 'scheduler', name: scheduleName, schedule: trigger.schedule });
    return trigger;
  }

  /**
   * Attaches a queue of Amazon MQ to the handler of `mqTrigger().queue(name)`. The name contains queue and virtual host, `orders::/shop`, unless you pass them.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link MqTrigger}
   * @example wiring.mq('orders', { brokerArn: broker.attrArn, secret });
   */
  mq(name: string, { queue, ...props }: MqMappingProps & { readonly queue?: string }): MqTrigger {
    this.attachments.claim('mq', name);
    const [named = name, host] = name.split('::');
    const physical = queue ?? named;
    const virtualHost = props.virtualHost ?? host;
    const trigger = new MqTrigger(this, `Mq-${hashOf(this, `${props.brokerArn} ${physical} ${virtualHost ?? ''}`)}`, {
      ...props,
      ...(virtualHost !== undefined && { virtualHost }),
      fn: this.invoked,
      queue: physical,
    });
    // An event contains `queue::host`, which a name with a virtual host equals.
    const inEvent = host === undefined ? physical : `${physical}::${virtualHost}`;
    this.attachments.named('mq', name, inEvent, { mapping: trigger.mapping });
    return trigger;
  }

  /**
   * Attaches the change stream of a database or collection to the handler of `documentDb().collection(namespace)`. The namespace, `shop.orders`, contains
   * database and collection, unless you pass them; `*` needs them.
   *
   * @throws ConstructError `constructs.not_registered`, `constructs.invalid_prop` for `*` without `database`, and as {@link DocumentDbTrigger}
   * @example wiring.documentDb('shop.orders', { clusterArn, secret });
   */
  documentDb(
    namespace: string,
    {
      database,
      collection,
      ...props
    }: DocumentDbMappingProps & { readonly database?: string; readonly collection?: string },
  ): DocumentDbTrigger {
    if (namespace === '*' && database === undefined) {
      throw misuse(this, { what: 'documentDb("*") without database', expected: 'the name of the database' });
    }
    this.attachments.claim('documentdb', namespace);
    const split = namespace.indexOf('.');
    const [db, coll] = split < 0 ? [namespace, undefined] : [namespace.slice(0, split), namespace.slice(split + 1)];
    const read = database ?? db;
    const of = collection ?? (database === undefined ? coll : undefined);
    const trigger = new DocumentDbTrigger(
      this,
      `DocumentDb-${hashOf(this, `${props.clusterArn} ${read}.${of ?? '*'}`)}`,
      {
        ...props,
        fn: this.invoked,
        database: read,
        ...(of !== undefined && { collection: of }),
      },
    );
    const inEvent = namespace === '*' ? '*' : of === undefined ? read : `${read}.${of}`;
    this.attachments.named('documentdb', namespace, inEvent, { mapping: trigger.mapping });
    return trigger;
  }

  /**
   * Creates a receipt rule of SES for the handler of `sesTrigger()`.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link SesTrigger}
   * @example wiring.ses('Support', { ruleSet, recipients: ['support@example.com'] });
   */
  ses(id: string, props: SesMappingProps): SesTrigger {
    this.attachments.claimAll('ses');
    return new SesTrigger(this, `Ses-${id}`, { ...props, fn: this.invoked });
  }

  /**
   * Rotates a secret with the steps of `secretRotation().secret(name)`.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link SecretRotationTrigger}
   * @example wiring.secret('database', databaseSecret, { every: Duration.days(7) });
   */
  secret(name: string, secret: ISecret, props: SecretRotationMappingProps = {}): SecretRotationTrigger {
    this.attachments.claim('secret-rotation', name);
    const trigger = new SecretRotationTrigger(this, sourceId('Secret', secret), { ...props, fn: this.invoked, secret });
    this.attachments.named('secret-rotation', name, secret.secretFullArn ?? secret.secretName, {});
    return trigger;
  }

  /**
   * Creates a custom resource of the stack for the handlers of `customResource()`.
   *
   * @throws ConstructError `constructs.not_registered`, `constructs.invalid_prop` for handlers with `cdkProvider: true`, and as {@link CustomResourceTrigger}
   * @example wiring.customResource('Seed', { properties: { table: notes.tableName } }).resource.getAttString('count');
   */
  customResource(id: string, props: CustomResourceMappingProps = {}): CustomResourceTrigger {
    const [record] = this.attachments.claimAll('custom-resource');
    if (record?.options?.cdkProvider === true) {
      throw misuse(this, {
        what: 'customResource(…, { cdkProvider: true }) of the application',
        expected:
          'customResource without cdkProvider; or a Provider of aws-cdk-lib/custom-resources, and an entry of "external"',
      });
    }
    return new CustomResourceTrigger(this, `CustomResource-${id}`, { ...props, fn: this.invoked });
  }

  /**
   * Invokes the handler of `alarmAction()` when alarms change their state.
   *
   * @throws ConstructError `constructs.not_registered`, and as {@link AlarmTrigger}
   * @example wiring.alarms({ alarms: [errors] });
   */
  alarms(props: AlarmMappingProps): AlarmTrigger {
    this.attachments.claimAll('alarm');
    return new AlarmTrigger(this, 'Alarms', { ...props, fn: this.invoked });
  }

  /**
   * Creates the alias of a handler of `iotRule()`, `pipe()` or `stateTask()`, whose events a device or a client wrote. Pass it to the IoT rule, the pipe
   * or the state machine: such a payload can look like a request, so it must not reach the alias of doors.
   *
   * @returns the alias, whose name is the name of the handler
   * @throws ConstructError `constructs.not_registered`; `constructs.invalid_prop` for a function with doors and without `separateDoors`
   * @see docs/security.md, "Forged requests"
   * @example new IotRule(this, 'Cellar', { sql, actions: [new LambdaFunctionAction(wiring.payload('cellar'))] });
   */
  payload(name: string): IFunction {
    const registered = PAYLOAD_KINDS.find((kind) => this.attachments.has(ofTrigger({ kind, name })));
    this.attachments.claim(registered ?? PAYLOAD_KINDS[0], name);
    if (this.inventory.routes.length > 0 && !doorAliasesOf(this.fn)) {
      throw misuse(this, {
        what: `payload(${JSON.stringify(name)}) and ${this.fn.node.path} with doors: a payload can look like a request`,
        expected: 'separateDoors: true of the ServiceFunction',
      });
    }
    return payloadAlias(this, this.fn, name);
  }
}
