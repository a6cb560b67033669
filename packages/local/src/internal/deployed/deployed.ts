import { fromJson, isObject } from '@sallyport/core/internal';
import type { ManifestSource } from '../../manifest/parse-manifest.js';

/** The service in front of a deployed function, and its settings; a setting that the file does not state is absent. */
export interface DeployedDoor {
  /** `http-api`, `rest-api`, `function-url`, `load-balancer`, `websocket` or `graphql`. */
  readonly kind: string;
  /** `GET /notes/{id}`, `$default`; empty if the file does not name its routes. */
  readonly routes: readonly string[];
  readonly stage?: string;
  /** Media types that a REST API treats as binary; empty for a REST API that states none. */
  readonly binaryMediaTypes?: readonly string[];
  /** True if the target group of a load balancer has multi-value headers. */
  readonly multiValueHeaders?: boolean;
  /** The JWT authorizers of an HTTP API, by the key of their route; absent without authorizers. */
  readonly jwt?: Readonly<Record<string, DeployedJwt>>;
}

/** The JWT authorizer of a route. */
export interface DeployedJwt {
  /** Absent if it is known only at deployment. */
  readonly issuer?: string;
  readonly audience: readonly string[];
  /** Authorization scopes of the route: a token needs one of them; empty if no scope is required. */
  readonly scopes: readonly string[];
}

/** A function of a template, plan or manifest; a setting that is known only at deployment is absent. */
export interface DeployedFunction {
  /** The name in the file: a logical id, an address, the path of a construct. */
  readonly name: string;
  /** The name of the function on AWS; absent if the deployment chooses it. */
  readonly functionName?: string;
  /** Files that the entry can be, relative to the folder of the project, in the order of their precedence. */
  readonly entries: readonly string[];
  /** The export. */
  readonly handler?: string;
  /** `nodejs24.x`; absent if the file does not state it. */
  readonly runtime?: string;
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  /** `ExecutionTimeout` of the `DurableConfig`; absent for a function that is not durable. */
  readonly durableSeconds?: number;
  readonly sources: readonly ManifestSource[];
  readonly doors: readonly DeployedDoor[];
}

/** The functions of a file that describes a deployment. */
export interface Deployment {
  /** As messages name the file. */
  readonly file: string;
  readonly format: 'CDK manifest' | 'SAM template' | 'Terraform plan';
  readonly functions: readonly DeployedFunction[];
}

/** The files that an entry of a handler such as `src/lambda` can be. */
export function entriesOf(stem: string): readonly string[] {
  return ['.ts', '.mts', '.tsx', '.js', '.mjs', '.cjs'].map((extension) => `${stem}${extension}`);
}

/** The settings of a queue, stream or table mapping from values that CloudFormation and Terraform name differently. */
export function mappingSettings(given: {
  readonly batchSize?: unknown;
  readonly responseTypes?: unknown;
  readonly filters?: readonly unknown[] | undefined;
  readonly retries?: unknown;
  readonly maxAgeSeconds?: unknown;
  readonly bisect?: unknown;
  readonly concurrency?: unknown;
  /** Of a queue. */
  readonly windowSeconds?: unknown;
}): Record<string, unknown> {
  const { batchSize, responseTypes, filters = [], retries, maxAgeSeconds, bisect, concurrency, windowSeconds } = given;
  const patterns = filters.flatMap((filter) => patternOf(filter) ?? []);
  return {
    ...(typeof batchSize === 'number' && { batchSize }),
    // A mapping without the setting does not report failures; that is a fact about it, not an assumption.
    reportBatchItemFailures: Array.isArray(responseTypes) && responseTypes.includes('ReportBatchItemFailures'),
    ...(patterns.length > 0 && { filters: patterns }),
    // -1 is "no limit" on AWS, which no local engine has.
    ...(typeof retries === 'number' && retries >= 0 && { maximumRetryAttempts: retries }),
    ...(typeof maxAgeSeconds === 'number' && maxAgeSeconds > 0 && { maxRecordAgeMs: maxAgeSeconds * 1000 }),
    ...(typeof bisect === 'boolean' && { bisect }),
    ...(typeof concurrency === 'number' && { invocations: concurrency }),
    ...(typeof windowSeconds === 'number' && { maximumBatchingWindowMs: windowSeconds * 1000 }),
  };
}

/** A filter pattern: JSON in both formats. */
function patternOf(filter: unknown): object | undefined {
  const pattern = typeof filter === 'string' ? fromJson(filter) : filter;
  return isObject(pattern) ? pattern : undefined;
}
