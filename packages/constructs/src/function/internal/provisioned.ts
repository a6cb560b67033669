import {
  Alias,
  type CfnAlias,
  type IFunction,
  type IVersion,
  type Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { misuse } from '../../internal/misuse.js';
import { setLiveAlias } from '../../internal/targets.js';

/** The props of a function that determine its provisioned environments. */
interface ProvisionedProps {
  readonly provisionedConcurrency?: number | undefined;
  readonly maxProvisionedConcurrency?: number | undefined;
  readonly provisionedUtilization: number;
  readonly reservedConcurrency?: number | undefined;
  readonly snapStart: boolean;
  readonly tenantIsolation: boolean;
  readonly computeProvider?: object | undefined;
}

/**
 * Rejects what AWS Lambda rejects with provisioned concurrency.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/provisioned-concurrency.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/snapstart.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/tenant-isolation.html
 */
export function checkProvisioned(at: Construct, props: ProvisionedProps): void {
  const { provisionedConcurrency: least, maxProvisionedConcurrency: most, reservedConcurrency: reserved } = props;
  if (least === undefined) {
    if (most === undefined) return;
    throw misuse(at, { what: 'maxProvisionedConcurrency without provisionedConcurrency', expected: 'both' });
  }
  const other = (['snapStart', 'tenantIsolation', 'computeProvider'] as const).find((name) => props[name]);
  if (other !== undefined) {
    const expected = 'only one of them: AWS Lambda rejects both';
    throw misuse(at, { what: `provisionedConcurrency with ${other}`, expected });
  }
  if (most !== undefined && most < least) {
    throw misuse(at, {
      what: 'maxProvisionedConcurrency',
      got: most,
      expected: `at least provisionedConcurrency, ${least}`,
    });
  }
  if (reserved !== undefined && (most ?? least) > reserved) {
    const what = most === undefined ? 'provisionedConcurrency' : 'maxProvisionedConcurrency';
    throw misuse(at, { what, got: most ?? least, expected: `at most reservedConcurrency, ${reserved}` });
  }
}

/**
 * Sets the provisioned environments of an alias: the alias of doors, or a new alias `live`, which doors and triggers then invoke.
 *
 * @returns the alias
 */
export function provision(at: Construct, fn: LambdaFunction, doors: Alias | undefined, props: ProvisionedProps) {
  const { provisionedConcurrency: least, maxProvisionedConcurrency: most, provisionedUtilization } = props;
  if (least === undefined) return undefined;
  const alias = doors ?? new Alias(at, 'Alias', { aliasName: 'live', version: fn.currentVersion as IVersion });
  if (!doors) setLiveAlias(fn as IFunction, alias as IFunction);
  // Application Auto Scaling changes nothing before its first measurement: the alias has the least number itself.
  (alias.node.defaultChild as CfnAlias).provisionedConcurrencyConfig = { provisionedConcurrentExecutions: least };
  if (most === undefined) return alias;
  alias
    .addAutoScaling({ minCapacity: least, maxCapacity: most })
    .scaleOnUtilization({ utilizationTarget: provisionedUtilization });
  return alias;
}
