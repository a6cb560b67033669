import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { AwsAccess } from '../../internal/aws-access.js';
import { invalidUsage } from '../../internal/errors.js';

/** An execution with its events, as the service has them. */
export interface ReadHistory {
  readonly functionName: string;
  readonly functionVersion: string;
  readonly execution: string;
  readonly status: string;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

const PAGE = 1_000;
const ARN = /^arn:[^:]+:lambda:[^:]*:[^:]*:function:([^:/]+):([^:/]+)\/durable-execution\/([^/]+)\//;

/**
 * Reads the history of an execution.
 *
 * @param name an ARN, or a name with the name of its function
 * @throws FrameworkError `cli.usage`, `cli.client_missing`, `cli.signed_out`, `cli.aws_failed`
 */
export async function readHistory(access: AwsAccess, name: string, fn: string | undefined): Promise<ReadHistory> {
  const sdk = await access.load<typeof import('@aws-sdk/client-lambda')>('@aws-sdk/client-lambda');
  const client = new sdk.LambdaClient({ ...access.settings });
  try {
    const arn = ARN.test(name) ? name : await arnOf(access, sdk, client, name, fn);
    const [, functionName = '', functionVersion = '', execution = ''] = ARN.exec(arn) ?? [];
    const events: Record<string, unknown>[] = [];
    const { Status = '' } = await access.call('GetDurableExecution', (options) =>
      client.send(new sdk.GetDurableExecutionCommand({ DurableExecutionArn: arn }), options),
    );
    let marker: string | undefined;
    do {
      const Marker: { Marker?: string } = marker === undefined ? {} : { Marker: marker };
      const input = { DurableExecutionArn: arn, IncludeExecutionData: true, MaxItems: PAGE, ...Marker };
      const page = await access.call('GetDurableExecutionHistory', (options) =>
        client.send(new sdk.GetDurableExecutionHistoryCommand(input), options),
      );
      events.push(...(page.Events ?? []).map((event) => ({ ...event })));
      marker = page.NextMarker;
    } while (marker !== undefined);
    return { functionName, functionVersion, execution, status: Status, events };
  } finally {
    client.destroy();
  }
}

async function arnOf(
  access: AwsAccess,
  sdk: typeof import('@aws-sdk/client-lambda'),
  client: LambdaClient,
  name: string,
  fn: string | undefined,
): Promise<string> {
  if (fn === undefined) throw invalidUsage('pass the ARN of the execution, or its name with --function <name>');
  const input = { FunctionName: fn, DurableExecutionName: name };
  const { DurableExecutions = [] } = await access.call('ListDurableExecutionsByFunction', (options) =>
    client.send(new sdk.ListDurableExecutionsByFunctionCommand(input), options),
  );
  const found = DurableExecutions.filter(({ DurableExecutionName }) => DurableExecutionName === name);
  const [one] = found;
  if (!one?.DurableExecutionArn) throw invalidUsage(`the function ${fn} has no execution named "${name}"`);
  if (found.length > 1) throw invalidUsage(`${found.length} versions have an execution named "${name}": pass its ARN`);
  return one.DurableExecutionArn;
}
