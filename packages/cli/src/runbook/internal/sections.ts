import { membersOf, stringOf } from '@sallyport/core/internal';
import { type Resource, referencesOf } from '../../internal/template.js';
import {
  days,
  errorQuery,
  insights,
  logGroupOf,
  physicalName,
  redrive,
  rollBack,
  type Section,
  shell,
} from './parts.js';
import { type Service, shortId } from './service.js';
import { sourceSections } from './sources.js';
import { storeSections } from './stores.js';

/** All sections of a service. */
export function sectionsOf(service: Service): readonly Section[] {
  return [
    ...service.functions().map((fn) => functionSection(service, fn)),
    ...doorSections(service),
    ...sourceSections(service),
    ...storeSections(service),
    ...toolSections(service),
  ];
}

function functionSection(service: Service, fn: Resource): Section {
  const { Timeout = 3, MemorySize = 128, Runtime } = fn.properties;
  const alias = service.all('AWS::Lambda::Alias').find(({ refersTo }) => refersTo.has(fn.id));
  const failures = failureQueue(service, fn);
  return {
    group: 'Functions',
    title: `Function ${shortId(fn.id)}`,
    does: `Runs the code of the service on ${String(Runtime ?? 'a container image')}, with ${String(MemorySize)} MB and a timeout of ${String(Timeout)} s.`,
    resources: [fn.id, ...(failures ? [failures.id] : []), ...(alias ? [alias.id] : [])],
    look: [
      `Errors of the last hour, in CloudWatch Logs Insights with the log group \`${logGroupOf(service, fn)}\`:`,
      insights(errorQuery()),
      'One request or message through all its lines, with the `trace_id` of an error line:',
      insights('fields @timestamp, level, message\n| filter trace_id = "<trace id>"\n| sort @timestamp'),
      ...traceLook(fn),
      'Timeouts and memory: the lines `REPORT` have no level.',
      insights('filter @type = "REPORT"\n| stats max(@duration), max(@maxMemoryUsed / 1000000), count() by bin(5m)'),
    ],
    act: [
      rollBack(fn, alias),
      `**Pause**: a reserved concurrency of 0 stops every invocation; queues and streams keep their records, and clients receive errors.\n\n${shell(
        `aws lambda put-function-concurrency --function-name ${physicalName(fn.id)} --reserved-concurrent-executions 0`,
        `aws lambda delete-function-concurrency --function-name ${physicalName(fn.id)} # resume`,
      )}`,
      ...(failures ? [redrive(failures.id, 'asynchronous events that failed')] : []),
    ],
    lost: failures
      ? `Asynchronous events that fail are in the failure queue for ${days(failures.properties.MessageRetentionPeriod)}, then they are deleted. Requests that failed are not repeated.`
      : 'Requests that failed are not repeated. Asynchronous events are dropped after their attempts: the function has no failure queue.',
  };
}

/** The queue of asynchronous events that failed: a destination, or the dead-letter queue of a durable function. */
function failureQueue(service: Service, fn: Resource): Resource | undefined {
  const config = service.all('AWS::Lambda::EventInvokeConfig').find(({ refersTo }) => refersTo.has(fn.id));
  const refersTo = config?.refersTo ?? referencesOf(fn.properties.DeadLetterConfig);
  return service.referenced(refersTo, 'AWS::SQS::Queue');
}

function traceLook(fn: Resource): readonly string[] {
  if (membersOf(fn.properties.TracingConfig).Mode !== 'Active') return [];
  return [
    'The trace: CloudWatch, X-Ray traces, with the `xray_trace_id` of the line, or its `trace_id` if that begins with `1-`.',
  ];
}

const DOORS: Readonly<Record<string, { readonly kind: string; readonly surface: string }>> = {
  'AWS::ApiGatewayV2::Api': { kind: 'HTTP API', surface: 'http' },
  'AWS::ApiGateway::RestApi': { kind: 'REST API', surface: 'http' },
  'AWS::Lambda::Url': { kind: 'Function URL', surface: 'http' },
  'AWS::ElasticLoadBalancingV2::TargetGroup': { kind: 'Load balancer', surface: 'http' },
  'AWS::AppSync::GraphQLApi': { kind: 'GraphQL API', surface: 'appsync' },
};

function doorSections(service: Service): readonly Section[] {
  const [fn] = service.functions();
  return service.all(...Object.keys(DOORS)).map((door) => {
    const isSocket = door.properties.ProtocolType === 'WEBSOCKET';
    const { kind, surface } = isSocket ? { kind: 'WebSocket API', surface: 'websocket' } : (DOORS[door.type] ?? noDoor);
    const routes = service.registrations.routes.filter((route) => route.surface === surface);
    const stage = service
      .all('AWS::ApiGatewayV2::Stage', 'AWS::ApiGateway::Stage')
      .find(({ refersTo }) => refersTo.has(door.id));
    const accessLog =
      stage &&
      service.referenced(
        referencesOf([stage.properties.AccessLogSettings, stage.properties.AccessLogSetting]),
        'AWS::Logs::LogGroup',
      );
    const list = routes.map(({ name, posture }) => `\`${name}\`${posture === '' ? '' : ` ${posture}`}`).join(', ');
    return {
      group: 'Doors' as const,
      title: `${kind} ${shortId(door.id)}`,
      does: `Passes the calls of clients to the function. ${routes.length === 0 ? '' : `Operations: ${list}.`}`.trim(),
      resources: [door.id, ...(stage ? [stage.id] : [])],
      look: [
        ...(accessLog
          ? [
              `Answers of the door, in Logs Insights with the log group \`${physicalName(accessLog.id)}\`; \`integrationError\` has the reason of an error that the function did not cause:`,
              insights(
                'fields @timestamp, routeKey, status, integrationError, requestId\n| filter status >= 500\n| sort @timestamp desc\n| limit 50',
              ),
            ]
          : []),
        ...(fn
          ? [
              `Errors of the function by route, with the log group \`${logGroupOf(service, fn)}\`:`,
              insights(errorQuery('\n| filter ispresent(route)')),
            ]
          : []),
      ],
      act: [
        ...(fn
          ? [
              rollBack(
                fn,
                service.all('AWS::Lambda::Alias').find(({ refersTo }) => refersTo.has(fn.id)),
              ),
            ]
          : []),
        ...(stage && door.type === 'AWS::ApiGatewayV2::Api'
          ? [
              `**Pause**: a limit of 0 answers every call with 429; the next deployment resets it.\n\n${shell(
                `aws apigatewayv2 update-stage --api-id ${physicalName(door.id)} --stage-name '${stringOf(stage.properties.StageName) || '$default'}' --default-route-settings ThrottlingRateLimit=0,ThrottlingBurstLimit=0`,
              )}`,
            ]
          : []),
      ],
      lost: 'Calls that fail are lost unless the client repeats them: a door keeps nothing.',
    };
  });
}

const noDoor = { kind: 'Door', surface: 'http' };

/** MCP servers: the routes whose path ends with `/mcp`. */
function toolSections(service: Service): readonly Section[] {
  const [fn] = service.functions();
  const servers = service.registrations.routes.filter(
    ({ surface, name }) => surface === 'http' && /^POST \S*\/mcp$/.test(name),
  );
  return servers.map(({ name, posture }) => ({
    group: 'Tools' as const,
    title: `MCP server ${name.slice('POST '.length)}`,
    does: `Runs the tools that agents call${posture === '' ? '' : `; the posture is ${posture}`}.`,
    resources: [],
    look: fn
      ? [
          `Failed calls, in Logs Insights with the log group \`${logGroupOf(service, fn)}\`:`,
          insights(errorQuery(`\n| filter route like "${name.slice('POST '.length)}"`)),
        ]
      : [],
    act: [
      '**Pause** one tool: leave out its registration, and deploy. Clients read the list of tools again.',
      '**Roll back** as for the function.',
    ],
    lost: 'Calls that fail are lost unless the agent repeats them. Sessions and tasks are in the table of the server until they expire.',
  }));
}
