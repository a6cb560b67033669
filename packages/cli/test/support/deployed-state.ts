import type { DeployedState } from './stand-in.js';

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** A template of CloudFormation. */
export interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
}

const QUEUES = 'https://sqs.eu-west-1.amazonaws.com/123456789012';

/** The state of a stack right after the deployment of a template. The physical name of a resource is `<logical id>-1`. */
export function deployedState(template: StackTemplate): DeployedState {
  const all = Object.entries(template.Resources);
  const of = (type: string) =>
    all.flatMap(([id, { Type, Properties = {} }]) => (Type === type ? [{ id, ...Properties }] : []));
  const physicalOf = (id: string, { Type }: Resource) => (Type === 'AWS::SQS::Queue' ? `${QUEUES}/${id}-1` : `${id}-1`);
  const byName = <T>(type: string, value: (properties: { readonly id: string } & Members) => T): Record<string, T> =>
    Object.fromEntries(of(type).map((resource) => [`${resource.id}-1`, value(resource)]));
  const inline = (role: string) =>
    Object.fromEntries(
      of('AWS::IAM::Policy')
        .filter(({ Roles }: Members) => JSON.stringify(Roles).includes(`"${role}"`))
        .map(({ id, PolicyDocument }: Members) => [String(id), known(PolicyDocument) as object]),
    );
  const statements = () =>
    of('AWS::Lambda::Permission').map(({ id, Principal }: Members) => ({
      Sid: `${String(id)}-1`,
      Principal: { Service: String(Principal) },
    }));
  return {
    status: 'UPDATE_COMPLETE',
    template,
    resources: all.map(([id, resource]) => ({ id, type: resource.Type, physical: physicalOf(id, resource) })),
    functions: byName('AWS::Lambda::Function', ({ Runtime, Timeout, MemorySize, Handler }) => ({
      Runtime,
      Timeout,
      MemorySize,
      Handler,
    })),
    concurrency: {},
    mappings: byName('AWS::Lambda::EventSourceMapping', (properties) => ({
      ...properties,
      State: 'Enabled',
      LastProcessingResult: 'OK',
    })),
    policies: { ...byName('AWS::Lambda::Function', statements), ...byName('AWS::Lambda::Alias', statements) },
    roles: byName('AWS::IAM::Role', ({ id, ManagedPolicyArns = [] }) => ({
      inline: inline(id),
      attached: (known(ManagedPolicyArns) as readonly string[]).map(String),
    })),
    managed: {},
    alarms: of('AWS::CloudWatch::Alarm').map(({ id }) => ({
      AlarmName: `${id}-1`,
      AlarmActions: ['arn:aws:sns:eu-west-1:123456789012:on-call'],
      StateValue: 'OK',
    })),
    rules: byName('AWS::Events::Rule', ({ Targets }) => ({
      State: 'ENABLED',
      Targets: known(Targets) as DeployedState['rules'][string]['Targets'],
    })),
    queues: byName('AWS::SQS::Queue', ({ RedrivePolicy }) => ({
      ApproximateNumberOfMessages: '0',
      ...(RedrivePolicy !== undefined && { RedrivePolicy: '{"maxReceiveCount":5}' }),
    })),
    denied: [],
    expired: false,
  };
}

type Members = Readonly<Record<string, unknown>>;

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-west-1',
  'AWS::AccountId': '123456789012',
};

/** A value of a template with the names that CloudFormation would write. */
function known(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(known);
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Members;
  if (typeof Ref === 'string') return PSEUDO[Ref] ?? `${Ref}-1`;
  if (Array.isArray(attribute)) return `arn:aws:any:eu-west-1:123456789012:${attribute[0]}-1`;
  if (Array.isArray(join)) return (known(join[1]) as readonly unknown[]).join(String(join[0]));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, known(member)]));
}
