import { CONNECTION_ERROR_CODES, ConnectionError } from '../../packages/connections/src/index.js';
import { APP_CODES } from '../../packages/core/src/index.js';
import { MICROVM_CODES } from '../../packages/microvm/src/index.js';
import { OBJECT_STORE_CODES, ObjectStoreError } from '../../packages/objectstore/src/index.js';
import { PARAMETERS_ERROR_CODES, ParametersError } from '../../packages/parameters/src/index.js';
import { VECTOR_STORE_CODES, VectorStoreError } from '../../packages/vectors/src/index.js';
import { renderErrorCodes } from './error-codes.js';
import { readRows } from './error-tables.js';
import { ERROR_TABLES } from './error-tables-data.js';

it('has a row for every code of every package', () => {
  const page = renderErrorCodes();
  const declared = Object.values(ERROR_TABLES).flatMap((tables) => tables.flatMap((one) => readRows(one)));
  const codes = [...declared.map(({ code }) => code), ...Object.keys(APP_CODES), ...VECTOR_STORE_CODES];
  expect(codes.length).toBeGreaterThan(60);
  expect(codes.filter((code) => !page.includes(`\n| \`${code}\` |`))).toEqual([]);
});

it.each([
  ...CONNECTION_ERROR_CODES.map((code) => [code, new ConnectionError(code, 'x').status] as const),
  ...PARAMETERS_ERROR_CODES.map((code) => [code, new ParametersError(code, 'x').status] as const),
  ...OBJECT_STORE_CODES.map((code) => [code, new ObjectStoreError(code, 'x').status] as const),
  ...VECTOR_STORE_CODES.map((code) => [code, new VectorStoreError(code, 'x').status] as const),
  // The last two are for developers.
  ...Object.entries(MICROVM_CODES).slice(0, -2),
])('says the status that the error has: %s', (code, status) => {
  const rows = Object.values(ERROR_TABLES).flatMap((tables) => tables.flatMap((one) => readRows(one)));
  expect(rows.find((row) => row.code === code)?.status).toBe(String(status));
});
