import { fromJson, isObject, isText } from '@sallyport/core/internal';
import { invalidParameter } from './errors.js';

/** The parts of a callback id. It is opaque to functions and their callers. */
interface CallbackIdParts {
  readonly arn: string;
  readonly operationId: string;
}

export function encodeCallbackId(arn: string, operationId: string, secret: string): string {
  return Buffer.from(JSON.stringify({ arn, operationId, secret })).toString('base64url');
}

/** @throws ServiceError `InvalidParameterValueException` for other text */
export function parseCallbackId(text: string): CallbackIdParts {
  const parts = fromJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (isObject(parts)) {
    const { arn, operationId } = parts as Partial<CallbackIdParts>;
    if (isText(arn) && isText(operationId)) return { arn, operationId };
  }
  throw invalidParameter('The callback id is not valid.');
}
