import { defineOptions, func, object } from '@sallyport/core/options';
import { type Service, ServiceError, startService } from './service.js';

/** Options of {@link startBedrock}. */
export interface BedrockOptions {
  /** The module `@aws-sdk/client-bedrock-runtime`, whose schemas define the operations. */
  readonly sdk: object;
  /** The numbers of a string. Default: a vector of length 1 made from the text's characters. */
  readonly embed?: (text: string, dimensions: number) => readonly number[];
}

const OPTIONS = defineOptions<BedrockOptions>()({
  sdk: object().required(),
  embed: func<NonNullable<BedrockOptions['embed']>>(),
});

const MAX_CHARACTERS = 50_000;
const DIMENSIONS: readonly unknown[] = [256, 512, 1024];

/**
 * Starts a local test server for the Titan text embedding models of Amazon Bedrock. It uses HTTP/2, like the AWS client.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
 * @example
 * const sdk = await import('@aws-sdk/client-bedrock-runtime');
 * const service = await startBedrock({ sdk });
 */
export function startBedrock(options: BedrockOptions): Promise<Service> {
  const { sdk, embed = embedCharacters } = OPTIONS.parse(options);
  return startService({
    sdk,
    protocol: 'http2',
    handlers: {
      InvokeModel({ modelId, body }) {
        if (!String(modelId).startsWith('amazon.titan-embed-text-v2')) {
          throw new ServiceError('ResourceNotFoundException', 404, 'Could not resolve the foundation model');
        }
        const { inputText, dimensions = 1024, normalize = true, ...others } = parse(body as Buffer);
        const isText = typeof inputText === 'string' && inputText !== '' && [...inputText].length <= MAX_CHARACTERS;
        const isRight = isText && DIMENSIONS.includes(dimensions) && typeof normalize === 'boolean';
        if (!isRight || Object.keys(others).length > 0) {
          throw new ServiceError('ValidationException', 400, 'Malformed input request');
        }
        const embedding = embed(inputText, Number(dimensions));
        const answer = { embedding, inputTextTokenCount: inputText.split(/\s+/).length };
        return Buffer.from(JSON.stringify(answer));
      },
    },
  });
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    throw new ServiceError('ValidationException', 400, 'Malformed input request');
  }
}

function embedCharacters(text: string, dimensions: number): readonly number[] {
  const sums = new Array<number>(dimensions).fill(0);
  for (const [at, character] of [...text].entries()) {
    const place = ((character.codePointAt(0) ?? 0) * 31 + at) % dimensions;
    sums[place] = (sums[place] ?? 0) + 1;
  }
  const length = Math.hypot(...sums);
  return sums.map((sum) => sum / length);
}
