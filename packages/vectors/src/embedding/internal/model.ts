import { ERROR_CODE_EMBEDDING_FAILED, VectorStoreError } from '../../errors.js';
import type { Opened } from '../../internal/sdk.js';
import type { VectorData } from '../../store/store.js';
import { dimensionMismatch } from '../../store/validators.js';

/** The part of `@aws-sdk/client-bedrock-runtime` that is used. */
export interface BedrockSdk {
  /** The client. */
  readonly BedrockRuntimeClient: new (
    config: never,
  ) => object;
  /** Runs a model once. */
  readonly InvokeModelCommand: new (
    input: never,
  ) => object;
}

/** The settings of a request to the model, without the text. */
export interface ModelSettings {
  readonly modelId: string;
  readonly dimensions: number;
  readonly normalize: boolean;
}

/**
 * One request to a Titan text model.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
 */
export async function invokeModel(
  open: () => Promise<Opened<BedrockSdk>>,
  { modelId, dimensions, normalize }: ModelSettings,
  inputText: string,
  signal: AbortSignal,
): Promise<VectorData> {
  const { module, client } = await open();
  const command = new module.InvokeModelCommand({
    modelId,
    contentType: 'application/json',
    accept: 'application/json',
    body: JSON.stringify({ inputText, dimensions, normalize }),
  } as never);
  const { body } = ((await client.send(command, { abortSignal: signal })) ?? {}) as { readonly body?: Uint8Array };
  return toEmbedding(body, dimensions);
}

/** The vector in an answer of the model. */
function toEmbedding(body: Uint8Array | undefined, dimensions: number): VectorData {
  const { embedding } = parseAnswer(body);
  if (!Array.isArray(embedding) || embedding.length === 0) throw missingEmbedding();
  if (embedding.length !== dimensions) throw dimensionMismatch(embedding.length, dimensions);
  const data = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at += 1) {
    const value: unknown = embedding[at];
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value))) throw missingEmbedding();
    data[at] = value;
  }
  return data;
}

function parseAnswer(body: Uint8Array | undefined): { readonly embedding?: unknown } {
  try {
    const answer: unknown = JSON.parse(new TextDecoder().decode(body));
    return (answer ?? {}) as { readonly embedding?: unknown };
  } catch (cause) {
    throw missingEmbedding(cause);
  }
}

function missingEmbedding(cause?: unknown): VectorStoreError {
  // The message of a JSON error contains part of the answer, so it is not kept.
  const init = cause === undefined ? {} : { cause: new Error('the answer is not JSON') };
  return new VectorStoreError(ERROR_CODE_EMBEDDING_FAILED, 'missing embedding in response', init);
}
