import { EventBus as CdkEventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { AccountPrincipal, type Grant, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { grantOn } from '../internal/grants.js';
import { nameOf } from '../internal/names.js';
import { accountList, defineProps, literalWords, thing } from '../internal/props.js';

/** Props of {@link EventBus}. */
export interface EventBusProps {
  /**
   * Other accounts that may send events, by number. They may only send.
   *
   * @default - none: only the account of the bus, where its roles are granted it
   */
  readonly allowedAccounts?: readonly string[];
  /**
   * Your KMS key.
   *
   * @default - encrypted with a key of EventBridge
   */
  readonly encryptionKey?: IKey;
  /**
   * The name of the bus.
   *
   * @default - from the path of the construct
   */
  readonly busName?: string;
}

/** Validators and defaults for {@link EventBusProps}. */
export const EVENT_BUS_PROPS = defineProps<EventBusProps>('EventBus')({
  allowedAccounts: accountList.default([]),
  encryptionKey: thing<IKey>('a key', 'keyArn'),
  busName: literalWords('1 to 256 letters, digits, ., - and _, not "default"', /^(?!default$)[\w.-]{1,256}$/),
});

/** The only granted action on a bus. */
const SEND = ['events:PutEvents'];

/**
 * An event bus. Only listed accounts may send to it, and they cannot create rules on it.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-bus-perms.html
 * @example
 * const { bus } = new EventBus(this, 'Orders', { allowedAccounts: ['123456789012'] });
 * new EventRuleTrigger(this, 'Paid', { fn, bus, pattern: { source: ['billing'] } });
 */
export class EventBus extends Construct {
  /** The bus. */
  readonly bus: IEventBus;

  /**
   * @throws ConstructError `constructs.invalid_prop` for a wrong prop, `*` and ARNs of accounts; `constructs.literal_needed` for a token
   *   in place of the list
   */
  constructor(scope: Construct, id: string, props?: EventBusProps) {
    super(scope, id);
    const { allowedAccounts, encryptionKey, busName } = EVENT_BUS_PROPS.parse(this, props);
    const bus = new CdkEventBus(this, 'Resource', {
      eventBusName: busName ?? nameOf(this),
      ...(encryptionKey && { kmsKey: encryptionKey }),
    });
    for (const account of allowedAccounts) allow(bus, account);
    this.bus = bus as IEventBus;
  }

  /** Grants sending events. */
  grantPutEvents(grantee: IGrantable): Grant {
    return grantOn(grantee, SEND, [this.bus.eventBusArn]);
  }
}

function allow(bus: CdkEventBus, account: string): void {
  bus.addToResourcePolicy(
    new PolicyStatement({
      sid: `Account${account}`,
      principals: [new AccountPrincipal(account)],
      actions: SEND,
      resources: [bus.eventBusArn],
    }),
  );
}
