import { apiIntegration, INTEGRATION_TRIGGER } from '../kinds/integration.js';
import { describeTrigger } from './entry.js';

/**
 * Builds the event that a mapping template of API Gateway writes. Send it with the ARN of the integration's alias as `invokedFunctionArn`.
 *
 * @param body the client's body, as the template passes it
 * @param parameters members that the template adds, for example from the path, the query or the authorizer. Default: none
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-custom-integrations.html
 * @example buildIntegrationEvent({ amount: 5 }, { customer: 'c-1' });
 */
export function buildIntegrationEvent(
  body: unknown,
  parameters: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { ...parameters, body };
}

/** Non-proxy integrations of API Gateway in the catalogue. @internal */
export const INTEGRATION = /* @__PURE__ */ describeTrigger(INTEGRATION_TRIGGER, {
  sample: {
    build: buildIntegrationEvent,
    events: [[buildIntegrationEvent({ amount: 5 }, { customer: 'c-1' }), undefined]],
    names: ['quotes'],
    alias: 'quotes',
    members: 'caller',
    result: { price: 10 },
    register: (handlers) => handlers.reduce((trigger, one) => trigger.operation(...one), apiIntegration()),
  },
  docs: {
    section: 'Non-proxy integrations of API Gateway',
    rows: [
      [
        '`apiIntegration()` with `operation(alias, handler, posture?)`; `ApiIntegration`, `MappedRequest`, `MappedRequestHandler`',
        'non-proxy integrations of REST and WebSocket APIs',
      ],
    ],
  },
  construct: null,
  simulate: null,
  aws: {
    author: 'a client; the mapping template wrote the members',
    failure:
      'API Gateway selects an integration response by the error message; without a pattern the client receives 200',
    limit: '6 MB',
    attached: 'the integration of the API',
  },
  sizes: { factory: 'apiIntegration', gzipBytes: 15_200 },
});
