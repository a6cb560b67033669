import { AuthorizationType, type CfnMethod } from 'aws-cdk-lib/aws-apigateway';
import type { RestApi } from '../../http/rest-api.js';

/** A document in its serialized form. */
export interface ServedDocument {
  readonly path: string;
  readonly body: string;
}

/**
 * Serves documents from a REST API itself, by mock integrations: GET of their paths invokes no function. Existing methods are changed,
 * because the routes of the server have been added before.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/how-to-mock-integration.html
 */
export function serveFromGateway(api: RestApi, documents: readonly ServedDocument[], maxAgeSeconds: number): void {
  for (const { path, body } of documents) {
    Object.assign(api.methodOf('GET', path)?.node.defaultChild as CfnMethod, mockMethod(body, maxAgeSeconds));
  }
  // The CDK derives the id of a deployment from methods at the time of their addition.
  api.parts.deployAgainFor({ documents, maxAgeSeconds });
}

function mockMethod(body: string, maxAgeSeconds: number): Partial<CfnMethod> {
  const headers = {
    'method.response.header.Content-Type': "'application/json; charset=utf-8'",
    'method.response.header.Cache-Control': `'public, max-age=${maxAgeSeconds}'`,
    // The documents are public, and pages of any origin can be clients.
    'method.response.header.Access-Control-Allow-Origin': "'*'",
  };
  // Without it, a mock integration fails in an API whose binary media types contain `*/*`
  // (https://github.com/squidfunk/terraform-aws-api-gateway-enable-cors/issues/10).
  const contentHandling = 'CONVERT_TO_TEXT';
  return {
    authorizationType: AuthorizationType.NONE,
    authorizerId: undefined,
    integration: {
      type: 'MOCK',
      contentHandling,
      passthroughBehavior: 'WHEN_NO_TEMPLATES',
      requestTemplates: { 'application/json': '{"statusCode":200}' },
      integrationResponses: [
        {
          statusCode: '200',
          contentHandling,
          responseParameters: headers,
          responseTemplates: { 'application/json': toTemplate(body) },
        },
      ],
    },
    methodResponses: [
      {
        statusCode: '200',
        responseParameters: Object.fromEntries(Object.keys(headers).map((name) => [name, true])),
      },
    ],
  } as Partial<CfnMethod>;
}

/** JSON without the two characters that mapping templates read: both are allowed in scopes. */
function toTemplate(body: string): string {
  return body.replaceAll('$', '\\u0024').replaceAll('#', '\\u0023');
}

/**
 * The program of a CloudFront function that answers with these documents, and passes on other requests.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/generating-http-responses.html
 */
export function edgeProgram(documents: readonly ServedDocument[], maxAgeSeconds: number): string {
  const bodies = Object.fromEntries(documents.map(({ path, body }) => [path, body]));
  return `const documents = ${JSON.stringify(bodies)};
function handler(event) {
  const { method, uri } = event.request;
  const path = uri.replace(/\\/$/, '');
  if ((method !== 'GET' && method !== 'HEAD') || !Object.prototype.hasOwnProperty.call(documents, path)) return event.request;
  return {
    statusCode: 200,
    statusDescription: 'OK',
    headers: {
      'content-type': { value: 'application/json; charset=utf-8' },
      'cache-control': { value: 'public, max-age=${maxAgeSeconds}' },
      'access-control-allow-origin': { value: '*' },
    },
    body: { encoding: 'text', data: documents[path] },
  };
}
`;
}
