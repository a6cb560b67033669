import { FrameworkError } from '@sallyport/core';
import * as vectors from '@sallyport/vectors';
import {
  isVectorStoreError,
  VECTOR_STORE_CODES,
  VectorStoreError,
  type VectorStoreErrorCode,
} from '@sallyport/vectors';

const NAMES = [
  'INVALID_CONFIG',
  'INVALID_INPUT',
  'INVALID_VECTOR',
  'DIMENSION_MISMATCH',
  'EMBEDDING_FAILED',
  'NOT_FOUND',
  'UNSUPPORTED_OPERATION',
] as const;

const exported: Readonly<Record<string, unknown>> = { ...vectors };

it.each(NAMES)('ERROR_CODE_%s and its sentinel have the code', (name) => {
  const code = `vectorstore.${name.toLowerCase()}`;
  const sentinel = exported[`ERR_${name}`] as VectorStoreError;
  expect(exported[`ERROR_CODE_${name}`]).toBe(code);
  expect(sentinel.code).toBe(code);
  expect(Object.isFrozen(sentinel)).toBe(true);
  expect(isVectorStoreError(new VectorStoreError(sentinel.code, 'another'), sentinel)).toBe(true);
  expect(isVectorStoreError(new VectorStoreError(sentinel.code, 'another'), vectors.ERR_NOT_FOUND)).toBe(
    name === 'NOT_FOUND',
  );
});

it('every code that runtimes name has a constant', () => {
  const named = NAMES.map((name) => `vectorstore.${name.toLowerCase()}`);
  expect(VECTOR_STORE_CODES).toEqual([...named, 'vectorstore.unavailable']);
});

it('an error is looked for along its causes, and a circle of causes ends', () => {
  const inner = new VectorStoreError('vectorstore.not_found', 'gone');
  const circle = new Error('circle');
  circle.cause = circle;
  expect(isVectorStoreError(new Error('outer', { cause: inner }), vectors.ERR_NOT_FOUND)).toBe(true);
  expect(isVectorStoreError(circle)).toBe(false);
  expect(isVectorStoreError(undefined)).toBe(false);
  expect(isVectorStoreError(new FrameworkError('vectorstore.not_found'))).toBe(false);
});

it('an error is a frozen FrameworkError whose details are the numbers of its progress', () => {
  const progress = { total: 3, done: ['a'], unknown: ['b'] };
  const error = new VectorStoreError('vectorstore.unavailable', 'x', { progress, retryable: true, cause: 1 });
  expect(error).toBeInstanceOf(FrameworkError);
  expect(Object.isFrozen(error)).toBe(true);
  expect({ ...error }).toMatchObject({
    code: 'vectorstore.unavailable',
    retryable: true,
    details: { done: 1, total: 3 },
    progress,
  });
  expect(error.message).toBe('vectorstore: x');
  expect(error.status).toBe(503);
});

it('a failure that may pass is 503, and any other 500', () => {
  const status = (code: VectorStoreErrorCode, retryable: boolean) =>
    new VectorStoreError(code, 'x', { retryable }).status;
  expect(status('vectorstore.unavailable', true)).toBe(503);
  expect(status('vectorstore.unavailable', false)).toBe(500);
  expect(status('vectorstore.embedding_failed', true)).toBe(503);
  expect(status('vectorstore.embedding_failed', false)).toBe(500);
  expect(status('vectorstore.invalid_config', false)).toBe(500);
});
