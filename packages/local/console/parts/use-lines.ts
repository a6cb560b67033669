import type { RouteView, TriggerView } from '../../src/internal/inspect/inspection.js';

/** A line to copy into a terminal or a program. */
export interface UseLine {
  readonly label: string;
  readonly text: string;
  /** The kind in the form of `send`. */
  readonly kind: string;
}

type Addresses = Readonly<Record<string, string>>;

const HTTP_DOORS = ['gateway-v2', 'gateway-v1', 'load-balancer', 'function-url'] as const;

/** The line requests a token when it runs, so that no token is on the page or in a shell's history. */
function bearer({ posture, scopes }: RouteView): string {
  if (posture === null || posture === 'public') return '';
  const scope = scopes.length > 0 ? ` --scope ${scopes.join(',')}` : '';
  return ` -H "authorization: Bearer $(sallyport token --sub ada${scope})"`;
}

export function useLinesOfRoute(route: RouteView, addresses: Addresses): readonly UseLine[] {
  if (route.surface === 'websocket') {
    return [
      { label: 'wscat', text: `wscat -c ${addresses.websocket ?? ''}`, kind: 'websocket' },
      { label: 'send', text: `sallyport send websocket '${route.name}'`, kind: 'websocket' },
    ];
  }
  if (route.surface === 'appsync') {
    const [parent = 'Query', field = route.name] = route.name.split('.');
    const query = `{"query":"${parent.toLowerCase()} { ${field} }"}`;
    return [
      {
        label: 'curl',
        text: `curl ${addresses.graphql ?? ''} -H 'content-type: application/json' -d '${query}'`,
        kind: 'appsync',
      },
      { label: 'send', text: `sallyport send appsync ${route.name}`, kind: 'appsync' },
    ];
  }
  const [method = 'GET', path = '/'] = route.name.split(' ');
  const body = /^(?:POST|PUT|PATCH)$/.test(method) ? ` -H 'content-type: application/json' -d '{}'` : '';
  return HTTP_DOORS.filter((door) => addresses[door]).map((door) => ({
    label: door,
    text: `curl -X ${method} '${addresses[door]}${path}'${bearer(route)}${body}`,
    kind: 'http',
  }));
}

/** AWS commands for the AWS port. They need the variables that `sallyport env` prints; the function already has them. */
const SDK_LINES: Readonly<Record<string, (name: string) => string>> = {
  queue: (name) =>
    `aws sqs send-message --queue-url http://sqs.us-east-1.amazonaws.com/123456789012/${name} --message-body '{}'`,
  topic: (name) => `aws sns publish --topic-arn arn:aws:sns:us-east-1:123456789012:${name} --message '{}'`,
  'event-bus': () => `aws events put-events --entries '[{"Source":"test.source","DetailType":"Test","Detail":"{}"}]'`,
  stream: (name) => `aws kinesis put-record --stream-name ${name} --partition-key pk-1 --data e30=`,
  'table-stream': (name) => `aws dynamodb put-item --table-name ${name} --item '{"pk":{"S":"1"}}'`,
};

export function useLinesOfTrigger({ kind, name, selector }: TriggerView, addresses: Addresses): readonly UseLine[] {
  const schedule = selector?.scheduleName ?? selector?.ruleName;
  if (schedule !== undefined) return [{ label: 'send', text: `sallyport send schedule ${schedule}`, kind: 'schedule' }];
  const sdk = SDK_LINES[kind]?.(name);
  return [
    ...(sdk && addresses.aws ? [{ label: 'aws', text: `eval "$(sallyport env)" && ${sdk}`, kind }] : []),
    { label: 'send', text: `sallyport send ${kind} ${name}`.trim(), kind },
  ];
}
