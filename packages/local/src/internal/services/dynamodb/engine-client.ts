import { FrameworkError } from '@sallyport/core';
import { toArn } from '../../aws/names.js';

/** Timeout of one call. */
const TIMEOUT_MS = 10_000;
/** DynamoDB Local requires a signature and does not check it. */
export const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=none';

/** The beginning of the ARNs of DynamoDB Local, and of the ARNs of a run. */
const [ENGINE, RUN] = ['arn:aws:dynamodb:ddblocal:000000000000:', toArn('dynamodb', '')] as const;

/** Replaces ARNs of the engine by ARNs of the run. */
export const toRunArns = (text: string): string => text.replaceAll(ENGINE, RUN);

/** Replaces ARNs of the run by ARNs of the engine. */
export const toEngineArns = (text: string): string => text.replaceAll(RUN, ENGINE);

/** A response of DynamoDB or DynamoDB Streams. */
export type EngineAnswer = Readonly<Record<string, unknown>>;

/**
 * Calls DynamoDB without the AWS SDK.
 *
 * @param operation `DynamoDB.CreateTable`, `Streams.GetRecords`
 * @throws FrameworkError with the exception's name as its code, for example `ResourceNotFoundException`, and rejections of `fetch`
 */
export async function callEngine(endpoint: string, operation: string, input: object): Promise<EngineAnswer> {
  const [service, name = ''] = operation.split('.');
  const target = service === 'Streams' ? `DynamoDBStreams_20120810.${name}` : `DynamoDB_20120810.${name}`;
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target, authorization: AUTHORIZATION },
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer = (await response.json()) as EngineAnswer;
  if (response.ok) return answer;
  const type = typeof answer.__type === 'string' ? answer.__type : '';
  throw new FrameworkError(
    type.split('#').pop() ?? 'InternalServerError',
    String(answer.message ?? answer.Message ?? type),
  );
}
