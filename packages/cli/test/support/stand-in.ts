import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The resources of a deployed stack, as the server answers for them. */
export interface DeployedState {
  status: string;
  template: object;
  resources: { id: string; type: string; physical: string; drift?: string }[];
  functions: Record<string, Record<string, unknown>>;
  concurrency: Record<string, number>;
  mappings: Record<string, Record<string, unknown>>;
  /** Statements of resource policies by function; a function that is missing has no policy. */
  policies: Record<string, { Sid: string; Principal: { Service: string } }[]>;
  /** Policies by the name of the role. */
  roles: Record<string, { inline: Record<string, object>; attached: string[] }>;
  /** Documents of managed policies by ARN. */
  managed: Record<string, object>;
  alarms: Record<string, unknown>[];
  /** By the name of the rule. */
  rules: Record<string, { State: string; Targets: { Id: string; Arn: string }[] }>;
  /** Attributes by the name of the queue. */
  queues: Record<string, Record<string, string>>;
  /** Operations that are denied. */
  denied: string[];
  /** True if the session has expired. */
  expired: boolean;
}

/** A server that answers CloudFormation, CloudWatch, IAM, Lambda and SQS in the protocols of their clients. */
export interface StandIn {
  readonly endpoint: string;
  state: DeployedState;
  close(): Promise<void>;
}

export async function startStandIn(initial: DeployedState): Promise<StandIn> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    answer(standIn.state, request, body, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const standIn: StandIn = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state: initial,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return standIn;
}

function answer(state: DeployedState, request: IncomingMessage, body: string, response: ServerResponse): void {
  const target = request.headers['x-amz-target'];
  if (target === undefined && request.method === 'POST') {
    query(state, new URLSearchParams(body), response);
    return;
  }
  const operation = typeof target === 'string' ? target.replace(/^.*\./, '') : '';
  const [status, content] =
    operation === '' ? rest(state, request, body) : json(state, operation, JSON.parse(body) as Record<string, unknown>);
  const failure = content as { readonly code?: string };
  response
    .writeHead(status, {
      'content-type': operation === '' ? 'application/json' : 'application/x-amz-json-1.0',
      ...(status >= 400 && { 'x-amzn-errortype': failure.code }),
    })
    .end(
      status === 204
        ? undefined
        : JSON.stringify(status >= 400 ? { __type: failure.code, message: failure.code } : content),
    );
}

type Answer = readonly [status: number, content: object];

const DENIED: Answer = [403, { code: 'AccessDeniedException' }];

function json(state: DeployedState, operation: string, input: Record<string, unknown>): Answer {
  if (state.denied.includes(operation)) return DENIED;
  if (operation === 'DescribeAlarms') {
    const names = input.AlarmNames as readonly string[];
    return [200, { MetricAlarms: state.alarms.filter(({ AlarmName }) => names.includes(String(AlarmName))) }];
  }
  if (operation === 'DescribeRule') return [200, { State: state.rules[String(input.Name)]?.State }];
  if (operation === 'ListTargetsByRule') return [200, { Targets: state.rules[String(input.Rule)]?.Targets ?? [] }];
  const name =
    String(input.QueueUrl ?? input.QueueName)
      .split('/')
      .at(-1) ?? '';
  if (operation === 'GetQueueUrl')
    return [200, { QueueUrl: `https://sqs.eu-west-1.amazonaws.com/123456789012/${name}` }];
  return [200, { Attributes: state.queues[name] ?? {} }];
}

function rest(state: DeployedState, { url = '', method }: IncomingMessage, body: string): Answer {
  const [, kind = '', id = '', what = ''] =
    /^\/[\d-]+\/(functions|event-source-mappings)\/([^/]+)(?:\/(\w+))?/.exec(url) ?? [];
  const operation = kind === 'functions' ? what : 'mapping';
  if (state.denied.includes(operation)) return DENIED;
  if (method === 'PUT' && operation === 'mapping') {
    const { Enabled } = JSON.parse(body) as { readonly Enabled?: boolean };
    const mapping = state.mappings[id] ?? {};
    mapping.State = Enabled ? 'Enabled' : 'Disabled';
    return [202, mapping];
  }
  if (method === 'DELETE' && operation === 'concurrency') {
    delete state.concurrency[id];
    return [204, {}];
  }
  if (operation === 'configuration') return [200, state.functions[id] ?? {}];
  if (operation === 'concurrency') {
    const reserved = state.concurrency[id];
    return [200, reserved === undefined ? {} : { ReservedConcurrentExecutions: reserved }];
  }
  if (operation === 'policy') {
    const Statement = state.policies[decodeURIComponent(id).split(':').at(-1) ?? ''];
    return Statement ? [200, { Policy: JSON.stringify({ Statement }) }] : [404, { code: 'ResourceNotFoundException' }];
  }
  return [200, state.mappings[id] ?? {}];
}

const escapeXml = (value: string) => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** CloudFormation: https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ListStackResources.html */
function query(state: DeployedState, input: URLSearchParams, response: ServerResponse): void {
  const action = input.get('Action') ?? '';
  response.setHeader('content-type', 'text/xml');
  if (state.expired) {
    response
      .writeHead(403)
      .end(
        '<ErrorResponse><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>The token FQoG is expired</Message></Error></ErrorResponse>',
      );
    return;
  }
  if (state.denied.includes(action)) {
    response.writeHead(403).end('<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>');
    return;
  }
  const members = state.resources.map(
    ({ id, type, physical, drift = 'IN_SYNC' }) =>
      `<member><LogicalResourceId>${id}</LogicalResourceId><ResourceType>${type}</ResourceType><PhysicalResourceId>${escapeXml(physical)}</PhysicalResourceId><ResourceStatus>CREATE_COMPLETE</ResourceStatus><LastUpdatedTimestamp>2026-11-01T00:00:00Z</LastUpdatedTimestamp><DriftInformation><StackResourceDriftStatus>${drift}</StackResourceDriftStatus></DriftInformation></member>`,
  );
  const results: Readonly<Record<string, string>> = {
    ListStackResources: `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>`,
    DescribeStacks: `<Stacks><member><StackName>Orders</StackName><CreationTime>2026-11-01T00:00:00Z</CreationTime><StackStatus>${state.status}</StackStatus></member></Stacks>`,
    ...roles(state, input),
    GetTemplate: `<TemplateBody>${escapeXml(JSON.stringify(state.template))}</TemplateBody>`,
  };
  response.end(`<${action}Response><${action}Result>${results[action] ?? ''}</${action}Result></${action}Response>`);
}

/** IAM, with one policy on each page: https://docs.aws.amazon.com/IAM/latest/APIReference/API_ListRolePolicies.html */
function roles(state: DeployedState, input: URLSearchParams): Readonly<Record<string, string>> {
  const { inline = {}, attached = [] } = state.roles[input.get('RoleName') ?? ''] ?? {};
  const start = Number(input.get('Marker') ?? 0);
  const page = (list: string, member: string, all: readonly string[]) => {
    const next = start + 1 < all.length ? `<IsTruncated>true</IsTruncated><Marker>${start + 1}</Marker>` : '';
    const members = all.slice(start, start + 1).map((one) => `<member>${member.replace('?', one)}</member>`);
    return `<${list}>${members.join('')}</${list}>${next}`;
  };
  const encoded = (document: object | undefined) => encodeURIComponent(JSON.stringify(document));
  const arn = input.get('PolicyArn') ?? '';
  return {
    ListRolePolicies: page('PolicyNames', '?', Object.keys(inline)),
    ListAttachedRolePolicies: page('AttachedPolicies', '<PolicyArn>?</PolicyArn>', attached),
    GetRolePolicy: `<PolicyDocument>${encoded(inline[input.get('PolicyName') ?? ''])}</PolicyDocument>`,
    GetPolicy: `<Policy><Arn>${arn}</Arn><DefaultVersionId>v3</DefaultVersionId></Policy>`,
    GetPolicyVersion: `<PolicyVersion><Document>${
      input.get('VersionId') === 'v3' ? encoded(state.managed[arn]) : ''
    }</Document></PolicyVersion>`,
  };
}
