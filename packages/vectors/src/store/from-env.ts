import type { Environment } from '@sallyport/core';
import type { Embedder } from '../embedding/embedder.js';
import { createTitanEmbedder, type TitanEmbedderOptions } from '../embedding/titan.js';
import { invalidConfig } from '../errors.js';
import { VECTOR_VARIABLES } from '../schema.js';
import { createS3VectorStore, type S3VectorStoreOptions } from './s3-store.js';
import type { Store } from './store.js';

const {
  indexArn: INDEX_ARN,
  vectorBucketName: BUCKET,
  indexName: INDEX,
  dimension: DIMENSION,
  embeddingProvider: PROVIDER,
  embeddingModelId: MODEL,
  embeddingDimensions: DIMENSIONS,
  embeddingNormalize: NORMALIZE,
} = VECTOR_VARIABLES;

/**
 * The store of the environment: `FRAMEWORK_VECTOR_INDEX_ARN`, or `FRAMEWORK_VECTOR_BUCKET_NAME` and
 * `FRAMEWORK_VECTOR_INDEX_NAME`; and `FRAMEWORK_VECTOR_DIMENSION`. An option takes precedence over its variable.
 *
 * @param environment default `process.env`
 * @throws VectorStoreError `vectorstore.invalid_config` if both forms or no form is set, or a value is wrong
 * @example const store = vectorStoreFromEnv(process.env, { requiredMetadata: ['tenant'] });
 */
export function vectorStoreFromEnv(
  environment: Environment = process.env,
  options: Partial<S3VectorStoreOptions> = {},
): Store {
  const isNamed = [options.indexArn, options.vectorBucketName, options.indexName].some((name) => name !== undefined);
  const address = isNamed
    ? {}
    : {
        ...given('indexArn', setting(environment, INDEX_ARN)),
        ...given('vectorBucketName', setting(environment, BUCKET)),
        ...given('indexName', setting(environment, INDEX)),
      };
  const dimension = options.dimension ?? numberOf(environment, DIMENSION);
  if (dimension === undefined) throw invalidConfig(`the variable ${DIMENSION} must be set`);
  return createS3VectorStore({ ...address, ...options, dimension });
}

/**
 * The embedder of the environment: `FRAMEWORK_EMBEDDING_PROVIDER` (only `bedrock`, even if it is not set),
 * `FRAMEWORK_EMBEDDING_MODEL_ID`, `FRAMEWORK_EMBEDDING_DIMENSIONS`, `FRAMEWORK_EMBEDDING_NORMALIZE` (`true`, `false`). An option
 * takes precedence over its variable.
 *
 * @param environment default `process.env`
 * @throws VectorStoreError `vectorstore.invalid_config` for a wrong value or another provider
 * @example const embedder = embedderFromEnv();
 */
export function embedderFromEnv(environment: Environment = process.env, options: TitanEmbedderOptions = {}): Embedder {
  const provider = setting(environment, PROVIDER) ?? 'bedrock';
  if (provider !== 'bedrock') throw invalidConfig(`the variable ${PROVIDER} must be bedrock`);
  return createTitanEmbedder({
    ...given('modelId', setting(environment, MODEL)),
    ...given('dimensions', numberOf(environment, DIMENSIONS) as 1024 | undefined),
    ...given('normalize', booleanOf(environment, NORMALIZE)),
    ...options,
  });
}

function setting(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === '' ? undefined : value;
}

function numberOf(environment: Environment, name: string): number | undefined {
  const value = setting(environment, name);
  if (value === undefined) return undefined;
  if (!/^\d{1,5}$/.test(value)) throw invalidConfig(`the variable ${name} must be a whole number`);
  return Number(value);
}

function booleanOf(environment: Environment, name: string): boolean | undefined {
  const value = setting(environment, name);
  if (value === undefined) return undefined;
  if (value !== 'true' && value !== 'false') throw invalidConfig(`the variable ${name} must be true or false`);
  return value === 'true';
}

function given<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
