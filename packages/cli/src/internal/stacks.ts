import type * as CloudFormation from '@aws-sdk/client-cloudformation';
import type { AwsAccess } from './aws-access.js';

/** A resource of a deployed stack. */
export interface DeployedResource {
  readonly id: string;
  readonly type: string;
  readonly physical: string;
  /** `CREATE_COMPLETE`, … */
  readonly status: string;
  /** `IN_SYNC`, `MODIFIED`, `DELETED` or `NOT_CHECKED`: the result of the last drift detection. */
  readonly drift: string;
}

/** CloudFormation, as the commands use it. */
export interface Stacks {
  status(stack: string): Promise<string>;
  resources(stack: string): Promise<readonly DeployedResource[]>;
  /** Physical names by logical id. */
  names(stack: string): Promise<ReadonlyMap<string, string>>;
  /** The template of the last deployment, in JSON or YAML. */
  template(stack: string): Promise<string>;
}

/** @throws FrameworkError `cli.client_missing` */
export async function createStacks(access: AwsAccess): Promise<Stacks> {
  const cfn = await access.load<typeof CloudFormation>('@aws-sdk/client-cloudformation');
  const client = new cfn.CloudFormationClient(access.settings);

  async function resources(stack: string): Promise<readonly DeployedResource[]> {
    const found: DeployedResource[] = [];
    let NextToken: string | undefined;
    do {
      const command = new cfn.ListStackResourcesCommand({
        StackName: stack,
        ...(NextToken !== undefined && { NextToken }),
      });
      const page: CloudFormation.ListStackResourcesCommandOutput = await access.call(
        `cloudformation:ListStackResources ${stack}`,
        (options) => client.send(command, options),
      );
      for (const one of page.StackResourceSummaries ?? []) {
        found.push({
          id: one.LogicalResourceId ?? '',
          type: one.ResourceType ?? '',
          physical: one.PhysicalResourceId ?? '',
          status: one.ResourceStatus ?? '',
          drift: one.DriftInformation?.StackResourceDriftStatus ?? 'NOT_CHECKED',
        });
      }
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    return found;
  }

  return {
    resources,
    async status(stack) {
      const command = new cfn.DescribeStacksCommand({ StackName: stack });
      const { Stacks = [] } = await access.call(`cloudformation:DescribeStacks ${stack}`, (options) =>
        client.send(command, options),
      );
      return Stacks[0]?.StackStatus ?? '';
    },
    async names(stack) {
      return new Map((await resources(stack)).map(({ id, physical }) => [id, physical]));
    },
    async template(stack) {
      const command = new cfn.GetTemplateCommand({ StackName: stack, TemplateStage: 'Processed' });
      const { TemplateBody = '' } = await access.call(`cloudformation:GetTemplate ${stack}`, (options) =>
        client.send(command, options),
      );
      return TemplateBody;
    },
  };
}
