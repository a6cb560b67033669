import { type Environment, invalidOption, type WebSocketContext } from '@sallyport/core';

const OPTION = 'webSocketEndpoint';
const VARIABLE = 'FRAMEWORK_WEBSOCKET_ENDPOINT';

/**
 * The endpoint that is configured for all events: the option `webSocketEndpoint`, else the variable
 * `FRAMEWORK_WEBSOCKET_ENDPOINT` unless it is blank. Without a slash at its end.
 *
 * @throws FrameworkError `app.invalid_configuration` that names the option or the variable, for anything but the text of an
 * http or https URL without credentials, query or fragment
 */
export function configuredEndpoint(option: unknown, environment: Environment): string | undefined {
  if (option !== undefined) return parseEndpoint(option, OPTION);
  const variable = environment[VARIABLE]?.trim();
  return variable ? parseEndpoint(variable, VARIABLE) : undefined;
}

function parseEndpoint(value: unknown, name: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const valid =
    /^https?:$/.test(url?.protocol ?? '') && `${url?.username}${url?.password}${url?.search}${url?.hash}` === '';
  if (!valid)
    throw invalidOption(name, 'an http or https URL such as https://abc123.execute-api.eu-west-1.amazonaws.com/prod');
  return (value as string).replace(/\/+$/, '');
}

/**
 * The endpoint of an event's own API. It does not depend on the host name that the client connected to: a custom domain may
 * map the API under a path that no event tells. The region is that of the API's own host name, else the function's.
 * Where neither region nor API is known: the host name, with the stage behind it unless it is a custom one.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-how-to-call-websocket-api-connections.html
 */
export function managementEndpoint(
  { apiId, domainName, stage }: Pick<WebSocketContext, 'apiId' | 'domainName' | 'stage'>,
  environment: Environment,
): string {
  const path = stage === '' ? '' : `/${stage}`;
  if (domainName.includes('.execute-api.')) return `https://${domainName}${path}`;
  const region = environment.AWS_REGION ?? '';
  if (apiId !== '' && region !== '') return `https://${apiId}.execute-api.${region}.${domainSuffix(region)}${path}`;
  return domainName === '' ? '' : `https://${domainName}`;
}

/** @see https://docs.amazonaws.cn/en_us/aws/latest/userguide/endpoints-Beijing.html */
function domainSuffix(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}
