import { ArnPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IStream } from 'aws-cdk-lib/aws-kinesis';
import { CrossAccountDestination } from 'aws-cdk-lib/aws-logs';
import { ArnFormat, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { makeDeliveryRole } from '../internal/log-delivery.js';
import { misuse } from '../internal/misuse.js';
import { nameOf } from '../internal/names.js';
import { accountList, defineProps, literalWords, thing } from '../internal/props.js';

/** Props of {@link LogDestination}. */
export interface LogDestinationProps {
  /** The data stream that gets the lines, in the account and region of the stack. */
  readonly stream: IStream;
  /** The accounts that may subscribe log groups, by number. At least one. */
  readonly allowedAccounts: readonly string[];
  /**
   * The name of the destination.
   *
   * @default - from the path of the construct
   */
  readonly destinationName?: string;
}

/** Validators and defaults for {@link LogDestinationProps}. */
export const LOG_DESTINATION_PROPS = defineProps<LogDestinationProps>('LogDestination')({
  stream: thing<IStream>('a data stream', 'streamArn').required(),
  allowedAccounts: accountList.required(),
  destinationName: literalWords('1 to 512 characters without : and *', /^[^:*]{1,512}$/),
});

/**
 * Receives lines from log groups of other accounts in a data stream of this account. Only the listed accounts may subscribe, and CloudWatch
 * Logs may write only to this stream.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CrossAccountSubscriptions.html
 * @example
 * const { stream } = new DataStream(this, 'Lines');
 * new LogDestination(this, 'Logs', { stream, allowedAccounts: ['123456789012'] });
 */
export class LogDestination extends Construct {
  /** The destination. */
  readonly destination: CrossAccountDestination;
  /** The ARN of the destination, for {@link LogSubscription} in the other accounts. */
  readonly destinationArn: string;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, an empty list, `*` and ARNs of accounts */
  constructor(scope: Construct, id: string, props: LogDestinationProps) {
    super(scope, id);
    const { stream, allowedAccounts, destinationName } = LOG_DESTINATION_PROPS.parse(this, props);
    if (allowedAccounts.length === 0) {
      throw misuse(this, { what: 'allowedAccounts', got: allowedAccounts, expected: 'at least one account' });
    }
    const name = destinationName ?? nameOf(this);
    // Built from its name, because the destination's policy contains it.
    this.destinationArn = Stack.of(this).formatArn({
      service: 'logs',
      resource: 'destination',
      resourceName: name,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    // A subscription of another account is made with that account's number in the context of the call.
    const { role, grant } = makeDeliveryRole(this, stream, [Stack.of(this).account, ...allowedAccounts]);
    this.destination = new CrossAccountDestination(this, 'Resource', {
      destinationName: name,
      role,
      targetArn: stream.streamArn,
    });
    this.destination.addToPolicy(
      new PolicyStatement({
        // CloudWatch Logs accepts account numbers.
        principals: allowedAccounts.map((account) => new ArnPrincipal(account)),
        actions: ['logs:PutSubscriptionFilter'],
        resources: [this.destinationArn],
      }),
    );
    // CloudWatch Logs sends a test record when the destination is created.
    grant.applyBefore(this.destination);
  }
}
