import type { CfnFunction, Code, ICapacityProvider, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { misuse } from '../../internal/misuse.js';
import { bundleProps } from './code-checks.js';

/** The least memory of a function on Managed Instances, in MB. */
export const MANAGED_MEMORY = 2048;

/** The props of a function that exclude each other. */
type CombinedProps = Parameters<typeof bundleProps>[0] & {
  readonly code?: Code | undefined;
  readonly runtime: Runtime;
  readonly snapStart: boolean;
  readonly tenantIsolation: boolean;
  readonly startCache: boolean;
  readonly computeProvider?: ICapacityProvider | undefined;
  readonly computeConcurrency?: number | undefined;
  readonly memorySize?: number | undefined;
};

/** Rejects what AWS would reject at deployment. */
export function checkCombination(at: Construct, parsed: CombinedProps): void {
  const { entry, code, runtime, snapStart, tenantIsolation, computeProvider, computeConcurrency, memorySize } = parsed;
  if ((entry === undefined) === (code === undefined)) {
    throw misuse(at, {
      what: entry === undefined ? 'no code' : 'two kinds of code',
      expected: 'one of "entry" and "code"',
    });
  }
  const [surplus] = Object.keys(bundleProps(parsed));
  if (code !== undefined && surplus !== undefined) {
    throw misuse(at, {
      what: `${surplus} with code`,
      expected: '"entry", or bundleFunction with this option as the code',
    });
  }
  if (code !== undefined && parsed.startCache) {
    throw misuse(at, {
      what: 'startCache with code',
      expected: '"entry", or bundleFunction with startCache as the code',
    });
  }
  if (!/^nodejs(?:2[02468]|[3-9]\d)\.x$/.test(runtime.name)) {
    throw misuse(at, { what: 'runtime', got: runtime.name, expected: 'Node 20 or later' });
  }
  const refused = [
    [snapStart && !runtime.supportsSnapStart, `snapStart with ${runtime.name}, for which AWS has no snapshots`],
    [snapStart && tenantIsolation, 'snapStart with tenantIsolation'],
    [snapStart && computeProvider !== undefined, 'snapStart with computeProvider'],
    [tenantIsolation && computeProvider !== undefined, 'tenantIsolation with computeProvider'],
    [computeConcurrency !== undefined && computeProvider === undefined, 'computeConcurrency without computeProvider'],
  ] as const;
  for (const [isRefused, what] of refused) {
    if (isRefused) throw misuse(at, { what, expected: 'only one of them: AWS Lambda rejects both' });
  }
  if (computeProvider && memorySize !== undefined && memorySize < MANAGED_MEMORY) {
    throw misuse(at, {
      what: 'memorySize with computeProvider',
      got: memorySize,
      expected: `at least ${MANAGED_MEMORY}`,
    });
  }
}

/** Runs a function on the instances of a capacity provider. */
export function useComputeProvider(
  fn: LambdaFunction,
  { computeProvider, computeConcurrency }: Pick<CombinedProps, 'computeProvider' | 'computeConcurrency'>,
): void {
  if (!computeProvider) return;
  (fn.node.defaultChild as CfnFunction).capacityProviderConfig = {
    lambdaManagedInstancesCapacityProviderConfig: {
      capacityProviderArn: computeProvider.capacityProviderArn,
      ...(computeConcurrency !== undefined && { perExecutionEnvironmentMaxConcurrency: computeConcurrency }),
    },
  };
}
