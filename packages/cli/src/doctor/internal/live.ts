import type * as CloudWatch from '@aws-sdk/client-cloudwatch';
import type * as Lambda from '@aws-sdk/client-lambda';
import { fromJson, isObject, membersOf } from '@sallyport/core/internal';
import type { AwsAccess } from '../../internal/aws-access.js';
import { createRoleReader, type LiveRole } from './role-reader.js';
import { createRuleReader, type LiveRule } from './rule-reader.js';

/** The live settings of the resources of a stack. */
export interface Live {
  functionSettings(name: string): Promise<Lambda.FunctionConfiguration>;
  /** `undefined` if the function has no reserved concurrency. */
  reservedConcurrency(name: string): Promise<number | undefined>;
  mapping(id: string): Promise<Lambda.EventSourceMappingConfiguration>;
  /** The statements of the resource policy of a function; none without a policy. */
  permissions(name: string): Promise<readonly Statement[]>;
  /** The state of a rule and its targets. */
  rule(physical: string): Promise<LiveRule>;
  /** The policies of a role. */
  role(name: string): Promise<LiveRole>;
  alarms(names: readonly string[]): Promise<readonly CloudWatch.MetricAlarm[]>;
}

/** One statement of the resource policy of a function. */
export interface Statement {
  readonly id: string;
  /** The service that may invoke the function: `events.amazonaws.com`. */
  readonly service: string;
}

/** `DescribeAlarms` accepts 100 names: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html. */
const MAX_NAMES = 100;

/** @throws FrameworkError `cli.client_missing` */
export async function createLive(access: AwsAccess): Promise<Live> {
  const lambda = await access.load<typeof Lambda>('@aws-sdk/client-lambda');
  const cloudWatch = await access.load<typeof CloudWatch>('@aws-sdk/client-cloudwatch');
  const functions = new lambda.LambdaClient(access.settings);
  const watch = new cloudWatch.CloudWatchClient(access.settings);
  return {
    functionSettings(FunctionName) {
      const command = new lambda.GetFunctionConfigurationCommand({ FunctionName });
      return access.call(`lambda:GetFunctionConfiguration ${FunctionName}`, (options) =>
        functions.send(command, options),
      );
    },
    async reservedConcurrency(FunctionName) {
      const command = new lambda.GetFunctionConcurrencyCommand({ FunctionName });
      const found = await access.call(`lambda:GetFunctionConcurrency ${FunctionName}`, (options) =>
        functions.send(command, options),
      );
      return found.ReservedConcurrentExecutions;
    },
    mapping(UUID) {
      const command = new lambda.GetEventSourceMappingCommand({ UUID });
      return access.call(`lambda:GetEventSourceMapping ${UUID}`, (options) => functions.send(command, options));
    },
    permissions(FunctionName) {
      const command = new lambda.GetPolicyCommand({ FunctionName });
      return access.call(`lambda:GetPolicy ${FunctionName}`, async (options) => {
        try {
          return statementsOf((await functions.send(command, options)).Policy);
        } catch (error) {
          // A function without a policy.
          if ((error as Error).name === 'ResourceNotFoundException') return [];
          throw error;
        }
      });
    },
    rule: createRuleReader(access),
    role: createRoleReader(access),
    async alarms(names) {
      const found: CloudWatch.MetricAlarm[] = [];
      for (let start = 0; start < names.length; start += MAX_NAMES) {
        const AlarmNames = names.slice(start, start + MAX_NAMES);
        const command = new cloudWatch.DescribeAlarmsCommand({ AlarmNames, MaxRecords: MAX_NAMES });
        const { MetricAlarms = [] } = await access.call('cloudwatch:DescribeAlarms', (options) =>
          watch.send(command, options),
        );
        found.push(...MetricAlarms);
      }
      return found;
    },
  };
}

function statementsOf(policy: string | undefined): readonly Statement[] {
  const { Statement: statements } = membersOf(fromJson(policy));
  const list: readonly unknown[] = Array.isArray(statements) ? statements : [];
  return list.filter(isObject).map(({ Sid, Principal }) => ({
    id: String(Sid ?? ''),
    service: String(membersOf(Principal).Service ?? Principal ?? ''),
  }));
}
