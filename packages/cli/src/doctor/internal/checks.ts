import { isFrameworkError } from '@sallyport/core';
import { membersOf, stringOf } from '@sallyport/core/internal';
import type { DeployedResource } from '../../internal/stacks.js';
import type { Resource } from '../../internal/template.js';
import type { Queues } from '../../redrive/internal/queues.js';
import type { Service } from '../../runbook/internal/service.js';
import type { Finding } from './finding.js';
import type { Live } from './live.js';
import { ofRole } from './roles.js';
import { ofRule } from './rules.js';
import { DEPRECATED } from './runtimes.js';

/** The inputs of the checks. */
export interface Examined {
  readonly stack: string;
  readonly service: Service;
  readonly deployed: readonly DeployedResource[];
  readonly live: Live;
  readonly queues: Queues;
  readonly today: string;
}

const DEPLOY = 'deploy the stack again';

/** All findings, in the order of the resources. Only a missing session ends the checks. */
export async function examine(examined: Examined): Promise<readonly Finding[]> {
  const { service, deployed } = examined;
  const byId = new Map(deployed.map((one) => [one.id, one]));
  const findings: Finding[] = [...ofDrift(examined)];
  for (const resource of service.template.resources) {
    const check = CHECKS[resource.type];
    const found = byId.get(resource.id);
    if (!check || !found || found.drift === 'DELETED') continue;
    findings.push(...(await guardedCheck(resource.id, () => check(resource, found.physical, examined, byId))));
  }
  const alarms = service.all('AWS::CloudWatch::Alarm').flatMap(({ id }) => byId.get(id) ?? []);
  findings.push(...(await guardedCheck('alarms', () => ofAlarms(alarms, examined))));
  return findings;
}

const NOT_CHECKED: readonly string[] = ['cli.aws_failed', 'cli.client_missing'];

async function guardedCheck(resource: string, run: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (error) {
    if (!isFrameworkError(error) || !NOT_CHECKED.includes(error.code)) throw error;
    return [
      {
        rule: 'not-checked',
        resource,
        problem: error.message,
        remedy: 'allow the call or install the client, and run doctor again',
      },
    ];
  }
}

function ofDrift({ service, deployed, stack }: Examined): readonly Finding[] {
  const ids = new Set(deployed.map(({ id }) => id));
  const missing = service.template.resources
    .filter(({ id, type }) => !ids.has(id) && type !== 'AWS::CDK::Metadata')
    .map(({ id, type }) => drift(id, `the template has it (${type}), and the stack does not`));
  const changed = deployed
    .filter(({ drift: state }) => state === 'MODIFIED' || state === 'DELETED')
    .map(({ id, drift: state }) =>
      drift(
        id,
        state === 'DELETED' ? 'it was deleted outside CloudFormation' : 'it was changed outside CloudFormation',
        [`aws cloudformation describe-stack-resource-drifts --stack-name ${stack}, then ${DEPLOY}`],
      ),
    );
  return [...missing, ...changed];
}

function drift(resource: string, problem: string, [remedy = DEPLOY]: readonly string[] = []): Finding {
  return { rule: 'drift', resource, problem, remedy };
}

type Check = (
  resource: Resource,
  physical: string,
  examined: Examined,
  byId: ReadonlyMap<string, DeployedResource>,
) => Promise<readonly Finding[]>;

/** The checks by the type of a resource. */
const CHECKS: Readonly<Record<string, Check>> = {
  'AWS::Lambda::Function': ofFunction,
  'AWS::Lambda::EventSourceMapping': ofMapping,
  'AWS::Lambda::Permission': ofPermission,
  'AWS::SQS::Queue': ofQueue,
  'AWS::Events::Rule': (resource, physical, { live, service: { template } }) =>
    ofRule(resource, physical, { live, template }),
  'AWS::IAM::Role': (resource, name, { live, service: { template } }, byId) =>
    ofRole(resource, name, { live, template, physicalOf: (id) => byId.get(id)?.physical }),
};

async function ofFunction({ id, properties }: Resource, name: string, { live, today }: Examined) {
  const settings = await live.functionSettings(name);
  const findings = differences(id, properties, settings, ['Runtime', 'Timeout', 'MemorySize', 'Handler']);
  const until = DEPRECATED[settings.Runtime ?? ''];
  if (until !== undefined && until <= today) {
    const problem = `${settings.Runtime} has had no security patches since ${until}`;
    findings.push({ rule: 'old-runtime', resource: id, problem, remedy: 'set a supported runtime, test, and deploy' });
  }
  if ((await live.reservedConcurrency(name)) === 0) {
    const remedy = `aws lambda delete-function-concurrency --function-name ${name}`;
    findings.push({ rule: 'paused-function', resource: id, problem: 'its reserved concurrency is 0', remedy });
  }
  return findings;
}

/** Scalars that differ from the template; a value that the template computes is skipped. */
function differences(id: string, wanted: object, found: object, names: readonly string[]): Finding[] {
  return names.flatMap((name) => {
    const [want, have] = [membersOf(wanted)[name], membersOf(found)[name]];
    if (want === undefined || typeof want === 'object' || have === undefined || String(want) === String(have))
      return [];
    return [drift(id, `${name} is ${String(have)}, and in the template ${String(want)}`)];
  });
}

async function ofMapping({ id, properties }: Resource, uuid: string, { live }: Examined) {
  const mapping = await live.mapping(uuid);
  const { State = '', LastProcessingResult: result = '', FunctionResponseTypes: types = [] } = mapping;
  const findings = differences(id, properties, mapping, ['BatchSize', 'MaximumRetryAttempts']);
  if (State !== 'Enabled' && properties.Enabled !== false) {
    const remedy = `aws lambda update-event-source-mapping --uuid ${uuid} --enabled`;
    findings.push({ rule: 'disabled-mapping', resource: id, problem: `its state is ${State}`, remedy });
  }
  const wanted = properties.FunctionResponseTypes;
  if (Array.isArray(wanted) && wanted.includes('ReportBatchItemFailures') && types.length === 0) {
    findings.push(drift(id, 'it ignores reported failures: failed records would be deleted'));
  }
  if (result.startsWith('PROBLEM')) {
    const isPermission = /authoriz|permission|access ?denied/i.test(result);
    const remedy = isPermission
      ? `allow the action in the role of the function, or ${DEPLOY}`
      : 'read the error lines of the function';
    findings.push({
      rule: isPermission ? 'missing-permission' : 'mapping-problem',
      resource: id,
      problem: result,
      remedy,
    });
  }
  return findings;
}

async function ofPermission(
  { id, properties, refersTo }: Resource,
  physical: string,
  { live, service }: Examined,
  byId: ReadonlyMap<string, DeployedResource>,
): Promise<readonly Finding[]> {
  const fn =
    service.referenced(refersTo, 'AWS::Lambda::Alias') ?? service.referenced(refersTo, 'AWS::Lambda::Function');
  const name = byId.get(fn?.id ?? '')?.physical;
  const principal = stringOf(properties.Principal);
  if (name === undefined || principal === '') return [];
  // The physical id of a permission is the id of its statement.
  const statements = await live.permissions(name);
  if (statements.some((statement) => statement.id === physical)) return [];
  const problem = `${principal} may not invoke ${name}: the statement ${physical} is missing`;
  return [{ rule: 'missing-permission', resource: id, problem, remedy: `aws lambda add-permission, or ${DEPLOY}` }];
}

async function ofQueue({ id, properties }: Resource, url: string, { queues, service }: Examined) {
  const isFailureQueue = service.template.resources.some(
    ({ properties: { RedrivePolicy, DestinationConfig, Targets } }) =>
      JSON.stringify([RedrivePolicy, DestinationConfig, Targets])?.includes(`"${id}"`),
  );
  const { redrivePolicy, visible } = await queues.facts(url);
  const findings: Finding[] = [];
  if (properties.RedrivePolicy !== undefined && redrivePolicy === '') {
    findings.push(drift(id, 'it has no dead-letter queue: a message that fails is retried until it expires'));
  }
  if (isFailureQueue && visible > 0) {
    const problem = `${visible} messages were given up`;
    findings.push({ rule: 'dead-letters', resource: id, problem, remedy: `sallyport redrive ${url} --dry-run` });
  }
  return findings;
}

async function ofAlarms(alarms: readonly DeployedResource[], { live }: Examined): Promise<readonly Finding[]> {
  const found = new Map((await live.alarms(alarms.map(({ physical }) => physical))).map((one) => [one.AlarmName, one]));
  return alarms.flatMap(({ id, physical }): readonly Finding[] => {
    const alarm = found.get(physical);
    if (!alarm) return [drift(id, 'the alarm does not exist')];
    const { ActionsEnabled = true, AlarmActions = [], StateValue, StateReason = '', AlarmDescription = '' } = alarm;
    const enable = `aws cloudwatch enable-alarm-actions --alarm-names ${physical}`;
    const silent: readonly Finding[] =
      ActionsEnabled && AlarmActions.length > 0
        ? []
        : [
            {
              rule: 'alarm-without-action',
              resource: id,
              problem: ActionsEnabled ? 'the alarm notifies no topic' : 'the actions of the alarm are off',
              remedy: ActionsEnabled ? DEPLOY : enable,
            },
          ];
    if (StateValue !== 'ALARM') return silent;
    return [...silent, { rule: 'alarm-on', resource: id, problem: StateReason, remedy: `read ${AlarmDescription}` }];
  });
}
