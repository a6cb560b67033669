import { VECTOR_ACTIONS, VECTOR_LIMITS, VECTOR_VARIABLES } from '@sallyport/vectors/schema';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnIndex, CfnVectorBucket } from 'aws-cdk-lib/aws-s3vectors';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { setVariable } from '../internal/environment.js';
import { grantOn } from '../internal/grants.js';
import { grantKey } from '../internal/keys.js';
import { misuse } from '../internal/misuse.js';
import { choice, defineProps, literalCount, literalWords, many, thing } from '../internal/props.js';

/** Props of {@link VectorIndex}. */
export interface VectorIndexProps {
  /** The length of a vector, 1 to 4,096. It cannot be changed later. */
  readonly dimension: number;
  /**
   * The distance metric of two vectors. It cannot be changed later.
   *
   * @default 'cosine'
   */
  readonly metric?: 'cosine' | 'euclidean';
  /**
   * Metadata keys that filters cannot use, at most 10. They cannot be changed later.
   *
   * @default - none
   */
  readonly nonFilterableKeys?: readonly string[];
  /**
   * The ARN of the embedding model.
   *
   * @default - the function may not create embeddings
   */
  readonly modelArn?: string;
  /**
   * Your KMS key.
   *
   * @default - encrypted with keys of S3 (AES256)
   */
  readonly encryptionKey?: IKey;
}

/** Validators and defaults for {@link VectorIndexProps}. */
export const VECTOR_INDEX_PROPS = defineProps<VectorIndexProps>('VectorIndex')({
  dimension: literalCount(1, VECTOR_LIMITS.dimension).required(),
  metric: choice('cosine', 'euclidean').default('cosine'),
  nonFilterableKeys: many<string>(
    `a list of at most ${VECTOR_LIMITS.nonFilterableKeys} names`,
    (one) => typeof one === 'string' && one.trim() !== '',
  ).default([]),
  modelArn: literalWords('the ARN of a model', /^arn:[\w-]+:bedrock:/),
  encryptionKey: thing<IKey>('a key', 'keyArn'),
});

/** Lengths that the embedding models of `@sallyport/vectors` support. */
const EMBEDDING_DIMENSIONS: readonly number[] = [256, 512, 1024];

/**
 * An S3 vector bucket with one index for `@sallyport/vectors`. Both are kept when the stack is removed, and their names are generated.
 *
 * @example new VectorIndex(this, 'Search', { dimension: 1024, modelArn }).bindTo(fn);
 */
export class VectorIndex extends Construct {
  /** The bucket. */
  readonly vectorBucket: CfnVectorBucket;
  /** The index. */
  readonly index: CfnIndex;
  readonly #dimension: number;
  readonly #modelArn: string | undefined;
  readonly #key: IKey | undefined;

  /** @throws ConstructError `constructs.invalid_prop` for a wrong prop, `constructs.literal_needed` for a token as the dimension */
  constructor(scope: Construct, id: string, props: VectorIndexProps) {
    super(scope, id);
    const { dimension, metric, nonFilterableKeys, modelArn, encryptionKey } = VECTOR_INDEX_PROPS.parse(this, props);
    if (nonFilterableKeys.length > VECTOR_LIMITS.nonFilterableKeys) {
      const expected = `at most ${VECTOR_LIMITS.nonFilterableKeys} names`;
      throw misuse(this, { what: 'nonFilterableKeys', got: nonFilterableKeys, expected });
    }
    this.#dimension = dimension;
    this.#modelArn = modelArn;
    this.#key = encryptionKey;
    const encryptionConfiguration = encryptionKey
      ? { sseType: 'aws:kms', kmsKeyArn: encryptionKey.keyArn }
      : { sseType: 'AES256' };
    this.vectorBucket = new CfnVectorBucket(this, 'Bucket', { encryptionConfiguration });
    this.index = new CfnIndex(this, 'Resource', {
      vectorBucketArn: this.vectorBucket.attrVectorBucketArn,
      dataType: 'float32',
      dimension,
      distanceMetric: metric,
      encryptionConfiguration,
      ...(nonFilterableKeys.length > 0 && {
        metadataConfiguration: { nonFilterableMetadataKeys: [...nonFilterableKeys] },
      }),
    });
    for (const resource of [this.vectorBucket, this.index]) resource.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }

  /**
   * Grants queries and writes, and the embedding model if set. Sets the variables of `vectorStoreFromEnv` and
   * `embedderFromEnv`. The index is identified only by its ARN: the store rejects an index that is named in two ways.
   *
   * @throws ConstructError `constructs.fixed_environment`, `constructs.conflict`
   */
  bindTo(fn: IFunction): this {
    setVariable(this, fn, VECTOR_VARIABLES.indexArn, this.index.attrIndexArn);
    setVariable(this, fn, VECTOR_VARIABLES.dimension, String(this.#dimension));
    this.grantQuery(fn);
    this.grantWrite(fn);
    if (this.#modelArn === undefined) return this;
    setVariable(this, fn, VECTOR_VARIABLES.embeddingModelId, this.#modelArn.replace(/^.*:foundation-model\//, ''));
    if (EMBEDDING_DIMENSIONS.includes(this.#dimension)) {
      setVariable(this, fn, VECTOR_VARIABLES.embeddingDimensions, String(this.#dimension));
    }
    this.grantEmbed(fn);
    return this;
  }

  /** Grants queries, including queries that return metadata. */
  grantQuery(grantee: IGrantable): Grant {
    grantKey(this.#key, grantee, 'vectors', 'read');
    return grantOn(grantee, VECTOR_ACTIONS.query, [this.index.attrIndexArn]);
  }

  /** Grants writing and deleting vectors. */
  grantWrite(grantee: IGrantable): Grant {
    grantKey(this.#key, grantee, 'vectors', 'write');
    return grantOn(grantee, VECTOR_ACTIONS.write, [this.index.attrIndexArn]);
  }

  /**
   * Grants the embedding model.
   *
   * @throws ConstructError `constructs.invalid_prop` without the prop `modelArn`
   */
  grantEmbed(grantee: IGrantable): Grant {
    if (this.#modelArn === undefined) {
      throw misuse(this, { what: 'no embedding model', expected: 'the prop modelArn' });
    }
    return grantOn(grantee, VECTOR_ACTIONS.embed, [this.#modelArn]);
  }
}
