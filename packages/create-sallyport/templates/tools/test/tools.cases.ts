import { buildLambdaFunctionURLRequest } from '@sallyport/testkit';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** Events, and the bundle's expected responses without configuration. */
export const TOOLS = [
  {
    name: 'no assistant without a token',
    event: buildLambdaFunctionURLRequest('POST', '/mcp', { json: ping }),
    answer: { statusCode: 401 },
  },
  {
    name: 'that no issuer is configured',
    event: buildLambdaFunctionURLRequest('GET', '/.well-known/oauth-protected-resource/mcp'),
    answer: { statusCode: 404 },
  },
];
