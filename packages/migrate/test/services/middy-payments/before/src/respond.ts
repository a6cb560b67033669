import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

export function respond(statusCode: number, value: unknown): APIGatewayProxyStructuredResultV2 {
  return { statusCode, headers: { 'cache-control': 'no-store' }, body: JSON.stringify(value) };
}
