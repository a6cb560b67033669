import { membersOf, stringOf } from '@sallyport/core/internal';
import type { DeployedDoor, DeployedJwt } from './deployed.js';
import { listOf, type Plan, type PlannedResource } from './plan.js';

/** The doors of a function of a plan. */
export function planDoors(plan: Plan, fn: PlannedResource): readonly DeployedDoor[] {
  const urls = plan
    .ofType('aws_lambda_function_url')
    .filter((one) => plan.referenced(one, 'function_name', 'aws_lambda_function')?.address === fn.address);
  return [
    ...plan.ofType('aws_apigatewayv2_api').flatMap((api) => httpApi(plan, fn, api) ?? []),
    ...plan.ofType('aws_api_gateway_rest_api').flatMap((api) => restApi(plan, fn, api) ?? []),
    ...urls.map((): DeployedDoor => ({ kind: 'function-url', routes: [] })),
  ];
}

/** https://github.com/hashicorp/terraform-provider-aws/blob/main/website/docs/r/apigatewayv2_route.html.markdown */
function httpApi(plan: Plan, fn: PlannedResource, api: PlannedResource): DeployedDoor | undefined {
  const ofApi = (type: string) =>
    plan.ofType(type).filter((one) => plan.referenced(one, 'api_id', 'aws_apigatewayv2_api') === api);
  if (api.values.protocol_type !== 'HTTP') return undefined;
  const own = ofApi('aws_apigatewayv2_integration').filter(
    (one) => plan.referenced(one, 'integration_uri', 'aws_lambda_function')?.address === fn.address,
  );
  const routes = ofApi('aws_apigatewayv2_route').filter((route) =>
    own.some((one) => plan.referenced(route, 'target', 'aws_apigatewayv2_integration') === one),
  );
  if (own.length === 0) return undefined;
  const [stage] = ofApi('aws_apigatewayv2_stage').map(({ values }) => values.name);
  const jwt = routes.flatMap((route): [string, DeployedJwt][] => {
    const own = jwtOf(plan, route);
    return own ? [[stringOf(route.values.route_key), own]] : [];
  });
  return {
    kind: 'http-api',
    routes: routes.map(({ values }) => stringOf(values.route_key)),
    ...(typeof stage === 'string' && { stage }),
    ...(jwt.length > 0 && { jwt: Object.fromEntries(jwt) }),
  };
}

function jwtOf(plan: Plan, route: PlannedResource): DeployedJwt | undefined {
  const authorizer = plan.referenced(route, 'authorizer_id', 'aws_apigatewayv2_authorizer');
  const configured = listOf(authorizer?.values.jwt_configuration).map(membersOf)[0];
  if (configured === undefined) return undefined;
  const { issuer, audience } = configured;
  return {
    ...(typeof issuer === 'string' && { issuer }),
    audience: listOf(audience).map(String),
    scopes: listOf(route.values.authorization_scopes).map(String),
  };
}

/** https://github.com/hashicorp/terraform-provider-aws/blob/main/website/docs/r/api_gateway_integration.html.markdown */
function restApi(plan: Plan, fn: PlannedResource, api: PlannedResource): DeployedDoor | undefined {
  const ofApi = (type: string) =>
    plan.ofType(type).filter((one) => plan.referenced(one, 'rest_api_id', 'aws_api_gateway_rest_api') === api);
  const own = ofApi('aws_api_gateway_integration').filter(
    (one) => plan.referenced(one, 'uri', 'aws_lambda_function')?.address === fn.address,
  );
  if (own.length === 0) return undefined;
  const methods = ofApi('aws_api_gateway_method');
  const routes = own.map((integration) => {
    const resource = plan.referenced(integration, 'resource_id', 'aws_api_gateway_resource');
    const named = plan.referenced(integration, 'http_method', 'aws_api_gateway_method');
    const same = methods.find(
      (method) => plan.referenced(method, 'resource_id', 'aws_api_gateway_resource') === resource,
    );
    const method = integration.values.http_method ?? (named ?? same)?.values.http_method ?? 'ANY';
    return `${String(method)} ${pathOf(plan, resource)}`;
  });
  const [stage] = ofApi('aws_api_gateway_stage').map(({ values }) => values.stage_name);
  const binaryMediaTypes = listOf(api.values.binary_media_types).map(String);
  return { kind: 'rest-api', routes, binaryMediaTypes, ...(typeof stage === 'string' && { stage }) };
}

/** The path of a resource: its own part after those of its parents. */
function pathOf(plan: Plan, resource: PlannedResource | undefined): string {
  if (!resource) return '/';
  const parent = plan.referenced(resource, 'parent_id', 'aws_api_gateway_resource');
  const before = parent === undefined || parent === resource ? '' : pathOf(plan, parent);
  return `${before === '/' ? '' : before}/${stringOf(resource.values.path_part)}`;
}
