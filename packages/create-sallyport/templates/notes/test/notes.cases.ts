import { buildAPIGatewayV2Request } from '@sallyport/testkit';

/** Events, and what the bundle has to answer without any configuration. */
export const NOTES = [
  {
    name: 'that it is there',
    event: buildAPIGatewayV2Request('GET', '/health'),
    answer: { statusCode: 200, body: '{"ok":true}' },
  },
  { name: 'nobody else', event: buildAPIGatewayV2Request('GET', '/notes/1'), answer: { statusCode: 401 } },
];
