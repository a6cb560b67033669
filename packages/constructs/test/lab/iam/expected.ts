/**
 * The requests of a function to AWS: the recorded calls of the packages that its variables configure, the recorded calls of inline code, and what Lambda does with the
 * role of the function.
 */
import { FLAGS_PROFILE_ENV } from '@sallyport/parameters/schema';
import { SMOKE_HANDLER } from '../../../src/function/internal/smoke-handler.js';
import { ACCOUNT_HANDLER } from '../../../src/http/internal/account-handler.js';
import { addLambdaService } from './lambda-service.js';
import type { Access } from './recorded.js';
import { RequestList } from './requests.js';
import type { TemplatePolicies } from './template-policies.js';

/** The recorded accesses of each package, by the variable that names its resource; inline code by its name. */
export type RecordedAccesses = Readonly<Record<string, readonly Access[]>>;

/** Actions without resources: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awslambda.html */
const WITHOUT_RESOURCE = ['lambda:ListMicrovms', 'lambda:PassNetworkConnector'];

/** The resource that the value of a variable names, for an action. */
function resourceOf(policies: TemplatePolicies, action: string, value: string): string {
  const api = /https:\/\/([^.]+)\./.exec(value)?.[1] ?? '';
  if (WITHOUT_RESOURCE.includes(action)) return '*';
  if (action.startsWith('execute-api:')) return `arn:aws:execute-api:eu-west-1:123456789012:${api}`;
  if (action.startsWith('bedrock:')) return `arn:aws:bedrock:eu-west-1::foundation-model/${value}`;
  return value in policies.template.Resources ? policies.arnOf(value) : value;
}

/** The value of a variable can be a list: the images of micro-VMs. */
function addVariable(list: RequestList, accesses: readonly Access[], value: string): void {
  for (const { action, part } of accesses) {
    const passed = action === 'iam:PassRole' ? { 'iam:PassedToService': 'lambda.amazonaws.com' } : {};
    for (const one of value.split(',')) {
      const base = resourceOf(list.policies, action, one);
      list.add(action, base === '*' ? base : `${base}${part}`, passed);
    }
  }
}

const ACCOUNT = 'arn:aws:apigateway:eu-west-1::/account';

/** The calls of the inline code that this package deploys, with their resources. */
function addInline(list: RequestList, fn: string, recorded: RecordedAccesses): void {
  const { policies } = list;
  const { ZipFile } = policies.properties(fn).Code as { readonly ZipFile?: string };
  if (ZipFile === ACCOUNT_HANDLER) {
    const [setting = ''] = policies.ids('Custom::ApiGatewayAccount');
    const resources: Readonly<Record<string, string>> = {
      'iam:GetRole': 'arn:aws:iam::123456789012:role/the-present-role',
      'iam:PassRole': String(policies.properties(setting).RoleArn),
    };
    for (const { action } of recorded.ACCOUNT ?? [])
      list.add(action, resources[action] ?? ACCOUNT, { 'iam:PassedToService': 'apigateway.amazonaws.com' });
  }
  if (ZipFile === SMOKE_HANDLER) {
    const groups = policies.ids('AWS::CodeDeploy::DeploymentGroup').map((id) => policies.arnOf(id));
    for (const { action } of recorded.SMOKE ?? []) {
      if (action === 'lambda:InvokeFunction') list.add(action, policies.variables(fn).SMOKE_VERSION ?? '');
      else for (const group of groups) list.add(action, group);
    }
  }
}

/** Configurations of AppConfig: https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsappconfig.html */
function addFlags(list: RequestList, accesses: readonly Access[] = [], value: string): void {
  const [application, environment, profile] = value.split('/');
  const name = `application/${application}/environment/${environment}/configuration/${profile}`;
  for (const { action } of accesses) list.add(action, `arn:aws:appconfig:eu-west-1:123456789012:${name}`);
}

/** The props `secrets` and `parameters`, whose variables have names of the application: read with `@sallyport/parameters`, or with the SDK. */
function addValues(
  list: RequestList,
  values: readonly string[],
  { PARAMETER, SECRET, SECRETS }: RecordedAccesses,
): void {
  const secrets = values.filter((value) => /^arn:aws:secretsmanager:/.test(value));
  for (const secret of secrets) list.addRecorded(SECRET, list.policies.secretArn(secret));
  if (secrets.length > 1) list.addRecorded(SECRETS, '*');
  for (const parameter of values.filter((value) => /^arn:aws:ssm:/.test(value))) {
    list.addRecorded(PARAMETER, parameter);
    // https://docs.aws.amazon.com/systems-manager/latest/userguide/sysman-paramstore-access.html
    list.add('ssm:GetParameter', parameter);
  }
}

/** The requests that a function makes on its resources. */
export function requestsOf(policies: TemplatePolicies, fn: string, recorded: RecordedAccesses): RequestList {
  const list = new RequestList(policies, policies.roleOf(fn));
  addLambdaService(list, fn);
  const { [FLAGS_PROFILE_ENV]: profile, ...variables } = policies.variables(fn);
  if (profile !== undefined) addFlags(list, recorded[FLAGS_PROFILE_ENV], profile);
  for (const [variable, value] of Object.entries(variables)) addVariable(list, recorded[variable] ?? [], value);
  const values = Object.entries(variables).flatMap(([name, value]) => (recorded[name] === undefined ? [value] : []));
  addValues(list, values, recorded);
  addInline(list, fn, recorded);
  return list;
}
