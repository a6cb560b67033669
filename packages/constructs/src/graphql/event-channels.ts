import { CfnChannelNamespace, CfnDataSource } from 'aws-cdk-lib/aws-appsync';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { grantOn } from '../internal/grants.js';
import { misuse } from '../internal/misuse.js';
import { choice, defineProps, flag, literal, thing, words } from '../internal/props.js';
import { claimSource, doorAliasesOf, invokedBy, invokedByDoor } from '../internal/targets.js';

/** Props of the mapping between an Event API and its function. */
export interface EventChannelsMappingProps {
  /** The id of the Event API of AppSync: `eventApi.apiId`. */
  readonly apiId: string;
  /**
   * `REQUEST_RESPONSE` if AppSync waits for the response. With `EVENT` it ignores changes and rejections of the handler, so
   * handlers of subscriptions are rejected.
   *
   * @default 'REQUEST_RESPONSE'
   */
  readonly invokeType?: 'REQUEST_RESPONSE' | 'EVENT';
  /**
   * True if the trigger invokes an alias that no other trigger has. Not with separate doors: an Event API is a door.
   *
   * @default false
   */
  readonly ownAlias?: boolean;
}

/** A registration of the application: `/news/*`, and the operation of the clients. */
export interface EventChannel {
  /** The pattern of the channel. */
  readonly pattern: string;
  /** `PUBLISH` or `SUBSCRIBE`. */
  readonly operation: string;
}

/** Props of {@link EventChannels}. */
export interface EventChannelsProps extends EventChannelsMappingProps {
  /** The function. */
  readonly fn: IFunction;
  /** The channels of the application. The first part of each pattern is a namespace, which is created. */
  readonly channels: readonly EventChannel[];
}

/** Validators and defaults for {@link EventChannelsProps}. */
export const EVENT_CHANNELS_PROPS = defineProps<EventChannelsProps>('EventChannels')({
  fn: thing<IFunction>('a function', 'functionArn').required(),
  apiId: words('the id of an Event API').required(),
  channels: literal<readonly EventChannel[]>('a list of { pattern, operation }', isChannels).required(),
  invokeType: choice('REQUEST_RESPONSE', 'EVENT').default('REQUEST_RESPONSE'),
  ownAlias: flag.default(false),
});

/**
 * Connects an AppSync Event API to a function, for `appSyncEvents()` of `@sallyport/triggers`. Creates the channel namespaces, with
 * handlers for the operations that the application handles. The API may invoke the function and waits for its response.
 *
 * @see https://docs.aws.amazon.com/appsync/latest/eventapi/channel-namespace-handlers.html
 * @example new EventChannels(this, 'Channels', { fn, apiId: api.apiId, channels: [{ pattern: '/news/*', operation: 'PUBLISH' }] });
 */
export class EventChannels extends Construct {
  /** The namespaces by name. */
  readonly namespaces: ReadonlyMap<string, CfnChannelNamespace>;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, a pattern with an unknown namespace, or a handler of subscriptions with
   *   `EVENT`; `constructs.conflict` for a second construct of an API
   */
  constructor(scope: Construct, id: string, props: EventChannelsProps) {
    super(scope, id);
    const { fn, apiId, channels, invokeType, ownAlias } = EVENT_CHANNELS_PROPS.parse(this, props);
    const subscription = channels.find(({ operation }) => operation === 'SUBSCRIBE');
    if (invokeType === 'EVENT' && subscription) {
      throw misuse(this, {
        what: `invokeType EVENT with a handler of subscriptions, ${subscription.pattern}`,
        expected: 'REQUEST_RESPONSE: AppSync would ignore the response and accept every subscriber',
      });
    }
    claimSource(this, fn, apiId, 'Event API');
    if (ownAlias && doorAliasesOf(fn)) {
      throw misuse(this, {
        what: 'ownAlias with a function whose doors are separate',
        expected: 'none: an Event API is a door',
      });
    }
    const source = this.#makeSource(apiId, ownAlias ? invokedBy(this, fn, true) : invokedByDoor(this, fn));
    const operations = operationsOf(this, channels);
    const handler = (isHandled: boolean | undefined) =>
      isHandled
        ? {
            behavior: 'DIRECT',
            integration: { dataSourceName: source.name, lambdaConfig: { invokeType } },
          }
        : undefined;
    this.namespaces = new Map(
      [...operations].map(([name, handled]) => {
        const onPublish = handler(handled.has('PUBLISH'));
        const onSubscribe = handler(handled.has('SUBSCRIBE'));
        const handlerConfigs = { ...(onPublish && { onPublish }), ...(onSubscribe && { onSubscribe }) };
        const namespace = new CfnChannelNamespace(this, `Namespace-${name}`, { apiId, name, handlerConfigs });
        namespace.addResourceDependency(source);
        return [name, namespace] as const;
      }),
    );
  }

  #makeSource(apiId: string, target: IFunction): CfnDataSource {
    const role = new Role(this, 'InvokeRole', { assumedBy: new ServicePrincipal('appsync.amazonaws.com') });
    grantOn(role, ['lambda:InvokeFunction'], [target.functionArn]);
    return new CfnDataSource(this, 'Source', {
      apiId,
      name: 'function',
      type: 'AWS_LAMBDA',
      lambdaConfig: { lambdaFunctionArn: target.functionArn },
      serviceRoleArn: role.roleArn,
    });
  }
}

function isChannels(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every(
    ({ pattern, operation }) => typeof pattern === 'string' && (operation === 'PUBLISH' || operation === 'SUBSCRIBE'),
  );
}

/** The operations of each namespace, which is the first part of a channel. */
function operationsOf(at: Construct, channels: readonly EventChannel[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { pattern, operation } of channels) {
    const [, name = ''] = pattern.split('/');
    if (!/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,48}[A-Za-z0-9])?$/.test(name)) {
      throw misuse(at, {
        what: `namespace of the channel ${pattern}`,
        got: name,
        expected: 'a pattern whose first part is a name: letters, digits and -, at most 50 characters',
      });
    }
    const operations = found.get(name) ?? new Set<string>();
    found.set(name, operations.add(operation));
  }
  return found;
}
