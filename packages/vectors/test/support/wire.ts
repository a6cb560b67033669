import * as bedrockSdk from '@aws-sdk/client-bedrock-runtime';
import * as vectorsSdk from '@aws-sdk/client-s3vectors';
import { adoptNetworkErrors } from '@sallyport/dynamodb-local';
import { type S3VectorsService, type Service, startBedrock, startS3Vectors } from '@sallyport/testkit/services';
import {
  createS3VectorStore,
  createTitanEmbedder,
  type Embedder,
  type S3VectorStoreOptions,
  type Store,
  type TitanEmbedderOptions,
} from '@sallyport/vectors';

const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wire-secret' };

class VectorsClient extends vectorsSdk.S3VectorsClient {
  constructor(config: vectorsSdk.S3VectorsClientConfig) {
    super(config);
    adoptNetworkErrors(this);
  }
}

class BedrockClient extends bedrockSdk.BedrockRuntimeClient {
  constructor(config: bedrockSdk.BedrockRuntimeClientConfig) {
    super(config);
    adoptNetworkErrors(this);
  }
}

/** Configuration of AWS clients for the emulated services. */
export function clientConfig({ endpoint }: Service): { readonly [key: string]: unknown } {
  return { endpoint, region: 'eu-west-1', credentials: CREDENTIALS, maxAttempts: 1 };
}

/** An emulated S3 Vectors with an index for each combination of settings that the tests use. */
export function startVectors(): Promise<S3VectorsService> {
  const indexes = [3, 8, 1024, 4096].flatMap((dimension) =>
    (['cosine', 'euclidean'] as const).flatMap((distanceMetric) =>
      [[], ['text']].map((nonFilterableMetadataKeys) => ({
        vectorBucketName: 'bucket',
        indexName: indexName(dimension, distanceMetric, nonFilterableMetadataKeys),
        dimension,
        distanceMetric,
        nonFilterableMetadataKeys,
      })),
    ),
  );
  return startS3Vectors({ sdk: vectorsSdk, indexes });
}

export function indexName(dimension: number, metric = 'cosine', hidden: readonly string[] = []): string {
  return ['index', dimension, metric, ...hidden].join('-');
}

/** The real store with the real client, over the wire. */
export function wireStore(service: S3VectorsService, options: Omit<S3VectorStoreOptions, 'indexName'>): Store {
  const { dimension, metric, nonFilterableKeys } = options;
  return createS3VectorStore({
    vectorBucketName: 'bucket',
    indexName: indexName(dimension, metric, nonFilterableKeys),
    config: clientConfig(service),
    loadSdk: async () => ({ ...vectorsSdk, S3VectorsClient: VectorsClient }),
    ...options,
  });
}

export function startModel(): Promise<Service> {
  return startBedrock({ sdk: bedrockSdk });
}

/** The real embedder with the real client, over the wire. */
export function wireEmbedder(service: Service, options: TitanEmbedderOptions = {}): Embedder {
  const loadSdk = async () => ({ ...bedrockSdk, BedrockRuntimeClient: BedrockClient });
  return createTitanEmbedder({ config: clientConfig(service), loadSdk, ...options });
}
