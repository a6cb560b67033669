import { Parser } from '@asyncapi/parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTypescript from 'openapi-typescript';

const parser = new Parser();
const recommended = createConfig({ extends: ['recommended'] });

/** The problems that public tools find in an OpenAPI and an AsyncAPI document. They read only these documents. */
export async function judgeDocuments(openapi: object, asyncapi: object): Promise<readonly string[]> {
  return [...(await judgeOpenApi(openapi)), ...(await judgeAsyncApi(asyncapi))];
}

async function judgeOpenApi(document: object): Promise<readonly string[]> {
  const config = await recommended;
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config });
  const errors = problems.filter(({ severity }) => severity === 'error');
  const written = await openapiTypescript(document as never).then(
    (nodes) => (nodes.length > 0 ? [] : ['openapi-typescript: nothing']),
    (error: unknown) => [`openapi-typescript: ${String(error)}`],
  );
  return [...errors.map(({ ruleId, message }) => `redocly ${ruleId}: ${message}`), ...written];
}

async function judgeAsyncApi(document: object): Promise<readonly string[]> {
  const { diagnostics } = await parser.parse(JSON.stringify(document));
  // 0 is an error: https://docs.stoplight.io/docs/spectral/
  return diagnostics
    .filter(({ severity }) => severity === 0)
    .map(({ path, message }) => `asyncapi ${path.join('.')}: ${message}`);
}
