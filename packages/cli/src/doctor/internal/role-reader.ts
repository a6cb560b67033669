import type * as Iam from '@aws-sdk/client-iam';
import { fromJson, membersOf } from '@sallyport/core/internal';
import type { AwsAccess } from '../../internal/aws-access.js';

/** A role and its policies, as IAM has them. */
export interface LiveRole {
  /** The documents of the policies in the role. */
  readonly inline: readonly unknown[];
  /** The ARNs of the attached policies. */
  readonly attached: readonly string[];
  /** The current document of an attached policy. */
  document(arn: string): Promise<unknown>;
}

interface Page {
  readonly IsTruncated?: boolean | undefined;
  readonly Marker?: string | undefined;
}

/**
 * Reads roles. The client is loaded with the first role, because a stack without roles does not need it. Documents are percent-encoded.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetRolePolicy.html
 * @see https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetPolicyVersion.html
 */
export function createRoleReader(access: AwsAccess): (name: string) => Promise<LiveRole> {
  return async (RoleName) => {
    const iam = await access.load<typeof Iam>('@aws-sdk/client-iam');
    const client = new iam.IAMClient(access.settings);
    const inline: unknown[] = [];
    const listInline = (marker: object) =>
      access.call(`iam:ListRolePolicies ${RoleName}`, (options) =>
        client.send(new iam.ListRolePoliciesCommand({ RoleName, ...marker }), options),
      );
    const names = (await pagesOf(listInline)).flatMap(({ PolicyNames = [] }) => PolicyNames);
    for (const PolicyName of names) {
      const command = new iam.GetRolePolicyCommand({ RoleName, PolicyName });
      const { PolicyDocument } = await access.call(`iam:GetRolePolicy ${RoleName}`, (options) =>
        client.send(command, options),
      );
      inline.push(decodedDocument(PolicyDocument));
    }
    const listAttached = (marker: object) =>
      access.call(`iam:ListAttachedRolePolicies ${RoleName}`, (options) =>
        client.send(new iam.ListAttachedRolePoliciesCommand({ RoleName, ...marker }), options),
      );
    const attached = (await pagesOf(listAttached)).flatMap(({ AttachedPolicies = [] }) =>
      AttachedPolicies.flatMap(({ PolicyArn }) => PolicyArn ?? []),
    );
    return {
      inline,
      attached,
      async document(PolicyArn) {
        const { Policy } = await access.call(`iam:GetPolicy ${PolicyArn}`, (options) =>
          client.send(new iam.GetPolicyCommand({ PolicyArn }), options),
        );
        const command = new iam.GetPolicyVersionCommand({ PolicyArn, VersionId: Policy?.DefaultVersionId });
        const { PolicyVersion } = await access.call(`iam:GetPolicyVersion ${PolicyArn}`, (options) =>
          client.send(command, options),
        );
        return decodedDocument(PolicyVersion?.Document);
      },
    };
  };
}

async function pagesOf<P extends Page>(
  list: (marker: { readonly Marker?: string }) => Promise<P>,
): Promise<readonly P[]> {
  const pages: P[] = [];
  let last: Page | undefined;
  do {
    const page: P = await list(last?.Marker === undefined ? {} : { Marker: last.Marker });
    pages.push(page);
    last = page;
  } while (last.IsTruncated);
  return pages;
}

function decodedDocument(document: string | undefined): unknown {
  return membersOf(fromJson(decodeURIComponent(document ?? '')));
}
