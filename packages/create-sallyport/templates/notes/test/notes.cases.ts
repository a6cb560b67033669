import { buildAPIGatewayV2Request } from '@sallyport/testkit';

/** Events, and the bundle's expected responses without configuration. */
export const NOTES = [
  {
    name: 'that it is there',
    event: buildAPIGatewayV2Request('GET', '/health'),
    answer: { statusCode: 200, body: '{"ok":true}' },
  },
  { name: 'nobody else', event: buildAPIGatewayV2Request('GET', '/notes/1'), answer: { statusCode: 401 } },
];
